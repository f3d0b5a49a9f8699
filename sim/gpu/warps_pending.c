/* SPDX-License-Identifier: MIT
 * Launches that are noted first and then played in several processes, before anyone asks.
 */
#include "warps_internal.h"

#include <math.h>
#include <stdlib.h>

#include "traces/base/processes.h"
#include "traces/base/util.h"
#include "warps_phases.h"
#include "warps_play.h"

static void note(struct warps *w, const struct pending *one)
{
	const struct platform *platform = one->known.on_device ? w->options.before : w->platform;
	if (warps_find_known(&w->known, platform->sm_count, &one->known) ||
	    known_launches_find(&w->pending_known, &one->known))
		return;
	known_launches_add(&w->pending_known, &one->known);
	GROW(w->pending, w->pending_count, w->pending_capacity);
	w->pending[w->pending_count++] = *one;
}

int warps_note(struct warps *w, const struct schedule *schedule)
{
	const int devices = 1 + warps_bounded(w->platform, w->options.before);
	if (warps_missing(w, schedule))
		return 0;
	for (uint32_t k = 0; k < schedule->shape_count; k++) {
		struct pending one = { 0 };
		if (schedule->shape[k].meets)
			continue;
		if (warps_prepare(w, schedule, &schedule->shape[k], &one.answer))
			return -1;
		for (int n = 0; n < devices * one.answer.phases; n++) {
			one.phase = n / devices;
			one.known = warps_known(n % devices ? w->options.before : w->platform,
						&one.answer, one.phase, n % devices);
			note(w, &one);
		}
	}
	return 0;
}

/* Left NaN also where there is something to be said: whoever asks for that launch works it out
 * again, and says it. */
static void play_pending(void *context, size_t k, void *answer)
{
	struct warps *w = context;
	struct pending *p = &w->pending[k];
	const struct platform *platform = p->known.on_device ? w->options.before : w->platform;
	struct known_launch *known = answer;
	struct grid_answer played;
	p->answer.launch.program = &p->answer.program; /* answers have moved since */
	p->answer.launch.duration_only = true;
	if (warps_play_phase(&platform->sm, platform->sm_count, &p->answer, p->phase, &played))
		return;
	if (!played.barriers_forced)
		*known = warps_now_known(known, &played);
	grid_answer_release(&played);
}

void warps_play_pending(struct warps *w, int processes)
{
	struct known_launch *known = xcalloc(w->pending_count + 1, sizeof(*known));
	const struct process_work work = { .count = w->pending_count,
					   .bytes = sizeof(*known),
					   .answer = play_pending,
					   .context = w,
					   .what = "launches played" };
	for (size_t k = 0; k < w->pending_count; k++) {
		known[k] = w->pending[k].known;
		known[k].played.cycles = NAN;
	}
	processes_run(processes, &work, known);
	for (size_t k = 0; k < w->pending_count; k++)
		if (!isnan(known[k].played.cycles) && !known_launches_find(&w->known, &known[k]))
			known_launches_add(&w->known, &known[k]);
	free(known);
	w->pending_count = 0;
	known_launches_release(&w->pending_known);
}
