/* SPDX-License-Identifier: MIT
 * [device] copy_channels, [copy.*] behind_copy_ns: many copies of many streams.
 *
 * A copy that waits for a kernel keeps those called after it waiting that are in its channel, of
 * whatever stream. So of streams made one after the other the first whose copy waits for another's
 * kernel says how many channels there are. And what a copy adds to a chain of copies: no engine is
 * switched and no latency is on the path.
 */
#include <stdio.h>

#include "calibrate_internal.h"

enum { STREAMS = 33, CHAIN = 9, LOOK_BYTES = 65536 };
#define BLOCK_NS 400e3

/* How long a copy of stream `which` takes that is called behind one of the first that waits. */
static int look_at(struct member *member, const cudaStream_t *stream, int which, double *ns)
{
	struct gpu_kit *kit = member->kit;
	const long long cycles = static_cast<long long>(BLOCK_NS * kit->cycles_per_ns);
	CUDA_TRY(member->bench,
		 static_cast<cudaError_t>(launch_spin(stream[0], NULL, 0, cycles)));
	CUDA_TRY(member->bench, cudaMemcpyAsync(kit->d_target, kit->h_pinned, LOOK_BYTES,
						cudaMemcpyHostToDevice, stream[0]));
	const int64_t begun_ns = monotonic_ns();
	CUDA_TRY(member->bench,
		 cudaMemcpyAsync(kit->d_target + LOOK_BYTES, kit->h_pinned + LOOK_BYTES, LOOK_BYTES,
				 cudaMemcpyHostToDevice, stream[which]));
	CUDA_TRY(member->bench, cudaStreamSynchronize(stream[which]));
	*ns = static_cast<double>(monotonic_ns() - begun_ns);
	CUDA_TRY(member->bench, cudaStreamSynchronize(stream[0]));
	return 0;
}

static int look_at_all(struct member *member, const cudaStream_t *stream, double *value)
{
	for (int pass = 0; pass < 2; pass++) /* the first makes channels and code ready */
		for (int which = 1; which < STREAMS; which++) {
			double ns;
			if (look_at(member, stream, which, &ns))
				return -1;
			if (pass && ns > BLOCK_NS / 2) {
				*value = which;
				return 0;
			}
		}
	*value = NAN;
	return 0;
}

static int channels_batch(struct member *member, void *arg, double *value)
{
	cudaStream_t stream[STREAMS] = {};
	int rc = 0;
	(void)arg;
	for (int k = 0; k < STREAMS && !rc; k++)
		rc = cuda_check(member->bench,
				cudaStreamCreateWithFlags(&stream[k], cudaStreamNonBlocking),
				"cudaStreamCreateWithFlags");
	if (!rc)
		rc = look_at_all(member, stream, value);
	for (int k = 0; k < STREAMS; k++)
		if (stream[k])
			cudaStreamDestroy(stream[k]);
	return rc;
}

struct many_copies {
	enum copy_case_kind kind;
	size_t bytes;
};

static int enqueue_copy(struct member *member, int stream, int i, void *arg)
{
	const struct many_copies *copies = static_cast<const struct many_copies *>(arg);
	(void)i;
	return copy_enqueue(member, stream, copies->kind, copies->bytes);
}

static int behind_batch(struct member *member, void *arg, double *value)
{
	const struct chain chain = { enqueue_copy, arg };
	double many_ns[KIT_STREAMS], one_ns[KIT_STREAMS];
	if (chains_run(member, &chain, 1, CHAIN, many_ns) ||
	    chains_run(member, &chain, 1, 1, one_ns))
		return -1;
	*value = (many_ns[0] - one_ns[0]) / (CHAIN - 1);
	return 0;
}

static int behind_list(struct bench *bench, const char *section, enum copy_case_kind kind)
{
	struct measured all[LOOP_SIZES];
	char key[64];
	snprintf(key, sizeof(key), "%s.behind_copy_ns", section);
	bench_progress(bench, key);
	for (int i = 0; i < LOOP_SIZES; i++) {
		struct many_copies copies = { kind, loop_sizes[i] };
		if (bench_measure(bench, 1, key, static_cast<double>(loop_sizes[i]), behind_batch,
				  &copies, &all[i]))
			return -1;
		all[i].value = fmax(all[i].value, 1);
	}
	bench_emit_measured(bench, key, all, LOOP_SIZES,
			    "pinned; a chain of nine such copies less a chain of one, per copy");
	return 0;
}

int calibrate_channels(struct bench *bench)
{
	struct measured channels;
	bench_progress(bench, "device.copy_channels");
	if (bench_measure(bench, 1, "device.copy_channels", 0, channels_batch, NULL, &channels))
		return -1;
	if (isfinite(channels.value))
		bench_emit(bench, "device.copy_channels", &channels.value, NULL, 1,
			   "of streams made one after the other, which is the first whose copy "
			   "waits for one that waits for a kernel");
	return behind_list(bench, "copy.h2d", CASE_H2D) ||
			       behind_list(bench, "copy.d2h", CASE_D2H)
		       ? -1
		       : 0;
}
