/* SPDX-License-Identifier: MIT
 * Local modified SOR: terms against the paper's equations written out, every way to run it against
 * one sequential sweep over the whole grid, and the published iteration counts that a test has time
 * for.
 */
#include "solver_kit.h"
#include "support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "kernels/lmsor/lmsor_geometry.h"
#include "kernels/lmsor/lmsor_grid.h"
#include "kernels/lmsor/lmsor_params.h"
#include "kernels/lmsor/lmsor_terms.h"
#include "kernels/kit/grid.h"

static const char *const all_kernels[] = { "1",	     "2",      "3",	     "tuned1", "tuned2",
					   "tuned3", "tuned4", "persistent", "rows",   "openmp" };
enum { KERNELS = sizeof(all_kernels) / sizeof(all_kernels[0]) };

static struct solver_result solve_with(struct lmsor_params *p, const char *config, uint32_t gpus)
{
	struct solver_result result;
	struct machine *m = machine_cpu_new(gpus);
	assert_int_equal(params_of("lmsor", p, config), 0);
	assert_int_equal(run_config(m, "lmsor", config, gpus, 1, &result), 0);
	m->ops->free(m);
	return result;
}

static struct solver_result solve(const char *config, uint32_t gpus)
{
	struct lmsor_params p;
	return solve_with(&p, config, gpus);
}

/* f and g of problem 1, 2, 3. */
static double field(int problem, double re, double s)
{
	return problem == 1 ? re * pow(2 * s - 10, 3) : problem == 2 ? re * (2 * s - 10) : re * 1e4;
}

/* omega_1 (red) or omega_2 as the equations say it, in long double and in no particular order. */
static double paper_omega(const struct lmsor_params *p, int i, int j)
{
	const long double h = 1.0L / (p->size - 1), pi = acosl(-1.0L);
	const long double f = (long double)field(p->p.problem, p->re, (double)(i * h)),
			  g = (long double)field(p->p.problem, p->re, (double)(j * h));
	const long double lr = (1 + h * f / 2) * (1 - h * f / 2) / 16,
			  tb = (1 + h * g / 2) * (1 - h * g / 2) / 16;
	const bool real = lr >= 0 && tb >= 0, red = ((i + j) & 1) == 0;
	const long double x = sqrtl(fabsl(lr)), y = sqrtl(fabsl(tb));
	const long double bar = 2 * (x * cosl(pi * h) + y * cosl(pi * h));
	const long double under =
		p->p.variant == OMEGA_LSOR
			? 0
			: 2 * (x * cosl(pi * (1 - h) / 2) + y * cosl(pi * (1 - h) / 2));
	long double sign = red ? -1 : 1, root = real ? sqrtl((1 - bar * bar) * (1 - under * under))
						     : sqrtl((1 + bar * bar) * (1 + under * under));
	if (p->p.variant == OMEGA_AS_RUN && real)
		root = sqrtl((1 - bar) * (1 - under));
	if (p->p.variant == OMEGA_CORRECTED && !real)
		sign = -sign;
	return (double)(2 / (1 + sign * bar * under + root));
}

static void factors_are_those_of_the_equations(void **state)
{
	static const char *const omegas[] = { "eq9", "as-run", "corrected", "lsor" };
	static const double res[] = { 0, 1e-3, 1, 1e3 };
	(void)state;
	for (int problem = 1; problem <= 3; problem++)
		for (size_t o = 0; o < sizeof(omegas) / sizeof(omegas[0]); o++)
			for (size_t e = 0; e < sizeof(res) / sizeof(res[0]); e++) {
				struct lmsor_params p;
				char config[200];
				snprintf(config, sizeof(config),
					 "size=102 problem=%d re=%g omega=%s", problem, res[e],
					 omegas[o]);
				assert_int_equal(params_of("lmsor", &p, config), 0);
				for (int i = 1; i < 101; i += 7)
					for (int j = 1; j < 101; j += 6) {
						const struct lmsor_pair
							x = lmsor_pair_of(lmsor_drift(&p.p, i)),
							y = lmsor_pair_of(lmsor_drift(&p.p, j));
						const double omega = lmsor_relaxation(
							&p.p, (i + j) & 1, x.root, y.root,
							x.positive && y.positive);
						const double expected = paper_omega(&p, i, j);
						if (!(fabs(omega - expected) < 1e-7 * expected))
							fail_msg("%s at (%d,%d): %.17g, by the "
								 "equation %.17g",
								 config, i, j, omega, expected);
					}
			}
}

/* The definition, one point after the other on the whole grid; the coefficients (3) with h = k not
 * yet used to simplify them. */
static uint64_t reference_checksum(const char *config, int iterations, double *most)
{
	struct lmsor_params p;
	double residual;
	assert_int_equal(params_of("lmsor", &p, config), 0);
	const int64_t n = p.size;
	const double h = p.p.h, share = h * h / (2 * (h * h + h * h));
	double *u = xmalloc((size_t)(n * n) * sizeof(*u));
	for (int64_t j = 0; j < n; j++)
		for (int64_t i = 0; i < n; i++) {
			const double x = (double)i * h, y = (double)j * h;
			u[j * n + i] = i % (n - 1) && j % (n - 1) ? x * y * (1 - x) * (1 - y) : 0;
		}
	for (int half = 0; half < 2 * iterations; half++)
		for (int64_t j = 1; j < n - 1; j++)
			for (int64_t i = 1; i < n - 1; i++) {
				if (((i + j) & 1) != (half & 1))
					continue;
				const double hf = lmsor_drift(&p.p, (int)i),
					     hg = lmsor_drift(&p.p, (int)j);
				const double l = share * (1 + 0.5 * hf), r = share * (1 - 0.5 * hf);
				const double t = share * (1 - 0.5 * hg), b = share * (1 + 0.5 * hg);
				const double omega = lmsor_relaxation(
					&p.p, half & 1, sqrt(fabs(l * r)), sqrt(fabs(t * b)),
					l * r >= 0 && t * b >= 0);
				double *at = &u[j * n + i];
				*at = (1 - omega) * *at +
				      omega * ((l * at[-1] + r * at[1]) + (t * at[n] + b * at[-n]));
			}
	uint64_t checksum = lmsor_grid_check(u, p.size, &p.p, &residual, most);
	free(u);
	return checksum;
}

static void every_kernel_agrees_with_the_definition(void **state)
{
	static const int sizes[] = { 3, 4, 5, 6, 65, 130 }, counts[] = { 1, 2, 100 };
	static const char *const problems[] = { "problem=1 re=0.001",
						"problem=2 re=10 omega=as-run",
						"problem=3 re=3 omega=corrected",
						"problem=1 re=10 omega=lsor",
						"problem=2 re=1000",
						"problem=2 re=1 omega=sor" };
	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
		for (size_t q = 0; q < sizeof(problems) / sizeof(problems[0]); q++)
			for (size_t c = 0; c < (sizes[s] > 100 ? 2 : 3); c++) {
				char config[240];
				double most;
				int length = snprintf(config, sizeof(config), "size=%d %s",
						      sizes[s], problems[q]);
				struct lmsor_params p;
				struct said said;
				said_begin(&said);
				const bool covered = !params_of("lmsor", &p, config);
				said_end(&said);
				if (!covered) /* unlike signs at the smallest sizes */
					continue;
				const uint64_t expected =
					reference_checksum(config, counts[c], &most);
				for (int k = 0; k < KERNELS; k++) {
					snprintf(config + length, sizeof(config) - (size_t)length,
						 " kernel=%s iterations=%d", all_kernels[k],
						 counts[c]);
					const struct solver_result result = solve(config, 1);
					if (result.checksum != expected ||
					    result.iterations != counts[c] ||
					    fabs(result.extra[2] - most) > 0)
						fail_msg("%s differs from the definition", config);
				}
			}
}

static void strips_are_one_gpu_to_the_last_bit_and_stop_with_it(void **state)
{
	static const char *const checks[] = { "every", "3", "device" };
	static const int borders[] = { 1, 3 };
	(void)state;
	for (int c = 0; c < 3; c++) {
		char config[240];
		snprintf(config, sizeof(config),
			 "size=67 problem=1 re=10 kernel=tuned2 check=%s tolerance=1e-4",
			 checks[c]);
		const struct solver_result one = solve(config, 1);
		assert_false(one.unconverged);
		assert_true(one.iterations > 40 && one.extra[2] <= 1e-4);
		for (int peer = 0; peer < 2; peer++)
			for (int b = 0; b < 2; b++)
				for (uint32_t gpus = 2; gpus <= 8; gpus *= 2) {
					snprintf(config, sizeof(config),
						 "size=67 problem=1 re=10 kernel=tuned2 check=%s "
						 "tolerance=1e-4 border=%d transport=%s",
						 checks[c], borders[b], peer ? "peer" : "host");
					const struct solver_result result = solve(config, gpus);
					if (result.checksum != one.checksum ||
					    result.iterations != one.iterations ||
					    result.unconverged)
						fail_msg("%s on %u GPUs: %lld iterations, one GPU "
							 "%lld",
							 config, gpus, (long long)result.iterations,
							 (long long)one.iterations);
				}
	}
}

/* The end may fall on any place of a chunk, its first and last iteration too. */
static void checking_on_the_gpu_stops_where_checking_every_time_does(void **state)
{
	(void)state;
	for (double tolerance = 0.06; tolerance > 0.0005; tolerance *= 0.9)
		for (uint32_t gpus = 1; gpus <= 3; gpus += 2) {
			char config[240];
			snprintf(config, sizeof(config),
				 "size=35 problem=2 re=1 omega=as-run kernel=3 border=2 "
				 "check=every tolerance=%.17g",
				 tolerance);
			const struct solver_result every = solve(config, 1);
			snprintf(config, sizeof(config),
				 "size=35 problem=2 re=1 omega=as-run kernel=3 border=2 "
				 "check=device tolerance=%.17g",
				 tolerance);
			const struct solver_result device = solve(config, gpus);
			if (every.iterations != device.iterations ||
			    every.checksum != device.checksum)
				fail_msg("%s on %u GPUs: %lld iterations, checking every time %lld",
					 config, gpus, (long long)device.iterations,
					 (long long)every.iterations);
		}
}

static void a_solution_of_zeros_has_converged(void **state)
{
	static const char *const kernels[] = { "tuned4", "persistent" };
	(void)state;
	for (int k = 0; k < 2; k++) {
		char config[200];
		snprintf(config, sizeof(config), "size=102 kernel=%s check=every tolerance=0",
			 kernels[k]);
		const struct solver_result zeros = solve(config, 1);
		assert_false(zeros.unconverged);
		assert_true(zeros.extra[2] == 0 && zeros.iterations > 1);
	}
}

static void one_launch_of_all_iterations_ends_where_sweeps_do(void **state)
{
	static const char *const checks[] = { "every", "7", "device" };
	(void)state;
	for (double tolerance = 0.06; tolerance > 0.0005; tolerance *= 0.8)
		for (int c = 0; c < 3; c++) {
			char config[240];
			snprintf(config, sizeof(config),
				 "size=35 problem=2 re=1 omega=as-run kernel=3 check=%s "
				 "tolerance=%.17g",
				 checks[c], tolerance);
			const struct solver_result sweeps = solve(config, 1);
			snprintf(config, sizeof(config),
				 "size=35 problem=2 re=1 omega=as-run kernel=persistent check=%s "
				 "tolerance=%.17g",
				 checks[c], tolerance);
			const struct solver_result whole = solve(config, 1);
			assert_false(whole.unconverged);
			assert_true(whole.extra[2] <= tolerance);
			if (sweeps.iterations != whole.iterations ||
			    sweeps.checksum != whole.checksum)
				fail_msg("%s: %lld iterations, sweeps %lld", config,
					 (long long)whole.iterations, (long long)sweeps.iterations);
		}
}

static void bands_are_as_few_as_their_rows_allow(void **state)
{
	(void)state;
	for (int32_t rows = 1; rows <= LMSOR_BANDS * LMSOR_BAND_ROWS; rows++) {
		const int32_t bands = lmsor_bands(rows), most = (rows + bands - 1) / bands;
		assert_true(bands >= 1 && bands <= LMSOR_BANDS && bands <= rows &&
			    most <= LMSOR_BAND_ROWS);
		assert_true((rows + LMSOR_BANDS - 1) / LMSOR_BANDS ==
			    most); /* with all of them no band would have fewer */
		assert_true(bands == 1 || (rows + bands - 2) / (bands - 1) > most);
	}
	const struct lmsor_loop loop = {
		.columns = 402, .row_begin = 1, .row_end = 401, .bands = lmsor_bands(400)
	};
	struct launch_geometry g;
	lmsor_persistent_geometry(&loop, &g);
	assert_true(g.grid[0] == 100 && g.grid[1] == 1 && g.block[0] == 224 && g.path == 4);
	assert_true(g.shared_bytes ==
		    LMSOR_LAG * 4 * 2 * 224 * sizeof(double)); /* both colours of the rows */
}

static void published_counts_come_out(void **state)
{
	static const struct {
		const char *config;
		int iterations, real;
		double most;
	} rows[] = {
		{ "size=402 problem=1 re=10 omega=eq9 kernel=tuned4", 412, 0, 8.052e-7 },
		{ "size=402 problem=2 re=10 omega=as-run kernel=tuned4", 554, 161604, 8.995e-7 },
		{ "size=402 problem=3 re=10 omega=eq9 kernel=tuned4", 1015, 0, 9.939e-7 },
		{ "size=402 problem=2 re=10 omega=eq9 kernel=tuned4", 398, 161604, 7.963e-7 },
		{ "size=402 problem=3 re=10 omega=lsor kernel=tuned4", 676, 0, NAN },
		{ "size=402 problem=1 re=10 omega=corrected kernel=tuned4", 428, 0, NAN },
	};
	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		const struct solver_result result = solve(rows[k].config, 1);
		assert_int_equal(result.iterations, rows[k].iterations);
		assert_true(result.extra[0] == rows[k].real &&
			    result.extra[1] == 161604 - rows[k].real);
		assert_true(isfinite(result.extra[2]));
		assert_true(isnan(rows[k].most) || fabs(result.extra[2] - rows[k].most) <= 5e-10);
	}
}

/* 2 / (1 + sqrt(1 - mu^2)) where eigenvalues are real, with + where they are imaginary: either in
 * the other's place never gets there, or not so soon. */
static void plain_sor_takes_the_best_factor_of_its_kind(void **state)
{
	static const struct {
		const char *config;
		int iterations;
		bool real;
	} rows[] = {
		{ "size=66 problem=2 re=1 omega=sor", 94, true },
		{ "size=66 problem=1 re=10 omega=sor", 450, false },
		{ "size=66 problem=2 re=1000 omega=sor", 422, false },
	};
	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		struct lmsor_params p;
		const struct solver_result result = solve_with(&p, rows[k].config, 1);
		assert_false(result.unconverged);
		assert_int_equal(result.iterations, rows[k].iterations);
		assert_true(rows[k].real ? p.p.omega > 1 && p.p.omega < 2
					 : p.p.omega > 0 && p.p.omega < 1);
		assert_true(result.extra[rows[k].real ? 0 : 1] == 66 * 66);
	}
}

static void a_run_without_end_stops_at_the_limit_and_says_so(void **state)
{
	static const char *const checks[] = { "every", "7", "device" };
	(void)state;
	for (int c = 0; c < 3; c++)
		for (uint32_t gpus = 0; gpus <= 2; gpus++) { /* 0: one GPU, one launch */
			char config[200];
			snprintf(config, sizeof(config),
				 "size=66 problem=2 re=10 max-iterations=50 check=%s kernel=%s",
				 checks[c], gpus ? "tuned" : "persistent");
			const struct solver_result result = solve(config, gpus ? gpus : 1);
			assert_true(result.unconverged && result.iterations == 50);
			assert_true(result.extra[2] > 1e-6 && result.extra[2] < 1);
			/* One factor of nearly 2 where all eigenvalues are imaginary: the values
			 * grow until they are none. */
			snprintf(config, sizeof(config),
				 "size=66 problem=3 re=10 omega=sor sor-omega=1.99 check=%s "
				 "kernel=%s",
				 checks[c], gpus ? "tuned" : "persistent");
			const struct solver_result diverged = solve(config, gpus ? gpus : 1);
			assert_true(diverged.unconverged && diverged.iterations < 20000 &&
				    !isfinite(diverged.residual));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(factors_are_those_of_the_equations),
		cmocka_unit_test(every_kernel_agrees_with_the_definition),
		cmocka_unit_test(strips_are_one_gpu_to_the_last_bit_and_stop_with_it),
		cmocka_unit_test(checking_on_the_gpu_stops_where_checking_every_time_does),
		cmocka_unit_test(a_solution_of_zeros_has_converged),
		cmocka_unit_test(one_launch_of_all_iterations_ends_where_sweeps_do),
		cmocka_unit_test(bands_are_as_few_as_their_rows_allow),
		cmocka_unit_test(published_counts_come_out),
		cmocka_unit_test(plain_sor_takes_the_best_factor_of_its_kind),
		cmocka_unit_test(a_run_without_end_stops_at_the_limit_and_says_so),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
