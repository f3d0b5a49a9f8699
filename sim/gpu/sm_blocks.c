/* SPDX-License-Identifier: MIT
 * Blocks come to the multiprocessor and go: places, barriers, ends; and the engine's memory.
 */
#include "sm_engine_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

static struct warp *idle_warp(struct engine *e, int sub)
{
	struct warp *w = &e->warp[sub * e->sub_slots];
	while (w->step != NEVER_STEP)
		w++;
	return w;
}

/* When the pipe that instructions of a class need is free. */
static double *path_of(struct engine *e, int sub, int class)
{
	if (sm_uses_lsu(class))
		return &e->lsu_free;
	return class == SASS_SHUFFLE	   ? &e->shuffle_free
	       : class == SASS_CONSTANT	   ? &e->constant_free
	       : class == SASS_TENSOR_FP64 ? &e->partition[sub].pipe[SASS_FP64]
					   : &e->partition[sub].pipe[class];
}

/* The sub-partition that the next warp of a block goes to: the one that holds fewest of blocks that
 * are there, the first of equals. A block of one warp would else never leave the first. */
static struct warp *deal(struct engine *e, int slot)
{
	const int subs = e->device->sub_partitions;
	int best = -1;
	for (int sub = 0; sub < subs; sub++)
		if (e->partition[sub].count < e->sub_slots &&
		    (best < 0 || e->places[sub] < e->places[best]))
			best = sub;
	e->dealt[slot * subs + best]++;
	e->places[best]++;
	return idle_warp(e, best);
}

/* As the youngest of its sub-partition. */
static void enter(struct engine *e, struct warp *w)
{
	struct partition *p = &e->partition[w->sub];
	w->place = p->count++;
	p->candidate[w->place].warp = w;
	e->idle--;
}

static void leave(struct engine *e, struct warp *w)
{
	struct partition *p = &e->partition[w->sub];
	p->count--;
	for (int k = w->place; k < p->count; k++) {
		p->candidate[k] = p->candidate[k + 1];
		p->candidate[k].warp->place = k;
	}
	w->step = NEVER_STEP;
	w->place = e->sub_slots;
	e->idle++;
	sm_choose_again(e, w->sub);
}

/* Of a number that is not negative, without rounding. */
static double fraction(double x)
{
	return x - (double)(int64_t)x;
}

bool sm_hand_out(struct engine *e, int job, double at)
{
	const struct sm_job *j = &e->setup->job[job];
	const struct warp_program *p = j->program;
	int warps = (int)((p->block_threads + 31) / 32);
	if (e->resident[job] >= j->resident)
		return false;
	if (j->blocks >= 0 && e->handed[job] >= j->blocks) {
		if (e->snapshot && !job)
			sm_snapshot_keep(e->snapshot, e, at);
		return false;
	}
	const struct warp_program *own = j->rim && j->at_rim[e->handed[job]] ? j->rim : p;
	int slot = 0;
	while (slot < e->block_slots && e->block[slot].live)
		slot++;
	if (slot == e->block_slots || e->idle < warps)
		return false;
	double offered = e->handed[job] < j->resident &&
					 mechanism_on(&e->device->mechanisms, MECHANISM_BLOCK_FILL)
				 ? (double)e->handed[job] * e->device->block_fill_cycles
				 : 0;
	at = offered > at ? offered : at;
	if (!job)
		e->run->block[e->handed[0]] =
			(struct sm_block){ .begin = at, .end = at, .slot = slot };
	e->resident[job]++;
	e->block[slot] = (struct block){ .job = job,
					 .live = warps,
					 .serial = e->handed[job],
					 .chance = { .block = e->setup->chance_first +
							      (uint32_t)e->handed[job],
						     .warps = (uint32_t)warps } };
	e->handed[job]++;
	for (; warps; warps--) {
		struct warp *w = deal(e, slot);
		*w = (struct warp){ .program = own->step,
				    .steps = (int32_t)p->count,
				    .job = job,
				    .block = slot,
				    .sub = w->sub,
				    .ready = at,
				    .issued = at,
				    .fixed = at,
				    .visits = w->visits,
				    .reg = w->reg,
				    .reg_reason = w->reg_reason };
		memset(w->visits, 0, e->loops * sizeof(*w->visits));
		for (size_t k = 0; k < own->owns; k++)
			w->visits[own->own[k].counter] = (float)fraction(
				(double)e->block[slot].serial * own->own[k].a_block +
				(job ? 0 : e->setup->turn_first));
		for (int r = 0; w->reg && r < REGISTERS; r++)
			w->reg[r] = at;
		w->code_at = sm_code_there(e, w, -1, 0, at);
		enter(e, w);
		sm_look_ahead(e, w, 0);
	}
	return true;
}

void sm_release_barrier(struct engine *e, int block, double at)
{
	e->block[block].arrived = 0;
	for (int k = 0; k < e->warp_slots; k++) {
		struct warp *w = &e->warp[k];
		if (w->step == NEVER_STEP || w->block != block || w->ready != INFINITY)
			continue;
		w->ready = w->fixed;
		e->partition[w->sub].waiting--;
		sm_look_ahead(e, w, at + e->device->latency[SASS_BARRIER]);
	}
}

void sm_end_warp(struct engine *e, struct warp *w, double at)
{
	struct block *b = &e->block[w->block];
	int job = w->job;
	leave(e, w);
	if (--b->live) {
		if (b->arrived && b->arrived == b->live)
			sm_release_barrier(e, w->block, at);
		return;
	}
	for (int sub = 0; sub < e->device->sub_partitions; sub++) {
		int *dealt = &e->dealt[(b - e->block) * e->device->sub_partitions + sub];
		e->places[sub] -= *dealt;
		*dealt = 0;
	}
	/* The device takes blocks back one after the other: with many short ones that is what they
	 * wait for. */
	e->taken_back[job] += e->setup->job[job].every_cycles;
	e->taken_back[job] = e->taken_back[job] > at ? e->taken_back[job] : at;
	e->resident[job]--;
	if (!job) {
		e->run->block_end[e->ended[0]] = e->taken_back[0];
		e->run->block[b->serial].end = at;
		e->run->cycles = e->taken_back[0];
	}
	e->ended[job]++;
	const double start = mechanism_on(&e->device->mechanisms, MECHANISM_BLOCK_START)
				     ? e->device->block_start_cycles
				     : 0;
	for (int j = 0; j < e->setup->job_count; j++)
		while (sm_hand_out(e, j, e->taken_back[job] + start))
			;
}

void *sm_own(struct engine *e, size_t count, size_t bytes)
{
	GROW(e->owned, e->owned_count, e->owned_capacity);
	struct owned *o = &e->owned[e->owned_count++];
	*o = (struct owned){ xcalloc(count, bytes), count * bytes };
	return o->memory;
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static void hold_code(struct engine *e, struct code *code, size_t lines)
{
	const size_t jobs = (size_t)e->setup->job_count;

	*code = (struct code){ .capacity = lines };
	if (!lines)
		return;
	code->line = sm_own(e, lines + SM_CODE_WAYS, sizeof(*code->line));
	code->line_at = sm_own(e, jobs, sizeof(*code->line_at));
	for (size_t j = 0; j < jobs; j++)
		code->line_at[j] =
			sm_own(e, sm_code_lines(e->setup->job[j].program->count), sizeof(double));
}

void sm_engine_init(struct engine *e)
{
	const struct sm_device *d = e->device;
	int subs = d->sub_partitions;
	struct sm_run *run = e->run;
	*run = (struct sm_run){ .block_count = e->setup->job[0].blocks };
	run->block_end = xcalloc((size_t)run->block_count + 1, sizeof(*run->block_end));
	run->block = xcalloc((size_t)run->block_count + 1, sizeof(*run->block));
	e->classes = !strcmp(d->isa ? d->isa : "none", "none");
	const bool banks = mechanism_on(&d->mechanisms, MECHANISM_OPERAND_BANKS),
		   pairs = mechanism_on(&d->mechanisms, MECHANISM_FP64_OPERANDS);
	for (int k = 1; k <= 3; k++) {
		e->held[0][k] = d->issue_interval * (banks ? k : 1);
		e->held[1][k] = pairs && d->fp64_port_cycles[k - 1] > d->issue_interval
					? d->fp64_port_cycles[k - 1]
					: d->issue_interval;
	}
	e->shuffle_held =
		mechanism_on(&d->mechanisms, MECHANISM_SHUFFLE_ISSUE) ? d->shuffle_issue_cycles : 0;
	e->multiply_add =
		mechanism_on(&d->mechanisms, MECHANISM_MULTIPLY_ADD) ? d->multiply_add_interval : 0;
	e->decides = mechanism_on(&d->mechanisms, MECHANISM_BLOCK_BRANCHES);
	e->flags = mechanism_on(&d->mechanisms, MECHANISM_NEIGHBOUR_FLAGS);
	e->flag_later = d->l2_flag_ns * 1e-3 * d->clock_mhz;
	e->texture_cycles = d->texture_interval / 32;
	e->sub_slots = (d->warp_slots / subs + 1) & ~1;
	e->warp_slots = e->idle = e->sub_slots * subs;
	e->block_slots = d->block_slots;
	e->warp = sm_own(e, (size_t)e->warp_slots, sizeof(*e->warp));
	e->block = sm_own(e, (size_t)e->block_slots, sizeof(*e->block));
	e->partition = sm_own(e, (size_t)subs, sizeof(*e->partition));
	e->next = sm_own(e, (size_t)subs, sizeof(*e->next));
	e->stale = sm_own(e, (size_t)subs + 1, sizeof(*e->stale));
	e->places = sm_own(e, (size_t)subs, sizeof(*e->places));
	e->dealt = sm_own(e, (size_t)(e->block_slots * subs), sizeof(*e->dealt));
	for (int sub = 0; sub < subs; sub++) {
		struct partition *p = &e->partition[sub];
		p->candidate = sm_own(e, (size_t)e->sub_slots + 1, sizeof(*p->candidate));
		p->candidate[e->sub_slots] =
			(struct candidate){ .ready = INFINITY, .path = &p->pipe[0] };
		p->last = &e->warp[sub * e->sub_slots];
		for (int class = 0; class < SASS_CLASS_COUNT; class ++)
			p->path_of[class] = path_of(e, sub, class);
		e->next[sub] = (struct next_issue){ .at = INFINITY };
	}
	for (int j = 0; j < e->setup->job_count; j++) {
		const struct sm_job *job = &e->setup->job[j];
		e->loops = larger(e->loops, job->program->loops);
		e->loops = larger(e->loops, job->rim ? job->rim->loops : 0);
	}
	float *visits = sm_own(e, (size_t)e->warp_slots * e->loops, sizeof(*visits));
	for (int k = 0; k < e->warp_slots; k++) {
		struct warp *w = &e->warp[k];
		*w = (struct warp){ .step = NEVER_STEP,
				    .place = e->sub_slots,
				    .sub = k / e->sub_slots,
				    .visits = visits + (size_t)k * e->loops };
		if (e->classes) {
			w->reg = sm_own(e, REGISTERS, sizeof(*w->reg));
			w->reg_reason = sm_own(e, REGISTERS, sizeof(*w->reg_reason));
		}
	}
	size_t jobs = (size_t)e->setup->job_count;
	e->turn = sm_own(e, jobs, sizeof(*e->turn));
	e->l2_turn = sm_own(e, jobs, sizeof(*e->l2_turn));
	e->dram_turn = sm_own(e, jobs, sizeof(*e->dram_turn));
	e->divided = sm_own(e, jobs, sizeof(*e->divided));
	for (size_t j = 0; j < jobs; j++) {
		size_t count = e->setup->job[j].program->count;
		e->turn[j] = sm_own(e, count, sizeof(float));
		e->l2_turn[j] = sm_own(e, count, sizeof(float));
		e->dram_turn[j] = sm_own(e, count, sizeof(float));
		e->divided[j] = sm_own(e, count, sizeof(float));
		for (size_t k = 0; k < count;
		     k++) { /* instructions that miss now and then do not all miss at once */
			const uint8_t flow = e->setup->job[j].program->step[k].flow;
			if (j == 0 && (flow == FLOW_BRANCH || flow == FLOW_EXIT))
				e->turn[j][k] = e->setup->turn_first;
			e->l2_turn[j][k] = (float)fraction((double)k * 0.6180339887498949) *
					   (e->setup->job[j].program->step[k].l2_share < 1);
			e->dram_turn[j][k] = (float)fraction((double)k * 0.7548776662466927);
		}
	}
	e->code = sm_own(e, (size_t)d->sub_partitions, sizeof(*e->code));
	for (int sub = 0; sub < d->sub_partitions; sub++)
		hold_code(e, &e->code[sub], sm_code_capacity(d));
	hold_code(e, &e->code_far, sm_code_far_capacity(e));
	e->handed = sm_own(e, jobs, sizeof(*e->handed));
	e->ended = sm_own(e, jobs, sizeof(*e->ended));
	e->taken_back = sm_own(e, jobs, sizeof(*e->taken_back));
	e->constant_at = sm_own(e, jobs, sizeof(*e->constant_at));
	e->resident = sm_own(e, jobs, sizeof(*e->resident));
	sm_memory_init(&e->memory, d, &e->setup->memory);
	sm_local_init(e);
}

void sm_engine_release(struct engine *e)
{
	for (size_t k = 0; k < e->owned_count; k++)
		free(e->owned[k].memory);
	free(e->owned);
	sm_memory_release(&e->memory);
}
