/* SPDX-License-Identifier: MIT */
#include "rbsor_params.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kit/grid.h"
#include "rbsor_geometry.h"
#include "traces/base/util.h"

/* Appendix B of the thesis caps any omega there. */
static const double THESIS_OMEGA_MOST = 1.9;

#define AT(field) offsetof(struct rbsor_params, field)
const struct option_spec rbsor_options[] = {
	{ "size", OPTION_TEXT, AT(size), "1024", 0, 0, "N|ROWSxCOLUMNS",
	  "grid points, boundary included" },
	{ "precision", OPTION_CHOICE, AT(precision), "f32", 0, 0, "f32|f64",
	  "floating point format" },
	{ "kernel", OPTION_CHOICE, AT(kernel), "tuned", 0, 0,
	  "paper|tuned|fused|temporal|persistent|auto",
	  "the thesis' shared-memory one, the colour-split one; a pass an iteration, a pass for "
	  "several, all in one launch; auto: which simulates as the fastest" },
	{ "depth", OPTION_INT, AT(depth), "6", 1, 8, "T",
	  "iterations of a pass of kernel temporal, at most" },
	{ "scheme", OPTION_CHOICE, AT(scheme), "exact", 0, 0, "exact|thesis",
	  "2b halo rows, one a colour; or b rows, one an iteration (not red-black SOR)" },
	{ "border", OPTION_INT, AT(border), "1", 1, 1 << 20, "B",
	  "iterations between border exchanges" },
	{ "transport", OPTION_CHOICE, AT(transport), "peer", 0, 0, "host|peer",
	  "borders through host memory, or GPU to GPU" },
	{ "partition", OPTION_TEXT, AT(partition), "strips", 0, 0, "strips|ROWSxCOLUMNS",
	  "a strip of rows a GPU, or so many blocks" },
	{ "sync", OPTION_CHOICE, AT(sync), "usual", 0, 0, "usual|spin|condition|one-thread|graph",
	  "how host threads wait for each other: as the transport usually does, spinning, or on "
	  "condition variables; or one thread for all GPUs, alone or with CUDA graphs" },
	{ "order", OPTION_CHOICE, AT(order), "chessboard", 0, 0, "chessboard|free",
	  "which neighbour is served first: odd ranks the one before, even ones the one behind; or "
	  "the one before by all" },
	{ "staging", OPTION_CHOICE, AT(staging), "pinned", 0, 0, "pinned|pageable",
	  "host memory that borders of transport host go through" },
	{ "iterations", OPTION_INT, AT(iterations), "100", 1, 1 << 30, "I",
	  "red and black half-sweeps" },
	{ "omega", OPTION_REAL, AT(omega), "0", 0, 2, "W",
	  "relaxation factor; 0 takes the optimum" },
	{ "timing", OPTION_CHOICE, AT(timing), "plain", 0, 0, "plain|thesis",
	  "thesis: wait for every kernel and copy, grid in pageable memory, omega at most 1.9" },
	{ 0 },
};

/* clang-format off */
const struct solver_column rbsor_columns[] = {
	{ "rows", COLUMN_INT64, AT(rows), 0 },
	{ "columns", COLUMN_INT64, AT(columns), 0 },
	{ "border", COLUMN_INT, AT(border), 0 },
	{ "iterations", COLUMN_INT, AT(iterations), 0 },
	{ "transport", COLUMN_TEXT, AT(transport), 0 },
	{ 0 },
};
/* clang-format on */

double rbsor_optimal_omega(int64_t rows, int64_t columns)
{
	double mu = 0.5 * (cos(M_PI / (double)(rows + 1)) + cos(M_PI / (double)(columns + 1)));
	return 2.0 / (1.0 + sqrt(1.0 - mu * mu));
}

int64_t rbsor_halo_rows(const struct rbsor_params *params)
{
	return params->thesis ? params->border : 2 * (int64_t)params->border;
}

/* What `auto` takes one of. */
static const struct rbsor_way {
	const char *kernel;
	int depth;
} ways[] = { { "tuned", 0 },	{ "fused", 0 },	   { "temporal", 2 },  { "temporal", 4 },
	     { "temporal", 6 }, { "temporal", 8 }, { "persistent", 0 } };

/* The k-th way that the other parameters allow; NULL: there are no more. */
static const struct rbsor_way *way_of(const struct rbsor_params *p, uint32_t gpus, int k)
{
	const bool strips = !strcmp(p->partition, "strips"), thesis = !strcmp(p->scheme, "thesis");
	int64_t rows, columns;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		const bool tuned = !strcmp(ways[i].kernel, "tuned"),
			   persistent = !strcmp(ways[i].kernel, "persistent");
		if (tuned	 ? !strips
		    : persistent ? thesis || gpus > 1 || !strcmp(p->sync, "graph") ||
					   grid_parse_size(p->size, &rows, &columns) ||
					   !rbsor_persistent_kernel_of(rows, columns)
				 : thesis || (gpus > 1 && ways[i].depth > p->border))
			continue;
		if (!k--)
			return &ways[i];
	}
	return NULL;
}

int rbsor_ways(const void *given, uint32_t gpus)
{
	const struct rbsor_params *p = given;
	int count = 0;
	while (!strcmp(p->kernel, "auto") && way_of(p, gpus, count))
		count++;
	return count;
}

void rbsor_take(void *given, uint32_t gpus, int way)
{
	struct rbsor_params *p = given;
	const struct rbsor_way *w = way_of(p, gpus, way);
	p->kernel = w->kernel;
	p->depth = w->depth ? w->depth : p->depth;
}

int rbsor_prepare(void *given, uint32_t gpus)
{
	struct rbsor_params *p = given;
	if (!strcmp(p->kernel, "auto"))
		return report("kernel auto: solve and predict choose; name one here (of a list, "
			      "warpreel sweep --best does)");
	if (grid_parse_size(p->size, &p->rows, &p->columns) ||
	    parts_partition(p->partition, gpus, &p->across))
		return -1;
	p->f64 = !strcmp(p->precision, "f64");
	p->tuned = !strcmp(p->kernel, "tuned");
	p->thesis = !strcmp(p->scheme, "thesis");
	p->peer = !strcmp(p->transport, "peer");
	p->timed = !strcmp(p->timing, "thesis");
	p->passes = !strcmp(p->kernel, "fused") || !strcmp(p->kernel, "temporal");
	p->pass_depth = !strcmp(p->kernel, "temporal") ? p->depth : 1;
	p->persistent = !strcmp(p->kernel, "persistent");
	if (p->persistent && gpus > 1)
		return report("kernel persistent runs on one GPU, not on %u", gpus);
	if (p->persistent && !rbsor_persistent_kernel_of(p->rows, p->columns))
		return report("kernel persistent has no tiles for %lldx%lld: a grid of at least 7 "
			      "rows that the registers of one GPU hold; --kernel temporal",
			      (long long)p->rows, (long long)p->columns);
	if ((p->passes || p->persistent) && p->thesis)
		return report("scheme thesis is for kernels paper and tuned, not for %s",
			      p->kernel);
	if (p->tuned && p->across > 1)
		return report("kernel tuned keeps the colours of a row apart, so that it takes "
			      "strips only: --kernel temporal, fused or paper for partition %s",
			      p->partition);
	p->graph = !strcmp(p->sync, "graph");
	p->one_thread = p->graph || !strcmp(p->sync, "one-thread");
	if (p->graph && !p->peer && gpus > 1)
		return report(
			"sync graph: a graph holds no waits of the host, which transport host "
			"has");
	if (p->graph && p->persistent)
		return report("sync graph: kernel persistent is one launch");
	if (p->one_thread && p->timed)
		return report("timing thesis waits for every kernel and copy: one thread for all "
			      "GPUs would let them work one after the other");
	p->omega_used = p->omega > 0 ? p->omega : rbsor_optimal_omega(p->rows, p->columns);
	if (p->timed && p->omega_used > THESIS_OMEGA_MOST)
		p->omega_used = THESIS_OMEGA_MOST;
	char what[32];
	snprintf(what, sizeof(what), "border %d", p->border);
	return parts_check(&(struct parts){ .gpus = gpus,
					    .across = p->across,
					    .rows = p->rows,
					    .columns = p->columns,
					    .halo = rbsor_halo_rows(p) },
			   what);
}

void rbsor_config(const void *given, char text[CONFIG_BYTES])
{
	const struct rbsor_params *p = given;
	int length = snprintf(text, CONFIG_BYTES,
			      "size=%lldx%lld precision=%s kernel=%s scheme=%s border=%d "
			      "transport=%s iterations=%d",
			      (long long)p->rows, (long long)p->columns, p->precision, p->kernel,
			      p->scheme, p->border, p->transport, p->iterations);
	/* What came later, where it is not as it always was. */
#define ADD(when, ...)                                                                             \
	if (when)                                                                                  \
	length += snprintf(text + length, (size_t)(CONFIG_BYTES - length), __VA_ARGS__)
	ADD(p->omega > 0, " omega=%.17g", p->omega);
	ADD(!strcmp(p->kernel, "temporal"), " depth=%d", p->depth);
	ADD(p->across > 1, " partition=%s", p->partition);
	ADD(strcmp(p->sync, "usual"), " sync=%s", p->sync);
	ADD(strcmp(p->order, "chessboard"), " order=%s", p->order);
	ADD(strcmp(p->staging, "pinned"), " staging=%s", p->staging);
	ADD(p->timed, " timing=thesis");
#undef ADD
}
