/* SPDX-License-Identifier: MIT
 * Instruction caches. Each sub-partition has one of its own, in sets of four lines: lines of code
 * come there one after the other, fetched ahead of the first of its warps, and stay until four
 * others of their set were wanted since. A warp that jumps to a line that is neither there nor on
 * its way waits longer (measured: tests/gpu_code_waits.cu). Behind them the multiprocessor has a
 * larger one, which a launch finds filled unless the kernels that take turns are longer together
 * (tests/gpu_code.cu).
 */
#include "sm_engine_internal.h"

enum {
	INSTRUCTION_BYTES = 16,
	LINE_STEPS = SM_CODE_LINE_STEPS,
	LINE_BYTES = LINE_STEPS * INSTRUCTION_BYTES,
	LINES_AHEAD = 2 /* pieces gone through twice say 0 to 8, by how fast */
};

size_t sm_code_lines(size_t steps)
{
	return (steps + LINE_STEPS - 1) / LINE_STEPS;
}

size_t sm_code_capacity(const struct sm_device *d)
{
	return mechanism_on(&d->mechanisms, MECHANISM_INSTRUCTION_CACHE) &&
			       d->code_line_cycles > 0 && d->code_bytes >= LINE_BYTES
		       ? (size_t)(d->code_bytes / LINE_BYTES)
		       : 0;
}

size_t sm_code_far_capacity(const struct engine *e)
{
	const struct sm_device *d = e->device;
	size_t bytes = 0;

	for (int j = 0; j < e->setup->job_count; j++)
		bytes += e->setup->job[j].program->count * INSTRUCTION_BYTES;
	return d->code_far_bytes >= LINE_BYTES && ((double)bytes > d->code_far_bytes ||
						   e->setup->code_bytes > d->code_far_bytes)
		       ? (size_t)(d->code_far_bytes / LINE_BYTES)
		       : 0;
}

static struct code_line *set_of(struct code *code, int32_t line)
{
	const size_t sets = (code->capacity + SM_CODE_WAYS - 1) / SM_CODE_WAYS;
	return code->line + (size_t)line % sets * SM_CODE_WAYS;
}

/* Takes the place of that of its set which nobody has wanted for longest; behind, where nobody says
 * so, of the one that came first. */
static void keep(struct code *code, int job, int32_t line, double at)
{
	struct code_line *place = set_of(code, line);

	for (int k = 1; k < SM_CODE_WAYS; k++)
		if (set_of(code, line)[k].wanted < place->wanted)
			place = &set_of(code, line)[k];
	if (place->wanted)
		code->line_at[place->job][place->line] = 0;
	*place = (struct code_line){ job, line, ++code->wanted };
	code->line_at[job][line] = at;
}

static void want(struct code *code, int job, int32_t line)
{
	struct code_line *place = set_of(code, line);

	while (place->job != job || place->line != line)
		place++;
	place->wanted = ++code->wanted;
}

/* Asks for a line; it comes so long after the one before. */
static void fetch(struct engine *e, struct code *code, int job, int32_t line, double at)
{
	const struct sm_device *d = e->device;
	struct code *far = &e->code_far;
	const bool cold = far->capacity && far->line_at[job][line] <= 0;
	const double there = (code->free > at ? code->free : at) +
			     (cold ? d->code_far_line_cycles : d->code_line_cycles);

	if (cold)
		keep(far, job, line, there);
	code->free = there;
	keep(code, job, line, there);
}

double sm_code_there(struct engine *e, const struct warp *w, int32_t from, int32_t step, double at)
{
	const int32_t line = step / LINE_STEPS;
	const int32_t end = (int32_t)sm_code_lines((size_t)w->steps);
	struct code *code = &e->code[w->sub];

	if (!code->capacity || (from >= 0 && from / LINE_STEPS == line))
		return 0;
	if (code->line_at[w->job][line] <= 0) {
		if (from >= 0 && line != from / LINE_STEPS + 1) /* what was on its way is no use */
			code->free = at + e->device->code_jump_cycles;
		fetch(e, code, w->job, line, at);
	} else if (!e->code_fits) {
		want(code, w->job, line);
	}
	const double there = code->line_at[w->job][line];
	for (int32_t k = line + 1; k < end && k <= line + LINES_AHEAD; k++)
		if (code->line_at[w->job][k] <= 0)
			fetch(e, code, w->job, k, at);
	return there;
}
