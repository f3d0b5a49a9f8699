/* SPDX-License-Identifier: MIT */
#include "domain.h"

#include <stdlib.h>

#include "kernels/machine/machine_stopwatch.h"
#include "traces/base/util.h"

enum { RANDOM_BYTES = 8 << 20, PITCH_ELEMENTS = 128 };

/* Host memory: all rows, or as many random ones as make a few megabytes. */
static int make_host(struct domain *d, struct machine *m)
{
	const int64_t device_row = d->parts.row_bytes, word = d->f64 ? 8 : 4;
	int64_t row_bytes = d->host_row_bytes, rows = d->rows;
	if (d->random && !m->ops->computes)
		return 0;
	if (d->random) {
		rows = RANDOM_BYTES / device_row < rows ? RANDOM_BYTES / device_row : rows;
		rows = rows < 1 ? 1 : rows;
		row_bytes = device_row;
	}
	if (m->ops->buffer(m, 0, d->pageable ? SPACE_PAGEABLE : SPACE_PINNED, rows * row_bytes,
			   &d->host_grid))
		return -1;
	d->grid = (struct grid){ .h_cells = m->ops->address(m, d->host_grid),
				 .rows = rows,
				 .columns = row_bytes / word,
				 .f64 = d->f64 };
	if (d->line > 1 && !d->random)
		d->grid = (struct grid){ .h_cells = d->grid.h_cells,
					 .planes = rows,
					 .rows = d->columns,
					 .columns = d->line,
					 .f64 = d->f64 };
	return 0;
}

int domain_make(struct domain *d, struct machine *m, uint32_t gpus)
{
	const int64_t word = d->f64 ? 8 : 4, line = d->line ? d->line : 1;
	const uint32_t across = d->across ? d->across : 1;
	/* Split halves hold (columns + 1) / 2 points and one beyond, so that an east neighbour may
	 * always be read. */
	if (!d->pitch && across == 1)
		d->pitch = (d->columns * line + (d->layout == LAYOUT_SPLIT ? 2 : 0) +
			    PITCH_ELEMENTS - 1) /
			   PITCH_ELEMENTS * PITCH_ELEMENTS;
	d->host_row_bytes = d->columns * line * word;
	d->parts = (struct parts){ .m = m,
				   .gpus = gpus,
				   .across = across,
				   .rows = d->rows,
				   .columns = d->columns,
				   .halo = d->halo,
				   .column_bytes = line * word,
				   .row_bytes = d->pitch * word,
				   .buffers = d->buffers ? d->buffers : 1,
				   .peer = d->peer,
				   .free_order = d->free_order,
				   .pageable = d->pageable_staging,
				   .one_thread = d->one_thread,
				   .workers = d->workers,
				   .messages = d->messages,
				   .channel = d->channel };
	if ((!d->random && make_host(d, m)) || parts_make(&d->parts) ||
	    (d->random && make_host(d, m)))
		return -1;
	d->pitch = d->parts.row_bytes / word;
	d->current = xcalloc(gpus, sizeof(*d->current));
	if (d->layout != LAYOUT_SPLIT || d->random)
		return 0;
	d->upload = xcalloc(gpus, sizeof(*d->upload));
	for (uint32_t g = 0; g < gpus; g++)
		if (m->ops->buffer(m, g, SPACE_DEVICE,
				   d->parts.part[g].stored_rows * d->host_row_bytes, &d->upload[g]))
			return -1;
	return 0;
}

void domain_release(struct domain *d)
{
	free(d->upload);
	free(d->current);
	parts_release(&d->parts);
}

static int launch_layout(struct domain *d, struct machine_thread *t, bool splits)
{
	const struct part *part = &d->parts.part[t->gpu];
	const struct colour_layout layout = {
		.rows_buffer = d->upload[t->gpu],
		.split_buffer = part->buffer[0],
		.rows = part->stored_rows,
		.columns = d->columns,
		.first_row = part->rows.begin - part->rows.low,
		.pitch = d->pitch,
		.f64 = d->f64,
	};
	return colour_layout_launch(t, part->stream, &layout, splits);
}

/* Random values wherever a kernel reads: a band of rows, uploaded again and again. All layouts are
 * rows of values. */
static int random_up(struct domain *d, struct machine_thread *t, uint32_t device)
{
	const struct part *part = &d->parts.part[t->gpu];
	const int64_t row_bytes = d->parts.row_bytes,
		      band_rows = d->grid.rows; /* of one line each, in three dimensions too */
	for (int64_t row = 0; row < part->stored_rows; row += band_rows) {
		const int64_t left = part->stored_rows - row;
		const struct machine_copy copy = {
			.source = d->host_grid,
			.target = device,
			.target_offset_bytes = row * row_bytes,
			.row_bytes = (left < band_rows ? left : band_rows) * row_bytes,
			.rows = 1,
		};
		if (t->machine->ops->copy(t, part->stream, &copy))
			return -1;
	}
	return 0;
}

int domain_up(struct domain *d, struct machine_thread *t)
{
	const struct part *part = &d->parts.part[t->gpu];
	d->current[t->gpu] = 0;
	if (d->layout == LAYOUT_SPLIT && !d->random)
		return parts_transfer(&d->parts, t, d->host_grid, d->upload[t->gpu],
				      d->host_row_bytes, true) ||
				       launch_layout(d, t, true)
			       ? -1
			       : 0;
	for (int k = 0; k < d->parts.buffers; k++)
		if (d->random ? random_up(d, t, part->buffer[k])
			      : parts_transfer(&d->parts, t, d->host_grid, part->buffer[k],
					       d->parts.row_bytes, true))
			return -1;
	return 0;
}

int domain_down(struct domain *d, struct machine_thread *t, int which)
{
	const struct part *part = &d->parts.part[t->gpu];
	const bool split = d->layout == LAYOUT_SPLIT;
	return (split && launch_layout(d, t, false)) ||
			       parts_transfer(&d->parts, t, d->host_grid,
					      split ? d->upload[t->gpu] : part->buffer[which],
					      split ? d->host_row_bytes : d->parts.row_bytes, false)
		       ? -1
		       : 0;
}

/* ---- callbacks of solvers ---- */

static struct domain *domain_of(const struct solver_work *work)
{
	return &((struct domain_work *)(uintptr_t)work)->domain;
}

void domain_work_end(struct solver_work *work)
{
	domain_release(domain_of(work));
}

uint32_t domain_work_stream(const struct solver_work *work, uint32_t gpu)
{
	return domain_of(work)->parts.part[gpu].stream;
}

void domain_work_fill(struct solver_work *work, uint64_t seed)
{
	grid_fill(&domain_of(work)->grid, seed);
}

const struct grid *domain_work_grid(struct solver_work *work)
{
	return &domain_of(work)->grid;
}

int domain_work_restart(struct solver_work *work)
{
	return parts_restart(&domain_of(work)->parts);
}

int domain_work_up(struct solver_work *work, struct machine_thread *t)
{
	return domain_up(domain_of(work), t);
}

int domain_work_down(struct solver_work *work, struct machine_thread *t)
{
	return domain_down(domain_of(work), t, domain_of(work)->current[t->gpu]);
}

/* parts_exchange of the current buffer, timed where a stopwatch is set. */
static int domain_exchange(struct domain *domain, struct machine_thread *t, int cycle)
{
	machine_stopwatch_exchange(t, true);
	if (parts_exchange(&domain->parts, t, cycle, domain->current[t->gpu]))
		return -1;
	machine_stopwatch_exchange(t, false);
	return 0;
}

/* ---- one thread for all GPUs ---- */

struct cycles { /* as the body of struct machine_repeat has it */
	struct domain_work *w;
	int (*launches)(struct domain_work *work, struct machine_thread *t, int count);
	int count, iterations; /* cycles, and iterations of each */
	bool exchange;	       /* after each */
};

static int some_cycles(struct machine_thread *t, void *arg)
{
	const struct cycles *c = arg;
	struct domain *d = &c->w->domain;
	const struct machine_ops *ops = t->machine->ops;
	for (int k = 0; k < c->count; k++) {
		for (uint32_t g = 0; g < d->parts.gpus; g++)
			if (ops->drive(t, g) || c->launches(c->w, t, c->iterations))
				return -1;
		if (c->exchange && d->parts.gpus > 1 &&
		    parts_exchange_all(&d->parts, t, d->current))
			return -1;
	}
	return ops->drive(t, 0);
}

/* The streams of the other GPUs go on behind what that of GPU 0 has been given so far. */
static int fork_streams(struct machine_thread *t, const struct parts *parts)
{
	const struct machine_ops *ops = t->machine->ops;
	if (parts->gpus > 1 && ops->record(t, parts->part[0].stream, parts->fork[0]))
		return -1;
	for (uint32_t g = 1; g < parts->gpus; g++)
		if (ops->wait(t, parts->part[g].stream, parts->fork[0]))
			return -1;
	return 0;
}

/* The same, forked from the stream of GPU 0 and joined there. */
static int forked_cycles(struct machine_thread *t, void *arg)
{
	const struct cycles *c = arg;
	const struct parts *parts = &c->w->domain.parts;
	const struct machine_ops *ops = t->machine->ops;
	const uint32_t first = parts->part[0].stream;
	if (fork_streams(t, parts) || some_cycles(t, arg))
		return -1;
	for (uint32_t g = 1; g < parts->gpus; g++)
		if (ops->record(t, parts->part[g].stream, parts->fork[g]) ||
		    ops->wait(t, first, parts->fork[g]))
			return -1;
	return 0;
}

static int all_cycles(struct domain_work *w, struct machine_thread *t,
		      int (*launches)(struct domain_work *work, struct machine_thread *t,
				      int count))
{
	const int cycle = w->base.cycle, full = (w->base.iterations - 1) / cycle;
	struct cycles c = { w, launches, w->graph_cycles, cycle, true };
	const struct machine_repeat graphs = { .stream = w->domain.parts.part[0].stream,
					       .times =
						       w->graph_cycles ? full / w->graph_cycles : 0,
					       .body = forked_cycles,
					       .arg = &c,
					       .key = w };
	/* The graphs are on the stream of GPU 0 alone: what follows on others has to wait for them.
	 */
	if (graphs.times &&
	    (t->machine->ops->repeat(t, &graphs) || fork_streams(t, &w->domain.parts)))
		return -1;
	c.count = full - graphs.times * w->graph_cycles;
	if (some_cycles(t, &c))
		return -1;
	c = (struct cycles){ w, launches, 1, w->base.iterations - full * cycle, false };
	return some_cycles(t, &c);
}

int domain_work_cycles(struct solver_work *work, struct machine_thread *t,
		       int (*launches)(struct domain_work *work, struct machine_thread *t,
				       int count))
{
	struct domain_work *w = (struct domain_work *)work;
	if (work->one_thread)
		return all_cycles(w, t, launches);
	for (int done = 0, cycle = 0; done < work->iterations; cycle++) {
		const int left = work->iterations - done,
			  now = left < work->cycle ? left : work->cycle;
		if (launches(w, t, now))
			return -1;
		done += now;
		if (done < work->iterations && domain_exchange(&w->domain, t, cycle))
			return -1;
	}
	return 0;
}

int domain_work_help(struct solver_work *work, struct machine_thread *t)
{
	struct domain *d = domain_of(work);
	return parts_help(&d->parts, t, t->index - work->gpus, (work->iterations - 1) / work->cycle,
			  d->current);
}

int domain_work_check(struct solver_work *work, struct solver_result *result)
{
	result->checksum = grid_check(&domain_of(work)->grid, &result->residual);
	return 0;
}
