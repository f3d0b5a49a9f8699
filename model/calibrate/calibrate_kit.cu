/* SPDX-License-Identifier: MIT
 * What a GPU needs to be measured: streams, events, buffers, and flags that let the host hold and
 * release its streams.
 */
#include <stdio.h>
#include <string.h>

#include "calibrate_internal.h"

static int warm_kernels(struct member *member)
{
	struct bench *bench = member->bench;
	struct gpu_kit *kit = member->kit;
	/* Kernels load at their first launch, which may wait for the device: never while a stream
	 * is held. */
	for (int s = 0; s < KIT_STREAMS; s++) {
		CUDA_TRY(bench,
			 static_cast<cudaError_t>(launch_hold(kit->stream[s], kit->flags, 0, 1)));
		CUDA_TRY(bench, static_cast<cudaError_t>(launch_spin(kit->stream[s], NULL, 0, 1)));
		CUDA_TRY(bench, static_cast<cudaError_t>(launch_empty(kit->stream[s])));
		CUDA_TRY(bench, static_cast<cudaError_t>(launch_copy(kit->stream[s], kit->d_target,
								     kit->d_source, 65536)));
		CUDA_TRY(bench, cudaStreamSynchronize(kit->stream[s]));
	}
	return 0;
}

static int kit_open(struct member *member, void *arg, double *value)
{
	struct bench *bench = member->bench;
	struct gpu_kit *kit = member->kit;
	size_t bytes = *static_cast<const size_t *>(arg);
	int khz = 0;
	void *flags = NULL;
	*value = 1;
	if (kit->open)
		return 0;
	kit->open = true;
	CUDA_TRY(bench, cudaFree(NULL));
	CUDA_TRY(bench, cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, kit->gpu));
	kit->cycles_per_ns = khz > 0 ? khz * 1e-6 : 1;
	for (int peer = 0; peer < bench->gpus; peer++) {
		int can = 0;
		if (peer == kit->gpu)
			continue;
		CUDA_TRY(bench, cudaDeviceCanAccessPeer(&can, kit->gpu, peer));
		cudaError_t error = can ? cudaDeviceEnablePeerAccess(peer, 0) : cudaSuccess;
		if (error == cudaErrorPeerAccessAlreadyEnabled) {
			cudaGetLastError();
			error = cudaSuccess;
		}
		CUDA_TRY(bench, error);
	}
	for (int s = 0; s < KIT_STREAMS; s++) {
		CUDA_TRY(bench, cudaStreamCreateWithFlags(&kit->stream[s], cudaStreamNonBlocking));
		CUDA_TRY(bench, cudaEventCreate(&kit->begin[s]));
		CUDA_TRY(bench, cudaEventCreate(&kit->end[s]));
	}
	for (int i = 0; i < KIT_EVENTS; i++)
		CUDA_TRY(bench, cudaEventCreateWithFlags(&kit->event[i], cudaEventDisableTiming));
	CUDA_TRY(bench, cudaHostAlloc(&flags, FLAG_WORDS * sizeof(uint32_t),
				      cudaHostAllocPortable | cudaHostAllocMapped));
	memset(flags, 0, FLAG_WORDS * sizeof(uint32_t));
	kit->flags = static_cast<volatile uint32_t *>(flags);
	kit->buffer_bytes = bytes;
	CUDA_TRY(bench, cudaMalloc(reinterpret_cast<void **>(&kit->d_source), bytes));
	CUDA_TRY(bench, cudaMalloc(reinterpret_cast<void **>(&kit->d_target), bytes));
	CUDA_TRY(bench, cudaHostAlloc(reinterpret_cast<void **>(&kit->h_pinned), bytes,
				      cudaHostAllocPortable));
	memset(kit->h_pinned, 1, bytes);
	CUDA_TRY(bench, cudaMemset(kit->d_source, 1, bytes));
	CUDA_TRY(bench, cudaMemset(kit->d_target, 1, bytes));
	CUDA_TRY(bench, cudaDeviceSynchronize());
	return warm_kernels(member);
}

int kits_open(struct bench *bench, size_t buffer_bytes)
{
	struct measured measured;
	for (int g = 0; g < bench->gpus; g++)
		bench->kit[g].gpu = g;
	return bench_measure(bench, bench->gpus, "open", 0, kit_open, &buffer_bytes, &measured);
}

void kits_close(struct bench *bench)
{
	for (int g = 0; g < bench->gpus; g++) {
		struct gpu_kit *kit = &bench->kit[g];
		if (!kit->open || cudaSetDevice(g) != cudaSuccess)
			continue;
		/* Let go of anything a failure left waiting, before what it uses is freed. */
		if (kit->flags)
			for (int s = 0; s < KIT_STREAMS; s++)
				kit->flags[s * FLAG_STREAM_STRIDE + FLAG_RELEASE] = kit->epoch;
		cudaDeviceSynchronize();
		for (int s = 0; s < KIT_STREAMS; s++) {
			if (kit->begin[s])
				cudaEventDestroy(kit->begin[s]);
			if (kit->end[s])
				cudaEventDestroy(kit->end[s]);
			if (kit->stream[s])
				cudaStreamDestroy(kit->stream[s]);
		}
		for (int i = 0; i < KIT_EVENTS; i++)
			if (kit->event[i])
				cudaEventDestroy(kit->event[i]);
		cudaFree(kit->d_source);
		cudaFree(kit->d_target);
		cudaFreeHost(kit->h_pinned);
		cudaFreeHost(const_cast<uint32_t *>(kit->flags));
		kit->open = false;
	}
}

int hold_begin(struct member *member, int stream)
{
	struct gpu_kit *kit = member->kit;
	CUDA_TRY(member->bench,
		 static_cast<cudaError_t>(
			 launch_hold(kit->stream[stream], kit->flags + stream * FLAG_STREAM_STRIDE,
				     ++kit->epoch,
				     static_cast<long long>(HOLD_LIMIT_NS * kit->cycles_per_ns))));
	return 0;
}

void hold_release(struct member *member, int streams)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (int s = 0; s < streams; s++)
		member->kit->flags[s * FLAG_STREAM_STRIDE + FLAG_RELEASE] = member->kit->epoch;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

bool hold_timed_out(const struct member *member, int stream)
{
	/* Holds of a batch have epochs beyond the release word of the batch before, which is where
	 * this one looks. */
	volatile uint32_t *flags = member->kit->flags + stream * FLAG_STREAM_STRIDE;
	bool out = flags[FLAG_TIMED_OUT] != 0;
	flags[FLAG_TIMED_OUT] = 0;
	return out;
}

int chain_enqueue_spin(struct member *member, int stream, int i, void *arg)
{
	(void)i, (void)arg;
	struct gpu_kit *kit = member->kit;
	CUDA_TRY(member->bench, static_cast<cudaError_t>(launch_spin(
					kit->stream[stream], NULL, 0,
					static_cast<long long>(SPIN_NS * kit->cycles_per_ns))));
	return 0;
}

static int chains_enqueue(struct member *member, const struct chain *chain, int streams, int n)
{
	struct gpu_kit *kit = member->kit;
	for (int s = 0; s < streams; s++) {
		if (hold_begin(member, s))
			return -1;
		CUDA_TRY(member->bench, cudaEventRecord(kit->begin[s], kit->stream[s]));
	}
	for (int i = 0; i < n; i++)
		for (int s = 0; s < streams; s++)
			if (chain[s].enqueue(member, s, i, chain[s].arg))
				return -1;
	for (int s = 0; s < streams; s++)
		CUDA_TRY(member->bench, cudaEventRecord(kit->end[s], kit->stream[s]));
	return 0;
}

int chains_run(struct member *member, const struct chain *chain, int streams, int n,
	       double ns[KIT_STREAMS])
{
	struct gpu_kit *kit = member->kit;
	bool timed_out = false;
	int rc = chains_enqueue(member, chain, streams, n);
	if (!rc)
		rc = member_meet(member);
	hold_release(member, streams);
	if (rc)
		return -1;
	for (int s = 0; s < streams; s++) {
		CUDA_TRY(member->bench, cudaStreamSynchronize(kit->stream[s]));
		timed_out |= hold_timed_out(member, s);
	}
	for (int s = 0; s < streams; s++) {
		float ms = 0;
		CUDA_TRY(member->bench, cudaEventElapsedTime(&ms, kit->begin[s], kit->end[s]));
		ns[s] = timed_out ? NAN : 1e6 * static_cast<double>(ms);
	}
	return 0;
}
