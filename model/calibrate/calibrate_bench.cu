/* SPDX-License-Identifier: MIT
 * The team of host threads and the statistics: every number is a median of batches that all threads
 * begin together.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "calibrate_internal.h"

int bench_fail(struct bench *bench)
{
	__atomic_store_n(&bench->failed, 1, __ATOMIC_RELEASE);
	return -1;
}

int cuda_check(struct bench *bench, cudaError_t error, const char *call)
{
	if (error == cudaSuccess)
		return 0;
	/* One message: the other threads' errors follow from the first. */
	if (!__atomic_exchange_n(&bench->failed, 1, __ATOMIC_ACQ_REL))
		report("calibrate: %s: %s", call, cudaGetErrorString(error));
	return -1;
}

int member_meet(struct member *member)
{
	struct bench *bench = member->bench;
	unsigned generation = __atomic_load_n(&bench->generation, __ATOMIC_ACQUIRE);
	if (__atomic_add_fetch(&bench->arrived, 1, __ATOMIC_ACQ_REL) ==
	    static_cast<unsigned>(member->team)) {
		__atomic_store_n(&bench->arrived, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&bench->generation, generation + 1, __ATOMIC_RELEASE);
		return __atomic_load_n(&bench->failed, __ATOMIC_ACQUIRE) ? -1 : 0;
	}
	int64_t begun_ns = 0;
	for (unsigned spins = 1;
	     __atomic_load_n(&bench->generation, __ATOMIC_ACQUIRE) == generation; spins++) {
		if (spins % 4096)
			continue;
		if (__atomic_load_n(&bench->failed, __ATOMIC_ACQUIRE))
			return -1;
		int64_t now_ns = monotonic_ns();
		if (!begun_ns)
			begun_ns = now_ns;
		if (now_ns - begun_ns > bench->meet_limit_s * INT64_C(1000000000)) {
			if (!__atomic_exchange_n(&bench->failed, 1, __ATOMIC_ACQ_REL))
				report("calibrate: thread %d of %d waited %d s for the others",
				       member->index, member->team, bench->meet_limit_s);
			return -1;
		}
	}
	return __atomic_load_n(&bench->failed, __ATOMIC_ACQUIRE) ? -1 : 0;
}

struct run { /* one measurement */
	batch_fn *fn;
	void *arg;
	int64_t begun_ns;
	int batches, stop;
	double sample[MAX_GPUS][FULL_BATCHES];
};

struct member_start {
	struct member member;
	struct run *run;
};

static bool enough(const struct bench *bench, const struct run *run)
{
	double spent_s = 1e-9 * static_cast<double>(monotonic_ns() - run->begun_ns);
	return run->batches == FULL_BATCHES ||
	       (run->batches >= LEAST_BATCHES && spent_s > bench->slice_s) ||
	       (run->batches >= 3 && spent_s > 4 * bench->slice_s);
}

static void *member_main(void *start_arg)
{
	struct member_start *start = static_cast<struct member_start *>(start_arg);
	struct member *member = &start->member;
	struct run *run = start->run;
	/* The first batch warms up: threads, caches, what the driver loads late. */
	if (cuda_check(member->bench, cudaSetDevice(member->kit->gpu), "cudaSetDevice"))
		return NULL;
	for (int batch = -1;; batch++) {
		double value = NAN;
		if (member_meet(member))
			break;
		if (run->fn(member, run->arg, &value)) {
			bench_fail(member->bench);
			break;
		}
		if (batch >= 0)
			run->sample[member->index][batch] = value;
		if (member_meet(member))
			break;
		if (member->index == 0) {
			run->batches = batch + 1;
			run->stop = enough(member->bench, run);
			if (batch < 0)
				run->begun_ns = monotonic_ns();
		}
		if (member_meet(member) || run->stop)
			break;
	}
	return NULL;
}

static int summarise(struct bench *bench, const struct run *run, int team, const char *phase,
		     struct measured *out)
{
	double all[MAX_GPUS * FULL_BATCHES], medians[MAX_GPUS];
	size_t all_count = 0, members = 0;
	for (int t = 0; t < team; t++) {
		size_t first = all_count;
		for (int batch = 0; batch < run->batches; batch++)
			if (isfinite(run->sample[t][batch]))
				all[all_count++] = run->sample[t][batch];
		out->of_member[t] = NAN;
		if (all_count - first < 2 ||
		    all_count - first < static_cast<size_t>(run->batches) / 2)
			continue;
		out->of_member[t] = median_of(all + first, all_count - first);
		medians[members++] = out->of_member[t];
	}
	if (!members) {
		if (!__atomic_load_n(&bench->failed, __ATOMIC_ACQUIRE))
			report("calibrate: %s: no batch gave a number: the GPU did not wait for "
			       "the host",
			       phase);
		return bench_fail(bench);
	}
	out->value = median_of(medians, members);
	for (size_t i = 0; i < all_count; i++)
		all[i] = fabs(all[i] - out->value);
	out->spread = median_of(all, all_count);
	out->batches = run->batches;
	return 0;
}

int bench_measure(struct bench *bench, int team, const char *phase, double x, batch_fn *fn,
		  void *arg, struct measured *out)
{
	struct run run = { fn, arg, monotonic_ns(), 0, 0, {} };
	struct member_start start[MAX_GPUS];
	pthread_t thread[MAX_GPUS];
	char window[128];
	int started = 0;
	if (team < 1 || team > MAX_GPUS)
		return report("calibrate: %s: %d threads are not supported", phase, team);
	bench->arrived = 0;
	snprintf(window, sizeof(window), "phase=%s x=%.17g", phase, x);
	if (bench->notes)
		bench->notes->run("calibrate", window, static_cast<uint32_t>(team));
	for (; started < team; started++) {
		start[started].member = { bench, started, team,
					  &bench->kit[started % bench->gpus] };
		start[started].run = &run;
		if (pthread_create(&thread[started], NULL, member_main, &start[started])) {
			report("calibrate: cannot start a thread");
			bench_fail(bench);
			break;
		}
	}
	for (int t = 0; t < started; t++)
		pthread_join(thread[t], NULL);
	if (bench->notes)
		bench->notes->run(NULL, NULL, 0);
	if (__atomic_load_n(&bench->failed, __ATOMIC_ACQUIRE))
		return -1;
	return summarise(bench, &run, team, phase, out);
}

void bench_emit(struct bench *bench, const char *key, const double *values, const double *spread,
		size_t count, const char *how)
{
	bench->calibration->emit(bench->calibration->sink, key, values, spread, count, how);
}

void bench_emit_measured(struct bench *bench, const char *key, const struct measured *measured,
			 size_t count, const char *how)
{
	double values[MAX_POINTS], spread[MAX_POINTS];
	for (size_t i = 0; i < count && i < MAX_POINTS; i++) {
		values[i] = fmax(measured[i].value, 0);
		spread[i] = measured[i].spread;
	}
	bench_emit(bench, key, values, spread, count, how);
}

void bench_progress(struct bench *bench, const char *what)
{
	if (bench->calibration->progress)
		bench->calibration->progress(bench->calibration->sink, what, 0);
}
