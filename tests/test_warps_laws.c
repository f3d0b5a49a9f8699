/* SPDX-License-Identifier: MIT
 * What must hold of the warps model over shipped profiles: the same answer twice; a faster part
 * never costs; bounds of physics.
 *
 * Multiprocessors are played, event by event, and a part that is faster shifts which warp goes
 * first; that alone moves the end of a launch, as it does with any schedule (Graham 1969). What-ifs
 * are bounded by the device as it was (sim/gpu/warps.h), and none may be slower. The test also
 * holds how rarely what is played would be slower by more than 1 %, and by how much at most beyond
 * what any small change does, were it not bounded (docs/lab/laws.md). For every third launch;
 * `test_warps_laws 1` plays all of them, which takes three times as long.
 */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/gpu/warps.h"

enum { EVERY = 3, LAUNCHES_MAX = 512, WORST = 4 };
static const double SLOWER = 1.01, PLAYED_SLOWER_AT_MOST = 1.02, PLAYED_SLOWER_SHARE = 0.01,
		    A_LITTLE_SLOWER = 0.99;

/* Once FP64's pipe is faster than the ports its operands come by, the oldest warps leave no turn to
 * the loads of others. */
static const struct {
	const char *part, *launch;
	double at_most;
} known[] = { { "fp64", "micro kernel=fma64 ", 1.125 } };

struct launch {
	char *name;
	struct schedule schedule;
	struct warps_answer answer; /* as it was opened; without what `grid` owns */
	double ns;
};

struct suite {
	int every;
	struct platform platform;
	struct warps *warps;
	struct launch launch[LAUNCHES_MAX];
	int count;
};

static struct warps_answer answer_of(struct suite *suite, int k, const struct sm_device *device)
{
	struct warps_answer a;
	struct schedule *schedule = &suite->launch[k].schedule;
	warps_schedule(suite->warps);
	assert_int_equal(warps_explain(suite->warps, schedule, &schedule->shape[0], device, &a), 0);
	grid_answer_release(&a.grid);
	return a;
}

static double duration(struct suite *suite, int k, const struct sm_device *device)
{
	return answer_of(suite, k, device).grid.duration_ns;
}

/* The same where the platform's own device is another one; changed NULL: just that, as it is
 * played. */
static double duration_on(struct suite *suite, int k, const struct sm_device *device,
			  const struct sm_device *changed)
{
	const struct sm_device own = suite->platform.sm, to = changed ? *changed : own;
	struct warps *shared = suite->warps;
	const struct warps_options options = { .data = "h200x4", .allow_extrapolation = true };
	suite->platform.sm = *device;
	suite->warps =
		changed ? warps_new(&suite->platform, &options)
			: shared; /* answers of the other device are known to the shared one */
	double ns = duration(suite, k, changed ? &to : NULL);
	if (changed)
		warps_free(suite->warps);
	suite->warps = shared;
	suite->platform.sm = own;
	return ns;
}

static int open_suite(struct suite *suite)
{
	const struct warps_options options = { .data = "h200x4", .allow_extrapolation = true };
	char *path = xprintf("%s/traces/data/lists/kernels.list", util_root()), line[512],
	     solver[32], config[400];
	int gpus, n = 0;
	if (platform_read(&suite->platform, "h200x4"))
		return -1;
	suite->warps = warps_new(&suite->platform, &options);
	FILE *file = fopen(path, "r");
	if (!suite->warps || !file)
		return -1;
	while (fgets(line, sizeof(line), file))
		if (line[0] != '#' && n++ % suite->every == 0 && suite->count < LAUNCHES_MAX &&
		    sscanf(line, "%31s %d %399[^\n]", solver, &gpus, config) == 3) {
			struct launch *launch = &suite->launch[suite->count];
			launch->name = xprintf("%s %s", solver, config);
			schedule_init(&launch->schedule);
			if (solver_plan_steady(solver, config, &launch->schedule))
				return -1;
			launch->answer = answer_of(suite, suite->count++, NULL);
			launch->ns = launch->answer.grid.duration_ns;
		}
	fclose(file);
	free(path);
	return suite->count > 270 / suite->every ? 0 : -1;
}

static void close_suite(struct suite *suite)
{
	for (int k = 0; k < suite->count; k++) {
		schedule_release(&suite->launch[k].schedule);
		free(suite->launch[k].name);
	}
	warps_free(suite->warps);
	platform_release(&suite->platform);
}

static void the_same_question_gives_the_same_answer(void **state)
{
	struct suite *suite = *state;
	for (int k = 0; k < suite->count; k++)
		assert_true(duration(suite, k, NULL) == suite->launch[k].ns);
}

/* Each makes a part `by` times as fast. */
static void l2_latency(struct sm_device *d, double by)
{
	d->l2.latency_ns /= by;
}
static void dram_latency(struct sm_device *d, double by)
{
	d->dram.latency_ns /= by;
}
static void l2_rate(struct sm_device *d, double by)
{
	d->l2.read_bytes_per_s *= by;
	d->l2.write_bytes_per_s *= by;
}
static void dram_rate(struct sm_device *d, double by)
{
	d->dram.read_bytes_per_s *= by;
	d->dram.write_bytes_per_s *= by;
}
static void l1(struct sm_device *d, double by)
{
	d->latency[SASS_GLOBAL_LOAD] /= by;
	d->interval[SASS_GLOBAL_LOAD] /= by;
}
static void shared(struct sm_device *d, double by)
{
	d->latency[SASS_SHARED_LOAD] /= by;
	d->shared_wavefront_interval /= by;
}
static void special(struct sm_device *d, double by)
{
	d->interval[SASS_SPECIAL] /= by;
	d->latency[SASS_SPECIAL] /= by;
}
static void fp64(struct sm_device *d, double by)
{
	d->interval[SASS_FP64] /= by;
}
static void issue(struct sm_device *d, double by)
{
	d->issue_interval /= by;
}
static void launch_time(struct sm_device *d, double by)
{
	d->launch_ns /= by;
}
static void block_start(struct sm_device *d, double by)
{
	d->block_start_cycles /= by;
}

static const struct part {
	const char *name;
	void (*make)(struct sm_device *, double by);
} faster[] = {
	{ "l2_latency", l2_latency },
	{ "dram_latency", dram_latency },
	{ "l2_rate", l2_rate },
	{ "dram_rate", dram_rate },
	{ "l1", l1 },
	{ "shared", shared },
	{ "special", special },
	{ "fp64", fp64 },
	{ "issue", issue },
	{ "launch", launch_time },
	{ "start", block_start },
};
enum { PARTS = sizeof(faster) / sizeof(faster[0]) };

/* A launch that a faster part makes slower. */
struct offence {
	double ratio;
	int part, launch;
};

static int worst_first(const void *a, const void *b)
{
	const struct offence *x = a, *y = b;
	return (x->ratio < y->ratio) - (x->ratio > y->ratio);
}

/* Launches that take longer with a part twice as fast than with the device as it is, as far as they
 * are played; by more than `limit`, worst first. */
static int slower_as_played(struct suite *suite, double limit, struct offence *offence)
{
	int slower = 0, quicker = 0;
	for (int part = 0; part < PARTS; part++)
		for (int k = 0; k < suite->count; k++) {
			struct sm_device device = suite->platform.sm;
			faster[part].make(&device, 2);
			double ratio = duration_on(suite, k, &device, NULL) / suite->launch[k].ns;
			if (ratio > limit)
				offence[slower++] = (struct offence){ ratio, part, k };
			quicker += ratio < 1 / SLOWER;
		}
	assert_true(quicker > PARTS * suite->count / 10); /* the parts do matter */
	qsort(offence, (size_t)slower, sizeof(*offence), worst_first);
	return slower;
}

/*
 * How much longer the launch takes than with some part a little slower. Any change of a part deals
 * turns anew: where the device as it is happens to be played fast, what makes it slower by 1 %
 * costs as much as what makes it faster, and neither says anything of the part. (A stencil of 4096
 * a side takes 2 to 4 % longer with L1 from 0.9 to 8 times as fast, whatever the factor; one of
 * 8192, 3 to 4 % less.)
 */
static double ratio_beyond_chance(struct suite *suite, const struct offence *o)
{
	const double ns = suite->launch[o->launch].ns;
	double most_ns = ns;
	for (int part = 0; part < PARTS; part++) {
		struct sm_device device = suite->platform.sm;
		faster[part].make(&device, A_LITTLE_SLOWER);
		const double slower_ns = duration_on(suite, o->launch, &device, NULL);
		most_ns = slower_ns > most_ns ? slower_ns : most_ns;
	}
	return o->ratio * ns / most_ns;
}

static void a_faster_part_never_costs(void **state)
{
	struct suite *suite = *state;
	const int asked = PARTS * suite->count;
	struct offence *offence = xcalloc((size_t)asked, sizeof(*offence));
	int slower = slower_as_played(suite, 1, offence), far = 0;
	assert_true(slower > 0); /* else nothing is tested below */
	for (int i = 0; i < slower; i++) {
		const struct offence *o = &offence[i];
		struct sm_device device = suite->platform.sm;
		faster[o->part].make(&device, 2);
		assert_true(duration(suite, o->launch, &device) <=
			    suite->launch[o->launch].ns * (1 + 1e-12));
		if (i < WORST) /* nor does a slower part pay */
			assert_true(duration_on(suite, o->launch, &device, &suite->platform.sm) >=
				    o->ratio * suite->launch[o->launch].ns * (1 - 1e-12));
		if (o->ratio > SLOWER && ++far)
			printf("%.4f, %s twice as fast: %s\n", o->ratio, faster[o->part].name,
			       suite->launch[o->launch].name);
	}
	printf("%d of %d as played more than 1 %% slower, worst %.3f\n", far, asked,
	       offence[0].ratio);
	for (int i = 0; i < slower && offence[i].ratio > PLAYED_SLOWER_AT_MOST; i++) {
		const char *name = suite->launch[offence[i].launch].name,
			   *part = faster[offence[i].part].name;
		const double ratio = ratio_beyond_chance(suite, &offence[i]);
		double at_most = PLAYED_SLOWER_AT_MOST;
		for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
			if (!strcmp(part, known[k].part) &&
			    !strncmp(name, known[k].launch, strlen(known[k].launch)))
				at_most = known[k].at_most;
		printf("%.4f beyond chance, %s twice as fast: %s\n", ratio, part, name);
		if (ratio > at_most)
			fail_msg("played with %s twice as fast, %s takes %.3f times as long", part,
				 name, ratio);
	}
	if (far > PLAYED_SLOWER_SHARE * asked)
		fail_msg("%d of %d launches are played slower with a faster part", far, asked);
	free(offence);
}

/* A sweep reads what the one before wrote; a copy reads what nobody wrote. */
static void lines_just_written_cost_sweeps_and_not_copies(void **state)
{
	struct suite *suite = *state;
	struct sm_device device = suite->platform.sm;
	int sweeps = 0, quicker = 0, copies = 0;
	device.l2_far_dirty_latency_ns = 0;
	for (int k = 0; k < suite->count; k++) {
		const struct launch *launch = &suite->launch[k];
		const double ratio = duration_on(suite, k, &device, NULL) / launch->ns;
		if (!strncmp(launch->name, "micro kernel=copy", 17)) {
			assert_true(ratio == 1);
			copies++;
		} else if (!strncmp(launch->name, "rbsor ", 6) && launch->ns < 10000) {
			sweeps++;
			quicker += ratio < 0.99;
		}
	}
	assert_true(copies > 0 && sweeps > 1 && 2 * quicker > sweeps);
}

static void no_launch_beats_its_bytes_or_its_launch(void **state)
{
	struct suite *suite = *state;
	const struct sm_device *d = &suite->platform.sm;
	for (int k = 0; k < suite->count; k++) {
		const struct warps_answer a = suite->launch[k].answer;
		double dram_ns = 1e9 * (a.launch.traffic.l2_read_bytes *
					a.launch.traffic.l2_miss_share / d->dram.read_bytes_per_s);
		assert_true(a.grid.duration_ns > d->launch_ns);
		assert_true(a.grid.duration_ns > 0.95 * dram_ns);
	}
}

/* The mean distance that counted bytes are judged by says nothing of a launch that finds the end of
 * the one before and not its beginning. */
static void a_launch_that_turns_goes_by_what_it_finds(void **state)
{
	struct suite *suite = *state;
	int turned = 0;
	for (int k = 0; k < suite->count; k++) {
		const struct warps_answer a = suite->launch[k].answer;
		if (a.memory.reversed <= 0)
			continue;
		double missing = a.memory.read_miss_bytes / a.launch.traffic.l2_read_bytes;
		turned++;
		assert_true(fabs(a.launch.traffic.l2_miss_share - (missing < 1 ? missing : 1)) <
			    1e-9);
	}
	assert_true(turned > 0); /* else nothing was tested */
}

int main(int argc, char **argv)
{
	struct suite suite = { .every = argc > 1 ? atoi(argv[1]) : EVERY };
	if (suite.every < 1) {
		fprintf(stderr, "usage: test_warps_laws [EVERY]\n");
		return 2;
	}
	if (open_suite(&suite))
		return 1;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(the_same_question_gives_the_same_answer, &suite),
		cmocka_unit_test_prestate(a_faster_part_never_costs, &suite),
		cmocka_unit_test_prestate(lines_just_written_cost_sweeps_and_not_copies, &suite),
		cmocka_unit_test_prestate(no_launch_beats_its_bytes_or_its_launch, &suite),
		cmocka_unit_test_prestate(a_launch_that_turns_goes_by_what_it_finds, &suite),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);
	close_suite(&suite);
	return rc;
}
