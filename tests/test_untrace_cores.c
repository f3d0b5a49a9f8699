/* SPDX-License-Identifier: MIT
 * What shared cores do to recorded calls, to pauses and to what the recorder takes around them.
 */
#include "untrace_kit.h"

/* A core of one's own gives 5000 additions, so that one that gives less than 4000 is shared. */
static void platform_of_cores(struct platform *platform, const char *longer)
{
	platform_of(platform, "free");
	assert_int_equal(platform_set(platform, "device.name=one"), 0);
	set(platform, "host.core_additions", 5000);
	assert_int_equal(platform_set(platform, "tracer.launch_record_ns=1000 1300"), 0);
	assert_int_equal(platform_set(platform, longer), 0);
	set(platform, "tracer.event_part", 0.5);
}

static void look(struct core_looks *looks, size_t count, size_t shared)
{
	for (size_t k = 0; k < count; k++) {
		GROW(looks->additions, looks->count, looks->capacity);
		looks->additions[looks->count++] = k < shared ? 3900 : 4100;
	}
}

/* Launches recorded at 1000 ns and more are on a core of its own, at 1300 on a shared one; of the
 * host's eight cores four are shared. Records take 0.8 as much again there. */
static void calls_are_answered_for_the_cores_that_the_host_had(void **state)
{
	static const struct {
		int64_t launch_ns;
		size_t looks;
		const char *asked;
		double longer; /* than recorded */
	} cases[] = {
		{ 1300, 8, NULL, 1.4 / 1.8 },
		{ 1000, 8, NULL, 1.4 },
		{ 900, 8, NULL, 1.4 },
		{ 1300, 7, NULL, 1 }, /* too few looks */
		{ 1300, 0, "host.shared_cores=1", 1 },
		{ 1300, 8, "host.shared_cores=0", 1 / 1.8 },
		{ 0, 8, NULL, 1 }, /* nothing says what core the process had */
	};
	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct platform platform;
		struct schedule s;
		platform_of_cores(&platform, "host.shared_longer=0.2 0.8 0.5 0.5");
		if (cases[k].asked)
			assert_int_equal(platform_set(&platform, cases[k].asked), 0);
		one_thread(&s);
		add(&s, OP_RECORD, 0, 0);
		s.device = xstrdup("one");
		s.call_recorded_ns[CALL_OF_RECORD] = 1000;
		s.call_recorded_ns[CALL_OF_LAUNCH] = cases[k].launch_ns;
		look(&s.host_looks, cases[k].looks, cases[k].looks / 2);
		schedule_untrace(&s, &platform);
		assert_in_range(s.call_ps[CALL_OF_RECORD], (int64_t)(500000 * cases[k].longer) - 1,
				(int64_t)(500000 * cases[k].longer) + 1);
		schedule_release(&s);
		platform_release(&platform);
	}
}

/* Looks of the threads themselves say what cores they had, where there are enough; and a platform
 * whose fifth value says so has pauses scaled, which are 10 us long. */
static void a_threads_own_looks_tell_and_pauses_follow(void **state)
{
	static const struct {
		size_t own, own_shared;
		uint32_t virtual_gpus;
		const char *longer;
		double records, pauses; /* times as long as recorded */
	} cases[] = {
		{ 8, 8, 0, "host.shared_longer=0.2 0.8 0.5 0.5 0.4", 1.4 / 1.8, 1.2 / 1.4 },
		{ 8, 4, 0, "host.shared_longer=0.2 0.8 0.5 0.5 0.4", 1, 1 },
		{ 8, 0, 0, "host.shared_longer=0.2 0.8 0.5 0.5", 1.4, 1 },	 /* as files were */
		{ 7, 7, 0, "host.shared_longer=0.2 0.8 0.5 0.5 0.4", 1.4, 1.2 }, /* launches tell */
		{ 8, 8, 2, "host.shared_longer=0.2 0.8 0.5 0.5 0.4", 1.4, 1.2 },
	};
	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct platform platform;
		struct schedule s;
		platform_of_cores(&platform, cases[k].longer);
		one_thread(&s);
		add(&s, OP_RECORD, 0, 10000);
		s.device = xstrdup("one");
		s.virtual_gpus = cases[k].virtual_gpus;
		s.call_recorded_ns[CALL_OF_RECORD] = 1000;
		s.call_recorded_ns[CALL_OF_LAUNCH] = 1000; /* on a core of its own */
		look(&s.host_looks, 8, 4);
		look(&s.own_looks, cases[k].own, cases[k].own_shared);
		schedule_untrace(&s, &platform);
		assert_in_range(s.call_ps[CALL_OF_RECORD], (int64_t)(500000 * cases[k].records) - 1,
				(int64_t)(500000 * cases[k].records) + 1);
		assert_in_range(s.op[0].before_ps, (int64_t)(10000000 * cases[k].pauses) - 1,
				(int64_t)(10000000 * cases[k].pauses) + 1);
		schedule_release(&s);
		platform_release(&platform);
	}
}

/* Of the host's cores half are shared, and running threads meet 0.6 of these; the recorder takes
 * around calls, whose pauses are 10 us long, what it takes on half as many shared cores. */
static void threads_meet_fewer_shared_cores_than_the_host_has(void **state)
{
	static const struct {
		size_t own_shared;
		double around; /* times as long as the platform says */
	} cases[] = { { 8, 1.8 / 1.4 }, { 4, 1 }, { 0, 1 / 1.4 } };
	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct platform platform;
		struct schedule s;
		platform_of_cores(&platform, "host.shared_longer=0.2 0.8 0.5 0.5");
		set(&platform, "host.shared_met", 0.6);
		set(&platform, "tracer.launch_part", 0.5);
		set(&platform, "tracer.outside_ns", 280);
		one_thread(&s);
		add(&s, OP_RECORD, 0, 10000);
		add(&s, OP_RECORD, 0, 10000);
		s.device = xstrdup("one");
		s.call_recorded_ns[CALL_OF_LAUNCH] = 1000;
		look(&s.host_looks, 8, 4);
		look(&s.own_looks, 8, cases[k].own_shared);
		schedule_untrace(&s, &platform);
		assert_true(fabs(s.answered_shared - 0.3) < 1e-9);
		/* A launch takes 1.2 times as long on a shared core, its record 1.3 times. */
		const double longer = 1.06 / (1 + 0.3 * (double)cases[k].own_shared / 8);
		assert_in_range(s.call_ps[CALL_OF_LAUNCH], (int64_t)(500000 * longer) - 1,
				(int64_t)(500000 * longer) + 1);
		assert_in_range(s.op[1].before_ps,
				(int64_t)(1000 * (10000 - 280 * cases[k].around)) - 1,
				(int64_t)(1000 * (10000 - 280 * cases[k].around)) + 1);
		schedule_release(&s);
		platform_release(&platform);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_answered_for_the_cores_that_the_host_had),
		cmocka_unit_test(a_threads_own_looks_tell_and_pauses_follow),
		cmocka_unit_test(threads_meet_fewer_shared_cores_than_the_host_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
