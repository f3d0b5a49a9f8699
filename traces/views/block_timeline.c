/* SPDX-License-Identifier: MIT
 * The device's timer may tick in steps as long as a block; the clock of an SM counts cycles, but
 * starts where it likes. So the clocks of each SM are laid on the timer: a timer that ticks in
 * steps is never ahead of the time, hence of all that an SM says of the difference between its
 * clock and the timer the greatest is the nearest.
 */
#include "block_timeline.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/text_show.h"
#include "traces/base/util.h"

/* Cycles a ns: the highest clock recorded of the device, for one read while it rests is lower; 0
 * unknown. */
static double clock_ghz(const struct trace *trace, int32_t device)
{
	int64_t khz = 0;

	for (size_t i = 0; i < trace->clock_count; i++)
		if (trace->clock[i].device == device && trace->clock[i].sm_khz > khz)
			khz = trace->clock[i].sm_khz;
	for (size_t i = 0; !khz && i < trace->gpu_count; i++)
		if (trace->gpu[i].device == device)
			khz = trace->gpu[i].clock_khz;
	return khz > 0 ? (double)khz * 1e-6 : 0;
}

static int by_launch(const void *left, const void *right)
{
	const struct trace_block *a = *(const struct trace_block *const *)left,
				 *b = *(const struct trace_block *const *)right;

	if (a->launch != b->launch)
		return a->launch < b->launch ? -1 : 1;
	if (a->sm != b->sm)
		return a->sm < b->sm ? -1 : 1;
	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	return a->block < b->block ? -1 : a->block > b->block;
}

static int by_begin(const void *left, const void *right)
{
	const struct block_span *a = left, *b = right;

	if (a->begin_ns < b->begin_ns || a->begin_ns > b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	return a->block < b->block ? -1 : a->block > b->block;
}

/* The blocks of one SM: rows[0..count). */
static void place_times(const struct trace_block *const *rows, size_t count, double ghz,
			struct block_span *span)
{
	double ahead = -INFINITY; /* of the timer, ns from the SM's clock 0 */
	bool clocks = ghz > 0;

	for (size_t i = 0; i < count; i++)
		clocks &= rows[i]->begin_clock >= 0 && rows[i]->end_clock >= rows[i]->begin_clock;
	for (size_t i = 0; clocks && i < count; i++) {
		double begin = (double)rows[i]->begin_ns - (double)rows[i]->begin_clock / ghz;
		double end = (double)rows[i]->end_ns - (double)rows[i]->end_clock / ghz;

		ahead = fmax(ahead, fmax(begin, end));
	}
	for (size_t i = 0; i < count; i++) {
		span[i].block = rows[i]->block;
		span[i].sm = rows[i]->sm;
		span[i].begin_ns = clocks ? ahead + (double)rows[i]->begin_clock / ghz
					  : (double)rows[i]->begin_ns;
		span[i].end_ns =
			clocks ? ahead + (double)rows[i]->end_clock / ghz : (double)rows[i]->end_ns;
	}
	qsort(span, count, sizeof(*span), by_begin);
}

/* Slots and waves of one SM's blocks. */
static void place_slots(struct block_timeline *timeline, struct block_span *span, size_t count)
{
	double *free_ns = xcalloc(count + 1, sizeof(*free_ns));
	uint32_t *used = xcalloc(count + 1, sizeof(*used)), slots = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t slot = 0;

		while (slot < slots && free_ns[slot] > span[i].begin_ns)
			slot++;
		slots += slot == slots;
		free_ns[slot] = span[i].end_ns;
		used[slot]++;
		span[i].slot = slot;
		timeline->waves = used[slot] > timeline->waves ? used[slot] : timeline->waves;
	}
	timeline->slots = slots > timeline->slots ? slots : timeline->slots;
	free(free_ns);
	free(used);
}

static void make(struct block_timeline *t, const struct trace *trace,
		 const struct trace_block *const *rows, size_t count)
{
	double ghz = clock_ghz(trace, rows[0]->device), first = INFINITY, last = -INFINITY,
	       first_done = INFINITY, sum = 0;

	*t = (struct block_timeline){ .launch = rows[0]->launch,
				      .device = rows[0]->device,
				      .correlation = rows[0]->correlation,
				      .kernel = rows[0]->kernel,
				      .count = count,
				      .least_an_sm = UINT32_MAX,
				      .min_ns = INFINITY };
	t->span = xcalloc(count, sizeof(*t->span));
	for (size_t from = 0, to; from < count; from = to) {
		double done = -INFINITY;

		for (to = from; to < count && rows[to]->sm == rows[from]->sm; to++)
			;
		place_times(rows + from, to - from, ghz, t->span + from);
		place_slots(t, t->span + from, to - from);
		for (size_t i = from; i < to; i++) {
			double ns = t->span[i].end_ns - t->span[i].begin_ns;

			first = fmin(first, t->span[i].begin_ns);
			done = fmax(done, t->span[i].end_ns);
			sum += ns;
			t->min_ns = fmin(t->min_ns, ns);
			t->max_ns = fmax(t->max_ns, ns);
		}
		last = fmax(last, done);
		first_done = fmin(first_done, done);
		t->sms++;
		t->least_an_sm =
			to - from < t->least_an_sm ? (uint32_t)(to - from) : t->least_an_sm;
		t->most_an_sm = to - from > t->most_an_sm ? (uint32_t)(to - from) : t->most_an_sm;
	}
	for (size_t i = 0; i < count; i++) {
		t->span[i].begin_ns -= first;
		t->span[i].end_ns -= first;
	}
	t->span_ns = last - first;
	t->tail_ns = last - first_done;
	t->mean_ns = sum / (double)count;
}

size_t block_timelines(const struct trace *trace, struct block_timeline **timelines)
{
	const struct trace_block **rows = xmalloc((trace->block_count + 1) * sizeof(*rows));
	size_t count = 0, capacity = 0;

	*timelines = NULL;
	for (size_t i = 0; i < trace->block_count; i++)
		rows[i] = &trace->block[i];
	qsort(rows, trace->block_count, sizeof(*rows), by_launch);
	for (size_t from = 0, to; from < trace->block_count; from = to) {
		for (to = from; to < trace->block_count && rows[to]->launch == rows[from]->launch;
		     to++)
			;
		GROW(*timelines, count, capacity);
		make(&(*timelines)[count++], trace, rows + from, to - from);
	}
	free(rows);
	return count;
}

void block_timeline_release(struct block_timeline *timeline)
{
	free(timeline->span);
	memset(timeline, 0, sizeof(*timeline));
}

/* A row a block, so that a figure needs nothing else. */
static void print_rows(const struct trace *trace, const struct block_timeline *t)
{
	struct text_show show = { 0 };
	const char *kernel = text_show(&show, trace_text(trace, t->kernel));

	for (size_t i = 0; i < t->count; i++)
		printf("%" PRId32 "\t%s\t%" PRId64 "\t%" PRId32 "\t%" PRIu32 "\t%" PRIu32
		       "\t%" PRIu32 "\t%.1f\t%.1f\n",
		       t->launch, kernel, t->correlation, t->device, t->span[i].sm, t->span[i].slot,
		       t->span[i].block, t->span[i].begin_ns, t->span[i].end_ns);
	text_show_release(&show);
}

static void print_paragraph(const struct trace *trace, const struct block_timeline *t)
{
	struct text_show show = { 0 };

	printf("launch %" PRId32 ": %s on GPU %" PRId32, t->launch,
	       text_show(&show, trace_text(trace, t->kernel)), t->device);
	text_show_release(&show);
	if (t->correlation != -1)
		printf(", correlation %" PRId64, t->correlation);
	for (size_t i = 0; t->correlation != -1 && i < trace->kernel_count; i++)
		if (trace->kernel[i].correlation == t->correlation &&
		    trace->kernel[i].device == t->device)
			printf(", %.3f us as traced",
			       (double)(trace->kernel[i].end_ns - trace->kernel[i].start_ns) /
				       1000);
	printf("\n  blocks        %10zu   on %" PRIu32 " SMs, %" PRIu32 " to %" PRIu32
	       " on one; at most %" PRIu32 " at once, %" PRIu32 " wave%s\n",
	       t->count, t->sms, t->least_an_sm, t->most_an_sm, t->slots, t->waves,
	       t->waves == 1 ? "" : "s");
	printf("  first to last %10.3f us, of which %.3f us since the first SM was done\n",
	       t->span_ns / 1000, t->tail_ns / 1000);
	printf("  one block     %10.3f us on average, %.3f to %.3f\n", t->mean_ns / 1000,
	       t->min_ns / 1000, t->max_ns / 1000);
}

int block_timeline_print(const struct trace *trace, bool tsv)
{
	struct block_timeline *timeline;
	size_t count = block_timelines(trace, &timeline);

	if (!count)
		return report("%s: holds no blocks; `warpreel solve --blocks` notes them while it "
			      "is recorded",
			      trace->path);
	if (tsv)
		printf("launch\tkernel\tcorrelation\tgpu\tsm\tslot\tblock\tbegin_ns\tend_ns\n");
	for (size_t k = 0; k < count; k++) {
		if (tsv)
			print_rows(trace, &timeline[k]);
		else
			print_paragraph(trace, &timeline[k]);
		block_timeline_release(&timeline[k]);
	}
	free(timeline);
	return 0;
}
