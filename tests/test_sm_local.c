/* SPDX-License-Identifier: MIT
 * Instructions that are issued ahead of the turns of others (sm_local.c) give the run that turns
 * give: kernels drawn at random, against the same by turns alone, as stalls are added up.
 */
#include "sm_kit.h"

enum { KERNELS = 300, STEPS = 40 };

static uint32_t drawn(uint64_t *state, uint32_t below)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33) % below;
}

/* Now and then a whole share, now and then one between. */
static float share_of(uint64_t *state)
{
	static const float share[] = { 0, 1, 1, 0.5f, 0.3f };
	return share[drawn(state, 5)];
}

/* Arithmetic, loads, parameters, branches ahead, a loop, barriers; the last ends the warp. */
static void draw(struct warp_step *step, uint64_t *state)
{
	static const uint8_t classes[] = { SASS_FP32,	     SASS_FP32,	       SASS_INTEGER,
					   SASS_FP64,	     SASS_SPECIAL,     SASS_SHUFFLE,
					   SASS_SHARED_LOAD, SASS_GLOBAL_LOAD, SASS_FP32 };
	for (int k = 0; k < STEPS; k++) {
		struct warp_step *s = &step[k];
		*s = (struct warp_step){ .class = classes[drawn(state, 9)],
					 .stall = (uint8_t)(1 + drawn(state, 6)),
					 .wait_mask =
						 drawn(state, 3) ? 0 : (uint8_t)drawn(state, 64),
					 .write_barrier = (uint8_t)drawn(state, 8),
					 .read_barrier = NO_SCOREBOARD,
					 .depbar_scoreboard = -1,
					 .destination = -1,
					 .constant_line = CONSTANT_LINES,
					 .port_cycles = (uint8_t)drawn(state, 3) };
		const bool global = s->class == SASS_GLOBAL_LOAD;
		s->sectors = s->tags = global ? 4 : 0;
		s->l2_share = s->l2_asks = global ? 0.7f : 0;
		s->wavefronts = s->class == SASS_SHARED_LOAD ? 2 : 0;
		s->lanes = 32;
		s->multiply_add = s->class == SASS_FP32 && !drawn(state, 4);
		if (!drawn(state, 8))
			s->constant_line = (uint16_t)drawn(state, 3);
		if (!drawn(state, 12))
			s->depbar_scoreboard = (int8_t)drawn(state, 6);
		if (!drawn(state, 10) && k + 4 < STEPS) {
			s->class = SASS_CONTROL;
			s->flow = FLOW_BRANCH;
			s->target = k + 2 + (int32_t)drawn(state, 2);
			s->share = share_of(state);
			s->diverges = drawn(state, 3) ? 0 : 0.5f;
		}
	}
	step[STEPS / 2].class = SASS_BARRIER;
	step[STEPS / 2].flow = FLOW_BARRIER;
	step[STEPS - 2] = (struct warp_step){ .class = SASS_CONTROL,
					      .flow = FLOW_LOOP,
					      .stall = 2,
					      .write_barrier = NO_SCOREBOARD,
					      .read_barrier = NO_SCOREBOARD,
					      .depbar_scoreboard = -1,
					      .destination = -1,
					      .constant_line = CONSTANT_LINES,
					      .target = STEPS / 2 + 1,
					      .share = 2 + share_of(state) };
	step[STEPS - 1] = step[STEPS - 2];
	step[STEPS - 1].flow = FLOW_EXIT;
	step[STEPS - 1].share = 0;
}

static void same(const struct sm_run *a, const struct sm_run *b)
{
	assert_true(a->cycles == b->cycles && a->instructions == b->instructions);
	assert_int_equal(a->barriers_forced, b->barriers_forced);
	assert_int_equal(a->block_count, b->block_count);
	for (int64_t k = 0; k < a->block_count; k++)
		assert_true(a->block[k].begin == b->block[k].begin &&
			    a->block[k].end == b->block[k].end &&
			    a->block_end[k] == b->block_end[k]);
}

/* At the rim, the same instructions by other shares. */
static void draw_rim(struct warp_step *rim, const struct warp_step *step, uint64_t *state)
{
	memcpy(rim, step, STEPS * sizeof(*rim));
	for (int k = 0; k < STEPS; k++) {
		if (rim[k].flow == FLOW_BRANCH)
			rim[k].share = share_of(state);
		if (rim[k].flow == FLOW_LOOP)
			rim[k].share = 2 + share_of(state);
	}
}

/* Small caches and large ones, cold parameters, blocks that take a while to begin. */
static struct sm_device drawn_device(uint64_t *state)
{
	struct sm_device d = round_device();
	d.code_line_cycles = drawn(state, 2) ? 19 : 0;
	d.code_bytes = drawn(state, 2) ? 32768 : 384;
	d.constant_cold_cycles = drawn(state, 2) ? 86 : 0;
	d.block_start_cycles = drawn(state, 2) ? 40 : 0;
	return d;
}

static void ahead_of_turns_is_by_turns(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= KERNELS; seed++) {
		struct warp_step step[STEPS], rim_step[STEPS];
		uint64_t luck = seed;
		const struct sm_device d = drawn_device(&luck);
		draw(step, &luck);
		draw_rim(rim_step, step, &luck);
		const struct warp_program program = { .kernel = "drawn",
						      .step = step,
						      .count = STEPS,
						      .loops = 1,
						      .block_threads = 32 * (1 + drawn(&luck, 8)),
						      .warps = 1000 };
		struct warp_program rim = program;
		rim.step = rim_step;
		bool at_rim[20];
		for (int k = 0; k < 20; k++)
			at_rim[k] = drawn(&luck, 3) == 0;
		const struct sm_job job = { .program = &program,
					    .rim = drawn(&luck, 2) ? &rim : NULL,
					    .at_rim = at_rim,
					    .blocks = 20,
					    .resident = 1 + (int)drawn(&luck, 4),
					    .l2_miss_share = 0.3 };
		struct sm_setup setup = { .device = &d,
					  .job = &job,
					  .job_count = 1,
					  .memory = { .sharers = 50 },
					  .constant_cold_cycles = d.constant_cold_cycles };
		struct sm_run turns, ahead, gone_on;
		assert_int_equal(sm_engine_run(&setup, &turns), 0);
		setup.duration_only = true;
		assert_int_equal(sm_engine_run(&setup, &ahead), 0);
		same(&turns, &ahead);
		struct sm_job fewer = job;
		struct sm_snapshot *snapshot;
		struct sm_run begun;
		fewer.blocks = 9;
		setup.job = &fewer;
		assert_int_equal(sm_engine_begin(&setup, &begun, &snapshot), 0);
		assert_non_null(snapshot);
		assert_int_equal(sm_snapshot_run(snapshot, 20, &gone_on), 0);
		same(&turns, &gone_on);
		sm_snapshot_release(snapshot);
		sm_run_release(&begun);
		sm_run_release(&turns);
		sm_run_release(&ahead);
		sm_run_release(&gone_on);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(ahead_of_turns_is_by_turns) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
