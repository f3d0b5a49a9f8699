/* SPDX-License-Identifier: MIT
 * [nvlink]: every ordered pair of GPUs by itself.
 */
#include <stdio.h>

#include "calibrate_internal.h"

struct pair {
	int from, to;
	size_t bytes;
	int n;
};

static int enqueue_pair(struct member *member, int stream, int i, void *arg)
{
	const struct pair *pair = static_cast<const struct pair *>(arg);
	struct gpu_kit *from = &member->bench->kit[pair->from], *to = &member->bench->kit[pair->to];
	(void)stream, (void)i;
	CUDA_TRY(member->bench, cudaMemcpyPeerAsync(to->d_target, to->gpu, from->d_source,
						    from->gpu, pair->bytes, from->stream[0]));
	return 0;
}

/* The one thread stands for GPU `from` here. */
static int pair_batch(struct member *member, void *arg, double *value)
{
	struct pair *pair = static_cast<struct pair *>(arg);
	struct member driver = *member;
	struct chain chain = { enqueue_pair, pair };
	double ns[KIT_STREAMS];
	driver.kit = &member->bench->kit[pair->from];
	CUDA_TRY(member->bench, cudaSetDevice(driver.kit->gpu));
	if (chains_run(&driver, &chain, 1, pair->n, ns))
		return -1;
	*value = 1e9 * static_cast<double>(pair->bytes) * pair->n / ns[0];
	return 0;
}

int calibrate_links(struct bench *bench)
{
	double large[MAX_GPUS * MAX_GPUS], large_spread[MAX_GPUS * MAX_GPUS];
	size_t pairs = 0;
	if (bench->gpus < 2)
		return 0;
	for (int from = 0; from < bench->gpus; from++) {
		struct measured row[MAX_GPUS];
		size_t count = 0;
		char key[64];
		snprintf(key, sizeof(key), "nvlink.pair_bytes_per_s_%d", from);
		bench_progress(bench, key);
		for (int to = 0; to < bench->gpus; to++) {
			struct pair pair = { from, to, bench->kit[from].buffer_bytes, 6 };
			if (to == from)
				continue;
			if (bench_measure(bench, 1, key, to, pair_batch, &pair, &row[count]))
				return -1;
			large[pairs] = row[count].value;
			large_spread[pairs++] = row[count++].spread;
		}
		bench_emit_measured(bench, key, row, count,
				    "this GPU to each other one in order, alone; copies of 256 MiB "
				    "back to back");
	}
	double rate = median_of(large, pairs),
	       spread = fmax(mad_of(large, pairs), median_of(large_spread, pairs));
	bench_emit(bench, "nvlink.bytes_per_s", &rate, &spread, 1,
		   "each GPU, each direction: median over all ordered pairs");
	return 0;
}
