/* SPDX-License-Identifier: MIT
 * A trace in memory. On disk it is SQLite in the tables and columns of the Nsight Systems SQLite
 * export (schema 3.16.1 as the base; later columns optional) plus our own tables under the prefix
 * WARPREEL_, optionally zstd-compressed (.zst). docs/warpreel-trace.5 is the data dictionary; this
 * struct is the same thing in C.
 *
 * Times are int64 nanoseconds on the trace's clock (CUPTI's, zero = session start for exports).
 * Unknown is -1. Names are indices into `string`. All arrays are owned by the trace and freed by
 * trace_release.
 */
#ifndef WARPREEL_TRACE_H
#define WARPREEL_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "traces/schedule/schedule.h"

#define WARPREEL_TRACE_VERSION 1
#define WARPREEL_PROFILE_VERSION                                                                   \
	1 /* trace_profile.version: what the counts of a kernel profile mean */
#define NSYS_SCHEMA_VERSION "3.16.1"

struct trace_kernel {		  /* CUPTI_ACTIVITY_KIND_KERNEL */
	int64_t start_ns, end_ns; /* -1: the tracer could not say */
	int32_t device, context, stream;
	int64_t correlation; /* within a process */
	int64_t global_pid;
	uint32_t demangled_name, short_name; /* string indices */
	uint32_t grid[3], block[3];
	uint32_t static_shared_bytes, dynamic_shared_bytes, registers;
	int64_t graph_node; /* -1 none */
	int64_t grid_id;
};
struct trace_memcpy { /* CUPTI_ACTIVITY_KIND_MEMCPY; PtoP rows carry source and target device */
	int64_t start_ns, end_ns;
	int32_t device, context, stream;
	int64_t correlation, global_pid, bytes;
	int32_t copy_kind;		  /* Nsight's: 1 HtoD, 2 DtoH, 8 DtoD, 9 HtoH, 10 PtoP */
	int32_t source_kind, target_kind; /* 0 pageable, 1 pinned, 2 device, 3 array, 4 managed */
	int32_t source_device, target_device; /* -1 = host */
	int64_t graph_node;
};
struct trace_memset {
	int64_t start_ns, end_ns;
	int32_t device, context, stream;
	int64_t correlation, global_pid, bytes;
	uint32_t value;
	int32_t mem_kind;
};
struct trace_api { /* CUPTI_ACTIVITY_KIND_RUNTIME: runtime and driver calls */
	int64_t start_ns, end_ns;
	int64_t global_tid, correlation;
	uint32_t name;	     /* with version suffix, e.g. cudaLaunchKernel_v7000 */
	int32_t event_class; /* 0 runtime, 1 driver (Nsight: eventClass) */
	int32_t return_value;
	uint32_t asked; /* calls of its thread since the one before that only asked (cudaGetDevice)
			   and have no rows */
	int64_t asked_ns; /* their durations together */
};
struct trace_sync { /* CUPTI_ACTIVITY_KIND_SYNCHRONIZATION */
	int64_t start_ns, end_ns;
	int32_t device, context, stream;
	int64_t correlation, global_pid;
	int32_t sync_type; /* 1 event sync, 2 stream-wait-event, 3 stream sync, 4 context sync */
	int64_t event_id, event_sync_id; /* -1 none; event_sync_id joins a wait to ONE record (ids
					    are reused, it is not) */
};
struct trace_event { /* CUPTI_ACTIVITY_KIND_CUDA_EVENT: a record */
	int32_t device, context, stream;
	int64_t correlation, global_pid, event_id, event_sync_id;
	int64_t timestamp_ns; /* -1 unknown */
};
struct trace_overhead { /* CUPTI_ACTIVITY_KIND_OVERHEAD */
	int64_t start_ns, end_ns;
	int32_t kind;
	int64_t global_tid;
};
struct trace_nvtx {
	int64_t start_ns, end_ns;
	uint32_t text;
	int64_t global_tid;
};
struct trace_gpu { /* TARGET_INFO_GPU */
	int32_t device;
	uint32_t name, bus_location;
	int64_t memory_bytes, memory_bandwidth_bytes_per_s, l2_bytes, clock_khz, memory_clock_khz;
	int32_t sm_count, copy_engines, compute_major, compute_minor, max_warps_per_sm,
		max_blocks_per_sm, max_threads_per_block, max_registers_per_sm,
		max_shared_per_sm_bytes;
};
struct trace_thread {
	int64_t global_tid;
	uint32_t name;
}; /* ThreadNames */

/* our own tables */
struct trace_meta {
	uint32_t key, value;
}; /* WARPREEL_META: command, driver, cupti, date, host, kind = recorded|predicted ... */
struct trace_link {
	int32_t from_device, to_device;
	uint32_t kind;
	int64_t bytes_per_s;
}; /* WARPREEL_LINK; -1 = host */
struct trace_clock {
	int64_t at_ns;
	int32_t device;
	int64_t sm_khz, memory_khz, skew_ns;
};		       /* WARPREEL_CLOCK */
struct trace_host_op { /* WARPREEL_HOST_OP: posts, awaits, barriers, marks of our host threads */
	int64_t start_ns, end_ns, global_tid;
	int32_t kind; /* enum note_host_kind */
	uint32_t object;
	int64_t value;
};
struct trace_footprint { /* WARPREEL_FOOTPRINT: one row an access of a launch; joined by
			    (global_tid's pid, correlation) */
	int64_t correlation, global_pid;
	uint32_t kernel; /* string: what our drivers call it, e.g. rbsor_tuned_f32 */
	int64_t rows, columns, points, dram_bytes,
		resident_bytes; /* repeated on each row of a launch */
	uint32_t buffer, mode;
	int64_t offset_bytes, bytes;
	int32_t path, steps; /* struct launch_geometry; -1 = unknown */
};
struct trace_run {
	int64_t start_ns, end_ns;
	uint32_t solver, config;
	int32_t gpus;
}; /* WARPREEL_RUN; end -1: never ended */
struct trace_loss {
	uint32_t kind;
	int64_t count;
	uint32_t detail;
}; /* WARPREEL_LOSS: dropped records, zero timestamps, orphans, truncated spool ... */
struct trace_prediction {
	uint32_t key;
	double value;
	uint32_t unit;
}; /* WARPREEL_PREDICTION: core_us, core_lo_us, ... of a predicted trace */

/*
 * Kernel profiles (traces/profiles/kernel_profile.h has them joined). Counts are of one launch,
 * over its whole grid; -1 = not measured.
 */
struct trace_profile {	 /* WARPREEL_PROFILE: one row a profiled launch shape */
	int64_t id;	 /* within the trace */
	int32_t version; /* WARPREEL_PROFILE_VERSION */
	uint32_t kernel, symbol,
		isa; /* strings: as our drivers call it, else the symbol; mangled name; "sm_90" */
	int32_t path, steps; /* struct launch_geometry; -1 = unknown */
	uint32_t grid[3], block[3], static_shared_bytes, dynamic_shared_bytes, registers;
	int64_t rows, columns, points; /* 0 = unknown */
	int64_t l1_load_sectors, l1_load_hits, l1_store_sectors;
	int64_t l2_read_sectors, l2_read_hits, l2_write_sectors, l2_write_hits, l2_atomic_sectors;
	int64_t dram_read_bytes, dram_write_bytes;
};
struct trace_profile_code { /* WARPREEL_PROFILE_CODE: the instructions of a symbol, once, in address
			       order */
	uint32_t symbol;
	uint32_t offset_bytes;
	int64_t code_low, code_high; /* the 128 bits of the encoding, as bit patterns */
	uint32_t text;
};
struct trace_profile_instruction { /* WARPREEL_PROFILE_COUNT: one row an instruction that ran; no
				      row: it did not */
	int64_t profile;
	uint32_t offset_bytes;
	int64_t warps, threads, sectors_global, sectors_global_ideal, tags_global, sectors_local,
		wavefronts_shared, wavefronts_shared_ideal;
};

/*
 * WARPREEL_BLOCK: where and when each block of a launch ran (a build of the kernels that notes it,
 * or a prediction). Times count from the first block noted on that device; the clocks of two SMs
 * have nothing to do with each other.
 */
struct trace_block {
	int32_t launch;			 /* numbers the launches noted in this trace, from 0 */
	int64_t correlation, global_pid; /* of the launch; correlation -1: not known */
	int32_t device;
	uint32_t kernel; /* string: what our drivers call it */
	uint32_t block;	 /* x + grid.x * (y + grid.y * z) */
	uint32_t sm;
	int64_t begin_ns,
		end_ns; /* the device's timer, which may tick in steps of up to a microsecond */
	int64_t begin_clock,
		end_clock; /* cycles of the SM, from the first noted on it; -1 unknown */
};

/* clang-format off */
#define TRACE_TABLES(X) \
	X(kernel) X(memcpy) X(memset) X(api) X(sync) X(event) X(overhead) X(nvtx) X(gpu) \
	X(thread) X(meta) X(link) X(clock) X(host_op) X(footprint) X(run) X(loss) \
	X(prediction) X(profile) X(profile_code) X(profile_instruction) X(block)
/* clang-format on */

struct trace {
	char **string; /* index 0 is "" */
	size_t string_count, string_capacity;
#define TRACE_ARRAY(name)                                                                          \
	struct trace_##name *name;                                                                 \
	size_t name##_count, name##_capacity;
	TRACE_TABLES(TRACE_ARRAY)
#undef TRACE_ARRAY
	struct trace_string_index *index; /* private: lookup of strings */
	char *path;			  /* where it came from; owned; NULL = built in memory */
};

void trace_init(struct trace *trace);
void trace_release(struct trace *trace);
uint32_t trace_string(struct trace *trace, const char *text); /* interns; NULL -> 0 */
const char *trace_text(const struct trace *trace, uint32_t string);
/* Appends a zeroed row and returns it: struct trace_kernel *k = trace_add_kernel(t); */
#define TRACE_ADD(name) struct trace_##name *trace_add_##name(struct trace *trace);
TRACE_TABLES(TRACE_ADD)
#undef TRACE_ADD
/* The blocks of one more launch: launch and kernel are filled in here, the rest of each row is the
 * caller's. Returns the launch. */
int32_t trace_add_blocks(struct trace *trace, const char *kernel, const struct trace_block *block,
			 size_t count);
void trace_set_meta(struct trace *trace, const char *key, const char *value);
const char *trace_get_meta(const struct trace *trace, const char *key); /* NULL = absent */
int64_t trace_losses(const struct trace *trace,
		     const char *kind); /* how many of one kind; NULL: of all */

/*
 * Reads a trace, .zst or plain, ours or an Nsight Systems export. -1 after a message naming the
 * file (and table, record). Refuses: not SQLite, other major schema, a WARPREEL version that is not
 * ours, missing required columns (named), a zst that unpacks to more than `max_bytes` (0 = 4 GiB).
 * Into an initialised trace; the caller releases it either way.
 */
int trace_read(struct trace *trace, const char *path, int64_t max_bytes);
/* Writes whole or not at all; compressed when the name ends in .zst (level 19). Rows are written in
 * time order. A plain trace needs a file of its own: no pipe, no descriptor such as /dev/stdout, of
 * the devices only /dev/null. */
int trace_write(const struct trace *trace, const char *path);
/* Whether trace_write could begin there now: -1 after a message. */
int trace_check_output(const char *path);
/* Canonical text: one line a row, tables in TRACE_TABLES order, rows sorted by all columns; the
 * same for equal traces. */
int trace_dump(const struct trace *trace, FILE *out);

/* "scale(float*, int)" is called scale, as a plan calls it; "void scale<float>(float*)" keeps all
 * of it. Owned by the caller. */
char *trace_kernel_name(const struct trace *trace, const struct trace_kernel *kernel);

/* What a copy kind is called, e.g. "PtoP". */
const char *trace_copy_kind_name(int32_t copy_kind);
/* The process of a row is the upper part of its global id. */
static inline int64_t process_of(int64_t global_id)
{
	return global_id >> 24;
}

#endif
