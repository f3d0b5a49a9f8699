/* SPDX-License-Identifier: MIT
 * What a schedule must hold before anything plays it: every index inside its table, every number in
 * its range, every await with a post that can end it, every barrier met equally often.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "schedule.h"
#include "traces/base/util.h"

enum stream_rule { STREAM_NEEDED, STREAM_NONE };
enum object_rule {
	OBJECT_ANY,
	OBJECT_SHAPE,
	OBJECT_COPY,
	OBJECT_EVENT,
	OBJECT_GPU,
	OBJECT_COUNTER,
	OBJECT_BARRIER,
	OBJECT_MARK,
	OBJECT_RULE_COUNT
};

static const struct op_rule {
	const char *name;
	enum stream_rule stream;
	enum object_rule object;
	uint8_t flags;
} rules[OP_KIND_COUNT] = {
	[OP_LAUNCH] = { "launch", STREAM_NEEDED, OBJECT_SHAPE,
			OP_FIRST | OP_IN_GRAPH | OP_SWITCHED | OP_COLLECTIVE | OP_EARLY | OP_TURN |
				OP_BESIDE },
	[OP_COPY] = { "copy", STREAM_NEEDED, OBJECT_COPY,
		      OP_BLOCKING | OP_IN_GRAPH | OP_GRAPH | OP_BY_HOST },
	[OP_MEMSET] = { "memset", STREAM_NEEDED, OBJECT_COPY,
			OP_BLOCKING | OP_IN_GRAPH | OP_GRAPH },
	[OP_RECORD] = { "record", STREAM_NEEDED, OBJECT_EVENT,
			OP_IN_GRAPH | OP_INFERRED | OP_TIMED },
	[OP_WAIT] = { "wait", STREAM_NEEDED, OBJECT_EVENT,
		      OP_OTHER_GPU | OP_IN_GRAPH | OP_INFERRED },
	[OP_UNSEEN] = { "unseen work", STREAM_NEEDED, OBJECT_ANY, 0 },
	[OP_SYNC] = { "sync", STREAM_NEEDED, OBJECT_ANY, 0 },
	[OP_SYNC_EVENT] = { "event sync", STREAM_NONE, OBJECT_EVENT, OP_SPIN },
	[OP_SYNC_GPU] = { "gpu sync", STREAM_NONE, OBJECT_GPU, 0 },
	[OP_POST] = { "post", STREAM_NONE, OBJECT_COUNTER, OP_SPIN | OP_INFERRED | OP_MESSAGE },
	[OP_AWAIT] = { "await", STREAM_NONE, OBJECT_COUNTER, OP_SPIN | OP_INFERRED | OP_MESSAGE },
	[OP_BARRIER] = { "barrier", STREAM_NONE, OBJECT_BARRIER, OP_SPIN },
	[OP_HOST] = { "host work", STREAM_NONE, OBJECT_ANY, 0 },
	[OP_MARK] = { "mark", STREAM_NONE, OBJECT_MARK, 0 },
};

static int check_tables(const struct schedule *schedule, const char *file)
{
	for (uint32_t i = 0; i < schedule->stream_count; i++)
		if (schedule->stream[i].gpu >= schedule->gpu_count)
			return report("%s: stream %" PRIu32 " is on GPU %u of %" PRIu32, file, i,
				      (unsigned)schedule->stream[i].gpu, schedule->gpu_count);
	for (uint32_t i = 0; i < schedule->shape_count; i++) {
		const struct schedule_shape *shape = &schedule->shape[i];

		if (shape->kernel >= schedule->kernel_count)
			return report("%s: launch shape %" PRIu32 " names kernel %" PRIu32
				      " of %" PRIu32,
				      file, i, shape->kernel, schedule->kernel_count);
		if (shape->rows < 0 || shape->columns < 0 || shape->points < 0 ||
		    shape->dram_bytes < 0 || shape->footprint_bytes < 0 ||
		    shape->resident_bytes < 0)
			return report("%s: launch shape %" PRIu32 " (%s) has a negative size", file,
				      i, schedule->kernel[shape->kernel]);
		if (shape->first_access > schedule->access_count ||
		    shape->access_count > schedule->access_count - shape->first_access)
			return report("%s: launch shape %" PRIu32
				      " (%s) has a footprint outside the table",
				      file, i, schedule->kernel[shape->kernel]);
	}
	for (uint32_t i = 0; i < schedule->copy_count; i++) {
		const struct schedule_copy *copy = &schedule->copy[i];

		if (copy->kind >= COPY_KIND_COUNT || copy->bytes < 0 || copy->rows < 0)
			return report("%s: copy %" PRIu32 " has kind %u, %" PRId64
				      " bytes, %" PRId64 " rows",
				      file, i, (unsigned)copy->kind, copy->bytes, copy->rows);
		if ((copy->source_gpu != 0xffff && copy->source_gpu >= schedule->gpu_count) ||
		    (copy->target_gpu != 0xffff && copy->target_gpu >= schedule->gpu_count))
			return report("%s: copy %" PRIu32 " goes from GPU %u to GPU %u of %" PRIu32,
				      file, i, (unsigned)copy->source_gpu,
				      (unsigned)copy->target_gpu, schedule->gpu_count);
	}
	return 0;
}

static int bad_op(const struct schedule *schedule, const char *file, uint32_t thread, int64_t op,
		  const char *what)
{
	const char *name = schedule->op[op].kind < OP_KIND_COUNT ? rules[schedule->op[op].kind].name
								 : "unknown kind";

	return report("%s: thread %" PRIu32 " (%s), operation %" PRId64 " (%s): %s", file, thread,
		      schedule->thread[thread].name, op - schedule->thread[thread].first_op, name,
		      what);
}

static int check_op(const struct schedule *schedule, const char *file, uint32_t thread, int64_t at)
{
	const uint32_t limit[OBJECT_RULE_COUNT] = {
		[OBJECT_ANY] = UINT32_MAX,
		[OBJECT_SHAPE] = schedule->shape_count,
		[OBJECT_COPY] = schedule->copy_count,
		[OBJECT_EVENT] = schedule->event_count,
		[OBJECT_GPU] = schedule->gpu_count,
		[OBJECT_COUNTER] = schedule->counter_count,
		[OBJECT_BARRIER] = schedule->barrier_count,
		[OBJECT_MARK] = MARK_COUNT,
	};
	const struct schedule_op *op = &schedule->op[at];
	const struct op_rule *rule;

	if (op->kind >= OP_KIND_COUNT)
		return bad_op(schedule, file, thread, at, "no such operation");
	rule = &rules[op->kind];
	if (op->stream == 0xffff ? rule->stream == STREAM_NEEDED
				 : op->stream >= schedule->stream_count)
		return bad_op(schedule, file, thread, at, "no such stream");
	if (op->object >= limit[rule->object] && rule->object != OBJECT_ANY)
		return bad_op(schedule, file, thread, at, "its object is not in the table");
	if (op->flags & ~rule->flags)
		return bad_op(schedule, file, thread, at, "a flag that this kind does not have");
	if (op->before_ps < 0)
		return bad_op(schedule, file, thread, at, "negative time before the call");
	if (op->duration_ps < -1)
		return bad_op(schedule, file, thread, at, "negative duration");
	if (op->kind == OP_MEMSET && schedule->copy[op->object].kind != COPY_MEMSET)
		return bad_op(schedule, file, thread, at, "its object is not a memset");
	return 0;
}

/* Marks of a thread come in their order, again from the start for each run of a batch. */
static int check_marks(const struct schedule *schedule, const char *file, uint32_t thread)
{
	const struct schedule_thread *t = &schedule->thread[thread];
	uint32_t last = MARK_COUNT;

	for (int64_t i = t->first_op; i < t->first_op + t->op_count; i++) {
		const struct schedule_op *op = &schedule->op[i];

		if (op->kind != OP_MARK)
			continue;
		if (last != MARK_COUNT && op->object <= last &&
		    !(last == MARK_TOTAL_END ||
		      (last == MARK_CORE_END && op->object <= MARK_CORE_BEGIN)))
			return bad_op(schedule, file, thread, i, "the marks are out of order");
		last = op->object;
	}
	return 0;
}

/* A schedule that waits for ever is found here and not by the simulator running dry. */
static int check_barriers(const struct schedule *schedule, const char *file)
{
	int64_t *posted = xcalloc(schedule->counter_count + 1, sizeof(*posted));
	uint32_t *met =
		xcalloc(schedule->barrier_count + 1, sizeof(*met)); /* threads that met it */
	int rc = 0;

	for (int64_t i = 0; i < schedule->op_count; i++)
		if (schedule->op[i].kind == OP_POST &&
		    schedule->op[i].value > posted[schedule->op[i].object])
			posted[schedule->op[i].object] = schedule->op[i].value;
	for (uint32_t t = 0; t < schedule->thread_count && rc == 0; t++) {
		const struct schedule_thread *thread = &schedule->thread[t];

		for (int64_t i = thread->first_op;
		     i < thread->first_op + thread->op_count && rc == 0; i++) {
			const struct schedule_op *op = &schedule->op[i];

			if (op->kind == OP_AWAIT && op->value > posted[op->object])
				rc = bad_op(schedule, file, t, i,
					    "awaits a value that nobody posts");
			else if (op->kind == OP_BARRIER && ++met[op->object] > t + 1)
				rc = bad_op(schedule, file, t, i,
					    "the thread has met this barrier before");
			else if (op->kind == OP_BARRIER && met[op->object] <= t)
				rc = bad_op(schedule, file, t, i,
					    "an earlier thread never meets this barrier");
		}
		for (uint32_t b = 0; b < schedule->barrier_count && rc == 0; b++)
			if (met[b] && met[b] <= t)
				rc = report("%s: thread %" PRIu32
					    " (%s) never meets barrier %" PRIu32,
					    file, t, thread->name, b);
	}
	free(posted);
	free(met);
	return rc;
}

/* As many launches meet in a collective as it has participants, and each of those that meet stands
 * once in the list of them. */
static int check_collectives(const struct schedule *schedule, const char *file)
{
	uint32_t *met = xcalloc(schedule->collective_count + 1, sizeof(*met));
	size_t next = 0;
	int rc = 0;

	for (int64_t i = 0; i < schedule->op_count && rc == 0; i++) {
		if (!(schedule->op[i].flags & OP_COLLECTIVE))
			continue;
		if (next == schedule->participant_count || schedule->participant[next].op != i)
			rc = report("%s: operation %" PRId64 " meets in no collective", file, i);
		for (; rc == 0 && next < schedule->participant_count &&
		       schedule->participant[next].op == i;
		     next++)
			if (schedule->participant[next].collective < schedule->collective_count)
				met[schedule->participant[next].collective]++;
			else
				rc = report("%s: operation %" PRId64 " meets in no collective",
					    file, i);
	}
	if (rc == 0 && next != schedule->participant_count)
		rc = report("%s: operation %" PRId64 " is no launch that meets others", file,
			    schedule->participant[next].op);
	for (uint32_t c = 0; c < schedule->collective_count && rc == 0; c++)
		if (met[c] != schedule->collective[c].participants ||
		    (schedule->collective[c].work_ps < 0 && schedule->collective[c].steps < 0))
			rc = report("%s: collective %" PRIu32 " of %" PRIu32 " has %" PRIu32
				    " launches",
				    file, c, schedule->collective[c].participants, met[c]);
	free(met);
	return rc;
}

int schedule_validate(const struct schedule *schedule, const char *file)
{
	int64_t next = 0;

	if (check_tables(schedule, file) < 0)
		return -1;
	for (uint32_t t = 0; t < schedule->thread_count; t++) {
		const struct schedule_thread *thread = &schedule->thread[t];

		if (thread->gpu != 0xffff && thread->gpu >= schedule->gpu_count)
			return report("%s: thread %" PRIu32 " (%s) drives GPU %u of %" PRIu32, file,
				      t, thread->name, (unsigned)thread->gpu, schedule->gpu_count);
		if (thread->first_op != next || thread->op_count < 0 ||
		    thread->op_count > schedule->op_count - next)
			return report("%s: thread %" PRIu32
				      " (%s): its operations are not contiguous",
				      file, t, thread->name);
		next += thread->op_count;
		for (int64_t i = thread->first_op; i < next; i++)
			if (check_op(schedule, file, t, i) < 0)
				return -1;
		if (check_marks(schedule, file, t) < 0)
			return -1;
	}
	if (next != schedule->op_count)
		return report("%s: %" PRId64 " operations belong to no thread", file,
			      schedule->op_count - next);
	for (size_t k = 0; k < schedule->queries_count; k++)
		if (schedule->queries[k].op < 0 || schedule->queries[k].op >= schedule->op_count)
			return report("%s: calls that only query stand before operation %" PRId64
				      ", which is not there",
				      file, schedule->queries[k].op);
	if (check_collectives(schedule, file) < 0)
		return -1;
	return check_barriers(schedule, file);
}
