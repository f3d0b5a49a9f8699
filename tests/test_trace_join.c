/* SPDX-License-Identifier: MIT
 * Traces of several processes: which are of one run, and how they become one trace.
 */
#include "trace_kit.h"

#include "traces/format/annotate.h"
#include "traces/format/trace_folder.h"
#include "traces/format/trace_join.h"
#include "traces/load/schedule_from_trace.h"

enum { MS = 1000000 };
#define BOOTED_MS 1795410251731 /* by the system's clock: of 2026 */

/* A recording of process `pid`, whose trace began `begin_ms` after the host and took 10 ms, with
 * one launch 1 ms after its begin, on its GPU 0 at that bus location. */
static void recorded(struct trace *t, int pid, int64_t begin_ms, const char *bus)
{
	char text[160];

	trace_init(t);
	t->path = xprintf("process %d", pid);
	trace_set_meta(t, "kind", "recorded");
	snprintf(text, sizeof(text), "%d", pid);
	trace_set_meta(t, "pid", text);
	trace_set_meta(t, "cupti", "13.0.1");
	snprintf(text, sizeof(text), "trace 1 ns = monotonic %lld ns = realtime %lld ns",
		 (long long)begin_ms * MS + 1, (long long)(begin_ms + BOOTED_MS) * MS + 1);
	trace_set_meta(t, "clock_start", text);
	snprintf(text, sizeof(text), "trace %d ns = monotonic %lld ns = realtime 7 ns", 10 * MS,
		 (long long)(begin_ms + 10) * MS);
	trace_set_meta(t, "clock_end", text);
	trace_add_gpu(t)->bus_location = trace_string(t, bus);
	t->gpu[0].name = trace_string(t, "device");
	*trace_add_api(t) = (struct trace_api){ .start_ns = MS,
						.end_ns = MS + 3000,
						.global_tid = (int64_t)pid << 24 | 5,
						.correlation = 1,
						.name = trace_string(t, "cudaLaunchKernel_v7000") };
	*trace_add_kernel(t) = (struct trace_kernel){ .start_ns = MS + 5000,
						      .end_ns = MS + 9000,
						      .context = 1,
						      .stream = 7,
						      .correlation = 1,
						      .global_pid = (int64_t)pid << 24,
						      .demangled_name = trace_string(t, "k"),
						      .short_name = trace_string(t, "k"),
						      .graph_node = -1 };
	*trace_add_memcpy(t) = (struct trace_memcpy){ .start_ns = -1,
						      .end_ns = -1,
						      .correlation = 2,
						      .global_pid = (int64_t)pid << 24,
						      .copy_kind = 1,
						      .source_device = -1,
						      .graph_node = -1 };
	*trace_add_link(t) = (struct trace_link){ .from_device = -1,
						  .to_device = 0,
						  .kind = trace_string(t, "pcie") };
}

struct pair {
	struct trace part[2], joined;
};

static int two(void **state)
{
	struct pair *p = xcalloc(1, sizeof(*p));

	recorded(&p->part[0], 100, 20, "00:07.0");
	recorded(&p->part[1], 101, 18, "00:06.0");
	trace_init(&p->joined);
	*state = p;
	return 0;
}

static int none(void **state)
{
	struct pair *p = *state;

	trace_release(&p->part[0]);
	trace_release(&p->part[1]);
	trace_release(&p->joined);
	free(p);
	return 0;
}

static void refused(struct pair *p, const char *why)
{
	hear();
	const int rc = trace_join(&p->joined, p->part, 2, "run");
	char *said = heard();

	assert_int_equal(rc, -1);
	if (!strstr(said, why))
		fail_msg("'%s' is not in: %s", why, said);
	free(said);
}

static void they_are_on_the_clock_of_the_earliest(void **state)
{
	struct pair *p = *state;

	assert_int_equal(trace_join(&p->joined, p->part, 2, "run"), 0);
	assert_int_equal(p->joined.kernel_count, 2);
	assert_int_equal(p->joined.kernel[0].start_ns, 3 * MS + 5000);
	assert_int_equal(p->joined.kernel[1].start_ns, MS + 5000);
	assert_int_equal(p->joined.memcpy[0].start_ns, -1); /* unknown stays unknown */
	assert_string_equal(trace_text(&p->joined, p->joined.kernel[0].short_name), "k");
}

static void what_each_calls_gpu_0_is_told_apart_by_its_bus(void **state)
{
	struct pair *p = *state;

	assert_int_equal(trace_join(&p->joined, p->part, 2, "run"), 0);
	assert_int_equal(p->joined.gpu_count, 2);
	assert_int_equal(p->joined.kernel[0].device, 1);
	assert_int_equal(p->joined.kernel[1].device, 0);
	assert_int_equal(p->joined.memcpy[0].source_device, -1);
	assert_int_equal(p->joined.link_count, 2);
}

static void a_gpu_that_both_see_is_one(void **state)
{
	struct pair *p = *state;

	p->part[1].gpu[0].bus_location = trace_string(&p->part[1], "00:07.0");
	assert_int_equal(trace_join(&p->joined, p->part, 2, "run"), 0);
	assert_int_equal(p->joined.gpu_count, 1);
	assert_int_equal(p->joined.kernel[1].device, 0);
	assert_int_equal(p->joined.link_count, 1);
}

/* A launcher sees all GPUs of the machine, its processes have one each. */
static void gpus_that_nobody_uses_come_last(void **state)
{
	struct pair *p = *state;
	static const char *const bus[] = { "00:01.0", "00:06.0", "00:07.0", "00:08.0" };

	p->part[0].kernel_count = p->part[0].memcpy_count = 0;
	p->part[0].gpu_count = 0;
	for (int k = 0; k < 4; k++) {
		struct trace_gpu *gpu = trace_add_gpu(&p->part[0]);

		gpu->device = k;
		gpu->name = trace_string(&p->part[0], "device");
		gpu->bus_location = trace_string(&p->part[0], bus[k]);
	}
	p->part[1].gpu[0].bus_location = trace_string(&p->part[1], "00:08.0");
	assert_int_equal(trace_join(&p->joined, p->part, 2, "run"), 0);
	assert_int_equal(p->joined.gpu_count, 4);
	assert_int_equal(p->joined.kernel_count, 1);
	assert_int_equal(p->joined.kernel[0].device, 0);
	for (size_t k = 0; k < 4; k++)
		if (!strcmp(trace_text(&p->joined, p->joined.gpu[k].bus_location), "00:08.0"))
			assert_int_equal(p->joined.gpu[k].device, 0);
}

static void equal_process_ids_become_two(void **state)
{
	struct pair *p = *state;

	trace_release(&p->part[1]);
	recorded(&p->part[1], 100, 18, "00:06.0");
	assert_int_equal(trace_join(&p->joined, p->part, 2, "run"), 0);
	const int64_t first = process_of(p->joined.api[0].global_tid),
		      second = process_of(p->joined.api[1].global_tid);
	assert_int_not_equal(first, second);
	assert_int_equal(process_of(p->joined.kernel[0].global_pid), first);
	assert_int_equal(process_of(p->joined.kernel[1].global_pid), second);
	assert_int_equal(p->joined.api[1].global_tid & 0xffffff, 5);
}

static void facts_that_all_share_stand_once(void **state)
{
	struct pair *p = *state;

	trace_set_meta(&p->part[1], "rank", "3");
	assert_int_equal(trace_join(&p->joined, p->part, 2, "run"), 0);
	assert_string_equal(trace_get_meta(&p->joined, "cupti"), "13.0.1");
	assert_string_equal(trace_get_meta(&p->joined, "processes"), "2: 100, 101 (rank 3)");
	assert_null(trace_get_meta(&p->joined, "clock_start"));
	assert_non_null(trace_get_meta(&p->joined, "100.clock_start"));
}

static void what_cannot_be_joined_is_refused_by_name(void **state)
{
	struct pair *p = *state;

	trace_set_meta(&p->part[1], "clock_start",
		       "trace 1 ns = monotonic 18000001 ns = realtime 999000000 ns");
	refused(p, "process 101: its host was booted at another time");
	trace_set_meta(&p->part[1], "clock_start", "");
	refused(p, "process 101: does not say how its clock lies");
	trace_set_meta(&p->part[1], "clock_start",
		       "trace 1 ns = monotonic 9223372036854775807 ns = realtime 0 ns");
	refused(p, "process 101: does not say how its clock lies");
	trace_set_meta(&p->part[0], "kind", "predicted");
	refused(p, "process 100: it is no recording");
	trace_set_meta(&p->part[0], "kind", "recorded");
	trace_set_meta(&p->part[0], "virtual_gpus", "2");
	refused(p, "process 100: recorded on one GPU as if there were more");
	trace_set_meta(&p->part[0], "virtual_processes", "in turns");
	refused(p, "process 101: recorded as if there were 0 GPUs, and process 100 as if there "
		   "were 2");
}

/* One GPU, which both processes had as a GPU of their own number. */
static void virtual_gpus_of_processes_keep_their_numbers(void **state)
{
	struct pair *p = *state;

	for (int k = 0; k < 2; k++) {
		struct trace *t = &p->part[k];

		trace_set_meta(t, "virtual_gpus", "2");
		trace_set_meta(t, "virtual_processes", "in turns");
		trace_set_meta(t, "virtual_bytes", k ? "0 10, 1 4096" : "0 8192, 1 0");
		trace_set_meta(t, "virtual_turn_bytes", k ? "0 0, 1 4096" : "0 8192, 1 0");
		t->gpu[0].bus_location = trace_string(t, "00:07.0");
		*trace_add_gpu(t) = t->gpu[0];
		t->gpu[1].device = 1;
		t->kernel[0].device = k;
	}
	assert_int_equal(trace_join(&p->joined, p->part, 2, "run"), 0);
	assert_int_equal(trace_virtual_gpus(&p->joined), 2);
	assert_int_equal(p->joined.gpu_count, 2);
	assert_int_equal(p->joined.kernel[0].device, 0);
	assert_int_equal(p->joined.kernel[1].device, 1);
	assert_string_equal(trace_get_meta(&p->joined, "virtual_bytes"), "0 8202, 1 4096");
	assert_string_equal(trace_get_meta(&p->joined, "virtual_turn_bytes"), "0 8192, 1 4096");
}

static void add_barrier(struct trace *t, int pid, int64_t start_ns, int64_t number)
{
	*trace_add_host_op(t) = (struct trace_host_op){ .kind = NOTE_BARRIER,
							.object = NOTE_BARRIER_OF_PROCESSES,
							.value = number,
							.global_tid = (int64_t)pid << 24 | 5,
							.start_ns = start_ns,
							.end_ns = start_ns + 1000 };
}

/* One process was recorded later, and has not its first; one came to a third that nobody else did.
 */
static void barriers_of_processes_are_one_by_their_numbers(void **state)
{
	struct pair *p = *state;
	struct schedule schedule;
	int barriers = 0;

	add_barrier(&p->part[0], 100, 2 * MS, 0);
	add_barrier(&p->part[0], 100, 3 * MS, 1);
	add_barrier(&p->part[1], 101, 2 * MS, 1);
	add_barrier(&p->part[1], 101, 3 * MS, 2);
	assert_int_equal(trace_join(&p->joined, p->part, 2, "run"), 0);
	schedule_init(&schedule);
	hear();
	const int rc = schedule_from_trace(&schedule, &p->joined, -1);
	char *said = heard();
	assert_int_equal(rc, 0);
	assert_non_null(strstr(said, "2 host barriers that not every thread meets"));
	for (int64_t i = 0; i < schedule.op_count; i++)
		barriers += schedule.op[i].kind == OP_BARRIER;
	assert_int_equal(barriers, 2);
	free(said);
	schedule_release(&schedule);
}

static void gpus_without_a_bus_are_not_guessed(void **state)
{
	struct pair *p = *state;

	for (int k = 0; k < 2; k++)
		p->part[k].gpu[0].bus_location = 0;
	refused(p, "whether GPU 0 is the same one");
}

static void equal_lists_of_gpus_without_a_bus_are_taken_for_one_with_a_word(void **state)
{
	struct pair *p = *state;

	for (int k = 0; k < 2; k++) {
		p->part[k].gpu[0].bus_location = 0;
		*trace_add_gpu(&p->part[k]) =
			(struct trace_gpu){ .device = 1, .name = p->part[k].gpu[0].name };
	}
	hear();
	const int rc = trace_join(&p->joined, p->part, 2, "run");
	char *said = heard();
	assert_int_equal(rc, 0);
	assert_non_null(strstr(said, "equal numbers are taken to be equal GPUs"));
	free(said);
}

/* Of the kinds of folders: 1 one run, 0 a series, -1 neither. */
static int kind_of(struct trace *trace, size_t count)
{
	struct trace_folder folder = { trace, count };
	hear();
	const int kind = trace_folder_is_run(&folder, "folder");
	free(heard());
	return kind;
}

static void a_folder_is_a_run_where_its_processes_ran_together(void **state)
{
	struct trace t[3];

	(void)state;
	recorded(&t[0], 100, 20, "a");
	recorded(&t[1], 101, 28, "b"); /* each beside the next */
	recorded(&t[2], 102, 36, "c");
	assert_int_equal(kind_of(t, 3), 1);
	assert_int_equal(kind_of(t, 1), 0);
	trace_set_meta(&t[0], "recording", "x"); /* one process of a recording is a run */
	assert_int_equal(kind_of(t, 1), 1);
	for (int k = 0; k < 3; k++)
		trace_release(&t[k]);
}

static void a_folder_is_a_series_where_they_did_not(void **state)
{
	struct trace t[3];

	(void)state;
	recorded(&t[0], 100, 20, "a");
	recorded(&t[1], 101, 40, "a");
	recorded(&t[2], 102, 41, "b");
	assert_int_equal(kind_of(t, 2), 0);
	assert_int_equal(kind_of(t, 3), -1);	 /* two together, one not */
	trace_set_meta(&t[0], "recording", "x"); /* what recorded them is known */
	trace_set_meta(&t[1], "recording", "x");
	trace_set_meta(&t[2], "recording", "y");
	assert_int_equal(kind_of(t, 2), 1);
	assert_int_equal(kind_of(t, 3), -1);
	for (int k = 0; k < 3; k++)
		trace_release(&t[k]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, two, none)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(they_are_on_the_clock_of_the_earliest),
		TEST(what_each_calls_gpu_0_is_told_apart_by_its_bus),
		TEST(a_gpu_that_both_see_is_one),
		TEST(gpus_that_nobody_uses_come_last),
		TEST(equal_process_ids_become_two),
		TEST(facts_that_all_share_stand_once),
		TEST(what_cannot_be_joined_is_refused_by_name),
		TEST(virtual_gpus_of_processes_keep_their_numbers),
		TEST(barriers_of_processes_are_one_by_their_numbers),
		TEST(gpus_without_a_bus_are_not_guessed),
		TEST(equal_lists_of_gpus_without_a_bus_are_taken_for_one_with_a_word),
		cmocka_unit_test(a_folder_is_a_run_where_its_processes_ran_together),
		cmocka_unit_test(a_folder_is_a_series_where_they_did_not),
	};
	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
