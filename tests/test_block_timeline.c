/* SPDX-License-Identifier: MIT
 * Blocks: from the notes of warps to a launch, from the spool to the trace, and what a timeline
 * says of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/machine/block_notes.h"
#include "traces/views/block_timeline.h"
#include "traces/spool/spool_read.h"
#include "traces/base/util.h"
#include "traces/check/trace_check.h"

enum { OLD = 3, NEW = 8, KERNEL = 77 };

static struct block_note_warp warp_of(uint64_t grid, uint32_t block, uint32_t blocks, uint32_t sm,
				      uint64_t begin, uint64_t end)
{
	return (struct block_note_warp){ .grid = grid,
					 .begin_ns = begin,
					 .begin_clock = 2 * begin,
					 .end_ns = end,
					 .end_clock = 2 * end,
					 .kernel = KERNEL,
					 .block = block,
					 .grid_blocks = blocks,
					 .sm = sm };
}

static void a_block_lasts_from_its_first_warp_to_its_last(void **state)
{
	struct block_note_warp warp[] = { warp_of(NEW, 0, 2, 5, 110, 150),
					  warp_of(NEW, 0, 2, 5, 100, 140),
					  warp_of(NEW, 1, 2, 6, 105, 120),
					  warp_of(NEW, 1, 2, 6, 106, 190),
					  { 0 } };
	struct block_note_launch launch;

	(void)state;
	assert_int_equal(block_notes_join(warp, 5, &launch), 1);
	assert_int_equal(launch.count, 2);
	assert_int_equal(launch.first_ns, 100);
	assert_int_equal(launch.kernel, KERNEL);
	assert_int_equal(launch.block[0].begin_ns, 100);
	assert_int_equal(launch.block[0].end_ns, 150);
	assert_int_equal(launch.block[0].sm, 5);
	assert_int_equal(launch.block[1].begin_clock, 210);
	assert_int_equal(launch.block[1].end_clock, 380);
	free(launch.block);
}

static void what_an_earlier_launch_left_in_a_slot_is_not_taken(void **state)
{
	struct block_note_warp warp[] = { warp_of(NEW, 0, 2, 5, 1000, 1500),
					  warp_of(NEW, 1, 2, 6, 1005, 1200),
					  warp_of(OLD, 2, 4, 5, 100, 150),
					  warp_of(OLD, 3, 4, 6, 100, 150) };
	struct block_note_launch launch;

	(void)state;
	assert_int_equal(block_notes_join(warp, 4, &launch), 1);
	assert_int_equal(launch.count, 2);
	assert_int_equal(launch.grid, NEW);
	assert_int_equal(launch.grid_blocks, 2);
	free(launch.block);
}

static void a_slot_that_nobody_used_holds_no_launch(void **state)
{
	struct block_note_warp warp[2] = {
		{ 0 }, warp_of(NEW, 0, 1, 0, 100, 50)
	}; /* a warp that never ended */
	struct block_note_launch launch;

	(void)state;
	assert_int_equal(block_notes_join(warp, 2, &launch), 0);
	assert_null(launch.block);
}

/* A spool with two launches of two blocks, the later one first. */
static void convert(struct trace *trace, uint32_t kernels)
{
	static char name[] = "k", call[] = "cudaLaunchKernel_v7000";
	char *string[] = { NULL, name, call };
	struct spool_kernel kernel[2] = { { .name = 1,
					    .start_ns = 100,
					    .end_ns = 200,
					    .grid_id = OLD,
					    .correlation = 11,
					    .grid = { 3, 1, 1 } },
					  { .name = 1,
					    .start_ns = 300,
					    .end_ns = 400,
					    .grid_id = NEW,
					    .correlation = 12,
					    .grid = { 2, 1, 1 } } };
	struct spool_api api[2] = {
		{ .name = 2, .start_ns = 50, .end_ns = 60, .tid = 1, .correlation = 11 },
		{ .name = 2, .start_ns = 70, .end_ns = 80, .tid = 1, .correlation = 12 }
	};
	struct spool_blocks launch[2] = {
		{ .launch = 0, .kernel = 1, .grid = NEW, .grid_blocks = 2 },
		{ .launch = 1, .kernel = 1, .grid = OLD, .grid_blocks = 3 }
	};
	struct spool_block block[] = {
		{ .launch = 0,
		  .block = 1,
		  .sm = 4,
		  .begin_ns = 90500,
		  .end_ns = 90900,
		  .begin_clock = 7600,
		  .end_clock = 8000 },
		{ .launch = 0,
		  .block = 0,
		  .sm = 2,
		  .begin_ns = 90400,
		  .end_ns = 90800,
		  .begin_clock = 560,
		  .end_clock = 900 },
		{ .launch = 1,
		  .block = 0,
		  .sm = 2,
		  .begin_ns = 90000,
		  .end_ns = 90100,
		  .begin_clock = 500,
		  .end_clock = 550 },
		{ .launch = 1,
		  .block = 1,
		  .sm = 4,
		  .begin_ns = 90010,
		  .end_ns = 90110,
		  .begin_clock = 7000,
		  .end_clock = 7500 },
		{ .launch = 9,
		  .block = 1,
		  .sm = 4,
		  .begin_ns = 90010,
		  .end_ns = 90110,
		  .begin_clock = 7000,
		  .end_clock = 7500 },
	};
	struct spool spool = { .kernel = kernel,
			       .kernel_count = kernels,
			       .api = api,
			       .api_count = 2,
			       .blocks = launch,
			       .blocks_count = 2,
			       .block = block,
			       .block_count = 5,
			       .string = string,
			       .string_count = 3,
			       .pid = 4711,
			       .ended = true };

	trace_init(trace);
	spool_convert(trace, &spool);
}

static void launches_come_in_the_order_in_which_they_began_with_small_times(void **state)
{
	struct trace trace;

	(void)state;
	convert(&trace, 2);
	assert_int_equal(trace.block_count, 4);
	assert_int_equal(trace.block[0].launch, 0);
	assert_int_equal(trace.block[0].correlation, 11);
	assert_int_equal(trace.block[0].begin_ns, 0);
	assert_int_equal(trace.block[0].end_ns, 100);
	assert_int_equal(trace.block[0].begin_clock, 0);
	assert_int_equal(trace.block[1].begin_ns, 10);
	assert_int_equal(trace.block[1].begin_clock, 0);
	assert_int_equal(trace.block[2].launch, 1);
	assert_int_equal(trace.block[2].correlation, 12);
	assert_int_equal(trace.block[2].block, 0);
	assert_int_equal(trace.block[3].begin_ns, 500);
	assert_int_equal(trace.block[3].begin_clock, 600);
	assert_string_equal(trace_text(&trace, trace.block[3].kernel), "k");
	trace_release(&trace);
}

static void what_is_missing_of_the_notes_is_counted(void **state)
{
	struct trace trace;

	(void)state;
	convert(&trace, 1);
	assert_int_equal(trace_losses(&trace, "blocks-astray"), 1);
	assert_int_equal(trace_losses(&trace, "blocks-not-noted"), 1);
	assert_int_equal(trace_losses(&trace, "blocks-without-kernel"), 1);
	assert_int_equal(trace.block[2].correlation, -1);
	trace_release(&trace);
}

/* Two SMs at 2 GHz under a timer that ticks in steps of 1000 ns; the second SM's clock starts
 * elsewhere. */
static void fill(struct trace *trace)
{
	static const struct {
		uint32_t sm;
		int64_t begin_ns, end_ns;
	} truth[] = { { 0, 1100, 1900 },
		      { 0, 1150, 2100 },
		      { 0, 1950, 2700 },
		      { 0, 2150, 3050 },
		      { 1, 1120, 2010 } };
	struct trace_block block[5];

	trace_init(trace);
	*trace_add_clock(trace) = (struct trace_clock){ .device = 0, .sm_khz = 2000000 };
	for (size_t i = 0; i < 5; i++)
		block[i] = (struct trace_block){ .correlation = -1,
						 .block = (uint32_t)i,
						 .sm = truth[i].sm,
						 .begin_ns = truth[i].begin_ns / 1000 * 1000,
						 .end_ns = truth[i].end_ns / 1000 * 1000,
						 .begin_clock =
							 2 * truth[i].begin_ns + 5000 * truth[i].sm,
						 .end_clock =
							 2 * truth[i].end_ns + 5000 * truth[i].sm };
	assert_int_equal(trace_add_blocks(trace, "k", block, 5), 0);
	assert_int_equal(trace_add_blocks(trace, "k", block, 1), 1);
}

static void assert_near(double value, double wanted)
{
	assert_true(value > wanted - 1e-6 && value < wanted + 1e-6);
}

static void release(struct block_timeline *timeline, size_t count, struct trace *trace)
{
	for (size_t k = 0; k < count; k++)
		block_timeline_release(&timeline[k]);
	free(timeline);
	trace_release(trace);
}

static void clocks_are_finer_than_the_timer_they_are_laid_on(void **state)
{
	struct block_timeline *timeline;
	struct trace trace;
	size_t count;

	(void)state;
	fill(&trace);
	count = block_timelines(&trace, &timeline);
	assert_int_equal(count, 2);
	assert_int_equal(timeline[0].count, 5);
	/* SM 0 saw the timer 50 ns after a tick, SM 1 10 ns after one: so its blocks lie 40 ns
	 * earlier against those of SM 0 than they should. */
	assert_near(timeline[0].span[0].end_ns - timeline[0].span[0].begin_ns, 800);
	assert_near(timeline[0].span[4].begin_ns - timeline[0].span[0].begin_ns, 20 + 40);
	assert_near(timeline[0].span_ns, 1950);
	assert_near(timeline[0].mean_ns, (800 + 950 + 750 + 900 + 890) / 5.0);
	release(timeline, count, &trace);
}

static void a_block_takes_the_place_of_one_that_has_ended(void **state)
{
	static const uint32_t slot[5] = { 0, 1, 0, 1, 0 };
	struct block_timeline *timeline;
	struct trace trace;
	size_t count;

	(void)state;
	fill(&trace);
	count = block_timelines(&trace, &timeline);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(timeline[0].span[i].slot, slot[i]);
	assert_int_equal(timeline[0].slots, 2);
	assert_int_equal(timeline[0].waves, 2);
	assert_int_equal(timeline[0].sms, 2);
	assert_int_equal(timeline[0].least_an_sm, 1);
	assert_int_equal(timeline[0].most_an_sm, 4);
	release(timeline, count, &trace);
}

/* A block that begins in the very moment in which another ends takes its place: one a time is one
 * place. */
static void a_place_is_free_from_the_moment_its_block_ends(void **state)
{
	static const struct {
		int64_t begin_ns, end_ns;
	} truth[] = { { 1000, 2000 }, { 2000, 3000 }, { 3000, 4000 } };
	struct block_timeline *timeline;
	struct trace_block block[3];
	struct trace trace;
	size_t count;

	(void)state;
	trace_init(&trace);
	for (uint32_t i = 0; i < 3; i++) /* no clocks: times are the timer's */
		block[i] = (struct trace_block){ .correlation = -1,
						 .block = i,
						 .begin_ns = truth[i].begin_ns,
						 .end_ns = truth[i].end_ns,
						 .begin_clock = -1,
						 .end_clock = -1 };
	assert_int_equal(trace_add_blocks(&trace, "k", block, 3), 0);
	count = block_timelines(&trace, &timeline);
	assert_int_equal(count, 1);
	assert_int_equal(timeline[0].slots, 1);
	assert_int_equal(timeline[0].waves, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(timeline[0].span[i].slot, 0);
	release(timeline, count, &trace);
}

static int64_t anomalies(const struct trace *trace, const char *kind)
{
	struct trace_anomaly anomaly[TRACE_ANOMALY_MAX];
	int64_t incomplete;
	int count = trace_check(trace, anomaly, &incomplete);

	for (int i = 0; i < count; i++)
		if (!strcmp(anomaly[i].kind, kind))
			return anomaly[i].count;
	return -1;
}

static void blocks_that_contradict_themselves_are_anomalies(void **state)
{
	struct trace trace;

	(void)state;
	fill(&trace);
	assert_int_equal(anomalies(&trace, "contradicting-blocks"), 0);
	trace.block[0].end_ns = trace.block[0].begin_ns - 1;
	trace.block[2].block = trace.block[3].block;
	assert_int_equal(anomalies(&trace, "contradicting-blocks"), 2);
	trace.block[4].correlation = 99;
	assert_int_equal(anomalies(&trace, "orphan-blocks"), 1);
	trace_release(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_lasts_from_its_first_warp_to_its_last),
		cmocka_unit_test(what_an_earlier_launch_left_in_a_slot_is_not_taken),
		cmocka_unit_test(a_slot_that_nobody_used_holds_no_launch),
		cmocka_unit_test(launches_come_in_the_order_in_which_they_began_with_small_times),
		cmocka_unit_test(what_is_missing_of_the_notes_is_counted),
		cmocka_unit_test(clocks_are_finer_than_the_timer_they_are_laid_on),
		cmocka_unit_test(a_block_takes_the_place_of_one_that_has_ended),
		cmocka_unit_test(a_place_is_free_from_the_moment_its_block_ends),
		cmocka_unit_test(blocks_that_contradict_themselves_are_anomalies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
