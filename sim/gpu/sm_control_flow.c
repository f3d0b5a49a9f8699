/* SPDX-License-Identifier: MIT
 * How a warp goes through its program: by counts, not by a trace (warp_program.h). Shares are dealt
 * to warps by error diffusion.
 */
#include "sm_engine_internal.h"

#include <math.h>

static double trips(const struct engine *e, const struct warp_step *s, float *turn)
{
	const double visits = sm_visits(e, s);
	double whole = floor(visits);
	*turn += (float)(visits - whole);
	if (*turn >= 1 - 1e-6f) {
		*turn -= 1;
		whole += 1;
	}
	return whole > 1 ? whole : 1;
}

/* Threads that jumped wait at `target` until the others would go past it. */
static void divide(struct warp *w, int32_t target)
{
	int k = w->others;
	if (k == DIVIDED_MAX)
		return;
	for (; k && w->other[k - 1] < target; k--)
		w->other[k] = w->other[k - 1];
	if (k && w->other[k - 1] == target)
		return;
	w->other[k] = target;
	w->others++;
}

/* Where the warp would go after its instruction were it not divided; NEVER_STEP: nowhere. */
static int32_t undivided_step(struct engine *e, struct warp *w, const struct warp_step *s)
{
	float *turn = sm_decides(e, s) ? &w->visits[s->own - 1] : &e->turn[w->job][w->step],
	      *visits = &w->visits[s->loop];
	switch (s->flow) {
	case FLOW_BRANCH:
	case FLOW_EXIT:
		*turn += s->share;
		if (*turn >= 1 - 1e-4f) {
			*turn -= 1;
			if (s->diverges > 0 &&
			    (e->divided[w->job][w->step] += s->diverges) >= 1 - 1e-4f) {
				e->divided[w->job][w->step] -= 1;
				divide(w, s->target);
			}
			return w->step + 1;
		}
		return s->flow == FLOW_EXIT ? NEVER_STEP : s->target;
	case FLOW_LOOP:
	case FLOW_LEAVE:
		if (s->share <= 0)
			return s->target;
		if (*visits <= 0)
			*visits = (float)trips(e, s, turn);
		*visits -= 1;
		return (s->flow == FLOW_LOOP) == (*visits > 0) ? s->target : w->step + 1;
	case FLOW_CALL:
		w->back = w->step + 1;
		return s->target;
	case FLOW_RETURN:
		return w->back;
	default:
		return w->step + 1;
	}
}

int32_t sm_next_step(struct engine *e, struct warp *w, const struct warp_step *s)
{
	int32_t next = undivided_step(e, w, s);
	if (!w->others || (next != NEVER_STEP && next < w->other[w->others - 1]))
		return next;
	return w->other[--w->others];
}
