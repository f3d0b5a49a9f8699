/* SPDX-License-Identifier: MIT
 * Chaotic block Gauss-Seidel as a simulator calls it (traces/program/chaos.h): a block of cells
 * reads what it finds when it begins, and writes when it ends. A step over all patches is a launch,
 * whose blocks take places as they are free; then ghost values are exchanged.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/machine/machine_cpu.h"
#include "patches_relax.h"
#include "patches_work.h"
#include "traces/base/util.h"

struct place { /* of a block of cells */
	int32_t patch, index;
};

struct state {
	struct patches_work work; /* on the host alone: values are those of h_u */
	struct machine *machine;
	struct patches_step step;
	struct place *place; /* [blocks] */
	double *correction;  /* [blocks][cells at most], from a block's begin to its end */
	double *sines[3];
	int32_t side[3]; /* of the sines */
	int64_t most;	 /* cells of a block */
	int32_t *order;
};

static struct state *state_of(const struct chaos_case *c)
{
	return c->state;
}

static void start(struct chaos_case *c)
{
	patches_fill(&state_of(c)->work.base, 1);
}

static const struct patches_box *block_at(const struct state *s, int id, struct patches_block *b)
{
	const struct patches_box *box = &s->work.tables.box[s->place[id].patch];
	*b = patches_block_of(&s->step, box, s->place[id].index);
	return box;
}

static void begin(struct chaos_case *c, int id)
{
	struct state *s = state_of(c);
	struct patches_block b;
	const struct patches_box *box = block_at(s, id, &b);
	double *r = xcalloc(2 * (size_t)s->most, sizeof(*r));
	patches_block_residual(&s->step, box, &b, r);
	for (int axis = 0; axis < 3; axis++)
		if (s->side[axis] != b.n[axis])
			patches_sines(s->side[axis] = b.n[axis], s->sines[axis]);
	const double *const sines[3] = { s->sines[0], s->sines[1], s->sines[2] };
	patches_sine_apply(sines, s->step.diagonal + box->diagonal[b.cut], b.n, r,
			   s->correction + id * s->most, r + s->most);
	free(r);
}

/* The product is made at the begin already: it needs nothing that changes. */
static void steps(struct chaos_case *c, int id, int count)
{
	(void)c;
	(void)id;
	(void)count;
}

static void end(struct chaos_case *c, int id)
{
	const struct state *s = state_of(c);
	struct patches_block b;
	const struct patches_box *box = block_at(s, id, &b);
	patches_block_update(&s->step, box, &b, s->correction + id * s->most);
}

/* Ghost values of all, and the residual that is left, of 1 at the start. */
static double check(struct chaos_case *c)
{
	struct solver_result result;
	memset(&result, 0, sizeof(result));
	patches_check(&state_of(c)->work.base, &result);
	return result.extra[0];
}

static int beside(const struct chaos_case *c, int block, int side)
{
	(void)c;
	(void)block;
	(void)side;
	return -1;
}

static void release(struct state *s)
{
	if (s->machine) {
		patches_end(&s->work.base);
		s->machine->ops->free(s->machine);
	}
	for (int axis = 0; axis < 3; axis++)
		free(s->sines[axis]);
	free(s->place);
	free(s->correction);
	free(s->order);
	free(s);
}

static void close_case(struct chaos_case *c)
{
	release(state_of(c));
}

static void no_part(struct chaos_case *c, int block, int part)
{
	(void)c;
	(void)block;
	(void)part;
}

static int no_pass(const struct chaos_case *c, int block)
{
	(void)c;
	(void)block;
	return 0; /* borders are read with the block */
}

static const struct chaos_ops ops = { start,   begin, steps, NULL,   no_part, no_part,
				      no_part, end,   check, beside, no_pass, close_case };

static void place_blocks(struct state *s)
{
	int64_t id = 0;
	s->place = xcalloc((size_t)s->work.tables.blocks, sizeof(*s->place));
	s->order = xcalloc((size_t)s->work.tables.blocks, sizeof(*s->order));
	for (int32_t patch = 0; patch < s->work.set.count; patch++) {
		const struct patches_box *box = &s->work.tables.box[patch];
		const int32_t blocks = box->blocks[0] * box->blocks[1] * box->blocks[2];
		for (int32_t k = 0; k < blocks; k++, id++) {
			s->place[id] = (struct place){ patch, k };
			s->order[id] = (int32_t)id;
		}
	}
}

bool patches_chaotic(const void *params)
{
	const struct patches_params *p = params;
	return p->method == METHOD_CHAOTIC && p->use == USE_STEPS && p->order == ORDER_WHOLE;
}

int patches_chaos(const void *params, struct chaos_case *c)
{
	const struct patches_params *p = params;
	if (!patches_chaotic(p))
		return report("method %s leaves nothing to chance, or not to blocks of one launch: "
			      "co-simulation is of --method chaotic, --order whole",
			      p->method_text);
	struct state *s = xcalloc(1, sizeof(*s));
	s->machine = machine_cpu_new(1);
	s->work.base = (struct solver_work){ .m = s->machine, .gpus = 1, .params = params };
	if (patches_begin(&s->work.base)) {
		release(s);
		return -1;
	}
	const struct machine_ops *machine = s->machine->ops;
	s->most = (int64_t)p->block[0] * p->block[1] * p->block[2];
	s->step = (struct patches_step){
		.box = s->work.tables.box,
		.u = machine->address(s->machine, s->work.gpu[0].h_u),
		.v = machine->address(s->machine, s->work.gpu[0].h_u),
		.f = machine->address(s->machine, s->work.gpu[0].h_f),
		.diagonal = s->work.tables.diagonal,
		.omega = p->omega_used,
		.stencil = { (float)p->stencil[0], (float)p->stencil[1], (float)p->stencil[2],
			     (float)p->stencil[3] },
		.count = s->work.set.count,
		.block = { (int16_t)p->block[0], (int16_t)p->block[1], (int16_t)p->block[2] },
		.overlap = p->overlap,
	};
	place_blocks(s);
	s->correction = xcalloc((size_t)(s->work.tables.blocks * s->most), sizeof(double));
	for (int axis = 0; axis < 3; axis++)
		s->sines[axis] =
			xcalloc((size_t)p->block[axis] * (size_t)p->block[axis], sizeof(double));
	*c = (struct chaos_case){
		.ops = &ops,
		.state = s,
		.order = s->order,
		.blocks = (int)s->work.tables.blocks,
		.host_sync = 1,
		.exchange = 1,
		.passes = 1,
		.moved = 1,
		.block_threads = (int)s->most,
		.most_steps = p->iterations,
		.fixed = true,
	};
	return 0;
}
