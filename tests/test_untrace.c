/* SPDX-License-Identifier: MIT
 * What is taken out of the time between two recorded calls.
 */
#include "support.h"

#include <stdlib.h>

#include "../sim/untrace.h"

enum { NO_STREAM = 0xffff };

static const char bursts[] = "[tracer]\ntraced_record_ns = 900\napi_record_ns = 700\ntraced_launch_ns = 5000\napi_launch_ns = 4600\n"
			     "stream_note_host_op_ns = 70\nstream_note_footprint_ns = 60\n";
static const char loops[] = "[tracer.gap]\nthreads = 1 3\nbefore_launch_ns = 300 300\nbefore_launch_idle_ns = 800 800\nbefore_record_ns = 200 400\n"
			    "after_launch_ns = 50 50\nafter_record_ns = 40 60\nbefore_sync_ns = 100 100\nafter_sync_ns = 90 90\n"
			    "note_ns = 100 100\nfootprint_ns = 120 120\n";

struct bench { struct schedule schedule; struct platform platform; };

static void make(struct bench *b, const char *sections)
{
	char *path = xprintf("/tmp/warpreel-test-untrace-%ld.ini", (long)getpid());
	char text[1 << 14];
	FILE *file = fopen("tests/cases/lib/free.ini", "r");
	assert_non_null(file);
	size_t length = fread(text, 1, sizeof(text), file);
	fclose(file);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%.*s\n%s", (int)length, text, sections);
	fclose(file);
	assert_int_equal(platform_read(&b->platform, path), 0);
	unlink(path);
	free(path);
	schedule_init(&b->schedule);
	b->schedule.gpu_count = 1;
	schedule_add_stream(&b->schedule, 0, 0);
	schedule_add_thread(&b->schedule, "host", 0);
}

static void drop(struct bench *b)
{
	schedule_release(&b->schedule);
	platform_release(&b->platform);
}

static void add(struct bench *b, enum op_kind kind, uint32_t object, int64_t before_ns)
{
	bool noted = kind == OP_POST || kind == OP_AWAIT || kind == OP_MARK;
	schedule_add_op(&b->schedule, kind, noted ? NO_STREAM : 0, object)->before_ps = 1000 * before_ns;
}

static uint32_t add_shape(struct bench *b, bool with_footprint)
{
	const struct schedule_shape shape = { .kernel = schedule_add_kernel(&b->schedule, "k"), .points = 1, .path = -1, .steps = -1 };
	const struct schedule_access access = { .mode = 1, .bytes = 4 };
	return schedule_add_shape(&b->schedule, &shape, &access, with_footprint);
}

#define LEFT_NS(b, k) ((b).schedule.op[k].before_ps / 1000)

static void without_loops_a_call_owes_what_its_burst_showed(void **state)
{
	struct bench b;
	(void)state;
	make(&b, bursts);
	uint32_t shape = add_shape(&b, true);
	add(&b, OP_RECORD, 0, 1000);
	add(&b, OP_LAUNCH, shape, 1000); /* the record's 200, the footprint's 60 */
	add(&b, OP_POST, 0, 1000);       /* the launch's 400 */
	add(&b, OP_RECORD, 0, 50);       /* the note's 70: nothing is left */
	add(&b, OP_SYNC, 0, 1000);
	schedule_untrace(&b.schedule, &b.platform);
	assert_int_equal(LEFT_NS(b, 0), 1000);
	assert_int_equal(LEFT_NS(b, 1), 740);
	assert_int_equal(LEFT_NS(b, 2), 600);
	assert_int_equal(LEFT_NS(b, 3), 0);
	assert_int_equal(LEFT_NS(b, 4), 800);
	drop(&b);
}

static void a_gap_loses_what_both_its_ends_take(void **state)
{
	struct bench b;
	(void)state;
	make(&b, loops);
	uint32_t plain = add_shape(&b, false), noted = add_shape(&b, true);
	add(&b, OP_LAUNCH, plain, 1000); /* the first of its thread: 800 */
	add(&b, OP_LAUNCH, noted, 1000); /* 50 after the launch, 300 before the next, 120 for the footprint */
	add(&b, OP_RECORD, 0, 1000);     /* 50 and 200 */
	add(&b, OP_POST, 0, 1000);       /* 40 and half a note */
	add(&b, OP_AWAIT, 0, 1000);      /* two halves */
	add(&b, OP_SYNC, 0, 1000);       /* half a note and 100 */
	add(&b, OP_POST, 0, 1000);       /* 90 and half a note */
	add(&b, OP_LAUNCH, plain, 1000); /* half a note and 800: notes do not end what the synchronisation began */
	schedule_untrace(&b.schedule, &b.platform);
	static const int64_t left_ns[] = { 200, 530, 750, 910, 900, 850, 860, 150 };
	for (int k = 0; k < 8; k++)
		assert_int_equal(LEFT_NS(b, k), left_ns[k]);
	drop(&b);
}

static void a_gap_too_short_is_made_up_for_once(void **state)
{
	struct bench b;
	(void)state;
	make(&b, loops);
	add(&b, OP_RECORD, 0, 1000);
	add(&b, OP_RECORD, 0, 140);  /* 240 wanted: 100 short */
	add(&b, OP_RECORD, 0, 1000); /* 240 and those 100 */
	add(&b, OP_RECORD, 0, 0);    /* 240 short */
	add(&b, OP_RECORD, 0, 0);    /* 480 short, of which 240 count */
	add(&b, OP_RECORD, 0, 1000);
	add(&b, OP_RECORD, 0, 1000);
	schedule_untrace(&b.schedule, &b.platform);
	static const int64_t left_ns[] = { 800, 0, 660, 0, 0, 520, 760 };
	for (int k = 0; k < 7; k++)
		assert_int_equal(LEFT_NS(b, k), left_ns[k]);
	drop(&b);
}

static void between_numbers_of_threads_there_are_straight_lines(void **state)
{
	struct bench b;
	(void)state;
	make(&b, loops);
	for (int t = 0; t < 2; t++) {
		if (t)
			schedule_add_thread(&b.schedule, "other", 0);
		add(&b, OP_RECORD, 0, 1000); /* 300, between 200 and 400 */
		add(&b, OP_RECORD, 0, 1000); /* 50 more */
	}
	schedule_untrace(&b.schedule, &b.platform);
	for (int k = 0; k < 4; k++)
		assert_int_equal(LEFT_NS(b, k), k % 2 ? 650 : 700);
	drop(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_loops_a_call_owes_what_its_burst_showed),
		cmocka_unit_test(a_gap_loses_what_both_its_ends_take),
		cmocka_unit_test(a_gap_too_short_is_made_up_for_once),
		cmocka_unit_test(between_numbers_of_threads_there_are_straight_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
