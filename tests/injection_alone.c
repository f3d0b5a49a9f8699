/* SPDX-License-Identifier: MIT
 * CUPTI alone: a library to inject (CUDA_INJECTION64_PATH) that asks for the records the recorder
 * asks for and does nothing with them. What a program loses under it, it would lose under any
 * tracer that is built on CUPTI's activity records; `make recorder-cost` runs it beside the
 * recorder. Its environment:
 *
 *     ALONE_KINDS    what to ask for, names of `kinds` below separated by commas; default: all that
 *                    the recorder asks for
 *     ALONE_OUT      a file for the kernels, in the order of their buffers: begin and end in
 *                    ns, blocks, threads a block, dynamic shared bytes, registers, name
 */
#include <cupti.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 1 << 20 };

static FILE *out;
static size_t dropped;

static bool asked(const char *name)
{
	const char *list = getenv("ALONE_KINDS");
	size_t length = strlen(name);

	if (!list)
		return strcmp(name, "serial") && strcmp(name, "hardware") &&
		       strcmp(name, "latency");
	for (const char *at = list; (at = strstr(at, name)); at += length)
		if ((at == list || at[-1] == ',') && (!at[length] || at[length] == ','))
			return true;
	return false;
}

static void tell(CUptiResult result, const char *what)
{
	const char *text = "?";

	if (result == CUPTI_SUCCESS)
		return;
	cuptiGetResultString(result, &text);
	fprintf(stderr, "alone: %s: %s\n", what, text);
}

static void CUPTIAPI requested(uint8_t **buffer, size_t *bytes, size_t *records)
{
	void *memory = NULL;

	*records = 0;
	*bytes = posix_memalign(&memory, 8, BUFFER_BYTES) ? 0 : BUFFER_BYTES;
	*buffer = memory;
}

static void write_kernels(uint8_t *buffer, size_t valid)
{
	CUpti_Activity *at = NULL;

	while (cuptiActivityGetNextRecord(buffer, valid, &at) == CUPTI_SUCCESS) {
		const CUpti_ActivityKernel10 *k = (const void *)at;

		if (at->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL &&
		    at->kind != CUPTI_ACTIVITY_KIND_KERNEL)
			continue;
		fprintf(out, "%llu\t%llu\t%lld\t%d\t%d\t%d\t%s\n", (unsigned long long)k->start,
			(unsigned long long)k->end, (long long)k->gridX * k->gridY * k->gridZ,
			k->blockX * k->blockY * k->blockZ, k->dynamicSharedMemory,
			k->registersPerThread, k->name);
	}
}

static void CUPTIAPI completed(CUcontext context, uint32_t stream, uint8_t *buffer, size_t bytes,
			       size_t valid)
{
	(void)context;
	(void)stream;
	(void)bytes;
	if (out && valid)
		write_kernels(buffer, valid);
	free(buffer);
}

static void finish(void)
{
	tell(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "flush");
	cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped);
	if (dropped)
		fprintf(stderr, "alone: %zu records dropped\n", dropped);
	if (out)
		fclose(out);
	out = NULL;
}

static void watch_driver(void)
{
	static const char *const work[] = {
		"cuLaunch",	     "cuGraphLaunch",	    "cuMemcpy",		  "cuMemset",
		"cuCtxSynchronize",  "cuStreamSynchronize", "cuEventSynchronize", "cuEventRecord",
		"cuStreamWaitEvent", "cuMemPrefetch",
	};

	for (uint32_t id = 1; id < CUPTI_DRIVER_TRACE_CBID_SIZE; id++) {
		const char *name = NULL;

		if (cuptiGetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, id, &name) != CUPTI_SUCCESS ||
		    !name)
			continue;
		for (size_t i = 0; i < sizeof(work) / sizeof(work[0]); i++)
			if (!strncmp(name, work[i], strlen(work[i])))
				cuptiActivityEnableDriverApi(id, 1);
	}
}

static const struct {
	const char *name;
	CUpti_ActivityKind kind;
} kinds[] = {
	{ "device", CUPTI_ACTIVITY_KIND_DEVICE },
	{ "context", CUPTI_ACTIVITY_KIND_CONTEXT },
	{ "stream", CUPTI_ACTIVITY_KIND_STREAM },
	{ "name", CUPTI_ACTIVITY_KIND_NAME },
	{ "marker", CUPTI_ACTIVITY_KIND_MARKER },
	{ "overhead", CUPTI_ACTIVITY_KIND_OVERHEAD },
	{ "sync", CUPTI_ACTIVITY_KIND_SYNCHRONIZATION },
	{ "event", CUPTI_ACTIVITY_KIND_CUDA_EVENT },
	{ "memcpy", CUPTI_ACTIVITY_KIND_MEMCPY },
	{ "memcpy", CUPTI_ACTIVITY_KIND_MEMCPY2 },
	{ "memset", CUPTI_ACTIVITY_KIND_MEMSET },
	{ "kernel", CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL },
	{ "serial", CUPTI_ACTIVITY_KIND_KERNEL },
	{ "runtime", CUPTI_ACTIVITY_KIND_RUNTIME },
};

static void CUPTIAPI nothing(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
			     const void *data)
{
	(void)user;
	(void)domain;
	(void)id;
	(void)data;
}

__attribute__((visibility("default"))) int InitializeInjection(void);
int InitializeInjection(void)
{
	const char *path = getenv("ALONE_OUT");
	CUpti_SubscriberHandle subscriber;
	uint32_t version = 0;

	if (path && *path)
		out = fopen(path, "w");
	cuptiGetVersion(&version);
	fprintf(stderr, "alone: CUPTI %u\n", version);
	tell(cuptiSubscribe(&subscriber, nothing, NULL), "subscribe");
	cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
	tell(cuptiActivityRegisterCallbacks(requested, completed), "buffers");
	if (asked("latency"))
		tell(cuptiActivityEnableLatencyTimestamps(1), "latency timestamps");
	if (asked("hardware"))
		tell(cuptiActivityEnableHWTrace(1), "hardware trace");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (asked(kinds[i].name))
			tell(cuptiActivityEnable(kinds[i].kind), kinds[i].name);
	if (asked("driver"))
		watch_driver();
	cuptiActivityEnableAllSyncRecords(0);
	atexit(finish);
	return 1;
}
