/* SPDX-License-Identifier: MIT
 * The index of recorded kernels: a profile made of it is the one that the traces make, and one that
 * does not fit them is none.
 */
#include "model/records/record_index.h"

#include <glob.h>

#include "trace_kit.h"

static void same(const struct profile *a, const struct profile *b)
{
	assert_string_equal(a->source, b->source);
	assert_int_equal(a->kernel_count, b->kernel_count);
	for (size_t k = 0; k < a->kernel_count; k++) {
		assert_string_equal(a->kernel[k].name, b->kernel[k].name);
		assert_int_equal(a->kernel[k].row_count, b->kernel[k].row_count);
		assert_memory_equal(a->kernel[k].row, b->kernel[k].row,
				    a->kernel[k].row_count * sizeof(*a->kernel[k].row));
	}
}

/* Several files, of which two may have recorded one shape. */
static void the_shipped_one_gives_what_the_traces_do(void **state)
{
	struct profile read, known;
	glob_t found;

	(void)state;
	assert_int_equal(glob("traces/data/h200x4/profile/*.wrt.zst", 0, NULL, &found), 0);
	profile_init(&read);
	profile_init(&known);
	for (size_t k = 0; k < found.gl_pathc; k++)
		assert_int_equal(profile_add_file(&read, found.gl_pathv[k]), 0);
	assert_int_equal(record_index_add(&known, found.gl_pathv, found.gl_pathc), 1);
	assert_true(read.kernel_count > 0 && found.gl_pathc > 1);
	same(&read, &known);
	profile_release(&known);
	profile_init(&known); /* it knows of files that are not asked for */
	assert_int_equal(record_index_add(&known, found.gl_pathv, 1), 0);
	assert_int_equal(known.kernel_count, 0);
	assert_string_equal(known.source, "");
	profile_release(&known);
	profile_release(&read);
	globfree(&found);
}

/* One-GPU runs of `launches` launches, 1000 ns each and as long again apart. */
static char *recorded(const char *name, int64_t columns, int launches)
{
	char *path = in_directory(name);
	struct trace t;

	trace_init(&t);
	*trace_add_run(&t) = (struct trace_run){ .start_ns = 1000,
						 .end_ns = 1000000,
						 .gpus = 1,
						 .solver = trace_string(&t, "rbsor"),
						 .config = trace_string(&t, "size=8x8") };
	for (int k = 0; k < launches; k++) {
		*trace_add_kernel(&t) = (struct trace_kernel){ .start_ns = 2000 * (k + 1),
							       .end_ns = 2000 * (k + 1) + 1000,
							       .correlation = 7 + k,
							       .graph_node = -1,
							       .grid = { 1, 1, 1 },
							       .block = { 32, 1, 1 } };
		*trace_add_footprint(&t) =
			(struct trace_footprint){ .kernel = trace_string(&t, "k"),
						  .correlation = 7 + k,
						  .rows = 8,
						  .columns = columns,
						  .path = -1 };
	}
	assert_int_equal(trace_write(&t, path), 0);
	trace_release(&t);
	return path;
}

static void files_that_share_a_shape_weigh_by_launches_and_another_file_voids_it(void **state)
{
	char *files[] = { recorded("a.wrt.zst", 8, 2), recorded("b.wrt.zst", 8, 3) },
	     *index = in_directory("index.tsv");
	struct profile read, known;

	(void)state;
	FILE *out = fopen(index, "w");
	assert_int_equal(record_index_write(out, files, 2), 0);
	fclose(out);
	profile_init(&read);
	profile_init(&known);
	for (int k = 0; k < 2; k++)
		assert_int_equal(profile_add_file(&read, files[k]), 0);
	assert_int_equal(record_index_add(&known, files, 2), 1);
	same(&read, &known);
	assert_int_equal(known.kernel[0].row_count, 1);
	assert_int_equal(known.kernel[0].row[0].launches, 5);
	profile_release(&known);
	free(recorded("b.wrt.zst", 16, 3));
	profile_init(&known);
	assert_int_equal(record_index_add(&known, files, 2), 0);
	assert_int_equal(known.kernel_count, 0);
	unlink(index);
	assert_int_equal(record_index_add(&known, files, 2), 0);

	out = fopen(index, "w");
	fputs("file\tbytes\tchecksum\tkernel\trows\tcolumns\tlaunches\tduration_ns\tgap_ns\n"
	      "a.wrt.zst\t1\t0\tk\t8\t8\t1\t-5\t-1\n",
	      out);
	fclose(out);
	hear();
	assert_int_equal(record_index_add(&known, files, 2), -1);
	char *said = heard();
	assert_non_null(strstr(said, "index.tsv:2: not a recorded shape of a file of 9 columns"));
	free(said);
	profile_release(&known);
	profile_release(&read);
	unlink(index);
	free(index);
	free(files[0]);
	free(files[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_shipped_one_gives_what_the_traces_do),
		cmocka_unit_test(
			files_that_share_a_shape_weigh_by_launches_and_another_file_voids_it),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
