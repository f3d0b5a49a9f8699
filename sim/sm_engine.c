/* SPDX-License-Identifier: MIT */
#include "sm_engine_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../traces/util.h"

static const int64_t ISSUES_MAX = 20000000;  /* of one run: beyond, something goes in circles */

const char *const stall_reason_name[STALL_REASON_COUNT] = {
	[STALL_NONE] = "issued", [STALL_FIXED] = "fixed latency", [STALL_SHARED] = "shared memory", [STALL_L1] = "L1", [STALL_L2] = "L2",
	[STALL_DRAM] = "DRAM", [STALL_OTHER] = "other latency", [STALL_BARRIER] = "barrier", [STALL_PIPE] = "pipe busy",
	[STALL_LSU] = "load/store path busy", [STALL_NOT_SELECTED] = "not selected",
};

static bool uses_lsu(int class)
{
	return class >= SASS_SHARED_LOAD && class <= SASS_ASYNC_COPY;
}

static bool shared_path(int class)
{
	return uses_lsu(class) || class == SASS_SHUFFLE || class == SASS_CONSTANT;
}

/* When the pipe the next instruction needs is free. */
static double *path_of(struct engine *e, int sub, int class)
{
	if (uses_lsu(class))
		return &e->lsu_free;
	return class == SASS_SHUFFLE ? &e->shuffle_free : class == SASS_CONSTANT ? &e->constant_free : &e->pipe[sub][class];
}

void sm_wait_for(struct warp *w, double until, uint8_t reason)
{
	if (until > w->next->ready) {
		w->next->ready = until;
		w->reason = reason;
	}
}

/* What the warp's next instruction waits for is known now. */
void sm_look_ahead(struct engine *e, struct warp *w)
{
	const struct warp_step *s = &e->setup->job[w->job].program->step[w->step];
	w->reason = STALL_FIXED;
	w->next->class = s->class;
	w->next->path = path_of(e, w->sub, s->class);
	e->chosen[w->sub].stale = true;
	if (e->classes) {
		for (int k = 0; k < 4; k++)
			if (s->source[k] >= 0)
				sm_wait_for(w, w->reg[s->source[k] % REGISTERS], w->reg_reason[s->source[k] % REGISTERS]);
		for (int k = 0; k < s->destination_count && s->destination >= 0; k++)
			sm_wait_for(w, w->reg[(s->destination + k) % REGISTERS], w->reg_reason[(s->destination + k) % REGISTERS]);
		return;
	}
	for (int b = 0; b < WARP_SCOREBOARDS; b++)
		if (s->wait_mask >> b & 1)
			sm_wait_for(w, w->board[b], w->board_reason[b]);
	if (s->depbar_scoreboard >= 0 && s->depbar_scoreboard < WARP_SCOREBOARDS && s->depbar_count < DEPBAR_DEPTH)
		sm_wait_for(w, w->recent[s->depbar_scoreboard][s->depbar_count < 0 ? 0 : s->depbar_count], w->board_reason[s->depbar_scoreboard]);
}

static void raise_board(struct warp *w, int board, double until, uint8_t reason)
{
	if (board >= WARP_SCOREBOARDS)
		return;
	if (until > w->board[board]) {
		w->board[board] = until;
		w->board_reason[board] = reason;
	}
	memmove(&w->recent[board][1], &w->recent[board][0], (DEPBAR_DEPTH - 1) * sizeof(double));
	w->recent[board][0] = w->recent[board][1] > until ? w->recent[board][1] : until; /* in order */
}

static void account(struct engine *e, const struct warp *w, double at, double path)
{
	double *stalled = e->run->stalled, ready = w->next->ready;
	double fixed = w->fixed < ready ? w->fixed : ready;
	stalled[STALL_NONE] += 1;
	stalled[STALL_FIXED] += fixed - w->issued > 1 ? fixed - w->issued - 1 : 0;
	stalled[w->reason] += ready > fixed ? ready - fixed : 0;
	double busy = path > ready ? (path < at ? path : at) - ready : 0;
	stalled[uses_lsu(w->next->class) ? STALL_LSU : STALL_PIPE] += busy;
	stalled[STALL_NOT_SELECTED] += at - ready - busy > 0 ? at - ready - busy : 0;
}

/* When the multiprocessor has a line of its launch's dimensions and parameters, for which the first that wants it has to ask. */
static double constant_there(struct engine *e, const struct warp *w, const struct warp_step *s, double at)
{
	double *there = &e->constant_at[w->job][s->constant_line];
	if (*there <= 0)
		*there = at + e->setup->constant_cold_cycles;
	return *there;
}

static void issue(struct engine *e, struct warp *w, double at)
{
	const struct warp_step *s = &e->setup->job[w->job].program->step[w->step];
	const struct sm_device *d = e->device;
	double done = at + d->latency[s->class], cycles = d->interval[s->class];
	uint8_t reason = STALL_OTHER;
	account(e, w, at, *w->next->path);
	e->sub_free[w->sub] = at + d->issue_interval * s->port_cycles;
	if (uses_lsu(s->class))
		done = sm_access(e, w, s, at, &cycles, &reason);
	const double there = s->constant_line < CONSTANT_LINES ? constant_there(e, w, s, at) : 0;
	done = there > done ? there : done;
	*path_of(e, w->sub, s->class) = at + cycles;
	if (shared_path(s->class))
		e->served[w->sub] = at;
	if (e->classes) {
		for (int k = 0; k < s->destination_count && s->destination >= 0; k++) {
			w->reg[(s->destination + k) % REGISTERS] = done;
			w->reg_reason[(s->destination + k) % REGISTERS] = reason == STALL_OTHER ? STALL_FIXED : reason;
		}
	} else {
		raise_board(w, s->write_barrier, done, reason);
		raise_board(w, s->read_barrier, at + cycles + d->latency[s->wavefronts > 0 ? SASS_SHARED_STORE : SASS_GLOBAL_STORE], reason);
	}
	w->issued = at;
	w->fixed = w->next->ready = at + (e->classes ? d->issue_interval : s->stall > 0 ? s->stall : 1);
	if (there > w->fixed && s->write_barrier >= WARP_SCOREBOARDS) /* nobody could wait later */
		w->fixed = w->next->ready = there;
	e->run->instructions++;
	bool barrier = s->flow == FLOW_BARRIER;
	int32_t next = sm_next_step(e, w, s);
	if (next == NEVER_STEP || (size_t)next >= e->setup->job[w->job].program->count) {
		sm_end_warp(e, w, at + 1);
		return;
	}
	w->step = next;
	if (!barrier) {
		sm_look_ahead(e, w);
		return;
	}
	w->next->ready = INFINITY;
	e->chosen[w->sub].stale = true;
	if (++e->block[w->block].arrived == e->block[w->block].live)
		sm_release_barrier(e, w->block, at);
}

/* The sub-partition's next issue: the earliest; among those that are ready, the one that issued last, else the oldest. */
static void choose(struct engine *e, int sub)
{
	const struct candidate *c = &e->candidate[sub * e->sub_slots];
	double *at = e->may, best_at = INFINITY, other_at = INFINITY;
	int best = -1, count = e->sub_used;
	for (int k = 0; k < count; k += 2) { /* two at a time, without branches, which no processor foresees */
		double path = *c[k].path, other = *c[k + 1].path;
		path = c[k].ready > path ? c[k].ready : path;
		other = c[k + 1].ready > other ? c[k + 1].ready : other;
		at[k] = path;
		at[k + 1] = other;
		best_at = path < best_at ? path : best_at;
		other_at = other < other_at ? other : other_at;
	}
	best_at = best_at < other_at ? best_at : other_at;
	if (best_at < INFINITY) {
		best_at = best_at > e->sub_free[sub] ? best_at : e->sub_free[sub];
		if (at[e->greedy[sub]] <= best_at) {
			best = e->greedy[sub];
		} else {
			for (int from = 0; from < count; from += 64) {
				uint64_t ready = 0;
				for (int k = from; k < count && k < from + 64; k++)
					ready |= (uint64_t)(at[k] <= best_at) << (k - from);
				for (; ready; ready &= ready - 1) {
					int k = from + __builtin_ctzll(ready);
					best = best < 0 || c[k].age < c[best].age ? k : best;
				}
			}
		}
	}
	e->chosen[sub].warp = best < 0 ? -1 : sub * e->sub_slots + best;
	e->chosen[sub].at = best_at;
	e->chosen[sub].stale = false;
}

/* A path of the whole SM serves its sub-partitions in turn. */
static bool goes_before(const struct engine *e, int sub, int other)
{
	double at = e->chosen[sub].at, other_at = e->chosen[other].at;
	return at < other_at || (at == other_at && e->served[sub] < e->served[other]);
}

/* The next issue of the whole SM: -1 = nobody can. A choice may be outdated only in that a shared path has become busier since. */
static int next_issue(struct engine *e)
{
	for (;;) {
		int first = -1;
		for (int sub = 0; sub < e->device->sub_partitions; sub++) {
			if (e->chosen[sub].stale)
				choose(e, sub);
			if (e->chosen[sub].warp >= 0 && (first < 0 || goes_before(e, sub, first)))
				first = sub;
		}
		if (first < 0)
			return -1;
		const struct candidate *c = &e->candidate[e->chosen[first].warp];
		if (!shared_path(c->class) || *c->path <= e->chosen[first].at)
			return first;
		choose(e, first);
	}
}

static int play(struct engine *e)
{
	for (int64_t issues = 0; issues < ISSUES_MAX; issues++) {
		int stuck = -1;
		if (e->ended[0] == e->setup->job[0].blocks)
			return 0;
		int sub = next_issue(e);
		if (sub >= 0) {
			e->greedy[sub] = e->chosen[sub].warp - sub * e->sub_slots;
			e->chosen[sub].stale = true;
			issue(e, &e->warp[e->chosen[sub].warp], e->chosen[sub].at);
			continue;
		}
		for (int b = 0; b < e->block_slots && stuck < 0; b++)
			if (e->block[b].live && e->block[b].arrived)
				stuck = b;
		if (stuck < 0)
			return report("kernel '%s': no warp can go on", e->setup->job[0].program->kernel);
		e->run->barriers_forced++;
		double latest = 0;
		for (int k = 0; k < e->warp_slots; k++)
			if (e->warp[k].step != NEVER_STEP && e->warp[k].block == stuck && e->warp[k].fixed > latest)
				latest = e->warp[k].fixed;
		sm_release_barrier(e, stuck, latest);
	}
	return report("kernel '%s': a warp does not come to its end", e->setup->job[0].program->kernel);
}

int sm_engine_run(const struct sm_setup *setup, struct sm_run *run)
{
	struct engine e = { .setup = setup, .device = setup->device, .run = run };
	*run = (struct sm_run){ .block_count = setup->job[0].blocks };
	run->block_end = xcalloc((size_t)run->block_count + 1, sizeof(*run->block_end));
	run->block = xcalloc((size_t)run->block_count + 1, sizeof(*run->block));
	sm_engine_init(&e);
	for (bool more = true; more;) { /* jobs take turns */
		more = false;
		for (int j = 0; j < setup->job_count; j++)
			more |= sm_hand_out(&e, (setup->job_first + j) % setup->job_count, 0);
	}
	int failed = e.handed[0] ? play(&e) : report("kernel '%s': no block fits on a multiprocessor of the device", setup->job[0].program->kernel);
	double drained = sm_memory_drained(&e.memory);
	run->cycles = drained > run->cycles ? drained : run->cycles;
	sm_engine_release(&e);
	return failed;
}

void sm_run_release(struct sm_run *run)
{
	free(run->block_end);
	free(run->block);
	*run = (struct sm_run){ 0 };
}
