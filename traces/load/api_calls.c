/* SPDX-License-Identifier: MIT
 * What a runtime or driver call asks for, from its name.
 */
#include <string.h>

#include "api_calls.h"

static const struct {
	const char *name;
	enum call_kind kind;
} exact[] = {
	{ "cudaLaunch", CALL_LAUNCH },
	{ "cudaLaunchKernel", CALL_LAUNCH },
	{ "cudaLaunchKernelExC", CALL_LAUNCH },
	{ "cudaLaunchCooperativeKernel", CALL_LAUNCH },
	{ "cudaLaunchCooperativeKernelMultiDevice", CALL_LAUNCH },
	{ "cudaGraphLaunch", CALL_GRAPH },
	{ "cuLaunch", CALL_LAUNCH },
	{ "cuLaunchGrid", CALL_LAUNCH },
	{ "cuLaunchGridAsync", CALL_LAUNCH },
	{ "cuLaunchKernel", CALL_LAUNCH },
	{ "cuLaunchKernelEx", CALL_LAUNCH },
	{ "cuLaunchCooperativeKernel", CALL_LAUNCH },
	{ "cuLaunchCooperativeKernelMultiDevice", CALL_LAUNCH },
	{ "cuGraphLaunch", CALL_GRAPH },
	{ "cudaEventRecord", CALL_RECORD },
	{ "cudaEventRecordWithFlags", CALL_RECORD },
	{ "cuEventRecord", CALL_RECORD },
	{ "cuEventRecordWithFlags", CALL_RECORD },
	{ "cudaStreamWaitEvent", CALL_WAIT },
	{ "cuStreamWaitEvent", CALL_WAIT },
	{ "cudaStreamSynchronize", CALL_SYNC },
	{ "cuStreamSynchronize", CALL_SYNC },
	{ "cudaEventSynchronize", CALL_SYNC_EVENT },
	{ "cuEventSynchronize", CALL_SYNC_EVENT },
	{ "cudaDeviceSynchronize", CALL_SYNC_GPU },
	{ "cudaThreadSynchronize", CALL_SYNC_GPU },
	{ "cuCtxSynchronize", CALL_SYNC_GPU },
	{ "cudaEventQuery", CALL_QUERY },
	{ "cuEventQuery", CALL_QUERY },
	{ "cudaLaunchHostFunc", CALL_UNSEEN },
	{ "cuLaunchHostFunc", CALL_UNSEEN },
	{ "cudaStreamAddCallback", CALL_UNSEEN },
	{ "cuStreamAddCallback", CALL_UNSEEN },
	{ "cudaStreamBeginCapture", CALL_CAPTURE },
	{ "cudaStreamBeginCaptureToGraph", CALL_CAPTURE },
	{ "cuStreamBeginCapture", CALL_CAPTURE },
	{ "cuStreamBeginCaptureToGraph", CALL_CAPTURE },
	{ "cudaStreamEndCapture", CALL_CAPTURE_END },
	{ "cuStreamEndCapture", CALL_CAPTURE_END },
};
static const struct {
	const char *prefix;
	enum call_kind kind;
} families[] = {
	{ "cudaMemcpy", CALL_COPY },	    { "cuMemcpy", CALL_COPY },
	{ "cudaMemset", CALL_MEMSET },	    { "cuMemset", CALL_MEMSET },
	{ "cudaMemPrefetch", CALL_UNSEEN }, { "cuMemPrefetch", CALL_UNSEEN },
};
/* What profilers append: the ABI version, and the per-thread default stream variants. */
static const char *const suffixes[] = { "_ptsz", "_ptds" };

static size_t base_length(const char *name)
{
	size_t length = strlen(name), digits = length;

	while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
		digits--;
	if (digits < length && digits >= 2 && name[digits - 1] == 'v' && name[digits - 2] == '_')
		length = digits - 2;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t bytes = strlen(suffixes[i]);

		if (length > bytes && strncmp(name + length - bytes, suffixes[i], bytes) == 0)
			length -= bytes;
	}
	if (length > 3 &&
	    strncmp(name + length - 3, "_v2", 3) == 0) /* cuEventRecord_v2_ptsz and the like */
		length -= 3;
	return length;
}

struct call call_of_name(const char *name)
{
	size_t length = base_length(name);

	for (size_t i = 0; i < sizeof(exact) / sizeof(exact[0]); i++)
		if (strlen(exact[i].name) == length && strncmp(exact[i].name, name, length) == 0)
			return (struct call){ .kind = exact[i].kind };
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (strncmp(families[i].prefix, name, strlen(families[i].prefix)) == 0)
			return (struct call){ .kind = families[i].kind,
					      .blocking = families[i].kind == CALL_COPY &&
							  !strstr(name, "Async") };
	return (struct call){ .kind = CALL_OTHER };
}
