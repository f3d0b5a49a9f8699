/* SPDX-License-Identifier: MIT */
#include "replicas.h"

#include <math.h>
#include <stddef.h>

#include "timeline.h"
#include "traces/base/util.h"

enum { REPLICAS = 15 };

/* What is summed of a result, one after the other. */
static const size_t part_at[] = {
	offsetof(struct breakdown, kernel_ps),
	offsetof(struct breakdown, transfer_ps),
	offsetof(struct breakdown, sync_ps),
	offsetof(struct breakdown, host_ps),
};
enum { PARTS = sizeof(part_at) / sizeof(part_at[0]) };

static sim_time *part_of(struct breakdown *b, int which)
{
	return (sim_time *)((char *)b + part_at[which]);
}

/* Sums of what a replica gave, to be divided by their number. */
static void add_replica(struct simulation_result *sum, const struct simulation_result *one)
{
	sum->core_ps += one->core_ps;
	sum->total_ps += one->total_ps;
	for (uint32_t g = 0; g < sum->gpu_count; g++)
		for (int k = 0; k < PARTS; k++)
			*part_of(&sum->gpu[g], k) += *part_of(&one->gpu[g], k);
}

static void divide(struct simulation_result *sum, sim_time n)
{
	sum->core_ps /= n;
	sum->total_ps /= n;
	for (uint32_t g = 0; g < sum->gpu_count; g++) {
		struct breakdown *b = &sum->gpu[g];
		b->kernel_ps /= n;
		b->transfer_ps /= n;
		b->host_ps /= n;
		b->sync_ps = sum->core_ps - b->kernel_ps - b->transfer_ps - b->host_ps;
	}
}

/* Where only the host works, no stream sees the end of what can be counted. */
static int run_once(const struct simulation_setup *setup, struct simulation_result *result)
{
	if (simulation_run(setup, result))
		return -1;
	if (result->end_ps < SIM_LAST)
		return 0;
	simulation_result_release(result);
	return report("the run takes longer than the simulator can count");
}

static void watch_ranges(struct simulation_setup *setup, struct range_sums *ranges,
			 const struct observer *other)
{
	setup->observer = other;
	if (!ranges || !ranges->times.schedule->nvtx_count)
		return;
	range_times_begin(&ranges->times, other);
	setup->observer = &ranges->times.observer;
}

static void add_ranges(struct range_sums *ranges)
{
	const struct schedule *s = ranges->times.schedule;
	for (size_t i = 0; i < s->nvtx_count; i++) {
		sim_time begin, end;
		if (s->nvtx[i].thread == UINT32_MAX) {
			ranges->ps[i] = NAN;
			continue;
		}
		range_times_of(&ranges->times, &s->nvtx[i], &begin, &end);
		ranges->ps[i] += (double)(end - begin);
		if (ranges->timeline && !ranges->replicas)
			timeline_add_range(ranges->timeline, &s->nvtx[i], begin, end);
	}
	ranges->replicas++;
}

/* ---- what is left out of a planned run ---- */

/* Sums over replicas: how unlike two windows were. */
struct windows {
	struct simulation_result shorter; /* less both windows */
	double difference_ps, squares;
	int replicas;
};

/* The two shorter runs with the seed of the longest. */
static int play_windows(const struct simulation_setup *setup, const struct planned_run *run,
			const struct simulation_result *longest, struct windows *w)
{
	struct simulation_setup one = *setup;
	struct simulation_result result[2];
	one.observer = NULL;
	one.quiet = true;
	for (int k = 0; k < 2; k++) {
		one.schedule = &run->shorter[k];
		if (run_once(&one, &result[k])) {
			if (k)
				simulation_result_release(&result[0]);
			return -1;
		}
	}
	const double later = (double)(longest->core_ps - result[0].core_ps),
		     sooner = (double)(result[0].core_ps - result[1].core_ps);
	w->difference_ps += later - sooner;
	w->squares += (later - sooner) * (later - sooner);
	if (w->replicas++) {
		add_replica(&w->shorter, &result[1]);
		simulation_result_release(&result[1]);
	} else {
		w->shorter = result[1];
	}
	simulation_result_release(&result[0]);
	return 0;
}

static int extend(sim_time *value, sim_time shorter, double by)
{
	const double longer = (double)*value + (double)(*value - shorter) * by;
	if (!(longer < (double)SIM_LAST))
		return report("the run takes longer than the simulator can count");
	*value = (sim_time)llround(longer);
	return 0;
}

/* From the beginning, summed over replicas and divided, to the whole. */
static int add_left_out(struct simulation_result *r, const struct planned_run *run,
			const struct windows *w)
{
	const double by = run->more / 2;
	const sim_time around = r->total_ps - r->core_ps;
	r->operations += run->left_out;
	/* All that is left out is of the core loop: what stands around it stays as it is. */
	if (extend(&r->core_ps, w->shorter.core_ps, by))
		return -1;
	r->total_ps = r->core_ps + around;
	for (uint32_t g = 0; g < r->gpu_count; g++) {
		struct breakdown *b = &r->gpu[g];
		sim_time rest = r->core_ps;
		for (int k = 0; k < PARTS; k++) {
			if (extend(part_of(b, k), *part_of(&w->shorter.gpu[g], k), by))
				return -1;
			rest -= *part_of(b, k);
		}
		b->sync_ps += rest; /* of rounding */
	}
	return 0;
}

/*
 * Of the whole run: two standard errors of the pace, from how unlike two windows of a replica are,
 * and not less than by what the later ones differ as a whole, as they do while a queue fills.
 */
static double error_of(const struct planned_run *run, const struct windows *w, sim_time core_ps)
{
	const double left_out = run->more / 2, noise = 2 * sqrt(w->squares) / w->replicas,
		     trend = fabs(w->difference_ps) / w->replicas;
	return core_ps > 0 ? left_out * fmax(noise, trend) / (double)core_ps : 0;
}

/* One replica, and its windows where iterations are left out; added to the sum. */
static int play_replica(const struct simulation_setup *setup, const struct planned_run *run,
			struct simulation_result *sum, struct windows *windows)
{
	struct simulation_result result;
	if (run_once(setup, &result))
		return -1;
	if (run && play_windows(setup, run, &result, windows)) {
		simulation_result_release(&result);
		return -1;
	}
	if (setup->seed <= 1) {
		*sum = result;
		return 0;
	}
	add_replica(sum, &result);
	simulation_result_release(&result);
	return 0;
}

int replicas_run(struct simulation_setup *setup, int replicas, const struct planned_run *run,
		 struct simulation_result *sum, struct range_sums *ranges, double *error)
{
	const struct observer *told = setup->observer;
	const bool spread = replicas != 1 && setup->platform->call_quantiles.count > 0;
	const uint64_t seeds = spread ? REPLICAS : 1;
	struct windows windows = { 0 };
	int rc = 0;
	run = run && run->skips ? run : NULL;
	*sum = (struct simulation_result){ 0 };
	for (uint64_t n = 1; n <= seeds && !rc; n++) {
		setup->seed = spread ? n : 0;
		watch_ranges(setup, ranges, n == 1 ? told : NULL);
		rc = play_replica(setup, run, sum, &windows);
		if (!rc && ranges)
			add_ranges(ranges);
	}
	if (!rc && spread)
		divide(sum, (sim_time)seeds);
	if (!rc && run && spread)
		divide(&windows.shorter, (sim_time)seeds);
	if (!rc && run)
		rc = add_left_out(sum, run, &windows);
	*error = !rc && run ? error_of(run, &windows, sum->core_ps) : 0;
	simulation_result_release(&windows.shorter);
	if (rc)
		simulation_result_release(sum);
	return rc;
}
