/* SPDX-License-Identifier: MIT
 * [copy.*]: what a copy adds to a stream that alternates kernels and copies, enqueued ahead; so
 * what the switch between engines costs is inside. Pageable memory cannot be enqueued ahead: there
 * it is the whole synchronous call.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate_internal.h"

int copy_enqueue(struct member *member, int stream, enum copy_case_kind kind, size_t bytes)
{
	struct bench *bench = member->bench;
	struct gpu_kit *kit = member->kit;
	cudaStream_t s = kit->stream[stream];
	/* Opposite ends of the buffers, so that two directions at once do not touch the same lines.
	 */
	size_t tail = kit->buffer_bytes - bytes, rows = bytes / CASE_ROW_BYTES;
	int ring = member->team > 1 ? member->team : bench->gpus;
	const struct gpu_kit *next = &bench->kit[(kit->gpu + 1) % ring],
			     *back = &bench->kit[(kit->gpu + ring - 1) % ring];
	switch (kind) {
	case CASE_H2D:
		CUDA_TRY(bench, cudaMemcpyAsync(kit->d_target, kit->h_pinned, bytes,
						cudaMemcpyHostToDevice, s));
		break;
	case CASE_D2H:
		CUDA_TRY(bench, cudaMemcpyAsync(kit->h_pinned + tail, kit->d_source, bytes,
						cudaMemcpyDeviceToHost, s));
		break;
	case CASE_PEER:
		CUDA_TRY(bench, cudaMemcpyPeerAsync(next->d_target, next->gpu, kit->d_source,
						    kit->gpu, bytes, s));
		break;
	case CASE_PEER_BACK:
		CUDA_TRY(bench, cudaMemcpyPeerAsync(back->d_target + tail, back->gpu,
						    kit->d_source + tail, kit->gpu, bytes, s));
		break;
	case CASE_D2D:
		CUDA_TRY(bench, cudaMemcpyAsync(kit->d_target, kit->d_source, bytes,
						cudaMemcpyDeviceToDevice, s));
		break;
	case CASE_H2D_2D:
		CUDA_TRY(bench, cudaMemcpy2DAsync(kit->d_target, 2 * CASE_ROW_BYTES, kit->h_pinned,
						  2 * CASE_ROW_BYTES, CASE_ROW_BYTES, rows,
						  cudaMemcpyHostToDevice, s));
		break;
	case CASE_D2H_2D:
		CUDA_TRY(bench, cudaMemcpy2DAsync(kit->h_pinned, 2 * CASE_ROW_BYTES, kit->d_source,
						  2 * CASE_ROW_BYTES, CASE_ROW_BYTES, rows,
						  cudaMemcpyDeviceToHost, s));
		break;
	}
	return 0;
}

struct copies { /* one or two chains of copies at once on each GPU */
	enum copy_case_kind kind[KIT_STREAMS];
	int streams;
	size_t bytes;
	int n[MAX_GPUS]; /* links, by thread: halved when the hold ran out */
};

static int enqueue_copy_link(struct member *member, int stream, int i, void *arg)
{
	const struct copies *copies = static_cast<const struct copies *>(arg);
	return copy_enqueue(member, stream, copies->kind[stream], copies->bytes) ||
			       chain_enqueue_spin(member, stream, i, NULL)
		       ? -1
		       : 0;
}

static int copies_batch(struct member *member, void *arg, double *value)
{
	struct copies *copies = static_cast<struct copies *>(arg);
	struct chain with[KIT_STREAMS], without[KIT_STREAMS];
	double with_ns[KIT_STREAMS], without_ns[KIT_STREAMS], sum = 0;
	int *n = &copies->n[member->index];
	for (int s = 0; s < KIT_STREAMS; s++) {
		with[s] = { enqueue_copy_link, copies };
		without[s] = { chain_enqueue_spin, NULL };
	}
	if (chains_run(member, without, copies->streams, *n, without_ns) ||
	    chains_run(member, with, copies->streams, *n, with_ns))
		return -1;
	for (int s = 0; s < copies->streams; s++)
		sum += (with_ns[s] - without_ns[s]) / *n;
	*value = sum / copies->streams;
	if (isnan(*value) && *n > 4)
		*n /= 2;
	return 0;
}

/* About 3 ms of copies a batch at a pessimistic rate. */
static int links_for(enum copy_case_kind kind, size_t bytes)
{
	double bytes_per_ns = kind == CASE_D2D				    ? 1000
			      : kind == CASE_PEER || kind == CASE_PEER_BACK ? 200
									    : 20;
	double guess_ns = 12000 + static_cast<double>(bytes) / bytes_per_ns;
	return static_cast<int>(fmin(100, fmax(4, 3e6 / guess_ns)));
}

static int copies_measure(struct bench *bench, int team, const char *key, const struct copies *form,
			  struct measured *out)
{
	struct copies copies = *form;
	for (int t = 0; t < MAX_GPUS; t++)
		copies.n[t] = links_for(form->kind[0], form->bytes);
	if (bench_measure(bench, team, key, static_cast<double>(form->bytes), copies_batch, &copies,
			  out))
		return -1;
	/* A curve on logarithmic axes needs positive values; only noise makes a copy free. */
	out->value = fmax(out->value, 1);
	return 0;
}

int copy_added(struct bench *bench, enum copy_case_kind kind, size_t bytes, struct measured *out)
{
	struct copies form = { { kind }, 1, bytes, {} };
	return copies_measure(bench, 1, "copy.added", &form, out);
}

static const size_t sizes[] = { 4,	 256,	   1024,     4096,     16384,	32768,
				65536,	 131072,   262144,   524288,   1048576, 2097152,
				4194304, 16777216, 67108864, 268435456 };
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]), SIZE_64_MIB = 14 };

static int emit_sizes(struct bench *bench, const char *section, size_t from, size_t count,
		      const char *how)
{
	double bytes[SIZES];
	char key[64];
	for (size_t i = 0; i < count; i++)
		bytes[i] = static_cast<double>(sizes[from + i]);
	snprintf(key, sizeof(key), "%s.bytes", section);
	bench_emit(bench, key, bytes, NULL, count, how);
	return 0;
}

/* One list of a section: `name` is "ns", "ns_4", "ns_ring_8". all[] has SIZES places. */
static int copy_list(struct bench *bench, const char *section, const char *name, int team,
		     struct copies form, size_t from, size_t count, struct measured *all,
		     const char *how)
{
	char key[64];
	snprintf(key, sizeof(key), "%s.%s", section, name);
	bench_progress(bench, key);
	for (size_t i = 0; i < count; i++) {
		form.bytes = sizes[from + i];
		if (copies_measure(bench, team, key, &form, &all[i]))
			return -1;
	}
	bench_emit_measured(bench, key, all, count, how);
	return 0;
}

static double sum_rate(const struct measured *measured, int team, double bytes)
{
	double sum = 0;
	for (int t = 0; t < team; t++) {
		double ns =
			isfinite(measured->of_member[t]) ? measured->of_member[t] : measured->value;
		sum += 1e9 * bytes / fmax(ns, 1);
	}
	return sum;
}

/* [copy.h2d], [copy.d2h] over sizes and GPUs at once, and [share.*]: the sum of the rates of the 64
 * MiB copies. */
static int host_direction(struct bench *bench, const char *name, enum copy_case_kind kind)
{
	char section[32], key[64], list[16];
	struct measured all[SIZES];
	double gpus[MAX_COUNTS], rate[MAX_COUNTS], spread[MAX_COUNTS];
	struct copies form = { { kind }, 1, 0, {} };
	snprintf(section, sizeof(section), "copy.%s", name);
	emit_sizes(bench, section, 0, SIZES, "payload of one copy");
	for (int n = 0; n < bench->counts; n++) {
		int team = bench->count[n];
		snprintf(list, sizeof(list), team == 1 ? "ns" : "ns_%d", team);
		if (copy_list(bench, section, list, team, form, 0, SIZES, all,
			      team == 1 ? "pinned; chain of kernel of 5 us, copy, kernel, copy ... "
					  "enqueued ahead, less the kernels alone, per copy"
					: "the same with that many GPUs at once"))
			return -1;
		gpus[n] = team;
		rate[n] =
			sum_rate(&all[SIZE_64_MIB], team, static_cast<double>(sizes[SIZE_64_MIB]));
		spread[n] = rate[n] * all[SIZE_64_MIB].spread / all[SIZE_64_MIB].value;
	}
	snprintf(key, sizeof(key), "share.%s.gpus", name);
	bench_emit(bench, key, gpus, NULL, static_cast<size_t>(bench->counts),
		   "GPUs copying at once");
	snprintf(key, sizeof(key), "share.%s.bytes_per_s", name);
	bench_emit(bench, key, rate, spread, static_cast<size_t>(bench->counts),
		   "sum over the GPUs, pinned copies of 64 MiB in chains");
	return 0;
}

/* Both directions at once: each GPU has a chain up and a chain down. */
static int both_directions(struct bench *bench)
{
	double gpus[MAX_COUNTS], rate[MAX_COUNTS], spread[MAX_COUNTS];
	struct copies form = { { CASE_H2D, CASE_D2H }, 2, sizes[SIZE_64_MIB], {} };
	struct measured both;
	bench_progress(bench, "share.both");
	for (int n = 0; n < bench->counts; n++) {
		int team = bench->count[n];
		if (copies_measure(bench, team, "share.both", &form, &both))
			return -1;
		gpus[n] = team;
		rate[n] = 2 * sum_rate(&both, team, static_cast<double>(form.bytes));
		spread[n] = rate[n] * both.spread / both.value;
	}
	bench_emit(bench, "share.both.gpus", gpus, NULL, static_cast<size_t>(bench->counts),
		   "GPUs copying both ways at once");
	bench_emit(bench, "share.both.bytes_per_s", rate, spread,
		   static_cast<size_t>(bench->counts),
		   "sum over the GPUs and both directions, pinned copies of 64 MiB in chains, two "
		   "streams a GPU");
	return 0;
}

static int peer_copies(struct bench *bench)
{
	struct measured all[SIZES];
	struct copies form = { { CASE_PEER }, 1, 0, {} },
		      ring = { { CASE_PEER, CASE_PEER_BACK }, 2, 0, {} };
	char list[16];
	emit_sizes(bench, "copy.peer", 0, SIZES, "payload of one copy");
	for (int n = 0; n < bench->counts; n++) {
		int team = bench->count[n];
		snprintf(list, sizeof(list), team == 1 ? "ns" : "ns_%d", team);
		if (copy_list(bench, "copy.peer", list, team, form, 0, SIZES, all,
			      team == 1 ? "GPU 0 to 1; chain as for [copy.h2d]"
					: "every one of that many GPUs to the next at once"))
			return -1;
	}
	int most = bench->count[bench->counts - 1];
	snprintf(list, sizeof(list), "ns_ring_%d", most);
	return copy_list(bench, "copy.peer", list, most, ring, 0, SIZES, all,
			 "every one of that many GPUs to both neighbours at once, two streams a "
			 "GPU; mean of both");
}

struct pageable {
	char *h_memory, *d_memory;
	size_t bytes;
	bool to_device;
};

static int pageable_batch(struct member *member, void *arg, double *value)
{
	const struct pageable *p = static_cast<const struct pageable *>(arg);
	int repeats = p->bytes < 1048576 ? 10 : 1;
	CUDA_TRY(member->bench, cudaDeviceSynchronize());
	int64_t begun_ns = monotonic_ns();
	for (int i = 0; i < repeats; i++) {
		if (p->to_device)
			CUDA_TRY(member->bench, cudaMemcpy(p->d_memory, p->h_memory, p->bytes,
							   cudaMemcpyHostToDevice));
		else
			CUDA_TRY(member->bench, cudaMemcpy(p->h_memory, p->d_memory, p->bytes,
							   cudaMemcpyDeviceToHost));
	}
	*value = static_cast<double>(monotonic_ns() - begun_ns) / repeats;
	return 0;
}

static int pageable_copies(struct bench *bench)
{
	int rc = 0;
	struct pageable p = { static_cast<char *>(malloc(sizes[SIZES - 1])), bench->kit[0].d_source,
			      0, false };
	if (!p.h_memory)
		return report("calibrate: no memory for a pageable buffer of 256 MiB");
	memset(p.h_memory, 1, sizes[SIZES - 1]);
	for (int direction = 0; direction < 2 && !rc; direction++) {
		struct measured all[SIZES];
		const char *section = direction ? "copy.d2h_pageable" : "copy.h2d_pageable";
		char key[64];
		p.to_device = !direction;
		snprintf(key, sizeof(key), "%s.ns", section);
		bench_progress(bench, key);
		for (int i = 0; i < SIZES && !rc; i++) {
			p.bytes = sizes[i];
			rc = bench_measure(bench, 1, key, static_cast<double>(p.bytes),
					   pageable_batch, &p, &all[i]);
		}
		if (rc)
			break;
		emit_sizes(bench, section, 0, SIZES, "payload of one copy");
		bench_emit_measured(bench, key, all, SIZES,
				    "whole cudaMemcpy of pageable memory, device idle");
	}
	free(p.h_memory);
	return rc;
}

/* Rows of 4 KiB from and to memory of twice that pitch, 64 KiB to 64 MiB of payload. */
static int copies_2d(struct bench *bench)
{
	struct measured all[SIZES];
	struct copies down = { { CASE_D2H_2D }, 1, 0, {} }, up = { { CASE_H2D_2D }, 1, 0, {} };
	const size_t from = 6, count = 9; /* of sizes[] */
	emit_sizes(bench, "copy.h2d_2d", from, count, "payload of one copy");
	if (copy_list(bench, "copy.h2d_2d", "ns", 1, up, from, count, all,
		      "rows of 4 KiB, pitch 8 KiB, pinned; chain as for [copy.h2d]"))
		return -1;
	emit_sizes(bench, "copy.d2h_2d", from, count, "payload of one copy");
	return copy_list(bench, "copy.d2h_2d", "ns", 1, down, from, count, all,
			 "rows of 4 KiB, pitch 8 KiB, pinned; chain as for [copy.d2h]");
}

int calibrate_copy(struct bench *bench)
{
	struct copies d2d = { { CASE_D2D }, 1, 0, {} };
	struct measured all[SIZES];
	if (host_direction(bench, "h2d", CASE_H2D) || host_direction(bench, "d2h", CASE_D2H) ||
	    both_directions(bench))
		return -1;
	emit_sizes(bench, "copy.d2d", 0, SIZES, "payload of one copy");
	if (copy_list(bench, "copy.d2d", "ns", 1, d2d, 0, SIZES, all,
		      "within one GPU; chain as for [copy.h2d]") ||
	    pageable_copies(bench) || copies_2d(bench))
		return -1;
	return bench->gpus > 1 ? peer_copies(bench) : 0;
}
