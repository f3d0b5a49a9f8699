/* SPDX-License-Identifier: MIT
 * A program on virtual GPUs (docs/as-gpus.md): each was a context of the one real device, so the
 * devices of all records are those of their contexts; calls that only this way of running made are
 * left out; copies between contexts were copies between devices.
 */
#include "spool_virtual.h"

#include <stdlib.h>
#include <string.h>
#include "traces/base/util.h"
#include "traces/format/annotate.h"

/* ---- devices ---- */

/* A fact of the recorder's that is a number below `end`; `otherwise`: it says none. */
static uint32_t number_said(const struct spool *spool, const char *key, uint32_t end,
			    uint32_t otherwise)
{
	for (size_t i = 0; i < spool->meta_count; i++)
		if (!strcmp(spool_text(spool, spool->meta[i].key), key)) {
			int64_t number;

			if (!parse_i64(spool_text(spool, spool->meta[i].value), &number) &&
			    number >= 0 && number < end)
				return (uint32_t)number;
		}
	return otherwise;
}

/* The device a context stands for: `first`, of a process that was shown others of them first, where
 * it is none of the virtual ones. */
static uint32_t device_of(const struct spool *spool, uint32_t context, uint32_t device,
			  uint32_t first)
{
	for (size_t i = 0; i < spool->virtual_gpu_count; i++)
		if (spool->virtual_gpu[i].context == context)
			return spool->virtual_gpu[i].device;
	return device ? device : first;
}

/* The real device once more for each virtual one, so that all are described. */
static void add_devices(struct spool *spool, uint32_t count)
{
	struct spool_device real;

	if (!spool->device_count)
		return;
	real = spool->device[0];
	for (uint32_t i = 1; i < count; i++) {
		bool there = false;

		for (size_t j = 0; j < spool->device_count; j++)
			there |= spool->device[j].device == i;
		if (there)
			continue;
		GROW(spool->device, spool->device_count, spool->device_capacity);
		spool->device[spool->device_count] = real;
		spool->device[spool->device_count++].device = i;
	}
}

/* How many devices the program saw; 0: it ran on those there were. */
static uint32_t spool_virtual_gpus(const struct spool *spool)
{
	return number_said(spool, "virtual_gpus", 1025, 0);
}

static void name_devices(struct spool *spool, uint32_t count)
{
	const uint32_t first = number_said(spool, "virtual_first", count, 0);

#define NAME_DEVICES(table)                                                                        \
	for (size_t i = 0; i < spool->table##_count; i++)                                          \
		spool->table[i].device =                                                           \
			device_of(spool, spool->table[i].context, spool->table[i].device, first);
	NAME_DEVICES(kernel)
	NAME_DEVICES(memcpy)
	NAME_DEVICES(memset)
	NAME_DEVICES(event)
	NAME_DEVICES(context)
#undef NAME_DEVICES
}

/* ---- hidden calls ---- */

static int by_thread_and_time(const void *a, const void *b)
{
	const struct spool_host_op *x = *(const struct spool_host_op *const *)a,
				   *y = *(const struct spool_host_op *const *)b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

/* The notes of these kinds, and `more` others, by thread and time; the caller frees. */
static const struct spool_host_op **notes_of(const struct spool *spool, uint32_t least,
					     uint32_t most, const struct spool_host_op *more,
					     size_t more_count, size_t *count)
{
	const struct spool_host_op **note =
		xcalloc(spool->host_op_count + more_count + 1, sizeof(*note));

	*count = 0;
	for (size_t i = 0; i < more_count; i++)
		note[(*count)++] = &more[i];
	for (size_t i = 0; i < spool->host_op_count; i++)
		if (spool->host_op[i].kind >= least && spool->host_op[i].kind <= most)
			note[(*count)++] = &spool->host_op[i];
	qsort(note, *count, sizeof(*note), by_thread_and_time);
	return note;
}

static bool lies_in(const struct spool_host_op *const *note, size_t count,
		    const struct spool_api *call)
{
	size_t low = 0, high = count;

	while (low < high) { /* the last that begins no later */
		size_t middle = low + (high - low) / 2;

		if (note[middle]->tid < call->tid ||
		    (note[middle]->tid == call->tid && note[middle]->start_ns <= call->start_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low && note[low - 1]->tid == call->tid && call->end_ns <= note[low - 1]->end_ns;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Operations of several GPUs are hidden as a whole. */
static struct spool_host_op *hidden_collectives(const struct spool *spool)
{
	struct spool_host_op *note = xcalloc(spool->collective_count + 1, sizeof(*note));

	for (size_t i = 0; i < spool->collective_count; i++)
		note[i] = (struct spool_host_op){ .kind = NOTE_HIDDEN,
						  .tid = spool->collective[i].tid,
						  .start_ns = spool->collective[i].start_ns,
						  .end_ns = spool->collective[i].end_ns };
	return note;
}

/* Calls within hidden time, and what they asked for. */
static void leave_out(struct spool *spool)
{
	size_t notes, calls = 0, left_out = 0;
	struct spool_host_op *collective = hidden_collectives(spool);
	const struct spool_host_op **note = notes_of(spool, NOTE_HIDDEN, NOTE_PEER_COPY, collective,
						     spool->collective_count, &notes);
	uint32_t *correlation = xcalloc(spool->api_count + 1, sizeof(*correlation));

	for (size_t i = 0; i < spool->api_count; i++) {
		const struct spool_api call = spool->api[i];

		if (lies_in(note, notes, &call))
			correlation[left_out++] = call.correlation;
		else
			spool->api[calls++] = call;
	}
	spool->api_count = calls;
	qsort(correlation, left_out, sizeof(*correlation), by_number);
#define LEAVE_OUT(table)                                                                           \
	do {                                                                                       \
		size_t kept = 0;                                                                   \
                                                                                                   \
		for (size_t i = 0; i < spool->table##_count; i++)                                  \
			if (!bsearch(&spool->table[i].correlation, correlation, left_out,          \
				     sizeof(*correlation), by_number))                             \
				spool->table[kept++] = spool->table[i];                            \
		spool->table##_count = kept;                                                       \
	} while (0)
	LEAVE_OUT(sync);
	LEAVE_OUT(kernel);
	LEAVE_OUT(memcpy);
	LEAVE_OUT(memset);
	LEAVE_OUT(event);
#undef LEAVE_OUT
	free(correlation);
	free(note);
	free(collective);
}

void spool_virtual_prepare(struct trace *trace, struct spool *spool)
{
	const uint32_t count = spool_virtual_gpus(spool);

	if (!count)
		return;
	add_devices(spool, count);
	name_devices(spool, count);
	spool_virtual_memory(trace, spool, count);
	leave_out(spool);
}

/* ---- copies between devices ---- */

struct peer_copy {
	uint32_t correlation, ends; /* source << 16 | target */
	bool met;
};

static int by_correlation(const void *a, const void *b)
{
	return by_number(a, b);
}

/* The first call of the note's thread at or after its end; NULL: none. */
static struct spool_api *call_after(const struct spool_calls *calls,
				    const struct spool_host_op *note)
{
	size_t low = 0, high = calls->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct spool_api *call = &calls->call[middle];

		if (call->tid < note->tid ||
		    (call->tid == note->tid && call->start_ns < note->end_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low < calls->count && calls->call[low].tid == note->tid ? &calls->call[low] : NULL;
}

/* The name cudaMemcpyPeer or cudaMemcpyPeerAsync has with CUPTI, for a call recorded as `plain`. */
static uint32_t peer_name(struct spool *spool, uint32_t plain)
{
	const char *text = strstr(spool_text(spool, plain), "Async") ? "cudaMemcpyPeerAsync_v4000"
								     : "cudaMemcpyPeer_v4000";

	for (size_t i = 1; i < spool->string_count; i++)
		if (spool->string[i] && !strcmp(spool->string[i], text))
			return (uint32_t)i;
	spool->string = xrealloc(spool->string, spool->string_count + 1, sizeof(*spool->string));
	spool->string[spool->string_count] = xstrdup(text);
	return (uint32_t)spool->string_count++;
}

void spool_virtual_copies(struct trace *trace, struct spool *spool, struct spool_calls *calls)
{
	size_t notes, copies = 0;
	const struct spool_host_op **note;
	struct peer_copy *copy;
	uint64_t unmet = 0;

	if (!spool_virtual_gpus(spool))
		return;
	note = notes_of(spool, NOTE_PEER_COPY, NOTE_PEER_COPY, NULL, 0, &notes);
	copy = xcalloc(notes + 1, sizeof(*copy));
	for (size_t i = 0; i < notes; i++) {
		struct spool_api *call = call_after(calls, note[i]);

		if (!call)
			continue;
		copy[copies++] = (struct peer_copy){ call->correlation, note[i]->object, false };
		if (note[i]->value)
			call->name = peer_name(spool, call->name);
	}
	qsort(copy, copies, sizeof(*copy), by_correlation);
	for (size_t i = 0; i < spool->memcpy_count; i++) {
		struct spool_memcpy *row = &spool->memcpy[i];
		const uint32_t correlation = spool_calls_correlation(calls, row->correlation);
		struct peer_copy *found =
			bsearch(&correlation, copy, copies, sizeof(*copy), by_correlation);

		if (!found)
			continue;
		found->met = true;
		if (found->ends >> 16 == 0xffff || (found->ends & 0xffff) == 0xffff)
			continue; /* to or from the host */
		row->peer = 1;
		row->source_device = found->ends >> 16;
		row->target_device = found->ends & 0xffff;
	}
	for (size_t i = 0; i < copies; i++)
		unmet += !copy[i].met;
	spool_lose(trace, "virtual-peer-copies", unmet,
		   "copies between virtual devices without a row of their own (captured into a "
		   "graph): "
		   "they stand as copies within a device");
	for (size_t i = 0; i < spool->host_op_count; i++)
		if (spool->host_op[i].kind == NOTE_PEER_COPY) {
			spool->host_op[i].kind = NOTE_HIDDEN;
			spool->host_op[i].object = 0;
			spool->host_op[i].value = 0;
		}
	free(copy);
	free(note);
}
