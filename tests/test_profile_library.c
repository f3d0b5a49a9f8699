/* SPDX-License-Identifier: MIT
 * A folder of kernel profiles: what the index says of it, and that a kernel loaded by name is what
 * it is when everything is loaded.
 */
#include "traces/profiles/profile_library.h"

#include <glob.h>

#include "profile_kit.h"
#include "trace_kit.h"

/* One profile of kernel `kernel`, whose symbol is _Z4toysPf, in a file of the folder. */
static char *toy_file(const char *name, const char *kernel)
{
	char *path = in_directory(name);
	struct trace t;

	trace_init(&t);
	fill_profile(&t);
	t.profile[0].kernel = trace_string(&t, kernel);
	assert_int_equal(trace_write(&t, path), 0);
	trace_release(&t);
	return path;
}

static char *write_index(char *const *files, size_t count)
{
	char *path = in_directory("index.tsv");
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_int_equal(profile_index_write(out, files, count), 0);
	fclose(out);
	return path;
}

static void same_profile(const struct kernel_profile *a, const struct kernel_profile *b)
{
	assert_string_equal(a->kernel, b->kernel);
	assert_string_equal(a->symbol, b->symbol);
	assert_string_equal(a->isa, b->isa);
	assert_memory_equal(&a->geometry, &b->geometry, sizeof(a->geometry));
	assert_memory_equal(&a->rows, &b->rows,
			    offsetof(struct kernel_profile, instruction) -
				    offsetof(struct kernel_profile, rows));
	assert_int_equal(a->instruction_count, b->instruction_count);
	for (size_t i = 0; i < a->instruction_count; i++) {
		const struct profile_instruction *x = &a->instruction[i], *y = &b->instruction[i];

		assert_int_equal(x->offset, y->offset);
		assert_memory_equal(x->code, y->code, sizeof(x->code));
		assert_string_equal(x->text, y->text);
		assert_memory_equal(&x->warps, &y->warps,
				    sizeof(*x) - offsetof(struct profile_instruction, warps));
	}
}

/* The profiles of a kernel, in their order. */
static void same_profiles(const struct kernel_profiles *a, const struct kernel_profiles *b,
			  const char *kernel)
{
	size_t at = 0, found = 0;

	for (size_t k = 0; k < a->count; k++) {
		if (strcmp(a->profile[k].kernel, kernel) != 0)
			continue;
		while (at < b->count && strcmp(b->profile[at].kernel, kernel) != 0)
			at++;
		assert_true(at < b->count);
		same_profile(&a->profile[k], &b->profile[at++]);
		found++;
	}
	assert_true(found > 0);
	for (; at < b->count; at++)
		assert_string_not_equal(b->profile[at].kernel, kernel);
}

static int need(struct profile_library *library, const char *kernel)
{
	char *name = xstrdup(kernel);
	int rc = profile_library_need(library, &name, 1);

	free(name);
	return rc;
}

static void only_what_is_asked_for_is_loaded(void **state)
{
	char *files[] = { toy_file("a.wrt.zst", "toy"), toy_file("b.wrt.zst", "other") };
	char *index = write_index(files, 2), *source = xprintf("%s,%s", files[0], files[1]);
	struct profile_library library = { 0 };

	(void)state;
	assert_int_equal(profile_library_open(&library, files, 2), 0);
	assert_int_equal(library.loaded.count, 0);
	assert_string_equal(library.loaded.source, source);
	assert_true(profile_library_has(&library, "toy"));
	assert_true(profile_library_has(&library, "other"));
	assert_false(profile_library_has(&library, "_Z4toysPf"));
	assert_int_equal(need(&library, "none"), 0);
	assert_int_equal(library.loaded.count, 0);

	assert_int_equal(need(&library, "other"), 0);
	assert_int_equal(library.loaded.count, 1);
	const struct kernel_profile *held = library.loaded.profile;
	assert_int_equal(need(&library, "other"), 0);
	assert_int_equal(library.loaded.count, 1);

	assert_int_equal(need(&library, "_Z4toysPf"), 0); /* a symbol, of both */
	assert_int_equal(library.loaded.count, 2);
	assert_string_equal(library.loaded.profile[1].kernel, "toy");
	assert_ptr_equal(held, library.loaded.profile); /* who held it may go on */
	assert_string_equal(held->kernel, "other");
	assert_string_equal(library.loaded.source, source);
	profile_library_release(&library);
	unlink(index);
	free(index);
	free(source);
	free(files[0]);
	free(files[1]);
}

/* An index of other files, or of other content, is as good as none. */
static void an_index_that_does_not_fit_is_none(void **state)
{
	char *files[] = { toy_file("a.wrt.zst", "toy"), toy_file("b.wrt.zst", "other") };
	char *index = write_index(files, 2);
	struct profile_index read;

	(void)state;
	assert_int_equal(profile_index_read(&read, files, 2), 0);
	assert_int_equal(read.count, 2);
	profile_index_release(&read);
	assert_int_equal(profile_index_read(&read, files, 1), 0); /* one of its files is gone */
	assert_int_equal(read.count, 0);

	free(index);
	index = write_index(files, 1); /* there is one more than it knows */
	assert_int_equal(profile_index_read(&read, files, 2), 0);
	assert_int_equal(read.count, 0);

	free(index);
	index = write_index(files, 2);
	free(toy_file("b.wrt.zst", "newer"));
	for (int k = 0; k < 2; k++) {
		struct profile_library library = { 0 };

		assert_int_equal(profile_library_open(&library, files, 2), 0);
		assert_int_equal(library.loaded.count, 2);
		assert_true(profile_library_has(&library, "newer"));
		assert_false(profile_library_has(&library, "other"));
		assert_int_equal(need(&library, "newer"), 0);
		assert_int_equal(library.loaded.count, 2);
		profile_library_release(&library);
		unlink(index); /* and without one */
	}
	free(index);
	free(files[0]);
	free(files[1]);
}

static void an_index_that_is_no_table_is_refused(void **state)
{
	static const struct {
		const char *text, *said;
	} bad[] = {
		{ "file\tbytes\n", "index.tsv: there is no column 'checksum'" },
		{ "file\tbytes\tchecksum\tprofiles\tsymbol\tkernel\na\tmany\t0\t1\ts\tk\n",
		  "index.tsv:2: not a kernel of a file of 6 columns" },
		{ "file\tbytes\tchecksum\tprofiles\tsymbol\tkernel\na\t1\t0\t0\ts\tk\n",
		  "index.tsv:2: not a kernel of a file of 6 columns" },
	};
	char *files[] = { toy_file("a.wrt.zst", "toy") }, *index = in_directory("index.tsv");

	(void)state;
	for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
		struct profile_index read;
		FILE *out = fopen(index, "w");

		fputs(bad[k].text, out);
		fclose(out);
		hear();
		assert_int_equal(profile_index_read(&read, files, 1), -1);
		char *said = heard();
		assert_non_null(strstr(said, bad[k].said));
		assert_int_equal(read.count, 0);
		free(said);
	}
	unlink(index);
	free(index);
	free(files[0]);
}

/* What it says too little of would move what others hold. */
static void an_index_that_knows_of_fewer_profiles_is_refused(void **state)
{
	char *files[] = { in_directory("a.wrt.zst") }, *index = in_directory("index.tsv"), *text;
	struct profile_library library = { 0 };
	struct trace t;

	(void)state;
	trace_init(&t);
	fill_profile(&t);
	add_kit_profile(&t, 4, "toy", 16, 64);
	add_kit_counts(&t, 4);
	assert_int_equal(trace_write(&t, files[0]), 0);
	trace_release(&t);
	free(write_index(files, 1));
	text = slurp(index);
	char *two = strstr(text, "\t2\t");
	assert_non_null(two);
	two[1] = '1';
	FILE *out = fopen(index, "w");
	fputs(text, out);
	fclose(out);
	free(text);
	assert_int_equal(profile_library_open(&library, files, 1), 0);
	hear();
	assert_int_equal(need(&library, "toy"), -1);
	text = heard();
	assert_non_null(strstr(text, "a.wrt.zst: has more kernel profiles than index.tsv"));
	free(text);
	profile_library_release(&library);
	unlink(index);
	free(index);
	free(files[0]);
}

/* Of what ships, kernel by kernel, the last first. */
static void shipped_profiles_are_the_same_one_by_one(void **state)
{
	struct profile_library library = { 0 };
	struct kernel_profiles all;
	glob_t found;

	(void)state;
	assert_int_equal(glob("traces/data/*/kernels/*.wrt.zst", 0, NULL, &found), 0);
	kernel_profiles_init(&all);
	for (size_t k = 0; k < found.gl_pathc; k++)
		assert_int_equal(kernel_profiles_add_file(&all, found.gl_pathv[k]), 0);
	assert_int_equal(profile_library_open(&library, found.gl_pathv, found.gl_pathc), 0);
	assert_int_equal(library.loaded.count, 0); /* the index fits */
	assert_string_equal(library.loaded.source, all.source);
	for (size_t k = library.index.count; k-- > 0;)
		if (k % 8 == 0) /* of each file some */
			assert_int_equal(need(&library, library.index.row[k].kernel), 0);
	for (size_t k = 0; k < library.index.count; k += 8)
		same_profiles(&all, &library.loaded, library.index.row[k].kernel);
	profile_library_release(&library);
	kernel_profiles_release(&all);
	globfree(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_is_asked_for_is_loaded),
		cmocka_unit_test(an_index_that_does_not_fit_is_none),
		cmocka_unit_test(an_index_that_is_no_table_is_refused),
		cmocka_unit_test(an_index_that_knows_of_fewer_profiles_is_refused),
		cmocka_unit_test(shipped_profiles_are_the_same_one_by_one),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
