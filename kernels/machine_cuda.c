/* SPDX-License-Identifier: MIT
 * The program's door to CUDA: loads libwarpreel-cuda.so and looks its table up. Everything that needs the CUDA toolkit is behind it.
 */
#include "machine.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../traces/util.h"

#define LIBRARY "libwarpreel-cuda.so"

/*
 * $WARPREEL_CUDA, else beside the program, else one folder above it (tests live in a subfolder), else where make install puts it.
 * The first when there is none: where it was expected. Caller frees.
 */
static char *library_path(void)
{
	const char *named = getenv("WARPREEL_CUDA");
	char folder[PATH_MAX];

	if (named && *named)
		return strchr(named, '/') ? xstrdup(named) : xprintf("./%s", named); /* a file, never a search of the loader's */
	ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
	folder[length > 0 ? length : 0] = 0;
	char *slash = strrchr(folder, '/');
	if (slash)
		*slash = 0;
	char *path[] = { xprintf("%s/" LIBRARY, slash ? folder : "."), xprintf("%s/../" LIBRARY, slash ? folder : "."),
			 xprintf("%s/../lib/warpreel/" LIBRARY, slash ? folder : ".") };
	size_t found = 0, count = sizeof(path) / sizeof(path[0]);
	for (size_t k = count; k-- > 0;)
		if (!access(path[k], F_OK))
			found = k;
	for (size_t k = 0; k < count; k++)
		if (k != found)
			free(path[k]);
	return path[found];
}

static const struct warpreel_cuda *library_open(const char *path)
{
	warpreel_cuda_entry *entry;
	const struct warpreel_cuda *table;
	void *library, *symbol;

	if (access(path, F_OK)) {
		report("no CUDA here: %s is missing; build it with `make gpu` (needs nvcc), or name it in WARPREEL_CUDA", path);
		return NULL;
	}
	/* CUDA loads a kernel's code at its first launch unless told before it starts; that is milliseconds inside a run. */
	setenv("CUDA_MODULE_LOADING", "EAGER", 0);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		report("no CUDA here: %s", dlerror());
		return NULL;
	}
	symbol = dlsym(library, "warpreel_cuda_table");
	if (!symbol) {
		report("%s is not a warpreel CUDA library: it has no warpreel_cuda_table", path);
		return NULL;
	}
	memcpy(&entry, &symbol, sizeof(entry)); /* ISO C has no cast from data to code */
	table = entry();
	if (table->abi != WARPREEL_CUDA_ABI) {
		report("%s has interface %d, this program wants %d: build both from one tree", path, table->abi, WARPREEL_CUDA_ABI);
		return NULL;
	}
	return table;
}

const struct warpreel_cuda *warpreel_cuda_load(void)
{
	static const struct warpreel_cuda *loaded; /* the library stays for the life of the process */

	if (!loaded) {
		char *path = library_path();
		loaded = library_open(path);
		free(path);
	}
	return loaded;
}

struct machine *machine_cuda_new(uint32_t gpus)
{
	const struct warpreel_cuda *cuda = warpreel_cuda_load();

	return cuda ? cuda->machine_new(gpus) : NULL;
}
