/* SPDX-License-Identifier: MIT
 * The reference: one thread, every block in turn.
 */
#include "patches_relax.h"

#include <stdlib.h>
#include <string.h>

#include "patches_geometry.h"
#include "patches_inverse.h"
#include "traces/base/util.h"

void patches_block_residual(const struct patches_step *step, const struct patches_box *box,
			    const struct patches_block *b, double *r)
{
	const double *u = step->u + box->origin, *f = step->f + box->first_cell;
	for (int32_t k = 0; k < b->n[2]; k++)
		for (int32_t j = 0; j < b->n[1]; j++) {
			const double *ul = u + patches_u_at(box, b, 0, j, k);
			const double *fl = f + patches_f_at(box, b, 0, j, k);
			for (int32_t i = 0; i < b->n[0]; i++)
				*r++ = patches_residual(step, box, ul + i, fl[i]);
		}
}

void patches_block_update(const struct patches_step *step, const struct patches_box *box,
			  const struct patches_block *b, const double *e)
{
	for (int32_t k = b->own[2]; k < b->n[2]; k++)
		for (int32_t j = b->own[1]; j < b->n[1]; j++) {
			const int64_t at = box->origin + patches_u_at(box, b, 0, j, k);
			const double *line = e + (k * b->n[1] + j) * b->n[0];
			for (int32_t i = b->own[0]; i < b->n[0]; i++)
				step->v[at + i] = step->u[at + i] + step->omega * line[i];
		}
}

void patches_block_product(const struct patches_step *step, const struct patches_box *box,
			   const struct patches_block *b, const double *r, double *e)
{
	const double *inverse = step->inverse + box->inverse[b->cut];
	memset(e, 0, (size_t)b->cells * sizeof(*e));
	for (int32_t g = 0; g < b->cells; g++, inverse += b->cells)
		for (int32_t l = 0; l < b->cells; l++)
			e[l] += inverse[l] * r[g];
}

/* splitmix64's finaliser (Steele, Lea, Flood 2014). */
static uint64_t mixed(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

void patches_draw_order(const struct patches_step *step, int32_t patch, int32_t *order,
			int32_t count)
{
	uint64_t state =
		mixed(((uint64_t)step->order << 32) + (uint64_t)patch + 0x9e3779b97f4a7c15u);
	for (int32_t k = 0; k < count; k++)
		order[k] = k;
	for (int32_t k = count - 1; k > 0 && step->wave; k--) {
		state += 0x9e3779b97f4a7c15u;
		const int32_t other = (int32_t)(mixed(state) % (uint64_t)(k + 1)), kept = order[k];
		order[k] = order[other];
		order[other] = kept;
	}
}

typedef void apply_inverse(const struct patches_step *step, const struct patches_box *box,
			   const struct patches_block *b, const double *r, double *e,
			   double *scratch);

/* Waves of blocks that see nothing of each other, in a drawn order; a wave is one block where the
 * order is that of the blocks, or does not matter. */
static void relax(const struct patches_step *step, apply_inverse *apply)
{
	const int32_t most = step->block[0] * step->block[1] * step->block[2];
	const int32_t wave = step->wave > 1 && step->u == step->v ? step->wave : 1;
	for (int32_t p = step->first; p < step->first + step->count; p++) {
		const struct patches_box *box = &step->box[p];
		const int32_t blocks = box->blocks[0] * box->blocks[1] * box->blocks[2];
		const int32_t many = wave < blocks ? wave : blocks;
		int32_t *order = xcalloc((size_t)blocks, sizeof(*order));
		double *r = xcalloc((size_t)most * (size_t)(many + 2), sizeof(*r)), *e = r + most,
		       *scratch = e + (int64_t)most * many;
		patches_draw_order(step, p, order, blocks);
		for (int32_t k = 0; k < blocks; k += many) {
			const int32_t now = many < blocks - k ? many : blocks - k;
			for (int32_t w = 0; w < now; w++) {
				const struct patches_block b =
					patches_block_of(step, box, order[k + w]);
				patches_block_residual(step, box, &b, r);
				apply(step, box, &b, r, e + (int64_t)w * most, scratch);
			}
			for (int32_t w = 0; w < now; w++) {
				const struct patches_block b =
					patches_block_of(step, box, order[k + w]);
				patches_block_update(step, box, &b, e + (int64_t)w * most);
			}
		}
		free(r);
		free(order);
	}
}

static void apply_dense(const struct patches_step *step, const struct patches_box *box,
			const struct patches_block *b, const double *r, double *e, double *scratch)
{
	(void)scratch;
	patches_block_product(step, box, b, r, e);
}

void patches_gemv_cpu(const void *args)
{
	relax(args, apply_dense);
}

static void apply_sines(const struct patches_step *step, const struct patches_box *box,
			const struct patches_block *b, const double *r, double *e, double *scratch)
{
	/* Kept from block to block of a thread: sines of the sides seen last. */
	static _Thread_local double table[3][PATCHES_SIDE_MOST * PATCHES_SIDE_MOST];
	static _Thread_local int32_t side[3];
	const double *const sines[3] = { table[0], table[1], table[2] };
	for (int axis = 0; axis < 3; axis++)
		if (side[axis] != b->n[axis])
			patches_sines(side[axis] = b->n[axis], table[axis]);
	patches_sine_apply(sines, step->diagonal + box->diagonal[b->cut], b->n, r, e, scratch);
}

void patches_sine_cpu(const void *args)
{
	relax(args, apply_sines);
}

void patches_steps_cpu(const void *args)
{
	struct patches_step step = *(const struct patches_step *)args;
	const int32_t steps = step.wave;
	double *u = (double *)(uintptr_t)step.u, *v = step.v;
	step.wave = 0;
	for (int32_t k = 0; k < steps; k++) {
		step.u = k % 2 ? v : u;
		step.v = k % 2 ? u : v;
		patches_sine_cpu(&step);
	}
}

void patches_split_cpu(const void *args)
{
	const struct patches_step *step = args;
	const int32_t most = step->block[0] * step->block[1] * step->block[2];
	double *r = xcalloc(2 * (size_t)most, sizeof(*r)), *e = r + most;
	for (int32_t p = step->first; p < step->first + step->count; p++) {
		const struct patches_box *box = &step->box[p];
		const int32_t blocks = box->blocks[0] * box->blocks[1] * box->blocks[2];
		for (int32_t index = 0; index < blocks; index++) {
			const struct patches_block b = patches_block_of(step, box, index);
			patches_block_residual(step, box, &b, r);
			patches_block_product(step, box, &b, r, e);
			for (int32_t k = b.own[2]; k < b.n[2]; k++)
				for (int32_t j = b.own[1]; j < b.n[1]; j++)
					for (int32_t i = b.own[0]; i < b.n[0]; i++)
						step->v[box->origin +
							patches_u_at(box, &b, i, j, k)] =
							step->omega *
							e[(k * b.n[1] + j) * b.n[0] + i];
		}
	}
	free(r);
}

void patches_advance_cpu(const void *args)
{
	const struct patches_step *step = args;
	double *u = (double *)(uintptr_t)step->u;
	for (int32_t p = step->first; p < step->first + step->count; p++) {
		const struct patches_box *box = &step->box[p];
		for (int32_t k = 0; k < box->n[2]; k++)
			for (int32_t j = 0; j < box->n[1]; j++) {
				const int64_t at = box->origin + (int64_t)k * box->plane +
						   (int64_t)j * box->pitch;
				for (int32_t i = 0; i < box->n[0]; i++)
					u[at + i] += step->v[at + i];
			}
	}
}

/* ---- ghost values ---- */

void patches_ghosts_cpu(const void *args)
{
	const struct patches_ghost_list *ghosts = args;
	for (int32_t n = ghosts->first; n < ghosts->first + ghosts->count; n++) {
		const struct patches_ghost *link = &ghosts->link[n];
		for (int32_t b = 0; b < link->count_b; b++)
			for (int32_t a = 0; a < link->count_a; a++)
				patches_ghost_cell(ghosts, link, a, b);
	}
}
