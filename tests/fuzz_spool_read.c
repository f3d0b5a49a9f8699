/* SPDX-License-Identifier: MIT
 * Any bytes as a spool, and any bytes as the chunks of one whose checksums are right: read,
 * converted, checked, made into a schedule.
 */
#include "fuzz_kit.h"
#include "traces/check/trace_check.h"
#include "traces/load/schedule_from_trace.h"
#include "traces/spool/spool_crc.h"
#include "traces/spool/spool_read.h"

enum { MOST_CHUNKS = 16, WHOLE = 'W' };

/* The first byte of each chunk is its kind, the next two its length; serial numbers go up. */
static size_t make_chunks(struct fuzz_bytes *b, uint8_t *out)
{
	struct spool_crc crc;
	size_t bytes = 0;

	spool_crc_init(&crc);
	for (uint32_t serial = 0; serial < MOST_CHUNKS && b->left > 3; serial++) {
		const uint8_t kind = fuzz_byte(b);
		size_t length = (size_t)fuzz_byte(b) << 8;
		struct spool_chunk head = { .magic = SPOOL_MAGIC,
					    .version = SPOOL_VERSION,
					    .kind = kind & 7,
					    .pid = 4711,
					    .serial = serial + (kind >> 6) };

		length |= fuzz_byte(b);
		length = length < b->left ? length : b->left;
		head.bytes = (uint32_t)length;
		head.crc32 = spool_crc_add(&crc, spool_crc_add(&crc, 0, &head, sizeof(head)), b->at,
					   length);
		memcpy(out + bytes, &head, sizeof(head));
		memcpy(out + bytes + sizeof(head), b->at, length);
		bytes += sizeof(head) + length;
		b->at += length;
		b->left -= length;
	}
	return bytes;
}

static void use(const void *data, size_t size)
{
	struct trace_anomaly anomaly[TRACE_ANOMALY_MAX];
	struct schedule schedule;
	struct spool spool;
	struct trace trace;
	int64_t incomplete;

	if (spool_read_bytes(&spool, data, size, "fuzz")) {
		spool_release(&spool);
		return;
	}
	trace_init(&trace);
	spool_convert(&trace, &spool);
	trace_check(&trace, anomaly, &incomplete);
	schedule_init(&schedule);
	schedule_from_trace(&schedule, &trace, -1);
	schedule_release(&schedule);
	trace_release(&trace);
	spool_release(&spool);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes b = { data, size };
	uint8_t *made;
	size_t bytes;

	if (!size || data[0] != WHOLE) {
		use(data, size);
		return 0;
	}
	fuzz_byte(&b);
	made = malloc(size + MOST_CHUNKS * sizeof(struct spool_chunk));
	if (!made)
		abort();
	bytes = make_chunks(&b, made);
	use(made, bytes);
	free(made);
	return 0;
}
