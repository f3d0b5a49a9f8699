/* SPDX-License-Identifier: MIT
 * Copies among copies, over as many streams as a program with a stream a patch has:
 *
 * - [copy.*] behind_copy_ns: what one more copy takes the engine while copies of other streams
 *   stand there, in line behind a hold: no latency is on the path, and the engine goes from stream
 *   to stream;
 * - [host] loop_copies_*_ns: what a call takes right behind another in the same direction.
 *
 * How many channels streams share (device.copy_channels) a recording of many streams shows; that
 * one copy holds up another does not (visit CA2: none of 32 streams was).
 */
#include <stdio.h>

#include "calibrate_internal.h"

enum { LANES = 8, FEW_COPIES = LANES, MANY_COPIES = 6 * LANES, CALLS = 100 };
#define CALL_BYTES 49152 /* a patch of 16^3 with ghost cells, about */

struct lanes {
	struct member *member;
	cudaStream_t stream[LANES];
	cudaEvent_t done[LANES];
};

struct many_copies {
	enum copy_case_kind kind;
	size_t bytes;
};

static int lanes_open(struct lanes *lanes, struct member *member)
{
	*lanes = {};
	lanes->member = member;
	for (int s = 0; s < LANES; s++) {
		CUDA_TRY(member->bench,
			 cudaStreamCreateWithFlags(&lanes->stream[s], cudaStreamNonBlocking));
		CUDA_TRY(member->bench,
			 cudaEventCreateWithFlags(&lanes->done[s], cudaEventDisableTiming));
	}
	return 0;
}

static void lanes_close(struct lanes *lanes)
{
	for (int s = 0; s < LANES; s++) {
		if (lanes->stream[s])
			cudaStreamDestroy(lanes->stream[s]);
		if (lanes->done[s])
			cudaEventDestroy(lanes->done[s]);
	}
}

/* The i-th copy, on the stream whose turn it is, of memory that the copies before it did not touch
 * where the buffers have so much. */
static int lanes_copy(const struct lanes *lanes, const struct many_copies *copies, int i)
{
	const struct gpu_kit *kit = lanes->member->kit;
	const size_t room = kit->buffer_bytes / copies->bytes,
		     at = room ? (size_t)i % room * copies->bytes : 0;
	const bool up = copies->kind == CASE_H2D;

	CUDA_TRY(lanes->member->bench,
		 up ? cudaMemcpyAsync(kit->d_target + at, kit->h_pinned + at, copies->bytes,
				      cudaMemcpyHostToDevice, lanes->stream[i % LANES])
		    : cudaMemcpyAsync(kit->h_pinned + at, kit->d_source + at, copies->bytes,
				      cudaMemcpyDeviceToHost, lanes->stream[i % LANES]));
	return 0;
}

/* ---- the engine ---- */

/* From the end of a hold, which all streams wait for, to the end of all copies. */
static int in_line(struct lanes *lanes, const struct many_copies *copies, int count, double *ns)
{
	struct member *member = lanes->member;
	struct bench *bench = member->bench;
	struct gpu_kit *kit = member->kit;
	const cudaStream_t main = kit->stream[0];
	float ms = 0;

	if (hold_begin(member, 0))
		return -1;
	CUDA_TRY(bench, cudaEventRecord(kit->begin[0], main));
	CUDA_TRY(bench, cudaEventRecord(kit->event[0], main));
	for (int s = 0; s < LANES; s++)
		CUDA_TRY(bench, cudaStreamWaitEvent(lanes->stream[s], kit->event[0], 0));
	for (int i = 0; i < count; i++)
		if (lanes_copy(lanes, copies, i))
			return -1;
	for (int s = 0; s < LANES; s++) {
		CUDA_TRY(bench, cudaEventRecord(lanes->done[s], lanes->stream[s]));
		CUDA_TRY(bench, cudaStreamWaitEvent(main, lanes->done[s], 0));
	}
	CUDA_TRY(bench, cudaEventRecord(kit->end[0], main));
	hold_release(member, 1);
	CUDA_TRY(bench, cudaStreamSynchronize(main));
	CUDA_TRY(bench, cudaEventElapsedTime(&ms, kit->begin[0], kit->end[0]));
	*ns = hold_timed_out(member, 0) ? NAN : 1e6 * static_cast<double>(ms);
	return 0;
}

static int behind_batch(struct member *member, void *arg, double *value)
{
	const struct many_copies *copies = static_cast<const struct many_copies *>(arg);
	struct lanes lanes;
	double many_ns = NAN, few_ns = NAN;
	int rc = lanes_open(&lanes, member) || in_line(&lanes, copies, MANY_COPIES, &many_ns) ||
				 in_line(&lanes, copies, FEW_COPIES, &few_ns)
			 ? -1
			 : 0;

	lanes_close(&lanes);
	*value = (many_ns - few_ns) / (MANY_COPIES - FEW_COPIES);
	return rc;
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
	bench_emit_measured(
		bench, key, all, LOOP_SIZES,
		"pinned; 48 such copies in turn over eight streams, held back together, "
		"less eight of them, per copy");
	return 0;
}

/* ---- the calls ---- */

static int calls_batch(struct member *member, void *arg, double *value)
{
	const struct many_copies *copies = static_cast<const struct many_copies *>(arg);
	struct lanes lanes;
	int rc = lanes_open(&lanes, member) || member_meet(member) ? -1 : 0;
	const int64_t begun_ns = monotonic_ns();

	for (int i = 0; i < CALLS && !rc; i++)
		rc = lanes_copy(&lanes, copies, i);
	*value = static_cast<double>(monotonic_ns() - begun_ns) / CALLS;
	for (int s = 0; s < LANES && !rc; s++)
		if (cudaStreamSynchronize(lanes.stream[s]) != cudaSuccess)
			rc = bench_fail(member->bench);
	lanes_close(&lanes);
	return rc;
}

static int calls_list(struct bench *bench, const char *key, enum copy_case_kind kind)
{
	struct measured all[MAX_COUNTS];
	struct many_copies copies = { kind, CALL_BYTES };

	bench_progress(bench, key);
	for (int n = 0; n < bench->counts; n++)
		if (bench_measure(bench, bench->count[n], key, bench->count[n], calls_batch,
				  &copies, &all[n]))
			return -1;
	bench_emit_measured(bench, key, all, static_cast<size_t>(bench->counts),
			    "pinned, 48 KiB; 100 calls one after the other, in turn over eight "
			    "streams, period of a call");
	return 0;
}

int calibrate_channels(struct bench *bench)
{
	return behind_list(bench, "copy.h2d", CASE_H2D) ||
			       behind_list(bench, "copy.d2h", CASE_D2H) ||
			       calls_list(bench, "host.loop_copies_h2d_ns", CASE_H2D) ||
			       calls_list(bench, "host.loop_copies_d2h_ns", CASE_D2H)
		       ? -1
		       : 0;
}
