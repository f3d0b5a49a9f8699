/* SPDX-License-Identifier: MIT
 * From the start values to the end: steps and looks as the host asks the machine for them.
 */
#include <string.h>

#include "weak_launch.h"
#include "weak_work.h"

void weak_fill_pack(const struct weak_problem *p, float *pack)
{
	for (int field = 0; field < weak_fields(p->rule); field++)
		for (int block = 0; block < weak_blocks(&p->grid); block++) {
			const struct weak_place at = weak_place_of(&p->grid, block);
			for (int side = 0; side < 2; side++)
				for (int row = 0; row < WEAK_ROWS; row++)
					pack[weak_pack_at(&p->grid, field, block, side, row)] =
						*weak_value(p, field, at.plane,
							    at.down * WEAK_ROWS + row,
							    at.across * WEAK_COLUMNS +
								    side * (WEAK_COLUMNS - 1));
		}
}

/* Arguments but for the steps. */
static struct weak_launch arguments(const struct weak_work *w, uint32_t number)
{
	const struct weak_params *p = w->params;
	const struct weak_scheme *s = p->method;
	return (struct weak_launch){
		.values = weak_address(w, w->values[w->current]),
		.next = weak_address(w, w->values[s->synchronous ? !w->current : w->current]),
		.pack = weak_address(w, w->pack),
		.constants = weak_address(w, w->constants),
		.board = weak_address(w, w->board),
		.order = weak_address(w, w->order),
		.ages = p->ages || s->whole ? weak_address(w, w->ages) : NULL,
		.watch = p->watch ? weak_address(w, w->watch) : NULL,
		.grid = w->problem.grid,
		.terms = w->problem.terms,
		.omega = (float)w->omega,
		.tolerance = weak_fixed(w) ? -1 : (float)w->residual_wanted,
		.exchange = p->exchange,
		.number = number,
		.resident = p->resident,
		.communicating = (uint16_t)p->threads,
		.rule = (uint8_t)w->problem.rule,
		.inner = (uint8_t)p->inner_order,
		.talk = (uint8_t)s->talk,
		.combine = s->combine,
	};
}

static int launch(const struct weak_work *w, struct machine_thread *t, const char *name,
		  void (*cpu)(const void *args),
		  void (*geometry)(const void *args, struct launch_geometry *geometry),
		  const struct weak_launch *args)
{
	const uint32_t from = w->values[w->current],
		       to = w->values[w->params->method->synchronous ? !w->current : w->current];
	const int64_t values = weak_values_bytes(w), constants = weak_constants_bytes(w);
	const struct machine_launch request = {
		.name = name,
		.cpu = cpu,
		.args = args,
		.args_bytes = sizeof(*args),
		.geometry = geometry,
		.rows = w->problem.rows,
		.columns = w->problem.columns,
		.points = w->problem.free_nodes * (args->steps ? args->steps : 1),
		.dram_bytes = 2 * values + constants,
		.resident_bytes = 2 * values + constants,
		.access_count = 3,
		.access = {
			{ from, ACCESS_READ, 0, values },
			{ w->constants, ACCESS_READ, 0, constants },
			{ to, ACCESS_WRITE, 0, values },
		},
	};
	return weak_ops(w)->launch(t, w->stream, &request);
}

/* What a launch has found, after `done` steps; -1 after a message. */
static int look(struct weak_work *w, struct machine_thread *t, int done, uint32_t number)
{
	if (weak_copy(w, t, w->board, w->h_board, weak_board_bytes()) ||
	    weak_ops(w)->sync(t, w->stream))
		return -1;
	w->done = done;
	if (!weak_ops(w)->computes)
		return 0;
	const uint32_t *board = weak_address(w, w->h_board);
	memcpy(&w->change, board + WEAK_BOARD_CHANGE + number % 3, sizeof(w->change));
	return 0;
}

static const char *const residual_names[] = { "poisson_residual", "shape_residual" };

int weak_core(struct solver_work *work, struct machine_thread *t)
{
	struct weak_work *w = (struct weak_work *)work;
	const struct weak_params *p = w->params;
	const struct weak_scheme *s = p->method;
	uint32_t number = 0;
	if (s->whole) {
		struct weak_launch args = arguments(w, 0);
		args.steps = w->base.iterations;
		args.every = p->host_sync;
		if (launch(w, t, s->name[w->problem.rule], s->cpu, s->geometry, &args) ||
		    look(w, t, w->base.iterations, 0))
			return -1;
		if (weak_ops(w)->computes) {
			const uint32_t *board = weak_address(w, w->h_board);
			w->done = (int)board[WEAK_BOARD_STEPS];
		}
		return 0;
	}
	for (int done = 0; done < w->base.iterations; number++) {
		struct weak_launch args = arguments(w, number);
		const int left = w->base.iterations - done;
		args.steps = left < p->host_sync ? left : p->host_sync;
		args.every = s->talk == WEAK_SILENT ? args.steps : p->exchange;
		if (launch(w, t, s->name[w->problem.rule], s->cpu, s->geometry, &args))
			return -1;
		done += args.steps;
		if (s->synchronous)
			w->current = (w->current + args.steps) & 1;
		else if (launch(w, t, residual_names[w->problem.rule], weak_residual_cpu,
				weak_residual_geometry, &args))
			return -1;
		if (look(w, t, done, number))
			return -1;
		if (weak_ops(w)->computes && !weak_fixed(w) &&
		    !((double)w->change > w->residual_wanted))
			break;
	}
	return 0;
}
