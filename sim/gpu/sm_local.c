/* SPDX-License-Identifier: MIT */
#include "sm_engine_internal.h"

#include <math.h>

enum { PATH_TEXTURE = SASS_CLASS_COUNT, PATH_MULTIPLY_ADD };
enum { PORTS = 4 }; /* of a row of engine.held */

/* Which way it goes is the warp's alone: no share of visits is dealt out to the next of all. */
static bool goes_by_itself(const struct engine *e, const struct warp_step *s, unsigned *local)
{
	const double visits = sm_visits(e, s);
	switch (s->flow) {
	case FLOW_NEXT:
		return true;
	case FLOW_BRANCH:
		return (sm_decides(e, s) || s->share <= 0 || s->share >= 1) && s->diverges <= 0;
	case FLOW_LOOP:
	case FLOW_LEAVE:
		*local |= visits > floor(visits) && !sm_decides(e, s) ? LOCAL_COUNTED : LOCAL_NEVER;
		return true;
	default:
		return false;
	}
}

static unsigned local_of(const struct engine *e, const struct warp_program *p, size_t k)
{
	const struct warp_step *s = &p->step[k];
	unsigned local = LOCAL;
	if (sm_shared_path(s->class) || s->texels > 0 || s->poll_cycles > 0 || s->fence ||
	    k + 1 >= p->count || !goes_by_itself(e, s, &local))
		return LOCAL_NEVER;
	if (s->flow != FLOW_NEXT || (k + 1) % SM_CODE_LINE_STEPS == 0)
		local |= LOCAL_LEAVES;
	return local | (s->constant_line < CONSTANT_LINES ? LOCAL_CONSTANT : LOCAL_NEVER);
}

/* At the rim of a grid the same instructions go other ways: where they meet, either may come. */
static unsigned of_both(const struct engine *e, const struct sm_job *job, size_t k)
{
	const unsigned within = local_of(e, job->program, k),
		       rim = job->rim ? local_of(e, job->rim, k) : within;
	return within && rim ? within | rim : LOCAL_NEVER;
}

static int path_of(const struct engine *e, const struct warp_step *s)
{
	if (s->texels > 0 && e->texture_cycles > 0)
		return PATH_TEXTURE;
	return s->multiply_add && e->multiply_add > 0 ? PATH_MULTIPLY_ADD : s->class;
}

/* With another launch beside it more is issued than that has, as far as turns come; stalls are
 * added up in the order of turns; and lines of the multiprocessor's code come by turns. */
void sm_local_init(struct engine *e)
{
	const struct warp_program *p = e->setup->job[0].program;
	if (e->setup->job_count > 1 || !e->setup->duration_only || e->classes ||
	    e->code_far.capacity)
		return;
	e->local = sm_own(e, p->count, sizeof(*e->local));
	e->code_fits = sm_code_lines(p->count) <= e->code[0].capacity;
	for (size_t k = 0; k < p->count; k++) {
		const struct warp_step *s = &p->step[k];
		e->depbars |= s->depbar_scoreboard >= 0;
		e->local[k] = (struct local_step){
			.local = (uint8_t)of_both(e, &e->setup->job[0], k),
			.class = s->class,
			.write_barrier = s->write_barrier,
			.read_barrier = s->read_barrier,
			.wait_mask = s->wait_mask & ((1u << WARP_SCOREBOARDS) - 1),
			.stall = s->stall > 0 ? s->stall : 1,
			.ports = (uint8_t)(s->port_cycles + PORTS * (s->class == SASS_FP64)),
			.path = (uint8_t)path_of(e, s),
		};
	}
	for (int sub = 0; sub < e->device->sub_partitions; sub++) {
		struct partition *part = &e->partition[sub];
		part->path_of[PATH_TEXTURE] = &e->texture_free;
		part->path_of[PATH_MULTIPLY_ADD] = &part->multiply_add;
	}
}

static bool line_is_there(const struct engine *e, const struct warp *w, int32_t step)
{
	const struct code *code = &e->code[w->sub];
	const int32_t line = step / SM_CODE_LINE_STEPS;
	return !code->capacity || line == w->step / SM_CODE_LINE_STEPS ||
	       (e->code_fits && code->line_at[w->job][line] > 0);
}

static bool next_is_there(const struct engine *e, const struct warp *w, const struct warp_step *s)
{
	return line_is_there(e, w, w->step + 1) &&
	       (s->flow == FLOW_NEXT ||
		(s->target >= 0 && s->target < w->steps && line_is_there(e, w, s->target)));
}

bool sm_local_if(const struct engine *e, const struct warp *w, unsigned local)
{
	const struct warp_step *s = &w->program[w->step];
	if (w->others || (local & LOCAL_LEAVES && !next_is_there(e, w, s)))
		return false;
	if (local & LOCAL_COUNTED && s->share > 0 && w->visits[s->loop] <= 0)
		return false;
	return !(local & LOCAL_CONSTANT) || e->constant_at[w->job][s->constant_line] > 0;
}

double sm_local_until(const struct engine *e, int sub)
{
	const struct sm_device *d = e->device;
	double until = INFINITY, first = INFINITY;
	if (e->partition[sub].waiting)
		until = d->latency[SASS_BARRIER];
	if (e->snapshot || e->handed[0] < e->setup->job[0].blocks) {
		const double start = 1 + (mechanism_on(&d->mechanisms, MECHANISM_BLOCK_START)
						  ? d->block_start_cycles
						  : 0);
		until = start < until ? start : until;
	}
	for (int other = 0; other < d->sub_partitions; other++)
		if (other != sub && e->next[other].at < first)
			first = e->next[other].at;
	return first + until;
}

static void raise(const struct engine *e, struct warp *w, int scoreboard, double until)
{
	if (scoreboard < WARP_SCOREBOARDS && e->depbars)
		sm_raise_scoreboard(w, scoreboard, until, STALL_OTHER);
	else
		w->scoreboard[scoreboard] = sm_later(w->scoreboard[scoreboard], until);
}

static double ready_for(const struct engine *e, const struct warp *w, double ready)
{
	for (unsigned left = e->local[w->step].wait_mask; left; left &= left - 1)
		ready = sm_later(ready, w->scoreboard[__builtin_ctz(left)]);
	return e->depbars ? sm_later(ready, sm_depbar(w, &w->program[w->step])) : ready;
}

void sm_issue_local(struct engine *e, struct partition *p, struct warp *w, double at)
{
	const struct local_step *l = &e->local[w->step];
	const struct warp_step *s = &w->program[w->step];
	const struct sm_device *d = e->device;
	struct candidate *c = &p->candidate[w->place];
	const double through = at + d->interval[l->class];
	double done = at + d->latency[l->class], fixed = at + l->stall;
	int32_t next = w->step + 1;
	p->free = at + e->held[l->ports / PORTS][l->ports % PORTS];
	*p->path_of[l->path] = through;
	if (l->class == SASS_FP32) { /* either half, as for any instruction */
		p->pipe[SASS_FP32] = through;
		p->multiply_add =
			sm_later(p->multiply_add,
				 l->path == PATH_MULTIPLY_ADD ? at + e->multiply_add : through);
	}
	if (l->local & LOCAL_CONSTANT) {
		const double there = e->constant_at[w->job][s->constant_line];
		done = sm_later(done, there);
		if (l->write_barrier >= WARP_SCOREBOARDS) /* nobody could wait later */
			fixed = sm_later(fixed, there);
	}
	raise(e, w, l->write_barrier, done);
	if (l->read_barrier < WARP_SCOREBOARDS)
		raise(e, w, l->read_barrier,
		      through + d->latency[s->wavefronts > 0 ? SASS_SHARED_STORE
							     : SASS_GLOBAL_STORE]);
	w->code_at = 0;
	if (l->local & LOCAL_LEAVES) {
		if (s->flow != FLOW_NEXT)
			next = sm_next_step(e, w, s);
		w->code_at = sm_code_there(e, w, w->step, next, at);
		if (next != w->step + 1) /* what was fetched behind the branch is no use */
			w->code_at = sm_later(w->code_at, at + d->latency[SASS_CONTROL]);
	}
	sm_count_issue(e, w);
	w->step = next;
	w->fixed = fixed;
	c->ready = w->ready = ready_for(e, w, sm_later(fixed, w->code_at));
	c->path = p->path_of[e->local[next].path];
}
