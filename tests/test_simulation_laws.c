/* SPDX-License-Identifier: MIT
 * What must hold of every replay, whatever the numbers: on the solver's own plans, on a platform
 * that prices everything.
 */
#include "support.h"

#include <stdlib.h>

static const char *const configs[] = {
	"size=1000x700 iterations=13 transport=peer",
	"size=1000x700 iterations=13 transport=host",
	"size=1000x700 iterations=13 transport=peer border=4",
	"size=600x3000 iterations=9 transport=host border=5 precision=f64 kernel=paper",
	"size=300x200 iterations=40 transport=peer scheme=thesis border=3",
};
enum { CONFIGS = sizeof(configs) / sizeof(configs[0]) };

static void run(const struct schedule *schedule, const struct platform *platform,
		const struct observer *observer, struct simulation_result *result)
{
	assert_int_equal(simulate_observed(schedule, platform, observer, result), 0);
}

static sim_time core_of(const struct schedule *schedule, const struct platform *platform)
{
	struct simulation_result result;
	run(schedule, platform, NULL, &result);
	simulation_result_release(&result);
	return result.core_ps;
}

static void the_parts_of_each_gpu_add_up_to_the_core_loop(void **state)
{
	(void)state;
	struct platform platform;
	platform_of(&platform, "small");
	for (int c = 0; c < CONFIGS; c++) {
		for (uint32_t gpus = 1; gpus <= 8; gpus++) {
			struct schedule schedule;
			struct simulation_result result;
			plan_of(&schedule, configs[c], gpus);
			run(&schedule, &platform, NULL, &result);
			assert_true(result.core_ps > 0 && result.core_ps <= result.total_ps &&
				    result.total_ps <= result.end_ps);
			assert_int_equal(result.gpu_count, gpus);
			for (uint32_t g = 0; g < gpus; g++) {
				const struct breakdown *b = &result.gpu[g];
				assert_true(b->kernel_ps > 0 && b->transfer_ps >= 0 &&
					    b->sync_ps >= 0 && b->host_ps >= 0);
				assert_true(b->kernel_ps + b->transfer_ps + b->sync_ps +
						    b->host_ps ==
					    result.core_ps);
			}
			simulation_result_release(&result);
			schedule_release(&schedule);
		}
	}
	platform_release(&platform);
}

static void the_same_schedule_gives_the_same_times(void **state)
{
	(void)state;
	struct platform platform;
	platform_of(&platform, "small");
	for (int c = 0; c < CONFIGS; c++) {
		struct schedule schedule;
		struct simulation_result one, two;
		plan_of(&schedule, configs[c], 8);
		run(&schedule, &platform, NULL, &one);
		run(&schedule, &platform, NULL, &two);
		assert_true(one.core_ps == two.core_ps && one.end_ps == two.end_ps &&
			    one.events == two.events && one.ties == two.ties);
		simulation_result_release(&one);
		simulation_result_release(&two);
		schedule_release(&schedule);
	}
	platform_release(&platform);
}

static void faster_links_never_make_a_run_slower(void **state)
{
	(void)state;
	for (int c = 0; c < CONFIGS; c++) {
		struct schedule schedule;
		sim_time last = INT64_MAX;
		plan_of(&schedule, configs[c], 8);
		for (double rate = 0.25e9; rate < 1000e9; rate *= 2) {
			struct platform platform;
			platform_of(&platform, "small");
			set(&platform, "nvlink.bytes_per_s", rate);
			set(&platform, "share.h2d.bytes_per_s", rate);
			set(&platform, "share.d2h.bytes_per_s", rate);
			sim_time core = core_of(&schedule, &platform);
			assert_true(core <= last);
			last = core;
			platform_release(&platform);
		}
		schedule_release(&schedule);
	}
}

static void doubling_a_host_cost_never_makes_a_run_faster(void **state)
{
	(void)state;
	struct platform usual;
	platform_of(&usual, "small");
	for (int c = 0; c < CONFIGS; c++) {
		for (uint32_t gpus = 1; gpus <= 8; gpus *= 2) {
			struct schedule schedule;
			plan_of(&schedule, configs[c], gpus);
			sim_time before = core_of(&schedule, &usual);
			for (int kind = 0; kind < HOST_COST_COUNT; kind++) {
				struct platform dearer;
				char key[64];
				if (kind == HOST_WAIT_OWN) /* has no plain cost */
					continue;
				platform_of(&dearer, "small");
				snprintf(key, sizeof(key), "host.%s", host_cost_key[kind]);
				set(&dearer, key, 2 * platform_host_ns(&usual, kind, (int)gpus));
				sim_time after = core_of(&schedule, &dearer);
				if (after < before)
					fail_msg("%s on %u GPUs: doubling %s takes %lld ps off",
						 configs[c], gpus, key,
						 (long long)(before - after));
				platform_release(&dearer);
			}
			schedule_release(&schedule);
		}
	}
	platform_release(&usual);
}

static void free_host_calls_are_a_lower_bound(void **state)
{
	(void)state;
	struct platform usual, ideal;
	platform_of(&usual, "small");
	platform_of(&ideal, "small");
	for (int kind = 0; kind < HOST_COST_COUNT; kind++) {
		char key[64];
		if (kind == HOST_WAIT_OWN)
			continue;
		snprintf(key, sizeof(key), "host.%s", host_cost_key[kind]);
		set(&ideal, key, 0);
	}
	for (int c = 0; c < CONFIGS; c++) {
		struct schedule schedule;
		plan_of(&schedule, configs[c], 4);
		assert_true(core_of(&schedule, &ideal) < core_of(&schedule, &usual));
		schedule_release(&schedule);
	}
	platform_release(&usual);
	platform_release(&ideal);
}

static sim_time core_with_seed(const struct schedule *schedule, const struct platform *platform,
			       uint64_t seed)
{
	struct kernel_model model = { .ops = &given_model, .platform = platform };
	const struct simulation_setup setup = {
		.schedule = schedule, .platform = platform, .model = &model, .seed = seed
	};
	struct simulation_result result;
	assert_int_equal(simulation_run(&setup, &result), 0);
	simulation_result_release(&result);
	return result.core_ps;
}

static void a_seed_spreads_host_costs_the_same_way_every_time(void **state)
{
	(void)state;
	struct platform platform;
	struct schedule schedule;
	platform_of(&platform, "small");
	plan_of(&schedule, configs[0], 8);
	sim_time median = core_of(&schedule, &platform);
	assert_true(core_with_seed(&schedule, &platform, 3) ==
		    median); /* a platform that knows no spread has none */
	assert_int_equal(platform_set(&platform, "host.thread_quantiles=0.9 1 1.1"), 0);
	assert_int_equal(platform_set(&platform, "host.call_quantiles=0.8 0.9 1 1.1 1.6"), 0);
	assert_true(core_of(&schedule, &platform) == median); /* unasked for */
	int differ = 0;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		sim_time core = core_with_seed(&schedule, &platform, seed);
		assert_true(core == core_with_seed(&schedule, &platform, seed));
		differ += core != median;
	}
	assert_true(differ >= 4);
	schedule_release(&schedule);
	platform_release(&platform);
}

static void more_iterations_take_longer(void **state)
{
	(void)state;
	struct platform platform;
	sim_time last = 0;
	platform_of(&platform, "small");
	for (int iterations = 1; iterations < 60; iterations += 7) {
		struct schedule schedule;
		char config[128];
		snprintf(config, sizeof(config), "size=800x800 iterations=%d", iterations);
		plan_of(&schedule, config, 4);
		sim_time core = core_of(&schedule, &platform);
		assert_true(core > last);
		last = core;
		schedule_release(&schedule);
	}
	platform_release(&platform);
}

/* What an observer saw of one replay. */
struct seen {
	const struct schedule *schedule;
	sim_time stream_end[64], thread_end[64], kernel_ps, bytes;
	int64_t launches, copies;
	bool in_order;
};

static void see_device(void *arg, uint32_t stream, const struct schedule_op *op, int64_t index,
		       sim_time start, sim_time end)
{
	struct seen *seen = arg;
	(void)index;
	seen->in_order &= start >= seen->stream_end[stream] && end >= start;
	seen->stream_end[stream] = end;
	if (op->kind == OP_LAUNCH) {
		seen->launches++;
		seen->kernel_ps += end - start;
	} else if (op->kind == OP_COPY) {
		seen->copies++;
		seen->bytes += seen->schedule->copy[op->object].bytes;
	}
}

static void see_host(void *arg, uint32_t thread, const struct schedule_op *op, int64_t index,
		     sim_time start, sim_time end)
{
	struct seen *seen = arg;
	(void)op;
	(void)index;
	seen->in_order &= start >= seen->thread_end[thread] && end >= start;
	seen->thread_end[thread] = end;
}

static void nothing_overlaps_in_a_stream_or_thread_and_nothing_is_lost(void **state)
{
	(void)state;
	struct platform platform;
	platform_of(&platform, "small");
	for (int c = 0; c < CONFIGS; c++) {
		struct schedule schedule;
		struct simulation_result result;
		plan_of(&schedule, configs[c], 8);
		struct seen seen = { .schedule = &schedule, .in_order = true };
		const struct observer observer = { &seen, see_device, see_host };
		run(&schedule, &platform, &observer, &result);
		sim_time kernels = 0, bytes = 0;
		int64_t launches = 0, copies = 0;
		for (int64_t k = 0; k < schedule.op_count; k++) {
			const struct schedule_op *op = &schedule.op[k];
			if (op->kind == OP_LAUNCH) {
				launches++;
				kernels += schedule.shape[op->object].points * 1000;
			} else if (op->kind == OP_COPY) {
				copies++;
				bytes += schedule.copy[op->object].bytes;
			}
		}
		assert_true(seen.in_order);
		assert_true(seen.launches == launches && seen.copies == copies &&
			    seen.bytes == bytes);
		assert_true(seen.kernel_ps == kernels);
		simulation_result_release(&result);
		schedule_release(&schedule);
	}
	platform_release(&platform);
}

static void watching_changes_nothing(void **state)
{
	(void)state;
	struct platform platform;
	struct schedule schedule;
	struct simulation_result watched;
	platform_of(&platform, "small");
	plan_of(&schedule, configs[0], 8);
	struct seen seen = { .schedule = &schedule, .in_order = true };
	const struct observer observer = { &seen, see_device, see_host };
	run(&schedule, &platform, &observer, &watched);
	assert_true(watched.core_ps == core_of(&schedule, &platform));
	simulation_result_release(&watched);
	schedule_release(&schedule);
	platform_release(&platform);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_parts_of_each_gpu_add_up_to_the_core_loop),
		cmocka_unit_test(the_same_schedule_gives_the_same_times),
		cmocka_unit_test(faster_links_never_make_a_run_slower),
		cmocka_unit_test(doubling_a_host_cost_never_makes_a_run_faster),
		cmocka_unit_test(free_host_calls_are_a_lower_bound),
		cmocka_unit_test(a_seed_spreads_host_costs_the_same_way_every_time),
		cmocka_unit_test(more_iterations_take_longer),
		cmocka_unit_test(nothing_overlaps_in_a_stream_or_thread_and_nothing_is_lost),
		cmocka_unit_test(watching_changes_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
