/* SPDX-License-Identifier: MIT
 * What the tests of spools share: a spool built as the recorder would write it, and its way to a
 * trace.
 */
#ifndef WARPREEL_SPOOL_KIT_H
#define WARPREEL_SPOOL_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "traces/spool/spool_crc.h"
#include "traces/spool/spool_read.h"
#include "traces/base/util.h"

enum { PID = 4711, START_NS = 1000000 };
enum {
	LAUNCH = 1,
	RECORD,
	WAIT,
	CU_LAUNCH,
	KERNEL_A,
	KERNEL_B,
	TEXT,
	SOLVER,
	CONFIG,
	BEGIN_CAPTURE,
	END_CAPTURE,
	COPY
};

/* A spool as the recorder would write it. */
struct builder {
	unsigned char *data, *payload;
	size_t bytes, payload_bytes;
	uint32_t serial;
	size_t chunk_at[64]; /* where each chunk begins, and the end */
};

static inline void put_chunk(struct builder *builder, enum spool_chunk_kind kind,
			     const void *payload, size_t bytes)
{
	struct spool_crc crc;
	struct spool_chunk head = { .magic = SPOOL_MAGIC,
				    .version = SPOOL_VERSION,
				    .kind = (uint16_t)kind,
				    .bytes = (uint32_t)bytes,
				    .pid = PID,
				    .serial = builder->serial };

	spool_crc_init(&crc);
	head.crc32 =
		spool_crc_add(&crc, spool_crc_add(&crc, 0, &head, sizeof(head)), payload, bytes);
	builder->data = xrealloc(builder->data, builder->bytes + sizeof(head) + bytes, 1);
	memcpy(builder->data + builder->bytes, &head, sizeof(head));
	memcpy(builder->data + builder->bytes + sizeof(head), payload, bytes);
	assert_true(builder->serial < 63);
	builder->chunk_at[builder->serial++] = builder->bytes;
	builder->bytes += sizeof(head) + bytes;
	builder->chunk_at[builder->serial] = builder->bytes;
}

static inline void put(struct builder *builder, const void *record, size_t bytes)
{
	builder->payload = xrealloc(builder->payload, builder->payload_bytes + bytes, 1);
	memcpy(builder->payload + builder->payload_bytes, record, bytes);
	builder->payload_bytes += bytes;
}

static inline void end_records(struct builder *builder)
{
	put_chunk(builder, SPOOL_RECORDS, builder->payload ? (void *)builder->payload : "",
		  builder->payload_bytes);
	builder->payload_bytes = 0;
}

#define PUT(builder, name, ...)                                                                    \
	do {                                                                                       \
		struct spool_##name record_ = { .type = SPOOL_TYPE_##name,                         \
						.size = sizeof(record_),                           \
						__VA_ARGS__ };                                     \
		put((builder), &record_, sizeof(record_));                                         \
	} while (0)

/* One of the strings of a chunk. */
static inline void put_text(struct builder *builder, uint32_t id, const char *text)
{
	uint32_t head[2] = { id, (uint32_t)strlen(text) };

	put(builder, head, sizeof(head));
	put(builder, text, head[1]);
}

static inline void begin(struct builder *builder)
{
	static const struct {
		uint32_t id;
		const char *text;
	} strings[] = {
		{ LAUNCH, "cudaLaunchKernel_v7000" },
		{ RECORD, "cudaEventRecord_v3020" },
		{ WAIT, "cudaStreamWaitEvent_v3020" },
		{ CU_LAUNCH, "cuLaunchKernel" },
		{ KERNEL_A, "_ZN4rbsN5sweepIfEEvPT_" },
		{ KERNEL_B, "plain_kernel" },
		{ TEXT, "phase" },
		{ SOLVER, "rbsor" },
		{ CONFIG, "size=64x64" },
		{ BEGIN_CAPTURE, "cudaStreamBeginCapture_v10000" },
		{ END_CAPTURE, "cudaStreamEndCapture_v10000" },
		{ COPY, "cudaMemcpyPeerAsync_v4000" },
	};

	memset(builder, 0, sizeof(*builder));
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		put_text(builder, strings[i].id, strings[i].text);
	put_chunk(builder, SPOOL_STRINGS, builder->payload, builder->payload_bytes);
	builder->payload_bytes = 0;
	PUT(builder, time, .when = SPOOL_TIME_START, .cupti_ns = START_NS, .monotonic_ns = 10,
	    .realtime_ns = START_NS);
	end_records(builder);
}

static inline void end(struct builder *builder)
{
	put_chunk(builder, SPOOL_END, "", 0);
}

static inline void release(struct builder *builder)
{
	free(builder->data);
	free(builder->payload);
}

/* Converts what was built; the caller releases the trace. */
static inline void convert(struct builder *builder, struct trace *trace)
{
	struct spool spool;

	trace_init(trace);
	assert_int_equal(spool_read_bytes(&spool, builder->data, builder->bytes, "built"), 0);
	spool_convert(trace, &spool);
	spool_release(&spool);
}

/* The end of a spool of records: converted and released; the caller releases the trace. */
static inline void finish(struct builder *builder, struct trace *trace)
{
	end_records(builder);
	end(builder);
	convert(builder, trace);
	release(builder);
}

static inline void put_call(struct builder *builder, uint32_t name, uint32_t tid, uint64_t start_ns,
			    uint64_t end_ns, uint32_t correlation)
{
	PUT(builder, api, .name = name, .tid = tid, .start_ns = START_NS + start_ns,
	    .end_ns = START_NS + end_ns, .correlation = correlation, .driver = name == CU_LAUNCH);
}

static inline void put_kernel(struct builder *builder, uint32_t device, uint64_t start_ns,
			      uint64_t end_ns, uint32_t correlation)
{
	PUT(builder, kernel, .name = KERNEL_A, .start_ns = START_NS + start_ns,
	    .end_ns = START_NS + end_ns, .device = device, .context = device + 1, .stream = 7,
	    .correlation = correlation, .grid = { 4, 2, 1 }, .block = { 32, 8, 1 },
	    .registers = 40);
}

#endif
