/* SPDX-License-Identifier: MIT
 * Which of two devices is the faster one: every time and every rate of [sm] counts, and nothing
 * else.
 */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "model/platform/platform_internal.h"
#include "model/platform/sm_order.h"

static enum sm_order after(const struct platform *platform, const char *assignment)
{
	struct platform changed;
	assert_int_equal(platform_read(&changed, "h200x4"), 0);
	assert_int_equal(platform_set(&changed, assignment), 0);
	enum sm_order order = sm_order(&platform->sm, &changed.sm);
	platform_release(&changed);
	return order;
}

static void assert_scaled(const struct platform *platform, const char *key, double factor,
			  enum sm_order wanted)
{
	char *assignment = xprintf("%s=%.9g", key, atof(platform_text(platform, key)) * factor);
	if (after(platform, assignment) != wanted)
		fail_msg("--set %s: not %d", assignment, wanted);
	free(assignment);
}

static void a_device_is_no_faster_than_itself(void **state)
{
	assert_int_equal(
		sm_order(&((struct platform *)*state)->sm, &((struct platform *)*state)->sm),
		SM_EQUAL);
}

static void each_time_and_each_rate_says_which(void **state)
{
	const struct platform *platform = *state;
	int times = 0, rates = 0;
	for (const struct platform_key *key = platform_keys; key->name; key++) {
		const char *text = strncmp(key->name, "sm.", 3) || key->offset == NO_MEMBER ||
						   key->kind != KEY_REAL
					   ? NULL
					   : platform_text(platform, key->name);
		if (!text || atof(text) <= 0)
			continue;
		bool rate = key->flags & KEY_INFINITE,
		     time = !strcmp(key->unit, "ns") || !strcmp(key->unit, "cycles");
		if (rate || time) {
			assert_scaled(platform, key->name, 1.01, rate ? SM_FASTER : SM_SLOWER);
			assert_scaled(platform, key->name, 0.99, rate ? SM_SLOWER : SM_FASTER);
		}
		times += time;
		rates += rate;
	}
	assert_true(times > 30 && rates >= 10);
}

static void what_is_neither_says_nothing(void **state)
{
	const struct platform *platform = *state;
	static const char *const changes[] = { "sm.warp_slots=32", "sm.l2_knee=3", "sm.isa=none",
					       "sm.dram_least_share=0.5",
					       "sm.l2_reversed_bytes=1e6" };
	for (size_t k = 0; k < sizeof(changes) / sizeof(changes[0]); k++)
		assert_int_equal(after(platform, changes[k]), SM_NEITHER);
}

static void one_for_and_one_against_is_neither(void **state)
{
	const struct platform *platform = *state;
	struct sm_device changed = platform->sm;
	changed.l2.latency_ns /= 2;
	assert_int_equal(sm_order(&platform->sm, &changed), SM_FASTER);
	changed.dram.latency_ns *= 2;
	assert_int_equal(sm_order(&platform->sm, &changed), SM_NEITHER);
	changed = platform->sm;
	changed.l2_wide_copy_bytes_per_s = 0; /* nobody measured it */
	assert_int_equal(sm_order(&platform->sm, &changed), SM_NEITHER);
}

static void lists_are_compared_by_their_numbers(void **state)
{
	const struct platform *platform = *state;
	struct sm_device changed = platform->sm;
	double *reads = xcalloc(changed.dram_update_reads.count, sizeof(*reads));
	memcpy(reads, changed.dram_update_reads.value,
	       changed.dram_update_reads.count * sizeof(*reads));
	changed.dram_update_reads.value = reads;
	assert_int_equal(sm_order(&platform->sm, &changed), SM_EQUAL);
	reads[0] *= 1.5;
	assert_int_equal(sm_order(&platform->sm, &changed), SM_NEITHER);
	free(reads);
}

int main(void)
{
	struct platform platform;
	if (platform_read(&platform, "h200x4"))
		return 1;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(a_device_is_no_faster_than_itself, &platform),
		cmocka_unit_test_prestate(each_time_and_each_rate_says_which, &platform),
		cmocka_unit_test_prestate(what_is_neither_says_nothing, &platform),
		cmocka_unit_test_prestate(one_for_and_one_against_is_neither, &platform),
		cmocka_unit_test_prestate(lists_are_compared_by_their_numbers, &platform),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);
	platform_release(&platform);
	return rc;
}
