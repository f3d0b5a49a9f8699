/* SPDX-License-Identifier: MIT
 * What stands beside a published number: the same run measured on the machine of today, and
 * simulated on any device.
 */
#ifndef WARPREEL_PAPER_RUNS_H
#define WARPREEL_PAPER_RUNS_H

#include "sim/gpu/ideal.h"
#include "sim/validate/measured.h"
#include "sim/answers/predict.h"
#include "sim/answers/thesis_times.h"

struct paper_device; /* a platform, opened once */
struct paper_known;  /* a run that was simulated already */

struct paper_runs {
	const struct program *program; /* borrowed */
	const char *solver,
		*today; /* family of the paper's runs, platform of the measurements; borrowed */
	struct measured runs, launches; /* empty where nothing was measured */
	struct paper_device *device;
	size_t device_count, device_capacity;
	struct paper_known *known;
	size_t known_count, known_capacity;
};

void paper_runs_init(struct paper_runs *runs, const struct program *program, const char *solver,
		     const char *today);
void paper_runs_release(struct paper_runs *runs);

/* A column of a configuration of the paper's family as text, owned by the caller; NULL: it has none
 * (struct program). */
char *paper_column(const struct paper_runs *runs, const char *config, uint32_t gpus,
		   const char *column);
/* The same as a number; 0 where there is none. */
int64_t paper_number(const struct paper_runs *runs, const char *config, uint32_t gpus,
		     const char *column);
bool paper_says(const struct paper_runs *runs, const char *config, uint32_t gpus,
		const char *column, const char *value);

struct paper_times {
	double core_us, total_us, iterations; /* NaN = not known */
};
/* A run on one GPU or on the host; where it was never run to its end, a part of it: a configuration
 * that goes on with its iterations. */
struct paper_times paper_measured(const struct paper_runs *runs, const char *config);
/* By what `predict` answers unasked; by the model `warps` where the platform has no records. The
 * configuration says how many iterations. */
int paper_simulate(struct paper_runs *runs, const char *platform, const char *config,
		   struct paper_times *times);
/* The same by the kernel model named. */
int paper_simulate_by(struct paper_runs *runs, const char *platform, const char *config,
		      const char *kernel_model, struct paper_times *times);
/* A run on several GPUs, with the thesis' times (paper 004); `times` holds the rest. */
struct paper_run {
	struct paper_times times;
	struct thesis_times thesis;
	double kernel_us; /* kernels in the core loop, mean over the GPUs */
};
int paper_simulate_run(struct paper_runs *runs, const char *platform, const char *config,
		       uint32_t gpus, struct paper_run *run);
/* Its file; NULL after a message. */
const struct platform *paper_platform(struct paper_runs *runs, const char *name);

/* The first launch of a steady iteration. */
struct paper_launch {
	struct warps_answer answer;	/* answer.grid has given its run back */
	int warps, warp_slots;		/* resident on a multiprocessor, and how many may be */
	double duration_us, period_us;	/* as a profiler reports it; from one launch to the next */
	double read_bytes, write_bytes; /* DRAM's, simulated */
	double counted_read_bytes, counted_write_bytes; /* by hardware counters, where this very
							   launch was profiled; else NaN */
};
/* `part`: made ideal; NULL = the device as it is. */
int paper_explain(struct paper_runs *runs, const char *platform, const char *config,
		  const struct ideal_part *part, struct paper_launch *launch);
/* From one launch of it to the next, measured; NaN = it was not. */
double paper_measured_launch_us(const struct paper_runs *runs, const char *config);

#endif
