/* SPDX-License-Identifier: MIT
 * Pauses between kernels: only those that are the device's own count.
 */
#include "support.h"

#include <stdlib.h>

#include "traces/views/launch_gaps.h"

enum { PROCESS = 0x1000000 };

/* One call of a thread, and the kernel of the same correlation when it has a stream. */
static void add_call(struct trace *trace, int thread, int64_t correlation, int64_t start_ns,
		     int64_t end_ns)
{
	struct trace_api *api = trace_add_api(trace);
	api->start_ns = start_ns;
	api->end_ns = end_ns;
	api->global_tid = PROCESS + thread;
	api->correlation = correlation;
}

static void add_kernel(struct trace *trace, int32_t stream, int64_t correlation, int64_t start_ns,
		       int64_t end_ns)
{
	struct trace_kernel *kernel = trace_add_kernel(trace);
	kernel->start_ns = start_ns;
	kernel->end_ns = end_ns;
	kernel->stream = stream;
	kernel->correlation = correlation;
	kernel->global_pid = PROCESS;
}

/* Two launches, the second's call by `thread` from 2000 to `returned_ns`; the pause after the first
 * kernel. */
static int64_t pause_of(int thread, int32_t stream, int64_t returned_ns, bool call_between,
			bool graph)
{
	struct trace trace;
	trace_init(&trace);
	add_kernel(&trace, 7, 1, 1000, 20000);
	add_kernel(&trace, stream, 2, 20700, 30000);
	if (graph)
		add_kernel(&trace, stream, 2, 30100, 31000);
	add_call(&trace, 1, 1, 100, 900);
	if (call_between)
		add_call(&trace, 1, 9, 1000, 1500);
	add_call(&trace, thread, 2, 2000, returned_ns);
	int64_t *gap_ns = launch_gaps(&trace), first = gap_ns[0];
	assert_int_equal(gap_ns[1], -1); /* nothing follows the last */
	free(gap_ns);
	trace_release(&trace);
	return first;
}

static void a_pause_counts_when_the_next_launch_had_long_returned(void **state)
{
	(void)state;
	assert_int_equal(pause_of(1, 7, 3000, false, false), 700);
	assert_int_equal(pause_of(1, 7, 17000, false, false), 700);
	assert_int_equal(pause_of(1, 7, 17001, false, false),
			 -1); /* on its way when the first kernel ended */
}

static void a_pause_between_others_work_is_not_the_devices(void **state)
{
	(void)state;
	assert_int_equal(pause_of(2, 7, 3000, false, false), -1); /* another thread */
	assert_int_equal(pause_of(1, 8, 3000, false, false), -1); /* another stream */
	assert_int_equal(pause_of(1, 7, 3000, true, false),
			 -1); /* the thread called something in between */
	assert_int_equal(pause_of(1, 7, 3000, false, true),
			 -1); /* a graph: several kernels from one call */
}

static void a_trace_without_kernels_or_calls_has_no_pauses(void **state)
{
	struct trace trace;
	(void)state;
	trace_init(&trace);
	add_call(&trace, 1, 1, 0, 10);
	free(launch_gaps(&trace));
	trace_release(&trace);
	trace_init(&trace);
	add_kernel(&trace, 7, 1, 0, 10);
	int64_t *gap_ns = launch_gaps(&trace);
	assert_int_equal(gap_ns[0], -1);
	free(gap_ns);
	trace_release(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pause_counts_when_the_next_launch_had_long_returned),
		cmocka_unit_test(a_pause_between_others_work_is_not_the_devices),
		cmocka_unit_test(a_trace_without_kernels_or_calls_has_no_pauses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
