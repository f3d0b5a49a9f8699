/* SPDX-License-Identifier: MIT
 * Scheme base without the host between its steps: a graph of as many launches as there are steps
 * between two synchronizations, of which the last checks. Bit for bit the same.
 */
#include <cuda_runtime.h>
#include <string.h>
#include "kernels/machine/machine.h"
#include "traces/schedule/schedule.h"
#include "weak_block.cuh"

extern "C" const struct cuda_kernel weak_steps_kernels[];

/* A graph holds arguments by value, so it does for every launch with the same ones: the number of a
 * launch counts modulo 3 alone. Full synchronizations and a last one that is cut short are six. */
enum { GRAPHS = 8 };

static int launch_by_name(const char *name, const struct weak_launch *l, void *stream)
{
	const struct cuda_kernel *k = weak_steps_kernels;

	while (strcmp(k->name, name))
		k++;
	return k->launch(l, stream);
}

static int launch_steps(const struct weak_launch *l, void *stream)
{
	struct weak_launch one = *l;
	int error = cudaSuccess;

	one.steps = one.every = 1;
	for (int k = 0; k < l->steps && !error; k++) {
		const bool checks = k == l->steps - 1;
		const char *name = l->rule == WEAK_SHAPE ? checks ? "shape_base" : "shape_coarse"
				   : checks		 ? "poisson_base"
							 : "poisson_coarse";

		error = launch_by_name(name, &one, stream);
		float *swap = one.values;
		one.values = one.next;
		one.next = swap;
	}
	return error;
}

#ifdef __CUDACC__
static bool same(const struct weak_launch *a, const struct weak_launch *b)
{
	return a->values == b->values && a->next == b->next && a->constants == b->constants &&
	       a->status == b->status && a->order == b->order && a->grid.planes == b->grid.planes &&
	       a->grid.down == b->grid.down && a->grid.across == b->grid.across &&
	       a->terms.pull == b->terms.pull && a->terms.light[0] == b->terms.light[0] &&
	       a->terms.light[1] == b->terms.light[1] && a->terms.light[2] == b->terms.light[2] &&
	       a->steps == b->steps && a->number == b->number && a->rule == b->rule &&
	       a->inner == b->inner && a->communicating == b->communicating;
}

static int launch(const void *args, void *stream)
{
	static struct { /* of the one thread that drives the GPU */
		struct weak_launch l;
		cudaGraphExec_t ready;
	} made[GRAPHS];
	static int next;
	struct weak_launch l = *(const struct weak_launch *)args;
	cudaGraph_t graph;

	l.number %= 3;
	for (int k = 0; k < GRAPHS; k++)
		if (made[k].ready && same(&made[k].l, &l))
			return cudaGraphLaunch(made[k].ready, (cudaStream_t)stream);
	if (made[next].ready)
		cudaGraphExecDestroy(made[next].ready);
	made[next].ready = NULL;
	int error = cudaStreamBeginCapture((cudaStream_t)stream, cudaStreamCaptureModeThreadLocal);
	if (error)
		return error;
	const int failed = launch_steps(&l, stream);
	/* Also after a failure: the stream must leave capture. */
	error = cudaStreamEndCapture((cudaStream_t)stream, &graph);
	if (failed || error)
		return failed ? failed : error;
	error = cudaGraphInstantiateWithFlags(&made[next].ready, graph, 0);
	cudaGraphDestroy(graph);
	if (error)
		return error;
	made[next].l = l;
	error = cudaGraphLaunch(made[next].ready, (cudaStream_t)stream);
	next = (next + 1) % GRAPHS;
	return error;
}
#else /* an emulated graph only counts */
static int launch(const void *args, void *stream)
{
	return launch_steps((const struct weak_launch *)args, stream);
}
#endif

extern "C" const struct cuda_kernel weak_graph_kernels[] = {
	{ "poisson_graph", launch },
	{ "shape_graph", launch },
	{ 0, 0 },
};
