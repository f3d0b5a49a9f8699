/* SPDX-License-Identifier: MIT
 * A device with round numbers and kernels written down by hand, for tests of the warps model.
 */
#ifndef WARPREEL_TESTS_SM_KIT_H
#define WARPREEL_TESTS_SM_KIT_H

#include "support.h"

#include <math.h>
#include <stdlib.h>

#include "sim/gpu/grid_time.h"

enum { KIT_WARPS = 64000, KIT_MAX = 64, NO_SCOREBOARD = 7 };

/* 4 sub-partitions, 4 cycles an arithmetic result, 1 GHz: a cycle is a nanosecond. No launch, no
 * block costs. */
static inline struct sm_device round_device(void)
{
	struct sm_device d = {
		.present = true,
		.isa = (char *)"sm_90",
		.clock_mhz = 1000,
		.sub_partitions = 4,
		.warp_slots = 64,
		.block_slots = 32,
		.register_count = 65536,
		.register_unit = 256,
		.shared_bytes = 233472,
		.shared_unit = 128,
		.shared_reserved_bytes = 1024,
		.block_threads_max = 1024,
		.issue_interval = 1,
		.shared_wavefront_interval = 1,
		.l1_tag_interval = 1,
		.atomic_rate_per_s = 1e12,
		.l2 = { .latency_ns = 200,
			.read_bytes_per_s = 4e12,
			.write_bytes_per_s = 4e12,
			.knee = 8 },
		.dram = { .latency_ns = 500,
			  .read_bytes_per_s = 2e12,
			  .write_bytes_per_s = 2e12,
			  .knee = 8 },
	};
	for (int k = 0; k < SASS_CLASS_COUNT; k++) {
		d.interval[k] = 1;
		d.latency[k] = 4;
	}
	d.interval[SASS_FP64] = 2;
	d.latency[SASS_GLOBAL_LOAD] = 30;
	d.latency[SASS_SHARED_LOAD] = 20;
	d.latency[SASS_BARRIER] = 10;
	return d;
}

struct kit {
	struct profile_instruction instruction[KIT_MAX];
	struct kernel_profile profile;
};

static inline void kit_begin(struct kit *kit, uint32_t block_threads)
{
	memset(kit, 0, sizeof(*kit));
	kit->profile = (struct kernel_profile){
		.kernel = (char *)"hand",
		.isa = (char *)"sm_90",
		.registers = 16,
		.instruction = kit->instruction,
		.l1_load_sectors = -1,
		.l1_load_hits = -1,
		.l2_read_sectors = -1,
		.geometry = { .grid = { KIT_WARPS * 32 / block_threads, 1, 1 },
			      .block = { block_threads, 1, 1 } },
	};
}

/* Appends an instruction executed by `warps` warps, with its control bits. */
static inline struct profile_instruction *kit_add(struct kit *kit, const char *text, int stall,
						  int write_scoreboard, int wait_mask,
						  int64_t warps)
{
	size_t k = kit->profile.instruction_count++;
	assert_true(k < KIT_MAX);
	uint64_t control = (uint64_t)stall | (uint64_t)write_scoreboard << 5 |
			   (uint64_t)NO_SCOREBOARD << 8 | (uint64_t)wait_mask << 11;
	kit->instruction[k] = (struct profile_instruction){
		.offset = (uint32_t)(16 * k),
		.code = { 0, control << 41 },
		.text = text,
		.warps = warps,
		.threads = 32 * warps,
		.sectors_global = -1,
		.sectors_global_ideal = -1,
		.tags_global = -1,
		.sectors_local = -1,
		.wavefronts_shared = -1,
		.wavefronts_shared_ideal = -1,
	};
	return &kit->instruction[k];
}

static inline void kit_program(struct kit *kit, struct warp_program *program)
{
	assert_int_equal(warp_program_build(program, &kit->profile, "kit"), 0);
}

/* One SM runs `blocks` blocks, `resident` at once. */
static inline void kit_run(const struct sm_device *d, const struct warp_program *program,
			   int64_t blocks, int resident, double l2_miss, struct sm_run *run)
{
	const struct sm_job job = {
		.program = program, .blocks = blocks, .resident = resident, .l2_miss_share = l2_miss
	};
	const struct sm_setup setup = { .device = d,
					.job = &job,
					.job_count = 1,
					.memory = { .sharers = 1 },
					.constant_cold_cycles = d->constant_cold_cycles };
	assert_int_equal(sm_engine_run(&setup, run), 0);
}

/* Cycles that it takes; no barrier may have been forced. */
static inline double kit_cycles(struct kit *kit, const struct sm_device *d, int64_t blocks,
				int resident, double l2_miss)
{
	struct warp_program program;
	struct sm_run run;
	kit_program(kit, &program);
	kit_run(d, &program, blocks, resident, l2_miss, &run);
	double cycles = run.cycles;
	assert_int_equal(run.barriers_forced, 0);
	sm_run_release(&run);
	warp_program_release(&program);
	return cycles;
}

/* `count` dependent additions, then the end. */
static inline void kit_chain(struct kit *kit, uint32_t threads, int count, const char *text,
			     int stall)
{
	kit_begin(kit, threads);
	for (int k = 0; k < count; k++)
		kit_add(kit, text, stall, NO_SCOREBOARD, 0, KIT_WARPS);
	kit_add(kit, "EXIT", 1, NO_SCOREBOARD, 0, KIT_WARPS);
}

#endif
