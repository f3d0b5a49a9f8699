/* SPDX-License-Identifier: MIT
 * What unit programs share: cmocka's preamble, the test platforms, a kernel model of given
 * durations, messages caught, plans.
 */
#ifndef WARPREEL_TESTS_SUPPORT_H
#define WARPREEL_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/kit/solver.h"
#include "sim/engine/simulation.h"
#include "traces/base/util.h"

/* To a hundredth. */
#define NEAR(value, expected)                                                                      \
	do {                                                                                       \
		double value_ = (value), expected_ = (expected);                                   \
		if (fabs(value_ - expected_) > 0.01)                                               \
			fail_msg("%s is %.3f, expected %.3f", #value, value_, expected_);          \
	} while (0)

/* A whole file of at most 128 KiB; owned by the caller. */
static inline char *text_of(const char *path)
{
	char *text = xcalloc(1 << 17, 1);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	assert_true(fread(text, 1, (1 << 17) - 1, file) > 0);
	fclose(file);
	return text;
}

/* Everything free (tests/cases/lib/free.ini), or round numbers that no machine has (small.ini). */
static inline void platform_of(struct platform *platform, const char *name)
{
	char path[256];
	snprintf(path, sizeof(path), "tests/cases/lib/%s.ini", name);
	assert_int_equal(platform_read(platform, path), 0);
}

static inline void set(struct platform *platform, const char *key, double value)
{
	char assignment[256];
	snprintf(assignment, sizeof(assignment), "%s=%.17g", key, value);
	assert_int_equal(platform_set(platform, assignment), 0);
}

/* What is written to stderr between said_begin and said_end. */
struct said {
	FILE *file;
	int saved;
	char text[4096];
};

static inline void said_begin(struct said *said)
{
	said->file = tmpfile();
	assert_non_null(said->file);
	fflush(stderr);
	said->saved = dup(STDERR_FILENO);
	dup2(fileno(said->file), STDERR_FILENO);
}

static inline const char *said_end(struct said *said)
{
	fflush(stderr);
	dup2(said->saved, STDERR_FILENO);
	close(said->saved);
	rewind(said->file);
	said->text[fread(said->text, 1, sizeof(said->text) - 1, said->file)] = 0;
	fclose(said->file);
	return said->text;
}

#define assert_says(said, part)                                                                    \
	do {                                                                                       \
		const char *text_ = said_end(said);                                                \
		if (!strstr(text_, part))                                                          \
			fail_msg("'%s' is not in the message: %s", part, text_);                   \
	} while (0)

/* A kernel takes as many ns as its shape has points. */
static inline int given_cost(struct kernel_model *model, const struct schedule *schedule,
			     const struct schedule_shape *shape, const struct schedule_op *op,
			     double *duration_ns)
{
	(void)model;
	(void)schedule;
	(void)op;
	*duration_ns = (double)shape->points;
	return 0;
}
static const struct kernel_model_ops given_model = { .name = "given",
						     .summary = "as many ns as points",
						     .cost = given_cost };

static inline int simulate_observed(const struct schedule *schedule,
				    const struct platform *platform,
				    const struct observer *observer,
				    struct simulation_result *result)
{
	struct kernel_model model = { .ops = &given_model, .platform = platform };
	const struct simulation_setup setup = {
		.schedule = schedule, .platform = platform, .model = &model, .observer = observer
	};
	return simulation_run(&setup, result);
}

/* The end of the schedule in ns; its other answers are dropped. */
static inline double end_ns(const struct schedule *schedule, const struct platform *platform)
{
	struct simulation_result result;
	assert_int_equal(schedule_validate(schedule, "test"), 0);
	assert_int_equal(simulate_observed(schedule, platform, NULL, &result), 0);
	simulation_result_release(&result);
	return (double)result.end_ps / 1000;
}

static inline void add_launch(struct schedule *schedule, uint16_t stream, int64_t ns)
{
	const struct schedule_shape shape = { .kernel = schedule_add_kernel(schedule, "kernel"),
					      .points = ns,
					      .path = -1 };
	schedule_add_op(schedule, OP_LAUNCH, stream, schedule_add_shape(schedule, &shape, NULL, 0));
}

static inline struct schedule_op *add_copy(struct schedule *schedule, uint16_t stream,
					   enum copy_kind kind, uint16_t from, uint16_t to,
					   int64_t bytes)
{
	const struct schedule_copy copy = { .kind = (uint8_t)kind,
					    .source_gpu = from,
					    .target_gpu = to,
					    .bytes = bytes,
					    .rows = 1 };
	return schedule_add_op(schedule, OP_COPY, stream, schedule_add_copy(schedule, &copy));
}

static inline void plan_of(struct schedule *schedule, const char *config, uint32_t gpus)
{
	schedule_init(schedule);
	assert_int_equal(solver_plan("rbsor", config, gpus, schedule), 0);
}

#endif
