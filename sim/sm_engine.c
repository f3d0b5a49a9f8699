/* SPDX-License-Identifier: MIT */
#include "sm_engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../traces/util.h"

enum { NEVER_STEP = -1, DEPBAR_DEPTH = 8, REGISTERS = 256, DIVIDED_MAX = 6 };
static const int64_t ISSUES_MAX = 20000000;  /* of one run: beyond, something goes in circles */

const char *const stall_reason_name[STALL_REASON_COUNT] = {
	[STALL_NONE] = "issued", [STALL_FIXED] = "fixed latency", [STALL_SHARED] = "shared memory", [STALL_L1] = "L1", [STALL_L2] = "L2",
	[STALL_DRAM] = "DRAM", [STALL_OTHER] = "other latency", [STALL_BARRIER] = "barrier", [STALL_PIPE] = "pipe busy",
	[STALL_LSU] = "load/store path busy", [STALL_NOT_SELECTED] = "not selected",
};

/* What choosing the next warp looks at, side by side in memory; one a warp slot, the slots of a sub-partition together. */
struct candidate {
	double ready;            /* stall count, scoreboards and barrier allow the next instruction; INFINITY = none, or at a barrier */
	const double *path;      /* when the path of the next instruction is free */
	int32_t class;           /* of the next instruction */
	int32_t age;
};

struct warp {
	int job, block, sub;     /* block: slot */
	int32_t step;            /* next instruction; NEVER_STEP = none */
	int32_t back;            /* where a call returns to */
	struct candidate *next;  /* its own */
	double issued;           /* last issue */
	double fixed;            /* stall count alone allows it */
	uint8_t reason;          /* what next->ready waits for */
	double board[WARP_SCOREBOARDS];
	uint8_t board_reason[WARP_SCOREBOARDS];
	double recent[WARP_SCOREBOARDS][DEPBAR_DEPTH]; /* completions behind each scoreboard, newest first */
	float visits[WARP_LOOPS_MAX]; /* left */
	int32_t other[DIVIDED_MAX]; int others; /* where threads of this warp that jumped wait, nearest last */
	double *reg;             /* class mode: when each register is there */
	uint8_t *reg_reason;
};

struct block { int job; int live, arrived; int64_t serial; /* among its job's */ struct sm_chance chance; };

struct engine {
	const struct sm_setup *setup;
	const struct sm_device *device;
	struct sm_run *run;
	struct sm_memory memory;
	struct warp *warp; int warp_slots;
	struct block *block; int block_slots;
	struct candidate *candidate;     /* [warp_slots] */
	int sub_slots, sub_used;         /* warps of a sub-partition; those of any that ever had one */
	struct { int warp; double at; bool stale; } *chosen; /* per sub-partition: its next issue, -1 = none */
	double *sub_free;                /* when it may issue again */
	double (*pipe)[SASS_CLASS_COUNT];/* per sub-partition */
	int *greedy;                     /* last issued */
	double *may;                     /* scratch: when each warp of one sub-partition may issue */
	double *served;                  /* when it last had a turn on a path of the whole SM */
	double lsu_free, shuffle_free, constant_free; /* paths of the whole SM */
	float **turn, **l2_turn, **dram_turn, **divided; /* error diffusion: per job and step */
	int64_t *handed, *ended; int *resident; /* per job */
	double *taken_back;    /* per job: when the device had its last ended block */
	int32_t next_age;
	double parameters_at;            /* when constant memory has the launch's parameters; < 0: nobody asked yet */
	bool classes;                    /* no control bits: registers decide */
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

static void wait_for(struct warp *w, double until, uint8_t reason)
{
	if (until > w->next->ready) {
		w->next->ready = until;
		w->reason = reason;
	}
}

/* What the warp's next instruction waits for is known now. */
static void look_ahead(struct engine *e, struct warp *w)
{
	const struct warp_step *s = &e->setup->job[w->job].program->step[w->step];
	w->reason = STALL_FIXED;
	w->next->class = s->class;
	w->next->path = path_of(e, w->sub, s->class);
	e->chosen[w->sub].stale = true;
	if (e->classes) {
		for (int k = 0; k < 4; k++)
			if (s->source[k] >= 0)
				wait_for(w, w->reg[s->source[k] % REGISTERS], w->reg_reason[s->source[k] % REGISTERS]);
		for (int k = 0; k < s->destination_count && s->destination >= 0; k++)
			wait_for(w, w->reg[(s->destination + k) % REGISTERS], w->reg_reason[(s->destination + k) % REGISTERS]);
		return;
	}
	for (int b = 0; b < WARP_SCOREBOARDS; b++)
		if (s->wait_mask >> b & 1)
			wait_for(w, w->board[b], w->board_reason[b]);
	if (s->depbar_scoreboard >= 0 && s->depbar_scoreboard < WARP_SCOREBOARDS && s->depbar_count < DEPBAR_DEPTH)
		wait_for(w, w->recent[s->depbar_scoreboard][s->depbar_count < 0 ? 0 : s->depbar_count], w->board_reason[s->depbar_scoreboard]);
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

static struct warp *idle_warp(struct engine *e, int sub)
{
	for (int k = 0; k < e->sub_slots; k++)
		if (e->warp[sub * e->sub_slots + k].step == NEVER_STEP) {
			e->sub_used = k < e->sub_used ? e->sub_used : (k & ~1) + 2;
			return &e->warp[sub * e->sub_slots + k];
		}
	return NULL;
}

static bool hand_out(struct engine *e, int job, double at)
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
		look_ahead(e, w);
		warps--;
	}
	return true;
}

/* Memory instructions: what path they occupy, what they ask of the levels behind, when the result is there. */
static double memory(struct engine *e, const struct warp *w, const struct warp_step *s, double at, double *path_cycles, uint8_t *reason)
{
	const struct sm_device *d = e->device;
	const struct sm_job *job = &e->setup->job[w->job];
	double cycles = d->interval[s->class], done = at + d->latency[s->class], accepted = at;
	if (s->wavefronts > 1)
		cycles += (s->wavefronts - 1) * d->shared_wavefront_interval;
	*reason = s->wavefronts > 0 ? STALL_SHARED : STALL_L1;
	if (s->sectors > 0) {
		double a_line = s->class == SASS_GLOBAL_STORE && d->store_line_interval > 0 ? d->store_line_interval : d->l1_tag_interval;
		double passes = s->sectors / 4 * d->shared_wavefront_interval, tags = s->tags * a_line;
		cycles = cycles > passes ? cycles : passes;
		cycles = cycles > tags ? cycles : tags;
	}
	done += cycles - d->interval[s->class];
	float *l2_turn = &e->l2_turn[w->job][w->step], *dram_turn = &e->dram_turn[w->job][w->step];
	double bytes = (double)s->sectors * 32 * (job->work_scale > 0 ? job->work_scale : 1), back = done;
	if (s->sectors <= 0) {
		*path_cycles = cycles;
		return done;
	}
	if (s->class == SASS_ATOMIC) {
		back = sm_memory_atomic(&e->memory, at, (double)s->lanes, (double)s->sectors, &accepted);
		*reason = STALL_L2;
	} else if (s->class == SASS_GLOBAL_STORE) {
		*dram_turn += (float)job->dram_write_share;
		bool dram = *dram_turn >= 1;
		*dram_turn -= dram;
		sm_memory_write(&e->memory, at, bytes, (double)s->tags, dram, &accepted);
	} else if ((*l2_turn += s->l2_share) >= 1 - 1e-6f) {
		*l2_turn -= 1;
		*dram_turn += (float)job->l2_miss_share;
		bool dram = *dram_turn >= 1 - 1e-6f;
		*dram_turn -= dram;
		back = sm_memory_read(&e->memory, &e->block[w->block].chance, at, bytes, (double)s->tags, dram, &accepted);
		if (back > done)
			*reason = dram ? STALL_DRAM : STALL_L2;
	}
	*path_cycles = accepted - at > cycles ? accepted - at : cycles;
	return back > done ? back : done;
}

static double trips(const struct engine *e, double visits, float *turn)
{
	if (e->setup->visits_max > 0 && visits > e->setup->visits_max)
		visits = e->setup->visits_max;
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
	float *turn = &e->turn[w->job][w->step], *visits = &w->visits[s->loop];
	switch (s->flow) {
	case FLOW_BRANCH:
	case FLOW_EXIT:
		*turn += s->share;
		if (*turn >= 1 - 1e-4f) {
			*turn -= 1;
			if (s->diverges > 0 && (e->divided[w->job][w->step] += s->diverges) >= 1 - 1e-4f) {
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
			*visits = (float)trips(e, s->share, turn);
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

static int32_t next_step(struct engine *e, struct warp *w, const struct warp_step *s)
{
	int32_t next = undivided_step(e, w, s);
	if (!w->others || (next != NEVER_STEP && next < w->other[w->others - 1]))
		return next;
	return w->other[--w->others];
}

static void release_barrier(struct engine *e, int block, double at)
{
	e->block[block].arrived = 0;
	for (int k = 0; k < e->warp_slots; k++) {
		struct warp *w = &e->warp[k];
		if (w->step == NEVER_STEP || w->block != block || w->next->ready != INFINITY)
			continue;
		w->next->ready = w->fixed;
		look_ahead(e, w);
		wait_for(w, at + e->device->latency[SASS_BARRIER], STALL_BARRIER);
	}
}

static void end_warp(struct engine *e, struct warp *w, double at)
{
	struct block *b = &e->block[w->block];
	int job = w->job;
	w->step = NEVER_STEP;
	w->next->ready = INFINITY;
	e->chosen[w->sub].stale = true;
	if (--b->live) {
		if (b->arrived && b->arrived == b->live)
			release_barrier(e, w->block, at);
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
		while (hand_out(e, j, e->taken_back[job] + e->device->block_start_cycles))
			;
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

static void issue(struct engine *e, struct warp *w, double at)
{
	const struct warp_step *s = &e->setup->job[w->job].program->step[w->step];
	const struct sm_device *d = e->device;
	double done = at + d->latency[s->class], cycles = d->interval[s->class];
	uint8_t reason = STALL_OTHER;
	account(e, w, at, *w->next->path);
	e->sub_free[w->sub] = at + d->issue_interval * s->port_cycles;
	if (uses_lsu(s->class))
		done = memory(e, w, s, at, &cycles, &reason);
	*path_of(e, w->sub, s->class) = at + cycles;
	if (shared_path(s->class))
		e->served[w->sub] = at;
	if (s->class == SASS_CONSTANT && e->parameters_at < 0)
		e->parameters_at = at + d->constant_cold_cycles;
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
	if (s->class == SASS_CONSTANT && e->parameters_at > w->fixed)
		w->fixed = w->next->ready = e->parameters_at;
	e->run->instructions++;
	bool barrier = s->flow == FLOW_BARRIER;
	int32_t next = next_step(e, w, s);
	if (next == NEVER_STEP || (size_t)next >= e->setup->job[w->job].program->count) {
		end_warp(e, w, at + 1);
		return;
	}
	w->step = next;
	if (!barrier) {
		look_ahead(e, w);
		return;
	}
	w->next->ready = INFINITY;
	e->chosen[w->sub].stale = true;
	if (++e->block[w->block].arrived == e->block[w->block].live)
		release_barrier(e, w->block, at);
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
		release_barrier(e, stuck, latest);
	}
	return report("kernel '%s': a warp does not come to its end", e->setup->job[0].program->kernel);
}

static void engine_init(struct engine *e)
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
	e->resident = xcalloc(jobs, sizeof(*e->resident));
	sm_memory_init(&e->memory, d, &e->setup->memory);
}

static void engine_release(struct engine *e)
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
			e->l2_turn, e->dram_turn, e->divided, e->handed, e->ended, e->resident, e->taken_back };
	for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
		free(all[k]);
	sm_memory_release(&e->memory);
}

int sm_engine_run(const struct sm_setup *setup, struct sm_run *run)
{
	struct engine e = { .setup = setup, .device = setup->device, .run = run, .parameters_at = -1 };
	*run = (struct sm_run){ .block_count = setup->job[0].blocks };
	run->block_end = xcalloc((size_t)run->block_count + 1, sizeof(*run->block_end));
	run->block = xcalloc((size_t)run->block_count + 1, sizeof(*run->block));
	engine_init(&e);
	for (bool more = true; more;) { /* jobs take turns */
		more = false;
		for (int j = 0; j < setup->job_count; j++)
			more |= hand_out(&e, (setup->job_first + j) % setup->job_count, 0);
	}
	int failed = e.handed[0] ? play(&e) : report("kernel '%s': no block fits on a multiprocessor of the device", setup->job[0].program->kernel);
	double drained = sm_memory_drained(&e.memory);
	run->cycles = drained > run->cycles ? drained : run->cycles;
	engine_release(&e);
	return failed;
}

void sm_run_release(struct sm_run *run)
{
	free(run->block_end);
	free(run->block);
	*run = (struct sm_run){ 0 };
}
