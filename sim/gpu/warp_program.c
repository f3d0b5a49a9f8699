/* SPDX-License-Identifier: MIT
 * From a profile to a warp's way through it.
 *
 * Counts give no edges, so edges are solved for in address order. A forward branch falls through as
 * often as the next instruction ran, and nothing falls through an unconditional jump. Where a place
 * ran more often than warps came to it, some warps were divided: they went both ways, one after the
 * other, and come to the jump's target when they would go past it. A loop was entered as often as
 * the instruction before its head fell into it; the rest of the head's count came back. Where a
 * loop's guard stands right before its head the two cannot be told apart from counts: everybody is
 * then taken to have entered, if there are rounds for everybody. Where fewer rounds were run than
 * warps came to the head, which derived counts may say (profile_derive.h), the others go round the
 * loop.
 */
#include "warp_program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"
#include "traces/profiles/sass_uniform.h"

struct flow {		  /* of one instruction, per launch */
	double count;	  /* executions by a warp */
	double falls;	  /* that went on to the next instruction */
	double jumped_in; /* that came by forward jumps */
	bool loop_head, jump_target;
	bool meets; /* some loop around it has a barrier: a block's warps are never a round apart */
	size_t loop_end; /* last backward branch of a loop around this instruction; 0 = none */
};

/* Of what loads and stores ask of L1, or change, the share that goes on to L2. */
struct l2_shares {
	double load, store;
	bool local_kept; /* nobody counted it: a thread's own memory, which L1 writes back, stays
			    there (NVIDIA, Tuning guide for Volta, 1.4.3; it is for few registers
			    that did not fit) */
};

/* Share of global loads' sectors that L1 does not have. */
static double l2_share(const struct kernel_profile *p)
{
	if (p->l2_read_sectors >= 0 && p->l1_load_sectors > 0) {
		double share = (double)p->l2_read_sectors / (double)p->l1_load_sectors;
		return share < 1 ? share : 1;
	}
	if (p->l1_load_hits >= 0 && p->l1_load_sectors > 0)
		return 1 - (double)p->l1_load_hits / (double)p->l1_load_sectors;
	return 1;
}

/* Share of global stores' sectors that go on to L2: L1 joins stores to one sector that come one
 * right behind the other. */
static double l2_write_share(const struct kernel_profile *p)
{
	const double share = p->l2_write_sectors > 0 && p->l1_store_sectors > 0
				     ? (double)p->l2_write_sectors / (double)p->l1_store_sectors
				     : 1;
	return share < 1 ? share : 1;
}

static struct l2_shares l2_shares(const struct kernel_profile *p)
{
	return (struct l2_shares){ .load = l2_share(p),
				   .store = l2_write_share(p),
				   .local_kept = p->l1_load_sectors < 0 };
}

/* Seen by the whole device, or more: "MEMBAR.SC.GPU", "LD.E.STRONG.SYS". */
static bool wide_scope(const char *text)
{
	return strstr(text, ".GPU") || strstr(text, ".SYS");
}

/* Lines are in L1 or not each by itself, and a load waits for the last of them. */
static double l2_asks(const struct warp_step *step)
{
	return step->tags > 1 && step->l2_share < 1 ? 1 - pow(1 - step->l2_share, step->tags)
						    : step->l2_share;
}

static void decode(struct warp_step *step, struct sass_instruction *out,
		   const struct profile_instruction *in, const struct l2_shares *l2)
{
	struct sass_instruction s;
	sass_decode(&s, in->text, in->code, in->offset);
	double runs = in->warps > 0 ? (double)in->warps : 1;
	bool shared = s.class == SASS_SHARED_LOAD || s.class == SASS_SHARED_STORE ||
		      s.class == SASS_SHARED_ATOMIC;
	int64_t sectors = (in->sectors_global > 0 ? in->sectors_global : 0) +
			  (in->sectors_local > 0 ? in->sectors_local : 0);
	char opcode[16];
	sass_opcode(in->text, opcode);
	if (strstr(in->text, "BRA.DIV") ||
	    strstr(in->text, "BRA.CONV")) /* jumps only where the warp is divided, or not */
		s.predicated = true;
	*step = (struct warp_step){
		.class = (uint8_t)s.class,
		.flow = s.is_exit		  ? FLOW_EXIT
			: s.is_barrier		  ? FLOW_BARRIER
			: !strcmp(opcode, "CALL") ? FLOW_CALL
			: !strcmp(opcode, "RET")  ? FLOW_RETURN
						  : FLOW_NEXT,
		.multiply_add = !strcmp(opcode, "IMAD"),
		.fence = !strcmp(opcode, "MEMBAR") && wide_scope(in->text),
		.stall = s.control.stall,
		.wait_mask = s.control.wait_mask,
		.write_barrier = s.control.write_barrier,
		.read_barrier = s.control.read_barrier,
		.depbar_scoreboard = s.depbar_scoreboard,
		.depbar_count = s.depbar_count,
		.constant_line = (uint16_t)(s.constant < 0 ? CONSTANT_LINES
							   : s.constant / CONSTANT_LINE_BYTES),
		.destination = s.destination,
		.destination_count = s.destination_count,
		.sectors = (float)((double)sectors / runs),
		.tags = in->tags_global > 0 ? (float)((double)in->tags_global / runs)
			: sectors > 0	    ? 1
					    : 0,
		.wavefronts = in->wavefronts_shared > 0
				      ? (float)((double)in->wavefronts_shared / runs)
			      : shared ? 1
				       : 0,
		.lanes = in->threads > 0 ? (float)((double)in->threads / runs) : 0,
		.texels = s.is_texture && in->threads > 0
				  ? (float)((double)in->threads / runs * s.access_bytes / 4)
				  : 0,
		.l2_share = l2->local_kept && in->sectors_local > 0 && in->sectors_global <= 0 ? 0
			    : s.class == SASS_GLOBAL_LOAD || s.class == SASS_ASYNC_COPY
				    ? (float)l2->load
			    : s.class == SASS_GLOBAL_STORE ? (float)l2->store
							   : 1,
	};
	step->l2_asks = (float)l2_asks(step);
	memcpy(step->source, s.source, sizeof(step->source));
	*out = s;
}

static double clamp01(double x)
{
	return x < 0 ? 0 : x > 1 ? 1 : x;
}

static void find_targets(struct flow *flow, const struct warp_step *step,
			 const struct sass_instruction *s, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t t = s[i].target / 16;
		if (!s[i].is_branch || t >= count || flow[i].count <= 0)
			continue;
		if (t <= i && step[i].flow != FLOW_CALL) {
			flow[t].loop_head = true;
			for (size_t k = t; k <= i; k++)
				flow[k].loop_end = i;
		} else
			flow[t].jump_target = true;
	}
}

static void deepen(struct warp_program *program, size_t step, int by)
{
	const int depth = program->step[step].depth + by;
	program->step[step].depth = (uint8_t)(depth < WARP_DEPTHS ? depth : WARP_DEPTHS - 1);
	if (program->step[step].depth > program->depths)
		program->depths = program->step[step].depth;
}

/* A loop goes from its head to the last branch back to it; a function, to its return. */
static void find_depths(struct warp_program *program, struct flow *flow,
			const struct sass_instruction *s)
{
	const size_t count = program->count;
	size_t *back = xcalloc(count, sizeof(*back)); /* head of a loop -> behind its last branch */
	uint8_t *called =
		xcalloc(count, sizeof(*called)); /* loops around the calls of a function */
	for (size_t i = 0; i < count; i++)
		if (s[i].is_branch && s[i].target / 16 <= i && flow[i].count > 0 &&
		    program->step[i].flow != FLOW_CALL)
			back[s[i].target / 16] = i + 1;
	for (size_t head = 0; head < count; head++) {
		bool barrier = false;
		for (size_t k = head; k < back[head]; k++) {
			deepen(program, k, 1);
			barrier |= s[k].is_barrier && flow[k].count > 0;
		}
		for (size_t k = head; barrier && k < back[head]; k++)
			flow[k].meets = true;
	}
	for (size_t i = 0; i < count; i++) {
		const size_t t = s[i].target / 16;
		if (program->step[i].flow == FLOW_CALL && t < count && flow[i].count > 0 &&
		    program->step[i].depth > called[t])
			called[t] = program->step[i].depth;
	}
	for (size_t t = 0; t < count; t++)
		for (size_t k = t; called[t] && k < count; k++) {
			deepen(program, k, called[t]);
			if (program->step[k].flow == FLOW_RETURN)
				break;
		}
	free(back);
	free(called);
}

/* Counted per warp, because every warp of a loop leaves it after about as many rounds, and not at
 * random. */
static int count_visits(struct warp_program *program, struct warp_step *step, enum warp_flow kind,
			double visits, const char *file)
{
	if (program->loops == WARP_LOOPS_MAX)
		return report("%s: kernel '%s': more than %d loops", file, program->kernel,
			      WARP_LOOPS_MAX);
	step->flow = (uint8_t)kind;
	step->loop = (uint16_t)program->loops++;
	step->share = (float)visits;
	return 0;
}

/* A branch out of a loop, or an exit in one. */
static int count_way_out(struct warp_program *program, struct warp_step *step,
			 const struct flow *flow, const char *file)
{
	const double leaves = flow->count - flow->falls;

	return flow->loop_end && leaves > 0 && flow->falls > leaves
		       ? count_visits(program, step, FLOW_LEAVE, flow->count / leaves, file)
		       : 0;
}

static int solve(struct warp_program *program, struct flow *flow, const struct sass_instruction *s,
		 const char *file)
{
	for (size_t i = 0; i < program->count; i++) {
		struct warp_step *step = &program->step[i];
		double runs = flow[i].count, next = i + 1 < program->count ? flow[i + 1].count : 0;
		bool joins = i + 1 < program->count &&
			     (flow[i + 1].jump_target || flow[i + 1].loop_head);
		flow[i].falls = runs;
		if (runs <= 0)
			continue;
		size_t target = s[i].target / 16;
		if (step->flow == FLOW_EXIT) {
			/* what follows a certain exit was jumped to */
			flow[i].falls =
				!s[i].predicated ? 0
				: joins ? runs * clamp01((next - flow[i + 1].jumped_in) / runs)
					: runs * clamp01(next / runs);
			step->share = (float)(flow[i].falls / runs);
			step->target = NEVER_STEP;
			if (count_way_out(program, step, &flow[i], file))
				return -1;
		} else if (step->flow == FLOW_CALL) {
			step->target = (int32_t)target;
			if (target < program->count)
				flow[target].jumped_in += runs;
			else
				step->flow = FLOW_NEXT;
		} else if (step->flow == FLOW_RETURN) {
			flow[i].falls = 0;
		} else if (s[i].is_branch && target < program->count && target > i) {
			double falls = !s[i].predicated	       ? 0
				       : flow[i + 1].loop_head ? fmin(runs, next)
				       : joins		       ? next - flow[i + 1].jumped_in
							       : next;
			flow[i].falls = runs * clamp01(falls / runs);
			flow[target].jumped_in += runs - flow[i].falls;
			step->target = (int32_t)target;
			step->flow = FLOW_BRANCH;
			step->share = (float)(flow[i].falls / runs);
			if (flow[i].loop_end < target &&
			    count_way_out(program, step, &flow[i], file))
				return -1;
		} else if (s[i].is_branch && target <= i) {
			double entered = (target ? flow[target - 1].falls : program->warps) +
					 flow[target].jumped_in;
			double again = flow[target].count - entered;
			if (again < 0 && target && program->step[target - 1].flow == FLOW_NEXT &&
			    i + 1 < program->count) { /* fewer rounds than came to it */
				program->step[target - 1].flow = FLOW_BRANCH;
				program->step[target - 1].target = (int32_t)(i + 1);
				program->step[target - 1].share =
					(float)(flow[target].count / entered);
				flow[i + 1].jumped_in -= again;
				flow[i + 1].jump_target = true;
				again = 0;
			} else if (entered <= 0 || again < 0)
				again = runs - (joins ? 0 : next);
			again = runs * clamp01(again / runs);
			flow[i].falls = runs - again;
			step->target = (int32_t)target;
			/* each visit but an entry's last goes back */
			double visits = !s[i].predicated    ? 0
					: flow[i].falls > 0 ? runs / flow[i].falls
					: entered > 0	    ? runs / entered + 1
							    : 1;
			if (count_visits(program, step, FLOW_LOOP, visits, file))
				return -1;
		}
	}
	return 0;
}

/* Who comes to a place by divergence: the nearest branch before it that names it. */
static void find_divergence(struct warp_program *program, const struct flow *flow)
{
	for (size_t t = 1; t < program->count; t++) {
		if (!flow[t].jump_target || flow[t].loop_head)
			continue;
		double missing = flow[t].count - flow[t - 1].falls - flow[t].jumped_in;
		for (size_t i = t; i-- > 0 && missing > 0.005 * flow[t].count;) {
			struct warp_step *step = &program->step[i];
			if ((step->flow != FLOW_BRANCH && step->flow != FLOW_LEAVE) ||
			    step->target != (int32_t)t || flow[i].falls <= 0 || step->share <= 0 ||
			    step->flow == FLOW_LEAVE)
				continue;
			double both = missing < flow[i].falls ? missing : flow[i].falls;
			step->diverges = (float)(both / flow[i].falls);
			missing -= both;
		}
	}
}

/* Where all warps of a block go the same way, and it matters: in loops in which they wait for each
 * other. A block goes on with its share where the block before it ended. */
static void find_own(struct warp_program *program, const struct kernel_profile *profile,
		     const struct sass_instruction *s, const struct flow *flow)
{
	const char **text = xcalloc(program->count + 1, sizeof(*text));
	size_t *target = xcalloc(program->count + 1, sizeof(*target));
	bool *alike = xcalloc(program->count + 1, sizeof(*alike));
	for (size_t i = 0; i < program->count; i++) {
		text[i] = profile->instruction[i].text;
		target[i] = s[i].is_branch ? s[i].target / 16 : SIZE_MAX;
	}
	sass_uniform(text, target, program->count, alike);
	program->own = xcalloc(program->count + 1, sizeof(*program->own));
	for (size_t i = 0; i < program->count; i++) {
		struct warp_step *step = &program->step[i];
		const double part = step->share - floor(step->share);
		if (!alike[i] || !flow[i].meets || !(part > 0) || step->diverges > 0 ||
		    program->loops == WARP_LOOPS_MAX ||
		    (step->flow != FLOW_BRANCH && step->flow != FLOW_EXIT &&
		     step->flow != FLOW_LOOP))
			continue;
		step->own = (uint16_t)++program->loops;
		const double turns = flow[i].count / program->warps *
				     (step->flow == FLOW_LOOP ? part / step->share : part);
		program->own[program->owns++] = (struct warp_own){ (uint16_t)(step->own - 1),
								   (float)(turns - floor(turns)) };
	}
	free(text);
	free(target);
	free(alike);
}

static bool keeps(const struct sass_instruction *before, int16_t reg)
{
	bool kept = false;
	for (int k = 0; k < 3; k++)
		kept |= before->operand[k].reuse && before->operand[k].reg == reg;
	return kept;
}

/*
 * Registers are in two banks, even and odd, and a bank gives one a cycle (Huerta et al., arXiv
 * 2503.20481, section 5.3). An operand that the instruction before kept for this one (.reuse) needs
 * no reading. FP64 reads pairs, a register of either bank: DFMA of three takes three cycles, though
 * its pipe takes one every two. That is nearly so (sm.fp64_*_cycles).
 */
static uint8_t port_cycles(const struct sass_instruction *s, const struct sass_instruction *before)
{
	int reads[2] = { 0, 0 };
	if (s->class != SASS_FP32 && s->class != SASS_INTEGER && s->class != SASS_HALF &&
	    s->class != SASS_FP64)
		return 1;
	for (int k = 0; k < 3; k++) {
		const struct sass_operand *o = &s->operand[k];
		if (o->reg < 0 || (before && keeps(before, o->reg)))
			continue;
		reads[o->reg & 1]++;
		reads[~o->reg & 1] += o->pair;
	}
	int most = reads[0] > reads[1] ? reads[0] : reads[1];
	return (uint8_t)(most > 1 ? most : 1);
}

enum { POLL_MOST_STEPS = 24 };

/*
 * Loops that do nothing but look whether another block has come: a load that acquires (LD.STRONG,
 * and CCTL.IVALL to forget what L1 has), and a way back that few instructions make. How often one
 * went round while it was counted says nothing: once is enough here, and sm_engine.c waits.
 */
static void find_polls(struct warp_program *program, const struct kernel_profile *profile,
		       const struct sass_instruction *s)
{
	for (size_t i = 0; i < program->count; i++) {
		const size_t head = s[i].target / 16;
		struct warp_step *load = NULL;
		double cycles = 0;
		bool acquires = false, plain = true;

		if (!s[i].is_branch || head > i || i - head > POLL_MOST_STEPS)
			continue;
		for (size_t k = head; k <= i; k++) {
			const char *text = profile->instruction[k].text;
			const enum sass_class class = s[k].class;

			cycles += s[k].control.stall > 0 ? s[k].control.stall : 1;
			if (class == SASS_GLOBAL_LOAD && strstr(text, ".STRONG") &&
			    wide_scope(text))
				load = &program->step[k];
			else
				plain &= !(class == SASS_GLOBAL_STORE || class == SASS_ATOMIC);
			acquires |= strstr(text, "CCTL.IVALL") != NULL;
		}
		if (!load || !acquires || !plain)
			continue;
		load->poll_cycles = (float)cycles;
		program->polls = true;
		program->step[i].flow = FLOW_NEXT;
	}
}

static void add_totals(struct warp_program *program, const struct flow *flow)
{
	double again_bytes = 0;
	for (size_t i = 0; i < program->count; i++) {
		const struct warp_step *step = &program->step[i];
		double a_warp = flow[i].count / program->warps;
		program->instructions += a_warp;
		program->instructions_at[step->depth] += a_warp;
		if (step->class == SASS_GLOBAL_LOAD || step->class == SASS_ASYNC_COPY)
			program->l2_read_bytes += a_warp * step->sectors * 32 * step->l2_share;
		else if (step->class == SASS_GLOBAL_STORE) {
			const double bytes = a_warp * step->sectors * 32 * step->l2_share;
			program->l2_write_bytes += bytes;
			again_bytes += a_warp > 2 ? bytes : 0;
		} else if (step->class == SASS_ATOMIC)
			program->atomics += a_warp * step->lanes;
	}
	program->strips = program->l2_write_bytes > 0 ? again_bytes / program->l2_write_bytes : 0;
}

int warp_program_build(struct warp_program *program, const struct kernel_profile *profile,
		       const char *file)
{
	*program = (struct warp_program){ .kernel = profile->kernel,
					  .count = profile->instruction_count };
	if (!profile->instruction_count || profile->instruction[0].warps <= 0)
		return report("%s: the profile of kernel '%s' says that nothing was executed", file,
			      profile->kernel);
	const uint32_t *b = profile->geometry.block;
	program->block_threads = b[0] * b[1] * b[2];
	program->registers = profile->registers;
	program->shared_bytes = profile->static_shared_bytes + profile->geometry.shared_bytes;
	program->warps = (double)profile->instruction[0].warps;
	program->step = xcalloc(program->count, sizeof(*program->step));
	struct flow *flow = xcalloc(program->count, sizeof(*flow));
	struct sass_instruction *s = xcalloc(program->count, sizeof(*s));
	const struct l2_shares l2 = l2_shares(profile);
	for (size_t i = 0; i < program->count; i++) {
		decode(&program->step[i], &s[i], &profile->instruction[i], &l2);
		flow[i].count =
			(double)(profile->instruction[i].warps > 0 ? profile->instruction[i].warps
								   : 0);
		if (!s[i].known && flow[i].count > 0) {
			if (!program->unknown)
				sass_opcode(profile->instruction[i].text, program->first_unknown);
			program->unknown += profile->instruction[i].warps;
		}
	}
	find_targets(flow, program->step, s, program->count);
	find_depths(program, flow, s);
	int failed = solve(program, flow, s, file);
	find_divergence(program, flow);
	find_own(program, profile, s, flow);
	find_polls(program, profile, s);
	for (size_t i = 0; i < program->count; i++)
		program->step[i].port_cycles = port_cycles(&s[i], i ? &s[i - 1] : NULL);
	add_totals(program, flow);
	free(flow);
	free(s);
	return failed;
}

void warp_program_release(struct warp_program *program)
{
	free(program->step);
	program->step = NULL;
	free(program->own);
	program->own = NULL;
}
