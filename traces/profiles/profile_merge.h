/* SPDX-License-Identifier: MIT
 * From what profiling left in spools to the profile tables of a trace. A launch shape is measured
 * over several launches, runs and processes: shapes that agree in symbol, grid, block, dynamic
 * shared memory, kernel, path and steps are one profile.
 */
#ifndef WARPREEL_PROFILE_MERGE_H
#define WARPREEL_PROFILE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "disassembly.h"
#include "traces/spool/spool_read.h"
#include "traces/format/trace.h"

enum { METRICS_MAX = 64 }; /* numbered as in the spool: the order of profile_metrics.def */

struct merged_count {
	uint32_t function, metric, offset;
	uint64_t cubin_crc, value;
}; /* function: string of the trace */
struct merged_shape {
	uint32_t symbol, kernel; /* strings of the trace; kernel 0: unknown */
	uint32_t grid[3], block[3], dynamic_shared_bytes, static_shared_bytes, registers;
	int32_t path, steps;
	uint32_t compute_major, compute_minor;
	int64_t rows, columns, points;
	uint64_t measured,
		expected; /* metrics: with a value; asked for by some pass, done or not */
	int64_t counter[METRICS_MAX];
	struct merged_count *count;
	size_t count_count, count_capacity;
};
struct profile_merge {
	struct trace *trace; /* its strings, losses and description */
	/* For counters of the launch, and for counts of instructions: */
	bool asked[2];
	bool whole[2]; /* a run made each of its passes, of whatever launch */
	struct merged_shape *shape;
	size_t shape_count, shape_capacity;
	struct merged_module {
		uint64_t crc;
		size_t bytes;
		unsigned char *data;
		struct disassembly code;
	} * module;
	size_t module_count, module_capacity;
};

/* Metrics of a kind that every launch should have: those that some launch has, since a device need
 * not have all; where no run came through its passes, all that were asked for. */
uint64_t profile_merge_expected(const struct profile_merge *merge, bool of_instructions);
void profile_merge_init(struct profile_merge *merge, struct trace *trace);
void profile_merge_release(struct profile_merge *merge);
/* Adds a spool; what it lacks is counted in the trace. Takes its modules. */
void profile_merge_add(struct profile_merge *merge, struct spool *spool);
/* Reads listings of the modules instead of running `tool`: for tests. */
typedef int disassemble_fn(struct disassembly *code, const char *tool, const void *cubin,
			   size_t bytes);
/* Writes the tables. -1 after a message when the code of a module cannot be read. */
int profile_merge_write(struct profile_merge *merge, const char *tool, disassemble_fn *disassemble);

#endif
