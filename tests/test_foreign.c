/* SPDX-License-Identifier: MIT
 * Programs of others: their table, and how long their kernels take in a trace.
 */
#include "support.h"

#include "sim/validate/foreign.h"

static const char header[] = "set\tprogram\tgpus\twhat\ttraces\tspan\tname\tdevice\tcount\t"
			     "measured_us\tleast_us\tmost_us\ttraced_us\n";

/* Reads a table of the header and one row; -1 as foreign_read says. */
static int read_row(struct foreign *foreign, const char *row)
{
	char path[] = "/tmp/warpreel-foreign-XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	assert_non_null(file);
	fprintf(file, "%s%s", header, row);
	fclose(file);
	*foreign = (struct foreign){ 0 };
	int rc = foreign_read(foreign, path);
	unlink(path);
	return rc;
}

static void a_row_says_which_part_of_which_recordings_its_time_is_of(void **state)
{
	struct foreign f;
	(void)state;
	assert_int_equal(read_row(&f, "foreign\tx\t2\t-n 4\tx.0 x.1\tkernels\tstep\t*\t500\t20"
				      "\t19\t22\t25\n"),
			 0);
	assert_int_equal((int)f.count, 1);
	assert_string_equal(f.row[0].traces, "x.0 x.1");
	assert_string_equal(f.row[0].name, "step");
	assert_int_equal(f.row[0].span, SPAN_KERNELS);
	assert_int_equal(f.row[0].device, -1);
	assert_int_equal((int)f.row[0].count, 500);
	NEAR(f.row[0].measured_us, 20);
	NEAR(f.row[0].traced_us, 25);
	foreign_release(&f);
}

static void rows_that_mean_nothing_are_refused_with_their_line(void **state)
{
	static const char *const bad[] = {
		"foreign\tx\t2\t-\tx\tkernel\tstep\t0\t5\t20\t19\t22\t25\n",
		"foreign\tx\t0\t-\tx\tkernels\tstep\t0\t5\t20\t19\t22\t25\n",
		"foreign\tx\t2\t-\tx\tkernels\tstep\t-2\t5\t20\t19\t22\t25\n",
		"foreign\tx\t2\t-\tx\tkernels\tstep\tone\t5\t20\t19\t22\t25\n",
		"foreign\tx\t2\t-\tx\tkernels\tstep\t0\t0\t20\t19\t22\t25\n",
		"foreign\tx\t2\t-\tx\trange\tstep\t-\t5\t0\t19\t22\t25\n",
		"foreign\tx\t2\t-\tx\trange\tstep\t-\t5\t20\t19\t22\n",
	};
	(void)state;
	for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
		struct foreign f;
		struct said said;
		said_begin(&said);
		int rc = read_row(&f, bad[k]);
		assert_non_null(strstr(said_end(&said), ":2: not a measured program"));
		assert_int_equal(rc, -1);
		foreign_release(&f);
	}
}

static void add_kernel(struct trace *trace, const char *name, int device, int64_t start_ns,
		       int64_t end_ns)
{
	struct trace_kernel *row = trace_add_kernel(trace);
	row->demangled_name = trace_string(trace, name);
	row->device = device;
	row->start_ns = start_ns;
	row->end_ns = end_ns;
}

static void the_span_is_of_the_last_kernels_of_that_name_on_that_gpu(void **state)
{
	struct trace trace;
	struct foreign_row row = {
		.program = "x", .name = "step", .device = 1, .count = 2, .span = SPAN_KERNELS
	};
	double us, share;
	(void)state;
	trace_init(&trace);
	/* Out of order, as a trace may be; the other GPU, the other kernel and the first one do not
	 * count. */
	add_kernel(&trace, "void step<32>(int)", 1, 7000, 9000);
	add_kernel(&trace, "void step<32>(int)", 1, 1000, 2000);
	add_kernel(&trace, "void step<32>(int)", 1, 3000, 5000);
	add_kernel(&trace, "void step<32>(int)", 0, 8000, 20000);
	add_kernel(&trace, "void sum(int)", 1, 20000, 30000);
	assert_int_equal(foreign_kernels_us(&row, &trace, 2, &us, &share), 0);
	NEAR(us, 6);
	NEAR(share, (2 + 2 + 1) / 6.0 / 2); /* the other GPU's share of it is from 8 to 9 us */
	row.count = 3;
	assert_int_equal(foreign_kernels_us(&row, &trace, 2, &us, &share), 0);
	NEAR(us, 8);
	row.device = -1;
	row.count = 1;
	assert_int_equal(foreign_kernels_us(&row, &trace, 2, &us, &share), 0);
	NEAR(us, 12);
	NEAR(share, (12 + 1) / 12.0 / 2);
	trace_release(&trace);
}

static void fewer_kernels_than_the_table_counts_are_refused(void **state)
{
	struct trace trace;
	struct said said;
	const struct foreign_row row = { .program = "x", .name = "step", .device = 0, .count = 2 };
	double us, share;
	(void)state;
	trace_init(&trace);
	add_kernel(&trace, "step", 0, 1, 2);
	said_begin(&said);
	int rc = foreign_kernels_us(&row, &trace, 1, &us, &share);
	assert_non_null(strstr(said_end(&said), "'x' has 1 kernels with 'step' in their names"));
	assert_int_equal(rc, -1);
	trace_release(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_says_which_part_of_which_recordings_its_time_is_of),
		cmocka_unit_test(rows_that_mean_nothing_are_refused_with_their_line),
		cmocka_unit_test(the_span_is_of_the_last_kernels_of_that_name_on_that_gpu),
		cmocka_unit_test(fewer_kernels_than_the_table_counts_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
