/* SPDX-License-Identifier: MIT */
#include "grid_time.h"

#include <math.h>
#include <string.h>

#include "../traces/util.h"

static const double ISSUES_WANTED = 30000; /* played in one run: a few milliseconds */
enum { ROUNDS_LEAST = 6, VISITS_SHORT = 12, VISITS_LONG = 24 };

static int play(const struct sm_device *device, int sm_count, const struct grid_launch *launch, int resident, int64_t blocks, double visits_max,
		struct sm_run *run)
{
	int64_t most = (launch->blocks + sm_count - 1) / sm_count;
	struct sm_job job = {
		.program = launch->program,
		.blocks = blocks,
		.resident = resident,
		.every_cycles = device->block_dispatch_ns * 1e-3 * device->clock_mhz * (double)(launch->blocks < sm_count ? launch->blocks : sm_count),
		.l2_miss_share = launch->l2_miss_share,
		.dram_write_share = launch->dram_write_share,
	};
	double reads = launch->program->l2_read_bytes * launch->l2_miss_share, writes = launch->program->l2_write_bytes * launch->dram_write_share;
	struct sm_setup setup = {
		.device = device,
		.job = &job,
		.job_count = 1,
		.memory = {
			.sharers = (double)launch->blocks / (double)most,
			.dram_read_share = reads + writes > 0 ? reads / (reads + writes) : 0,
			.background_dram_bytes_per_s = launch->background_dram_bytes_per_s,
			.atomic_lines = launch->atomic_lines,
			.read_excess = launch->read_excess,
			.write_excess = launch->write_excess,
		},
		.visits_max = visits_max,
	};
	return sm_engine_run(&setup, run);
}

/* Least squares: blocks end in bursts, and two ends alone would say little about the pace. */
static double slope(const double *y, int64_t n)
{
	double mean_x = (double)(n - 1) / 2, mean_y = 0, xy = 0, xx = 0;
	for (int64_t k = 0; k < n; k++)
		mean_y += y[k] / (double)n;
	for (int64_t k = 0; k < n; k++) {
		xy += ((double)k - mean_x) * (y[k] - mean_y);
		xx += ((double)k - mean_x) * ((double)k - mean_x);
	}
	return xx > 0 ? xy / xx : 0;
}

/* Cycles until the last of `blocks` has ended, of which `run` played the first ones: between its first round and its last the
 * pace is taken to be steady. */
static double whole_cycles(const struct sm_run *run, int64_t blocks, int resident)
{
	int64_t played = run->block_count;
	if (played >= blocks)
		return run->cycles;
	int64_t from = resident < played / 3 ? resident : played / 3, to = played - from - 1;
	double pace = to > from ? slope(&run->block_end[from], to - from + 1) : run->cycles / (double)played;
	return run->cycles + (double)(blocks - played) * pace;
}

int grid_time(const struct sm_device *device, int sm_count, const struct grid_launch *launch, struct grid_answer *answer)
{
	const struct warp_program *p = launch->program;
	*answer = (struct grid_answer){ 0 };
	answer->resident = sm_occupancy(device, p->block_threads, p->registers, p->shared_bytes, &answer->limit);
	if (answer->resident < 1)
		return report("kernel '%s': a block of %u threads, %u registers a thread and %u bytes of shared memory does not fit a multiprocessor "
			      "of the device (%s)", p->kernel, p->block_threads, p->registers, p->shared_bytes, answer->limit);
	int64_t most = (launch->blocks + sm_count - 1) / sm_count;
	double block_issues = p->instructions * ceil(p->block_threads / 32.0);
	double round_issues = block_issues * (double)(most < answer->resident ? most : answer->resident);
	int64_t rounds = (int64_t)(ISSUES_WANTED / round_issues);
	int64_t blocks = answer->resident * (rounds > ROUNDS_LEAST ? rounds : ROUNDS_LEAST);
	blocks = blocks < most ? blocks : most;
	answer->blocks_a_sm = (double)launch->blocks / sm_count;
	answer->waves = answer->blocks_a_sm / answer->resident;
	answer->extrapolated_blocks = blocks < most;

	struct sm_run *run = &answer->run;
	double total = (double)blocks * block_issues;
	/* Loops are cut when what has to be played is far more than wanted. */
	answer->extrapolated_loops = total > 5 * ISSUES_WANTED;
	if (answer->extrapolated_loops) {
		struct sm_run part;
		if (play(device, sm_count, launch, answer->resident, blocks, VISITS_SHORT, &part))
			return -1;
		double short_cycles = whole_cycles(&part, most, answer->resident), short_issues = (double)part.instructions / (double)blocks;
		sm_run_release(&part);
		if (play(device, sm_count, launch, answer->resident, blocks, VISITS_LONG, run))
			return -1;
		double long_cycles = whole_cycles(run, most, answer->resident), long_issues = (double)run->instructions / (double)blocks;
		double more = long_issues > short_issues ? (block_issues - long_issues) / (long_issues - short_issues) : 0;
		answer->cycles = long_cycles + more * (long_cycles - short_cycles);
	} else {
		if (play(device, sm_count, launch, answer->resident, blocks, 0, run))
			return -1;
		answer->cycles = whole_cycles(run, most, answer->resident);
	}
	answer->instructions = run->instructions;
	answer->barriers_forced = run->barriers_forced;
	double all = 0;
	for (int k = 0; k < STALL_REASON_COUNT; k++)
		all += run->stalled[k];
	for (int k = 0; k < STALL_REASON_COUNT; k++)
		answer->stalled[k] = all > 0 ? run->stalled[k] / all : 0;
	answer->duration_ns = device->launch_ns + answer->cycles / device->clock_mhz * 1e3 + device->drain_ns;
	return 0;
}

void grid_answer_release(struct grid_answer *answer)
{
	sm_run_release(&answer->run);
}
