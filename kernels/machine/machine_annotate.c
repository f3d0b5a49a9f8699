/* SPDX-License-Identifier: MIT
 * Finds the recorder in this process. The CUDA driver loads it when it initialises, so ask after
 * the first CUDA call.
 */
#include "machine.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "traces/format/annotate.h"

const struct warpreel_annotate *machine_annotate(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	/* NOLOAD: only what is already here. The handle stays open; the recorder never leaves a
	 * process. */
	void *library = path && *path ? dlopen(path, RTLD_NOLOAD | RTLD_LAZY) : NULL;
	const struct warpreel_annotate *table =
		library ? dlsym(library, "warpreel_annotate_table") : NULL;

	return table && table->abi == WARPREEL_ANNOTATE_ABI ? table : NULL;
}
