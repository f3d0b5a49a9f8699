/* SPDX-License-Identifier: MIT */
#include "sm_engine_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

static const int64_t ISSUES_MAX = 100000000; /* of one run: beyond, something goes in circles */

const char *const stall_reason_name[STALL_REASON_COUNT] = {
	[STALL_NONE] = "issued",
	[STALL_FIXED] = "fixed latency",
	[STALL_SHARED] = "shared memory",
	[STALL_L1] = "L1",
	[STALL_L2] = "L2",
	[STALL_DRAM] = "DRAM",
	[STALL_OTHER] = "other latency",
	[STALL_BARRIER] = "barrier",
	[STALL_PIPE] = "pipe busy",
	[STALL_LSU] = "load/store path busy",
	[STALL_NOT_SELECTED] = "not selected",
};

static void wait_for(struct warp *w, double until, uint8_t reason)
{
	if (until > w->ready) {
		w->ready = until;
		w->reason = reason;
	}
}

static void wait_for_registers(struct warp *w, const struct warp_step *s)
{
	for (int k = 0; k < 4; k++)
		if (s->source[k] >= 0)
			wait_for(w, w->reg[s->source[k] % REGISTERS],
				 w->reg_reason[s->source[k] % REGISTERS]);
	for (int k = 0; k < s->destination_count && s->destination >= 0; k++)
		wait_for(w, w->reg[(s->destination + k) % REGISTERS],
			 w->reg_reason[(s->destination + k) % REGISTERS]);
}

static void wait_for_scoreboards(struct warp *w, const struct warp_step *s)
{
	for (unsigned left = s->wait_mask & ((1u << WARP_SCOREBOARDS) - 1); left;
	     left &= left - 1) {
		int b = __builtin_ctz(left);
		wait_for(w, w->scoreboard[b], w->scoreboard_reason[b]);
	}
	if (s->depbar_scoreboard >= 0)
		wait_for(w, sm_depbar(w, s), w->scoreboard_reason[s->depbar_scoreboard]);
}

/* What the next instruction of a warp waits for: its pipe, or a path of the whole SM. */
static double *path_of(struct engine *e, struct partition *p, const struct warp_step *s)
{
	if (s->texels > 0 && e->texture_cycles > 0)
		return &e->texture_free;
	return s->multiply_add && e->multiply_add > 0 ? &p->multiply_add : p->path_of[s->class];
}

void sm_look_ahead(struct engine *e, struct warp *w, double barrier)
{
	const struct warp_step *s = &w->program[w->step];
	struct partition *p = &e->partition[w->sub];
	w->reason = STALL_FIXED;
	if (e->classes)
		wait_for_registers(w, s);
	else
		wait_for_scoreboards(w, s);
	wait_for(w, w->code_at, STALL_OTHER);
	wait_for(w, barrier, STALL_BARRIER);
	p->candidate[w->place].ready = w->ready;
	p->candidate[w->place].path = path_of(e, p, s);
	sm_choose_again(e, w->sub);
}

/*
 * Of a time that is not negative: a whole number, in the same order. No processor foresees which of
 * two times is the earlier one, and where numbers are whole compilers do without a branch.
 */
static uint64_t bits_of(double time)
{
	uint64_t bits;
	memcpy(&bits, &time, sizeof(bits));
	return bits;
}

static double positive(double cycles)
{
	uint64_t bits = bits_of(cycles);
	bits &= (bits >> 63) - 1; /* the sign */
	memcpy(&cycles, &bits, sizeof(bits));
	return cycles;
}

static void account(double *stalled, const struct warp *w, int class, double at, double path)
{
	double ready = w->ready, fixed = w->fixed < ready ? w->fixed : ready,
	       busy = positive((path < at ? path : at) - ready);
	stalled[STALL_NONE] += 1;
	stalled[STALL_FIXED] += positive(fixed - w->issued - 1);
	stalled[w->reason] += positive(ready - fixed);
	stalled[sm_uses_lsu(class) ? STALL_LSU : STALL_PIPE] += busy;
	stalled[STALL_NOT_SELECTED] += positive(at - ready - busy);
}

/* When the multiprocessor has a line of its launch's dimensions and parameters, for which the first
 * that wants it has to ask. */
static double constant_there(struct engine *e, const struct warp *w, const struct warp_step *s,
			     double at)
{
	double *there = &e->constant_at[w->job][s->constant_line];
	if (*there <= 0)
		*there = at + e->setup->constant_cold_cycles;
	return *there;
}

/* A share of a warp's visits: whether this one is among them. The first is. */
static bool its_turn(float *turn, double share)
{
	const bool yes = *turn < share - 1e-4;
	*turn += (float)share;
	*turn -= *turn >= 1 - 1e-4f;
	return yes;
}

/* NEIGHBOUR_FLAGS. When a fence is through: what its multiprocessor wrote is in L2. 0: none of the
 * warp's threads has one. */
static double fence_through(struct engine *e, const struct warp *w, const struct warp_step *s,
			    double done)
{
	if (s->lanes < 1 && !its_turn(&e->turn[w->job][w->step], s->lanes))
		return 0;
	return e->block[w->block].released = sm_later(done, e->memory.acknowledged);
}

/*
 * NEIGHBOUR_FLAGS. A flag that a warp polls is raised behind a fence by a block like its own, at
 * the same time: half a way to L2 after that it is there. The first poll that comes to L2 later
 * sees it, somewhere in a round of the loop, and half a way back the warp knows. Flags side by side
 * are one after the other in L2, polls between them: on average half of all come before. They are
 * side by side where a poll, as counted, asks for more than one sector of a line.
 */
static double flag_seen(struct engine *e, const struct warp *w, const struct warp_step *s,
			double at, double done)
{
	const bool apart = s->sectors <= s->tags * 1.01f;
	const double queue = apart ? 0
				   : e->flag_later * e->setup->memory.sharers *
					     e->resident[w->job] / 2,
		     released = e->block[w->block].released + queue,
		     half = (e->memory.l2.latency + e->memory.far / 2) / 2;
	if (released <= at) /* a poll that comes to L2 later than the flag */
		return done;
	float *phase = &e->turn[w->job][w->step];
	*phase += 0.61803399f;
	*phase -= *phase >= 1;
	return sm_later(done, released + half + *phase * (2 * half + s->poll_cycles) + half);
}

static void issue(struct engine *e, struct warp *w, double at)
{
	const struct warp_step *s = &w->program[w->step];
	const struct sm_device *d = e->device;
	struct partition *p = &e->partition[w->sub];
	double *path = path_of(e, p, s), done = at + d->latency[s->class],
	       cycles = d->interval[s->class];
	uint8_t reason = STALL_OTHER;
	if (!e->setup->duration_only)
		account(e->run->stalled, w, s->class, at, sm_later(*path, p->read));
	p->free = at + e->held[s->class == SASS_FP64][s->port_cycles];
	if (s->class == SASS_SHUFFLE)
		p->pipe[SASS_FP32] = sm_later(p->pipe[SASS_FP32], at + e->shuffle_held);
	p->read = s->port_cycles > 1 ? p->free : p->read;
	if (sm_uses_lsu(s->class))
		done = sm_access(e, w, s, at, &cycles, &reason);
	if (s->class == SASS_ASYNC_COPY) /* LDGDEPBAR ends when all before it have */
		done = w->copied = sm_later(w->copied, done);
	if (s->poll_cycles > 0 && e->flags) {
		done = flag_seen(e, w, s, at, done);
		reason = STALL_BARRIER;
	}
	const double through = s->fence && e->flags ? fence_through(e, w, s, done) : 0;
	const double there = s->constant_line < CONSTANT_LINES ? constant_there(e, w, s, at) : 0;
	done = there > done ? there : done;
	*path = at + cycles;
	if (s->class == SASS_FP32) { /* either half; of the two, one takes integers */
		p->pipe[SASS_FP32] = at + cycles;
		p->multiply_add = sm_later(p->multiply_add,
					   at + (s->multiply_add ? e->multiply_add : cycles));
	}
	if (sm_shared_path(s->class))
		e->next[w->sub].served = at;
	if (e->classes) {
		for (int k = 0; k < s->destination_count && s->destination >= 0; k++) {
			w->reg[(s->destination + k) % REGISTERS] = done;
			w->reg_reason[(s->destination + k) % REGISTERS] =
				reason == STALL_OTHER ? STALL_FIXED : reason;
		}
	} else {
		if (s->write_barrier < WARP_SCOREBOARDS)
			sm_raise_scoreboard(w, s->write_barrier, done, reason);
		if (s->read_barrier < WARP_SCOREBOARDS)
			sm_raise_scoreboard(
				w, s->read_barrier,
				at + cycles +
					d->latency[s->wavefronts > 0 ? SASS_SHARED_STORE
								     : SASS_GLOBAL_STORE],
				reason);
	}
	w->issued = at;
	w->fixed = w->ready = at + (e->classes ? d->issue_interval : s->stall > 0 ? s->stall : 1);
	if (there > w->fixed && s->write_barrier >= WARP_SCOREBOARDS) /* nobody could wait later */
		w->fixed = w->ready = there;
	if (through > w->fixed) /* no scoreboard says so */
		w->fixed = w->ready = through;
	sm_count_issue(e, w);
	int32_t next = s->flow == FLOW_NEXT && !w->others ? w->step + 1 : sm_next_step(e, w, s);
	if (next < 0 || next >= w->steps) {
		sm_end_warp(e, w, at + 1);
		return;
	}
	w->code_at = sm_code_there(e, w, w->step, next, at);
	if (next != w->step + 1 && !e->classes) /* what was fetched behind the branch is no use */
		w->code_at = sm_later(w->code_at, at + d->latency[SASS_CONTROL]);
	w->step = next;
	if (s->flow != FLOW_BARRIER) {
		sm_look_ahead(e, w, 0);
		return;
	}
	p->candidate[w->place].ready = w->ready = INFINITY;
	p->waiting++;
	sm_choose_again(e, w->sub);
	if (++e->block[w->block].arrived == e->block[w->block].live)
		sm_release_barrier(e, w->block, at);
}

static double may_issue(const struct candidate *c)
{
	return sm_later(c->ready, *c->path);
}

/* Of a sub-partition's warps the one that issues next: the earliest; among those that are ready,
 * the one that issued last, else the oldest. */
static const struct candidate *best_of(const struct partition *p, const struct candidate *last,
				       double *best_at)
{
	const struct candidate *best = last, *end = &p->candidate[p->count];
	double free = p->free, earliest = may_issue(last);
	*best_at = free;
	if (earliest <= free)
		return last;
	for (const struct candidate *c = p->candidate; c < end; c++) {
		double at = may_issue(c);
		if (at <= free)
			return c;
		best = at < earliest ? c : best;
		earliest = at < earliest ? at : earliest;
	}
	*best_at = earliest;
	return best;
}

static void choose(struct engine *e, int sub)
{
	struct partition *p = &e->partition[sub];
	struct next_issue *next = &e->next[sub];
	next->candidate = best_of(p, &p->candidate[p->last->place], &next->at);
	p->stale = false;
}

static unsigned __int128 turn_of(const struct next_issue *next)
{
	return (unsigned __int128)bits_of(next->at) << 64 | bits_of(next->served);
}

/* Which sub-partition issues next: of those at the same time, the one whose turn on a path of the
 * whole SM was longest ago. */
static int first_of(const struct next_issue *next, int count)
{
	unsigned __int128 earliest = turn_of(next);
	uint64_t first = 0;
	for (int sub = 1; sub < count; sub++) {
		unsigned __int128 turn = turn_of(&next[sub]);
		uint64_t before = -(uint64_t)(turn < earliest);
		first ^= (first ^ (uint64_t)sub) & before;
		earliest = turn < earliest ? turn : earliest;
	}
	return (int)first;
}

/* The next issue of the whole SM: -1 = nobody can. A choice may be outdated only in that a shared
 * path has become busier since. */
static int next_issue(struct engine *e)
{
	for (;;) {
		while (e->stale_count)
			choose(e, e->stale[--e->stale_count]);
		const struct next_issue *next = e->next;
		int first = first_of(next, e->device->sub_partitions);
		if (next[first].at == INFINITY)
			return -1;
		if (*next[first].candidate->path <= next[first].at)
			return first;
		choose(e, first);
	}
}

/* The sub-partition whose turn it is goes on by itself while what it issues is nothing to the
 * others (sm_local.c); false: what it issues next is. */
static bool issue_ahead(struct engine *e, int sub)
{
	struct partition *p = &e->partition[sub];
	struct next_issue *next = &e->next[sub];
	if (!e->local || !sm_is_local(e, next->candidate->warp))
		return false;
	const double until = sm_local_until(e, sub);
	do {
		p->last = next->candidate->warp;
		sm_issue_local(e, p, p->last, next->at);
		e->turns++;
		next->candidate = best_of(p, next->candidate, &next->at);
	} while (next->at < until && sm_is_local(e, next->candidate->warp));
	e->turns--;
	return true;
}

static int play(struct engine *e)
{
	while (e->turns++ < ISSUES_MAX) {
		int stuck = -1;
		if (e->ended[0] == e->setup->job[0].blocks)
			return 0;
		int sub = next_issue(e);
		if (sub >= 0) {
			struct warp *w = e->next[sub].candidate->warp;
			if (issue_ahead(e, sub))
				continue;
			e->partition[sub].last = w;
			issue(e, w, e->next[sub].at);
			continue;
		}
		for (int b = 0; b < e->block_slots && stuck < 0; b++)
			if (e->block[b].live && e->block[b].arrived)
				stuck = b;
		if (stuck < 0)
			return report("kernel '%s': no warp can go on",
				      e->setup->job[0].program->kernel);
		e->run->barriers_forced++;
		double latest = 0;
		for (int k = 0; k < e->warp_slots; k++)
			if (e->warp[k].step != NEVER_STEP && e->warp[k].block == stuck &&
			    e->warp[k].fixed > latest)
				latest = e->warp[k].fixed;
		sm_release_barrier(e, stuck, latest);
	}
	return report("kernel '%s': a warp does not come to its end",
		      e->setup->job[0].program->kernel);
}

void sm_engine_fill(struct engine *e)
{
	const struct sm_setup *setup = e->setup;
	for (bool more = true; more;) { /* jobs take turns */
		more = false;
		for (int j = 0; j < setup->job_count; j++)
			more |= sm_hand_out(e, (setup->job_first + j) % setup->job_count, 0);
	}
}

int sm_engine_finish(struct engine *e)
{
	int failed =
		e->handed[0]
			? play(e)
			: report("kernel '%s': no block fits on a multiprocessor of the device",
				 e->setup->job[0].program->kernel);
	double drained = sm_memory_drained(&e->memory);
	e->run->cycles = drained > e->run->cycles ? drained : e->run->cycles;
	e->run->instructions = 0;
	for (int d = 0; d < WARP_DEPTHS; d++)
		e->run->instructions += e->run->issued[d];
	e->run->behind = sm_memory_behind(&e->memory, e->run->cycles);
	if (failed) /* nobody asks what was played */
		sm_run_release(e->run);
	return failed;
}

int sm_engine_run(const struct sm_setup *setup, struct sm_run *run)
{
	struct engine e = { .setup = setup, .device = setup->device, .run = run };
	sm_engine_init(&e);
	sm_engine_fill(&e);
	int failed = sm_engine_finish(&e);
	sm_engine_release(&e);
	return failed;
}

void sm_run_release(struct sm_run *run)
{
	free(run->block_end);
	free(run->block);
	*run = (struct sm_run){ 0 };
}
