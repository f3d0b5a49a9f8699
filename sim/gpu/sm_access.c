/* SPDX-License-Identifier: MIT
 * Instructions that go to memory: what path they hold, what they ask of L2 and DRAM (sm_memory.h).
 */
#include "sm_engine_internal.h"

#include <math.h>

/* Whether a request meets what `share` of lines are, each by itself: it waits for the last. */
static double meets_one(double lines, double share)
{
	return lines > 1 && share < 1 ? 1 - pow(1 - share, lines) : share;
}

/* Of its sectors, what goes on to L2. */
static double l2_share(const struct sm_job *job, const struct warp_step *s)
{
	return s->l2_share * (job->l1_scale > 0 ? job->l1_scale : 1);
}

/* Of its executions, those that do with some of their lines. */
static float l2_asks(const struct sm_job *job, const struct warp_step *s)
{
	return job->l1_scale > 0 && job->l1_scale < 1 ? (float)meets_one(s->tags, l2_share(job, s))
						      : s->l2_asks;
}

/* Memory instructions: what path they occupy, what they ask of the levels behind, when the result
 * is there. */
double sm_access(struct engine *e, const struct warp *w, const struct warp_step *s, double at,
		 double *path_cycles, uint8_t *reason)
{
	const struct sm_device *d = e->device;
	const struct sm_job *job = &e->setup->job[w->job];
	double cycles = d->interval[s->class], done = at + d->latency[s->class], accepted = at;
	/* What a copy brings is put into shared memory beside the path (tests/gpu_async_copy.cu).
	 */
	const bool passes_by = s->class == SASS_ASYNC_COPY;
	if (s->wavefronts > 1 && !passes_by)
		cycles += (s->wavefronts - 1) * d->shared_wavefront_interval;
	*reason = s->wavefronts > 0 ? STALL_SHARED : STALL_L1;
	if (s->sectors > 0 && !passes_by) {
		double a_line = s->class == SASS_GLOBAL_STORE && d->store_line_interval > 0 &&
						mechanism_on(&d->mechanisms, MECHANISM_STORE_LINES)
					? d->store_line_interval
					: d->l1_tag_interval;
		double passes = s->sectors / 4 * d->shared_wavefront_interval,
		       tags = s->tags * a_line;
		cycles = cycles > passes ? cycles : passes;
		cycles = cycles > tags ? cycles : tags;
	}
	const double texels = s->texels * e->texture_cycles;
	cycles = cycles > texels ? cycles : texels;
	done += cycles - d->interval[s->class];
	float *l2_turn = &e->l2_turn[w->job][w->step], *dram_turn = &e->dram_turn[w->job][w->step];
	double bytes = (double)s->sectors * 32 * (job->work_scale > 0 ? job->work_scale : 1),
	       back = done;
	if (s->sectors <= 0) {
		*path_cycles = cycles;
		return done;
	}
	if (s->class == SASS_ATOMIC) {
		back = sm_memory_atomic(&e->memory, at, (double)s->lanes, (double)s->sectors,
					&accepted);
		*reason = STALL_L2;
	} else if (s->class == SASS_GLOBAL_STORE) {
		*dram_turn += (float)job->dram_write_share;
		bool dram = *dram_turn >= 1;
		*dram_turn -= dram;
		sm_memory_write(&e->memory, at, bytes * s->l2_share,
				(double)(s->tags * s->l2_share), dram, &accepted);
	} else if ((*l2_turn += l2_asks(job, s)) >= 1 - 1e-6f) {
		const double part = l2_share(job, s) / l2_asks(job, s); /* of its lines */
		*l2_turn -= 1;
		const double lines = s->tags * part, asks = meets_one(lines, job->l2_miss_share);
		*dram_turn += (float)asks;
		bool dram = *dram_turn >= 1 - 1e-6f;
		*dram_turn -= dram;
		back = sm_memory_read(&e->memory, &e->block[w->block].chance, at, bytes * part,
				      lines, dram ? job->l2_miss_share / asks : 0, &accepted);
		if (back > done)
			*reason = dram ? STALL_DRAM : STALL_L2;
	}
	*path_cycles = accepted - at > cycles ? accepted - at : cycles;
	return back > done ? back : done;
}
