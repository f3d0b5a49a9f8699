/* SPDX-License-Identifier: MIT
 * A spool in memory, and the steps from it to a trace. What cannot be read or paired is counted,
 * never guessed.
 */
#ifndef WARPREEL_SPOOL_READ_H
#define WARPREEL_SPOOL_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "spool.h"
#include "traces/format/trace.h"

struct spool {
#define SPOOL_ARRAY(name, number)                                                                  \
	struct spool_##name *name;                                                                 \
	size_t name##_count, name##_capacity;
	SPOOL_TYPES(SPOOL_ARRAY)
#undef SPOOL_ARRAY
	uint32_t *first_access; /* of each footprint: index into access */
	size_t first_access_capacity;
	struct spool_cubin {
		uint64_t crc;
		size_t bytes;
		unsigned char *data;
	} * cubin;
	size_t cubin_count, cubin_capacity;
	char **string; /* by id; NULL where the text was lost */
	size_t string_count;
	uint32_t pid;
	bool ended; /* the end mark is there */
	size_t bytes, chunk_count;
	uint64_t damaged_chunks;  /* the checksum does not fit */
	uint64_t missing_chunks;  /* gaps in the serial numbers */
	uint64_t truncated_bytes; /* an incomplete chunk at the end */
	uint64_t skipped_bytes;	  /* no chunk, in the middle */
	uint64_t bad_records;	  /* of impossible size */
	uint64_t unknown_records; /* of a type this reader does not know */
};

/* -1 after a message when `path` cannot be read or is no spool at all. Any later damage is counted
 * in the spool. */
int spool_read(struct spool *spool, const char *path);
int spool_read_bytes(struct spool *spool, const void *data, size_t bytes, const char *path);
void spool_release(struct spool *spool);
const char *spool_text(const struct spool *spool, uint32_t id); /* "" when unknown */

/*
 * The calls of the program, without the driver calls that the runtime makes beneath its own (they
 * are in the spool because a program may call the driver itself), each with how many query
 * calls (cudaGetDevice, cudaGetLastError) its thread made before it: the spool has no more of
 * these, of which some programs make ten for each launch. A correlation id of a call that was left
 * out leads to the call above it.
 */
struct spool_calls {
	struct spool_api *call; /* by thread, then start */
	struct queries_before {
		uint64_t calls, ns;
	} * before; /* by call: what its thread queried since its call before */
	size_t count;
	uint64_t query_count;	  /* by all threads, also those who made no call after */
	uint32_t *by_correlation; /* indices into call, ascending correlation */
	struct {
		uint32_t from, to;
	} * moved; /* ascending from */
	size_t moved_count;
};
void spool_calls_make(struct spool_calls *calls, const struct spool *spool);
void spool_calls_release(struct spool_calls *calls);
uint32_t spool_calls_correlation(const struct spool_calls *calls,
				 uint32_t correlation); /* of the program's own call */
const struct spool_api *spool_calls_find(const struct spool_calls *calls,
					 uint32_t correlation); /* NULL: no such call */
/* A call that puts a kernel on a stream; `graphs`: or a graph. */
bool spool_is_launch(const char *name, bool graphs);

/* A loss row of the trace; nothing when count is 0. */
void spool_lose(struct trace *trace, const char *kind, uint64_t count, const char *detail);
/* What is missing in the file itself. */
void spool_lose_damage(struct trace *trace, const struct spool *spool);
/* CUPTI's ids and times to the trace's: unknown is -1. */
int32_t spool_id(uint32_t id);
int64_t spool_ns(uint64_t ns);

/* spool_pair.c: event records and the waits for them, joined by numbers that are unique in the
 * trace. */
void spool_pair_events(struct trace *trace, const struct spool *spool,
		       const struct spool_calls *calls);
/* spool_notes.c: host operations, runs, NVTX ranges, and each footprint with the launch it belongs
 * to. */
void spool_convert_notes(struct trace *trace, const struct spool *spool,
			 const struct spool_calls *calls);
/* spool_blocks.c: blocks of instrumented kernels, each launch with the kernel it was. */
void spool_convert_blocks(struct trace *trace, const struct spool *spool,
			  const struct spool_calls *calls);
/* spool_machine.c: GPUs, links, clocks, and what the clocks of the GPUs say of each other. */
void spool_convert_machine(struct trace *trace, const struct spool *spool);
/* spool_skew.c: bounds on the difference between GPU clocks, from waits that cross GPUs in both
 * directions. */
void spool_measure_skew(struct trace *trace);
/* spool_name.c: `demangled` and `brief` are the caller's. */
void spool_name(const char *mangled, char **demangled, char **brief);

/* The whole conversion. -1 after a message. `trace` must be initialised. */
int spool_to_trace(struct trace *trace, const char *path);
void spool_convert(struct trace *trace,
		   struct spool *spool); /* moves the times in `spool` to the session's zero */

#endif
