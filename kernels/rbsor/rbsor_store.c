/* SPDX-License-Identifier: MIT
 * Kernel store: rows next to a neighbour are stored into its halo by the launch that updates them,
 * beside the launch for all others. Nothing is copied.
 *
 * Each half-sweep h has two launches a GPU. Its edges need what the neighbours' edges stored in h -
 * 1, and overwrite what those read then: they wait for the neighbours' of h - 1. They lie beside
 * the interior's rows, so that edges and interior of h wait for each other's of h - 1. The interior
 * waits for no neighbour. A halo row of one colour is read in the half-sweeps of the other alone,
 * so that one row is enough.
 */
#include <stdlib.h>

#include "traces/base/util.h"
#include "rbsor_work.h"

int rbsor_store_make(struct rbsor_work *r)
{
	const struct parts *parts = &r->w.domain.parts;
	struct machine *m = parts->m;
	r->border = xcalloc(parts->gpus, sizeof(*r->border));
	for (uint32_t g = 0; g < parts->gpus; g++) {
		struct rbsor_border *border = &r->border[g];
		if (m->ops->stream(m, g, &border->stream))
			return -1;
		for (int k = 0; k < 2; k++)
			if (m->ops->event(m, g, &border->edges[k]) ||
			    m->ops->event(m, g, &border->interior[k]))
				return -1;
	}
	return 0;
}

int rbsor_store_restart(struct rbsor_work *r)
{
	const struct parts *parts = &r->w.domain.parts;
	for (uint32_t g = 0; r->border && g < parts->gpus; g++)
		if (parts->m->ops->counter(parts->m, &r->border[g].count))
			return -1;
	return 0;
}

/* What follows on a stream waits for the neighbours' edges of half-sweep `half`. */
static int wait_for_neighbours(const struct rbsor_work *r, struct machine_thread *t,
			       uint32_t stream, int64_t half)
{
	const struct machine_ops *ops = t->machine->ops;
	const struct parts *parts = &r->w.domain.parts;
	const struct span *rows = &parts->part[t->gpu].rows;
	const struct rbsor_border *me = &r->border[t->gpu],
				  *neighbour[] = { rows->has_low ? me - 1 : NULL,
						   rows->has_high ? me + 1 : NULL };
	for (int k = 0; k < 2; k++)
		if (neighbour[k] && ((!parts->one_thread && ops->await(t, neighbour[k]->count,
								       half + 1, parts->policy)) ||
				     ops->wait(t, stream, neighbour[k]->edges[half & 1])))
			return -1;
	return 0;
}

static int half_sweep(struct rbsor_work *r, struct machine_thread *t, int64_t half)
{
	const struct machine_ops *ops = t->machine->ops;
	const struct parts *parts = &r->w.domain.parts;
	const uint32_t main = parts->part[t->gpu].stream;
	const struct rbsor_border *me = &r->border[t->gpu];
	const int now = half & 1, before = 1 - now;
	if (half > 0 && (wait_for_neighbours(r, t, me->stream, half - 1) ||
			 ops->wait(t, me->stream, me->interior[before])))
		return -1;
	if (rbsor_launch_edges(r, t, now) || ops->record(t, me->stream, me->edges[now]) ||
	    (!parts->one_thread && ops->post(t, me->count, half + 1, parts->policy)))
		return -1;
	if (half > 0 && ops->wait(t, main, me->edges[before]))
		return -1;
	return rbsor_launch_sweep(&r->w, t, now, 0) || ops->record(t, main, me->interior[now]) ? -1
											       : 0;
}

/* The main stream ends behind all that concerns the part. */
static int last(const struct rbsor_work *r, struct machine_thread *t, int64_t half)
{
	const uint32_t main = r->w.domain.parts.part[t->gpu].stream;
	return t->machine->ops->wait(t, main, r->border[t->gpu].edges[half & 1]) ||
			       wait_for_neighbours(r, t, main, half)
		       ? -1
		       : 0;
}

int rbsor_store_core(struct rbsor_work *r, struct machine_thread *t)
{
	const struct parts *parts = &r->w.domain.parts;
	const struct machine_ops *ops = t->machine->ops;
	const uint32_t begin = parts->one_thread ? 0 : t->gpu,
		       end = parts->one_thread ? parts->gpus : t->gpu + 1;
	const int64_t halves = 2 * (int64_t)r->w.base.iterations;
	for (int64_t half = 0; half < halves; half++)
		for (uint32_t g = begin; g < end; g++)
			if ((parts->one_thread && ops->drive(t, g)) || half_sweep(r, t, half))
				return -1;
	for (uint32_t g = begin; g < end; g++)
		if ((parts->one_thread && ops->drive(t, g)) || last(r, t, halves - 1))
			return -1;
	return 0;
}
