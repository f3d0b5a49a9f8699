/* SPDX-License-Identifier: MIT */
#include "grid_loops.h"

#include <math.h>

enum { VISITS_SHORT = 12, VISITS_LONG = 24 };

struct cut {
	double visits[WARP_DEPTHS]; /* at most, of a loop in so many */
	double issues[WARP_DEPTHS]; /* of a block */
	double cycles, block_cycles;
};

static double sum(const double *of)
{
	double all = 0;
	for (int d = 0; d < WARP_DEPTHS; d++)
		all += of[d];
	return all;
}

static void set_visits(struct cut *cut, double visits)
{
	for (int d = 0; d < WARP_DEPTHS; d++)
		cut->visits[d] = visits;
}

static int play_cut(const struct sm_device *device, int sm_count, const struct grid_launch *launch,
		    int resident, int64_t blocks, struct cut *cut, struct sm_run *run)
{
	double error;
	sm_run_release(run);
	if (grid_play(device, sm_count, launch, resident, blocks,
		      &(struct grid_place){ .visits_most = cut->visits }, run, NULL))
		return -1;
	cut->cycles = run->cycles;
	cut->block_cycles = grid_pace(run, resident, &error);
	for (int d = 0; d < WARP_DEPTHS && !launch->beside; d++)
		cut->issues[d] = (double)run->issued[d] / (double)blocks;
	return 0;
}

/*
 * The instructions of a run with another launch beside it are not this one's alone, and a few
 * rounds of its loops say little about the mix: counts what it issues by itself, all taken for one
 * depth, and how many visits give issues_wanted.
 */
static int cut_beside(const struct sm_device *device, int sm_count,
		      const struct grid_launch *launch, int resident, int64_t blocks,
		      double issues_wanted, struct cut at[2])
{
	struct grid_launch alone = *launch;
	struct sm_run run = { 0 };
	double issues[2], visits[2] = { VISITS_SHORT, VISITS_LONG };
	alone.beside = NULL;
	for (int k = 0; k < 2; k++) {
		set_visits(&at[k], visits[k]);
		if (play_cut(device, sm_count, &alone, resident, blocks, &at[k], &run))
			return -1;
		issues[k] = sum(at[k].issues);
	}
	sm_run_release(&run);
	const double a_visit = (issues[1] - issues[0]) / (visits[1] - visits[0]),
		     base = issues[0] - a_visit * visits[0];
	for (int k = 0; k < 2; k++) {
		const double most =
			a_visit > 0 ? floor(issues_wanted * (k + 1) / 2 / (double)blocks / a_visit)
				    : 0;
		visits[k] = fmax(most, visits[k]);
		at[k] = (struct cut){ .issues = { [1] = base + a_visit * visits[k] } };
		set_visits(&at[k], visits[k]);
	}
	return 0;
}

/* From cut[0] to a block that issues `wanted`: cut[d] has more visits of loops in d. */
static void go_on(const struct cut *cut, int depths, const double *wanted,
		  struct grid_played *played)
{
	double cycles[WARP_DEPTHS] = { 0 }, block_cycles[WARP_DEPTHS] = { 0 };
	played->cycles = cut[0].cycles;
	played->block_cycles = cut[0].block_cycles;
	for (int d = depths; d > 0; d--) {
		double more = cut[d].cycles - cut[0].cycles,
		       more_block = cut[d].block_cycles - cut[0].block_cycles;
		for (int in = d + 1; in <= depths; in++) {
			const double issues = cut[d].issues[in] - cut[0].issues[in];
			more -= issues * cycles[in];
			more_block -= issues * block_cycles[in];
		}
		const double issues = cut[d].issues[d] - cut[0].issues[d];
		if (!(issues > 0)) /* no loop here is longer than its cut */
			continue;
		cycles[d] = fmax(more / issues, 0);
		block_cycles[d] = fmax(more_block / issues, 0);
		played->cycles += cycles[d] * (wanted[d] - cut[0].issues[d]);
		played->block_cycles += block_cycles[d] * (wanted[d] - cut[0].issues[d]);
	}
}

int grid_loops(const struct sm_device *device, int sm_count, const struct grid_launch *launch,
	       int resident, int64_t blocks, double issues_wanted, struct sm_run *run,
	       struct grid_played *played)
{
	const struct warp_program *p = launch->program;
	const double warps = ceil(p->block_threads / 32.0);
	const int depths = launch->beside ? 1 : p->depths;
	struct cut cut[WARP_DEPTHS] = { 0 };
	double wanted[WARP_DEPTHS] = { 0 };
	for (int d = 0; d < WARP_DEPTHS; d++)
		wanted[launch->beside ? 1 : d] += p->instructions_at[d] * warps;
	if (launch->beside &&
	    cut_beside(device, sm_count, launch, resident, blocks, issues_wanted, cut))
		return -1;
	for (int k = 0; k <= depths; k++) {
		if (!launch->beside) {
			set_visits(&cut[k], VISITS_SHORT);
			if (k)
				cut[k].visits[k] = VISITS_LONG;
		}
		if (play_cut(device, sm_count, launch, resident, blocks, &cut[k], run))
			return -1;
	}
	go_on(cut, depths, wanted, played);
	return 0;
}
