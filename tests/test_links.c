/* SPDX-License-Identifier: MIT
 * Shared links against times worked out by hand, and the properties of max-min fairness on random
 * sets of flows.
 */

#include <math.h>
#include <stdlib.h>

#include "links_kit.h"

enum { FLOWS_MAX = 16 };

/* Peer copies: each uses its source's way out and its target's way in. */
static bool uses(const struct start *start, uint32_t link)
{
	return link == 2u * start->copy.source_gpu || link == 2u * start->copy.target_gpu + 1;
}

static void check_shares(const struct links *links, const struct start *start, uint32_t count)
{
	const double link_bytes_per_ps = links->platform->nvlink_bytes_per_s * 1e-12;
	double used[16] = { 0 }, most[16] = { 0 };
	for (uint32_t k = 0; k < count; k++)
		for (uint32_t link = 0; link < 16; link++) {
			double rate = uses(&start[k], link) ? links_rate(links, k) : 0;
			used[link] += rate * own_rate(&start[k]);
			most[link] = rate > most[link] ? rate : most[link];
		}
	for (uint32_t link = 0; link < 16; link++)
		assert_true(used[link] <= link_bytes_per_ps * (1 + 1e-6));
	for (uint32_t k = 0; k < count; k++) {
		/* who runs below its own rate has a full link to show, shared as fairly */
		double rate = links_rate(links, k);
		bool held_back = rate > 0 && rate < 1 - 1e-9, has_reason = false;
		for (uint32_t link = 0; held_back && link < 16; link++)
			has_reason |= uses(&start[k], link) &&
				      used[link] >= link_bytes_per_ps * (1 - 1e-6) &&
				      rate >= most[link] * (1 - 1e-6);
		assert_true(!held_back || has_reason);
	}
}

/* The flows on links that are free but for their width: when each ends, in ns. */
static void assert_ends(const struct start *start, uint32_t count, const double *expected)
{
	double end[FLOWS_MAX];
	struct platform platform;
	platform_of(&platform, "free");
	run_flows(&platform, 0, start, count, end, check_shares);
	for (uint32_t k = 0; k < count; k++)
		NEAR(end[k], expected[k]);
	platform_release(&platform);
}

static void a_flow_alone_takes_its_own_time(void **state)
{
	const struct start start[] = { { 10, PEER(0, 1, 1000), 0 }, { 5000, PEER(1, 0, 300), 0 } };
	(void)state;
	assert_ends(start, 2, (double[]){ 1010, 5300 });
}

static void two_flows_on_one_link_take_twice_as_long(void **state)
{
	const struct start start[] = { { 0, PEER(0, 1, 1000), 0 }, { 0, PEER(0, 2, 1000), 0 } };
	(void)state;
	assert_ends(start, 2, (double[]){ 2000, 2000 });
}

static void a_late_flow_slows_what_is_left_of_the_first(void **state)
{
	/* A alone for 500, both at half for 1000 until A ends, then B alone for its last 500. */
	const struct start start[] = { { 0, PEER(0, 1, 1000), 0 }, { 500, PEER(2, 1, 1000), 0 } };
	(void)state;
	assert_ends(start, 2, (double[]){ 1500, 2000 });
}

static void a_link_is_free_again_when_its_flows_ended_at_one_instant(void **state)
{
	const struct start start[] = { { 0, PEER(0, 1, 1000), 0 },
				       { 0, PEER(0, 2, 1000), 0 },
				       { 2000, PEER(0, 1, 700), 0 },
				       { 3000, PEER(0, 3, 500), 0 },
				       { 3000, PEER(0, 4, 500), 0 } };
	(void)state;
	/* The third starts at the very instant the others end: it meets none of their work. */
	assert_ends(start, 5, (double[]){ 2000, 2000, 2700, 4000, 4000 });
}

static void opposite_directions_do_not_share(void **state)
{
	const struct start start[] = { { 0, PEER(0, 1, 1000), 0 }, { 0, PEER(1, 0, 1000), 0 } };
	(void)state;
	assert_ends(start, 2, (double[]){ 1000, 1000 });
}

static void what_a_bottleneck_leaves_goes_to_the_others(void **state)
{
	/* Three flows leave GPU 0 at a third each; the fourth gets the two thirds that 0 -> 3
	 * leaves of GPU 3's way in. */
	const struct start start[] = {
		{ 0, PEER(0, 1, 1000), 0 },
		{ 0, PEER(0, 2, 1000), 0 },
		{ 0, PEER(0, 3, 1000), 0 },
		{ 0, PEER(4, 3, 2000), 0 },
	};
	(void)state;
	assert_ends(start, 4, (double[]){ 3000, 3000, 3000, 3000 });
}

static void a_small_copy_bound_by_latency_disturbs_nobody(void **state)
{
	/* 8 bytes in 2000 ns ask next to nothing; 900 bytes in 1000 ns leave room on the link. */
	const struct start start[] = { { 0, PEER(0, 1, 900), 1000 }, { 0, PEER(0, 2, 8), 2000 } };
	(void)state;
	assert_ends(start, 2, (double[]){ 1000, 2000 });
}

static void copies_inside_a_gpu_use_no_link(void **state)
{
	struct start start[] = { { 0, PEER(0, 0, 1000), 0 }, { 0, PEER(0, 0, 1000), 0 } };
	double end[FLOWS_MAX];
	(void)state;
	struct platform platform;
	platform_of(&platform, "free");
	start[0].copy.kind = start[1].copy.kind = COPY_D2D;
	run_flows(&platform, 0, start, 2, end, NULL);
	NEAR(end[0], 1000);
	NEAR(end[1], 1000);
	platform_release(&platform);
}

static void the_host_bridge_carries_what_its_curve_says_for_so_many_gpus(void **state)
{
	struct start start[4];
	double end[FLOWS_MAX];
	(void)state;
	struct platform platform;
	platform_of(&platform, "free");
	set(&platform, "share.h2d.bytes_per_s", 2e9);
	for (int k = 0; k < 4; k++)
		start[k] = (struct start){ 0,
					   { .kind = COPY_H2D,
					     .source_gpu = 0xffff,
					     .target_gpu = (uint16_t)k,
					     .bytes = 1000,
					     .rows = 1 },
					   0 };
	run_flows(&platform, 0, start, 4, end, NULL);
	for (int k = 0; k < 4; k++)
		NEAR(end[k], 2000);
	run_flows(&platform, 0, start, 2, end, NULL);
	NEAR(end[0], 1000);
	/* the way down is not the way up */
	start[1].copy = (struct schedule_copy){
		.kind = COPY_D2H, .source_gpu = 1, .target_gpu = 0xffff, .bytes = 1000, .rows = 1
	};
	start[3].copy = (struct schedule_copy){
		.kind = COPY_D2H, .source_gpu = 3, .target_gpu = 0xffff, .bytes = 1000, .rows = 1
	};
	run_flows(&platform, 0, start, 4, end, NULL);
	for (int k = 0; k < 4; k++)
		NEAR(end[k], 1000);
	platform_release(&platform);
}

/* Eight bytes a nanosecond each way alone, 12.8 both ways: 6.4 each. Where half of a copy's time is
 * no byte's, half of it is slowed. Free ways are free both ways. */
static void a_gpu_copies_both_ways_at_once_as_was_measured(void **state)
{
	struct start start[] = {
		{ 0,
		  { .kind = COPY_H2D,
		    .source_gpu = 0xffff,
		    .target_gpu = 1,
		    .bytes = 8000,
		    .rows = 1 },
		  1000 },
		{ 0,
		  { .kind = COPY_D2H,
		    .source_gpu = 1,
		    .target_gpu = 0xffff,
		    .bytes = 8000,
		    .rows = 1 },
		  1000 },
		{ 5000,
		  { .kind = COPY_D2H,
		    .source_gpu = 2,
		    .target_gpu = 0xffff,
		    .bytes = 8000,
		    .rows = 1 },
		  1000 },
	};
	double end[FLOWS_MAX], gpus[] = { 1 }, bytes_per_s[] = { 12.8e9 };
	struct platform platform;
	(void)state;
	platform_of(&platform, "free");
	platform.share_both.x = (struct number_list){ gpus, 1 };
	platform.share_both.y = (struct number_list){ bytes_per_s, 1 };
	run_flows(&platform, 0, start, 3, end, NULL);
	NEAR(end[0], 1250);
	NEAR(end[1], 1250);
	NEAR(end[2], 6000);
	start[0].copy.bytes = start[1].copy.bytes = 4000;
	run_flows(&platform, 0, start, 3, end, NULL);
	NEAR(end[0], 1125);
	NEAR(end[1], 1125);
	NEAR(end[2], 6000);
	start[1].copy.bytes = 8000; /* three quarters of both times */
	run_flows(&platform, 0, start, 3, end, NULL);
	NEAR(end[0], 1187.5);
	platform.mechanisms.off[MECHANISM_SHARING] = true;
	run_flows(&platform, 0, start, 3, end, NULL);
	NEAR(end[0], 1000);
	platform.mechanisms.off[MECHANISM_SHARING] = false;
	set(&platform, "share.h2d.bytes_per_s", INFINITY);
	run_flows(&platform, 0, start, 3, end, NULL);
	NEAR(end[0], 1000);
	platform.share_both = (struct curve){ 0 };
	platform_release(&platform);
}

static void random_flows_keep_capacity_and_max_min_fairness_at_every_instant(void **state)
{
	(void)state;
	struct platform platform;
	platform_of(&platform, "free");
	srand(3);
	for (int round = 0; round < 200; round++) {
		struct start start[FLOWS_MAX];
		double end[FLOWS_MAX];
		sim_time at_ns = 0;
		uint32_t count = 2 + (uint32_t)rand() % (FLOWS_MAX - 1);
		for (uint32_t k = 0; k < count; k++) {
			int from = rand() % 8, to = (from + 1 + rand() % 7) % 8;
			start[k] = (struct start){
				at_ns, PEER((uint16_t)from, (uint16_t)to, 100 + rand() % 5000), 0
			};
			start[k].solo_ns = start[k].copy.bytes *
					   (1 + rand() % 3); /* some ask less than the link has */
			at_ns += rand() % 1000;
		}
		run_flows(&platform, 0, start, count, end, check_shares);
		double first = 1e18, last = 0, bytes_out[8] = { 0 };
		for (uint32_t k = 0; k < count; k++) {
			assert_true(end[k] >= (double)(start[k].at_ns + start[k].solo_ns) -
						      0.01); /* never faster than alone */
			first = (double)start[k].at_ns < first ? (double)start[k].at_ns : first;
			last = end[k] > last ? end[k] : last;
			bytes_out[start[k].copy.source_gpu] += (double)start[k].copy.bytes;
		}
		for (int g = 0; g < 8; g++)
			assert_true(bytes_out[g] <=
				    (last - first) * 1.0 +
					    1); /* one byte a ns, each GPU, each way */
	}
	platform_release(&platform);
}

static void a_flow_that_hardly_moves_ends_with_all_time(void **state)
{
	(void)state;
	struct platform platform;
	const struct start start[] = { { 0, PEER(0, 1, 1000000000), 1000000000000 },
				       { 0, PEER(0, 2, 1000000000), 1000000000000 } };
	double end[FLOWS_MAX];
	platform_of(&platform, "free");
	set(&platform, "nvlink.bytes_per_s", 1e-6);
	run_flows(&platform, 0, start, 2, end, NULL);
	NEAR(end[1], (double)SIM_LAST / 1000);
	platform_release(&platform);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flow_alone_takes_its_own_time),
		cmocka_unit_test(two_flows_on_one_link_take_twice_as_long),
		cmocka_unit_test(a_late_flow_slows_what_is_left_of_the_first),
		cmocka_unit_test(a_link_is_free_again_when_its_flows_ended_at_one_instant),
		cmocka_unit_test(opposite_directions_do_not_share),
		cmocka_unit_test(what_a_bottleneck_leaves_goes_to_the_others),
		cmocka_unit_test(a_small_copy_bound_by_latency_disturbs_nobody),
		cmocka_unit_test(copies_inside_a_gpu_use_no_link),
		cmocka_unit_test(the_host_bridge_carries_what_its_curve_says_for_so_many_gpus),
		cmocka_unit_test(a_gpu_copies_both_ways_at_once_as_was_measured),
		cmocka_unit_test(a_flow_that_hardly_moves_ends_with_all_time),
		cmocka_unit_test(random_flows_keep_capacity_and_max_min_fairness_at_every_instant),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
