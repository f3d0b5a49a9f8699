/* SPDX-License-Identifier: MIT */
#include "nccl_names.h"

#include <stddef.h>
#include <string.h>

const char *nccl_kernel(const char *name)
{
	static const char *const head[] = { "ncclDevKernel", "ncclKernel" };

	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++) {
		const size_t length = strlen(head[i]);

		if (!strncmp(name, head[i], length))
			return name + length + (name[length] == '_');
	}
	return NULL;
}
