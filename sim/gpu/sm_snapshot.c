/* SPDX-License-Identifier: MIT
 * A run that turns out to be too short is not played again from its beginning. With more blocks it
 * goes the same way up to where it would have been handed the next one: there the engine's memory
 * is copied, and copied back to go on. Nothing moves, so that pointers stay what they are.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"
#include "sm_engine_internal.h"

struct sm_snapshot {
	struct sm_setup setup;
	struct sm_job *job; /* the setup's */
	struct engine engine;
	bool kept;
	double at; /* the next block would have been handed out; from here on, as it was then */
	struct engine then; /* owns its memory.* only */
	void **copy;	    /* of engine.owned */
	struct sm_run run;
};

static void *copy_of(const void *memory, size_t bytes)
{
	void *copy = xmalloc(bytes + 1);
	memcpy(copy, memory, bytes);
	return copy;
}

void sm_snapshot_keep(struct sm_snapshot *snapshot, const struct engine *e, double at)
{
	if (snapshot->kept)
		return;
	snapshot->kept = true;
	snapshot->at = at;
	snapshot->then = *e;
	snapshot->then.memory = sm_memory_copy(&e->memory);
	snapshot->copy = xcalloc(e->owned_count, sizeof(*snapshot->copy));
	for (size_t k = 0; k < e->owned_count; k++)
		snapshot->copy[k] = copy_of(e->owned[k].memory, e->owned[k].bytes);
	snapshot->run = *e->run;
	snapshot->run.block_end = copy_of(e->run->block_end,
					  (size_t)e->run->block_count * sizeof(*e->run->block_end));
	snapshot->run.block =
		copy_of(e->run->block, (size_t)e->run->block_count * sizeof(*e->run->block));
}

int sm_engine_begin(const struct sm_setup *setup, struct sm_run *run, struct sm_snapshot **snapshot)
{
	struct sm_snapshot *r = xcalloc(1, sizeof(*r));
	r->job = copy_of(setup->job, (size_t)setup->job_count * sizeof(*r->job));
	r->setup = *setup;
	r->setup.job = r->job;
	r->engine = (struct engine){ .setup = &r->setup, .device = setup->device, .run = run };
	sm_engine_init(&r->engine);
	sm_engine_fill(&r->engine);
	/* What begins with fewer blocks than have a place at once would have begun otherwise with
	 * more. */
	r->engine.snapshot = r->engine.handed[0] < r->job[0].blocks ? r : NULL;
	int failed = sm_engine_finish(&r->engine);
	*snapshot = r->kept && !failed ? r : NULL;
	if (!*snapshot)
		sm_snapshot_release(r);
	return failed;
}

int sm_snapshot_run(struct sm_snapshot *r, int64_t blocks, struct sm_run *run)
{
	struct engine *e = &r->engine;
	sm_memory_release(&e->memory);
	*e = r->then;
	r->then.memory = (struct sm_memory){ 0 };
	for (size_t k = 0; k < e->owned_count; k++)
		memcpy(e->owned[k].memory, r->copy[k], e->owned[k].bytes);
	*run = r->run;
	run->block_end = xrealloc(run->block_end, (size_t)blocks + 1, sizeof(*run->block_end));
	run->block = xrealloc(run->block, (size_t)blocks + 1, sizeof(*run->block));
	run->block_count = r->job[0].blocks = blocks;
	r->run = (struct sm_run){ 0 };
	e->run = run;
	e->snapshot = NULL;
	for (int j = 0; j < r->setup.job_count; j++)
		while (sm_hand_out(e, j, r->at))
			;
	return sm_engine_finish(e);
}

void sm_snapshot_release(struct sm_snapshot *r)
{
	if (!r)
		return;
	for (size_t k = 0; r->copy && k < r->engine.owned_count; k++)
		free(r->copy[k]);
	free(r->copy);
	sm_engine_release(&r->engine);
	sm_memory_release(&r->then.memory);
	sm_run_release(&r->run);
	free(r->job);
	free(r);
}
