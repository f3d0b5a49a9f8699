/* SPDX-License-Identifier: MIT */
#include "grid_time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"
#include "grid_loops.h"
#include "grid_play.h"
#include "grid_rounded.h"

static const double ISSUES_WANTED = 40000,
		    ISSUES_MOST = 1000000, /* where rounds are unequal: some ten milliseconds */
	LOOPS_MOST = 8000000;		   /* with loops whole: half a second */
static const double PACE_ERROR = 0.007; /* of a long launch: more rounds are played to come to it */
static const double SHORT_ISSUES = 35000,
		    SHORT_ERROR = 0.003; /* of a short one more multiprocessors are, in all so much,
					    or until it is known so well */
enum { SMS_LEAST = 3, SMS_MOST = 16, ROUNDS_LEAST = 8 };

/* How many have to be played for PACE_ERROR, as the error falls with the root of their number; at
 * most so many rounds. */
static int64_t steady_blocks(int64_t played, double error, double rounds_most, int resident)
{
	double rounds = (double)(played / resident) * (error / PACE_ERROR) * (error / PACE_ERROR);
	return resident * (int64_t)(rounds < rounds_most ? rounds : rounds_most);
}

/*
 * All blocks are there at once, and those at the rim do other work: the launch takes as long as the
 * multiprocessor that has most of them, or fewest. *at_rim: of its blocks, owned by the caller.
 */
static int longest_of_kinds(const struct sm_device *device, int sm_count,
			    const struct grid_launch *launch, int resident, int64_t blocks,
			    struct sm_run *run, bool **at_rim)
{
	uint64_t bits[2];
	grid_kinds_bits(&launch->kinds, sm_count, blocks, bits);
	for (int k = 0; k < 1 + (bits[0] != bits[1]); k++) {
		struct sm_run here = { 0 };
		const int64_t sm = grid_kinds_sm(&launch->kinds, sm_count, blocks, !k);
		bool *rim = grid_kinds_of(&launch->kinds, sm_count, sm, blocks);
		const int failed = grid_play(device, sm_count, launch, resident, blocks,
					     &(struct grid_place){ .at_rim = rim }, &here, NULL);
		const bool longer = !failed && (!k || here.cycles > run->cycles);
		sm_run_release(longer ? run : &here);
		free(longer ? *at_rim : rim);
		if (failed)
			return -1;
		if (longer) {
			*run = here;
			*at_rim = rim;
		}
	}
	return 0;
}

/*
 * How long the few blocks of a short launch take is as chance has it: to the run of `answer`, which
 * is whole, those of other multiprocessors with other blocks are added, and the mean is the answer.
 */
static int mean_of_several(const struct sm_device *device, int sm_count,
			   const struct grid_launch *launch, const bool *at_rim,
			   struct grid_answer *answer)
{
	const int64_t blocks = answer->run.block_count,
		      busy = launch->blocks < sm_count ? launch->blocks : sm_count;
	const double first = answer->played.cycles, issues = (double)answer->run.instructions;
	double off = 0, squares = 0, error = 1; /* from the first one, for the numbers' sake */
	int64_t n = 1;
	while (n < SMS_MOST && n < busy && (double)(n + 1) * issues <= SHORT_ISSUES &&
	       error > SHORT_ERROR) {
		struct sm_run run;
		const struct grid_place place = { .sm = n, .at_rim = at_rim };
		if (grid_play(device, sm_count, launch, answer->resident, blocks, &place, &run,
			      NULL))
			return -1;
		off += run.cycles - first;
		squares += (run.cycles - first) * (run.cycles - first);
		sm_run_release(&run);
		if (++n >= SMS_LEAST)
			error = sqrt(fmax(squares - off * off / (double)n, 0) /
				     (double)(n * (n - 1))) /
				first;
	}
	answer->played.cycles = first + off / (double)n;
	return 0;
}

/* How long blocks take that do far more than others do; 0: there are none. */
static double heavy_block(const struct sm_run *run)
{
	static const double FAR_MORE = 1.2, AS_MUCH = 0.9;
	int64_t sum = 0, most = 0;
	double cycles = 0, count = 0;
	for (int64_t k = 0; k < run->block_count; k++) {
		const int64_t does = run->block[k].instructions;
		sum += does;
		most = does > most ? does : most;
	}
	if ((double)most * (double)run->block_count <= FAR_MORE * (double)sum)
		return 0;
	for (int64_t k = 0; k < run->block_count; k++)
		if ((double)run->block[k].instructions >= AS_MUCH * (double)most) {
			cycles += run->block[k].end - run->block[k].begin;
			count++;
		}
	return cycles / count;
}

static double last_begin(const struct sm_run *run)
{
	double last = 0;
	for (int64_t k = 0; k < run->block_count; k++)
		last = fmax(last, run->block[k].begin);
	return last;
}

/*
 * Warps go different ways, each as often as the profile says, and a launch is over with the longest
 * of them. To which warps of a multiprocessor they are dealt makes a difference where they are few,
 * so another one is played to whose warps they come sooner. Where all blocks are there at once, the
 * slower of both counts. Else a block that does far more than others may be the last that begins,
 * as those at the rim of a grid are.
 */
static int longest_way(const struct sm_device *device, int sm_count,
		       const struct grid_launch *launch, const bool *at_rim,
		       struct grid_answer *answer)
{
	const struct grid_place sooner = { .at_rim = at_rim, .turn = 0.75F };
	const int64_t blocks = answer->run.block_count;
	double heavy = heavy_block(&answer->run);
	struct sm_run run;
	if (!answer->extrapolated_blocks) {
		if (grid_play(device, sm_count, launch, answer->resident, blocks, &sooner, &run,
			      NULL))
			return -1;
		heavy = fmax(heavy, heavy_block(&run));
		if (blocks <= answer->resident)
			answer->played.cycles = fmax(answer->played.cycles, run.cycles);
		sm_run_release(&run);
	}
	if (heavy > 0 && blocks > answer->resident)
		answer->played.cycles =
			fmax(answer->played.cycles, last_begin(&answer->run) + heavy);
	return 0;
}

/* SM_SKEW. How much later the last multiprocessor ends than the one that was played: with each
 * block more, but no more than half a block, for what others have not begun it takes from them. */
static void end_behind(struct grid_answer *answer)
{
	struct grid_played *p = &answer->played;
	const double block = p->blocks > answer->resident
				     ? p->block_cycles * (double)answer->resident
				     : p->cycles;
	p->behind_cycles = answer->run.behind * p->cycles / answer->run.cycles / (double)p->blocks;
	p->behind_most = block / 2;
}

/* How many blocks of it a multiprocessor holds; *limit: what keeps one more out. */
static int resident_of(const struct sm_device *device, const struct grid_launch *launch,
		       const char **limit)
{
	const struct warp_program *p = launch->program;
	const int resident =
		sm_occupancy(device, p->block_threads, p->registers, p->shared_bytes, limit);
	return launch->resident_most > 0 && launch->resident_most < resident ? launch->resident_most
									     : resident;
}

static bool by_kinds(const struct grid_launch *launch, int64_t most, int resident)
{
	return launch->kinds.rim && !launch->beside && most <= resident;
}

void grid_time_kinds(const struct sm_device *device, int sm_count, const struct grid_launch *launch,
		     uint64_t at_rim[2])
{
	const int64_t most = (launch->blocks + sm_count - 1) / sm_count;
	at_rim[0] = at_rim[1] = 0;
	if (by_kinds(launch, most, resident_of(device, launch, NULL)))
		grid_kinds_bits(&launch->kinds, sm_count, most, at_rim);
}

int grid_time(const struct sm_device *device, int sm_count, const struct grid_launch *launch,
	      struct grid_answer *answer)
{
	const struct warp_program *p = launch->program;
	*answer = (struct grid_answer){ 0 };
	if (launch->blocks < 1)
		return report("kernel '%s': a launch without blocks", p->kernel);
	answer->resident = resident_of(device, launch, &answer->limit);
	if (answer->resident < 1)
		return report("kernel '%s': a block of %u threads, %u registers a thread and %u "
			      "bytes of shared memory does not fit a multiprocessor "
			      "of the device (%s)",
			      p->kernel, p->block_threads, p->registers, p->shared_bytes,
			      answer->limit);
	int64_t most = (launch->blocks + sm_count - 1) / sm_count;
	double block_issues = p->instructions * ceil(p->block_threads / 32.0);
	double round_issues =
		block_issues * (double)(most < answer->resident ? most : answer->resident);
	int64_t rounds = (int64_t)(ISSUES_WANTED / round_issues);
	int64_t blocks = answer->resident * (rounds > ROUNDS_LEAST ? rounds : ROUNDS_LEAST);
	blocks = blocks < most ? blocks : most;
	answer->blocks_a_sm = (double)launch->blocks / sm_count;
	answer->waves = answer->blocks_a_sm / answer->resident;

	struct sm_run *run = &answer->run;
	int failed = 0;
	double error;
	double total = (double)blocks * block_issues;
	answer->extrapolated_loops = total > LOOPS_MOST;
	if (answer->extrapolated_loops) {
		if (grid_loops(device, sm_count, launch, answer->resident, blocks, ISSUES_WANTED,
			       run, &answer->played))
			return -1;
	} else {
		struct sm_snapshot *snapshot = NULL;
		bool *at_rim = NULL;
		if (by_kinds(launch, most, answer->resident))
			failed = longest_of_kinds(device, sm_count, launch, answer->resident,
						  blocks, run, &at_rim);
		else
			failed = grid_play(device, sm_count, launch, answer->resident, blocks,
					   &(struct grid_place){ 0 }, run,
					   blocks < most ? &snapshot : NULL);
		if (failed) {
			free(at_rim);
			return -1;
		}
		grid_pace(run, answer->resident, &error);
		int64_t more =
			steady_blocks(blocks, error, ISSUES_MOST / round_issues, answer->resident);
		if (blocks < most && more > blocks) {
			blocks = more < most ? more : most;
			sm_run_release(run);
			failed = snapshot ? sm_snapshot_run(snapshot, blocks, run)
					  : grid_play(device, sm_count, launch, answer->resident,
						      blocks, &(struct grid_place){ 0 }, run, NULL);
		}
		sm_snapshot_release(snapshot);
		if (failed)
			return -1;
		answer->played.cycles = run->cycles;
		answer->played.block_cycles = grid_pace(run, answer->resident, &error);
		answer->extrapolated_blocks = blocks < most;
		if (!launch->beside && mechanism_on(&device->mechanisms, MECHANISM_SHORT_LAUNCHES))
			failed = (blocks == most &&
				  mean_of_several(device, sm_count, launch, at_rim, answer)) ||
				 longest_way(device, sm_count, launch, at_rim, answer);
		free(at_rim);
		if (failed)
			return -1;
	}
	answer->extrapolated_blocks = blocks < most;
	answer->played.blocks = blocks;
	end_behind(answer);
	answer->cycles = grid_played_cycles(device, sm_count, &answer->played, launch->blocks);
	answer->instructions = run->instructions;
	answer->barriers_forced = run->barriers_forced;
	double all = 0;
	for (int k = 0; k < STALL_REASON_COUNT; k++)
		all += run->stalled[k];
	for (int k = 0; k < STALL_REASON_COUNT; k++)
		answer->stalled[k] = all > 0 ? run->stalled[k] / all : 0;
	answer->duration_ns = grid_duration_ns(device, answer->cycles);
	return 0;
}

void grid_answer_release(struct grid_answer *answer)
{
	sm_run_release(&answer->run);
}
