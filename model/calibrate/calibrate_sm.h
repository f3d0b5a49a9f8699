/* SPDX-License-Identifier: MIT
 * What the files that measure a multiprocessor share. All of them run on GPU 0, on the first stream
 * of its kit.
 *
 * A probe is one kernel in two lengths: it repeats `rounds` times a body of n or of 2n copies of an
 * operation. The difference of the two is n operations and nothing else: no clock reads, no loop,
 * no barrier.
 */
#ifndef WARPREEL_CALIBRATE_SM_H
#define WARPREEL_CALIBRATE_SM_H

#include <cuda_runtime.h>

#include "calibrate_internal.h"

enum { PROBE_WORDS = 262144 }; /* of d_words: the kit's source buffer, 1 MiB at least */

struct probe_arguments {
	uint64_t *d_cycles; /* [0]: from the block's first operation to its last */
	uint32_t *d_words;  /* [PROBE_WORDS] */
	uint32_t zero;	    /* which the compiler does not know */
	uint32_t lanes;	    /* what some probes vary: distinct lines, bank conflicts */
	int rounds;
};

struct probe {
	const char *key; /* of the window in a recorded trace */
	const void *once, *twice;
	int n; /* operations of a thread in a round of `once` */
	int threads, blocks;
	int rounds;
	uint32_t lanes;
	double per; /* the result is cycles an operation and thread, over this: warps that share the
		       path */
	bool intercept; /* give what a round costs beyond its operations instead */
	struct sm_bench *sm;
};

struct sm_bench {
	struct bench *bench;
	double clock_mhz; /* measured first */
	int multiprocessors;
	uint64_t *d_results; /* RESULT_WORDS */
	char *d_region;	     /* region_bytes: far beyond L2 */
	size_t region_bytes;
	uint64_t turn; /* so that a batch does not find what the one before left in L2 */
};
enum { RESULT_WORDS = 1 << 20 };

/* A kernel on the first stream, and everything before it done. */
int sm_launch(struct sm_bench *sm, const void *kernel, int blocks, int threads, void **arguments);
/* The first `count` of d_results. Waits for the stream. */
int sm_results(struct sm_bench *sm, uint64_t *results, size_t count);
/* cycles of a probe, one number a batch. */
int probe_batch(struct member *member, void *probe, double *value);
int probe_measure(struct sm_bench *sm, struct probe probe, struct measured *out);
/* Emits sm.<name>. */
void sm_emit(struct sm_bench *sm, const char *name, const struct measured *measured, size_t count,
	     const char *how);

int calibrate_sm_clock(struct sm_bench *sm);
int calibrate_sm_pipes(struct sm_bench *sm);
int calibrate_sm_paths(struct sm_bench *sm);
int calibrate_sm_latency(struct sm_bench *sm);
int calibrate_sm_flow(struct sm_bench *sm);
int calibrate_sm_reads(struct sm_bench *sm);
int calibrate_sm_grid(struct sm_bench *sm);

#ifdef __CUDACC__
/* Op: a struct with `streams` independent chains, start(), round(r), step(k, i) for the i-th link
 * of chain k, and used(). */
template <class Op, int N, bool CHAIN>
__global__ void __launch_bounds__(1024) probe_kernel(struct probe_arguments arguments)
{
	Op op;
	op.start(arguments);
	__syncthreads();
	long long begun = clock64();
#pragma unroll 1
	for (int round = 0; round < arguments.rounds; round++) {
		op.round(round);
#pragma unroll
		for (int i = 0; i < N; i++)
			op.step(CHAIN ? 0 : i % Op::streams, CHAIN ? i : i / Op::streams);
	}
	__syncthreads();
	long long ended = clock64();
	if (op.used()) /* never, but only the machine knows */
		arguments.d_cycles[1] = 1;
	if (threadIdx.x == 0)
		arguments.d_cycles[blockIdx.x] = static_cast<uint64_t>(ended - begun);
}

#define PROBE_KERNELS(op, n, chain)                                                                \
	reinterpret_cast<const void *>(probe_kernel<op, n, chain>),                                \
		reinterpret_cast<const void *>(probe_kernel<op, 2 * n, chain>), n
#endif

#endif
