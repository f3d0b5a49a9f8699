/* SPDX-License-Identifier: MIT
 * Breadth-first search as a solver: an iteration is a level.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "bfs.h"
#include "bfs_graph.h"
#include "kernels/kit/solver.h"
#include "traces/base/util.h"

struct bfs_params {
	const char *barrier;
	int vertices, edges, number;
	bool by_host; /* by prepare */
};

#define AT(field) offsetof(struct bfs_params, field)
static const struct option_spec options[] = {
	{ "vertices", OPTION_INT, AT(vertices), "3072", 1, BFS_MOST_VERTICES, "V", "of the graph" },
	{ "edges", OPTION_INT, AT(edges), "6144", 1, 1 << 24, "E",
	  "of the graph, between vertices drawn at random" },
	{ "number", OPTION_INT, AT(number), "1", 0, 2147483647, "N", "which random graph" },
	{ "barrier", OPTION_CHOICE, AT(barrier), "host", 0, 0, "host|block",
	  "between levels: two launches and a check by the host, or __syncthreads" },
	{ 0 },
};

struct bfs_work {
	struct solver_work base;
	struct bfs_graph graph;
	uint32_t stream, offset, neighbour, mark, count, status;
	uint32_t h_offset, h_neighbour, h_mark, h_count, h_status;
	int levels, done; /* as the reference has it; of the last run */
};

static const struct machine_ops *ops_of(const struct bfs_work *w)
{
	return w->base.m->ops;
}

static int64_t bytes_of(int64_t words)
{
	return words * (int64_t)sizeof(int32_t);
}

static int prepare(void *given, uint32_t gpus)
{
	struct bfs_params *p = given;
	if (gpus > 1)
		return report("a search is by one block of one GPU");
	p->by_host = !strcmp(p->barrier, "host");
	p->barrier = p->by_host ? "host" : "block";
	return 0;
}

static void config(const void *given, char text[CONFIG_BYTES])
{
	const struct bfs_params *p = given;
	snprintf(text, CONFIG_BYTES, "vertices=%d edges=%d number=%d barrier=%s", p->vertices,
		 p->edges, p->number, p->barrier);
}

static int make_pair(struct bfs_work *w, int64_t words, uint32_t *device, uint32_t *host)
{
	struct machine *m = w->base.m;
	return m->ops->buffer(m, 0, SPACE_DEVICE, bytes_of(words), device) ||
			       m->ops->buffer(m, 0, SPACE_PINNED, bytes_of(words), host)
		       ? -1
		       : 0;
}

static int begin(struct solver_work *work)
{
	struct bfs_work *w = (struct bfs_work *)work;
	const struct bfs_params *p = work->params;
	const int64_t vertices = p->vertices;
	bfs_graph_make(&w->graph, p->vertices, p->edges, (uint64_t)p->number);
	int32_t *count = xcalloc((size_t)p->vertices, sizeof(*count));
	work->iterations = w->levels = bfs_reference(&w->graph, count);
	free(count);
	return work->m->ops->stream(work->m, 0, &w->stream) ||
			       make_pair(w, vertices + 1, &w->offset, &w->h_offset) ||
			       make_pair(w, 2 * (int64_t)p->edges, &w->neighbour,
					 &w->h_neighbour) ||
			       make_pair(w, vertices, &w->mark, &w->h_mark) ||
			       make_pair(w, vertices, &w->count, &w->h_count) ||
			       make_pair(w, BFS_STATUS_WORDS, &w->status, &w->h_status)
		       ? -1
		       : 0;
}

static void end(struct solver_work *work)
{
	bfs_graph_release(&((struct bfs_work *)work)->graph);
}

static uint32_t stream(const struct solver_work *work, uint32_t gpu)
{
	(void)gpu;
	return ((const struct bfs_work *)work)->stream;
}

static void *address(const struct bfs_work *w, uint32_t buffer)
{
	return ops_of(w)->address(w->base.m, buffer);
}

static void fill(struct solver_work *work, uint64_t seed)
{
	const struct bfs_work *w = (const struct bfs_work *)work;
	const struct bfs_graph *g = &w->graph;
	int32_t *mark = address(w, w->h_mark), *count = address(w, w->h_count);
	(void)seed; /* the graph's number chooses it */
	memcpy(address(w, w->h_offset), g->offset, (size_t)bytes_of(g->vertices + 1));
	memcpy(address(w, w->h_neighbour), g->neighbour, (size_t)bytes_of(2 * (int64_t)g->edges));
	for (int v = 0; v < g->vertices; v++) {
		mark[v] = v ? BFS_UNVISITED : BFS_CURRENT;
		count[v] = v ? -1 : 0;
	}
	memset(address(w, w->h_status), 0, (size_t)bytes_of(BFS_STATUS_WORDS));
}

static int copy(const struct bfs_work *w, struct machine_thread *t, uint32_t from, uint32_t to,
		int64_t words)
{
	return ops_of(w)->copy(
		t, w->stream,
		&(struct machine_copy){
			.source = from, .target = to, .row_bytes = bytes_of(words), .rows = 1 });
}

static int up(struct solver_work *work, struct machine_thread *t)
{
	const struct bfs_work *w = (const struct bfs_work *)work;
	const struct bfs_graph *g = &w->graph;
	return copy(w, t, w->h_offset, w->offset, g->vertices + 1) ||
			       copy(w, t, w->h_neighbour, w->neighbour, 2 * (int64_t)g->edges) ||
			       copy(w, t, w->h_mark, w->mark, g->vertices) ||
			       copy(w, t, w->h_count, w->count, g->vertices) ||
			       copy(w, t, w->h_status, w->status, BFS_STATUS_WORDS)
		       ? -1
		       : 0;
}

static int launch(const struct bfs_work *w, struct machine_thread *t, const char *name,
		  void (*cpu)(const void *args), int level)
{
	const struct bfs_graph *g = &w->graph;
	const int64_t vertices = bytes_of(g->vertices), edges = bytes_of(2 * (int64_t)g->edges);
	const struct bfs_launch args = {
		.offset = address(w, w->offset),
		.neighbour = address(w, w->neighbour),
		.mark = address(w, w->mark),
		.count = address(w, w->count),
		.status = address(w, w->status),
		.vertices = g->vertices,
		.level = level,
	};
	const struct machine_launch request = {
		.name = name,
		.cpu = cpu,
		.args = &args,
		.args_bytes = sizeof(args),
		.geometry = bfs_geometry,
		.rows = 1,
		.columns = g->vertices,
		.points = g->vertices,
		.dram_bytes = 3 * vertices + edges,
		.resident_bytes = 3 * vertices + edges,
		.access_count = 4,
		.access = {
			{ w->offset, ACCESS_READ, 0, vertices },
			{ w->neighbour, ACCESS_READ, 0, edges },
			{ w->mark, ACCESS_WRITE, 0, vertices },
			{ w->count, ACCESS_WRITE, 0, vertices },
		},
	};
	return ops_of(w)->launch(t, w->stream, &request);
}

/* The host reads what the device wrote. */
static int read_back(const struct bfs_work *w, struct machine_thread *t)
{
	return copy(w, t, w->status, w->h_status, BFS_STATUS_WORDS) || ops_of(w)->sync(t, w->stream)
		       ? -1
		       : 0;
}

static int core(struct solver_work *work, struct machine_thread *t)
{
	struct bfs_work *w = (struct bfs_work *)work;
	const struct bfs_params *p = work->params;
	const int32_t *status = address(w, w->h_status);
	w->done = work->iterations;
	if (!p->by_host) {
		if (launch(w, t, "bfs_block", bfs_block_cpu, 0) || read_back(w, t))
			return -1;
		if (status)
			w->done = status[BFS_STATUS_LEVELS];
		return 0;
	}
	for (int level = 0; level < work->iterations; level++) {
		if (launch(w, t, "bfs_mark", bfs_mark_cpu, level) ||
		    launch(w, t, "bfs_settle", bfs_settle_cpu, level) || read_back(w, t))
			return -1;
		if (status)
			w->done = status[BFS_STATUS_LEVELS];
		if (status && !status[BFS_STATUS_FOUND])
			break;
	}
	return 0;
}

static int down(struct solver_work *work, struct machine_thread *t)
{
	const struct bfs_work *w = (const struct bfs_work *)work;
	return copy(w, t, w->count, w->h_count, w->graph.vertices);
}

static void result(struct solver_work *work, struct solver_result *r)
{
	r->iterations = ((const struct bfs_work *)work)->done;
}

/* The residual is how many vertices have another count than the reference gives them. */
static int check(struct solver_work *work, struct solver_result *r)
{
	const struct bfs_work *w = (const struct bfs_work *)work;
	const int32_t *got = address(w, w->h_count);
	int32_t *expected = xcalloc((size_t)w->graph.vertices, sizeof(*expected));
	int wrong = 0;
	uint64_t hash = 0xcbf29ce484222325u;
	bfs_reference(&w->graph, expected);
	for (int v = 0; v < w->graph.vertices; v++) {
		wrong += got[v] != expected[v];
		hash = (hash ^ (uint32_t)got[v]) * 0x100000001b3u;
	}
	free(expected);
	r->residual = wrong;
	r->checksum = hash;
	return 0;
}

extern const struct solver solver_bfs;
const struct solver solver_bfs = {
	.name = "bfs",
	.summary = "breadth-first search by one block, with the host or the block as barrier",
	.params_bytes = sizeof(struct bfs_params),
	.work_bytes = sizeof(struct bfs_work),
	.options = options,
	.alone = true,
	.prepare = prepare,
	.config = config,
	.begin = begin,
	.end = end,
	.stream = stream,
	.fill = fill,
	.up = up,
	.core = core,
	.down = down,
	.result = result,
	.check = check,
};
