/* SPDX-License-Identifier: MIT */
#include "rbsor_params.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "rbsor_geometry.h"
#include "traces/base/util.h"

/* Appendix B of the thesis caps any omega there. */
static const double THESIS_OMEGA_MOST = 1.9;

#define AT(field) offsetof(struct rbsor_params, field)
const struct option_spec rbsor_options[] = {
	STENCIL_SIZE,
	STENCIL_PRECISION,
	{ "kernel", OPTION_CHOICE, AT(kernel), "tuned", 0, 0,
	  "paper|texture|tuned|store|fused|temporal|trapezoid|persistent|resident|auto",
	  "paper: of the thesis, through shared memory\n"
	  "texture: of the thesis, through textures\n"
	  "tuned: each colour stored by itself\n"
	  "store: as tuned, and writes borders into the neighbour GPU's memory\n"
	  "fused: both colours in one launch\n"
	  "temporal: up to --depth iterations in one launch\n"
	  "trapezoid: the same with fewer updates, evenly over the device\n"
	  "persistent: all iterations in one launch\n"
	  "resident: the same, a flag a warp in place of one a block\n"
	  "auto: the one that is fastest when simulated" },
	{ "indices", OPTION_CHOICE, AT(indices), "any", 0, 0, "any|strips|branch|blocks",
	  "how kernel paper finds a point's colour\n"
	  "any: one expression for every partition\n"
	  "strips, branch, blocks: the thesis' index for strips, the same with branches, and for "
	  "blocks" },
	{ "depth", OPTION_INT, AT(depth), "6", 1, 8, "T",
	  "most iterations of one launch of kernels temporal and trapezoid" },
	{ "scheme", OPTION_CHOICE, AT(scheme), "exact", 0, 0, "exact|thesis",
	  "exact: 2 B halo rows, one a colour\n"
	  "thesis: B halo rows, one an iteration, which is not quite red-black SOR" },
	STENCIL_BORDER,
	STENCIL_TRANSPORT,
	STENCIL_PARTITION,
	{ "sync", OPTION_CHOICE, AT(sync), "usual", 0, 0,
	  "usual|spin|condition|one-thread|graph|nccl|nccl-put",
	  "how host threads wait for each other\n"
	  "usual: as suits the transport\n"
	  "spin, condition: by polling, or on condition variables\n"
	  "one-thread: one thread drives all GPUs\n"
	  "graph: the same, with CUDA graphs\n"
	  "nccl, nccl-put: not at all; NCCL sends and receives borders, or puts them" },
	{ "order", OPTION_CHOICE, AT(order), "chessboard", 0, 0, "chessboard|free|boss-worker",
	  "which neighbour gets its border first\n"
	  "chessboard: the previous one from odd ranks, the next one from even ranks\n"
	  "free: the previous one from all\n"
	  "boss-worker: both at once, by a thread each (through host memory)" },
	{ "staging", OPTION_CHOICE, AT(staging), "pinned", 0, 0, "pinned|pageable",
	  "host memory that borders of transport host go through" },
	STENCIL_ITERATIONS("red and black half-sweeps"),
	{ "omega", OPTION_REAL, AT(omega), "0", 0, 2, "W",
	  "relaxation factor; 0 takes the optimum" },
	{ "timing", OPTION_CHOICE, AT(timing), "plain", 0, 0, "plain|thesis",
	  "thesis: as the thesis measured, with a wait for every kernel and copy, the grid in "
	  "pageable memory, and omega at most 1.9" },
	{ 0 },
};

double rbsor_optimal_omega(int64_t rows, int64_t columns)
{
	double mu = 0.5 * (cos(M_PI / (double)(rows + 1)) + cos(M_PI / (double)(columns + 1)));
	return 2.0 / (1.0 + sqrt(1.0 - mu * mu));
}

int64_t rbsor_halo_rows(const struct rbsor_params *params)
{
	if (params->store)
		return 1;
	return params->thesis ? params->grid.border : 2 * (int64_t)params->grid.border;
}

/* What choices of --kernel and --sync mean; the options let no other name in. */
static const struct rbsor_kernel {
	const char *name;
	bool tuned, texture, store;    /* a kernel a colour: colours of a row apart; ... */
	bool by_indices;	       /* --indices say how it finds a point's colour */
	bool passes, deep, persistent; /* whole iterations: one, --depth or all in a launch */
	bool trapezoid;		       /* deep, without updates that nobody needs */
	bool resident;		       /* persistent, a flag a warp */
} kernels[] = {
	{ .name = "paper", .by_indices = true },
	{ .name = "texture", .texture = true },
	{ .name = "tuned", .tuned = true },
	{ .name = "store", .tuned = true, .store = true },
	{ .name = "fused", .passes = true },
	{ .name = "temporal", .passes = true, .deep = true },
	{ .name = "trapezoid", .passes = true, .deep = true, .trapezoid = true },
	{ .name = "persistent", .persistent = true },
	{ .name = "resident", .persistent = true, .resident = true },
	{ .name = "auto" },
};

static const struct rbsor_sync syncs[] = {
	{ .name = "usual" },
	{ .name = "spin", .waits_so = true, .policy = AWAIT_SPIN },
	{ .name = "condition", .waits_so = true, .policy = AWAIT_BLOCK },
	{ .name = "one-thread", .one_thread = true },
	{ .name = "graph", .one_thread = true, .graph = true },
	{ .name = "nccl", .messages = true, .channel = CHANNEL_SEND_RECEIVE },
	{ .name = "nccl-put", .messages = true, .channel = CHANNEL_PUT },
};

static const struct rbsor_kernel *kernel_of(const char *name)
{
	size_t k = 0;
	while (strcmp(kernels[k].name, name))
		k++;
	return &kernels[k];
}

static const struct rbsor_sync *sync_of(const char *name)
{
	size_t k = 0;
	while (strcmp(syncs[k].name, name))
		k++;
	return &syncs[k];
}

/* What `auto` takes one of. */
static const struct rbsor_way {
	const char *kernel;
	int depth;
} ways[] = { { "tuned", 0 },	 { "fused", 0 },      { "temporal", 2 },  { "temporal", 4 },
	     { "temporal", 6 },	 { "temporal", 8 },   { "trapezoid", 4 }, { "trapezoid", 6 },
	     { "trapezoid", 8 }, { "persistent", 0 }, { "resident", 0 } };

/* Whether the registers of one GPU do, by such a kernel. */
static bool holds(int64_t rows, int64_t columns, bool resident)
{
	const struct rbsor_persistent_kernel *kernel = rbsor_persistent_kernel_of(rows, columns);
	return kernel && kernel->name[resident][0];
}

/* The k-th way that the other parameters allow; NULL: there are no more. */
static const struct rbsor_way *way_of(const struct rbsor_params *p, uint32_t gpus, int k)
{
	const bool strips = !strcmp(p->grid.partition, "strips"),
		   thesis = !strcmp(p->scheme, "thesis");
	int64_t rows, columns;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		const struct rbsor_kernel *kernel = kernel_of(ways[i].kernel);
		if (kernel->tuned	 ? !strips
		    : kernel->persistent ? thesis || gpus > 1 || sync_of(p->sync)->graph ||
						   grid_parse_size(p->grid.size, &rows, &columns) ||
						   !holds(rows, columns, kernel->resident)
					 : thesis || (gpus > 1 && ways[i].depth > p->grid.border))
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

/* Kernels of one colour on the thesis' tiles. */
static const struct sweep {
	const char *kernel, *indices;
	bool strips; /* alone */
} sweeps[] = {
#define SWEEP(kernel, indices, name, strips) { #kernel, #indices, strips },
#include "rbsor_sweeps.def"
#undef SWEEP
};

static int sweep_of(const struct rbsor_params *p)
{
	for (size_t k = 0; k < sizeof(sweeps) / sizeof(sweeps[0]); k++)
		if (!strcmp(sweeps[k].kernel, p->kernel) && !strcmp(sweeps[k].indices, p->indices))
			return (int)k;
	return -1;
}

/* What kernels of their own kinds cannot do. */
static int check_sweep(const struct rbsor_params *p)
{
	if (strcmp(p->indices, "any") && !kernel_of(p->kernel)->by_indices)
		return report("indices %s are of kernel paper, not of %s", p->indices, p->kernel);
	if (p->grid.across > 1 && p->sweep >= 0 && sweeps[p->sweep].strips)
		return report("indices %s go by rows alone, which is right in strips only: "
			      "--indices blocks for partition %s",
			      p->indices, p->grid.partition);
	if (p->texture && p->graph)
		return report("sync graph: a graph would keep the textures of its first launches, "
			      "and kernel texture binds one for each");
	return 0;
}

static int check_store(const struct rbsor_params *p)
{
	if (p->grid.border != 1 || p->thesis)
		return report("kernel store sends borders after every colour: border 1, scheme "
			      "exact");
	if (!p->grid.peer || p->graph || p->messages || p->timed)
		return report("kernel store writes into the neighbour's memory itself: transport "
			      "peer, sync spin, condition or one-thread, timing plain");
	return 0;
}

int rbsor_prepare(void *given, uint32_t gpus)
{
	struct rbsor_params *p = given;
	if (!strcmp(p->kernel, "auto"))
		return report("kernel auto: solve and predict choose; name one here (of a list, "
			      "warpreel sweep --best does)");
	if (stencil_prepare(&p->grid, gpus))
		return -1;
	const struct rbsor_kernel *kernel = kernel_of(p->kernel);
	p->store = kernel->store;
	p->tuned = kernel->tuned;
	p->texture = kernel->texture;
	p->passes = kernel->passes;
	p->trapezoid = kernel->trapezoid;
	p->pass_depth = kernel->deep ? p->depth : 1;
	p->persistent = kernel->persistent;
	p->resident = kernel->resident;
	p->by = sync_of(p->sync);
	p->graph = p->by->graph;
	p->one_thread = p->by->one_thread;
	p->messages = p->by->messages;
	p->workers = !strcmp(p->order, "boss-worker");
	p->sweep = sweep_of(p);
	p->thesis = !strcmp(p->scheme, "thesis");
	p->timed = !strcmp(p->timing, "thesis");
	if (p->persistent && gpus > 1)
		return report("kernel %s runs on one GPU, not on %u", p->kernel, gpus);
	if (p->persistent && !holds(p->grid.rows, p->grid.columns, p->resident))
		return report("kernel %s has no tiles for %lldx%lld: a grid of at least 7 rows "
			      "that the registers of one GPU hold; --kernel temporal",
			      p->kernel, (long long)p->grid.rows, (long long)p->grid.columns);
	if ((p->passes || p->persistent) && p->thesis)
		return report("scheme thesis is for kernels paper, texture and tuned, not for %s",
			      p->kernel);
	if (p->tuned && p->grid.across > 1)
		return report("kernel %s keeps the colours of a row apart, so that it takes "
			      "strips only: --kernel temporal, fused or paper for partition %s",
			      p->kernel, p->grid.partition);
	if (p->graph && !p->grid.peer && gpus > 1)
		return report(
			"sync graph: a graph holds no waits of the host, which transport host "
			"has");
	if (p->graph && p->persistent)
		return report("sync graph: kernel %s is one launch", p->kernel);
	if (p->messages && !p->grid.peer && gpus > 1)
		return report("sync %s: borders go from GPU to GPU, which transport host does not",
			      p->sync);
	if (p->workers && (p->grid.peer || p->one_thread))
		return report("order boss-worker: workers wait for copies through host memory: "
			      "transport host, with a thread a GPU besides them");
	if (p->workers && p->timed)
		return report("timing thesis takes the times of a thread a GPU, and order "
			      "boss-worker has more");
	if (p->messages && p->timed)
		return report("timing thesis times copies, and sync %s has none", p->sync);
	if (p->one_thread && p->timed)
		return report("timing thesis waits for every kernel and copy: one thread for all "
			      "GPUs would let them work one after the other");
	if (check_sweep(p) || (p->store && check_store(p)))
		return -1;
	p->omega_used =
		p->omega > 0 ? p->omega : rbsor_optimal_omega(p->grid.rows, p->grid.columns);
	if (p->timed && p->omega_used > THESIS_OMEGA_MOST)
		p->omega_used = THESIS_OMEGA_MOST;
	return stencil_check_halo(&p->grid, gpus, rbsor_halo_rows(p));
}

void rbsor_config(const void *given, char text[CONFIG_BYTES])
{
	const struct rbsor_params *p = given;
	const struct {
		const char *name, *given, *always;
	} later[] = {
		{ "indices", p->indices, "any" },
		{ "partition", p->grid.partition, p->grid.across > 1 ? "" : p->grid.partition },
		{ "sync", p->sync, "usual" },
		{ "order", p->order, "chessboard" },
		{ "staging", p->staging, "pinned" },
	};
	int length = snprintf(text, CONFIG_BYTES,
			      "size=%lldx%lld precision=%s kernel=%s scheme=%s border=%d "
			      "transport=%s iterations=%d",
			      (long long)p->grid.rows, (long long)p->grid.columns,
			      p->grid.precision, p->kernel, p->scheme, p->grid.border,
			      p->grid.transport, p->grid.iterations);
	/* What came later, where it is not as it always was. */
#define ADD(when, ...)                                                                             \
	if (when)                                                                                  \
	length += snprintf(text + length, (size_t)(CONFIG_BYTES - length), __VA_ARGS__)
	ADD(p->omega > 0, " omega=%.17g", p->omega);
	ADD(kernel_of(p->kernel)->deep, " depth=%d", p->depth);
	for (size_t k = 0; k < sizeof(later) / sizeof(later[0]); k++)
		ADD(strcmp(later[k].given, later[k].always), " %s=%s", later[k].name,
		    later[k].given);
	ADD(p->timed, " timing=thesis");
#undef ADD
}
