/* SPDX-License-Identifier: MIT
 * Kernel profiles: what one launch of a kernel does, counted on the real GPU, never how long it
 * took. Recorded by `warpreel profile` into the tables WARPREEL_PROFILE, WARPREEL_PROFILE_CODE and
 * WARPREEL_PROFILE_COUNT of a trace; read from there into this struct. Counts are per launch,
 * summed over the whole grid; -1 = not measured.
 */
#ifndef WARPREEL_KERNEL_PROFILE_H
#define WARPREEL_KERNEL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traces/schedule/schedule.h"
#include "traces/format/trace.h"

/* One SASS instruction of the kernel, in address order (16 bytes apart from offset 0). */
struct profile_instruction {
	uint32_t offset;  /* bytes from the kernel's entry */
	uint64_t code[2]; /* the 128-bit encoding, low word first; control bits are in code[1]
			     (traces/profiles/sass.h) */
	const char *text; /* disassembly without the encoding: "@!P0 LDG.E.64.SYS R4, [R2+0x8]";
			     borrowed */
	int64_t warps;	  /* times executed, per warp (smsp__sass_inst_executed) */
	int64_t threads;  /* by how many threads, predicate on
			     (smsp__sass_thread_inst_executed_pred_on) */
	int64_t sectors_global, sectors_global_ideal; /* 32-byte sectors asked of L1 */
	int64_t tags_global;			      /* 128-byte lines looked up in L1 */
	int64_t sectors_local;
	int64_t wavefronts_shared,
		wavefronts_shared_ideal; /* passes over shared memory; over ideal: bank conflicts */
};

struct kernel_profile {
	char *kernel; /* owned; as our drivers call it (rbsor_tuned_f32), else the symbol,
			 demangled */
	char *symbol; /* mangled function name; owned */
	char *isa;    /* "sm_90"; owned */
	bool derived; /* nothing was counted: by traces/data/derive_profile.sh, from the code */
	struct launch_geometry geometry;
	int64_t rows, columns, points; /* of the profiled launch; 0 = unknown */
	uint32_t static_shared_bytes,
		registers; /* registers a thread as allocated by the compiler */
	/* whole launch, hardware counters */
	int64_t l1_load_sectors,
		l1_load_hits; /* global and local loads:
				 l1tex__t_sectors_pipe_lsu_mem_global_op_ld(_lookup_hit) */
	int64_t l1_store_sectors;
	int64_t l2_read_sectors, l2_read_hits, l2_write_sectors,
		l2_write_hits; /* from L1; lts__t_sectors_srcunit_tex_op_... */
	int64_t l2_atomic_sectors;
	int64_t dram_read_bytes, dram_write_bytes;
	struct profile_instruction *instruction;
	size_t instruction_count; /* owned */
};

/* All profiles of some traces. */
struct kernel_profiles {
	struct kernel_profile *profile;
	size_t count, capacity;
	char *source; /* file names, comma-separated; owned */
	char **text;
	size_t text_count, text_capacity; /* owned: what instruction.text points to */
};

void kernel_profiles_init(struct kernel_profiles *profiles);
void kernel_profiles_release(struct kernel_profiles *profiles);
/*
 * Adds every profile of the trace. -1 after a message naming file, kernel and row: an instruction
 * counted that the code does not have, counts that do not add up (more threads than 32 a warp, more
 * warps at the entry than the grid has), a gap in the code, a duplicate.
 */
int kernel_profiles_add_trace(struct kernel_profiles *profiles, const struct trace *trace,
			      const char *file);
int kernel_profiles_add_file(struct kernel_profiles *profiles, const char *path);
/* As kernel_profiles_add_trace, of a trace that holds a part of its file: `source` stays. */
int kernel_profiles_add_part(struct kernel_profiles *profiles, const struct trace *trace,
			     const char *file);

/* Drops the profiles of this very launch: kernel, grid, block, path and steps. For asking what is
 * known without them; nobody may hold one of them. */
void kernel_profiles_drop(struct kernel_profiles *profiles, const char *kernel,
			  const struct launch_geometry *geometry);

/*
 * What memory instructions ask of L1, where counters do not say it; part of adding a profile. The
 * counters of an instruction are of addresses, and a texture load has none: its sectors stand at 0,
 * in the launch's l1_load_sectors, too. Here it is given what the launch read from L2 beyond its
 * other loads, at least texels side by side, on each alike; l1_load_sectors have it, where they
 * were counted. And sectors are counted in a run of their own, in which a loop that waits for
 * another block may go round more often: a load keeps a sector and a line a thread at most.
 */
void kernel_profile_mend_sectors(struct kernel_profile *profile);

int64_t profile_block_threads(const struct kernel_profile *profile);
/* Warps of the whole grid: blocks times warps of a block. */
int64_t profile_warps(const struct kernel_profile *profile);
/* Instructions that ran and that the decoder does not know: how many distinct opcodes; their names,
 * comma-separated, into *names (owned by the caller, NULL when there are none), and how often warps
 * executed them. */
int profile_unknown_opcodes(const struct kernel_profile *profile, char **names, int64_t *executed);

#endif
