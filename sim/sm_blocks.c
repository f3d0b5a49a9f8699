/* SPDX-License-Identifier: MIT
 * Blocks come to the multiprocessor and go: places, barriers, ends; and the engine's memory.
 */
#include "sm_engine_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../traces/util.h"

static struct warp *idle_warp(struct engine *e, int sub)
{
	for (int k = 0; k < e->sub_slots; k++)
		if (e->warp[sub * e->sub_slots + k].step == NEVER_STEP) {
			e->sub_used = k < e->sub_used ? e->sub_used : (k & ~1) + 2;
			return &e->warp[sub * e->sub_slots + k];
		}
	return NULL;
}

bool sm_hand_out(struct engine *e, int job, double at)
{
	const struct sm_job *j = &e->setup->job[job];
	const struct warp_program *p = j->program;
	int warps = (int)((p->block_threads + 31) / 32);
	if ((j->blocks >= 0 && e->handed[job] >= j->blocks) || e->resident[job] >= j->resident)
		return false;
	int slot = 0;
	while (slot < e->block_slots && e->block[slot].live)
		slot++;
	int idle = 0;
	for (int k = 0; k < e->warp_slots; k++)
		idle += e->warp[k].step == NEVER_STEP;
	if (slot == e->block_slots || idle < warps)
		return false;
	double offered = e->handed[job] < j->resident ? (double)e->handed[job] * e->device->block_fill_cycles : 0;
	at = offered > at ? offered : at;
	if (!job)
		e->run->block[e->handed[0]] = (struct sm_block){ at, at, slot };
	e->resident[job]++;
	e->block[slot] = (struct block){ .job = job, .live = warps, .serial = e->handed[job],
					 .chance = { .block = (uint32_t)e->handed[job], .warps = (uint32_t)warps } };
	e->handed[job]++;
	for (int n = 0; warps; n++) { /* dealt to the sub-partitions in turn; one that is full is passed over */
		struct warp *w = idle_warp(e, n % e->device->sub_partitions);
		if (!w)
			continue;
		*w = (struct warp){ .job = job, .block = slot, .sub = w->sub, .next = w->next, .issued = at, .fixed = at,
				    .reg = w->reg, .reg_reason = w->reg_reason };
		*w->next = (struct candidate){ .ready = at, .path = w->next->path, .age = e->next_age++ };
		for (int r = 0; w->reg && r < REGISTERS; r++)
			w->reg[r] = at;
		sm_look_ahead(e, w);
		warps--;
	}
	return true;
}

void sm_release_barrier(struct engine *e, int block, double at)
{
	e->block[block].arrived = 0;
	for (int k = 0; k < e->warp_slots; k++) {
		struct warp *w = &e->warp[k];
		if (w->step == NEVER_STEP || w->block != block || w->next->ready != INFINITY)
			continue;
		w->next->ready = w->fixed;
		sm_look_ahead(e, w);
		sm_wait_for(w, at + e->device->latency[SASS_BARRIER], STALL_BARRIER);
	}
}

void sm_end_warp(struct engine *e, struct warp *w, double at)
{
	struct block *b = &e->block[w->block];
	int job = w->job;
	w->step = NEVER_STEP;
	w->next->ready = INFINITY;
	e->chosen[w->sub].stale = true;
	if (--b->live) {
		if (b->arrived && b->arrived == b->live)
			sm_release_barrier(e, w->block, at);
		return;
	}
	/* The device takes blocks back one after the other: with many short ones that is what they wait for. */
	e->taken_back[job] += e->setup->job[job].every_cycles;
	e->taken_back[job] = e->taken_back[job] > at ? e->taken_back[job] : at;
	e->resident[job]--;
	if (!job) {
		e->run->block_end[e->ended[0]] = e->taken_back[0];
		e->run->block[b->serial].end = at;
		e->run->cycles = e->taken_back[0];
	}
	e->ended[job]++;
	for (int j = 0; j < e->setup->job_count; j++)
		while (sm_hand_out(e, j, e->taken_back[job] + e->device->block_start_cycles))
			;
}

void sm_engine_init(struct engine *e)
{
	const struct sm_device *d = e->device;
	int subs = d->sub_partitions;
	e->classes = !strcmp(d->isa ? d->isa : "none", "none");
	e->sub_slots = (d->warp_slots / subs + 1) & ~1; /* choose() takes two at a time */
	e->warp_slots = e->sub_slots * subs;
	e->block_slots = d->block_slots;
	e->warp = xcalloc((size_t)e->warp_slots, sizeof(*e->warp));
	e->candidate = xcalloc((size_t)e->warp_slots, sizeof(*e->candidate));
	e->block = xcalloc((size_t)e->block_slots, sizeof(*e->block));
	e->chosen = xcalloc((size_t)subs, sizeof(*e->chosen));
	e->sub_free = xcalloc((size_t)subs, sizeof(*e->sub_free));
	e->pipe = xcalloc((size_t)subs, sizeof(*e->pipe));
	e->greedy = xcalloc((size_t)subs, sizeof(*e->greedy));
	e->may = xcalloc((size_t)e->sub_slots, sizeof(*e->may));
	e->served = xcalloc((size_t)subs, sizeof(*e->served));
	for (int sub = 0; sub < subs; sub++)
		e->chosen[sub].stale = true;
	for (int k = 0; k < e->warp_slots; k++) {
		struct warp *w = &e->warp[k];
		*w = (struct warp){ .step = NEVER_STEP, .sub = k / e->sub_slots, .next = &e->candidate[k] };
		w->next->ready = INFINITY;
		w->next->path = &e->pipe[w->sub][0];
		if (e->classes) {
			w->reg = xcalloc(REGISTERS, sizeof(*w->reg));
			w->reg_reason = xcalloc(REGISTERS, sizeof(*w->reg_reason));
		}
	}
	size_t jobs = (size_t)e->setup->job_count;
	e->turn = xcalloc(jobs, sizeof(*e->turn));
	e->l2_turn = xcalloc(jobs, sizeof(*e->l2_turn));
	e->dram_turn = xcalloc(jobs, sizeof(*e->dram_turn));
	e->divided = xcalloc(jobs, sizeof(*e->divided));
	for (size_t j = 0; j < jobs; j++) {
		size_t count = e->setup->job[j].program->count;
		e->turn[j] = xcalloc(count, sizeof(float));
		e->l2_turn[j] = xcalloc(count, sizeof(float));
		e->dram_turn[j] = xcalloc(count, sizeof(float));
		e->divided[j] = xcalloc(count, sizeof(float));
		for (size_t k = 0; k < count; k++) { /* instructions that miss now and then do not all miss at once */
			e->l2_turn[j][k] = (float)fmod((double)k * 0.6180339887498949, 1) * (e->setup->job[j].program->step[k].l2_share < 1);
			e->dram_turn[j][k] = (float)fmod((double)k * 0.7548776662466927, 1);
		}
	}
	e->handed = xcalloc(jobs, sizeof(*e->handed));
	e->ended = xcalloc(jobs, sizeof(*e->ended));
	e->taken_back = xcalloc(jobs, sizeof(*e->taken_back));
	e->constant_at = xcalloc(jobs, sizeof(*e->constant_at));
	e->resident = xcalloc(jobs, sizeof(*e->resident));
	sm_memory_init(&e->memory, d, &e->setup->memory);
}

void sm_engine_release(struct engine *e)
{
	for (int k = 0; k < e->warp_slots; k++) {
		free(e->warp[k].reg);
		free(e->warp[k].reg_reason);
	}
	for (int j = 0; j < e->setup->job_count; j++) {
		free(e->turn[j]);
		free(e->l2_turn[j]);
		free(e->dram_turn[j]);
		free(e->divided[j]);
	}
	void *all[] = { e->warp, e->candidate, e->block, e->chosen, e->sub_free, e->pipe, e->greedy, e->may, e->served, e->turn,
			e->l2_turn, e->dram_turn, e->divided, e->handed, e->ended, e->resident, e->taken_back, e->constant_at };
	for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
		free(all[k]);
	sm_memory_release(&e->memory);
}
