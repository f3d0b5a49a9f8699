/* SPDX-License-Identifier: MIT
 * The sawtooth that is read out of what a waiting channel adds to a kernel
 * (model/calibrate/poll_fit.c).
 */
#include "support.h"

#include <math.h>
#include <stdlib.h>

#include "model/calibrate/poll_fit.h"

enum { STEPS = 160 };

/* What a channel adds that polls each `period` and has polled behind a body of `polled`; `least`
 * where it polls just then. */
static void sweep(double period_ns, double polled_ns, double least_ns, double noise_ns,
		  double body_ns[STEPS], double added_ns[STEPS])
{
	srand(7);
	for (int i = 0; i < STEPS; i++) {
		body_ns[i] = (i + 1) * 250.0;
		double ahead_ns = fmod(polled_ns - body_ns[i], period_ns);
		ahead_ns += ahead_ns < 0 ? period_ns : 0;
		added_ns[i] = fmax(least_ns, least_ns - 500 + ahead_ns) +
			      noise_ns * (rand() / (double)RAND_MAX - 0.5);
	}
}

static void period_and_first_poll_are_found(void **state)
{
	static const struct {
		double period_ns, polled_ns, least_ns;
	} truth[] = { { 8150, 500, 2700 }, { 9400, 2300, 3300 }, { 5200, 5000, 100 } };
	double body_ns[STEPS], added_ns[STEPS];
	struct poll_fit fit;
	(void)state;
	for (size_t k = 0; k < sizeof(truth) / sizeof(truth[0]); k++) {
		sweep(truth[k].period_ns, truth[k].polled_ns, truth[k].least_ns, 400, body_ns,
		      added_ns);
		assert_int_equal(poll_fit(body_ns, added_ns, STEPS, &fit), 0);
		assert_true(fabs(fit.period_ns - truth[k].period_ns) <= 60);
		assert_true(fabs(fit.polled_ns - truth[k].polled_ns) <= 250);
		assert_true(fabs(fit.least_ns - truth[k].least_ns) <= 250);
		assert_true(fit.off_ns < 250);
	}
}

static void points_that_are_no_sawtooth_are_far_from_it(void **state)
{
	double body_ns[STEPS], added_ns[STEPS];
	struct poll_fit fit;
	(void)state;
	sweep(8000, 500, 2700, 0, body_ns, added_ns);
	for (int i = 0; i < STEPS; i++)
		added_ns[i] = 3000 + 3000 * (rand() / (double)RAND_MAX);
	assert_int_equal(poll_fit(body_ns, added_ns, STEPS, &fit), 0);
	assert_true(fit.off_ns > 600);
}

static void few_or_short_bodies_are_refused(void **state)
{
	double body_ns[STEPS], added_ns[STEPS];
	struct poll_fit fit;
	(void)state;
	sweep(8000, 500, 2700, 0, body_ns, added_ns);
	assert_int_equal(poll_fit(body_ns, added_ns, 7, &fit), -1);
	assert_int_equal(poll_fit(body_ns, added_ns, 100, &fit),
			 -1); /* up to 25 us: not two of the longest period */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(period_and_first_poll_are_found),
		cmocka_unit_test(points_that_are_no_sawtooth_are_far_from_it),
		cmocka_unit_test(few_or_short_bodies_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
