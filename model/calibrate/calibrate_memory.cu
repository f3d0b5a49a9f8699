/* SPDX-License-Identifier: MIT
 * [memory]: rate of a copy kernel against its footprint, through the edge of the L2: a curve, since
 * full L2 speed ends well below its nominal size and DRAM speed begins above it. The rate is bytes
 * read + written over the period of a long chain, so at small footprints it is the launch that
 * bounds it.
 */
#include "calibrate_internal.h"

static const size_t KiB = 1024, MiB = 1024 * 1024;

struct footprint {
	char *d_source, *d_target;
	size_t bytes; /* both arrays */
	int n;
};

static int enqueue_footprint(struct member *member, int stream, int i, void *arg)
{
	const struct footprint *footprint = static_cast<const struct footprint *>(arg);
	(void)i;
	CUDA_TRY(member->bench, static_cast<cudaError_t>(launch_copy(
					member->kit->stream[stream], footprint->d_target,
					footprint->d_source, footprint->bytes / 2)));
	return 0;
}

static int footprint_batch(struct member *member, void *arg, double *value)
{
	struct footprint *footprint = static_cast<struct footprint *>(arg);
	struct chain chain = { enqueue_footprint, footprint };
	double ns[KIT_STREAMS];
	if (chains_run(member, &chain, 1, footprint->n, ns))
		return -1;
	*value = 1e9 * static_cast<double>(footprint->bytes) * footprint->n / ns[0];
	if (isnan(*value) && footprint->n > 10)
		footprint->n /= 2;
	return 0;
}

static int footprints(struct bench *bench, char *d_source, char *d_target, size_t most)
{
	const size_t sizes[] = { 256 * KiB, 1 * MiB,   2 * MiB,	  4 * MiB,   8 * MiB,	 12 * MiB,
				 16 * MiB,  20 * MiB,  24 * MiB,  28 * MiB,  32 * MiB,	 36 * MiB,
				 40 * MiB,  44 * MiB,  48 * MiB,  52 * MiB,  56 * MiB,	 60 * MiB,
				 64 * MiB,  72 * MiB,  80 * MiB,  96 * MiB,  112 * MiB,	 128 * MiB,
				 160 * MiB, 192 * MiB, 256 * MiB, 512 * MiB, 1024 * MiB, 2048 * MiB,
				 4096 * MiB };
	struct measured rate[sizeof(sizes) / sizeof(sizes[0])];
	double bytes[sizeof(sizes) / sizeof(sizes[0])];
	size_t count = 0;
	bench_progress(bench, "memory.copy_bytes_per_s");
	for (; count < sizeof(sizes) / sizeof(sizes[0]) && sizes[count] / 2 <= most; count++) {
		double guess_ns = 2500 + static_cast<double>(sizes[count]) / 4000;
		struct footprint footprint = { d_source, d_target, sizes[count],
					       static_cast<int>(
						       fmin(400, fmax(8, 3e6 / guess_ns))) };
		bytes[count] = static_cast<double>(sizes[count]);
		if (bench_measure(bench, 1, "memory.copy_bytes_per_s", bytes[count],
				  footprint_batch, &footprint, &rate[count]))
			return -1;
	}
	bench_emit(bench, "memory.footprint_bytes", bytes, NULL, count,
		   "source and target of the copy kernel together");
	bench_emit_measured(bench, "memory.copy_bytes_per_s", rate, count,
			    "bytes read + written over the period of the kernel in a chain of 8 to "
			    "400 enqueued ahead");
	return 0;
}

int calibrate_memory(struct bench *bench)
{
	char *d_source = NULL, *d_target = NULL;
	size_t most = 2048 * MiB, free_bytes = 0, total_bytes = 0;
	int rc = -1;
	if (cuda_check(bench, cudaSetDevice(0), "cudaSetDevice") ||
	    cuda_check(bench, cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo"))
		return -1;
	while (most > 64 * MiB && 2 * most > free_bytes / 10 * 9)
		most /= 2;
	if (!cuda_check(bench, cudaMalloc(reinterpret_cast<void **>(&d_source), most),
			"cudaMalloc of the source") &&
	    !cuda_check(bench, cudaMalloc(reinterpret_cast<void **>(&d_target), most),
			"cudaMalloc of the target") &&
	    !cuda_check(bench, cudaMemset(d_source, 1, most), "cudaMemset") &&
	    !cuda_check(bench, cudaMemset(d_target, 1, most), "cudaMemset") &&
	    !cuda_check(bench, cudaDeviceSynchronize(), "cudaDeviceSynchronize"))
		rc = footprints(bench, d_source, d_target, most);
	cudaFree(d_source);
	cudaFree(d_target);
	return rc;
}
