/* SPDX-License-Identifier: MIT
 * What virtual GPUs do not answer for is refused with the reason, by the error its caller expects.
 */
#include "virtual.h"

HOOK cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *pointer)
{
	static bool said;

	if (!gpus_count())
		return REAL(cudaIpcGetMemHandle)(handle, pointer);
	notes_say(&said,
		  "memory shared between processes (cudaIpcGetMemHandle) is not answered for: what "
		  "processes say to each other goes through NCCL");
	return cudaErrorNotSupported;
}

/* ---- NVSHMEM: each process (PE) puts into others' memory, by kernels; begun by one of these (its
 * library's exported functions, version 3) ---- */

enum { NVSHMEM_ERROR = 1 };

#define NVSHMEM_INIT(name, parameters, arguments)                                                  \
	HOOK int name parameters;                                                                  \
	HOOK int name parameters                                                                   \
	{                                                                                          \
		static bool said;                                                                  \
		static void *_Atomic slot;                                                         \
		int(*real) parameters;                                                             \
                                                                                                   \
		if (gpus_all() > 1) {                                                              \
			notes_say(&said, "NVSHMEM is not answered for: its kernels wait for "      \
					 "other GPUs' kernels, which cannot run at one time on "   \
					 "one GPU");                                               \
			return NVSHMEM_ERROR;                                                      \
		}                                                                                  \
		real = (int(*) parameters)(uintptr_t)real_other(&slot, "libnvshmem_host.so",       \
								#name);                            \
		return real ? real arguments : NVSHMEM_ERROR;                                      \
	}
NVSHMEM_INIT(nvshmemx_hostlib_init_attr, (unsigned flags, void *attributes), (flags, attributes))
NVSHMEM_INIT(nvshmemid_hostlib_init_attr,
	     (int requested, int *provided, unsigned flags, void *attributes, uint64_t version,
	      void *state),
	     (requested, provided, flags, attributes, version, state))

/* ---- NVML: who is linked with whom. It knows one GPU ---- */

enum { NVML_NOT_SUPPORTED = 3 };

#define NVML_TOPOLOGY(name)                                                                        \
	HOOK int name(uint64_t a, uint64_t b, uint64_t c, uint64_t d);                             \
	HOOK int name(uint64_t a, uint64_t b, uint64_t c, uint64_t d)                              \
	{                                                                                          \
		static bool said;                                                                  \
		static void *_Atomic slot;                                                         \
		int (*real)(uint64_t, uint64_t, uint64_t, uint64_t);                               \
                                                                                                   \
		if (gpus_all() > 1) {                                                              \
			notes_say(&said, "how GPUs are linked (" #name ") is not answered for: "   \
					 "NVML knows the one GPU; cudaDeviceCanAccessPeer "        \
					 "answers for virtual ones");                              \
			return NVML_NOT_SUPPORTED;                                                 \
		}                                                                                  \
		real = (int (*)(uint64_t, uint64_t, uint64_t, uint64_t))(uintptr_t)real_other(     \
			&slot, "libnvidia-ml.so", #name);                                          \
		return real ? real(a, b, c, d) : NVML_NOT_SUPPORTED;                               \
	}
NVML_TOPOLOGY(nvmlDeviceGetTopologyCommonAncestor)
NVML_TOPOLOGY(nvmlDeviceGetTopologyNearestGpus)
NVML_TOPOLOGY(nvmlSystemGetTopologyGpuSet)
NVML_TOPOLOGY(nvmlDeviceGetP2PStatus)
NVML_TOPOLOGY(nvmlDeviceGetNvLinkState)
NVML_TOPOLOGY(nvmlDeviceGetNvLinkCapability)
NVML_TOPOLOGY(nvmlDeviceGetNvLinkRemotePciInfo)
NVML_TOPOLOGY(nvmlDeviceGetNvLinkRemotePciInfo_v2)
NVML_TOPOLOGY(nvmlDeviceGetNvLinkRemoteDeviceType)
