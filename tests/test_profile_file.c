/* SPDX-License-Identifier: MIT
 * Kernel profiles in files: what trimming leaves of them, and how large they are.
 */
#include "profile_kit.h"
#include "trace_kit.h"
#include "traces/profiles/kernel_profile.h"
#include "traces/views/trace_trim.h"

static void a_trimmed_trace_keeps_its_profiles(void **state)
{
	struct kernel_profiles all;
	struct trace t, trimmed;

	(void)state;
	trace_init(&t);
	trace_init(&trimmed);
	*trace_add_run(&t) = (struct trace_run){ .start_ns = 1, .end_ns = 2 };
	fill_profile(&t);
	trace_trim(&trimmed, &t, 0, 1);
	kernel_profiles_init(&all);
	assert_int_equal(kernel_profiles_add_trace(&all, &trimmed, "x"), 0);
	assert_int_equal(all.count, 1);
	assert_int_equal(all.profile[0].instruction[4].wavefronts_shared, 512);
	kernel_profiles_release(&all);
	trace_release(&t);
	trace_release(&trimmed);
}

static void a_profile_of_300_instructions_takes_a_few_kilobytes(void **state)
{
	char *path = in_directory("size.sqlite.zst");
	struct stat status;
	struct trace t;
	FILE *corpus = fopen("tests/corpus/sass.txt", "r");
	char line[512];
	uint32_t offset = 0;

	(void)state;
	assert_non_null(corpus);
	trace_init(&t);
	add_kit_profile(&t, 1, "toy", 4096, 128);
	while (fgets(line, sizeof(line), corpus) && offset < 300 * 16) {
		unsigned long long low, high;
		int text;

		if (sscanf(line, "%*x %llx %llx %n", &low, &high, &text) != 2)
			continue;
		*trace_add_profile_code(&t) =
			(struct trace_profile_code){ .symbol = t.profile[0].symbol,
						     .offset_bytes = offset,
						     .code_low = (int64_t)low,
						     .code_high = (int64_t)high,
						     .text = trace_string(&t, line + text) };
		*trace_add_profile_instruction(&t) = (struct trace_profile_instruction){
			.profile = 1, .offset_bytes = offset, .warps = 16384, .threads = 16384 * 32
		};
		offset += 16;
	}
	fclose(corpus);
	assert_int_equal(offset, 300 * 16);
	assert_int_equal(trace_write(&t, path), 0);
	assert_int_equal(stat(path, &status), 0);
	/* every form of the corpus once: kernels repeat themselves and take less */
	assert_in_range(status.st_size, 1, 15 << 10);
	trace_release(&t);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trimmed_trace_keeps_its_profiles),
		cmocka_unit_test(a_profile_of_300_instructions_takes_a_few_kilobytes),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
