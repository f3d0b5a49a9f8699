/* SPDX-License-Identifier: MIT
 * Red-black SOR: every kernel and decomposition against the definition written out on the whole
 * grid, and what the two schemes do.
 */
#include "solver_kit.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/kit/grid.h"
#include "kernels/rbsor/rbsor_params.h"

enum { SEED = 5 };

/* The definition: points with (i + j) even, then the others, on the whole grid. The same
 * association as everywhere else. */
#define DEFINE_REFERENCE(REAL, name)                                                               \
	static void name(REAL *u, int64_t rows, int64_t columns, int iterations, REAL omega)       \
	{                                                                                          \
		for (int half = 0; half < 2 * iterations; half++)                                  \
			for (int64_t i = 1; i < rows - 1; i++)                                     \
				for (int64_t j = 1; j < columns - 1; j++) {                        \
					REAL *at = &u[i * columns + j];                            \
					if (((i + j) & 1) == (half & 1))                           \
						*at = *at +                                        \
						      omega * ((REAL)0.25 * ((at[-1] + at[1]) +    \
									     (at[-columns] +       \
									      at[columns])) -      \
							       *at);                               \
				}                                                                  \
	}
DEFINE_REFERENCE(float, reference_f32)
DEFINE_REFERENCE(double, reference_f64)

static uint64_t reference_checksum(const char *config)
{
	struct rbsor_params p;
	double residual;
	assert_int_equal(params_of("rbsor", &p, config), 0);
	void *cells = xmalloc((size_t)(p.grid.rows * p.grid.columns) * 8);
	const struct grid grid = { cells, p.grid.rows, p.grid.columns, p.grid.f64, 0 };
	grid_fill(&grid, SEED);
	if (p.grid.f64)
		reference_f64(cells, p.grid.rows, p.grid.columns, p.grid.iterations, p.omega_used);
	else
		reference_f32(cells, p.grid.rows, p.grid.columns, p.grid.iterations,
			      (float)p.omega_used);
	uint64_t checksum = grid_check(&grid, &residual);
	free(cells);
	return checksum;
}

static struct solver_result solve(const char *config, uint32_t gpus)
{
	struct solver_result result;
	struct machine *m = machine_cpu_new(gpus);
	assert_int_equal(run_config(m, "rbsor", config, gpus, SEED, &result), 0);
	m->ops->free(m);
	return result;
}

static void every_kernel_agrees_with_the_definition_at_awkward_sizes(void **state)
{
	static const char *const kernels[] = { "tuned",
					       "paper",
					       "fused",
					       "temporal",
					       "trapezoid",
					       "persistent",
					       "resident",
					       "tuned sync=graph",
					       "temporal depth=2 sync=graph",
					       "texture",
					       "paper indices=branch",
					       "store" };
	static const char *const sizes[] = { "3x3",   "3x4",   "4x3",	 "5x129", "130x7",
					     "63x65", "64x64", "257x31", "33x258" };
	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
		for (int f64 = 0; f64 < 2; f64++)
			for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++) {
				char config[160];
				if ((!strcmp(kernels[k], "persistent") ||
				     !strcmp(kernels[k], "resident")) &&
				    atoi(sizes[s]) < 7) /* has no tiles for it */
					continue;
				snprintf(config, sizeof(config),
					 "size=%s iterations=7 precision=%s kernel=%s", sizes[s],
					 f64 ? "f64" : "f32", kernels[k]);
				if (solve(config, 1).checksum != reference_checksum(config))
					fail_msg("%s differs from the definition", config);
			}
}

static void the_exact_scheme_is_one_gpu_to_the_last_bit(void **state)
{
	static const int border[] = { 1, 2, 5, 16 };
	(void)state;
	for (int f64 = 0; f64 < 2; f64++)
		for (size_t b = 0; b < sizeof(border) / sizeof(border[0]); b++)
			for (int peer = 0; peer < 2; peer++) {
				char config[160];
				snprintf(config, sizeof(config),
					 "size=261x94 iterations=33 precision=%s border=%d "
					 "transport=%s",
					 f64 ? "f64" : "f32", border[b], peer ? "peer" : "host");
				uint64_t expected = reference_checksum(config);
				for (uint32_t gpus = 1; gpus <= 8;
				     gpus = gpus < 4 ? gpus + 1 : gpus * 2)
					if (solve(config, gpus).checksum != expected)
						fail_msg("%s on %u GPUs differs from one", config,
							 gpus);
			}
}

static void blocks_and_passes_of_any_depth_are_one_gpu_to_the_last_bit(void **state)
{
	static const struct {
		uint32_t gpus;
		const char *partition;
	} cut[] = { { 3, "1x3" }, { 4, "2x2" }, { 6, "3x2" }, { 8, "2x4" }, { 8, "strips" } };
	static const char *const kernels[] = { "paper",
					       "paper indices=blocks",
					       "texture",
					       "fused",
					       "temporal depth=2",
					       "temporal depth=8",
					       "trapezoid depth=6" };
	static const struct {
		int border;
		const char *how;
	} exchange[] = { { 1, "transport=peer" },
			 { 2, "transport=host" },
			 { 5, "transport=peer sync=condition" },
			 { 3, "transport=host sync=spin" },
			 { 1, "transport=peer sync=one-thread" },
			 { 2, "transport=host sync=one-thread order=free" },
			 { 1, "transport=peer sync=graph" },
			 { 2, "transport=host staging=pageable order=free" },
			 { 2, "transport=host order=boss-worker" },
			 { 1, "transport=host order=boss-worker sync=spin staging=pageable" },
			 { 3, "sync=nccl" },
			 { 1, "sync=nccl-put" } };
	(void)state;
	for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++)
		for (size_t e = 0; e < sizeof(exchange) / sizeof(exchange[0]); e++) {
			char config[200];
			if (k == 2 && strstr(exchange[e].how, "graph")) /* binds every time */
				continue;
			snprintf(config, sizeof(config),
				 "size=125x94 iterations=23 precision=%s border=%d %s kernel=%s",
				 e & 1 ? "f64" : "f32", exchange[e].border, exchange[e].how,
				 kernels[k]);
			uint64_t expected = reference_checksum(config);
			for (size_t c = 0; c < sizeof(cut) / sizeof(cut[0]); c++) {
				char of[240];
				snprintf(of, sizeof(of), "%s partition=%s", config,
					 cut[c].partition);
				if (solve(of, cut[c].gpus).checksum != expected)
					fail_msg("%s on %u GPUs differs from one", of, cut[c].gpus);
			}
		}
}

static void strips_by_every_way_of_exchange_are_one_gpu_to_the_last_bit(void **state)
{
	static const char *const ways[] = { "kernel=tuned transport=host order=boss-worker",
					    "kernel=tuned transport=host order=free",
					    "kernel=tuned sync=nccl border=2",
					    "kernel=paper indices=strips border=2",
					    "kernel=paper indices=branch transport=host",
					    "kernel=store",
					    "kernel=store sync=condition",
					    "kernel=store sync=one-thread" };
	static const uint32_t gpus[] = { 2, 3, 4, 6, 8 };
	(void)state;
	for (size_t k = 0; k < sizeof(ways) / sizeof(ways[0]); k++)
		for (int f64 = 0; f64 < 2; f64++) {
			char config[160];
			snprintf(config, sizeof(config), "size=61x94 iterations=23 precision=%s %s",
				 f64 ? "f64" : "f32", ways[k]);
			const uint64_t expected = reference_checksum(config);
			for (size_t g = 0; g < sizeof(gpus) / sizeof(gpus[0]); g++)
				if (solve(config, gpus[g]).checksum != expected)
					fail_msg("%s on %u GPUs differs from one", config, gpus[g]);
		}
}

/* A strip of one row has two neighbours for it; of two it has no interior. */
static void strips_of_a_row_or_two_store_their_borders(void **state)
{
	static const char *const sizes[] = { "10x37", "11x37", "17x37", "18x37" };
	(void)state;
	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		char config[160];
		snprintf(config, sizeof(config), "size=%s iterations=9 kernel=store", sizes[k]);
		if (solve(config, 8).checksum != reference_checksum(config))
			fail_msg("%s on 8 GPUs differs from one", config);
	}
}

static void the_thesis_scheme_deviates_and_then_diverges(void **state)
{
	(void)state;
	uint64_t one = solve("size=200 iterations=100", 1).checksum;
	for (int border = 1; border <= 8; border *= 2) {
		char config[160];
		snprintf(config, sizeof(config), "size=200 iterations=100 scheme=thesis border=%d",
			 border);
		assert_true(solve(config, 1).checksum == one); /* no neighbour, no border */
		assert_true(solve(config, 4).checksum != one);
	}
	struct said said;
	said_begin(&said);
	struct solver_result exact = solve("size=200 iterations=2000 border=4 precision=f64", 4);
	struct solver_result thesis =
		solve("size=200 iterations=2000 border=4 precision=f64 scheme=thesis", 4);
	said_end(&said);
	assert_true(exact.residual < 1e-12);
	assert_true(isnan(thesis.residual) || thesis.residual > 1e3);
}

/* Every value none, or the first or the last of the interior alone: nothing else may be said of the
 * residual. */
static void a_grid_of_no_numbers_has_no_residual(void **state)
{
	enum { SIZE = 6 };
	(void)state;
	for (int f64 = 0; f64 < 2; f64++)
		for (int which = 0; which < 3; which++) {
			const int alone[] = { -1, SIZE + 1, (SIZE - 2) * SIZE + SIZE - 2 };
			double cells[SIZE * SIZE], residual = 0;
			float *single = (float *)cells;
			struct grid grid = {
				.h_cells = cells, .rows = SIZE, .columns = SIZE, .f64 = f64
			};
			grid_fill(&grid, 1);
			grid_check(&grid, &residual);
			assert_true(residual > 0 && residual < 1);
			for (int k = 0; k < SIZE * SIZE; k++) {
				if (which && k != alone[which])
					continue;
				if (f64)
					cells[k] = NAN;
				else
					single[k] = NAN;
			}
			grid_check(&grid, &residual);
			assert_true(isnan(residual));
		}
}

static void the_optimum_factor_beats_its_neighbours(void **state)
{
	double n = 126, best = rbsor_optimal_omega(126, 126);
	(void)state;
	assert_true(fabs(best - 2 / (1 + sin(M_PI / (n + 1)))) < 1e-12);
	char config[160];
	double residual[3];
	for (int k = 0; k < 3; k++) {
		snprintf(config, sizeof(config),
			 "size=128 iterations=300 precision=f64 omega=%.17g",
			 best + 0.03 * (k - 1));
		residual[k] = solve(config, 1).residual;
	}
	assert_true(residual[1] < residual[0] && residual[1] < residual[2]);
}

static void strips_cover_the_interior_once_and_differ_by_a_row(void **state)
{
	(void)state;
	for (uint32_t gpus = 1; gpus <= 8; gpus++) {
		struct rbsor_params p;
		assert_int_equal(params_of("rbsor", &p, "size=103x50 border=2"), 0);
		int64_t next = 1, least = 1000, most = 0;
		for (uint32_t g = 0; g < gpus; g++) {
			struct span strip = span_of(p.grid.rows, rbsor_halo_rows(&p), gpus, g);
			assert_true(strip.begin == next);
			next = strip.end;
			least = strip.end - strip.begin < least ? strip.end - strip.begin : least;
			most = strip.end - strip.begin > most ? strip.end - strip.begin : most;
			assert_true(strip.has_low == (g > 0) && strip.has_high == (g + 1 < gpus));
			assert_true(strip.low == (g > 0 ? 4 : 1) &&
				    strip.high == (g + 1 < gpus ? 4 : 1));
		}
		assert_true(next == 102 && most - least <= 1);
	}
}

static void a_configuration_reads_back_as_it_was_written(void **state)
{
	static const char *const configs[] = {
		"size=1024x1024 precision=f32 kernel=tuned scheme=exact border=1 transport=peer "
		"iterations=100",
		"size=30x7000 precision=f64 kernel=paper scheme=thesis border=16 transport=host "
		"iterations=1",
		"size=512x512 precision=f32 kernel=tuned scheme=exact border=1 transport=peer "
		"iterations=100 omega=1.8999999999999999",
		"size=512x512 precision=f32 kernel=temporal scheme=exact border=4 transport=peer "
		"iterations=100 depth=4 sync=condition",
		"size=512x512 precision=f32 kernel=paper scheme=exact border=4 transport=host "
		"iterations=100 indices=branch sync=spin order=boss-worker",
	};
	(void)state;
	for (size_t k = 0; k < sizeof(configs) / sizeof(configs[0]); k++) {
		struct rbsor_params p;
		char text[CONFIG_BYTES];
		assert_int_equal(params_of("rbsor", &p, configs[k]), 0);
		rbsor_config(&p, text);
		assert_string_equal(text, configs[k]);
	}
}

static void start_values_depend_on_seed_and_place_alone(void **state)
{
	float one[20 * 30], two[20 * 30];
	double wide[20 * 30];
	(void)state;
	grid_fill(&(struct grid){ one, 20, 30, false, 0 }, 1);
	grid_fill(&(struct grid){ wide, 20, 30, true, 0 }, 1);
	grid_fill(&(struct grid){ two, 20, 30, false, 0 }, 2);
	int equal = 0;
	for (int k = 0; k < 20 * 30; k++) {
		assert_true((double)one[k] == wide[k] && one[k] >= 0 && one[k] < 1);
		equal += one[k] == two[k];
	}
	assert_true(equal < 5);
}

static void one_changed_bit_changes_the_checksum(void **state)
{
	float cells[9 * 9];
	const struct grid grid = { cells, 9, 9, false, 0 };
	double residual;
	(void)state;
	grid_fill(&grid, 3);
	uint64_t before = grid_check(&grid, &residual);
	for (int k = 0; k < 9 * 9; k++) {
		float kept = cells[k];
		cells[k] = nextafterf(kept, 2);
		assert_true(grid_check(&grid, &residual) != before);
		cells[k] = kept;
	}
	float first = cells[0];
	cells[0] = cells[1]; /* the same values in another order */
	cells[1] = first;
	assert_true(grid_check(&grid, &residual) != before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kernel_agrees_with_the_definition_at_awkward_sizes),
		cmocka_unit_test(the_exact_scheme_is_one_gpu_to_the_last_bit),
		cmocka_unit_test(blocks_and_passes_of_any_depth_are_one_gpu_to_the_last_bit),
		cmocka_unit_test(strips_by_every_way_of_exchange_are_one_gpu_to_the_last_bit),
		cmocka_unit_test(strips_of_a_row_or_two_store_their_borders),
		cmocka_unit_test(the_thesis_scheme_deviates_and_then_diverges),
		cmocka_unit_test(a_grid_of_no_numbers_has_no_residual),
		cmocka_unit_test(the_optimum_factor_beats_its_neighbours),
		cmocka_unit_test(strips_cover_the_interior_once_and_differ_by_a_row),
		cmocka_unit_test(a_configuration_reads_back_as_it_was_written),
		cmocka_unit_test(start_values_depend_on_seed_and_place_alone),
		cmocka_unit_test(one_changed_bit_changes_the_checksum),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
