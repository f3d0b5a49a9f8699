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
	X(profile_counter, 26) X(blocks, 27) X(block, 28) X(asked, 29)
/* clang-format on */
enum spool_type {
#define SPOOL_TYPE(name, number) SPOOL_TYPE_##name = number,
	SPOOL_TYPES(SPOOL_TYPE)
#undef SPOOL_TYPE
		SPOOL_TYPE_LIMIT = 30
};

struct spool_kernel {
	uint16_t type, size;
	uint32_t name; /* string: as the compiler mangled it */
	uint64_t start_ns, end_ns, graph_node;
	int64_t grid_id;
	uint32_t device, context, stream, correlation;
	uint32_t grid[3], block[3];
	uint32_t static_shared_bytes, dynamic_shared_bytes, registers, launch_type;
};
struct spool_memcpy {
	uint16_t type, size;
	uint8_t copy_kind, source_kind, target_kind,
		peer; /* CUPTI's numbers; peer: a MEMCPY2 record */
	uint64_t start_ns, end_ns, bytes, graph_node, copies;
	uint32_t device, context, stream, correlation, source_device, target_device;
};
struct spool_memset {
	uint16_t type, size;
	uint32_t value;
	uint64_t start_ns, end_ns, bytes, graph_node;
	uint32_t device, context, stream, correlation, mem_kind, unused;
};
struct spool_api {
	uint16_t type, size;
	uint32_t name; /* string, e.g. cudaLaunchKernel_v7000 */
	uint64_t start_ns, end_ns;
	uint32_t tid, correlation, return_value, driver;
};
struct spool_asked { /* calls of a thread, one after the other, that only asked for what the runtime
			knows */
	uint16_t type, size;
	uint32_t tid;
	uint64_t start_ns, end_ns; /* of the first, of the last */
	uint64_t ns;		   /* their durations together */
	uint32_t calls, unused;
};
struct spool_sync {
	uint16_t type, size;
	uint32_t sync_type;
	uint64_t start_ns, end_ns, event_sync_id;
	uint32_t correlation, context, stream, event_id, return_value, unused;
};
struct spool_event {
	uint16_t type, size;
	uint32_t device;
	uint64_t timestamp_ns, event_sync_id;
	uint32_t context, stream, correlation, event_id;
};
struct spool_overhead {
	uint16_t type, size;
	uint32_t kind;
	uint64_t start_ns, end_ns;
	uint32_t tid, correlation; /* tid 0: not a thread's */
};
enum { SPOOL_MARKER_INSTANT = 1, SPOOL_MARKER_START = 2, SPOOL_MARKER_END = 4 };
struct spool_marker { /* NVTX */
	uint16_t type, size;
	uint32_t flags;
	uint64_t timestamp_ns;
	uint32_t id, tid, text, domain; /* text: 0 on an end */
};
struct spool_device { /* what CUPTI says of a GPU the process can use */
	uint16_t type, size;
	uint32_t device;
	uint64_t memory_bytes, memory_bandwidth_bytes_per_s;
	uint32_t name, l2_bytes, clock_khz, sm_count, copy_engines, compute_major, compute_minor,
		max_warps_per_sm, max_blocks_per_sm, max_threads_per_block, max_registers_per_sm,
		max_shared_per_sm_bytes;
	uint8_t uuid[16];
};
struct spool_context {
	uint16_t type, size;
	uint32_t context, device, null_stream;
};
struct spool_stream {
	uint16_t type, size;
	uint32_t stream, context, flag, priority, correlation;
};
struct spool_thread {
	uint16_t type, size;
	uint32_t tid, name, unused;
};
struct spool_meta {
	uint16_t type, size;
	uint32_t key, value, unused;
};
struct spool_loss {
	uint16_t type, size;
	uint32_t kind;
	uint64_t count;
	uint32_t detail, unused;
};
enum { SPOOL_TIME_START, SPOOL_TIME_DURING, SPOOL_TIME_END };
struct spool_time {
	uint16_t type, size;
	uint32_t when;
	uint64_t cupti_ns, monotonic_ns, realtime_ns;
};
struct spool_gpu { /* what NVML says of every GPU in the machine */
	uint16_t type, size;
	uint32_t index;
	uint64_t memory_bytes;
	uint32_t name, bus, max_sm_mhz, max_memory_mhz, pcie_generation, pcie_width;
	uint8_t uuid[16];
};
struct spool_link {
	uint16_t type, size;
	uint32_t from, to, links, megabytes_per_s, kind;
}; /* NVML indices; to = SPOOL_NONE: host */
struct spool_clock {
	uint16_t type, size;
	uint32_t index;
	uint64_t at_ns;
	uint32_t sm_mhz, memory_mhz;
};
struct spool_run {
	uint16_t type, size;
	uint32_t gpus;
	uint64_t at_ns;
	uint32_t solver, config;
}; /* solver 0: a run ends */

/*
 * Kernel profiles (recorder_profile.c). A launch shape, then for each of its passes that was
 * measured whole the counts of that pass and last the pass itself. Metrics are numbered in the
 * order of profile_metrics.def.
 */
struct spool_profile_shape {
	uint16_t type, size;
	uint32_t shape; /* within this spool */
	uint32_t symbol,
		kernel; /* strings: mangled; what the program calls it, 0 = it did not say */
	uint32_t grid[3], block[3], dynamic_shared_bytes, static_shared_bytes,
		registers; /* SPOOL_NONE: the driver did not say */
	int32_t path;	   /* -1 unknown */
	uint32_t device, compute_major, compute_minor,
		steps_plus_one; /* 0 unknown, as in spools from before it was noted */
	int64_t rows, columns, points;
};
struct spool_profile_pass {
	uint16_t type, size;
	uint32_t shape;
	uint64_t metrics; /* bit n: metric n was measured in this pass; what has no count is 0 */
	uint32_t pass, passes;
};
struct spool_profile_instruction { /* of one instruction; not 0 */
	uint16_t type, size;
	uint32_t shape;
	uint32_t function, metric; /* function: string */
	uint64_t cubin_crc, value;
	uint32_t offset, unused;
};
struct spool_profile_counter {
	uint16_t type, size;
	uint32_t shape, metric, unused;
	uint64_t value;
};

/* A launch whose blocks the kernels noted, then its blocks. Times and clocks as the device has
 * them. */
struct spool_blocks {
	uint16_t type, size;
	uint32_t launch;	 /* within this spool */
	uint32_t kernel, device; /* kernel: string */
	uint64_t grid, grid_blocks;
};
struct spool_block {
	uint16_t type, size;
	uint32_t launch, block, sm;
	uint64_t begin_ns, end_ns, begin_clock, end_clock;
};

/* Notes: all of one size, so that a thread's notes are a ring of slots. */
enum { SPOOL_NOTE_BYTES = 64 };
struct spool_host_op {
	uint16_t type, size;
	uint32_t kind; /* enum note_host_kind */
	uint64_t start_ns, end_ns;
	int64_t value;
	uint32_t object, tid;
	uint64_t unused[3];
};
struct spool_footprint { /* of the next launch call of thread `tid` */
	uint16_t type, size;
	uint32_t access_count; /* in the access records that follow */
	uint64_t at_ns;
	int64_t rows, columns, points, dram_bytes, resident_bytes;
	uint32_t tid, kernel; /* kernel: string, what the program calls it: trace_footprint.kernel.
				 (A reader keeps the index of the first access beside it.) */
};
struct spool_access {
	uint16_t type, size;
	uint32_t count; /* 1 or 2 */
	struct {
		uint32_t buffer, mode;
		int64_t offset_bytes, bytes;
	} access[2];
	uint32_t path_plus_one, steps_plus_one; /* of the launch, struct launch_geometry; 0 =
						   unknown, as in spools from before it was noted */
};

_Static_assert(sizeof(struct spool_chunk) == 24, "chunk header");
_Static_assert(sizeof(struct spool_kernel) == 96 && sizeof(struct spool_memcpy) == 72 &&
		       sizeof(struct spool_api) == 40 && sizeof(struct spool_asked) == 40,
	       "records are packed without holes");
_Static_assert(sizeof(struct spool_profile_shape) % 8 == 0 &&
		       sizeof(struct spool_profile_pass) == 24 &&
		       sizeof(struct spool_profile_instruction) == 40 &&
		       sizeof(struct spool_profile_counter) == 24 &&
		       sizeof(struct spool_blocks) == 32 && sizeof(struct spool_block) == 48,
	       "records are multiples of 8 bytes");
_Static_assert(sizeof(struct spool_host_op) == SPOOL_NOTE_BYTES &&
		       sizeof(struct spool_footprint) == SPOOL_NOTE_BYTES &&
		       sizeof(struct spool_access) == SPOOL_NOTE_BYTES,
	       "notes are slots of one size");

#endif
