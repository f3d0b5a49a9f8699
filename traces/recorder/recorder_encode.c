/* SPDX-License-Identifier: MIT
 * CUPTI's records into the spool's: one function a kind, and a table that names them. Runs on
 * CUPTI's worker thread or on the recorder's own, never between two calls of the program (except
 * when the program itself ends a thread or the process).
 *
 * Newer CUPTI releases only append fields to a record, so reading the structs of CUDA 13.0 through
 * cuptiActivityGetNextRecord, which knows the real sizes, is right for every 13.x.
 */
#include "recorder.h"

#include <stdlib.h>
#include <string.h>

/* Where records are packed to. Every spool record is no larger than the CUPTI record it is made
 * from, so it cannot overflow. */
struct packer {
	uint8_t *at;
	struct spool_queries
		*queries; /* the record before, when it is one that can grow; NULL = it is not */
	uint64_t count;
};

static void put(struct packer *packer, const void *record, size_t bytes)
{
	memcpy(packer->at, record, bytes);
	packer->at += bytes;
	packer->queries = NULL;
	packer->count++;
}

#define BEGIN(name) struct spool_##name out = { .type = SPOOL_TYPE_##name, .size = sizeof(out) }

/* Kernel names repeat: a small cache in front of the string table, checked by content because a
 * module can be unloaded. */
static uint32_t kernel_name(const char *name)
{
	static _Thread_local struct {
		const char *pointer;
		uint32_t id;
		char text[256];
	} cache[64];
	size_t slot = ((uintptr_t)name >> 4 ^ (uintptr_t)name >> 12) % 64;

	if (!name)
		return 0;
	if (cache[slot].pointer == name &&
	    strncmp(cache[slot].text, name, sizeof(cache[slot].text)) == 0)
		return cache[slot].id;
	cache[slot].pointer = NULL;
	if (strnlen(name, sizeof(cache[slot].text)) == sizeof(cache[slot].text))
		return writer_string(&recorder.writer, name);
	strcpy(cache[slot].text, name);
	cache[slot].id = writer_string(&recorder.writer, name);
	cache[slot].pointer = name;
	return cache[slot].id;
}

static void encode_kernel(struct packer *packer, const CUpti_Activity *activity)
{
	const CUpti_ActivityKernel10 *in = (const void *)activity;
	BEGIN(kernel);

	out.name = kernel_name(in->name);
	out.start_ns = in->start;
	out.end_ns = in->end;
	out.graph_node = in->graphNodeId;
	out.grid_id = in->gridId;
	out.device = in->deviceId;
	out.context = in->contextId;
	out.stream = in->streamId;
	out.correlation = in->correlationId;
	out.grid[0] = (uint32_t)in->gridX;
	out.grid[1] = (uint32_t)in->gridY;
	out.grid[2] = (uint32_t)in->gridZ;
	out.block[0] = (uint32_t)in->blockX;
	out.block[1] = (uint32_t)in->blockY;
	out.block[2] = (uint32_t)in->blockZ;
	out.static_shared_bytes = (uint32_t)in->staticSharedMemory;
	out.dynamic_shared_bytes = (uint32_t)in->dynamicSharedMemory;
	out.registers = in->registersPerThread;
	out.launch_type = in->launchType;
	put(packer, &out, sizeof(out));
}

static void encode_memcpy(struct packer *packer, const CUpti_Activity *activity)
{
	const CUpti_ActivityMemcpy6 *in = (const void *)activity;
	BEGIN(memcpy);

	out.copy_kind = in->copyKind;
	out.source_kind = in->srcKind;
	out.target_kind = in->dstKind;
	out.start_ns = in->start;
	out.end_ns = in->end;
	out.bytes = in->bytes;
	out.graph_node = in->graphNodeId;
	out.copies = in->copyCount;
	out.device = in->deviceId;
	out.context = in->contextId;
	out.stream = in->streamId;
	out.correlation = in->correlationId;
	out.source_device = out.target_device = SPOOL_NONE;
	put(packer, &out, sizeof(out));
}

static void encode_peer_copy(struct packer *packer, const CUpti_Activity *activity)
{
	const CUpti_ActivityMemcpyPtoP4 *in = (const void *)activity;
	BEGIN(memcpy);

	out.copy_kind = in->copyKind;
	out.source_kind = in->srcKind;
	out.target_kind = in->dstKind;
	out.peer = 1;
	out.start_ns = in->start;
	out.end_ns = in->end;
	out.bytes = in->bytes;
	out.graph_node = in->graphNodeId;
	out.copies = 1;
	out.device = in->deviceId;
	out.context = in->contextId;
	out.stream = in->streamId;
	out.correlation = in->correlationId;
	out.source_device = in->srcDeviceId;
	out.target_device = in->dstDeviceId;
	put(packer, &out, sizeof(out));
}

static void encode_memset(struct packer *packer, const CUpti_Activity *activity)
{
	const CUpti_ActivityMemset4 *in = (const void *)activity;
	BEGIN(memset);

	out.value = in->value;
	out.start_ns = in->start;
	out.end_ns = in->end;
	out.bytes = in->bytes;
	out.graph_node = in->graphNodeId;
	out.device = in->deviceId;
	out.context = in->contextId;
	out.stream = in->streamId;
	out.correlation = in->correlationId;
	out.mem_kind = in->memoryKind;
	put(packer, &out, sizeof(out));
}

/* The function's name, through a table by callback id that is filled as functions are first seen.
 */
static uint32_t api_name(const char *const *names, uint32_t *strings, uint32_t count, uint32_t id)
{
	if (id >= count || !names[id])
		return 0;
	uint32_t string = __atomic_load_n(&strings[id], __ATOMIC_RELAXED);

	if (!string) { /* two threads may both do this: they get the same number */
		string = writer_string(&recorder.writer, names[id]);
		__atomic_store_n(&strings[id], string, __ATOMIC_RELAXED);
	}
	return string;
}

/* Programs query ten times for each launch, and nobody wants to know when: calls in a row are one
 * record. */
static void encode_queries(struct packer *packer, const CUpti_ActivityAPI *in)
{
	BEGIN(queries);

	if (!packer->queries || packer->queries->tid != in->threadId) {
		out.tid = in->threadId;
		out.start_ns = in->start;
		put(packer, &out, sizeof(out));
		packer->queries = (struct spool_queries *)(void *)(packer->at - sizeof(out));
	}
	packer->queries->end_ns = in->end;
	packer->queries->ns += in->end > in->start ? in->end - in->start : 0;
	packer->queries->calls++;
}

static void encode_api(struct packer *packer, const CUpti_Activity *activity)
{
	const CUpti_ActivityAPI *in = (const void *)activity;
	BEGIN(api);

	if (in->kind == CUPTI_ACTIVITY_KIND_RUNTIME && in->cbid < recorder.runtime_count &&
	    recorder.runtime_queries[in->cbid]) {
		encode_queries(packer, in);
		return;
	}
	out.driver = in->kind == CUPTI_ACTIVITY_KIND_DRIVER;
	out.name = out.driver ? api_name(recorder.driver_name, recorder.driver_string,
					 recorder.driver_count, in->cbid)
			      : api_name(recorder.runtime_name, recorder.runtime_string,
					 recorder.runtime_count, in->cbid);
	out.start_ns = in->start;
	out.end_ns = in->end;
	out.tid = in->threadId;
	out.correlation = in->correlationId;
	out.return_value = in->returnValue;
	put(packer, &out, sizeof(out));
}

static void encode_sync(struct packer *packer, const CUpti_Activity *activity)
{
	const CUpti_ActivitySynchronization2 *in = (const void *)activity;
	BEGIN(sync);

	out.sync_type = in->type;
	out.start_ns = in->start;
	out.end_ns = in->end;
	out.event_sync_id = in->cudaEventSyncId;
	out.correlation = in->correlationId;
	out.context = in->contextId;
	out.stream = in->streamId;
	out.event_id = in->cudaEventId;
	out.return_value = in->returnValue;
	put(packer, &out, sizeof(out));
}

static void encode_event(struct packer *packer, const CUpti_Activity *activity)
{
	const CUpti_ActivityCudaEvent2 *in = (const void *)activity;
	BEGIN(event);

	out.device = in->deviceId;
	out.timestamp_ns = in->deviceTimestamp;
	out.event_sync_id = in->cudaEventSyncId;
	out.context = in->contextId;
	out.stream = in->streamId;
	out.correlation = in->correlationId;
	out.event_id = in->eventId;
	put(packer, &out, sizeof(out));
}

static void encode_overhead(struct packer *packer, const CUpti_Activity *activity)
{
	const CUpti_ActivityOverhead3 *in = (const void *)activity;
	BEGIN(overhead);

	out.kind = in->overheadKind;
	out.start_ns = in->start;
	out.end_ns = in->end;
	out.tid = in->objectKind == CUPTI_ACTIVITY_OBJECT_THREAD ? in->objectId.pt.threadId : 0;
	out.correlation = in->correlationId;
	put(packer, &out, sizeof(out));
}

static void encode_marker(struct packer *packer, const CUpti_Activity *activity)
{
	const CUpti_ActivityMarker2 *in = (const void *)activity;
	BEGIN(marker);

	out.flags =
		(in->flags & CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS ? SPOOL_MARKER_INSTANT : 0u) |
		(in->flags & CUPTI_ACTIVITY_FLAG_MARKER_START ? SPOOL_MARKER_START : 0u) |
		(in->flags & CUPTI_ACTIVITY_FLAG_MARKER_END ? SPOOL_MARKER_END : 0u);
	out.timestamp_ns = in->timestamp;
	out.id = in->id;
	out.tid = in->objectKind == CUPTI_ACTIVITY_OBJECT_THREAD ? in->objectId.pt.threadId : 0;
	out.text = writer_string(&recorder.writer, in->name);
	out.domain = writer_string(&recorder.writer, in->domain);
	put(packer, &out, sizeof(out));
}

static void encode_device(struct packer *packer, const CUpti_Activity *activity)
{
	const CUpti_ActivityDevice5 *in = (const void *)activity;
	BEGIN(device);

	out.device = in->id;
	out.memory_bytes = in->globalMemorySize;
	out.memory_bandwidth_bytes_per_s = in->globalMemoryBandwidth * 1000; /* CUPTI: kB/s */
	out.name = writer_string(&recorder.writer, in->name);
	out.l2_bytes = in->l2CacheSize;
	out.clock_khz = in->coreClockRate;
	out.sm_count = in->numMultiprocessors;
	out.copy_engines = in->numMemcpyEngines;
	out.compute_major = in->computeCapabilityMajor;
	out.compute_minor = in->computeCapabilityMinor;
	out.max_warps_per_sm = in->maxWarpsPerMultiprocessor;
	out.max_blocks_per_sm = in->maxBlocksPerMultiprocessor;
	out.max_threads_per_block = in->maxThreadsPerBlock;
	out.max_registers_per_sm = in->maxRegistersPerMultiprocessor;
	out.max_shared_per_sm_bytes = in->maxSharedMemoryPerMultiprocessor;
	memcpy(out.uuid, in->uuid.bytes, sizeof(out.uuid));
	put(packer, &out, sizeof(out));
}

static void encode_context(struct packer *packer, const CUpti_Activity *activity)
{
	const CUpti_ActivityContext3 *in = (const void *)activity;
	BEGIN(context);

	out.context = in->contextId;
	out.device = in->deviceId;
	out.null_stream = in->nullStreamId;
	put(packer, &out, sizeof(out));
}

static void encode_stream(struct packer *packer, const CUpti_Activity *activity)
{
	const CUpti_ActivityStream *in = (const void *)activity;
	BEGIN(stream);

	out.stream = in->streamId;
	out.context = in->contextId;
	out.flag = in->flag;
	out.priority = in->priority;
	out.correlation = in->correlationId;
	put(packer, &out, sizeof(out));
}

static void encode_name(struct packer *packer, const CUpti_Activity *activity)
{
	const CUpti_ActivityName *in = (const void *)activity;
	BEGIN(thread);

	if (in->objectKind != CUPTI_ACTIVITY_OBJECT_THREAD)
		return;
	out.tid = in->objectId.pt.threadId;
	out.name = writer_string(&recorder.writer, in->name);
	put(packer, &out, sizeof(out));
}

_Static_assert(sizeof(struct spool_kernel) <= sizeof(CUpti_ActivityKernel10) &&
		       sizeof(struct spool_memcpy) <= sizeof(CUpti_ActivityMemcpy6) &&
		       sizeof(struct spool_memcpy) <= sizeof(CUpti_ActivityMemcpyPtoP4) &&
		       sizeof(struct spool_memset) <= sizeof(CUpti_ActivityMemset4) &&
		       sizeof(struct spool_api) <= sizeof(CUpti_ActivityAPI) &&
		       sizeof(struct spool_queries) <= sizeof(CUpti_ActivityAPI) &&
		       sizeof(struct spool_sync) <= sizeof(CUpti_ActivitySynchronization2) &&
		       sizeof(struct spool_event) <= sizeof(CUpti_ActivityCudaEvent2) &&
		       sizeof(struct spool_overhead) <= sizeof(CUpti_ActivityOverhead3) &&
		       sizeof(struct spool_marker) <= sizeof(CUpti_ActivityMarker2) &&
		       sizeof(struct spool_device) <= sizeof(CUpti_ActivityDevice5) &&
		       sizeof(struct spool_context) <= sizeof(CUpti_ActivityContext3) &&
		       sizeof(struct spool_stream) <= sizeof(CUpti_ActivityStream) &&
		       sizeof(struct spool_thread) <= sizeof(CUpti_ActivityName),
	       "packing never grows a record");

typedef void encode_fn(struct packer *packer, const CUpti_Activity *activity);
static encode_fn *const encoder[CUPTI_ACTIVITY_KIND_COUNT] = {
	[CUPTI_ACTIVITY_KIND_KERNEL] = encode_kernel,
	[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL] = encode_kernel,
	[CUPTI_ACTIVITY_KIND_MEMCPY] = encode_memcpy,
	[CUPTI_ACTIVITY_KIND_MEMCPY2] = encode_peer_copy,
	[CUPTI_ACTIVITY_KIND_MEMSET] = encode_memset,
	[CUPTI_ACTIVITY_KIND_RUNTIME] = encode_api,
	[CUPTI_ACTIVITY_KIND_DRIVER] = encode_api,
	[CUPTI_ACTIVITY_KIND_SYNCHRONIZATION] = encode_sync,
	[CUPTI_ACTIVITY_KIND_CUDA_EVENT] = encode_event,
	[CUPTI_ACTIVITY_KIND_OVERHEAD] = encode_overhead,
	[CUPTI_ACTIVITY_KIND_MARKER] = encode_marker,
	[CUPTI_ACTIVITY_KIND_DEVICE] = encode_device,
	[CUPTI_ACTIVITY_KIND_CONTEXT] = encode_context,
	[CUPTI_ACTIVITY_KIND_STREAM] = encode_stream,
	[CUPTI_ACTIVITY_KIND_NAME] = encode_name,
};

/* Asked for once, so that no CUPTI function is called while records are packed. */
static uint32_t load_names(CUpti_CallbackDomain domain, uint32_t limit, const char ***names,
			   uint32_t **strings)
{
	*names = calloc(limit, sizeof(**names));
	*strings = calloc(limit, sizeof(**strings));
	if (!*names || !*strings)
		return 0;
	for (uint32_t id = 1; id < limit; id++)
		if (recorder.cupti.cuptiGetCallbackName(domain, id, &(*names)[id]) != CUPTI_SUCCESS)
			(*names)[id] = NULL;
	return limit;
}

/* Prefixes of CUPTI's names. */
static bool only_queries(const char *name)
{
	static const char *const querying[] = { "cudaGetDevice_",
						"cudaGetDeviceCount_",
						"cudaGetLastError_",
						"cudaPeekAtLastError_",
						"cudaDeviceGetAttribute_",
						"cudaStreamIsCapturing_",
						"cudaThreadExchangeStreamCaptureMode_" };

	return has_prefix(name, querying, sizeof(querying) / sizeof(querying[0]));
}

void encode_start(void)
{
	enum { LIMIT = 2048 }; /* above every callback id there is; larger ones get no name */

	recorder.runtime_count = load_names(CUPTI_CB_DOMAIN_RUNTIME_API, LIMIT,
					    &recorder.runtime_name, &recorder.runtime_string);
	recorder.driver_count = load_names(CUPTI_CB_DOMAIN_DRIVER_API, LIMIT, &recorder.driver_name,
					   &recorder.driver_string);
	recorder.runtime_queries = calloc(LIMIT, sizeof(*recorder.runtime_queries));
	if (!recorder.runtime_queries)
		recorder.runtime_count = 0;
	for (uint32_t id = 1; id < recorder.runtime_count; id++)
		recorder.runtime_queries[id] = only_queries(recorder.runtime_name[id]);
}

void encode_buffer(uint8_t *buffer, size_t valid_bytes)
{
	uint8_t *scratch = NULL;
	CUpti_Activity *activity = NULL;
	struct packer packer = { 0 };
	CUptiResult result;

	if (valid_bytes <= recorder.pool.buffer_bytes)
		scratch = atomic_exchange(&recorder.scratch, NULL);
	if (!scratch)
		scratch = malloc(valid_bytes > recorder.pool.buffer_bytes
					 ? valid_bytes
					 : recorder.pool.buffer_bytes);
	if (!scratch) {
		atomic_fetch_add(&recorder.undecodable, 1);
		return;
	}
	packer.at = scratch;
	while ((result = recorder.cupti.cuptiActivityGetNextRecord(buffer, valid_bytes,
								   &activity)) == CUPTI_SUCCESS) {
		encode_fn *encode = (uint32_t)activity->kind < CUPTI_ACTIVITY_KIND_COUNT
					    ? encoder[activity->kind]
					    : NULL;

		if (encode)
			encode(&packer, activity);
		else
			atomic_fetch_add_explicit(&recorder.unknown_kind, 1, memory_order_relaxed);
	}
	if (result != CUPTI_ERROR_MAX_LIMIT_REACHED)
		atomic_fetch_add(&recorder.undecodable, 1);
	if (packer.at > scratch)
		writer_append(&recorder.writer, SPOOL_RECORDS, scratch,
			      (size_t)(packer.at - scratch), NULL, 0);
	atomic_fetch_add(&recorder.writer.record_count, packer.count);
	if (valid_bytes <= recorder.pool.buffer_bytes)
		scratch = atomic_exchange(&recorder.scratch, scratch);
	free(scratch);
}
