/* SPDX-License-Identifier: MIT
 * Two kernels that differ in nothing but the width of a number, walked through an H200: half-sweeps
 * of red-black SOR, one point a thread. Plain kernels of this kind (block shape not noted) took
 * 1548 us an iteration there at N = 16384 with 8 bytes a point, 97 % of the rate of a copy, and
 * 1050 us with 4 bytes, 72 %: a multiprocessor is full of warps either way, and half as wide they
 * keep half as much in flight.
 *
 * Nothing of them was recorded. Their code is that of plain_sor.cu; how often it runs, and what of
 * it L1, L2 and DRAM see, is put down here from what the source says. Blocks of 32 x 8 reach 95 %
 * and 74 % of the copy walked the same way. Both are held to their measurement, and why the second
 * falls short.
 */
#include "sm_kit.h"

#include "model/platform/platform.h"
#include "traces/profiles/disassembly.h"
#include "traces/profiles/profile_derive.h"

enum { N = 16384, REGISTERS = 18 /* cuobjdump -res-usage */, SECTOR = 32 };
static const double COPY_BYTES =
	2.0 * (1 << 30);		      /* read and written, as tests/gpu_plain_sor.cu does */
enum { COPY_WIDTH = 16, COPY_THREADS = 256 }; /* of the copies that were profiled, the fastest */

struct plain {
	const char *symbol;
	int width;	 /* bytes a point */
	int x, y;	 /* block */
	double measured; /* rate over that of the copy in the same process (tests/gpu_plain_sor.cu)
			  */
};
static const struct plain shapes[] = {
	{ "plain_sor_f32", 4, 32, 8, 0.731 },  { "plain_sor_f64", 8, 32, 8, 0.986 },
	{ "plain_sor_f32", 4, 32, 32, 0.606 }, { "plain_sor_f64", 8, 32, 32, 0.877 },
	{ "plain_sor_f32", 4, 128, 1, 0.593 }, { "plain_sor_f64", 8, 128, 1, 0.930 },
	{ "plain_sor_f32", 4, 128, 8, 0.632 }, { "plain_sor_f64", 8, 128, 8, 0.907 },
};
static const struct plain f32 = { "plain_sor_f32", 4, 32, 8, 0.731 },
			  f64 = { "plain_sor_f64", 8, 32, 8, 0.986 };

struct suite {
	struct platform platform;
	struct disassembly code;
	struct kernel_profiles copies;
};

static int open_suite(void **state)
{
	struct suite *suite = xcalloc(1, sizeof(*suite));
	char *listing = xcalloc(1 << 16, 1);
	FILE *file = fopen("tests/plain_sor.sass", "r");
	*state = suite;
	if (!file || !fread(listing, 1, (1 << 16) - 1, file) ||
	    disassembly_read(&suite->code, listing, "tests/plain_sor.sass"))
		return -1;
	fclose(file);
	free(listing);
	kernel_profiles_init(&suite->copies);
	if (platform_read(&suite->platform, "h200x4"))
		return -1;
	return kernel_profiles_add_file(&suite->copies,
					"traces/data/h200x4/kernels/kernels.wrt.zst");
}

static int close_suite(void **state)
{
	struct suite *suite = *state;
	kernel_profiles_release(&suite->copies);
	disassembly_release(&suite->code);
	platform_release(&suite->platform);
	free(suite);
	return 0;
}

/* Bytes per second of a launch that moves `bytes`. */
static double rate(const struct suite *suite, const struct sm_device *device,
		   const struct kernel_profile *profile, int64_t blocks, double bytes,
		   double l2_miss_share)
{
	struct warp_program program;
	struct grid_answer answer;
	assert_int_equal(warp_program_build(&program, profile, profile->kernel), 0);
	assert_int_equal(program.unknown, 0);
	struct grid_launch launch = { .program = &program,
				      .blocks = blocks,
				      .traffic.l2_miss_share = l2_miss_share,
				      .traffic.dram_write_share = 1 };
	assert_int_equal(grid_time(device, suite->platform.sm_count, &launch, &answer), 0);
	grid_answer_release(&answer);
	warp_program_release(&program);
	return bytes / answer.duration_ns * 1e9;
}

static double copy_rate(const struct suite *suite, const struct sm_device *device)
{
	int64_t blocks = (int64_t)(COPY_BYTES / 2 / COPY_WIDTH / COPY_THREADS);
	const struct launch_geometry g = { .grid = { (uint32_t)blocks, 1, 1 },
					   .block = { COPY_THREADS, 1, 1 },
					   .path = -1 };
	bool exact;
	const struct kernel_profile *profile =
		kernel_profiles_find(&suite->copies, "micro_copy16", &g, &exact);
	assert_true(profile && profile->geometry.block[0] == COPY_THREADS);
	return rate(suite, device, profile, blocks, COPY_BYTES, 1);
}

/*
 * Every warp runs every instruction once, up to the last exit. A load is of 32 points side by side;
 * the fourth, of the point beside the own entry's, begins a point off and touches a sector and a
 * line more.
 */
static double plain_rate(const struct suite *suite, const struct sm_device *device,
			 const struct plain *plain)
{
	const struct disassembled_function *code = disassembly_find(&suite->code, plain->symbol);
	assert_non_null(code);
	int across = plain->x / 32; /* warps of a row of the block */
	int64_t blocks = (int64_t)N / 2 / plain->x * (N / plain->y),
		warps = blocks * plain->y * across;
	int row = 32 * plain->width / SECTOR, loads = 0,
	    stores = 0; /* row: sectors of a warp's points */
	struct profile_instruction *in = xcalloc(code->instruction_count, sizeof(*in));
	bool over = false;
	for (size_t k = 0; k < code->instruction_count; k++) {
		const struct disassembled *d = &code->instruction[k];
		int64_t runs = over ? 0 : warps;
		in[k] = (struct profile_instruction){ .offset = d->offset,
						      .code = { d->code[0], d->code[1] },
						      .text = d->text,
						      .warps = runs,
						      .threads = 32 * runs,
						      .sectors_global = -1,
						      .sectors_global_ideal = -1,
						      .tags_global = -1,
						      .sectors_local = -1,
						      .wavefronts_shared = -1,
						      .wavefronts_shared_ideal = -1 };
		bool load = !strncmp(d->text, "LDG", 3), store = !strncmp(d->text, "STG", 3),
		     beside = load && loads == 3;
		loads += load;
		stores += store;
		if (load || store) {
			in[k].sectors_global = warps * (row + beside);
			in[k].tags_global = warps * (row / 4 + beside);
		}
		over |= !strncmp(d->text, "EXIT", 4);
	}
	assert_true(over && loads == 5 && stores == 1);
	/* Of L2 a block asks its own rows, these and one above and below of the other colour, and a
	 * sector beside each. */
	int asked = (2 * plain->y + 2) * across * row + plain->y,
	    own_and_other = 2 * plain->y * across * row;
	const struct kernel_profile profile = {
		.kernel = (char *)plain->symbol,
		.isa = (char *)"sm_90",
		.registers = REGISTERS,
		.instruction = in,
		.instruction_count = code->instruction_count,
		.geometry = { .grid = { (uint32_t)(N / 2 / plain->x), (uint32_t)(N / plain->y), 1 },
			      .block = { (uint32_t)plain->x, (uint32_t)plain->y, 1 } },
		.l1_load_sectors = warps * (5 * row + 1),
		.l1_load_hits = -1,
		.l2_read_sectors = blocks * asked,
	};
	/* DRAM has both colours to give once, and one to take. */
	double bytes = 3.0 * plain->width * N * N / 2;
	double found = rate(suite, device, &profile, blocks, bytes, (double)own_and_other / asked);
	free(in);
	return found;
}

/* Of the copy on the same device. */
static double share(const struct suite *suite, const struct sm_device *device,
		    const struct plain *plain)
{
	return plain_rate(suite, device, plain) / copy_rate(suite, device);
}

static void assert_between(const char *what, double x, double least, double most)
{
	if (!(x >= least && x <= most))
		fail_msg("%s: %.3f, not %.3f to %.3f", what, x, least, most);
}

static void the_copy_moves_what_memory_gives(void **state)
{
	const struct suite *suite = *state;
	assert_between("copy",
		       copy_rate(suite, &suite->platform.sm) /
			       suite->platform.sm.dram.copy_bytes_per_s,
		       0.94, 1.001);
}

static void other_blocks_are_slower_as_measured(void **state)
{
	const struct suite *suite = *state;
	for (size_t k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++) {
		double found = share(suite, &suite->platform.sm, &shapes[k]);
		printf("%s %dx%d: %.3f of a copy, measured %.3f\n", shapes[k].symbol, shapes[k].x,
		       shapes[k].y, found, shapes[k].measured);
		assert_between(shapes[k].symbol, found / shapes[k].measured, 0.91, 1.09);
	}
}

static void eight_bytes_a_thread_reach_the_rate_of_a_copy(void **state)
{
	const struct suite *suite = *state;
	assert_between("f64", share(suite, &suite->platform.sm, &f64), 0.986 - 0.06, 0.986 + 0.06);
}

static void four_bytes_a_thread_stay_clearly_below(void **state)
{
	const struct suite *suite = *state;
	double narrow = share(suite, &suite->platform.sm, &f32),
	       wide = share(suite, &suite->platform.sm, &f64);
	printf("of a copy: f32 %.3f, f64 %.3f\n", narrow,
	       wide); /* measured: 0.731, 0.986 (gpu_plain_sor) */
	assert_between("f32", narrow, 0.731 - 0.06, 0.731 + 0.06);
	assert_between("f64 less f32", wide - narrow, 0.15, 0.35);
}

static void nearer_memory(struct sm_device *d)
{
	d->l2.latency_ns /= 2;
	d->dram.latency_ns /= 2;
	d->dram.write_wait_ns /= 2;
}
static void more_warps(struct sm_device *d)
{
	d->warp_slots *= 2;
	d->register_count *= 2;
}
static void wider_memory(struct sm_device *d)
{
	d->dram.read_bytes_per_s *= 2;
	d->dram.write_bytes_per_s *= 2;
}
static void faster_arithmetic(struct sm_device *d)
{
	d->interval[SASS_FP32] /= 2;
	d->interval[SASS_FP64] /= 2;
	d->interval[SASS_INTEGER] /= 2;
}
static void wider_l2(struct sm_device *d)
{
	d->l2.read_bytes_per_s *= 2;
	d->l2.write_bytes_per_s *= 2;
}

/* How much faster the device makes it. */
static double gain(const struct suite *suite, void (*change)(struct sm_device *),
		   const struct plain *plain)
{
	struct sm_device device = suite->platform.sm;
	change(&device);
	return plain_rate(suite, &device, plain) / plain_rate(suite, &suite->platform.sm, plain);
}

static void what_closes_the_gap_is_more_in_flight(void **state)
{
	static void (*const more_in_flight[])(struct sm_device *) = { nearer_memory, more_warps };
	const struct suite *suite = *state;
	double gap = 1 - share(suite, &suite->platform.sm, &f32);
	for (int k = 0; k < 2; k++) {
		struct sm_device device = suite->platform.sm;
		more_in_flight[k](&device);
		assert_between("gap", fabs(1 - share(suite, &device, &f32)), 0, gap / 2);
		assert_true(gain(suite, more_in_flight[k], &f32) >
			    gain(suite, more_in_flight[k], &f64) + 0.05);
	}
}

static void rates_and_arithmetic_are_not_what_it_lacks(void **state)
{
	const struct suite *suite = *state;
	assert_between("arithmetic", gain(suite, faster_arithmetic, &f32), 0.98, 1.02);
	assert_between("L2", gain(suite, wider_l2, &f32), 0.98, 1.02);
	assert_true(gain(suite, wider_memory, &f32) < gain(suite, wider_memory, &f64) - 0.1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_copy_moves_what_memory_gives),
		cmocka_unit_test(other_blocks_are_slower_as_measured),
		cmocka_unit_test(eight_bytes_a_thread_reach_the_rate_of_a_copy),
		cmocka_unit_test(four_bytes_a_thread_stay_clearly_below),
		cmocka_unit_test(what_closes_the_gap_is_more_in_flight),
		cmocka_unit_test(rates_and_arithmetic_are_not_what_it_lacks),
	};
	return cmocka_run_group_tests(tests, open_suite, close_suite);
}
