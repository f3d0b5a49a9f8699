/* SPDX-License-Identifier: MIT
 * What must hold of the warps model over shipped profiles: the same answer twice; a faster part never costs; bounds of physics.
 *
 * One multiprocessor is played, event by event, and a part that is faster shifts which warp goes first; that alone moves the end of a launch, as it
 * does with any schedule (Graham 1969). The test holds how rarely by more than 1 %, and by how much at most, for every
 * third launch; `test_warps_laws 1` plays all of them, which takes three times as long.
 */
#include "support.h"

#include <math.h>
#include <stdlib.h>

#include "../sim/warps.h"

enum { EVERY = 3, LAUNCHES_MAX = 512 };
static const double SLOWER = 1.01, SLOWER_AT_MOST = 1.03, SLOWER_SHARE = 0.01;

struct launch { char *name; struct schedule schedule; double ns; };

struct suite { int every; struct platform platform; struct warps *warps; struct launch launch[LAUNCHES_MAX]; int count; };

static double duration(struct suite *suite, int k, const struct sm_device *device)
{
	struct warps_answer a;
	struct schedule *schedule = &suite->launch[k].schedule;
	warps_schedule(suite->warps);
	assert_int_equal(warps_explain(suite->warps, schedule, &schedule->shape[0], device, &a), 0);
	grid_answer_release(&a.grid);
	return a.grid.duration_ns;
}

static int open_suite(struct suite *suite)
{
	const struct warps_options options = { .data = "h200x4", .allow_extrapolation = true };
	char *path = xprintf("%s/traces/data/lists/kernels.list", util_root()), line[512], solver[32], config[400];
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
			launch->ns = duration(suite, suite->count++, NULL);
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

static void l2_latency(struct sm_device *d) { d->l2.latency_ns /= 2; }
static void dram_latency(struct sm_device *d) { d->dram.latency_ns /= 2; }
static void l2_rate(struct sm_device *d) { d->l2.read_bytes_per_s *= 2; d->l2.write_bytes_per_s *= 2; }
static void dram_rate(struct sm_device *d) { d->dram.read_bytes_per_s *= 2; d->dram.write_bytes_per_s *= 2; }
static void port(struct sm_device *d) { d->l2_port_bytes *= 2; }
static void l1(struct sm_device *d) { d->latency[SASS_GLOBAL_LOAD] /= 2; d->interval[SASS_GLOBAL_LOAD] /= 2; }
static void shared(struct sm_device *d) { d->latency[SASS_SHARED_LOAD] /= 2; d->shared_wavefront_interval /= 2; }
static void special(struct sm_device *d) { d->interval[SASS_SPECIAL] /= 2; d->latency[SASS_SPECIAL] /= 2; }
static void fp64(struct sm_device *d) { d->interval[SASS_FP64] /= 2; }
static void issue(struct sm_device *d) { d->issue_interval /= 2; }
static void launch_time(struct sm_device *d) { d->launch_ns /= 2; }
static void block_start(struct sm_device *d) { d->block_start_cycles /= 2; }

/* A launch that a faster part made slower. */
struct offence { double ratio; const char *part, *launch; };

static int worst_first(const void *a, const void *b)
{
	const struct offence *x = a, *y = b;
	return (x->ratio < y->ratio) - (x->ratio > y->ratio);
}

static void a_faster_part_hardly_ever_costs(void **state)
{
	static const struct { const char *name; void (*make)(struct sm_device *); } faster[] = {
		{ "l2_latency", l2_latency }, { "dram_latency", dram_latency }, { "l2_rate", l2_rate }, { "dram_rate", dram_rate }, { "port", port }, { "l1", l1 },
		{ "shared", shared }, { "special", special }, { "fp64", fp64 }, { "issue", issue }, { "launch", launch_time }, { "start", block_start },
	};
	const int parts = sizeof(faster) / sizeof(faster[0]);
	struct suite *suite = *state;
	struct offence *offence = xcalloc((size_t)(parts * suite->count), sizeof(*offence));
	int asked = 0, slower = 0, quicker = 0;
	double worst = 0;
	for (int part = 0; part < parts; part++)
		for (int k = 0; k < suite->count; k++) {
			struct sm_device device = suite->platform.sm;
			faster[part].make(&device);
			double ratio = duration(suite, k, &device) / suite->launch[k].ns;
			asked++;
			worst = fmax(worst, ratio);
			if (ratio > SLOWER)
				offence[slower++] = (struct offence){ ratio, faster[part].name, suite->launch[k].name };
			quicker += ratio < 1 / SLOWER;
		}
	qsort(offence, (size_t)slower, sizeof(*offence), worst_first);
	for (int i = 0; i < slower; i++)
		printf("%.4f, %s twice as fast: %s\n", offence[i].ratio, offence[i].part, offence[i].launch);
	printf("%d of %d slower, worst %.3f\n", slower, asked, worst);
	free(offence);
	if (worst > SLOWER_AT_MOST)
		fail_msg("a faster part makes a launch take %.3f times as long", worst);
	if (slower > SLOWER_SHARE * asked)
		fail_msg("%d of %d launches slower with a faster part", slower, asked);
	assert_true(quicker > asked / 10); /* the parts do matter */
}

static void no_launch_beats_its_bytes_or_its_launch(void **state)
{
	struct suite *suite = *state;
	const struct sm_device *d = &suite->platform.sm;
	for (int k = 0; k < suite->count; k++) {
		struct warps_answer a;
		struct schedule *schedule = &suite->launch[k].schedule;
		warps_schedule(suite->warps);
		assert_int_equal(warps_explain(suite->warps, schedule, &schedule->shape[0], NULL, &a), 0);
		double dram_ns = 1e9 * (a.l2_read_bytes * a.launch.l2_miss_share / d->dram.read_bytes_per_s);
		assert_true(a.grid.duration_ns > d->launch_ns);
		assert_true(a.grid.duration_ns > 0.95 * dram_ns);
		grid_answer_release(&a.grid);
	}
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
		cmocka_unit_test_prestate(a_faster_part_hardly_ever_costs, &suite),
		cmocka_unit_test_prestate(no_launch_beats_its_bytes_or_its_launch, &suite),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);
	close_suite(&suite);
	return rc;
}
