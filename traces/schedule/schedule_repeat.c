/* SPDX-License-Identifier: MIT */
#include "schedule_repeat.h"

#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

/* Operations that carry a number which grows from unit to unit. */
static bool counts(const struct schedule_op *op)
{
	return op->kind == OP_POST || op->kind == OP_AWAIT || op->kind == OP_BARRIER;
}

static int64_t number_of(const struct schedule_op *op)
{
	return op->kind == OP_BARRIER ? (int64_t)op->object : op->value;
}

/* Durations that differ by how their ends were rounded to nanoseconds. */
static bool as_long(int64_t a_ps, int64_t b_ps)
{
	return a_ps >= 0 && b_ps >= 0 && a_ps - b_ps <= 2000 && b_ps - a_ps <= 2000;
}

/* Alike but for such a number. */
static bool alike(const struct schedule_op *a, const struct schedule_op *b)
{
	return a->kind == b->kind && a->flags == b->flags && a->stream == b->stream &&
	       (a->object == b->object || a->kind == OP_BARRIER) &&
	       (a->value == b->value || counts(a)) && a->before_ps == b->before_ps &&
	       (a->duration_ps == b->duration_ps || as_long(a->duration_ps, b->duration_ps));
}

static bool same(const struct schedule_op *a, const struct schedule_op *b)
{
	return alike(a, b) && (!counts(a) || number_of(a) == number_of(b));
}

static const struct schedule_op *ops_of(const struct schedule *s, uint32_t thread)
{
	return s->op + s->thread[thread].first_op;
}

/* By how much the number of an operation grows from the unit before to the one that ends at `end`;
 * 0 where the unit has none of its kind. */
static int64_t growth(const struct schedule_op *end, int64_t unit, const struct schedule_op *like)
{
	for (int64_t k = 1; k <= unit; k++) {
		const struct schedule_op *op = end - k;
		if (op->kind == like->kind && counts(op) &&
		    (op->kind == OP_BARRIER || op->object == like->object))
			return number_of(op) - number_of(op - unit);
	}
	return 0;
}

/* Units that stand one behind the other before `end` operations of a thread: each is alike the one
 * before, and numbers grow evenly. */
static int64_t units_before(const struct schedule_op *op, int64_t end, int64_t unit)
{
	int64_t from = end - unit; /* op[from..end) is known to repeat, for a start because it is one */
	if (from < 0)
		return 0;
	for (; from > 0; from--) {
		const struct schedule_op *now = &op[from - 1], *later = now + unit,
					 *last = later + unit;
		if (!alike(now, later))
			break;
		if (counts(now) && last < op + end &&
		    number_of(last) - number_of(later) != number_of(later) - number_of(now))
			break;
	}
	return (end - from) / unit;
}

void schedule_repeat_release(struct schedule_repeat *r)
{
	free(r->unit);
	free(r->tail);
	*r = (struct schedule_repeat){ 0 };
}

static void repeat_init(struct schedule_repeat *r, uint32_t threads)
{
	*r = (struct schedule_repeat){ .threads = threads };
	r->unit = xcalloc(threads + 1, sizeof(*r->unit));
	r->tail = xcalloc(threads + 1, sizeof(*r->tail));
}

int64_t schedule_repeat_count(const struct schedule_repeat *r, const struct schedule *s)
{
	int64_t count = INT64_MAX;
	if (r->threads != s->thread_count)
		return 0;
	for (uint32_t t = 0; t < r->threads; t++) {
		if (!r->unit[t])
			continue;
		const int64_t end = s->thread[t].op_count - r->tail[t],
			      here = end > 0 ? units_before(ops_of(s, t), end, r->unit[t]) : 0;
		count = here < count ? here : count;
	}
	return count == INT64_MAX ? 0 : count;
}

/* The tail of a thread, and that both end alike; false: they do not. */
static bool same_ends(const struct schedule *shorter, const struct schedule *longer, uint32_t t,
		      int64_t *unit, int64_t *tail)
{
	const int64_t few = shorter->thread[t].op_count, many = longer->thread[t].op_count;
	const struct schedule_op *a = ops_of(shorter, t), *b = ops_of(longer, t);
	int64_t begin = 0;
	while (begin < few && begin < many && same(&a[begin], &b[begin]))
		begin++;
	*unit = many - few;
	*tail = few - begin;
	for (int64_t k = begin; k < few; k++)
		if (*unit < 0 || !alike(&a[k], &b[k + *unit]))
			return false;
	return *unit >= 0;
}

bool schedule_repeat_find(struct schedule_repeat *r, const struct schedule *shorter,
			  const struct schedule *longer)
{
	if (shorter->thread_count != longer->thread_count ||
	    shorter->shape_count != longer->shape_count ||
	    shorter->copy_count != longer->copy_count)
		return false;
	repeat_init(r, longer->thread_count);
	for (uint32_t t = 0; t < r->threads; t++) {
		if (!same_ends(shorter, longer, t, &r->unit[t], &r->tail[t]))
			goto differ;
		r->unit_operations += r->unit[t];
	}
	r->count = schedule_repeat_count(r, longer);
	if (r->unit_operations > 0 && r->count > 1)
		return true;
differ:
	schedule_repeat_release(r);
	return false;
}

/* ---- one that there is nothing to compare with ---- */

/* The shortest period of n operations (prefix function: Knuth, Morris, Pratt 1977). */
static int64_t period_of(const struct schedule_op *op, int64_t n)
{
	int64_t *border = xmalloc((size_t)(n + 1) * sizeof(*border)), length = 0;
	border[0] = 0;
	for (int64_t k = 1; k < n; k++) {
		while (length > 0 && !alike(&op[k], &op[length]))
			length = border[length - 1];
		border[k] = length += alike(&op[k], &op[length]);
	}
	length = n > 0 ? n - border[n - 1] : 0;
	free(border);
	return length;
}

bool schedule_repeat_search(struct schedule_repeat *r, const struct schedule *s)
{
	int64_t least = INT64_MAX, *count = xcalloc(s->thread_count + 1, sizeof(*count));
	repeat_init(r, s->thread_count);
	for (uint32_t t = 0; t < s->thread_count; t++) {
		const struct schedule_op *op = ops_of(s, t);
		const int64_t all = s->thread[t].op_count, begin = all / 4, n = all / 2,
			      unit = period_of(op + begin, n);
		int64_t end = begin + n;
		r->tail[t] = all;
		if (4 * unit > n) /* it does nothing again and again */
			continue;
		while (end < all && alike(&op[end], &op[end - unit]))
			end++;
		r->unit[t] = unit;
		r->tail[t] = all - end;
		count[t] = units_before(op, end, unit);
		least = count[t] < least ? count[t] : least;
	}
	/* A thread may do in two units of its own what another does in one. */
	for (uint32_t t = 0; t < s->thread_count; t++) {
		r->unit[t] *= r->unit[t] ? (count[t] + least / 2) / least : 0;
		r->unit_operations += r->unit[t];
	}
	free(count);
	r->count = schedule_repeat_count(r, s);
	if (r->unit_operations > 0 && r->count > 1)
		return true;
	schedule_repeat_release(r);
	return false;
}

/* ---- leaving out ---- */

void schedule_cut(struct schedule *cut, const struct schedule *s, const struct schedule_repeat *r,
		  int64_t units)
{
	*cut = *s;
	cut->op_count = s->op_count - units * r->unit_operations;
	cut->op = xmalloc((size_t)(cut->op_count + 1) * sizeof(*cut->op));
	cut->thread = xmalloc((s->thread_count + 1) * sizeof(*cut->thread));
	struct schedule_op *to = cut->op;
	for (uint32_t t = 0; t < s->thread_count; t++) {
		const struct schedule_thread *thread = &s->thread[t];
		const struct schedule_op *op = ops_of(s, t);
		const int64_t unit = r->unit[t], end = thread->op_count - r->tail[t],
			      kept = end - units * unit;
		cut->thread[t] = *thread;
		cut->thread[t].first_op = to - cut->op;
		cut->thread[t].op_count = kept + r->tail[t];
		memcpy(to, op, (size_t)kept * sizeof(*to));
		memcpy(to + kept, op + end, (size_t)r->tail[t] * sizeof(*to));
		for (struct schedule_op *late = to + kept; late < to + kept + r->tail[t]; late++) {
			if (!counts(late))
				continue;
			const int64_t less = units * growth(op + end, unit, late);
			if (late->kind == OP_BARRIER)
				late->object -= (uint32_t)less;
			else
				late->value -= less;
		}
		to += cut->thread[t].op_count;
	}
	schedule_number_as_whole(cut, r, units);
}

void schedule_cut_release(struct schedule *cut)
{
	free(cut->op);
	free(cut->thread);
	cut->op = NULL;
	cut->thread = NULL;
}

void schedule_number_as_whole(struct schedule *s, const struct schedule_repeat *r, int64_t units)
{
	int64_t before = 0;
	for (uint32_t t = 0; t < s->thread_count; t++) {
		s->thread[t].left_out += before;
		before += units * r->unit[t];
	}
}
