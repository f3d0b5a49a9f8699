/* SPDX-License-Identifier: MIT
 * Multi-layer SSOR: the parallel method against the paper's equations written out point by point,
 * decompositions against each other, and what the methods it is compared with do.
 */
#include "solver_kit.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/kit/grid.h"
#include "kernels/mlssor/mlssor_geometry.h"
#include "kernels/mlssor/mlssor_params.h"

enum { SEED = 7 };

static struct solver_result solve(const char *config, uint32_t gpus)
{
	struct solver_result result;
	struct machine *m = machine_cpu_new(gpus);
	assert_int_equal(run_config(m, "mlssor", config, gpus, SEED, &result), 0);
	m->ops->free(m);
	return result;
}

static float *start_values(int64_t rows, int64_t columns, struct grid *grid)
{
	float *u = xmalloc((size_t)(rows * columns) * sizeof(*u));
	*grid = (struct grid){ u, rows, columns, false, 0 };
	grid_fill(grid, SEED);
	for (int64_t i = 0; i < rows; i++)
		for (int64_t j = 0; j < columns; j++)
			u[i * columns + j] = i == 0 || j == 0 || i == rows - 1 || j == columns - 1
						     ? 0
						     : 2 * u[i * columns + j] - 1;
	return u;
}

static void update(float *at, int64_t row)
{
	*at = *at + 1.25f * (0.25f * ((at[-1] + at[1]) + (at[-row] + at[row])) - *at);
}

/* Which of the two tiles has point i at layer q, by the planes (6) and (8): those of subdomains
 * begin at s n - K / 2 + 1 + q, those of border tiles at (s + 1) n - K / 2 - q. */
static int tile_by_planes(int64_t i, int64_t points, int64_t n, int64_t q, int64_t shift)
{
	int64_t s = 0;
	while ((s + 1) * n < points && i >= (s + 1) * n - shift + 1 + q)
		s++;
	return i >= (s + 1) * n - shift - q;
}

/* Kernel after kernel, layer after layer, point after point of the whole mesh: tiles of a kernel
 * do not see each other. */
static uint64_t by_planes(int64_t rows, int64_t columns, int64_t height, int64_t width,
			  int64_t layers, int sweeps, bool turns, bool printed)
{
	struct grid grid;
	double residual;
	float *u = start_values(rows + 2, columns + 2, &grid);
	for (int sweep = 0; sweep < sweeps; sweep++) {
		const bool backward = turns && sweep % 2;
		const int64_t shift = printed ? 0 : backward ? layers - 1 - layers / 2 : layers / 2;
		for (int kernel = 0; kernel < 4; kernel++)
			for (int64_t q = 0; q < layers; q++)
				for (int64_t i = 1; i <= rows; i++)
					for (int64_t j = 1; j <= columns; j++) {
						const int64_t row = backward ? rows + 1 - i : i,
							      column = backward ? columns + 1 - j
										: j;
						if (2 * tile_by_planes(i, rows, height, q, shift) +
							    tile_by_planes(j, columns, width, q,
									   shift) ==
						    kernel)
							update(u + row * (columns + 2) + column,
							       columns + 2);
					}
	}
	uint64_t checksum = grid_check(&grid, &residual);
	free(u);
	return checksum;
}

static const struct {
	int rows, columns, height, width, layers;
} meshes[] = {
	{ 8, 8, 4, 4, 2 },    { 4, 4, 4, 4, 2 },     { 12, 20, 4, 4, 2 },    { 24, 16, 8, 8, 4 },
	{ 16, 24, 8, 8, 3 },  { 15, 20, 5, 5, 2 },   { 21, 14, 7, 7, 3 },    { 6, 4, 2, 2, 1 },
	{ 9, 6, 3, 3, 1 },    { 32, 48, 16, 16, 8 }, { 64, 32, 32, 32, 16 }, { 24, 20, 8, 5, 2 },
	{ 18, 44, 6, 11, 3 }, { 34, 17, 17, 17, 8 },
};
enum { MESHES = sizeof(meshes) / sizeof(meshes[0]) };

static void configure(char config[CONFIG_BYTES], size_t k, int sweeps, const char *more)
{
	snprintf(config, CONFIG_BYTES, "size=%dx%d subdomain=%dx%d layers=%d iterations=%d %s",
		 meshes[k].rows + 2, meshes[k].columns + 2, meshes[k].height, meshes[k].width,
		 meshes[k].layers, sweeps * meshes[k].layers, more);
}

static void tiles_are_the_planes_of_the_paper(void **state)
{
	(void)state;
	for (size_t k = 0; k < MESHES; k++)
		for (int forward = 0; forward < 2; forward++)
			for (int printed = 0; printed < 2; printed++) {
				char config[CONFIG_BYTES], more[80];
				snprintf(more, sizeof(more),
					 "kernel=full form=plain sweeps=%s planes=%s",
					 forward ? "forward" : "alternating",
					 printed ? "printed" : "centred");
				configure(config, k, 5, more);
				if (solve(config, 1).checksum !=
				    by_planes(meshes[k].rows, meshes[k].columns, meshes[k].height,
					      meshes[k].width, meshes[k].layers, 5, !forward,
					      printed))
					fail_msg("%s differs from the planes", config);
			}
}

static void merged_tiles_and_fused_kernels_change_nothing(void **state)
{
	(void)state;
	for (size_t k = 0; k < MESHES; k++) {
		char config[CONFIG_BYTES];
		configure(config, k, 4, "kernel=full form=plain");
		const uint64_t expected = solve(config, 1).checksum;
		configure(config, k, 4, "kernel=rows form=plain launches=3");
		assert_true(solve(config, 1).checksum == expected);
		const int less =
			meshes[k].height < meshes[k].width ? meshes[k].height : meshes[k].width;
		for (int tile = 1; tile <= less - 2; tile += 1 + tile / 2) {
			char more[60];
			snprintf(more, sizeof(more), "kernel=full form=plain tile=%d", tile);
			configure(config, k, 4, more);
			if (solve(config, 1).checksum != expected)
				fail_msg("%s differs from merged tiles", config);
		}
	}
}

static void strips_are_one_gpu_to_the_last_bit(void **state)
{
	static const char *const configs[] = {
		"size=66x34 subdomain=8 iterations=28",
		"size=66x34 subdomain=8 iterations=28 tile=3 form=plain",
		"size=42x27 subdomain=5 iterations=14",
		"size=34x18 subdomain=4 iterations=14",
		"size=130x34 subdomain=16 iterations=48 layers=6",
		"size=18x10 subdomain=2 iterations=9",
		"size=258x66 subdomain=32 iterations=80",
	};
	(void)state;
	for (size_t c = 0; c < sizeof(configs) / sizeof(configs[0]); c++)
		for (int how = 0; how < 8; how++) {
			char config[CONFIG_BYTES];
			snprintf(config, sizeof(config),
				 "%s kernel=rows transport=%s sweeps=%s planes=%s", configs[c],
				 how & 1 ? "host" : "peer", how & 2 ? "forward" : "alternating",
				 how & 4 ? "printed" : "centred");
			const uint64_t expected = solve(config, 1).checksum;
			for (uint32_t gpus = 2; gpus <= 8; gpus *= 2)
				if (solve(config, gpus).checksum != expected)
					fail_msg("%s on %u GPUs differs from one", config, gpus);
		}
}

static void red_black_strips_are_one_gpu_to_the_last_bit(void **state)
{
	(void)state;
	for (int peer = 0; peer < 2; peer++) {
		char config[CONFIG_BYTES];
		snprintf(config, sizeof(config),
			 "size=61x40 kernel=redblack iterations=11 transport=%s",
			 peer ? "peer" : "host");
		const uint64_t expected = solve(config, 1).checksum;
		for (uint32_t gpus = 2; gpus <= 8; gpus++)
			assert_true(solve(config, gpus).checksum == expected);
	}
}

/* The sequential programs and the red-black one, written out. */
static void programs_agree_with_their_equations(void **state)
{
	enum { ROWS = 13, COLUMNS = 18, P = COLUMNS + 2 };
	struct grid grid;
	double residual;
	(void)state;
	for (int layers = 1; layers <= 3; layers++) {
		float *u = start_values(ROWS + 2, P, &grid);
		char config[CONFIG_BYTES];
		for (int layer = 0; layer < 11; layer++)
			for (int k = 0; k < ROWS * COLUMNS; k++) {
				const int at = layer / layers % 2 ? ROWS * COLUMNS - 1 - k : k;
				update(u + (1 + at / COLUMNS) * P + 1 + at % COLUMNS, P);
			}
		snprintf(config, sizeof(config), "size=15x20 kernel=%s layers=%d iterations=11",
			 layers == 1 ? "ssor" : "sequential", layers);
		assert_true(solve(config, 1).checksum == grid_check(&grid, &residual));
		free(u);
	}
	float *u = start_values(ROWS + 2, P, &grid);
	for (int half = 0; half < 10; half++)
		for (int k = 0; k < ROWS * COLUMNS; k++) {
			const int i = 1 + k / COLUMNS, j = 1 + k % COLUMNS;
			float *p = u + i * P + j;
			if ((i + j + half) % 2 == 0)
				*p = 0.3125f * (p[-P] + p[P] + p[-1] + p[1]) + -0.25f * *p;
		}
	assert_true(solve("size=15x20 kernel=redblack iterations=5", 1).checksum ==
		    grid_check(&grid, &residual));
	free(u);
}

static int64_t layers_until(const char *kernel, const char *subdomain, const char *sweeps)
{
	char config[CONFIG_BYTES];
	snprintf(config, sizeof(config),
		 "size=770 form=plain kernel=%s subdomain=%s sweeps=%s tolerance=1e-3 "
		 "iterations=4000",
		 kernel, subdomain, sweeps);
	const struct solver_result result = solve(config, 1);
	assert_false(result.unconverged);
	return result.iterations;
}

/* Table II, whose inputs are not published: the order of the methods. */
static void taller_sweeps_need_fewer_layers(void **state)
{
	(void)state;
	int64_t before = layers_until("full", "4", "alternating");
	for (int n = 8; n <= 32; n *= 2) {
		char side[16];
		snprintf(side, sizeof(side), "%d", n);
		const int64_t now = layers_until("full", side, "alternating");
		assert_true(now < before);
		before = now;
	}
	assert_true(layers_until("ssor", "8", "alternating") < before);
}

/* A tolerance that none of the layers meets, and one that the first does. */
static void layers_are_counted_within_a_sweep(void **state)
{
	(void)state;
	struct said said;
	said_begin(&said);
	struct solver_result result = solve("size=66 tolerance=1e-30 iterations=8", 1);
	said_end(&said);
	assert_true(result.unconverged && result.iterations == 8 && result.extra[0] > 1e-30);
	result = solve("size=66 tolerance=10 iterations=8", 1);
	assert_true(!result.unconverged && result.iterations == 1);
	for (uint32_t gpus = 1; gpus <= 4; gpus *= 2)
		assert_int_equal(solve("size=66 tolerance=1e-2 iterations=800", gpus).iterations,
				 solve("size=66 tolerance=1e-2 iterations=800", 1).iterations);
}

/* Table III: 4 n (n + 1) bytes a thread, and blocks of floor(16384 / bytes) with the constants
 * that it has and nothing derives. */
static void shared_memory_is_that_of_table_iii(void **state)
{
	static const struct {
		int n, threads, bytes, blocks, constant;
	} rows[] = {
		{ 4, 4, 404, 40, 84 },	 { 4, 8, 724, 22, 84 },	 { 4, 16, 1364, 12, 84 },
		{ 4, 32, 2644, 6, 84 },	 { 4, 64, 5204, 3, 84 }, { 4, 128, 10324, 1, 84 },
		{ 8, 4, 1260, 13, 108 }, { 8, 8, 2412, 6, 108 }, { 8, 16, 4716, 3, 108 },
		{ 8, 32, 9324, 1, 108 },
	};
	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		const int64_t ours = mlssor_shared_bytes(rows[k].n, rows[k].n, rows[k].threads, 0),
			      column = 4 * (rows[k].n + 1);
		assert_int_equal(ours - column + rows[k].constant, rows[k].bytes);
		assert_int_equal(16384 / rows[k].bytes, rows[k].blocks);
	}
}

static void a_configuration_reads_back_as_it_was_written(void **state)
{
	static const char *const configs[] = {
		"size=1026x1026 subdomain=8x8 layers=4 sweeps=alternating planes=centred "
		"kernel=rows "
		"form=coalesced threads=64 transport=peer input=1 omega=1.25 iterations=96",
		"size=50x98 subdomain=8x16 layers=3 sweeps=forward kernel=full form=plain tile=2 "
		"threads=4 transport=host input=3 omega=1 iterations=9 tolerance=0.001",
		"size=50x98 subdomain=8x8 layers=4 sweeps=forward kernel=full form=both launches=3 "
		"threads=4 transport=host input=2 omega=1 iterations=8",
		"size=514x514 subdomain=16x16 layers=8 sweeps=alternating kernel=tuned threads=64 "
		"transport=peer input=1 omega=1.25 iterations=96",
		"size=50x99 kernel=redblack points=1x2 threads=64 transport=peer input=1 "
		"omega=1.25 iterations=9",
		"size=51x99 subdomain=8x8 layers=1 sweeps=alternating kernel=ssor transport=peer "
		"input=1 omega=1.25 iterations=9",
	};
	(void)state;
	for (size_t k = 0; k < sizeof(configs) / sizeof(configs[0]); k++) {
		struct mlssor_params p;
		char text[CONFIG_BYTES];
		assert_int_equal(params_of("mlssor", &p, configs[k]), 0);
		mlssor_config(&p, text);
		assert_string_equal(text, configs[k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tiles_are_the_planes_of_the_paper),
		cmocka_unit_test(merged_tiles_and_fused_kernels_change_nothing),
		cmocka_unit_test(strips_are_one_gpu_to_the_last_bit),
		cmocka_unit_test(red_black_strips_are_one_gpu_to_the_last_bit),
		cmocka_unit_test(programs_agree_with_their_equations),
		cmocka_unit_test(taller_sweeps_need_fewer_layers),
		cmocka_unit_test(layers_are_counted_within_a_sweep),
		cmocka_unit_test(shared_memory_is_that_of_table_iii),
		cmocka_unit_test(a_configuration_reads_back_as_it_was_written),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
