/* SPDX-License-Identifier: MIT
 * The program's door to CUDA: loads libwarpreel-cuda.so and looks its table up. Everything that
 * needs the CUDA toolkit is behind it. libwarpreel-cuda-blocks.so is the same with kernels that
 * note their blocks, and is loaded in its place.
 */
#include "block_notes.h"
#include "machine.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/base/util.h"

/* A library: its file, what names another one in its place, and what it is built by. */
struct library_name {
	const char *file, *variable, *goal;
};
static const struct library_name plain_library = { "libwarpreel-cuda.so", "WARPREEL_CUDA", "gpu" };
static const struct library_name instrumented_library = { "libwarpreel-cuda-blocks.so",
							  "WARPREEL_CUDA_BLOCKS", "gpu-blocks" };

/*
 * What the environment names, else beside the program, else one folder above it (tests live in a
 * subfolder), else where make install puts it. The first when there is none: where it was expected.
 * Caller frees.
 */
static char *library_path(const struct library_name *name)
{
	const char *named = getenv(name->variable);
	char folder[PATH_MAX];

	if (named && *named)
		return strchr(named, '/')
			       ? xstrdup(named)
			       : xprintf("./%s",
					 named); /* a file, never a search of the loader's */
	ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
	folder[length > 0 ? length : 0] = 0;
	char *slash = strrchr(folder, '/');
	if (slash)
		*slash = 0;
	const char *beside = slash ? folder : ".";
	char *path[] = { xprintf("%s/%s", beside, name->file),
			 xprintf("%s/../%s", beside, name->file),
			 xprintf("%s/../lib/warpreel/%s", beside, name->file) };
	size_t found = 0, count = sizeof(path) / sizeof(path[0]);
	for (size_t k = count; k-- > 0;)
		if (!access(path[k], F_OK))
			found = k;
	for (size_t k = 0; k < count; k++)
		if (k != found)
			free(path[k]);
	return path[found];
}

/* A function of the library; NULL after a message. */
static void *library_symbol(void *library, const char *path, const char *symbol)
{
	void *found = dlsym(library, symbol);

	if (!found)
		report("%s is not a warpreel CUDA library: it has no %s", path, symbol);
	return found;
}

/* -1 after a message when the library was built from another tree than this program. */
static int library_check(const char *path, int abi, int wanted)
{
	return abi == wanted ? 0
			     : report("%s has interface %d, this program wants %d: build both from "
				      "one tree",
				      path, abi, wanted);
}

static const struct warpreel_cuda *library_open(const struct library_name *name, const char *path,
						void **handle)
{
	warpreel_cuda_entry *entry;
	const struct warpreel_cuda *table;
	void *library, *symbol;

	if (access(path, F_OK)) {
		report("no CUDA here: %s is missing; build it with `make %s` (needs nvcc), or name "
		       "it in %s",
		       path, name->goal, name->variable);
		return NULL;
	}
	/* CUDA loads a kernel's code at its first launch unless told before it starts; that is
	 * milliseconds inside a run. */
	setenv("CUDA_MODULE_LOADING", "EAGER", 0);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		report("no CUDA here: %s", dlerror());
		return NULL;
	}
	symbol = library_symbol(library, path, "warpreel_cuda_table");
	if (!symbol)
		return NULL;
	memcpy(&entry, &symbol, sizeof(entry)); /* ISO C has no cast from data to code */
	table = entry();
	*handle = library;
	return library_check(path, table->abi, WARPREEL_CUDA_ABI) ? NULL : table;
}

const struct warpreel_cuda *warpreel_cuda_load(void)
{
	static const struct warpreel_cuda
		*loaded; /* the library stays for the life of the process */

	if (!loaded) {
		void *library;
		char *path = library_path(&plain_library);
		loaded = library_open(&plain_library, path, &library);
		free(path);
	}
	return loaded;
}

struct machine *machine_cuda_new(uint32_t gpus)
{
	const struct warpreel_cuda *cuda = warpreel_cuda_load();

	return cuda ? cuda->machine_new(gpus) : NULL;
}

struct machine *machine_cuda_new_instrumented(uint32_t gpus, uint32_t launches,
					      const struct warpreel_block_notes **notes)
{
	char *path = library_path(&instrumented_library);
	void *library, *symbol;
	const struct warpreel_cuda *cuda = library_open(&instrumented_library, path, &library);
	struct machine *m = NULL;
	warpreel_block_notes_entry *entry;

	if (!cuda || !(symbol = library_symbol(library, path, "warpreel_block_notes_table")))
		goto out;
	memcpy(&entry, &symbol, sizeof(entry));
	*notes = entry();
	if (library_check(path, (*notes)->abi, WARPREEL_BLOCK_NOTES_ABI) ||
	    !(m = cuda->machine_new(gpus)))
		goto out;
	if ((*notes)->begin(gpus, launches)) {
		m->ops->free(m);
		m = NULL;
	}
out:
	free(path);
	return m;
}

static const struct {
	const char *name;
	struct machine *(*make)(uint32_t gpus);
} backends[] = { { "cuda", machine_cuda_new }, { "cpu", machine_cpu_new } };

struct machine *machine_new(const char *backend, uint32_t gpus)
{
	for (size_t k = 0; k < sizeof(backends) / sizeof(backends[0]); k++)
		if (!strcmp(backends[k].name, backend))
			return backends[k].make(gpus);
	report("unknown backend '%s'; there is: " MACHINE_BACKENDS, backend);
	return NULL;
}
