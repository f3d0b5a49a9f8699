/* SPDX-License-Identifier: MIT
 * What the driver of block relaxation asks its machine for: each launch with its arguments, shape
 * and the bytes it touches.
 */
#include "patches_geometry.h"
#include "patches_work.h"

static void *address(const struct patches_work *w, uint32_t buffer)
{
	return patches_ops(w)->address(w->base.m, buffer);
}

/* Bytes of u, and of f, that patches [first, first + count) of a GPU take. */
struct extent {
	int64_t u_at, u_bytes, f_at, f_bytes, cells;
};

static struct extent extent_of(const struct patches_box *box, int32_t count)
{
	const struct patches_box *last = &box[count - 1];
	struct extent e = { .u_at = 8 * (box->origin - box->plane - box->pitch - 4),
			    .f_at = 8 * box->first_cell };
	for (int32_t k = 0; k < count; k++)
		e.cells += (int64_t)box[k].n[0] * box[k].n[1] * box[k].n[2];
	e.u_bytes = 8 * (last->origin + (int64_t)last->plane * (last->n[2] + 1)) - e.u_at;
	e.f_bytes = 8 * (last->first_cell + (int64_t)last->n[0] * last->n[1] * last->n[2]) - e.f_at;
	return e;
}

static void add_access(struct machine_launch *launch, uint32_t buffer, uint32_t flags, int64_t at,
		       int64_t bytes)
{
	if (bytes > 0)
		launch->access[launch->access_count++] =
			(struct schedule_access){ buffer, flags, at, bytes };
}

static int launch_step(struct patches_work *w, struct machine_thread *t,
		       const struct patches_step *step, const struct machine_launch *how,
		       bool swapped, uint32_t stream)
{
	const struct patches_gpu *gpu = &w->gpu[t->gpu];
	const struct extent e =
		extent_of(w->tables.box + w->tables.first[t->gpu] + step->first, step->count);
	const uint32_t u = swapped ? gpu->v : gpu->u, v = swapped ? gpu->u : gpu->v;
	const bool in_place = w->params.method != METHOD_JACOBI ||
			      (w->params.kernel->stays && step->wave % 2 == 0);
	struct machine_launch launch = *how;
	launch.args = step;
	launch.args_bytes = sizeof(*step);
	launch.points = e.cells;
	launch.dram_bytes = 24 * e.cells;
	launch.resident_bytes = 2 * e.u_bytes + e.f_bytes;
	add_access(&launch, u, ACCESS_READ, e.u_at, e.u_bytes);
	add_access(&launch, in_place ? u : v, ACCESS_WRITE, e.u_at, e.u_bytes);
	add_access(&launch, gpu->f, ACCESS_READ, e.f_at, e.f_bytes);
	if (w->params.kernel->dense)
		add_access(&launch, gpu->inverse, ACCESS_READ, 0, 8 * w->tables.inverse_elements);
	else
		add_access(&launch, gpu->diagonal, ACCESS_READ, 0, 8 * w->tables.diagonal_elements);
	return patches_ops(w)->launch(t, stream, &launch);
}

static int64_t blocks_of(const struct patches_box *box, int32_t first, int32_t count)
{
	int64_t blocks = 0;
	for (int32_t k = first; k < first + count; k++)
		blocks += (int64_t)box[k].blocks[0] * box[k].blocks[1] * box[k].blocks[2];
	return blocks;
}

/* Residuals in the buffer of packed values, or a part of them; corrections lie `behind` them. As
 * many bytes as that are all residuals. */
struct packed {
	int64_t at, behind;
};

/* What comes round again from step to step. */
static int64_t gemm_resident(const struct patches_work *w, const struct extent *e,
			     const struct packed *packed)
{
	return 2 * e->u_bytes + e->f_bytes + 2 * packed->behind + 8 * w->tables.inverse_elements;
}

/* Residuals: from u and f to the packed values. Update: from them and u to v. */
static int launch_packed(struct patches_work *w, struct machine_thread *t,
			 const struct patches_step *step, bool update, const struct packed *packed,
			 bool swapped, uint32_t stream)
{
	const struct patches_gpu *gpu = &w->gpu[t->gpu];
	const struct extent e =
		extent_of(w->tables.box + w->tables.first[t->gpu] + step->first, step->count);
	struct machine_launch launch = {
		.name = update ? "patches_gemm_update" : "patches_gemm_residual",
		.cpu = update ? patches_gemm_update_cpu : patches_gemm_residual_cpu,
		.geometry = patches_packed_geometry,
		.args = step,
		.args_bytes = sizeof(*step),
		.points = e.cells,
		.dram_bytes = 24 * e.cells,
		.resident_bytes = gemm_resident(w, &e, packed),
	};
	add_access(&launch, swapped ? gpu->v : gpu->u, ACCESS_READ, e.u_at, e.u_bytes);
	if (update) {
		add_access(&launch, gpu->packed, ACCESS_READ, packed->at + packed->behind,
			   packed->behind);
		add_access(&launch, swapped ? gpu->u : gpu->v, ACCESS_WRITE, e.u_at, e.u_bytes);
	} else {
		add_access(&launch, gpu->f, ACCESS_READ, e.f_at, e.f_bytes);
		add_access(&launch, gpu->packed, ACCESS_WRITE, packed->at, packed->behind);
	}
	return patches_ops(w)->launch(t, stream, &launch);
}

/* What a product reads and writes: of all parts, or of one. */
struct product {
	struct packed packed;
	int64_t inverse_at, inverse_bytes, bytes; /* of residuals, and of corrections as many */
};

/* On a machine that computes, with its arguments: all products of the step. Without: one of a plan,
 * whose kernel is cuBLAS's choice. */
static int launch_product(struct patches_work *w, struct machine_thread *t,
			  const struct patches_step *step, const struct product *product,
			  int64_t resident_bytes, uint32_t stream)
{
	const struct patches_gpu *gpu = &w->gpu[t->gpu];
	const struct packed *packed = &product->packed;
	struct machine_launch launch = {
		.name = w->params.kernel->name[0],
		.cpu = w->params.kernel->cpu,
		.args = step,
		.args_bytes = step ? sizeof(*step) : 0,
		.points = product->bytes / 8,
		.dram_bytes = 2 * product->bytes + product->inverse_bytes,
		.resident_bytes = resident_bytes,
		.products = step ? 0 : 1,
	};
	/* Apart, since accesses of one buffer in a row count as one piece. */
	add_access(&launch, gpu->packed, ACCESS_READ, packed->at, product->bytes);
	add_access(&launch, gpu->inverse, ACCESS_READ, product->inverse_at, product->inverse_bytes);
	add_access(&launch, gpu->packed, ACCESS_WRITE, packed->at + packed->behind, product->bytes);
	return patches_ops(w)->launch(t, stream, &launch);
}

/* One launch does all parts on machines that compute; in a plan each is the product that it is. */
static int launch_products(struct patches_work *w, struct machine_thread *t,
			   const struct patches_step *step, const struct packed *packed,
			   uint32_t stream)
{
	const struct extent e =
		extent_of(w->tables.box + w->tables.first[t->gpu] + step->first, step->count);
	const int64_t resident_bytes = gemm_resident(w, &e, packed);
	struct product product = { *packed, 0, 8 * w->tables.inverse_elements, packed->behind };
	if (patches_ops(w)->computes)
		return launch_product(w, t, step, &product, resident_bytes, stream);
	for (int p = 0; p < PATCHES_PARTS; p++) {
		const int64_t side = patches_part_side(step->block, p);
		product.bytes = 8 * side * step->blocks;
		product.inverse_bytes = 8 * side * side;
		if (side && launch_product(w, t, NULL, &product, resident_bytes, stream))
			return -1;
		product.inverse_at += product.inverse_bytes;
		product.packed.at += product.bytes;
	}
	return 0;
}

/* A product of at most so many blocks as fit the buffer, `at` doubles into it: residuals, product,
 * update. */
static int launch_gemm(struct patches_work *w, struct machine_thread *t,
		       const struct patches_step *step, int64_t at, bool swapped, uint32_t stream)
{
	const struct packed packed = { 8 * at, 8 * (int64_t)step->blocks * step->block[0] *
						       step->block[1] * step->block[2] };
	return launch_packed(w, t, step, false, &packed, swapped, stream) ||
			       launch_products(w, t, step, &packed, stream) ||
			       launch_packed(w, t, step, true, &packed, swapped, stream)
		       ? -1
		       : 0;
}

int patches_join(struct patches_work *w, struct machine_thread *t, bool back)
{
	const struct machine_ops *ops = patches_ops(w);
	const struct patches_gpu *gpu = &w->gpu[t->gpu];
	if (!back && ops->record(t, gpu->stream, gpu->begun))
		return -1;
	for (int s = 0; s < w->sides; s++)
		if (back ? ops->record(t, gpu->side[s], gpu->done[s]) ||
				    ops->wait(t, gpu->stream, gpu->done[s])
			 : ops->wait(t, gpu->side[s], gpu->begun))
			return -1;
	return 0;
}

/* The largest of `count` patches: elements with ghost cells, and octets. */
static void size_steps(const struct patches_box *box, int32_t count, struct patches_step *step)
{
	int32_t octets = 1;
	step->tiles = 0;
	for (int32_t k = 0; k < count; k++) {
		const int32_t elements = patches_elements(&box[k]),
			      mine = patches_ceil(box[k].n[0], PATCHES_TILE) *
				     patches_ceil(box[k].n[1], PATCHES_TILE) *
				     patches_ceil(box[k].n[2], PATCHES_TILE);
		step->tiles = elements > step->tiles ? elements : step->tiles;
		octets = mine > octets ? mine : octets;
	}
	step->threads = 32 * octets < PATCHES_STEPS_THREADS ? 32 * octets : PATCHES_STEPS_THREADS;
}

int patches_launch(struct patches_work *w, struct machine_thread *t, int32_t first, int32_t count,
		   int number, uint32_t stream)
{
	const struct patches_params *p = &w->params;
	const struct patches_gpu *gpu = &w->gpu[t->gpu];
	const struct patches_box *box = w->tables.box + w->tables.first[t->gpu];
	const bool swapped = patches_swaps(p) && !p->each_step && number & 1;
	const bool in_place = p->method != METHOD_JACOBI;
	struct patches_step step = {
		.box = address(w, gpu->box),
		.u = address(w, swapped ? gpu->v : gpu->u),
		.f = address(w, gpu->f),
		.v = address(w, swapped || in_place ? gpu->u : gpu->v),
		.inverse = p->kernel->dense ? address(w, gpu->inverse) : NULL,
		.diagonal = address(w, gpu->diagonal),
		.packed = p->kernel->gemm ? address(w, gpu->packed) : NULL,
		.omega = p->omega_used,
		.stencil = { (float)p->stencil[0], (float)p->stencil[1], (float)p->stencil[2],
			     (float)p->stencil[3] },
		.block = { (int16_t)p->block[0], (int16_t)p->block[1], (int16_t)p->block[2] },
		.overlap = p->overlap,
		.wave = p->method == METHOD_CHAOTIC ? p->wave : 0,
		.threads = p->outer,
		.order = (uint32_t)number + 1 + (uint32_t)w->seed * 2654435761u,
		.side = w->tables.side,
	};
	const struct machine_launch advance = { .name = "patches_advance",
						.cpu = patches_advance_cpu,
						.geometry = patches_advance_geometry },
				    launch = { .name = p->kernel->name[in_place],
					       .cpu = p->kernel->cpu,
					       .geometry = p->kernel->geometry };
	/* Products of several parts take turns on the side streams, so that one's residuals and
	 * update, which memory bounds, run beside another's product. A launch a patch has a side
	 * stream already, and its place in `packed`. */
	const bool whole = p->order == ORDER_WHOLE,
		   turns = whole && w->sides && count > 1 &&
			   blocks_of(box, first, count) > w->chunk_blocks;
	const int64_t place =
		2 * (int64_t)w->chunk_blocks * p->block[0] * p->block[1] * p->block[2];
	int turn = whole || !w->sides ? 0 : first % w->sides;
	if (turns && patches_join(w, t, false))
		return -1;
	while (count > 0) {
		int32_t now = count, k;
		step.first = first;
		step.blocks = step.tiles = 0;
		for (k = 0; k < now; k++) {
			const struct patches_box *one = &box[first + k];
			const int32_t blocks = one->blocks[0] * one->blocks[1] * one->blocks[2];
			if (p->kernel->gemm && k && step.blocks + blocks > w->chunk_blocks)
				break;
			step.blocks += blocks;
			step.tiles += (int32_t)patches_tiles(one->n, w->tables.side);
		}
		step.count = k;
		if (p->kernel->stays) {
			step.wave = w->base.iterations;
			size_steps(box + first, k, &step);
		}
		if (turns)
			stream = gpu->side[turn];
		const int64_t at = turn * place;
		if (p->kernel->gemm && step.packed)
			step.packed = (double *)address(w, gpu->packed) + at;
		if (turns)
			turn = (turn + 1) % w->sides;
		if (p->kernel->gemm ? launch_gemm(w, t, &step, at, swapped, stream)
				    : launch_step(w, t, &step, &launch, swapped, stream))
			return -1;
		if (p->kernel->advance && launch_step(w, t, &step, &advance, swapped, stream))
			return -1;
		first += k;
		count -= k;
	}
	return turns ? patches_join(w, t, true) : 0;
}
