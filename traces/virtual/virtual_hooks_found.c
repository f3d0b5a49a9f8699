/* SPDX-License-Identifier: MIT
 * Functions that programs look up by name, in a library they opened: NVML's number of devices and
 * whether a device's primary context is there (PyTorch asks for both); NCCL's functions, and
 * NVML's of links, which are exported here, too, for programs that are linked against them.
 */
#include "virtual.h"

#include <dlfcn.h>
#include <string.h>

static void *_Atomic real_count, *_Atomic real_state;

static int nvml_count(unsigned *count)
{
	int result = ((int (*)(unsigned *))(uintptr_t)real_count)(count);

	if (!result && gpus_count())
		*count = (unsigned)gpus_count();
	return result;
}

static CUresult primary_state(CUdevice device, unsigned *flags, int *active)
{
	CUresult result;

	if (gpus_count() && !gpus_has(device))
		return CUDA_ERROR_INVALID_DEVICE;
	result = ((CUresult(*)(CUdevice, unsigned *, int *))(uintptr_t)real_state)(
		gpus_count() ? 0 : device, flags, active);
	if (!result && gpus_count() && device)
		*active = gpus_started(device);
	return result;
}

/* Ours in the place of `found`, where `name` is one of these. */
static void *in_place_of(const char *name, void *found)
{
	const struct {
		const char *name;
		void *ours;
		void *_Atomic *theirs;
	} hooked[] = {
		{ "nvmlDeviceGetCount_v2", (void *)(uintptr_t)nvml_count, &real_count },
		{ "cuDevicePrimaryCtxGetState", (void *)(uintptr_t)primary_state, &real_state },
	};

	if (!found || !name || !gpus_count())
		return found;
	for (size_t i = 0; i < sizeof(hooked) / sizeof(hooked[0]); i++)
		if (!strcmp(hooked[i].name, name)) {
			*hooked[i].theirs = found;
			return hooked[i].ours;
		}
	return found;
}

/* NVIDIA's own libraries and the recorder see the real device. Never inlined: dlsym's frame must be
 * gone when it jumps, and these locals would hold it. */
static __attribute__((noinline)) bool is_theirs(const void *caller)
{
	static const char *const theirs[] = { "libcudart",    "libcuda.so", "libcupti",
					      "libnvidia-ml", "libnccl",    "libwarpreel" };
	Dl_info from;
	const char *name;

	if (!dladdr(caller, &from) || !from.dli_fname)
		return false;
	name = strrchr(from.dli_fname, '/');
	name = name ? name + 1 : from.dli_fname;
	for (size_t i = 0; i < sizeof(theirs) / sizeof(theirs[0]); i++)
		if (!strncmp(name, theirs[i], strlen(theirs[i])))
			return true;
	return false;
}

/* What this library exports in the place of others' functions: `found`, where it has none of that
 * name. */
static __attribute__((noinline)) void *exported(const char *name, void *found)
{
	Dl_info own;
	void *handle = dladdr((void *)(uintptr_t)exported, &own) && own.dli_fname
			       ? dlopen(own.dli_fname, RTLD_NOLOAD | RTLD_LAZY)
			       : NULL;
	void *ours = handle && found && gpus_all() > 1 ? real_symbol(handle, name) : NULL;

	if (handle)
		dlclose(handle);
	return ours ? ours : found;
}

static bool is_exported(const char *name)
{
	static const char *const begins[] = { "nccl",
					      "nvmlDeviceGetTopology",
					      "nvmlSystemGetTopology",
					      "nvmlDeviceGetP2PStatus",
					      "nvmlDeviceGetNvLink",
					      "nvshmem" };

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

HOOK void *dlsym(void *handle, const char *name)
{
	/* Whoever asks for these starts the driver, which reads the environment. */
	if (*name == 'c' && (!strcmp(name, "cuInit") || !strncmp(name, "cuGetProcAddress", 16)))
		gpus_count();
	if ((*name == 'n' || *name == 'c') &&
	    (!strcmp(name, "nvmlDeviceGetCount_v2") ||
	     !strcmp(name, "cuDevicePrimaryCtxGetState")) &&
	    !is_theirs(__builtin_return_address(0)))
		return in_place_of(name, real_symbol(handle, name));
	if (*name == 'n' && is_exported(name) && handle != RTLD_NEXT &&
	    !is_theirs(__builtin_return_address(0)))
		return exported(name, real_symbol(handle, name));
	return real_symbol(handle, name); /* a jump: RTLD_NEXT is the caller's */
}

/* The runtime's way to the driver's functions. */
#define ENTRY_POINT(name, parameters, arguments)                                                   \
	HOOK cudaError_t name parameters;                                                          \
	HOOK cudaError_t name parameters                                                           \
	{                                                                                          \
		cudaError_t result = REAL(name) arguments;                                         \
                                                                                                   \
		if (result == cudaSuccess && found)                                                \
			*found = in_place_of(symbol, *found);                                      \
		return result;                                                                     \
	}
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
ENTRY_POINT(cudaGetDriverEntryPoint,
	    (const char *symbol, void **found, unsigned long long flags,
	     enum cudaDriverEntryPointQueryResult *status),
	    (symbol, found, flags, status))
ENTRY_POINT(cudaGetDriverEntryPointByVersion,
	    (const char *symbol, void **found, unsigned version, unsigned long long flags,
	     enum cudaDriverEntryPointQueryResult *status),
	    (symbol, found, version, flags, status))
