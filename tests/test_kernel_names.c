/* SPDX-License-Identifier: MIT
 * Kernels by the names people give them.
 */
#include "profile_kit.h"
#include "support.h"
#include "traces/base/demangle.h"
#include "traces/profiles/kernel_names.h"

static void a_kernel_is_called_as_a_plan_would_call_it(void **state)
{
	static const char *const names[][2] = {
		{ "sweep(float*)", "sweep" },
		{ "void sweep(float*, int)", "sweep" },
		{ "void sweep<float>(float*)", "void sweep<float>(float*)" },
		{ "a::(anonymous namespace)::sweep(int)", "a::(anonymous namespace)::sweep" },
		{ "(anonymous namespace)::sweep", "(anonymous namespace)::sweep" },
		{ "plain", "plain" },
		{ "(int)", "(int)" },
		{ "", "" },
	};

	(void)state;
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
		char *name = kernel_plain_name(names[k][0]);

		assert_string_equal(name, names[k][1]);
		free(name);
	}
}

/* A kernel of a foreign program has its symbol for a name. */
static void add_foreign(struct trace *t, int64_t id, const char *symbol)
{
	struct trace_profile *p = add_kit_profile(t, id, symbol, 8, 64);

	p->symbol = p->kernel;
	add_kit_code(t, symbol);
	add_kit_counts(t, id);
}

static void profiles_are_found_by_demangled_bare_and_raw_names(void **state)
{
	struct kernel_profiles all;
	struct said said;
	struct trace t;

	(void)state;
	trace_init(&t);
	add_foreign(&t, 1, "_Z3st7PKfPf");
	add_foreign(&t, 2, "_ZN3rbs9histogramIfEEvPT_");
	kernel_profiles_init(&all);
	assert_int_equal(kernel_profiles_add_trace(&all, &t, "t"), 0);
	assert_int_equal(all.count, 2);
	assert_string_equal(all.profile[0].kernel, "st7");
	assert_string_equal(all.profile[0].symbol, "_Z3st7PKfPf");
	assert_true(kernel_is_called(&all.profile[0], "st7"));
	assert_true(kernel_is_called(&all.profile[0], "_Z3st7PKfPf"));
	assert_true(kernel_is_called(&all.profile[1], "histogram"));
	assert_true(kernel_is_called(&all.profile[1], all.profile[1].kernel));
	assert_false(kernel_is_called(&all.profile[1], "st7"));
	said_begin(&said);
	assert_int_equal(kernel_is_unknown(&all, "t", "st"), -1);
	assert_says(&said, "t: no profile of kernel 'st'; there are: st7, ");
	said_begin(&said);
	kernel_is_unknown(&all, "t", "histogran");
	assert_says(&said, "there are: void rbs::histogram<float>(float*), st7");
	kernel_profiles_release(&all);
	trace_release(&t);
}

static void of_many_kernels_the_nearest_are_named(void **state)
{
	struct kernel_profiles all;
	struct said said;
	struct trace t;

	(void)state;
	trace_init(&t);
	for (int k = 0; k < 9; k++) {
		char *name = xprintf("%.*ssweep%d", k, "xxxxxxxxx", k);

		add_foreign(&t, k + 1, name);
		free(name);
	}
	kernel_profiles_init(&all);
	assert_int_equal(kernel_profiles_add_trace(&all, &t, "t"), 0);
	said_begin(&said);
	assert_int_equal(kernel_is_unknown(&all, "t", "sweep"), -1);
	assert_says(&said, "no profile of kernel 'sweep'; the nearest of 9 are: sweep0, xsweep1, "
			   "xxsweep2, xxxsweep3, xxxxsweep4, xxxxxsweep5");
	kernel_profiles_release(&all);
	trace_release(&t);
}

static void who_asks_in_vain_is_told_what_was_launched(void **state)
{
	const struct text_list asked = { .text = { "nomatch", "jacoby_kernel" }, .count = 2 };
	struct said said;

	(void)state;
	said_begin(&said);
	assert_int_equal(kernel_none_launched(&asked, "reduce\njacobi_kernel\n"), -1);
	assert_says(&said, "no kernel that --kernel names was launched; launched were: "
			   "jacobi_kernel, reduce");
	said_begin(&said);
	assert_int_equal(kernel_none_launched(&asked, "a\nb\nc\nd\ne\nf\nnomatches\n"), -1);
	assert_says(&said, "launched; the nearest that were: nomatches, a, c, b, d, e");
	said_begin(&said);
	assert_int_equal(kernel_none_launched(&asked, NULL), -1);
	assert_says(&said, "--kernel names was launched\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kernel_is_called_as_a_plan_would_call_it),
		cmocka_unit_test(profiles_are_found_by_demangled_bare_and_raw_names),
		cmocka_unit_test(of_many_kernels_the_nearest_are_named),
		cmocka_unit_test(who_asks_in_vain_is_told_what_was_launched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
