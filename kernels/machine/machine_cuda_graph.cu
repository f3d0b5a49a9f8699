/* SPDX-License-Identifier: MIT
 * Work that is asked for several times over, as a CUDA graph: captured and made ready the first
 * time, which a run before the timed ones should be.
 */
#include "machine_cuda.cuh"

static int failed(const struct machine_thread *t, const char *what, cudaError_t error)
{
	return report("GPU %u: %s a graph: %s", t->gpu, what, cudaGetErrorString(error));
}

static int capture(struct machine_thread *t, cudaStream_t stream,
		   const struct machine_repeat *repeat, cudaGraphExec_t *ready)
{
	cudaGraph_t graph = NULL;
	cudaError_t error = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);

	if (error)
		return failed(t, "capturing", error);
	state_of(t)->capturing = true;
	const int rc = repeat->body(t, repeat->arg);
	state_of(t)->capturing = false;
	error = cudaStreamEndCapture(stream,
				     &graph); /* also after a failure: it must leave capture */
	if (rc)
		return -1;
	if (error)
		return failed(t, "capturing", error);
	error = cudaGraphInstantiateWithFlags(ready, graph, 0);
	(void)cudaGraphDestroy(graph);
	if (!error)
		error = cudaGraphUpload(*ready, stream);
	return error ? failed(t, "making", error) : 0;
}

int cuda_repeat(struct machine_thread *t, const struct machine_repeat *repeat)
{
	struct cuda_machine *m = state_of(t)->machine;
	cudaStream_t stream = m->stream[repeat->stream];
	cudaGraphExec_t ready = NULL;

	for (size_t i = 0; i < m->graph_count && !ready; i++)
		if (m->graph[i].body == repeat->body && m->graph[i].key == repeat->key)
			ready = m->graph[i].ready;
	if (!ready) {
		if (capture(t, stream, repeat, &ready))
			return -1;
		*append(&m->graph, &m->graph_count, &m->graph_capacity) = { repeat->body,
									    repeat->key, ready };
	}
	for (int k = 0; k < repeat->times; k++) {
		const cudaError_t error = cudaGraphLaunch(ready, stream);
		if (error)
			return failed(t, "launching", error);
	}
	return 0;
}
