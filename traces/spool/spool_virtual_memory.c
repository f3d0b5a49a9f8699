/* SPDX-License-Identifier: MIT
 * What virtual devices held, from the recorder's notes of it: at most, and while they took turns,
 * which is what their kernels found of each other in the one L2 (docs/as-gpus.md).
 */
#include "spool_virtual.h"

#include <stdlib.h>
#include <string.h>
#include "traces/base/util.h"
#include "traces/format/annotate.h"

static int by_time(const void *left, const void *right)
{
	const struct spool_host_op *a = left, *b = right;

	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

static int by_start(const void *left, const void *right)
{
	const struct spool_kernel *const *a = left, *const *b = right;

	return (*a)->start_ns < (*b)->start_ns ? -1 : (*a)->start_ns > (*b)->start_ns;
}

static int ascending(const void *left, const void *right)
{
	const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return a < b ? -1 : a > b;
}

/* Takes the notes of memory out of the others; the caller frees. */
static struct spool_host_op *take_notes(struct spool *spool, size_t *count)
{
	struct spool_host_op *note = xcalloc(spool->host_op_count + 1, sizeof(*note));
	size_t kept = 0;

	*count = 0;
	for (size_t i = 0; i < spool->host_op_count; i++)
		if (spool->host_op[i].kind == NOTE_MEMORY)
			note[(*count)++] = spool->host_op[i];
		else
			spool->host_op[kept++] = spool->host_op[i];
	spool->host_op_count = kept;
	qsort(note, *count, sizeof(*note), by_time);
	return note;
}

/* "0 4096, 1 8192" */
static void set_meta(struct trace *trace, const char *key, const int64_t *bytes, uint32_t gpus)
{
	char *text = NULL;

	for (uint32_t i = 0; i < gpus; i++) {
		char *more = xprintf("%s%s%u %lld", text ? text : "", text ? ", " : "", i,
				     (long long)bytes[i]);

		free(text);
		text = more;
	}
	trace_set_meta(trace, key, text);
	free(text);
}

/* The median of what `gpu` held when its kernels came first after another device's; of a process
 * that has one device, at all of its kernels, as the others are other processes'. */
static int64_t held_in_turns(const struct spool_kernel *const *kernel, size_t kernels,
			     const struct spool_host_op *note, size_t notes, uint32_t gpu,
			     int64_t *held)
{
	bool others = false, alone = true;
	int64_t now = 0;
	size_t count = 0, at = 0;

	for (size_t i = 0; i < kernels; i++)
		alone &= kernel[i]->device == gpu;
	for (size_t i = 0; i < kernels; i++) {
		for (; at < notes && note[at].start_ns <= kernel[i]->start_ns; at++)
			if (note[at].object == gpu)
				now = note[at].value;
		if (kernel[i]->device != gpu) {
			others = true;
			continue;
		}
		if (others || alone)
			held[count++] = now;
		others = false;
	}
	qsort(held, count, sizeof(*held), ascending);
	return count ? held[count / 2] : 0;
}

void spool_virtual_memory(struct trace *trace, struct spool *spool, uint32_t gpus)
{
	int64_t *most = xcalloc(gpus, sizeof(*most)), *turn = xcalloc(gpus, sizeof(*turn)),
		*held = xcalloc(spool->kernel_count + 1, sizeof(*held));
	const struct spool_kernel **kernel = xcalloc(spool->kernel_count + 1, sizeof(*kernel));
	size_t notes;
	struct spool_host_op *note = take_notes(spool, &notes);

	for (size_t i = 0; i < notes; i++)
		if (note[i].object < gpus && note[i].value > most[note[i].object])
			most[note[i].object] = note[i].value;
	for (size_t i = 0; i < spool->kernel_count; i++)
		kernel[i] = &spool->kernel[i];
	qsort(kernel, spool->kernel_count, sizeof(*kernel), by_start);
	for (uint32_t g = 0; g < gpus; g++)
		turn[g] = held_in_turns(kernel, spool->kernel_count, note, notes, g, held);
	set_meta(trace, "virtual_bytes", most, gpus);
	set_meta(trace, "virtual_turn_bytes", turn, gpus);
	free(note);
	free(kernel);
	free(held);
	free(turn);
	free(most);
}
