/* SPDX-License-Identifier: MIT
 * The multi-GPU driver of red-black SOR, written once on struct machine.
 *
 * A cycle is `border` iterations without communication, then a border exchange. The exact scheme
 * keeps 2b halo rows and lets each colour consume one: sweep c of a cycle of s sweeps updates s - 1
 * - c rows beyond the strip. The thesis' scheme keeps b rows and consumes one an iteration, both
 * colours over the same rows, which is not red-black SOR.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"
#include "rbsor.h"
#include "rbsor_geometry.h"
#include "rbsor_grid.h"
#include "rbsor_params.h"

struct run {
	const struct rbsor_params *params;
	struct strips strips;
	uint32_t *upload; /* [gpus] device buffers: row-major staging of the split layout */
	uint32_t host_grid;
	int64_t word, pitch, host_row_bytes;
	int iterations; /* fewer than params->iterations while warming up */
};

struct kernel_entry {
	const char *name;
	void (*cpu)(const void *args);
	void (*geometry)(const void *args, struct launch_geometry *geometry);
};
static const struct kernel_entry sweep_kernel[2][2] = {
	/* [tuned][f64] */
	{ { "rbsor_paper_f32", rbsor_rows_f32_cpu, rbsor_paper_geometry },
	  { "rbsor_paper_f64", rbsor_rows_f64_cpu, rbsor_paper_geometry } },
	{ { "rbsor_tuned_f32", rbsor_tuned_f32_cpu, rbsor_tuned_f32_geometry },
	  { "rbsor_tuned_f64", rbsor_tuned_f64_cpu, rbsor_tuned_f64_geometry } },
};
static const struct kernel_entry split_kernel[2] = {
	{ "rbsor_split_f32", rbsor_split_f32_cpu, rbsor_layout_geometry },
	{ "rbsor_split_f64", rbsor_split_f64_cpu, rbsor_layout_geometry },
};
static const struct kernel_entry merge_kernel[2] = {
	{ "rbsor_merge_f32", rbsor_merge_f32_cpu, rbsor_layout_geometry },
	{ "rbsor_merge_f64", rbsor_merge_f64_cpu, rbsor_layout_geometry },
};

static int launch_sweep(struct run *r, struct machine_thread *t, int colour, int64_t extension)
{
	const struct rbsor_params *p = r->params;
	const struct strip_part *part = &r->strips.part[t->gpu];
	const struct strip *s = &part->strip;
	int64_t begin = s->top - (s->has_north ? extension : 0);
	int64_t end = s->top + (s->end - s->begin) + (s->has_south ? extension : 0);
	const struct rbsor_sweep args = {
		.grid = r->strips.m->ops->address(r->strips.m, part->grid),
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
	const uint32_t backward =
		p->tuned && args.colour
			? ACCESS_BACKWARD
			: 0; /* rbsor_tuned.cuh: black goes up where red went down */
	const struct machine_launch launch = {
		.name = kernel->name,
		.cpu = kernel->cpu,
		.geometry = kernel->geometry,
		.args = &args,
		.args_bytes = sizeof(args),
		.rows = rows,
		.columns = p->columns,
		.points = rows * p->columns / 2,
		/* split: own colour read and written, the other read;
		   interleaved: every sector is read and written back */
		.dram_bytes = rows * p->columns * r->word * (p->tuned ? 3 : 4) / 2,
		.resident_bytes = part->stored_rows * r->strips.row_bytes,
		.access_count = 2,
		.access = {
			{ part->grid, ACCESS_READ | backward, (begin - 1) * r->strips.row_bytes,
			  (rows + 2) * r->strips.row_bytes },
			{ part->grid, ACCESS_WRITE | backward, begin * r->strips.row_bytes,
			  rows * r->strips.row_bytes },
		},
	};
	return r->strips.m->ops->launch(t, part->stream, &launch);
}

static int launch_layout(struct run *r, struct machine_thread *t, const struct kernel_entry *kernel)
{
	const struct strip_part *part = &r->strips.part[t->gpu];
	const struct rbsor_layout_args args = {
		.rows_grid = r->strips.m->ops->address(r->strips.m, r->upload[t->gpu]),
		.grid = r->strips.m->ops->address(r->strips.m, part->grid),
		.rows_pitch = r->params->columns,
		.pitch = r->pitch,
		.columns = (int32_t)r->params->columns,
		.strip_rows = (int32_t)part->stored_rows,
		.first_row = (int32_t)(part->strip.begin - part->strip.top),
	};
	bool splits = kernel == &split_kernel[r->params->f64];
	int64_t rows_bytes = part->stored_rows * r->host_row_bytes,
		split_bytes = part->stored_rows * r->strips.row_bytes;
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
			{ r->upload[t->gpu], splits ? ACCESS_READ : ACCESS_WRITE, 0, rows_bytes },
			{ part->grid, splits ? ACCESS_WRITE : ACCESS_READ, 0, split_bytes },
		},
	};
	return r->strips.m->ops->launch(t, part->stream, &launch);
}

static int compute_cycle(struct run *r, struct machine_thread *t, int iterations)
{
	for (int k = 0; k < iterations; k++) {
		for (int colour = 0; colour < 2; colour++) {
			int64_t left = r->params->thesis ? iterations - 1 - k
							 : 2 * iterations - 1 - (2 * k + colour);
			if (launch_sweep(r, t, colour, left))
				return -1;
		}
	}
	return 0;
}

static int thread_body(struct machine_thread *t, void *arg)
{
	struct run *r = arg;
	const struct machine_ops *ops = r->strips.m->ops;
	const struct strip_part *part = &r->strips.part[t->gpu];
	bool f64 = r->params->f64, tuned = r->params->tuned;
	int border = r->params->border;
	const uint32_t device = tuned ? r->upload[t->gpu] : part->grid;
	const int64_t device_row = tuned ? r->host_row_bytes : r->strips.row_bytes;

	if (ops->mark(t, MARK_TOTAL_BEGIN) || ops->barrier(t) ||
	    strips_transfer(&r->strips, t, r->host_grid, r->host_row_bytes, device, device_row,
			    true) ||
	    (tuned && launch_layout(r, t, &split_kernel[f64])) || ops->sync(t, part->stream) ||
	    ops->mark(t, MARK_CORE_BEGIN) || ops->barrier(t))
		return -1;
	for (int done = 0, cycle = 0; done < r->iterations; cycle++) {
		int now = r->iterations - done < border ? r->iterations - done : border;
		if (compute_cycle(r, t, now))
			return -1;
		done += now;
		if (r->strips.gpus > 1 && done < r->iterations &&
		    strips_exchange(&r->strips, t, cycle))
			return -1;
	}
	if (ops->sync(t, part->stream) || ops->mark(t, MARK_CORE_END) ||
	    (tuned && launch_layout(r, t, &merge_kernel[f64])) ||
	    strips_transfer(&r->strips, t, r->host_grid, r->host_row_bytes, device, device_row,
			    false) ||
	    ops->sync(t, part->stream) || ops->mark(t, MARK_TOTAL_END))
		return -1;
	return 0;
}

/* One timed run; its threads' marks give the times. */
static int run_once(struct run *r, struct machine_thread *threads, struct solver_result *result)
{
	*result = (struct solver_result){ .iterations = r->iterations, .residual = NAN };
	return strips_run(&r->strips, thread_body, r, threads, &result->core_ns, &result->total_ns);
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

static void measure(struct run *r, struct machine *m, uint32_t gpus)
{
	const struct rbsor_params *p = r->params;
	r->word = p->f64 ? 8 : 4;
	/* Split halves hold (columns + 1) / 2 points and one beyond, so that an east neighbour may
	 * always be read. */
	r->pitch = (p->columns + (p->tuned ? 2 : 0) + 127) / 128 * 128;
	r->strips = (struct strips){ .m = m,
				     .gpus = gpus,
				     .rows = p->rows,
				     .halo = rbsor_halo_rows(p),
				     .row_bytes = r->pitch * r->word,
				     .peer = p->peer };
	r->host_row_bytes = p->columns * r->word;
}

int rbsor_run(const void *params, struct machine *m, uint32_t gpus,
	      const struct solver_request *request, struct solver_result *results)
{
	const struct rbsor_params *p = params;
	struct run r = { .params = p, .iterations = p->iterations };
	int rc = -1;
	measure(&r, m, gpus);
	r.upload = xcalloc(gpus, sizeof(*r.upload));
	struct machine_thread *threads = xcalloc(gpus, sizeof(*threads));
	if (m->ops->buffer(m, 0, SPACE_PINNED, p->rows * r.host_row_bytes, &r.host_grid) ||
	    strips_make(&r.strips))
		goto out;
	for (uint32_t g = 0; g < gpus && p->tuned; g++)
		if (m->ops->buffer(m, g, SPACE_DEVICE,
				   r.strips.part[g].stored_rows * r.host_row_bytes, &r.upload[g]))
			goto out;
	void *h_grid = m->ops->address(m, r.host_grid);
	bool runs = h_grid != NULL; /* the plan machine has no memory */
	struct rbsor_grid grid = { h_grid, p->rows, p->columns, p->f64 };
	if (runs) {
		rbsor_grid_fill(&grid, request->seed);
		if (strcmp(m->ops->name, "cpu") && request->warm_up_ms >= 0 &&
		    warm_up(&r, threads, request->warm_up_ms))
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
	free(r.upload);
	strips_release(&r.strips);
	return rc;
}

/* ---- kernels alone: one red and one black sweep of the whole grid on one GPU ---- */

struct steady {
	struct rbsor_params params;
	struct run run;
	uint32_t band; /* rows of random values, host */
	int64_t band_rows;
};

/* Random values wherever a sweep reads: a band of rows, made once, uploaded again and again. Both
 * layouts are rows of values. */
static int fill_steady(struct machine_thread *t, void *arg)
{
	struct steady *s = arg;
	const struct strips *strips = &s->run.strips;
	const struct machine_ops *ops = strips->m->ops;
	for (int64_t row = 0; row < strips->rows; row += s->band_rows) {
		int64_t left = strips->rows - row;
		const struct machine_copy copy = {
			.source = s->band,
			.target = strips->part[0].grid,
			.target_offset_bytes = row * strips->row_bytes,
			.row_bytes =
				(left < s->band_rows ? left : s->band_rows) * strips->row_bytes,
			.rows = 1,
		};
		if (ops->copy(t, strips->part[0].stream, &copy))
			return -1;
	}
	return ops->sync(t, strips->part[0].stream);
}

int rbsor_steady_begin(const void *params, struct machine *m, void **state, uint32_t *stream)
{
	const int64_t band_bytes = 8 << 20;
	const struct rbsor_params *p = params;
	struct steady *s = xcalloc(1, sizeof(*s));
	struct strips *strips = &s->run.strips;
	struct machine_thread thread;
	s->params = *p;
	s->run.params = &s->params;
	measure(&s->run, m, 1);
	s->band_rows =
		band_bytes / strips->row_bytes < p->rows ? band_bytes / strips->row_bytes : p->rows;
	if (s->band_rows < 1)
		s->band_rows = 1;
	if (strips_make(strips))
		goto bad;
	if (m->ops->address(m, strips->part[0].grid)) { /* the plan machine has no memory */
		if (m->ops->buffer(m, 0, SPACE_PINNED, s->band_rows * strips->row_bytes, &s->band))
			goto bad;
		const struct rbsor_grid band = { m->ops->address(m, s->band), s->band_rows,
						 s->run.pitch, p->f64 };
		rbsor_grid_fill(&band, 1);
		if (m->ops->run(m, 1, fill_steady, s, &thread))
			goto bad;
	}
	*state = s;
	*stream = strips->part[0].stream;
	return 0;
bad:
	rbsor_steady_end(s);
	return -1;
}

int rbsor_steady_iterate(void *state, struct machine_thread *t)
{
	struct steady *s = state;
	return launch_sweep(&s->run, t, 0, 0) || launch_sweep(&s->run, t, 1, 0) ? -1 : 0;
}

void rbsor_steady_end(void *state)
{
	struct steady *s = state;
	strips_release(&s->run.strips);
	free(s);
}
