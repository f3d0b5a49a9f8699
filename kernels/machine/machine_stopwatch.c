/* SPDX-License-Identifier: MIT */
#include "machine_stopwatch.h"

#include <math.h>
#include <stdlib.h>

#include "machine_timing.h"
#include "traces/base/util.h"

struct watched {
	uint32_t begin, end; /* events */
	bool in_core;
	struct machine_times times;
	int64_t exchange_ns; /* when the one in progress began */
};

struct machine_stopwatch {
	const struct machine_ops *inner;
	struct machine_ops ops; /* what the machine has meanwhile */
	uint32_t gpus;
	struct watched *watched; /* [gpus] */
};

static struct machine_stopwatch *watch_of(const struct machine_thread *t)
{
	return t->machine->stopwatch;
}

/* What lies between two events of the thread's stream; nothing is behind the second, so to wait for
 * the stream is to wait for it. */
static int timed(struct machine_thread *t, uint32_t stream,
		 int (*put)(struct machine_thread *, uint32_t, const void *), const void *what,
		 double *sum_ns)
{
	struct machine_stopwatch *w = watch_of(t);
	struct watched *mine = &w->watched[t->gpu];
	double ns = 0;
	if (w->inner->record(t, stream, mine->begin) || put(t, stream, what) ||
	    w->inner->record(t, stream, mine->end) || w->inner->sync(t, stream))
		return -1;
	if (t->machine->ops->computes &&
	    t->machine->timing->elapsed(t->machine, mine->begin, mine->end, &ns))
		return -1;
	if (mine->in_core)
		*sum_ns += ns;
	return 0;
}

static int put_launch(struct machine_thread *t, uint32_t stream, const void *launch)
{
	return watch_of(t)->inner->launch(t, stream, launch);
}

static int put_copy(struct machine_thread *t, uint32_t stream, const void *copy)
{
	return watch_of(t)->inner->copy(t, stream, copy);
}

static int timed_launch(struct machine_thread *t, uint32_t stream,
			const struct machine_launch *launch)
{
	return timed(t, stream, put_launch, launch, &watch_of(t)->watched[t->gpu].times.kernel_ns);
}

static int timed_copy(struct machine_thread *t, uint32_t stream, const struct machine_copy *copy)
{
	return timed(t, stream, put_copy, copy, &watch_of(t)->watched[t->gpu].times.transfer_ns);
}

static int timed_counter(struct machine_thread *t, bool posts, uint32_t counter, int64_t value,
			 enum await_policy policy)
{
	struct machine_stopwatch *w = watch_of(t);
	struct watched *mine = &w->watched[t->gpu];
	const int64_t begin = monotonic_ns();
	if ((posts ? w->inner->post : w->inner->await)(t, counter, value, policy))
		return -1;
	if (mine->in_core)
		mine->times.sync_ns += (double)(monotonic_ns() - begin);
	return 0;
}

static int timed_post(struct machine_thread *t, uint32_t counter, int64_t value,
		      enum await_policy policy)
{
	return timed_counter(t, true, counter, value, policy);
}

static int timed_await(struct machine_thread *t, uint32_t counter, int64_t value,
		       enum await_policy policy)
{
	return timed_counter(t, false, counter, value, policy);
}

static int timed_mark(struct machine_thread *t, enum mark mark)
{
	struct machine_stopwatch *w = watch_of(t);
	struct watched *mine = &w->watched[t->gpu];
	if (mark == MARK_CORE_BEGIN)
		mine->times = (struct machine_times){ 0 };
	if (mark == MARK_CORE_BEGIN || mark == MARK_CORE_END)
		mine->in_core = mark == MARK_CORE_BEGIN;
	return w->inner->mark(t, mark);
}

void machine_stopwatch_exchange(struct machine_thread *t, bool begins)
{
	struct machine_stopwatch *w = watch_of(t);
	if (!w)
		return;
	struct watched *mine = &w->watched[t->gpu];
	const int64_t now = monotonic_ns();
	if (begins)
		mine->exchange_ns = now;
	else
		mine->times.communication_ns += (double)(now - mine->exchange_ns);
}

struct machine_times machine_stopwatch_times(const struct machine *m, uint32_t gpu)
{
	return m->ops->computes ? m->stopwatch->watched[gpu].times
				: (struct machine_times){ NAN, NAN, NAN, NAN };
}

int machine_stopwatch_set(struct machine *m, uint32_t gpus)
{
	struct machine_stopwatch *w = xcalloc(1, sizeof(*w));
	w->inner = m->ops;
	w->ops = *m->ops;
	w->ops.launch = timed_launch;
	w->ops.copy = timed_copy;
	w->ops.post = timed_post;
	w->ops.await = timed_await;
	w->ops.mark = timed_mark;
	w->gpus = gpus;
	w->watched = xcalloc(gpus, sizeof(*w->watched));
	m->stopwatch = w;
	for (uint32_t g = 0; g < gpus; g++)
		if (m->timing->timed_event(m, g, &w->watched[g].begin) ||
		    m->timing->timed_event(m, g, &w->watched[g].end)) {
			machine_stopwatch_remove(m);
			return -1;
		}
	m->ops = &w->ops;
	return 0;
}

void machine_stopwatch_remove(struct machine *m)
{
	if (!m->stopwatch)
		return;
	m->ops = m->stopwatch->inner;
	free(m->stopwatch->watched);
	free(m->stopwatch);
	m->stopwatch = NULL;
}
