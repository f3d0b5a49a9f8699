/* SPDX-License-Identifier: MIT */
#include "compare_operations.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/schedule/nccl_names.h"
#include "traces/base/text_show.h"
#include "traces/base/util.h"
#include "traces/load/schedule_from_trace.h"
#include "traces/schedule/schedule.h"

static const char *const kind_name[OP_KIND_COUNT] = {
	[OP_LAUNCH] = "launch",		[OP_COPY] = "copy",
	[OP_MEMSET] = "memset",		[OP_RECORD] = "event record",
	[OP_WAIT] = "wait for event",	[OP_SYNC] = "stream sync",
	[OP_SYNC_EVENT] = "event sync", [OP_SYNC_GPU] = "device sync",
};
enum { SHOWN = 5, NO_STREAM = 0xffff };

struct tally {
	int64_t a, b, equal;
};

/* One side of the comparison. */
struct side {
	struct schedule schedule;
	uint16_t *event_stream; /* that records it */
};

struct comparison {
	struct side side[2];
	uint16_t *met[2]; /* by stream of one side: that of the other it stands for, NO_STREAM: none
			     yet */
	struct tally tally[OP_KIND_COUNT];
	int64_t differences;
	int shown;
	bool tsv;
};

static int side_load(struct side *side, const struct trace *trace)
{
	struct schedule *s = &side->schedule;

	schedule_init(s);
	if (schedule_from_trace(s, trace, -1))
		return -1;
	side->event_stream = xmalloc((s->event_count + 1) * sizeof(*side->event_stream));
	for (uint32_t i = 0; i < s->event_count; i++)
		side->event_stream[i] = NO_STREAM;
	for (int64_t i = 0; i < s->op_count; i++)
		if (s->op[i].kind == OP_RECORD)
			side->event_stream[s->op[i].object] = s->op[i].stream;
	return 0;
}

/* Streams stand for each other once they were met together. */
static bool same_stream(struct comparison *c, uint16_t a, uint16_t b)
{
	if (a == NO_STREAM || b == NO_STREAM)
		return a == b;
	if (c->side[0].schedule.stream[a].gpu != c->side[1].schedule.stream[b].gpu)
		return false;
	if (c->met[0][a] == NO_STREAM && c->met[1][b] == NO_STREAM) {
		c->met[0][a] = b;
		c->met[1][b] = a;
	}
	return c->met[0][a] == b && c->met[1][b] == a;
}

/* What a kernel of NCCL is for: "AllReduce" of ncclDevKernel_AllReduce_Sum_f32_RING_LL, and of the
 * name that a call on virtual GPUs has, which knows no more; 0: another kernel. */
static size_t purpose(const char *kernel, const char **word)
{
	static const char called[] = "NCCL ";

	*word = nccl_kernel(kernel);
	if (!*word && !strncmp(kernel, called, strlen(called)))
		*word = kernel + strlen(called);
	return *word ? strcspn(*word, "_(") : 0;
}

/* Of NCCL's kernels only that: which it takes, and how many blocks, is its own choice. A group of
 * different operations is one kernel, which NCCL calls after one of them. */
static bool same_purpose(const char *a, const char *b, bool *known)
{
	static const char generic[] = "Generic";
	const char *x, *y;
	const size_t length = purpose(a, &x), other = purpose(b, &y);

	*known = length && other;
	return *known && ((length == other && !strncmp(x, y, length)) || !strcmp(x, generic) ||
			  !strcmp(y, generic));
}

static bool same_shape(const struct comparison *c, uint32_t a, uint32_t b)
{
	const struct schedule *x = &c->side[0].schedule, *y = &c->side[1].schedule;
	const struct schedule_shape *p = &x->shape[a], *q = &y->shape[b];
	bool of_nccl;
	const bool same = same_purpose(x->kernel[p->kernel], y->kernel[q->kernel], &of_nccl);

	if (of_nccl)
		return same;
	return !strcmp(x->kernel[p->kernel], y->kernel[q->kernel]) &&
	       !memcmp(p->grid, q->grid, sizeof(p->grid)) &&
	       !memcmp(p->block, q->block, sizeof(p->block)) && p->shared_bytes == q->shared_bytes;
}

static bool same_copy(const struct comparison *c, uint32_t a, uint32_t b)
{
	const struct schedule_copy *p = &c->side[0].schedule.copy[a],
				   *q = &c->side[1].schedule.copy[b];

	return p->kind == q->kind && p->pageable == q->pageable && p->bytes == q->bytes &&
	       p->rows == q->rows && p->source_gpu == q->source_gpu &&
	       p->target_gpu == q->target_gpu;
}

static bool same_operation(struct comparison *c, const struct schedule_op *a,
			   const struct schedule_op *b)
{
	if (a->kind != b->kind ||
	    (a->kind != OP_LAUNCH && (a->flags & OP_BLOCKING) != (b->flags & OP_BLOCKING)))
		return false;
	switch (a->kind) {
	case OP_LAUNCH:
		return same_shape(c, a->object, b->object) && same_stream(c, a->stream, b->stream);
	case OP_COPY:
	case OP_MEMSET:
		return same_copy(c, a->object, b->object) && same_stream(c, a->stream, b->stream);
	case OP_WAIT:
	case OP_SYNC_EVENT:
		return same_stream(c, a->stream, b->stream) &&
		       same_stream(c, c->side[0].event_stream[a->object],
				   c->side[1].event_stream[b->object]);
	case OP_SYNC_GPU:
		return a->object == b->object;
	default:
		return same_stream(c, a->stream, b->stream);
	}
}

static void describe(const struct schedule *s, const struct schedule_op *op, FILE *out)
{
	fputs(kind_name[op->kind], out);
	if (op->kind == OP_LAUNCH) {
		const struct schedule_shape *shape = &s->shape[op->object];
		struct text_show show = { 0 };

		fprintf(out, " %.60s <<<(%u, %u, %u), (%u, %u, %u)>>>",
			text_show(&show, s->kernel[shape->kernel]), shape->grid[0], shape->grid[1],
			shape->grid[2], shape->block[0], shape->block[1], shape->block[2]);
		text_show_release(&show);
	} else if (op->kind == OP_COPY || op->kind == OP_MEMSET) {
		const struct schedule_copy *copy = &s->copy[op->object];

		fprintf(out, " of %" PRId64 " bytes", copy->bytes);
		if (op->kind == OP_COPY)
			fprintf(out, " from %d to %d", (int16_t)copy->source_gpu,
				(int16_t)copy->target_gpu);
	}
	if (op->stream != NO_STREAM)
		fprintf(out, ", GPU %u stream %" PRId64, s->stream[op->stream].gpu,
			s->stream[op->stream].id);
	else if (op->kind == OP_SYNC_GPU)
		fprintf(out, ", GPU %u", op->object);
}

/* The next operation of a thread that asks something of a GPU; NULL: no more. */
static const struct schedule_op *next_operation(const struct schedule *s, uint32_t thread,
						int64_t *at)
{
	if (thread >= s->thread_count)
		return NULL;
	while (*at < s->thread[thread].op_count) {
		const struct schedule_op *op = &s->op[s->thread[thread].first_op + (*at)++];

		if (kind_name[op->kind])
			return op;
	}
	return NULL;
}

static void show_difference(struct comparison *c, uint32_t thread, int64_t number,
			    const struct schedule_op *a, const struct schedule_op *b)
{
	if (c->shown++ >= SHOWN || c->tsv)
		return;
	printf("thread %u, operation %" PRId64 "\n  A: ", thread, number);
	if (a)
		describe(&c->side[0].schedule, a, stdout);
	else
		printf("none");
	printf("\n  B: ");
	if (b)
		describe(&c->side[1].schedule, b, stdout);
	else
		printf("none");
	printf("\n");
}

static void compare_thread(struct comparison *c, uint32_t thread)
{
	int64_t at[2] = { 0, 0 };

	for (int64_t number = 1;; number++) {
		const struct schedule_op *a = next_operation(&c->side[0].schedule, thread, &at[0]),
					 *b = next_operation(&c->side[1].schedule, thread, &at[1]);

		if (!a && !b)
			return;
		if (a)
			c->tally[a->kind].a++;
		if (b)
			c->tally[b->kind].b++;
		if (a && b && same_operation(c, a, b)) {
			c->tally[a->kind].equal++;
			continue;
		}
		c->differences++;
		show_difference(c, thread, number, a, b);
	}
}

/* Whether B's thread asks for all that A's does, in A's order, and maybe for more in between: each
 * operation is taken where it comes first. With `launches`, of launches alone. */
static bool thread_within(struct comparison *c, uint32_t a_thread, uint32_t b_thread, bool launches,
			  int64_t *more)
{
	int64_t at[2] = { 0, 0 };
	const struct schedule_op *a, *b;

	while ((a = next_operation(&c->side[0].schedule, a_thread, &at[0]))) {
		if (launches && a->kind != OP_LAUNCH)
			continue;
		while ((b = next_operation(&c->side[1].schedule, b_thread, &at[1])) &&
		       !same_operation(c, a, b))
			more[b->kind] += !launches;
		if (!b)
			return false;
	}
	while ((b = next_operation(&c->side[1].schedule, b_thread, &at[1])))
		more[b->kind] += !launches;
	return true;
}

static void forget_streams(struct comparison *c)
{
	for (int i = 0; i < 2; i++)
		memset(c->met[i], 0xff,
		       (c->side[i].schedule.stream_count + 1) * sizeof(*c->met[i]));
}

/* The same of all threads. Launches go first: they tell which stream is which, where records and
 * waits of a library's own stand between those of the program. */
static bool is_within(struct comparison *c, int64_t *more)
{
	const uint32_t threads = c->side[0].schedule.thread_count;
	bool is = threads <= c->side[1].schedule.thread_count;

	forget_streams(c);
	for (int launches = 1; launches >= 0; launches--)
		for (uint32_t t = 0; is && t < threads; t++)
			is = thread_within(c, t, t, launches, more);
	for (uint32_t t = threads; is && t < c->side[1].schedule.thread_count; t++) {
		int64_t at = 0;
		const struct schedule_op *b;

		while ((b = next_operation(&c->side[1].schedule, t, &at)))
			more[b->kind]++;
	}
	return is;
}

static void print_within(struct comparison *c)
{
	int64_t more[OP_KIND_COUNT] = { 0 };
	const char *between = ":";

	if (!is_within(c, more))
		return;
	printf("every operation of A is in B, in the same order on each thread; B has besides");
	for (int kind = 0; kind < OP_KIND_COUNT; kind++)
		if (more[kind]) {
			printf("%s %" PRId64 " %s", between, more[kind], kind_name[kind]);
			between = ",";
		}
	printf("\n");
}

static void print_tally(const struct comparison *c)
{
	const char *format = c->tsv ? "%s\t%s\t%s\t%s\n" : "%-16s %9s %9s %9s\n";

	printf(format, "operation", "A", "B", "equal");
	for (int kind = 0; kind < OP_KIND_COUNT; kind++) {
		const struct tally *t = &c->tally[kind];
		char a[24], b[24], equal[24];

		if (!t->a && !t->b)
			continue;
		snprintf(a, sizeof(a), "%" PRId64, t->a);
		snprintf(b, sizeof(b), "%" PRId64, t->b);
		snprintf(equal, sizeof(equal), "%" PRId64, t->equal);
		printf(format, kind_name[kind], a, b, equal);
	}
	if (c->differences && !c->tsv)
		printf("%" PRId64 " operations differ\n", c->differences);
	else if (!c->tsv)
		printf("the same operations on the same GPUs and streams, in the same order on "
		       "each "
		       "thread\n");
}

int64_t compare_operations(const struct trace *a, const struct trace *b, bool tsv)
{
	struct comparison c = { .tsv = tsv };
	const struct trace *trace[] = { a, b };
	int64_t result = -1;

	if (side_load(&c.side[0], trace[0]) || side_load(&c.side[1], trace[1]))
		goto out;
	for (int i = 0; i < 2; i++) {
		const uint32_t count = c.side[i].schedule.stream_count;

		c.met[i] = xmalloc((count + 1) * sizeof(*c.met[i]));
	}
	forget_streams(&c);
	for (uint32_t t = 0;
	     t < c.side[0].schedule.thread_count || t < c.side[1].schedule.thread_count; t++)
		compare_thread(&c, t);
	print_tally(&c);
	if (c.differences && !tsv)
		print_within(&c);
	result = c.differences;
out:
	for (int i = 0; i < 2; i++) {
		schedule_release(&c.side[i].schedule);
		free(c.side[i].event_stream);
		free(c.met[i]);
	}
	return result;
}
