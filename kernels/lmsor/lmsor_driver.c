/* SPDX-License-Identifier: MIT
 * The driver of local modified SOR, written once on struct machine: one GPU or strips of rows, three ways to look at max|u|.
 *
 * Strips are exact: 2b halo rows for b iterations without communication, each sweep consumes one (as in red-black SOR). Points beyond
 * the strip have the values their owner has, so that they may take part in the norm.
 *
 *   check every, M   the norm of that iteration goes to the host, which waits for it and decides; with several GPUs all meet first
 *   check device     one GPU: sweeps look at the norm before them and do nothing once it is small, so the host may launch ahead in
 *                    chunks and the count stays exact. Several GPUs: none of them knows the others' norm in time, so all go on; the
 *                    host looks at a chunk while the next one runs, and when the end was in it, goes back to the chunk's first state
 *                    and does as many iterations as it takes.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../traces/util.h"
#include "../rbsor/rbsor.h"
#include "../rbsor/rbsor_geometry.h"
#include "../strips.h"
#include "lmsor_geometry.h"
#include "lmsor_grid.h"
#include "lmsor_params.h"
#include "lmsor_row.h"

enum { CHUNK = 32 }; /* iterations launched between two looks of check=device: two chunks of empty sweeps are lost at the end */

/* What a GPU has beside its strip. */
struct own {
	uint32_t terms, upload;    /* device buffers; upload: row-major staging of the split layout */
	uint32_t norm, h_norm;     /* slots 0 .. limit of max|u| after so many iterations; the host's copy is pinned */
	uint32_t saved[2];         /* the strip at the begin of the last two chunks (check=device, several GPUs) */
	uint32_t aside, event[2];  /* stream and events that bring a chunk's norms while the next one runs */
};

struct run {
	const struct lmsor_params *params;
	struct strips strips;
	struct own *own;
	uint32_t host_grid;
	int64_t pitch, host_row_bytes;
	int limit;      /* iterations at most */
	bool fixed;     /* exactly `limit` */
	bool runs;      /* false on the plan machine, which has no memory */
	int done;       /* by thread 0: iterations that were made */
	bool ended;     /* by thread 0: max|u| was small enough, or is no number */
};

static uint64_t bits_of(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static const struct machine_ops *ops_of(const struct run *r)
{
	return r->strips.m->ops;
}

static uint64_t *slot_of(const struct run *r, uint32_t buffer, int slot)
{
	uint64_t *slots = ops_of(r)->address(r->strips.m, buffer);
	return slots ? slots + slot : NULL;
}

/* One colour of a strip and `extension` rows beyond it; slot < 0: no norm. */
static int launch_sweep(struct run *r, struct machine_thread *t, int colour, int64_t extension, int slot, bool stops)
{
	const struct lmsor_params *p = r->params;
	const struct lmsor_method *method = p->method;
	const struct strip_part *part = &r->strips.part[t->gpu];
	const struct own *own = &r->own[t->gpu];
	const struct strip *s = &part->strip;
	const int64_t begin = s->top - (s->has_north ? extension : 0);
	const int64_t end = s->top + (s->end - s->begin) + (s->has_south ? extension : 0), rows = end - begin;
	const int64_t arrays = lmsor_arrays(method->stored), plane_row = r->pitch / 2 * 8, plane = part->stored_rows * plane_row;
	const struct lmsor_sweep args = {
		.grid = ops_of(r)->address(r->strips.m, part->grid),
		.terms = arrays ? ops_of(r)->address(r->strips.m, own->terms) : NULL,
		.norm = slot < 0 ? NULL : slot_of(r, own->norm, slot),
		.stop_at = stops ? bits_of(p->tolerance) : LMSOR_NEVER,
		.pitch = (int32_t)r->pitch,
		.columns = p->size,
		.strip_rows = (int32_t)part->stored_rows,
		.row_begin = (int32_t)begin,
		.row_end = (int32_t)end,
		.first_row = (int32_t)(s->begin - s->top),
		.colour = colour,
		.problem = p->p,
	};
	const struct machine_launch launch = {
		.name = method->name[slot >= 0],
		.cpu = method->cpu,
		.args = &args,
		.args_bytes = sizeof(args),
		.geometry = method->geometry,
		.rows = rows,
		.columns = p->size,
		.points = rows * p->size / 2,
		/* own colour read and written, the other read once, each stored term read */
		.dram_bytes = rows * p->size / 2 * 8 * (3 + arrays),
		.resident_bytes = part->stored_rows * r->strips.row_bytes + 2 * arrays * plane,
		.access_count = arrays ? 3 : 2,
		.access = {
			{ part->grid, ACCESS_READ, (begin - 1) * r->strips.row_bytes, (rows + 2) * r->strips.row_bytes },
			{ part->grid, ACCESS_WRITE, begin * r->strips.row_bytes, rows * r->strips.row_bytes },
			{ own->terms, ACCESS_READ, colour * arrays * plane + begin * plane_row,
			  arrays ? (arrays - 1) * plane + rows * plane_row : 0 },
		},
	};
	return ops_of(r)->launch(t, part->stream, &launch);
}

/* Between the row-major and the split layout: kernels of red-black SOR, which has the same two. */
static int launch_layout(struct run *r, struct machine_thread *t, bool splits)
{
	const struct strip_part *part = &r->strips.part[t->gpu];
	const struct own *own = &r->own[t->gpu];
	const struct rbsor_layout_args args = {
		.rows_grid = ops_of(r)->address(r->strips.m, own->upload),
		.grid = ops_of(r)->address(r->strips.m, part->grid),
		.rows_pitch = r->params->size,
		.pitch = r->pitch,
		.columns = r->params->size,
		.strip_rows = (int32_t)part->stored_rows,
		.first_row = (int32_t)(part->strip.begin - part->strip.top),
	};
	const int64_t rows_bytes = part->stored_rows * r->host_row_bytes, split_bytes = part->stored_rows * r->strips.row_bytes;
	const struct machine_launch launch = {
		.name = splits ? "rbsor_split_f64" : "rbsor_merge_f64",
		.cpu = splits ? rbsor_split_f64_cpu : rbsor_merge_f64_cpu,
		.args = &args,
		.args_bytes = sizeof(args),
		.geometry = rbsor_layout_geometry,
		.rows = part->stored_rows,
		.columns = r->params->size,
		.points = part->stored_rows * r->params->size,
		.dram_bytes = 2 * rows_bytes,
		.resident_bytes = rows_bytes + split_bytes,
		.access_count = 2,
		.access = {
			{ own->upload, splits ? ACCESS_READ : ACCESS_WRITE, 0, rows_bytes },
			{ part->grid, splits ? ACCESS_WRITE : ACCESS_READ, 0, split_bytes },
		},
	};
	return ops_of(r)->launch(t, part->stream, &launch);
}

static int launch_terms(struct run *r, struct machine_thread *t)
{
	const struct lmsor_method *method = r->params->method;
	const struct strip_part *part = &r->strips.part[t->gpu];
	const int64_t bytes = part->stored_rows * r->strips.row_bytes * lmsor_arrays(method->stored);
	const struct lmsor_setup args = {
		.terms = ops_of(r)->address(r->strips.m, r->own[t->gpu].terms),
		.pitch = (int32_t)r->pitch,
		.strip_rows = (int32_t)part->stored_rows,
		.first_row = (int32_t)(part->strip.begin - part->strip.top),
		.stored = (int32_t)method->stored,
		.problem = r->params->p,
	};
	const struct machine_launch launch = {
		.name = "lmsor_terms",
		.cpu = method->rows ? lmsor_terms_rows_cpu : lmsor_terms_cpu,
		.args = &args,
		.args_bytes = sizeof(args),
		.geometry = lmsor_terms_geometry,
		.rows = part->stored_rows,
		.columns = r->params->size,
		.points = part->stored_rows * r->params->size,
		.dram_bytes = bytes,
		.resident_bytes = bytes,
		.access_count = 1,
		.access = { { r->own[t->gpu].terms, ACCESS_WRITE, 0, bytes } },
	};
	return bytes ? ops_of(r)->launch(t, part->stream, &launch) : 0;
}

/* Slots [from, to) of the norm, to the host or from it. */
static int copy_norms(struct run *r, struct machine_thread *t, uint32_t stream, int from, int to, bool down)
{
	const struct own *own = &r->own[t->gpu];
	const struct machine_copy copy = {
		.source = down ? own->norm : own->h_norm,
		.target = down ? own->h_norm : own->norm,
		.source_offset_bytes = from * (int64_t)sizeof(uint64_t),
		.target_offset_bytes = from * (int64_t)sizeof(uint64_t),
		.row_bytes = (to - from) * (int64_t)sizeof(uint64_t),
		.rows = 1,
	};
	return ops_of(r)->copy(t, stream, &copy);
}

/* max|u| over all GPUs, as bits, from the host's copies. */
static uint64_t norm_at(const struct run *r, int slot)
{
	uint64_t most = 0;
	for (uint32_t g = 0; g < r->strips.gpus; g++) {
		const uint64_t *norm = slot_of(r, r->own[g].h_norm, slot);
		if (norm && *norm > most)
			most = *norm;
	}
	return most;
}

/* The first of slots [from, to) after which nothing is left to do; `to` when there is none. */
static int end_among(const struct run *r, int from, int to)
{
	const uint64_t tolerance = bits_of(r->params->tolerance);
	for (int slot = from; slot < to && r->runs && !r->fixed; slot++) {
		uint64_t norm = norm_at(r, slot);
		if (norm <= tolerance || norm >= LMSOR_FINITE_END)
			return slot;
	}
	return to;
}

/* Iteration k, from 0, with the exchange that comes before it. */
static int one_iteration(struct run *r, struct machine_thread *t, int k, bool norm, bool stops)
{
	const int border = r->params->border, place = k % border, first = k - place;
	const int length = r->limit - first < border ? r->limit - first : border;
	if (r->strips.gpus > 1 && place == 0 && k > 0 && strips_exchange(&r->strips, t, k / border - 1))
		return -1;
	for (int colour = 0; colour < 2; colour++)
		if (launch_sweep(r, t, colour, 2 * length - 1 - (2 * place + colour), norm ? k + 1 : -1, stops))
			return -1;
	return 0;
}

static void note_end(struct run *r, const struct machine_thread *t, int done, bool ended)
{
	if (t->gpu > 0)
		return;
	r->done = done;
	r->ended = ended;
}

static int iterate_and_ask(struct run *r, struct machine_thread *t)
{
	const uint32_t stream = r->strips.part[t->gpu].stream;
	for (int k = 0; k < r->limit; k++) {
		const bool check = (k + 1) % r->params->check_every == 0;
		if (one_iteration(r, t, k, check, false))
			return -1;
		if (!check)
			continue;
		if (copy_norms(r, t, stream, k + 1, k + 2, true) || ops_of(r)->sync(t, stream) ||
		    (r->strips.gpus > 1 && ops_of(r)->barrier(t)))
			return -1;
		if (end_among(r, k + 1, k + 2) == k + 1) {
			note_end(r, t, k + 1, true);
			return 0;
		}
	}
	note_end(r, t, r->limit, false);
	return 0;
}

static int copy_strip(struct run *r, struct machine_thread *t, uint32_t from, uint32_t to)
{
	const struct strip_part *part = &r->strips.part[t->gpu];
	const struct machine_copy copy = {
		.source = from, .target = to, .row_bytes = part->stored_rows * r->strips.row_bytes, .rows = 1,
	};
	return ops_of(r)->copy(t, part->stream, &copy);
}

/* Iterations [from, to) without a look; the norms of the chunk go to the host on a stream beside. */
static int launch_chunk(struct run *r, struct machine_thread *t, int from, int to, int chunk)
{
	const struct strip_part *part = &r->strips.part[t->gpu];
	for (int k = from; k < to; k++)
		if (one_iteration(r, t, k, true, !r->fixed && r->strips.gpus == 1))
			return -1;
	return ops_of(r)->record(t, part->stream, r->own[t->gpu].event[chunk & 1]);
}

static int fetch_chunk(struct run *r, struct machine_thread *t, int from, int to, int chunk)
{
	const struct own *own = &r->own[t->gpu];
	return ops_of(r)->wait(t, own->aside, own->event[chunk & 1]) || copy_norms(r, t, own->aside, from + 1, to + 1, true) ? -1 : 0;
}

static int chunk_length(const struct run *r)
{
	const int border = r->params->border;
	return (CHUNK + border - 1) / border * border; /* whole cycles */
}

/* Back to the state at the begin of the chunk that starts with iteration `from`, and on to `done`. */
static int go_back(struct run *r, struct machine_thread *t, int from, int done, int64_t cycle)
{
	const struct strip_part *part = &r->strips.part[t->gpu];
	const int border = r->params->border, chunk = from / chunk_length(r);
	/* No GPU writes into a strip that has gone back, none goes on before all have. */
	if (ops_of(r)->sync(t, part->stream) || ops_of(r)->barrier(t) || copy_strip(r, t, r->own[t->gpu].saved[chunk & 1], part->grid) ||
	    ops_of(r)->sync(t, part->stream) || ops_of(r)->barrier(t))
		return -1;
	for (int k = from; k < done; k++) {
		const int place = k % border;
		if (place == 0 && k > 0 && strips_exchange(&r->strips, t, cycle++))
			return -1;
		for (int colour = 0; colour < 2; colour++)
			if (launch_sweep(r, t, colour, 2 * border - 1 - (2 * place + colour), -1, false))
				return -1;
	}
	return 0;
}

static int iterate_ahead(struct run *r, struct machine_thread *t)
{
	const struct own *own = &r->own[t->gpu];
	const bool several = r->strips.gpus > 1;
	const int length = chunk_length(r);
	int from = 0, before = -1; /* begin of the chunk being launched, and of the one before */
	for (int chunk = 0; from < r->limit; chunk++) {
		const int to = r->limit - from < length ? r->limit : from + length;
		if ((several && copy_strip(r, t, r->strips.part[t->gpu].grid, own->saved[chunk & 1])) ||
		    launch_chunk(r, t, from, to, chunk) || ops_of(r)->sync(t, own->aside) || (several && ops_of(r)->barrier(t)))
			return -1;
		if (before >= 0) {
			const int end = end_among(r, before + 1, from + 1);
			if (end <= from) {
				note_end(r, t, end, true);
				return several ? go_back(r, t, before, end, (to - 1) / r->params->border) : 0;
			}
		}
		if (fetch_chunk(r, t, from, to, chunk))
			return -1;
		before = from;
		from = to;
	}
	if (ops_of(r)->sync(t, own->aside) || (several && ops_of(r)->barrier(t)))
		return -1;
	const int end = end_among(r, before + 1, r->limit + 1);
	note_end(r, t, end <= r->limit ? end : r->limit, end <= r->limit);
	return several && end < r->limit ? go_back(r, t, before, end, (r->limit - 1) / r->params->border) : 0;
}

/* The strip from the host or back to it, by way of the row-major staging unless it lies that way itself. */
static int transfer(struct run *r, struct machine_thread *t, bool up)
{
	const struct strip_part *part = &r->strips.part[t->gpu];
	const bool rows = r->params->method->rows;
	return (!rows && !up && launch_layout(r, t, false)) ||
	       strips_transfer(&r->strips, t, r->host_grid, r->host_row_bytes, rows ? part->grid : r->own[t->gpu].upload,
			       rows ? r->strips.row_bytes : r->host_row_bytes, up) ||
	       (!rows && up && launch_layout(r, t, true)) ? -1 : 0;
}

/* All that an iteration finds: u, the terms, the norms before the first. */
static int set_up(struct run *r, struct machine_thread *t)
{
	const uint32_t stream = r->strips.part[t->gpu].stream;
	return transfer(r, t, true) || copy_norms(r, t, stream, 0, r->limit + 1, false) || launch_terms(r, t) ||
	       ops_of(r)->sync(t, stream) ? -1 : 0;
}

static int thread_body(struct machine_thread *t, void *arg)
{
	struct run *r = arg;
	const struct machine_ops *ops = ops_of(r);
	const uint32_t stream = r->strips.part[t->gpu].stream;
	if (ops->mark(t, MARK_TOTAL_BEGIN) || ops->barrier(t) || set_up(r, t) || ops->mark(t, MARK_CORE_BEGIN) || ops->barrier(t))
		return -1;
	if (r->params->check_every == CHECK_DEVICE ? iterate_ahead(r, t) : iterate_and_ask(r, t))
		return -1;
	return ops->sync(t, stream) || ops->mark(t, MARK_CORE_END) || transfer(r, t, false) || ops->sync(t, stream) ||
	       ops->mark(t, MARK_TOTAL_END) ? -1 : 0;
}

static int make_own(struct run *r, uint32_t g)
{
	struct machine *m = r->strips.m;
	const struct machine_ops *ops = m->ops;
	const struct lmsor_method *method = r->params->method;
	const int64_t stored_rows = r->strips.part[g].stored_rows, norms = (r->limit + 1) * (int64_t)sizeof(uint64_t);
	struct own *own = &r->own[g];
	if ((lmsor_arrays(method->stored) &&
	     ops->buffer(m, g, SPACE_DEVICE, stored_rows * r->strips.row_bytes * lmsor_arrays(method->stored), &own->terms)) ||
	    (!method->rows && ops->buffer(m, g, SPACE_DEVICE, stored_rows * r->host_row_bytes, &own->upload)) ||
	    ops->buffer(m, g, SPACE_DEVICE, norms, &own->norm) || ops->buffer(m, g, SPACE_PINNED, norms, &own->h_norm))
		return -1;
	if (r->params->check_every != CHECK_DEVICE)
		return 0;
	for (int k = 0; k < 2; k++)
		if (ops->event(m, g, &own->event[k]) ||
		    (r->strips.gpus > 1 && ops->buffer(m, g, SPACE_DEVICE, stored_rows * r->strips.row_bytes, &own->saved[k])))
			return -1;
	return ops->stream(m, g, &own->aside);
}

/* A fixed number of iterations asks for nothing more. */
static bool has_converged(const struct run *r)
{
	return r->fixed || (r->ended && norm_at(r, r->done) <= bits_of(r->params->tolerance));
}

/* What the host sends up at the begin of every run. */
static void fill_host(struct run *r)
{
	for (uint32_t g = 0; g < r->strips.gpus && r->runs; g++) {
		uint64_t *norm = slot_of(r, r->own[g].h_norm, 0);
		memset(norm, 0, (size_t)(r->limit + 1) * sizeof(*norm));
		norm[0] = bits_of(DBL_MAX); /* nothing has ended yet */
	}
	if (r->runs)
		lmsor_grid_fill(ops_of(r)->address(r->strips.m, r->host_grid), r->params->size, r->params->p.h);
}

/* max|u| of the last iteration, where it was looked at. */
static double last_norm(const struct run *r)
{
	const uint64_t bits = norm_at(r, r->done);
	double norm;
	memcpy(&norm, &bits, sizeof(norm));
	return bits ? norm : NAN;
}

/* One timed run; its threads' marks give the times. */
static int run_once(struct run *r, struct machine_thread *threads, struct solver_result *result)
{
	int64_t core_ns, total_ns;
	fill_host(r);
	if (strips_run(&r->strips, thread_body, r, threads, &core_ns, &total_ns))
		return -1;
	*result = (struct solver_result){
		.core_ns = core_ns,
		.total_ns = total_ns,
		.iterations = r->done,
		.residual = NAN,
		.unconverged = !has_converged(r),
		.extra = { (double)r->params->real_points, (double)r->params->imaginary_points, last_norm(r) },
	};
	return 0;
}

static void look_at_grid(const struct run *r, struct solver_result *result)
{
	const struct lmsor_params *p = r->params;
	double most;
	result->checksum = lmsor_grid_check(ops_of(r)->address(r->strips.m, r->host_grid), p->size, &p->p, &result->residual, &most);
	result->extra[2] = most;
}

/* Short runs, at least one, until the clocks are up: outside every measurement. */
static int warm_up(struct run *r, struct machine_thread *threads, int warm_up_ms)
{
	const int limit = r->limit;
	const bool fixed = r->fixed;
	const int64_t until = monotonic_ns() + (int64_t)warm_up_ms * 1000000;
	struct solver_result ignored;
	int rc;
	r->limit = limit < 4 * r->params->border ? limit : 4 * r->params->border;
	r->fixed = true;
	do {
		rc = run_once(r, threads, &ignored);
	} while (!rc && monotonic_ns() < until);
	r->limit = limit;
	r->fixed = fixed;
	return rc;
}

static int make_run(struct run *r, const struct lmsor_params *p, struct machine *m, uint32_t gpus)
{
	const struct lmsor_method *method = p->method;
	r->params = p;
	r->limit = p->iterations ? p->iterations : p->max_iterations;
	r->fixed = p->iterations > 0;
	/* Split halves hold (columns + 1) / 2 points and one beyond, so that an east neighbour may always be read. */
	r->pitch = method->rows ? p->size : (p->size + 2 + 127) / 128 * 128;
	r->host_row_bytes = p->size * 8;
	r->strips = (struct strips){ .m = m, .gpus = gpus, .rows = p->size, .halo = 2 * (int64_t)p->border, .row_bytes = r->pitch * 8,
				     .peer = p->peer };
	r->own = xcalloc(gpus, sizeof(*r->own));
	if (!method->geometry && strcmp(m->ops->name, "cpu"))
		return report("kernel %s is a CPU program: --backend cpu", p->kernel);
	if (m->ops->buffer(m, 0, SPACE_PINNED, p->size * r->host_row_bytes, &r->host_grid) || strips_make(&r->strips))
		return -1;
	r->runs = m->ops->address(m, r->host_grid) != NULL;
	if (!r->runs && !r->fixed)
		return report("a plan does not compute, so it cannot know when to stop: give --iterations");
	for (uint32_t g = 0; g < gpus; g++)
		if (make_own(r, g))
			return -1;
	return 0;
}

static void release_run(struct run *r)
{
	strips_release(&r->strips);
	free(r->own);
}

/* What the recorder is told: with the number of iterations, which planning the run anew needs. */
static void note_config(const struct lmsor_params *p, int iterations, char config[CONFIG_BYTES])
{
	struct lmsor_params counted = *p;
	counted.iterations = iterations;
	lmsor_config(&counted, config);
}

int lmsor_run(const void *params, struct machine *m, uint32_t gpus, const struct solver_request *request,
	      struct solver_result *results)
{
	const struct lmsor_params *p = params;
	struct run r = { 0 };
	int rc = -1, iterations = p->iterations;
	struct machine_thread *threads = xcalloc(gpus, sizeof(*threads));
	if (make_run(&r, p, m, gpus))
		goto out;
	if (r.runs && strcmp(m->ops->name, "cpu") && request->warm_up_ms >= 0 && warm_up(&r, threads, request->warm_up_ms))
		goto out;
	if (r.runs && !iterations && machine_annotate()) { /* recorded: one run to learn the count */
		if (run_once(&r, threads, &results[0]))
			goto out;
		iterations = r.done;
	}
	char config[CONFIG_BYTES];
	note_config(p, iterations, config);
	for (int k = 0; k < request->repeat; k++) {
		solver_note_run("lmsor", config, gpus);
		if (run_once(&r, threads, &results[k]))
			goto out;
		solver_note_run(NULL, NULL, 0);
		if (r.runs && request->verify && (k == 0 || k == request->repeat - 1))
			look_at_grid(&r, &results[k]);
	}
	rc = 0;
out:
	release_run(&r);
	free(threads);
	return rc;
}

static int steady_body(struct machine_thread *t, void *arg)
{
	return set_up(arg, t);
}

int lmsor_steady_begin(const void *params, struct machine *m, void **state, uint32_t *stream)
{
	struct run *r = xcalloc(1, sizeof(*r));
	struct machine_thread thread;
	struct lmsor_params *one = xmalloc(sizeof(*one)); /* a norm slot is all an iteration here needs */
	*one = *(const struct lmsor_params *)params;
	one->iterations = 1;
	*state = r;
	if (make_run(r, one, m, 1))
		goto fail;
	fill_host(r);
	if (r->runs && m->ops->run(m, 1, steady_body, r, &thread)) /* a plan shall hold the iterations alone */
		goto fail;
	*stream = r->strips.part[0].stream;
	return 0;
fail:
	r->params = one;
	lmsor_steady_end(r);
	*state = NULL;
	return -1;
}

/* Every iteration has the norm of the first for its own: the greatest of all, which costs the same. */
int lmsor_steady_iterate(void *state, struct machine_thread *t)
{
	struct run *r = state;
	const bool norm = r->params->check_every <= 1;
	return launch_sweep(r, t, 0, 0, norm ? 1 : -1, false) || launch_sweep(r, t, 1, 0, norm ? 1 : -1, false) ? -1 : 0;
}

void lmsor_steady_end(void *state)
{
	struct run *r = state;
	free((void *)(uintptr_t)r->params);
	release_run(r);
	free(r);
}
