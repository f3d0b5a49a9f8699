/* SPDX-License-Identifier: MIT
 * The functions behind our hooks. Libraries that a program opened itself (Python does) are not
 * after us in the search order, so they are looked for among what is loaded.
 */
#include "virtual.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *symbol_fn(void *, const char *);

static symbol_fn *next_symbol;
static pthread_once_t symbol_once = PTHREAD_ONCE_INIT;

static void find_symbol_fn(void)
{
	/* The versions dlsym has had, by architecture and release of glibc. */
	static const char *const version[] = { "GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17" };
	void *found = NULL;

	for (size_t i = 0; !found && i < sizeof(version) / sizeof(version[0]); i++)
		found = dlvsym(RTLD_NEXT, "dlsym", version[i]);
	memcpy(&next_symbol, &found, sizeof(found));
}

void *real_symbol(void *handle, const char *name)
{
	pthread_once(&symbol_once, find_symbol_fn);
	return next_symbol ? next_symbol(handle, name) : NULL;
}

struct wanted {
	const char *part;
	char path[4096];
};

static int see_library(struct dl_phdr_info *info, size_t size, void *data)
{
	struct wanted *wanted = data;
	const char *name = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

	(void)size;
	name = name ? name + 1 : info->dlpi_name;
	if (!name || strncmp(name, wanted->part, strlen(wanted->part)) != 0)
		return 0;
	snprintf(wanted->path, sizeof(wanted->path), "%s", info->dlpi_name);
	return 1;
}

/* The handle of a loaded library whose file name begins with `part`; NULL: none is. */
static void *loaded(const char *part, char *path, size_t bytes)
{
	struct wanted wanted = { .part = part };

	if (!dl_iterate_phdr(see_library, &wanted))
		return NULL;
	if (path)
		snprintf(path, bytes, "%s", wanted.path);
	return dlopen(wanted.path, RTLD_NOLOAD | RTLD_LAZY);
}

static const char runtime_part[] = "libcudart.so";

int real_runtime_major(void)
{
	static atomic_int known;
	char path[4096];
	const char *number;

	if (atomic_load(&known))
		return atomic_load(&known);
	if (!loaded(runtime_part, path, sizeof(path)))
		return 0;
	number = strstr(path, runtime_part) + strlen(runtime_part);
	atomic_store(&known, *number == '.' ? atoi(number + 1) : 13);
	return atomic_load(&known);
}

void *real_runtime(void *_Atomic *slot, const char *name)
{
	void *found = atomic_load_explicit(slot, memory_order_acquire), *library;

	if (found)
		return found;
	gpus_count(); /* it may change what the driver sees, before that begins */
	library = loaded(runtime_part, NULL, 0);
	found = library ? real_symbol(library, name) : NULL;
	if (!found) {
		fprintf(stderr,
			"warpreel virtual GPUs: the program calls %s, which its CUDA runtime does "
			"not "
			"have\n",
			name);
		exit(1);
	}
	atomic_store_explicit(slot, found, memory_order_release);
	return found;
}

void *real_other(void *_Atomic *slot, const char *part, const char *name)
{
	void *found = atomic_load_explicit(slot, memory_order_acquire), *library;

	if (found)
		return found;
	found = real_symbol(RTLD_NEXT, name);
	library = found ? NULL : loaded(part, NULL, 0);
	if (library)
		found = real_symbol(library, name);
	atomic_store_explicit(slot, found, memory_order_release);
	return found;
}

static struct driver driver;
static bool driver_ready;
static pthread_once_t driver_once = PTHREAD_ONCE_INIT;

static void load_driver(void)
{
	const struct {
		const char *name;
		void *slot;
	} wanted[] = {
		{ "cuInit", &driver.cuInit },
		{ "cuDeviceGet", &driver.cuDeviceGet },
		{ "cuCtxCreate_v2", &driver.cuCtxCreate_v2 },
		{ "cuCtxGetCurrent", &driver.cuCtxGetCurrent },
		{ "cuCtxSetCurrent", &driver.cuCtxSetCurrent },
		{ "cuCtxSynchronize", &driver.cuCtxSynchronize },
		{ "cuStreamGetCtx", &driver.cuStreamGetCtx },
		{ "cuPointerGetAttributes", &driver.cuPointerGetAttributes },
		{ "cuMemGetInfo_v2", &driver.cuMemGetInfo_v2 },
		{ "cuEventCreate", &driver.cuEventCreate },
		{ "cuEventDestroy_v2", &driver.cuEventDestroy_v2 },
		{ "cuEventRecord", &driver.cuEventRecord },
		{ "cuStreamWaitEvent", &driver.cuStreamWaitEvent },
		{ "cuStreamIsCapturing", &driver.cuStreamIsCapturing },
		{ "cuMemcpyAsync", &driver.cuMemcpyAsync },
		{ "cuStreamSynchronize", &driver.cuStreamSynchronize },
		{ "cuMemHostRegister_v2", &driver.cuMemHostRegister_v2 },
		{ "cuMemHostUnregister", &driver.cuMemHostUnregister },
		{ "cuMemHostGetDevicePointer_v2", &driver.cuMemHostGetDevicePointer_v2 },
		{ "cuModuleLoadData", &driver.cuModuleLoadData },
		{ "cuModuleGetFunction", &driver.cuModuleGetFunction },
		{ "cuLaunchKernel", &driver.cuLaunchKernel },
	};
	void *library = dlopen("libcuda.so.1", RTLD_NOW);

	driver_ready = library != NULL;
	for (size_t i = 0; library && i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		void *symbol = real_symbol(library, wanted[i].name);

		memcpy(wanted[i].slot, &symbol, sizeof(symbol));
		driver_ready = driver_ready && symbol;
	}
}

const struct driver *real_driver(void)
{
	pthread_once(&driver_once, load_driver);
	return driver_ready ? &driver : NULL;
}
