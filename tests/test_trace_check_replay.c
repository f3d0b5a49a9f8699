/* SPDX-License-Identifier: MIT
 * What a replay cannot place, the check has found: rows of a recording deleted or changed at
 * random, one at a time.
 */
#include "trace_kit.h"
#include "traces/check/trace_check.h"
#include "traces/load/schedule_from_trace.h"
#include "traces/schedule/schedule.h"
#include "traces/views/trace_trim.h"

enum { CHANGES = 800 };

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

#define DELETE(array)                                                                              \
	do {                                                                                       \
		memmove(&t->array[at % t->array##_count], &t->array[at % t->array##_count + 1],    \
			(t->array##_count - at % t->array##_count - 1) * sizeof(*t->array));       \
		t->array##_count--;                                                                \
	} while (0)
#define ROW(array) (&t->array[at % t->array##_count])

/* What was done, for the message. */
static const char *change(struct trace *t, uint64_t what, uint64_t at)
{
	switch (what % 16) {
	case 0:
		DELETE(kernel);
		return "a kernel deleted";
	case 1:
		DELETE(memcpy);
		return "a copy deleted";
	case 2:
		DELETE(event);
		return "an event record deleted";
	case 3:
		DELETE(host_op);
		return "a host operation deleted";
	case 4:
		DELETE(api);
		return "a call deleted";
	case 5:
		ROW(api)->global_tid = t->api[(at >> 20) % t->api_count].global_tid;
		return "a call moved to another thread";
	case 6:
		ROW(api)->global_tid += 1000;
		return "a call moved to a thread of its own";
	case 7:
		ROW(host_op)->global_tid += 1000;
		return "a host operation moved to a thread of its own";
	case 8:
		ROW(host_op)->value += 1000;
		return "a counter's value raised";
	case 9:
		ROW(kernel)->device = 700;
		return "a kernel moved to a GPU that is not there";
	case 10:
		ROW(kernel)->end_ns = ROW(kernel)->start_ns - 5;
		return "a kernel that ends before it starts";
	case 11:
		ROW(memcpy)->bytes = -64;
		return "a copy of less than nothing";
	case 12:
		t->run[0].gpus = -1;
		return "a run on -1 GPUs";
	case 13:
		DELETE(sync);
		return "a synchronization deleted";
	case 14:
		ROW(sync)->sync_type = 4;
		return "a synchronization of another kind";
	default:
		ROW(kernel)->correlation += 100000000;
		return "a kernel that nobody asked for";
	}
}

/* Whether a replay drops something, refuses the trace, or takes a number for nothing. */
static bool is_dropped(const struct trace *t, uint64_t what)
{
	struct schedule schedule;
	bool dropped;

	schedule_init(&schedule);
	dropped = schedule_from_trace(&schedule, t, 0) < 0 || schedule.anomaly_count > 0;
	schedule_release(&schedule);
	return dropped || what % 16 == 11 || what % 16 == 12;
}

static void what_a_replay_drops_the_check_has_found(void **state)
{
	struct trace_anomaly anomaly[TRACE_ANOMALY_MAX];
	struct trace whole, run;
	uint64_t random = 88172645463325252;
	int64_t incomplete, dropped = 0;
	int silence, err = dup(2);

	(void)state;
	trace_init(&whole);
	trace_init(&run);
	assert_int_equal(trace_read(&whole, "traces/data/h200x4/replay/rbsor.wrt.zst", 0), 0);
	for (size_t i = 0; i < whole.run_count && !run.run_count; i++)
		if (whole.run[i].gpus == 4)
			trace_trim(&run, &whole, i, 1);
	assert_true(run.run_count == 1 && run.memcpy_count && run.host_op_count);
	trace_check(&run, anomaly, &incomplete);
	assert_int_equal(incomplete, 0);
	silence = open("/dev/null", O_WRONLY);
	for (int i = 0; i < CHANGES; i++) {
		const uint64_t what = next_random(&random), at = next_random(&random) >> 8;
		struct trace changed = { 0 };
		const char *said;
		int64_t found = 0;
		int kinds;
		bool drops;

		trace_init(&changed);
		trace_trim(&changed, &run, 0, 1);
		said = change(&changed, what, at);
		fflush(stderr);
		dup2(silence, 2);
		drops = is_dropped(&changed, what);
		dup2(err, 2);
		kinds = trace_check(&changed, anomaly, &incomplete);
		for (int k = 0; k < kinds; k++)
			found += anomaly[k].count;
		trace_release(&changed);
		dropped += drops;
		if (drops && !found)
			fail_msg("%d: %s, and the check finds nothing", i, said);
	}
	close(silence);
	close(err);
	assert_true(dropped > CHANGES / 3);
	trace_release(&run);
	trace_release(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_replay_drops_the_check_has_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
