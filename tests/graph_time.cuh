/* SPDX-License-Identifier: MIT
 * What launches take one after the other, without the host: as nodes of a graph.
 */
#ifndef WARPREEL_TESTS_GRAPH_TIME_CUH
#define WARPREEL_TESTS_GRAPH_TIME_CUH

#include <algorithm>
#include <vector>
#include <cuda_runtime.h>

#include "cuda_try.h"

/* us of a graph of all that `enqueue` puts into the stream it is given: the median of nine, behind
 * one that warms up. */
template <typename Enqueue> double graph_us(Enqueue enqueue)
{
	enum { REPLAYS = 9 };
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t ready;
	cudaEvent_t begin, end;
	std::vector<float> ms;

	TRY(cudaStreamCreate(&stream));
	TRY(cudaEventCreate(&begin));
	TRY(cudaEventCreate(&end));
	TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	enqueue(stream);
	TRY(cudaStreamEndCapture(stream, &graph));
	TRY(cudaGraphInstantiate(&ready, graph, 0));
	for (int i = 0; i <= REPLAYS; i++) {
		float took;
		TRY(cudaEventRecord(begin, stream));
		TRY(cudaGraphLaunch(ready, stream));
		TRY(cudaEventRecord(end, stream));
		TRY(cudaEventSynchronize(end));
		TRY(cudaEventElapsedTime(&took, begin, end));
		if (i)
			ms.push_back(took);
	}
	std::sort(ms.begin(), ms.end());
	TRY(cudaGraphExecDestroy(ready));
	TRY(cudaGraphDestroy(graph));
	TRY(cudaEventDestroy(begin));
	TRY(cudaEventDestroy(end));
	TRY(cudaStreamDestroy(stream));
	return ms[ms.size() / 2] * 1e3;
}

#endif
