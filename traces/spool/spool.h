/* SPDX-License-Identifier: MIT
 * The spool: what the recorder leaves behind, one file a process, and the contract between
 * libwarpreel-recorder.so (the only code that includes cupti.h) and spool_to_trace.c (which must
 * build where there is no CUDA at all).
 *
 * A spool is a row of chunks, each written by one write(). Little-endian, as every machine with
 * CUDA is. A chunk of strings always precedes the first record that names one of them, so a spool
 * cut off anywhere is readable up to the cut.
 *
 * Why not CUPTI's buffers as they are: their kernel and marker records hold pointers to names,
 * which mean nothing once the process is gone, and their layout changes with every release. So each
 * record is visited once, on CUPTI's own worker thread, and its fields are packed into the records
 * below (a kernel: 216 bytes -> 96).
 *
 * Times are nanoseconds on CUPTI's clock (Linux: since 1970; the trace counts from the session's
 * start); 0 = CUPTI could not say. Ids are CUPTI's, 0xffffffff = does not apply.
 */
#ifndef WARPREEL_SPOOL_H
#define WARPREEL_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#define SPOOL_MAGIC 0x50535257u /* "WRSP" */
#define SPOOL_VERSION 1u
#define SPOOL_NONE UINT32_MAX
enum { SPOOL_CHUNK_MAX_BYTES = 64 << 20 };

enum spool_chunk_kind {
	SPOOL_STRINGS = 1, /* uint32 id, uint32 bytes, the text without a final zero; repeated */
	SPOOL_RECORDS = 2, /* records, one after the other */
	SPOOL_END = 3,	   /* the process ended in order: nothing is missing after this */
	SPOOL_CUBIN = 4,   /* uint64 CUPTI's checksum of it, then the machine code of a module as it
			      was loaded (an ELF file) */
};
struct spool_chunk { /* 24 bytes, then `bytes` of payload */
	uint32_t magic;
	uint16_t version, kind;
	uint32_t bytes;
	uint32_t crc32; /* of the header with this field zero, then the payload */
	uint32_t pid;
	uint32_t serial; /* counts from 0: a gap is a lost chunk */
};

/* Every record begins with its type and its size in bytes (a multiple of 8), then one 32-bit field
 * of its own. */
struct spool_record {
	uint16_t type, size;
	uint32_t first;
};

/* X(name, number): record type SPOOL_TYPE_<name> is laid out as struct spool_<name>. */
/* clang-format off */
#define SPOOL_TYPES(X) \
	X(kernel, 1) X(memcpy, 2) X(memset, 3) X(api, 4) X(sync, 5) X(event, 6) \
	X(overhead, 7) X(marker, 8) X(device, 9) X(context, 10) X(stream, 11) \
	X(thread, 12) X(meta, 13) X(loss, 14) X(time, 15) X(gpu, 16) X(link, 17) \
	X(clock, 18) X(run, 19) X(host_op, 20) X(footprint, 21) X(access, 22) \
	X(profile_shape, 23) X(profile_pass, 24) X(profile_instruction, 25) \
	X(profile_counter, 26) X(blocks, 27) X(block, 28) X(queries, 29) \
	X(virtual_gpu, 30) X(collective, 31) X(message, 32) X(core, 33)
/* clang-format on */
enum spool_type {
#define SPOOL_TYPE(name, number) SPOOL_TYPE_##name = number,
	SPOOL_TYPES(SPOOL_TYPE)
#undef SPOOL_TYPE
		SPOOL_TYPE_LIMIT = 34
};

enum { SPOOL_MARKER_INSTANT = 1, SPOOL_MARKER_START = 2, SPOOL_MARKER_END = 4 };
enum { SPOOL_TIME_START, SPOOL_TIME_DURING, SPOOL_TIME_END };

/* Notes are all of one size, so that a thread's notes are a ring of slots: host_op, footprint,
 * access, collective, message. */
enum { SPOOL_NOTE_BYTES = 64 };

struct spool_access_of {
	uint32_t buffer, mode;
	int64_t offset_bytes, bytes;
};

/* The records: struct spool_kernel, spool_api, ... */
#define RECORDED(table, record, ...)                                                               \
	struct spool_##record {                                                                    \
		uint16_t type, size;
#define BOTH(table, type, ...) type BOTH_FIELD(__VA_ARGS__);
#define BOTH3(table, type, ...) type BOTH_FIELD(__VA_ARGS__)[3];
#define BOTH_FIELD(type, field, ...) field
#define SPOOLED(record, type, field) type field;
#define END_RECORDED(table)                                                                        \
	}                                                                                          \
	;
#define SPOOL(record)                                                                              \
	struct spool_##record {                                                                    \
		uint16_t type, size;
#define END_SPOOL(record)                                                                          \
	}                                                                                          \
	;
/* clang-format off */
#include "traces/format/records.def"
#define SPOOLED(record, type, field) type field;
#include "spool_records.def"
/* clang-format on */
#undef BOTH_FIELD

_Static_assert(sizeof(struct spool_chunk) == 24, "chunk header");
_Static_assert(sizeof(struct spool_kernel) == 96 && sizeof(struct spool_memcpy) == 72 &&
		       sizeof(struct spool_api) == 40 && sizeof(struct spool_queries) == 40,
	       "records are packed without holes");
_Static_assert(sizeof(struct spool_profile_shape) % 8 == 0 &&
		       sizeof(struct spool_profile_pass) == 24 &&
		       sizeof(struct spool_profile_instruction) == 40 &&
		       sizeof(struct spool_profile_counter) == 24 &&
		       sizeof(struct spool_blocks) == 32 && sizeof(struct spool_block) == 48,
	       "records are multiples of 8 bytes");
_Static_assert(sizeof(struct spool_host_op) == SPOOL_NOTE_BYTES &&
		       sizeof(struct spool_footprint) == SPOOL_NOTE_BYTES &&
		       sizeof(struct spool_access) == SPOOL_NOTE_BYTES &&
		       sizeof(struct spool_collective) == SPOOL_NOTE_BYTES &&
		       sizeof(struct spool_message) == SPOOL_NOTE_BYTES,
	       "notes are slots of one size");

#endif
