/* SPDX-License-Identifier: MIT
 * The launch calls of the runtime and of the driver, as a table.
 */
#include "recorder_profile_launch.h"

static void read_runtime(const void *parameters, struct launch_call *call)
{
	const cudaLaunchKernel_v7000_params *p = parameters;

	*call = (struct launch_call){ .grid = { p->gridDim.x, p->gridDim.y, p->gridDim.z },
				      .block = { p->blockDim.x, p->blockDim.y, p->blockDim.z },
				      .dynamic_shared_bytes = p->sharedMem,
				      .stream = (CUstream)p->stream };
}

static void read_runtime_ex(const void *parameters, struct launch_call *call)
{
	const cudaLaunchConfig_t *c =
		((const cudaLaunchKernelExC_v11060_params *)parameters)->config;

	*call = (struct launch_call){ .grid = { c->gridDim.x, c->gridDim.y, c->gridDim.z },
				      .block = { c->blockDim.x, c->blockDim.y, c->blockDim.z },
				      .dynamic_shared_bytes = c->dynamicSmemBytes,
				      .stream = (CUstream)c->stream };
}

static void read_driver(const void *parameters, struct launch_call *call)
{
	const cuLaunchKernel_params *p = parameters;

	*call = (struct launch_call){ .grid = { p->gridDimX, p->gridDimY, p->gridDimZ },
				      .block = { p->blockDimX, p->blockDimY, p->blockDimZ },
				      .dynamic_shared_bytes = p->sharedMemBytes,
				      .stream = p->hStream,
				      .function = p->f };
}

static void read_driver_ex(const void *parameters, struct launch_call *call)
{
	const cuLaunchKernelEx_params *p = parameters;
	const CUlaunchConfig *c = p->config;

	*call = (struct launch_call){ .grid = { c->gridDimX, c->gridDimY, c->gridDimZ },
				      .block = { c->blockDimX, c->blockDimY, c->blockDimZ },
				      .dynamic_shared_bytes = c->sharedMemBytes,
				      .stream = c->hStream,
				      .function = p->f };
}

#define RUNTIME(name, read)                                                                        \
	{                                                                                          \
		CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_##name, read                 \
	}
#define DRIVER(name, read)                                                                         \
	{                                                                                          \
		CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_##name, read                   \
	}
const struct launch_id launch_ids[] = {
	RUNTIME(cudaLaunchKernel_v7000, read_runtime),
	RUNTIME(cudaLaunchKernel_ptsz_v7000, read_runtime),
	RUNTIME(__cudaLaunchKernel_v13000,
		read_runtime), /* what <<<>>> becomes; its arguments are in the same order */
	RUNTIME(__cudaLaunchKernel_ptsz_v13000, read_runtime),
	RUNTIME(cudaLaunchCooperativeKernel_v9000, read_runtime),
	RUNTIME(cudaLaunchCooperativeKernel_ptsz_v9000, read_runtime),
	RUNTIME(cudaLaunchKernelExC_v11060, read_runtime_ex),
	RUNTIME(cudaLaunchKernelExC_ptsz_v11060, read_runtime_ex),
	DRIVER(cuLaunchKernel, read_driver),
	DRIVER(cuLaunchKernel_ptsz, read_driver),
	DRIVER(cuLaunchCooperativeKernel, read_driver),
	DRIVER(cuLaunchCooperativeKernel_ptsz, read_driver),
	DRIVER(cuLaunchKernelEx, read_driver_ex),
	DRIVER(cuLaunchKernelEx_ptsz, read_driver_ex),
	DRIVER(cuGraphLaunch, NULL),
	DRIVER(cuGraphLaunch_ptsz, NULL),
	{ CUPTI_CB_DOMAIN_INVALID, 0, NULL },
};

const struct launch_id *launch_find(CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
	for (const struct launch_id *at = launch_ids; at->domain != CUPTI_CB_DOMAIN_INVALID; at++)
		if (at->domain == domain && at->id == id)
			return at;
	return NULL;
}
