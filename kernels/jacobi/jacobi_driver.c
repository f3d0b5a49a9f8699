/* SPDX-License-Identifier: MIT
 * Options, and what a run does. Nothing here names a machine: the same code runs on GPUs, runs on
 * host threads, and is planned for predictions.
 *
 * Each GPU has a part of the grid with `border` points of its neighbours around it. A cycle is
 * `border` iterations, each updating one point less of those, then the parts exchange borders.
 */
#include <stddef.h>
#include <string.h>

#include "kernels/kit/domain.h"
#include "traces/base/util.h"
#include "jacobi.h"

struct jacobi_params {
	/* as given */
	const char *size, *precision, *transport, *partition;
	int border, iterations;
	/* by prepare */
	int64_t rows, columns;
	uint32_t across;
	bool f64;
};

/* Every key of the configuration string is an option of the same name; help, completion and the
 * reading of configurations come from here. */
#define AT(field) offsetof(struct jacobi_params, field)
static const struct option_spec options[] = {
	{ "size", OPTION_TEXT, AT(size), "1024", 0, 0, "N|ROWSxCOLUMNS",
	  "grid points, boundary included" },
	{ "precision", OPTION_CHOICE, AT(precision), "f32", 0, 0, "f32|f64",
	  "floating point format" },
	{ "border", OPTION_INT, AT(border), "1", 1, 1 << 20, "B",
	  "iterations between border exchanges" },
	{ "transport", OPTION_CHOICE, AT(transport), "peer", 0, 0, "host|peer",
	  "borders through host memory, or GPU to GPU" },
	{ "partition", OPTION_TEXT, AT(partition), "strips", 0, 0, "strips|ROWSxCOLUMNS",
	  "a strip of rows a GPU, or so many blocks" },
	{ "iterations", OPTION_INT, AT(iterations), "100", 1, 1 << 30, "I",
	  "updates of each point" },
	{ 0 },
};

/* What tables and classes of runs ask of a configuration: they never read its string. */
/* clang-format off */
static const struct solver_column columns[] = {
	{ "rows", COLUMN_INT64, AT(rows), 0 },
	{ "columns", COLUMN_INT64, AT(columns), 0 },
	{ "border", COLUMN_INT, AT(border), 0 },
	{ "iterations", COLUMN_INT, AT(iterations), 0 },
	{ "transport", COLUMN_TEXT, AT(transport), 0 },
	{ 0 },
};
/* clang-format on */

/* Checks what options cannot know by themselves. */
static int prepare(void *given, uint32_t gpus)
{
	struct jacobi_params *p = given;
	char what[32];
	if (grid_parse_size(p->size, &p->rows, &p->columns) ||
	    parts_partition(p->partition, gpus, &p->across))
		return -1;
	p->f64 = !strcmp(p->precision, "f64");
	snprintf(what, sizeof(what), "border %d", p->border);
	return parts_check(&(struct parts){ .gpus = gpus,
					    .across = p->across,
					    .rows = p->rows,
					    .columns = p->columns,
					    .halo = p->border },
			   what);
}

/* The same run, the same string, always: tables of measurements are keyed by it. A key that came
 * later is left out where it has its default. */
static void config(const void *given, char text[CONFIG_BYTES])
{
	const struct jacobi_params *p = given;
	const bool strips = p->across == 1;
	snprintf(text, CONFIG_BYTES,
		 "size=%lldx%lld precision=%s border=%d transport=%s iterations=%d%s%s",
		 (long long)p->rows, (long long)p->columns, p->precision, p->border, p->transport,
		 p->iterations, strips ? "" : " partition=", strips ? "" : p->partition);
}

/* One iteration from buffer `from` to the other, `extension` points into the halo. */
static int sweep(const struct domain_work *w, struct machine_thread *t, int from, int64_t extension)
{
	const struct jacobi_params *p = w->base.params;
	const struct machine_ops *ops = t->machine->ops;
	const struct part *part = &w->domain.parts.part[t->gpu];
	const struct region r = part_region(part, extension);
	const uint32_t u = part->buffer[from], v = part->buffer[1 - from];
	const int64_t rows = r.row_end - r.row_begin, width = r.column_end - r.column_begin,
		      row_bytes = w->domain.parts.row_bytes;
	const struct jacobi_sweep args = {
		.u = ops->address(t->machine, u),
		.v = ops->address(t->machine, v),
		.pitch = w->domain.pitch,
		.row_begin = (int32_t)r.row_begin,
		.row_end = (int32_t)r.row_end,
		.column_begin = (int32_t)r.column_begin,
		.column_end = (int32_t)r.column_end,
	};
	/* What the launch is, and what models must know of it: points, bytes, ranges of buffers. */
	const struct machine_launch launch = {
		.name = p->f64 ? "jacobi_f64" : "jacobi_f32",
		.cpu = p->f64 ? jacobi_f64_cpu : jacobi_f32_cpu,
		.geometry = jacobi_geometry,
		.args = &args,
		.args_bytes = sizeof(args),
		.rows = rows,
		.columns = width,
		.points = rows * width,
		.dram_bytes = 2 * rows * width * (p->f64 ? 8 : 4), /* u once in, v once out */
		.resident_bytes = 2 * part->stored_rows * row_bytes,
		.access_count = 2,
		.access = {
			{ u, ACCESS_READ, (r.row_begin - 1) * row_bytes, (rows + 2) * row_bytes },
			{ v, ACCESS_WRITE, r.row_begin * row_bytes, rows * row_bytes },
		},
	};
	return ops->launch(t, part->stream, &launch);
}

/* The iterations between two exchanges. */
static int cycle(struct domain_work *w, struct machine_thread *t, int iterations)
{
	int *current = &w->domain.current[t->gpu];
	for (int left = iterations - 1; left >= 0; left--, *current = 1 - *current)
		if (sweep(w, t, *current, left))
			return -1;
	return 0;
}

static int core(struct solver_work *work, struct machine_thread *t)
{
	return domain_work_cycles(work, t, cycle);
}

/* For `warpreel time`: the launches of one iteration, over and over. */
static int iterate(struct solver_work *work, struct machine_thread *t)
{
	return sweep((struct domain_work *)work, t, 0, 0);
}

static int begin(struct solver_work *work)
{
	const struct jacobi_params *p = work->params;
	struct domain *domain = &((struct domain_work *)work)->domain;
	work->iterations = p->iterations;
	work->cycle = p->border;
	*domain = (struct domain){ .rows = p->rows,
				   .columns = p->columns,
				   .halo = p->border,
				   .across = p->across,
				   .buffers = 2,
				   .f64 = p->f64,
				   .peer = !strcmp(p->transport, "peer"),
				   .random = work->steady };
	return domain_make(domain, work->m, work->gpus);
}

/* What is not set here the kit does: start values, the way up and down, checksum and residual. */
extern const struct solver solver_jacobi;
const struct solver solver_jacobi = {
	.name = "jacobi",
	.summary = "2D Laplace, Dirichlet boundary, Jacobi iteration on strips or blocks",
	.params_bytes = sizeof(struct jacobi_params),
	.work_bytes = sizeof(struct domain_work),
	.options = options,
	.columns = columns,
	.prepare = prepare,
	.config = config,
	.begin = begin,
	.core = core,
	.iterate = iterate,
	.up = domain_work_up,
	DOMAIN_WORK_CALLBACKS,
};
