/* SPDX-License-Identifier: MIT
 * Closed forms of transfer and run times: the thesis' algebra, and laws from samples that follow
 * one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>

#include "model/closed/closed_time.h"
#include "model/closed/transfer_samples.h"

enum { SAMPLES = 12 };

static void fill(struct transfer_sample sample[SAMPLES], double startup, double word)
{
	for (int k = 0; k < SAMPLES; k++) {
		const double words = pow(3, k);
		sample[k] = (struct transfer_sample){ words * TRANSFER_WORD_BYTES,
						      startup + words * word };
	}
}

static void lines_are_found_again(void **state)
{
	struct transfer_sample sample[SAMPLES];
	struct transfer_law law;
	(void)state;
	fill(sample, 3300, 2.5);
	for (int m = TRANSFER_LINEAR; m <= TRANSFER_RELATIVE; m++) {
		assert_int_equal(transfer_fit(&law, (enum transfer_method)m, sample, SAMPLES), 0);
		assert_true(fabs(law.startup_ns - 3300) < 1e-3);
		assert_true(fabs(law.word_ns - 2.5) < 1e-6);
		assert_true(transfer_errors(&law, sample, SAMPLES).largest_pct < 1e-4);
	}
}

static void a_power_law_is_found_again(void **state)
{
	struct transfer_sample sample[SAMPLES];
	struct transfer_law law;
	(void)state;
	for (int k = 0; k < SAMPLES; k++)
		sample[k] = (struct transfer_sample){ pow(2, k), 7 * pow(pow(2, k), 0.99) };
	assert_int_equal(transfer_fit(&law, TRANSFER_POWER, sample, SAMPLES), 0);
	assert_true(fabs(law.exponent - 0.99) < 1e-9);
	assert_true(fabs(law.factor_ns - 7) < 1e-6);
}

static void timer_reg_takes_the_latency_of_a_copy_for_a_word(void **state)
{
	/* Table 6.4 of the thesis: 3 us for nothing, 15 us for one word; 57,925 words in 145 us. */
	const struct transfer_sample table[] = { { 0, 3000 }, { 4, 15000 }, { 4 * 57925, 145000 } };
	struct transfer_law wrong, right;
	(void)state;
	assert_int_equal(transfer_fit(&wrong, TRANSFER_TIMER_REG, table, 3), 0);
	assert_true(wrong.word_ns == 12000 && wrong.startup_ns == 3000);
	assert_int_equal(transfer_fit(&right, TRANSFER_LINEAR, table, 3), 0);
	assert_true(wrong.word_ns / right.word_ns > 5000 && wrong.word_ns / right.word_ns < 1e4);
}

static void timer_reg_needs_nothing_and_a_word(void **state)
{
	struct transfer_sample sample[SAMPLES];
	struct transfer_law law;
	(void)state;
	fill(sample, 3300, 2.5);
	assert_int_equal(transfer_fit(&law, TRANSFER_TIMER_REG, sample, SAMPLES), -1);
	assert_int_equal(transfer_fit(&law, TRANSFER_LINEAR, sample, 1), -1);
}

/* (5.5) and (5.6) are (5.2) against (5.1), solved. */
static void blocks_take_longer_beyond_the_margin_and_not_before(void **state)
{
	(void)state;
	for (double n = 64; n < 60000; n *= 3)
		for (double k = 1; k < n / 2; k *= 2) {
			const double margin = closed_block_margin(n, k, 2), word = 2.5;
			for (int beyond = 0; beyond < 2; beyond++) {
				const struct transfer_law law = { TRANSFER_LINEAR,
								  margin * word *
									  (beyond ? 1.001 : 0.999),
								  word, NAN, NAN };
				assert_int_equal(closed_block_ns(&law, n, k) >
							 closed_strip_ns(&law, n, k, 2),
						 beyond);
				/* lateral strips are always faster */
				assert_true(closed_block_ns(&law, n, k) >
					    closed_strip_ns(&law, n, k, 1));
			}
			assert_true(closed_block_margin(n, k, 1) < 0);
			assert_true(margin < 2 * k); /* (5.7) */
		}
}

static void a_run_waits_for_its_slowest_gpu(void **state)
{
	const struct closed_part part[] = { { 10, 4 }, { 9, 8 }, { 16, 0 } };
	(void)state;
	assert_true(closed_run_ns(5, part, 3) == 22);
	assert_true(closed_run_ns(0, part, 1) == 14);
}

static void table_6_4_comes_out_with_the_word_it_implies(void **state)
{
	const struct transfer_law law = { TRANSFER_TIMER_REG, 3200, 58429.3, NAN, NAN };
	(void)state;
	assert_true(fabs(closed_flow_ns(&law, 5, 11585) * 1e-6 - 3384.557) < 0.05);
	assert_true(fabs(closed_flow_ns(&law, 5, 5792) * 1e-6 - 1692.140) < 0.05);
	assert_true(fabs(closed_flow_ns(&law, 5792, 5) * 1e-6 - 1710.659) < 0.05);
}

static void copies_of_a_platform_are_samples(void **state)
{
	struct transfer_samples samples;
	(void)state;
	assert_int_equal(transfer_samples_read(&samples, "tests/cases/lib/small.ini", "h2d"), 0);
	assert_true(samples.count >= 2 && samples.at[0].bytes == 0);
	for (size_t k = 1; k < samples.count; k++)
		assert_true(samples.at[k].bytes > samples.at[k - 1].bytes);
	transfer_samples_release(&samples);
	assert_int_equal(transfer_kind("peer"), COPY_CURVE_PEER);
	assert_int_equal(transfer_kind("sideways"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_found_again),
		cmocka_unit_test(a_power_law_is_found_again),
		cmocka_unit_test(timer_reg_takes_the_latency_of_a_copy_for_a_word),
		cmocka_unit_test(timer_reg_needs_nothing_and_a_word),
		cmocka_unit_test(blocks_take_longer_beyond_the_margin_and_not_before),
		cmocka_unit_test(a_run_waits_for_its_slowest_gpu),
		cmocka_unit_test(table_6_4_comes_out_with_the_word_it_implies),
		cmocka_unit_test(copies_of_a_platform_are_samples),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
