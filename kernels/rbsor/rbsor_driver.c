/* SPDX-License-Identifier: MIT
 * The multi-GPU driver of red-black SOR, written once on struct machine.
 *
 * A cycle is `border` iterations without communication, then a border exchange. The exact scheme keeps 2b halo rows and lets each
 * colour consume one: sweep c of a cycle of s sweeps updates s - 1 - c rows beyond the strip. The thesis' scheme keeps b rows
 * and consumes one an iteration, both colours over the same rows, which is not red-black SOR.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../traces/util.h"
#include "rbsor.h"
#include "rbsor_geometry.h"
#include "rbsor_grid.h"
#include "rbsor_params.h"

enum side { NORTH, SOUTH, SIDES };

/* One GPU's part of the run. */
struct part {
	struct rbsor_strip strip;
	int64_t stored_rows;
	uint32_t grid, upload; /* device buffers; upload: row-major staging of the split layout */
	uint32_t stream;
	uint32_t done, sent; /* events: cycle computed; borders sent (peer) */
	uint32_t done_count, sent_count; /* counters: cycles whose event was recorded */
	uint32_t stage[SIDES]; /* pinned staging of the border sent through that side (host) */
	uint32_t written[SIDES], read[SIDES]; /* counters w and r of that border, thesis Figure 5.21 */
};

struct run {
	const struct rbsor_params *params;
	struct machine *m;
	uint32_t gpus, host_grid;
	int64_t word, pitch, row_bytes, host_row_bytes;
	struct part *part;
	int iterations; /* fewer than params->iterations while warming up */
};

struct kernel_entry {
	const char *name;
	void (*cpu)(const void *args);
	void (*geometry)(const void *args, struct launch_geometry *geometry);
};
static const struct kernel_entry sweep_kernel[2][2] = { /* [tuned][f64] */
	{ { "rbsor_paper_f32", rbsor_rows_f32_cpu, rbsor_paper_geometry }, { "rbsor_paper_f64", rbsor_rows_f64_cpu, rbsor_paper_geometry } },
	{ { "rbsor_tuned_f32", rbsor_tuned_f32_cpu, rbsor_tuned_f32_geometry },
	  { "rbsor_tuned_f64", rbsor_tuned_f64_cpu, rbsor_tuned_f64_geometry } },
};
static const struct kernel_entry split_kernel[2] = {
	{ "rbsor_split_f32", rbsor_split_f32_cpu, rbsor_layout_geometry }, { "rbsor_split_f64", rbsor_split_f64_cpu, rbsor_layout_geometry },
};
static const struct kernel_entry merge_kernel[2] = {
	{ "rbsor_merge_f32", rbsor_merge_f32_cpu, rbsor_layout_geometry }, { "rbsor_merge_f64", rbsor_merge_f64_cpu, rbsor_layout_geometry },
};

static int launch_sweep(struct run *r, struct machine_thread *t, int colour, int64_t extension)
{
	const struct rbsor_params *p = r->params;
	const struct part *part = &r->part[t->gpu];
	const struct rbsor_strip *s = &part->strip;
	int64_t begin = s->top - (s->has_north ? extension : 0);
	int64_t end = s->top + (s->end - s->begin) + (s->has_south ? extension : 0);
	const struct rbsor_sweep args = {
		.grid = r->m->ops->address(r->m, part->grid),
		.pitch = r->pitch,
		.columns = (int32_t)p->columns,
		.strip_rows = (int32_t)part->stored_rows,
		.row_begin = (int32_t)begin,
		.row_end = (int32_t)end,
		.first_row = (int32_t)(s->begin - s->top),
		.colour = colour,
		.omega = p->omega_used,
	};
	const struct kernel_entry *kernel = &sweep_kernel[p->tuned][p->f64];
	int64_t rows = end - begin;
	const struct machine_launch launch = {
		.name = kernel->name,
		.cpu = kernel->cpu,
		.geometry = kernel->geometry,
		.args = &args,
		.args_bytes = sizeof(args),
		.rows = rows,
		.columns = p->columns,
		.points = rows * p->columns / 2,
		/* split: own colour read and written, the other read; interleaved: every sector is read and written back */
		.dram_bytes = rows * p->columns * r->word * (p->tuned ? 3 : 4) / 2,
		.resident_bytes = part->stored_rows * r->row_bytes,
		.access_count = 2,
		.access = {
			{ part->grid, ACCESS_READ, (begin - 1) * r->row_bytes, (rows + 2) * r->row_bytes },
			{ part->grid, ACCESS_WRITE, begin * r->row_bytes, rows * r->row_bytes },
		},
	};
	return r->m->ops->launch(t, part->stream, &launch);
}

static int launch_layout(struct run *r, struct machine_thread *t, const struct kernel_entry *kernel)
{
	const struct part *part = &r->part[t->gpu];
	const struct rbsor_layout_args args = {
		.rows_grid = r->m->ops->address(r->m, part->upload),
		.grid = r->m->ops->address(r->m, part->grid),
		.rows_pitch = r->params->columns,
		.pitch = r->pitch,
		.columns = (int32_t)r->params->columns,
		.strip_rows = (int32_t)part->stored_rows,
		.first_row = (int32_t)(part->strip.begin - part->strip.top),
	};
	bool splits = kernel == &split_kernel[r->params->f64];
	int64_t rows_bytes = part->stored_rows * r->host_row_bytes, split_bytes = part->stored_rows * r->row_bytes;
	const struct machine_launch launch = {
		.name = kernel->name,
		.cpu = kernel->cpu,
		.geometry = kernel->geometry,
		.args = &args,
		.args_bytes = sizeof(args),
		.rows = part->stored_rows,
		.columns = r->params->columns,
		.points = part->stored_rows * r->params->columns,
		.dram_bytes = 2 * rows_bytes,
		.resident_bytes = rows_bytes + split_bytes,
		.access_count = 2,
		.access = {
			{ part->upload, splits ? ACCESS_READ : ACCESS_WRITE, 0, rows_bytes },
			{ part->grid, splits ? ACCESS_WRITE : ACCESS_READ, 0, split_bytes },
		},
	};
	return r->m->ops->launch(t, part->stream, &launch);
}

/* Whole strip between the host grid (row-major) and the device, halo included on the way up, own and boundary rows on the way down. */
static int transfer_strip(struct run *r, struct machine_thread *t, bool up)
{
	const struct part *part = &r->part[t->gpu];
	const struct rbsor_strip *s = &part->strip;
	uint32_t device = r->params->tuned ? part->upload : part->grid;
	int64_t device_row = r->params->tuned ? r->host_row_bytes : r->row_bytes;
	int64_t skip_top = !up && s->has_north ? s->top : 0, skip_bottom = !up && s->has_south ? s->bottom : 0;
	int64_t rows = part->stored_rows - skip_top - skip_bottom;
	int64_t host_offset = (s->begin - s->top + skip_top) * r->host_row_bytes;
	struct machine_copy copy = {
		.source = up ? r->host_grid : device,
		.target = up ? device : r->host_grid,
		.source_offset_bytes = up ? host_offset : skip_top * device_row,
		.target_offset_bytes = up ? skip_top * device_row : host_offset,
		.row_bytes = r->host_row_bytes,
		.rows = rows,
		.source_pitch_bytes = up ? r->host_row_bytes : device_row,
		.target_pitch_bytes = up ? device_row : r->host_row_bytes,
	};
	if (device_row == r->host_row_bytes) { /* one piece */
		copy.row_bytes *= rows;
		copy.rows = 1;
	}
	return r->m->ops->copy(t, part->stream, &copy);
}

/* Byte range of the rows this part sends through a side, and of its halo there. */
static int64_t edge_offset(const struct run *r, const struct part *part, enum side side, int64_t halo)
{
	const struct rbsor_strip *s = &part->strip;
	int64_t row = side == NORTH ? s->top : s->top + (s->end - s->begin) - halo;
	return row * r->row_bytes;
}

static int64_t halo_offset(const struct run *r, const struct part *part, enum side side)
{
	const struct rbsor_strip *s = &part->strip;
	return (side == NORTH ? 0 : s->top + (s->end - s->begin)) * r->row_bytes;
}

/* The sides of GPU g that have a neighbour, in chessboard order (thesis Figure 5.23): odd ranks north first. */
static int sides_of(const struct run *r, uint32_t g, enum side order[SIDES])
{
	int count = 0;
	for (int k = 0; k < SIDES; k++) {
		enum side side = (g & 1) == (uint32_t)(k == 0) ? NORTH : SOUTH;
		if (side == NORTH ? r->part[g].strip.has_north : r->part[g].strip.has_south)
			order[count++] = side;
	}
	return count;
}

/* GPU to GPU: push borders into the neighbours' halos, ordered by events; counters only say that an event has been recorded. */
static int exchange_peer(struct run *r, struct machine_thread *t, int64_t cycle)
{
	const struct machine_ops *ops = r->m->ops;
	const struct part *me = &r->part[t->gpu];
	int64_t halo = rbsor_halo_rows(r->params);
	enum side order[SIDES];
	int sides = sides_of(r, t->gpu, order);
	if (ops->record(t, me->stream, me->done) || ops->post(t, me->done_count, cycle + 1, AWAIT_SPIN))
		return -1;
	for (int k = 0; k < sides; k++) {
		const struct part *peer = order[k] == NORTH ? me - 1 : me + 1;
		const struct machine_copy copy = {
			.source = me->grid,
			.target = peer->grid,
			.source_offset_bytes = edge_offset(r, me, order[k], halo),
			.target_offset_bytes = halo_offset(r, peer, order[k] == NORTH ? SOUTH : NORTH),
			.row_bytes = halo * r->row_bytes,
			.rows = 1,
		};
		if (ops->await(t, peer->done_count, cycle + 1, AWAIT_SPIN) || ops->wait(t, me->stream, peer->done) ||
		    ops->copy(t, me->stream, &copy))
			return -1;
	}
	if (ops->record(t, me->stream, me->sent) || ops->post(t, me->sent_count, cycle + 1, AWAIT_SPIN))
		return -1;
	for (int k = 0; k < sides; k++) {
		const struct part *peer = order[k] == NORTH ? me - 1 : me + 1;
		if (ops->await(t, peer->sent_count, cycle + 1, AWAIT_SPIN) || ops->wait(t, me->stream, peer->sent))
			return -1;
	}
	return 0;
}

/* Through host memory, thesis Figure 5.21: read and write counters, a mutex and a condition variable each. */
static int exchange_host(struct run *r, struct machine_thread *t, int64_t cycle)
{
	const struct machine_ops *ops = r->m->ops;
	const struct part *me = &r->part[t->gpu];
	int64_t halo = rbsor_halo_rows(r->params), bytes = halo * r->row_bytes;
	enum side order[SIDES];
	int sides = sides_of(r, t->gpu, order);
	for (int k = 0; k < sides; k++) {
		enum side mine = order[k], theirs = mine == NORTH ? SOUTH : NORTH;
		const struct part *peer = mine == NORTH ? me - 1 : me + 1;
		const struct machine_copy down = {
			.source = me->grid, .target = me->stage[mine], .row_bytes = bytes, .rows = 1,
			.source_offset_bytes = edge_offset(r, me, mine, halo),
		};
		const struct machine_copy up = {
			.source = peer->stage[theirs], .target = me->grid, .row_bytes = bytes, .rows = 1,
			.target_offset_bytes = halo_offset(r, me, mine),
		};
		if (ops->await(t, me->read[mine], cycle, AWAIT_BLOCK) || ops->copy(t, me->stream, &down) ||
		    ops->sync(t, me->stream) || ops->post(t, me->written[mine], cycle + 1, AWAIT_BLOCK) ||
		    ops->await(t, peer->written[theirs], cycle + 1, AWAIT_BLOCK) || ops->copy(t, me->stream, &up) ||
		    ops->sync(t, me->stream) || ops->post(t, peer->read[theirs], cycle + 1, AWAIT_BLOCK))
			return -1;
	}
	return 0;
}

static int compute_cycle(struct run *r, struct machine_thread *t, int iterations)
{
	for (int k = 0; k < iterations; k++) {
		for (int colour = 0; colour < 2; colour++) {
			int64_t left = r->params->thesis ? iterations - 1 - k : 2 * iterations - 1 - (2 * k + colour);
			if (launch_sweep(r, t, colour, left))
				return -1;
		}
	}
	return 0;
}

static int thread_body(struct machine_thread *t, void *arg)
{
	struct run *r = arg;
	const struct machine_ops *ops = r->m->ops;
	const struct part *part = &r->part[t->gpu];
	bool f64 = r->params->f64, tuned = r->params->tuned;
	int border = r->params->border;

	if (ops->mark(t, MARK_TOTAL_BEGIN) || ops->barrier(t) || transfer_strip(r, t, true) ||
	    (tuned && launch_layout(r, t, &split_kernel[f64])) || ops->sync(t, part->stream) ||
	    ops->mark(t, MARK_CORE_BEGIN) || ops->barrier(t))
		return -1;
	for (int done = 0, cycle = 0; done < r->iterations; cycle++) {
		int now = r->iterations - done < border ? r->iterations - done : border;
		if (compute_cycle(r, t, now))
			return -1;
		done += now;
		if (r->gpus > 1 && done < r->iterations &&
		    (r->params->peer ? exchange_peer(r, t, cycle) : exchange_host(r, t, cycle)))
			return -1;
	}
	if (ops->sync(t, part->stream) || ops->mark(t, MARK_CORE_END) ||
	    (tuned && launch_layout(r, t, &merge_kernel[f64])) || transfer_strip(r, t, false) ||
	    ops->sync(t, part->stream) || ops->mark(t, MARK_TOTAL_END))
		return -1;
	return 0;
}

static int make_part(struct run *r, uint32_t g)
{
	struct machine *m = r->m;
	const struct machine_ops *ops = m->ops;
	struct part *part = &r->part[g];
	part->strip = rbsor_strip_of(r->params, r->gpus, g);
	part->stored_rows = part->strip.end - part->strip.begin + part->strip.top + part->strip.bottom;
	if (ops->buffer(m, g, SPACE_DEVICE, part->stored_rows * r->row_bytes, &part->grid) ||
	    (r->params->tuned && ops->buffer(m, g, SPACE_DEVICE, part->stored_rows * r->host_row_bytes, &part->upload)) ||
	    ops->stream(m, g, &part->stream))
		return -1;
	if (r->gpus == 1)
		return 0;
	if (r->params->peer)
		return ops->event(m, g, &part->done) || ops->event(m, g, &part->sent) || ops->counter(m, &part->done_count) ||
		       ops->counter(m, &part->sent_count) || (g > 0 && ops->peer_access(m, g, g - 1)) ||
		       (g + 1 < r->gpus && ops->peer_access(m, g, g + 1)) ? -1 : 0;
	for (int side = 0; side < SIDES; side++)
		if (ops->buffer(m, g, SPACE_PINNED, rbsor_halo_rows(r->params) * r->row_bytes, &part->stage[side]) ||
		    ops->counter(m, &part->written[side]) || ops->counter(m, &part->read[side]))
			return -1;
	return 0;
}

/* One timed run; its threads' marks give the times. */
static int run_once(struct run *r, struct machine_thread *threads, struct solver_result *result)
{
	/* Counters start at zero each time: new ones are cheaper than resetting them safely. */
	for (uint32_t g = 0; g < r->gpus && r->gpus > 1; g++) {
		struct part *part = &r->part[g];
		const struct machine_ops *ops = r->m->ops;
		if (r->params->peer) {
			if (ops->counter(r->m, &part->done_count) || ops->counter(r->m, &part->sent_count))
				return -1;
			continue;
		}
		for (int side = 0; side < SIDES; side++)
			if (ops->counter(r->m, &part->written[side]) || ops->counter(r->m, &part->read[side]))
				return -1;
	}
	if (r->m->ops->run(r->m, r->gpus, thread_body, r, threads))
		return -1;
	int64_t last[MARK_COUNT] = { INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN };
	for (uint32_t g = 0; g < r->gpus; g++)
		for (int mark = 0; mark < MARK_COUNT; mark++)
			if (threads[g].mark_ns[mark] > last[mark])
				last[mark] = threads[g].mark_ns[mark];
	*result = (struct solver_result){
		.core_ns = last[MARK_CORE_END] - last[MARK_CORE_BEGIN],
		.total_ns = last[MARK_TOTAL_END] - last[MARK_TOTAL_BEGIN],
		.iterations = r->iterations,
		.residual = NAN,
	};
	return 0;
}

/* Short runs, at least one, until the clocks are up: outside every measurement. */
static int warm_up(struct run *r, struct machine_thread *threads, int warm_up_ms)
{
	struct solver_result ignored;
	int64_t until = monotonic_ns() + (int64_t)warm_up_ms * 1000000;
	int full = r->iterations, few = 4 * r->params->border;
	r->iterations = few < full ? few : full;
	int rc;
	do {
		rc = run_once(r, threads, &ignored);
	} while (!rc && monotonic_ns() < until);
	r->iterations = full;
	return rc;
}

int rbsor_run(const void *params, struct machine *m, uint32_t gpus, const struct solver_request *request,
	      struct solver_result *results)
{
	const struct rbsor_params *p = params;
	struct run r = { .params = p, .m = m, .gpus = gpus, .iterations = p->iterations };
	int rc = -1;
	r.word = p->f64 ? 8 : 4;
	/* Split halves hold (columns + 1) / 2 points and one beyond, so that an east neighbour may always be read. */
	r.pitch = (p->columns + (p->tuned ? 2 : 0) + 127) / 128 * 128;
	r.row_bytes = r.pitch * r.word;
	r.host_row_bytes = p->columns * r.word;
	r.part = xcalloc(gpus, sizeof(*r.part));
	struct machine_thread *threads = xcalloc(gpus, sizeof(*threads));
	if (m->ops->buffer(m, 0, SPACE_PINNED, p->rows * r.host_row_bytes, &r.host_grid))
		goto out;
	for (uint32_t g = 0; g < gpus; g++)
		if (make_part(&r, g))
			goto out;
	void *h_grid = m->ops->address(m, r.host_grid);
	bool runs = h_grid != NULL; /* the plan machine has no memory */
	struct rbsor_grid grid = { h_grid, p->rows, p->columns, p->f64 };
	if (runs) {
		rbsor_grid_fill(&grid, request->seed);
		if (strcmp(m->ops->name, "cpu") && request->warm_up_ms >= 0 && warm_up(&r, threads, request->warm_up_ms))
			goto out;
	}
	char config[CONFIG_BYTES];
	rbsor_config(p, config);
	for (int k = 0; k < request->repeat; k++) {
		if (runs)
			rbsor_grid_fill(&grid, request->seed);
		solver_note_run("rbsor", config, gpus);
		if (run_once(&r, threads, &results[k]))
			goto out;
		solver_note_run(NULL, NULL, 0);
		if (runs && request->verify && (k == 0 || k == request->repeat - 1))
			results[k].checksum = rbsor_grid_check(&grid, &results[k].residual);
	}
	rc = 0;
out:
	free(threads);
	free(r.part);
	return rc;
}
