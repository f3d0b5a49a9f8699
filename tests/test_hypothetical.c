/* SPDX-License-Identifier: MIT
 * How parts of a machine that nobody measured widen an interval.
 */
#include "support.h"

#include <math.h>

#include "sim/answers/target_machine.h"

enum { DEVICE = 1 << PART_OF_DEVICE, HOST = 1 << PART_OF_HOST };

static struct interval_row rows[] = {
	{ .set = "device", .class_name = "single-host", .low = -0.02, .high = 0.02 },
	{ .set = "device", .class_name = "kernels", .low = -0.15, .high = 0.17 },
	{ .set = "host", .class_name = "single-host", .low = -0.2, .high = 0.05 },
};
static const struct intervals left_out = { .row = rows, .count = 3 };
static const struct hypothetical nothing = { 0 };

static void assert_same(double value, double expected)
{
	assert_true(fabs(value - expected) <= 1e-12);
}

static void widen(unsigned parts, const char *class_name, double *low, double *high)
{
	*low = -0.08, *high = 0.1;
	hypothetical_widen(&nothing, &left_out, parts, "size", class_name, "", low, high);
}

static void a_machine_as_measured_keeps_its_interval(void **state)
{
	double low, high;
	(void)state;
	widen(0, "single-host", &low, &high);
	assert_same(low, -0.08);
	assert_same(high, 0.1);
}

static void a_device_is_added_as_squares_of_logarithms(void **state)
{
	double low, high;
	(void)state;
	widen(DEVICE, "single-host", &low, &high);
	assert_same(low, expm1(-hypot(log1p(-0.08), log1p(-0.02))));
	assert_same(high, expm1(hypot(log1p(0.1), log1p(0.02))));
}

/* The widths of the machine that gave the host: as much wider as the solver is on it. */
static void a_host_of_another_machine_is_as_wide_as_the_solver_there(void **state)
{
	struct interval_row there[] = {
		{ .set = "size", .class_name = "single-host", .low = -0.1, .high = 0.2 },
		{ .set = INTERVAL_SOLVER, .class_name = "mlssor", .low = 2, .high = 2 },
	};
	const struct hypothetical h = { .other = { .row = there, .count = 2 } };
	static const char *const solver[] = { "", "lmsor", "mlssor" };
	(void)state;
	for (int k = 0; k < 3; k++) {
		double low = -0.08, high = 0.1;
		hypothetical_widen(&h, &left_out, 0, "size", "single-host", solver[k], &low, &high);
		assert_same(high, k < 2 ? 0.2 : 1.2 * 1.2 - 1);
		assert_same(low, k < 2 ? -0.1 : 0.9 * 0.9 - 1);
	}
}

static void a_host_makes_it_no_narrower_than_it_errs(void **state)
{
	double low, high;
	(void)state;
	widen(HOST, "single-host", &low, &high);
	assert_same(low, -0.2);
	assert_same(high, 0.1);
}

static void a_host_holds_the_models_error_once_and_a_device_comes_on_top(void **state)
{
	double low, high;
	(void)state;
	widen(HOST | DEVICE, "single-host", &low, &high);
	assert_same(low, expm1(-hypot(log1p(-0.2), log1p(-0.02))));
	assert_same(high, expm1(hypot(log1p(0.1), log1p(0.02))));
}

static void a_class_nobody_left_out_takes_the_widest_of_the_part(void **state)
{
	double low, high;
	(void)state;
	widen(DEVICE, "peer-host", &low, &high);
	assert_same(low, expm1(-hypot(log1p(-0.08), log1p(-0.15))));
	assert_same(high, expm1(hypot(log1p(0.1), log1p(0.17))));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_machine_as_measured_keeps_its_interval),
		cmocka_unit_test(a_device_is_added_as_squares_of_logarithms),
		cmocka_unit_test(a_host_of_another_machine_is_as_wide_as_the_solver_there),
		cmocka_unit_test(a_host_makes_it_no_narrower_than_it_errs),
		cmocka_unit_test(a_host_holds_the_models_error_once_and_a_device_comes_on_top),
		cmocka_unit_test(a_class_nobody_left_out_takes_the_widest_of_the_part),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
