/* SPDX-License-Identifier: MIT
 * A sweep of multi-layer SSOR, in tiles, layer by layer or in colours.
 */
#include "mlssor_work.h"

/* All tiles of [begin, end) with row indices [from, to) and column indices from `column` on, in
 * lexicographic order. */
static int launch_rows(struct mlssor_work *r, struct machine_thread *t, bool backward, int32_t from,
		       int32_t to, int32_t column, struct mlssor_range strip)
{
	const int32_t parts = mlssor_params_of(r)->parts;
	for (int32_t row = from; row < to; row++, column = 0)
		for (int32_t c = column; c < parts; c++) {
			const struct mlssor_launch launch = { backward,	   row,	      c,
							      strip.begin, strip.end, false };
			if (mlssor_launch_tiles(r, t, &launch))
				return -1;
		}
	return 0;
}

static int launch_one(struct mlssor_work *r, struct machine_thread *t, bool backward, int32_t row,
		      int32_t column, struct mlssor_range strip)
{
	const struct mlssor_launch launch = {
		backward, row, column, strip.begin, strip.end, false
	};
	return mlssor_launch_tiles(r, t, &launch);
}

/* K11, K12 and K21 in one, K22, on one GPU. */
static int fused_sweep(struct mlssor_work *r, struct machine_thread *t, bool backward)
{
	const struct mlssor_range strip = mlssor_strip(r, t->gpu, backward);
	const struct mlssor_launch middle = { backward, 0, 1, strip.begin, strip.end, true };
	return launch_one(r, t, backward, 0, 0, strip) || mlssor_launch_tiles(r, t, &middle) ||
			       launch_one(r, t, backward, 1, 1, strip)
		       ? -1
		       : 0;
}

/*
 * One sweep of a strip. The last kernel of the lower tile rows (K12) takes the strip's first
 * subdomain row before the others, so that it is on its way while they and K21 of all but the last
 * row are made.
 */
static int sweep(struct mlssor_work *r, struct machine_thread *t, bool backward, int64_t number)
{
	const int32_t top = mlssor_params_of(r)->parts - 1;
	const struct mlssor_range strip = mlssor_strip(r, t->gpu, backward);
	const bool before = mlssor_has(r, t->gpu, TO_BEFORE, backward),
		   after = mlssor_has(r, t->gpu, TO_AFTER, backward);
	const int32_t edge = before ? strip.begin + 1 : strip.begin,
		      inner = after ? strip.end - 1 : strip.end;
	const struct mlssor_range first = { strip.begin, edge }, rest = { edge, strip.end },
				  most = { strip.begin, inner }, last = { inner, strip.end };
	if (r->base.gpus == 1 && mlssor_params_of(r)->launches == 3)
		return fused_sweep(r, t, backward);
	for (int32_t row = 0; row < top; row++)
		for (int32_t column = 0; column < top + (row < top - 1); column++)
			if (launch_one(r, t, backward, row, column, strip))
				return -1;
	if (launch_one(r, t, backward, top - 1, top, first) ||
	    (before && mlssor_edge(r, t, backward, number)) ||
	    mlssor_send(r, t, TO_BEFORE, backward, number) ||
	    launch_one(r, t, backward, top - 1, top, rest) ||
	    launch_one(r, t, backward, top, 0, most) ||
	    mlssor_receive(r, t, TO_BEFORE, backward, number) ||
	    launch_one(r, t, backward, top, 0, last) ||
	    launch_rows(r, t, backward, top, top + 1, 1, strip))
		return -1;
	return mlssor_send(r, t, TO_AFTER, backward, number) ||
			       mlssor_receive(r, t, TO_AFTER, backward, number)
		       ? -1
		       : 0;
}

int mlssor_make_layers(struct mlssor_work *r, struct machine_thread *t, int layer)
{
	const struct mlssor_params *p = mlssor_params_of(r);
	const bool backward = mlssor_backward(p, layer);
	switch (p->method->program) {
	case PROGRAM_TILES:
		return sweep(r, t, backward, layer / p->layers);
	case PROGRAM_SEQUENTIAL:
		return mlssor_launch_layer(r, t, backward);
	case PROGRAM_REDBLACK:
		break;
	}
	for (int colour = 0; colour < 2; colour++)
		if (mlssor_launch_colour(r, t, colour) ||
		    (r->base.gpus > 1 &&
		     parts_exchange(&r->domain.parts, t, 2 * (int64_t)layer + colour, 0)))
			return -1;
	return 0;
}
