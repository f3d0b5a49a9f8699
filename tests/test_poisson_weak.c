/* SPDX-License-Identifier: MIT
 * The eight schemes of paper 003 on the CPU, and co-simulated: what they must agree on.
 */
#include <unistd.h>

#include "solver_kit.h"
#include "support.h"

#include "kernels/poisson/poisson.h"
#include "kernels/weak/weak_launch.h"
#include "sim/cosim/cosim.h"

static const char *const eight[] = {
	"base",	     "coarse",	  "ud-stripe",	      "4w-stripe", "4w-combine-stripe",
	"ud-square", "4w-square", "4w-combine-square"
};

static struct solver_result solve(const char *family, const char *format, const char *scheme)
{
	struct solver_result result;
	char config[256];
	struct machine *m = machine_cpu_new(1);
	snprintf(config, sizeof(config), format, scheme);
	assert_int_equal(run_config(m, family, config, 1, 1, &result), 0);
	m->ops->free(m);
	return result;
}

static void all_schemes_converge(void **state)
{
	(void)state;
	for (size_t k = 0; k < 8; k++) {
		const struct solver_result poisson =
			solve("poisson", "size=70 scheme=%s host-sync=20 resident=3 tolerance=2",
			      eight[k]);
		assert_false(poisson.unconverged);
		assert_true(poisson.residual <= 2 * (1 - cos(acos(-1.0) / 69)) * 1.01);
		assert_false(solve("shape", "size=70 scheme=%s host-sync=20 resident=3", eight[k])
				     .unconverged);
	}
}

static void synchronous_steps_do_not_depend_on_who_makes_them(void **state)
{
	(void)state;
	const char *const format = "size=75 steps=50 scheme=%s host-sync=7 inner=jacobi";
	const struct solver_result base = solve("poisson", format, "base");
	assert_true(base.checksum == solve("poisson", format, "graph").checksum);
	assert_true(base.checksum == solve("poisson", format, "barrier").checksum);
	assert_true(base.checksum == solve("poisson", format, "flags").checksum);
	assert_true(base.checksum ==
		    solve("poisson", "size=75 steps=50 scheme=%s resident=2 inner=jacobi", "base")
			    .checksum);
}

/* Several GPUs, of unequal shares, with borders in each other's memory. */
static void base_has_the_same_bits_on_several_gpus(void **state)
{
	(void)state;
	static const char *const config[] = {
		"size=150 scheme=base stop=residual tolerance=0.05 max-steps=3000",
		"size=75 scheme=base steps=51"
	};
	static const char *const family[] = { "poisson", "shape" };
	for (int k = 0; k < 4; k++) {
		struct solver_result one, three;
		struct machine *m = machine_cpu_new(3);
		assert_int_equal(run_config(m, family[k & 1], config[k / 2], 1, 1, &one), 0);
		m->ops->reset(m);
		assert_int_equal(run_config(m, family[k & 1], config[k / 2], 3, 1, &three), 0);
		m->ops->free(m);
		assert_true(one.checksum == three.checksum);
		assert_true(one.iterations == three.iterations && one.iterations > 10);
		assert_false(three.residual < one.residual || three.residual > one.residual);
	}
}

/* Jacobi's steps on the whole grid, written out. */
static void base_is_jacobis_iteration(void **state)
{
	(void)state;
	struct poisson_params p;
	struct poisson_pictures pictures;
	struct weak_problem problem;
	assert_int_equal(params_of("poisson", &p, "size=75"), 0);
	assert_int_equal(poisson_read(&pictures, &p), 0);
	assert_int_equal(poisson_make(&problem, &pictures, &p), 0);
	const size_t bytes = sizeof(float) * (size_t)weak_values(&problem.grid);
	float *other = xmalloc(bytes);
	for (int step = 0; step < 50; step++) {
		memcpy(other, problem.values, bytes);
		for (int r = 1; r < 74; r++)
			for (int c = 1; c < 74; c++) {
				const float *u = other + weak_at(&problem.grid, 0, r, c);
				const int pitch = weak_pitch(&problem.grid);
				*weak_value(&problem, 0, 0, r, c) =
					(((u[-pitch] + u[pitch]) + (u[-1] + u[1])) +
					 *weak_asked(&problem, 0, r, c)) *
					0.25f;
			}
	}
	assert_true(weak_checksum(&problem) ==
		    solve("poisson", "size=75 steps=50 scheme=%s inner=jacobi", "base").checksum);
	free(other);
	weak_problem_release(&problem);
	poisson_release(&pictures);
}

static void packing_borders_changes_no_bit(void **state)
{
	(void)state;
	const char *const format = "size=90 steps=200 scheme=%s host-sync=40 resident=4";
	assert_true(solve("poisson", format, "4w-stripe").checksum ==
		    solve("poisson", format, "4w-combine-stripe").checksum);
	assert_true(solve("shape", format, "4w-square").checksum ==
		    solve("shape", format, "4w-combine-square").checksum);
}

static void every_block_has_one_id(void **state)
{
	(void)state;
	static const struct weak_grid grids[] = { { 1, 24, 15 }, { 3, 7, 4 }, { 1, 1, 1 } };
	for (int g = 0; g < 3; g++)
		for (int order = WEAK_STRIPE; order <= WEAK_SQUARE; order++) {
			int32_t ids[360];
			bool seen[360] = { false };
			weak_order(&grids[g], order, ids);
			for (int k = 0; k < weak_blocks(&grids[g]); k++) {
				assert_false(seen[ids[k]]);
				seen[ids[k]] = true;
			}
		}
	/* The first thirty of the paper's grid: two rows, or six rows of five (Fig. 6). */
	int32_t ids[360];
	weak_order(&grids[0], WEAK_SQUARE, ids);
	for (int k = 0; k < 30; k++)
		assert_true(ids[k] / 15 < 6 && ids[k] % 15 < 5);
}

/* ---- co-simulated ---- */

static const struct cosim_costs costs = { .multiprocessors = 4,
					  .step_ns = 100,
					  .step_busy_ns = 60,
					  .send_share = 0.5,
					  .exchange_ns = { 200, 300, 250 },
					  .together_ns = { 50, 80, 60 },
					  .begin_ns = 40,
					  .end_ns = 30,
					  .meet_ns = 5,
					  .spread_ns = 100,
					  .round_ns = 1000,
					  .place_spread = 0.05,
					  .phase_spread = 0.1 };

static struct cosim_result play(const char *config, const struct cosim_costs *with, uint64_t seed)
{
	struct poisson_params p;
	struct chaos_case c;
	struct cosim_result result;
	assert_int_equal(params_of("poisson", &p, config), 0);
	assert_int_equal(solver_chaos("poisson", &p, &c), 0);
	cosim_run(&c, with, seed, &result, NULL);
	c.ops->close(&c);
	return result;
}

static void a_host_barrier_each_step_takes_the_synchronous_count(void **state)
{
	(void)state;
	const struct cosim_result base = play("size=70 scheme=base tolerance=20", &costs, 1);
	assert_int_equal(base.steps,
			 solve("poisson", "size=70 scheme=%s tolerance=20", "base").iterations);
	assert_true(base.seconds > 0);
	assert_int_equal(base.steps, play("size=70 scheme=base tolerance=20", &costs, 2).steps);
}

static void one_block_takes_the_count_of_one_block(void **state)
{
	(void)state;
	const char *const config = "size=20 scheme=4w-stripe host-sync=10 tolerance=1";
	assert_int_equal(play(config, &costs, 3).steps,
			 solve("poisson", "size=20 scheme=%s host-sync=10 tolerance=1", "4w-stripe")
				 .iterations);
}

/* All at one pace and exchanges at no cost: the schedule that the CPU plays. */
static void without_noise_it_is_the_schedule_of_the_cpu(void **state)
{
	(void)state;
	const struct cosim_costs even = { .multiprocessors = 1000,
					  .step_ns = 100,
					  .together_ns = { 2, 2, 2 } };
	const char *const config =
		"size=90 scheme=4w-stripe host-sync=20 threads=0 tolerance=30 resident=5";
	assert_int_equal(play(config, &even, 1).steps,
			 solve("poisson",
			       "size=90 scheme=%s host-sync=20 threads=0 tolerance=30 resident=5",
			       "4w-stripe")
				 .iterations);
}

static void the_same_seed_gives_the_same_run(void **state)
{
	(void)state;
	const char *const config = "size=90 scheme=4w-square host-sync=40 resident=5 steps=200";
	const struct cosim_result a = play(config, &costs, 7), b = play(config, &costs, 7),
				  other = play(config, &costs, 8);
	assert_true(!(a.left < b.left) && !(a.left > b.left));
	assert_true(!(a.seconds < b.seconds) && !(a.seconds > b.seconds));
	assert_true(a.seconds < other.seconds || a.seconds > other.seconds);
	assert_memory_equal(a.age, b.age, sizeof(a.age));
}

static void slower_exchanges_make_older_borders_and_more_time(void **state)
{
	(void)state;
	struct cosim_costs slow = costs;
	const char *const config = "size=90 scheme=4w-square host-sync=60 exchange=1 steps=240";
	for (int k = 0; k < CHAOS_KINDS; k++)
		slow.exchange_ns[k] = 1000;
	const struct cosim_result a = play(config, &costs, 1), b = play(config, &slow, 1);
	assert_true(b.seconds > 1.5 * a.seconds);
	int64_t sum = 0;
	for (int k = 0; k < COSIM_AGES; k++)
		sum += a.age[k];
	/* 5 x 3 blocks have 22 borders, read from both sides, 59 times in each of four rounds. */
	assert_int_equal(sum, 22 * 2 * 59 * 4);
}

/* 32 threads go over 104 nodes four times, 128 once. */
static void more_threads_pass_over_the_borders_less_often(void **state)
{
	(void)state;
	struct cosim_costs passes = costs;
	double seconds[2];
	passes.phase_spread = passes.place_spread = 0;
	for (int k = 0; k < CHAOS_KINDS; k++) {
		passes.exchange_ns[k] = 0;
		passes.pass_ns[k] = 10000;
	}
	for (int k = 0; k < 2; k++) {
		char config[128];
		snprintf(config, sizeof(config),
			 "size=90 scheme=4w-square host-sync=60 exchange=1 steps=60 threads=%d",
			 k ? 128 : 32);
		seconds[k] = play(config, &passes, 1).seconds;
	}
	/* 59 exchanges, three passes more in each. */
	assert_true(fabs(seconds[0] - seconds[1] - 59 * 3 * 10e-6) < 1e-6);
}

/* 90 x 90 nodes are three blocks by five. Of 32 threads' four passes over all sides, up, down, left
 * with right, and the rest of right, those of nobody are none; of several warps the last counts. */
static void threads_that_have_nobody_to_read_from_go_on(void **state)
{
	(void)state;
	enum { TOP_LEFT, TOP, TOP_RIGHT, INSIDE = 4, RIGHT, BOTTOM_RIGHT = 14 };
	static const struct {
		const char *scheme;
		int threads, block, passes;
	} rows[] = { { "4w-square", 32, INSIDE, 4 },	   { "4w-square", 32, TOP, 3 },
		     { "4w-square", 32, TOP_LEFT, 3 },	   { "4w-square", 32, RIGHT, 3 },
		     { "4w-square", 32, BOTTOM_RIGHT, 2 }, { "4w-square", 64, TOP, 2 },
		     { "4w-square", 64, TOP_RIGHT, 1 },	   { "4w-square", 128, TOP_RIGHT, 1 },
		     { "4w-square", 0, TOP, 1 },	   { "ud-stripe", 32, INSIDE, 2 },
		     { "ud-stripe", 32, TOP, 1 },	   { "ud-stripe", 64, TOP, 1 },
		     { "coarse", 32, INSIDE, 0 } };
	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		struct poisson_params p;
		struct chaos_case c;
		char config[64];
		snprintf(config, sizeof(config), "size=90 scheme=%s threads=%d", rows[k].scheme,
			 rows[k].threads);
		assert_int_equal(params_of("poisson", &p, config), 0);
		assert_int_equal(solver_chaos("poisson", &p, &c), 0);
		assert_int_equal(c.ops->passes_read(&c, rows[k].block), rows[k].passes);
		c.ops->close(&c);
	}
}

/* Block by block on one place: what each exchange takes more or less is the run's. Of fifteen
 * blocks of two passes six lie at the top or at the bottom. */
static void passes_are_longer_far_from_memory_and_shorter_at_the_edge(void **state)
{
	(void)state;
	enum { EXCHANGES = 59, PASSES = 24, IDLE = 6 };
	const char *const config = "size=90 scheme=ud-stripe host-sync=60 exchange=1 steps=60 "
				   "threads=32 resident=1";
	struct cosim_costs even = costs, other;
	even.phase_spread = even.place_spread = 0;
	even.exchange_ns[CHAOS_ROWS] = 10000;
	const double seconds = play(config, &even, 1).seconds;
	other = even;
	other.idle_ns = 1000;
	const double idle = seconds - play(config, &other, 1).seconds;
	assert_true(fabs(idle - EXCHANGES * IDLE * 1e-6) < 1e-9);
	other = even;
	other.trip_spread_ns = 500;
	const double trips = fabs(play(config, &other, 1).seconds - seconds);
	assert_true(fabs(trips - EXCHANGES * PASSES * 500e-9) < 1e-9);
	other = even;
	other.line_spread_ns = 500;
	const double lines[2] = { play(config, &other, 1).seconds - seconds,
				  play(config, &other, 2).seconds - seconds };
	const double one_sigma = EXCHANGES * 500e-9 * sqrt(PASSES);
	assert_true(fabs(lines[0]) < 4 * one_sigma && fabs(lines[1]) < 4 * one_sigma);
	assert_true(fabs(lines[0] - lines[1]) > one_sigma / 1000);
}

/* When the blocks of a multiprocessor came to their ends; -1: not yet. */
struct ends {
	struct cosim_watcher base;
	double us[3];
};

static void note_end(struct cosim_watcher *watcher, double us, int block, int place, int64_t steps)
{
	(void)block, (void)steps;
	if (place % 5 == 0)
		((struct ends *)watcher)->us[place / 5] = us;
}

/* Fifteen blocks on five multiprocessors, 40 steps of 100 ns, of which 40 occupy it. The first of
 * three takes what it takes alone; the second finds 0.6 of it for what it has to issue, which is
 * half a step per what is left: 100 (1 + 0.5 x 0.4 / 0.6) = 133 ns. The third waits for both, and
 * when they have gone it does not. */
static void who_came_first_goes_first(void **state)
{
	(void)state;
	const struct cosim_costs even = {
		.multiprocessors = 5, .step_ns = 100, .step_busy_ns = 40, .crowd = 0.5
	};
	struct ends ends = { .base = { note_end } };
	struct poisson_params p;
	struct chaos_case c;
	struct cosim_result result;
	assert_int_equal(params_of("poisson", &p, "size=90 scheme=coarse host-sync=40 steps=40"),
			 0);
	assert_int_equal(solver_chaos("poisson", &p, &c), 0);
	cosim_run(&c, &even, 1, &result, &ends.base);
	c.ops->close(&c);
	assert_true(fabs(ends.us[0] - 4.0) < 1e-6);
	/* Beside the first one 30 steps and two of a piece that has begun; the rest alone. */
	assert_true(fabs(ends.us[1] - 32 * 0.4 / 3 - 8 * 0.1) < 1e-3);
	assert_true(ends.us[2] > ends.us[1] && ends.us[2] < 40 * 0.1 + 40 * 0.13);
}

/* Fifteen blocks on as many places, three of which are far from what all note in: two standard
 * deviations more, the others half of one less, in each of fourteen exchanges. */
static void the_first_places_note_ages_more_slowly(void **state)
{
	(void)state;
	const struct cosim_costs even = { .multiprocessors = 16,
					  .step_ns = 100,
					  .note_ns = 1000,
					  .note_spread_ns = 100,
					  .first_places = 3 };
	struct ends ends = { .base = { note_end } };
	struct poisson_params p;
	struct chaos_case c;
	struct cosim_result result;
	assert_int_equal(params_of("poisson", &p,
				   "size=90 scheme=4w-stripe host-sync=15 steps=15 exchange=1 "
				   "threads=0 ages=ages.tsv"),
			 0);
	assert_int_equal(solver_chaos("poisson", &p, &c), 0);
	cosim_run(&c, &even, 1, &result, &ends.base);
	c.ops->close(&c);
	assert_true(fabs(ends.us[0] - 15 * 0.1 - 14 * 1.2) < 1e-3);
	assert_true(fabs(ends.us[1] - 15 * 0.1 - 14 * 0.95) < 1e-3);
	assert_true(fabs(ends.us[2] - ends.us[1]) < 1e-3);
}

static void a_check_of_its_own_is_paid_for(void **state)
{
	(void)state;
	struct cosim_costs checks = costs;
	const char *const config = "size=90 scheme=%s host-sync=20 steps=60";
	checks.phase_spread = 0;
	for (int k = 0; k < 2; k++) {
		char text[128];
		snprintf(text, sizeof(text), config, k ? "coarse" : "base");
		checks.check_ns = 0;
		const double without = play(text, &checks, 1).seconds;
		checks.check_ns = 1e6;
		assert_true(fabs(play(text, &checks, 1).seconds - without - k * 3e-3) < 1e-9);
	}
}

/* A solver's own cost goes before that of all, wherever it stands; another's is passed over. */
static void a_cost_may_be_of_one_solver(void **state)
{
	(void)state;
	static const char *const keys[] = {
		"exchange_rows_ns", "exchange_all_ns",	"exchange_packed_ns",
		"pass_rows_ns",	    "pass_all_ns",	"pass_packed_ns",
		"together_rows_ns", "together_all_ns",	"together_packed_ns",
		"registers",	    "enter_ns",		"take_ns",
		"begin_ns",	    "end_ns",		"meet_ns",
		"spread_ns",	    "check_ns",		"round_ns",
		"place_spread",	    "trip_spread_ns",	"phase_spread",
		"multiprocessors",  "step_ns",		"step_busy_ns",
		"send_share",	    "exchange_busy_ns", "crowd",
		"raise_ns",	    "steps_error",	"time_error",
		"line_spread_ns",   "note_ns",		"store_ns",
		"load_ns",	    "note_gap_ns",	"idle_ns",
		"note_spread_ns",   "first_places",	"crowd_later",
		"crowd_exchange",
	};
	char path[64];
	struct cosim_costs read;
	snprintf(path, sizeof(path), "/tmp/costs-%d.tsv", (int)getpid());
	FILE *file = fopen(path, "w");
	fprintf(file, "shape.step_ns\t7\n");
	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
		fprintf(file, "%s\t%zu\n", keys[k], k + 1);
	fprintf(file, "shape.look_ns\t5\n"); /* as it was called */
	fclose(file);
	assert_int_equal(cosim_costs_read(&read, path, "shape", NULL), 0);
	assert_true(fabs(read.step_ns - 7) < 1e-9 && fabs(read.check_ns - 5) < 1e-9);
	assert_int_equal(cosim_costs_read(&read, path, "poisson", NULL), 0);
	assert_true(fabs(read.step_ns - 23) < 1e-9 && fabs(read.check_ns - 17) < 1e-9);
	assert_int_equal(read.multiprocessors, 22);
	/* Whoever asks for a way of a solver's gets its, then the solver's, then all's. */
	file = fopen(path, "a");
	fprintf(file, "shape-free.step_ns\t3\nshape-async.check_ns\t4\nshape.step_ns\t7\n");
	fclose(file);
	assert_int_equal(cosim_costs_read(&read, path, "shape", "free"), 0);
	assert_true(fabs(read.step_ns - 3) < 1e-9 && fabs(read.check_ns - 5) < 1e-9);
	assert_int_equal(cosim_costs_read(&read, path, "shape", "async"), 0);
	assert_true(fabs(read.step_ns - 7) < 1e-9 && fabs(read.check_ns - 4) < 1e-9);
	unlink(path);
}

/* Of one launch: blocks begin once, a meeting costs what a check does, and the host is waited for
 * at the end. 240 steps meet twelve times, and exchange four times in between, and at the end of a
 * round not. */
static void blocks_that_stay_meet_to_check(void **state)
{
	(void)state;
	struct cosim_costs even = costs;
	even.phase_spread = even.place_spread = even.spread_ns = 0;
	even.trip_spread_ns = even.line_spread_ns = even.idle_ns = even.enter_ns = even.end_ns = 0;
	even.crowd = even.crowd_later = even.meet_ns = 0;
	even.step_ns = 100, even.together_ns[CHAOS_ALL] = 500, even.check_ns = 7000;
	even.begin_ns = 600, even.round_ns = 9000;
	const struct cosim_result r =
		play("size=90 scheme=free host-sync=20 exchange=4 steps=240", &even, 1);
	assert_int_equal(r.steps, 240);
	assert_true(fabs(r.seconds * 1e9 - (600 + 12 * (20 * 100 + 4 * 500 + 7000) + 9000)) < 1);
}

/* Nobody waits at a check until all blocks change little; then the residual is that of one state.
 */
static void blocks_that_call_stop_near_what_is_wanted(void **state)
{
	(void)state;
	const struct cosim_result free_ = play("size=90 scheme=free host-sync=20 exchange=1 "
					       "stop=residual tolerance=0.05",
					       &costs, 1);
	const struct cosim_result r = play("size=90 scheme=async host-sync=20 exchange=1 "
					   "stop=residual tolerance=0.05",
					   &costs, 1);
	assert_false(r.unconverged);
	assert_true(r.left <= 0.05);
	assert_true(r.steps > free_.steps / 4 && r.steps < 4 * free_.steps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_schemes_converge),
		cmocka_unit_test(synchronous_steps_do_not_depend_on_who_makes_them),
		cmocka_unit_test(base_has_the_same_bits_on_several_gpus),
		cmocka_unit_test(base_is_jacobis_iteration),
		cmocka_unit_test(packing_borders_changes_no_bit),
		cmocka_unit_test(every_block_has_one_id),
		cmocka_unit_test(a_host_barrier_each_step_takes_the_synchronous_count),
		cmocka_unit_test(blocks_that_stay_meet_to_check),
		cmocka_unit_test(blocks_that_call_stop_near_what_is_wanted),
		cmocka_unit_test(more_threads_pass_over_the_borders_less_often),
		cmocka_unit_test(threads_that_have_nobody_to_read_from_go_on),
		cmocka_unit_test(passes_are_longer_far_from_memory_and_shorter_at_the_edge),
		cmocka_unit_test(who_came_first_goes_first),
		cmocka_unit_test(the_first_places_note_ages_more_slowly),
		cmocka_unit_test(a_check_of_its_own_is_paid_for),
		cmocka_unit_test(a_cost_may_be_of_one_solver),
		cmocka_unit_test(one_block_takes_the_count_of_one_block),
		cmocka_unit_test(without_noise_it_is_the_schedule_of_the_cpu),
		cmocka_unit_test(the_same_seed_gives_the_same_run),
		cmocka_unit_test(slower_exchanges_make_older_borders_and_more_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
