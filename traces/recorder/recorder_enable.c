/* SPDX-License-Identifier: MIT
 * Which records CUPTI is asked for. Selective where CUPTI allows it, though a call costs the
 * program most of that as soon as any call of its API is recorded (docs/lab/programs.md).
 */
#include "recorder.h"

#include <stdio.h>
#include <string.h>

/* A CUPTI call that may fail without ending the recording: counted, named, and the run goes on with
 * less. */
static bool tried(CUptiResult result, const char *what)
{
	char detail[256];

	if (result == CUPTI_SUCCESS)
		return true;
	snprintf(detail, sizeof(detail), "%s: %s", what, cupti_text(&recorder.cupti, result));
	writer_loss(&recorder.writer, "not-recorded", 1, detail);
	return false;
}

/*
 * Calls that change nothing and are rare, or whose own work is longer than what watching them
 * costs. Prefixes of CUPTI's names. Those that are quick and frequent are recorded to be counted
 * (encode_queries).
 */
static const char *const runtime_noise[] = {
	"cudaGetErrorString",
	"cudaGetErrorName",
	"cudaGetDeviceProperties",
	"cudaDeviceGetP2PAttribute",
	"cudaDeviceCanAccessPeer",
	"cudaDeviceGetStreamPriorityRange",
	"cudaDeviceGetLimit",
	"cudaDriverGetVersion",
	"cudaRuntimeGetVersion",
	"cudaFuncGetAttributes",
	"cudaFuncGetName",
	"cudaGetFuncBySymbol",
	"cudaGetKernel",
	"cudaGetDriverEntryPoint",
	"cudaGetSymbolAddress",
	"cudaGetSymbolSize",
	"cudaPointerGetAttributes",
	"cudaOccupancy",
	"cudaStreamGet",
	"cudaMemGetInfo",
	"cudaHostGetDevicePointer",
	"cudaHostGetFlags",
};
/* Driver calls a program may make itself, without the runtime, that start or order work on a GPU.
 */
static const char *const driver_work[] = {
	"cuLaunch",	     "cuGraphLaunch",	    "cuMemcpy",		  "cuMemset",
	"cuCtxSynchronize",  "cuStreamSynchronize", "cuEventSynchronize", "cuEventRecord",
	"cuStreamWaitEvent", "cuMemPrefetch",
};

static void enable_calls(void)
{
	struct cupti *cupti = &recorder.cupti;
	uint64_t refused = 0;

	if (tried(cupti->cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME), "runtime API"))
		for (uint32_t id = 1; id < recorder.runtime_count; id++)
			if (has_prefix(recorder.runtime_name[id], runtime_noise,
				       sizeof(runtime_noise) / sizeof(runtime_noise[0])))
				cupti->cuptiActivityEnableRuntimeApi(id, 0);
	if (!environment_long("WARPREEL_DRIVER_API", 1, 0, 1)) {
		writer_meta(&recorder.writer, "driver_api", "off");
		return;
	}
	for (uint32_t id = 1; id < recorder.driver_count; id++)
		if (has_prefix(recorder.driver_name[id], driver_work,
			       sizeof(driver_work) / sizeof(driver_work[0])))
			refused += cupti->cuptiActivityEnableDriverApi(id, 1) != CUPTI_SUCCESS;
	writer_meta(&recorder.writer, "driver_api", refused ? "partly" : "on");
	if (refused)
		writer_loss(&recorder.writer, "not-recorded", refused,
			    "driver functions that CUPTI would not watch");
}

/* -1: without kernels and copies there is nothing to record. */
static int enable_kinds(char *why, size_t why_bytes)
{
	const struct {
		CUpti_ActivityKind kind;
		const char *what;
		bool needed;
	} kinds[] = {
		{ CUPTI_ACTIVITY_KIND_DEVICE, "devices", false },
		{ CUPTI_ACTIVITY_KIND_CONTEXT, "contexts", false },
		{ CUPTI_ACTIVITY_KIND_STREAM, "streams", false },
		{ CUPTI_ACTIVITY_KIND_NAME, "names", false },
		{ CUPTI_ACTIVITY_KIND_MARKER, "NVTX ranges", false },
		{ CUPTI_ACTIVITY_KIND_OVERHEAD, "overhead", false },
		{ CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, "synchronizations", false },
		{ CUPTI_ACTIVITY_KIND_CUDA_EVENT, "events", false },
		{ CUPTI_ACTIVITY_KIND_MEMCPY, "copies", true },
		{ CUPTI_ACTIVITY_KIND_MEMCPY2, "peer copies", false },
		{ CUPTI_ACTIVITY_KIND_MEMSET, "memsets", false },
		/* Code that CUPTI puts around kernels that may run beside others makes those of
		 * many blocks longer; a kernel at a time needs none (docs/as-gpus.md). */
		{ environment_long("WARPREEL_SERIAL_KERNELS", 0, 0, 1)
			  ? CUPTI_ACTIVITY_KIND_KERNEL
			  : CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
		  "kernels", true },
	};
	struct cupti *cupti = &recorder.cupti;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		CUptiResult result = cupti->cuptiActivityEnable(kinds[i].kind);

		if (result != CUPTI_SUCCESS && kinds[i].needed) {
			snprintf(why, why_bytes, "CUPTI will not record %s: %s", kinds[i].what,
				 cupti_text(cupti, result));
			return -1;
		}
		tried(result, kinds[i].what);
	}
	enable_calls();
	/* A poll that finds its event not ready orders nothing. */
	cupti->cuptiActivityEnableAllSyncRecords(0);
	if (environment_long("WARPREEL_EVENT_TIMES", 0, 0, 1))
		tried(cupti->cuptiActivityEnableCudaEventDeviceTimestamps(1), "event timestamps");
	return 0;
}

/* cudaDeviceReset takes a context's unread records with it. */
static void CUPTIAPI on_reset(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
			      const void *data)
{
	const CUpti_CallbackData *call = data;

	(void)user;
	(void)id;
	if (domain == CUPTI_CB_DOMAIN_RUNTIME_API && call->callbackSite == CUPTI_API_ENTER &&
	    atomic_load(&recorder.active))
		recorder.cupti.cuptiActivityFlushAll(0);
}

static int subscribe(char *why, size_t why_bytes)
{
	if (cupti_subscribe(&recorder.cupti, &recorder.subscriber, on_reset, NULL, why, why_bytes))
		return -1;
	for (uint32_t id = 1; id < recorder.runtime_count; id++)
		if (recorder.runtime_name[id] &&
		    strncmp(recorder.runtime_name[id], "cudaDeviceReset", 15) == 0)
			tried(recorder.cupti.cuptiEnableCallback(1, recorder.subscriber,
								 CUPTI_CB_DOMAIN_RUNTIME_API, id),
			      "flush at cudaDeviceReset");
	return 0;
}

int enable_start(char *why, size_t why_bytes)
{
	uint8_t zeroed = 1;
	size_t bytes = sizeof(zeroed);
	CUptiResult result;

	if (subscribe(why, why_bytes))
		return -1;
	recorder.system_tid = recorder.cupti.cuptiSetThreadIdType(
				      CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM) == CUPTI_SUCCESS;
	writer_meta(&recorder.writer, "thread_ids",
		    recorder.system_tid ? "gettid" : "pthread_self, low half");
	recorder.cupti.cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER,
						 &bytes, &zeroed);
	result = recorder.cupti.cuptiActivityRegisterCallbacks(pool_buffer_requested,
							       pool_buffer_completed);
	if (result != CUPTI_SUCCESS) {
		snprintf(why, why_bytes, "CUPTI takes no buffers: %s",
			 cupti_text(&recorder.cupti, result));
		return -1;
	}
	atomic_store(&recorder.active, true);
	return enable_kinds(why, why_bytes);
}
