/* SPDX-License-Identifier: MIT
 * tracer.gap.*: what the recorder takes between two records of a thread, from the trace of the loops of calibrate_gaps.cu.
 *
 * The gap between records A and B is taken as after(A) + before(B). Which part is whose cannot be told from sums, so what is between
 * two notes counts half as after and half as before. Each pair of kinds that occurs gives one mean; the parts are the least squares
 * over them, each weighted by how often it occurred (Gauss-Seidel: every part in turn is the mean of what the others leave).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../traces/trace.h"
#include "../traces/util.h"
#include "calibrate_results.h"
#include "calibrate_trace.h"
#include "platform.h"

enum { SWEEPS = 2000, LONGEST = 16 };

static const struct {
	const char *call; /* without its version suffix */
	int kind;
} calls[] = {
	{ "cudaLaunchKernel", GAP_LAUNCH }, { "cudaEventRecord", GAP_RECORD },          { "cudaStreamWaitEvent", GAP_WAIT },
	{ "cudaMemcpyAsync", GAP_COPY },    { "cudaMemcpyPeerAsync", GAP_COPY_PEER }, { "cudaStreamSynchronize", GAP_SYNC },
};

static const struct {
	const char *phase;
	bool footprints;
} windows[] = {
	{ "tracer.gap.staged", false }, { "tracer.gap.staged_footprints", true },
	{ "tracer.gap.ordered", false }, { "tracer.gap.ordered_footprints", true },
};

struct item { int64_t tid, start_ns, end_ns; int kind; }; /* kind -1: some other call */

struct cell { double *ns; size_t count, capacity; double mean; };

struct gaps { /* of one number of threads */
	struct cell cell[2][GAP_KINDS][GAP_KINDS]; /* [launch with footprint][before it][it] */
	double after[GAP_KINDS], before[GAP_KINDS], footprint, rms_ns;
	bool has_after[GAP_KINDS], has_before[GAP_KINDS];
};

static int compare_items(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static int kind_of(const struct trace *trace, const struct trace_api *row)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calibrate_is_call(trace, row, calls[i].call))
			return calls[i].kind;
	return -1;
}

static void collect(struct gaps *gaps, const struct trace *trace, const struct trace_run *window, bool footprints)
{
	struct item *item = xmalloc((trace->api_count + trace->host_op_count + 1) * sizeof(*item));
	size_t count = 0;
	for (size_t i = 0; i < trace->api_count; i++) {
		const struct trace_api *row = &trace->api[i];
		if (row->start_ns >= window->start_ns && row->end_ns <= window->end_ns)
			item[count++] = (struct item){ row->global_tid, row->start_ns, row->end_ns, kind_of(trace, row) };
	}
	for (size_t i = 0; i < trace->host_op_count; i++) {
		const struct trace_host_op *row = &trace->host_op[i];
		if (row->start_ns >= window->start_ns && row->end_ns <= window->end_ns)
			item[count++] = (struct item){ row->global_tid, row->start_ns, row->end_ns, GAP_NOTE };
	}
	qsort(item, count, sizeof(*item), compare_items);
	bool idle = true; /* no call since the last synchronisation */
	for (size_t i = 0; i < count; i++) {
		bool first = !i || item[i].tid != item[i - 1].tid;
		idle = first || idle;
		int kind = item[i].kind, was = first ? -1 : item[i - 1].kind;
		if (was >= 0 && kind >= 0 && item[i].start_ns >= item[i - 1].end_ns) {
			struct cell *cell = &gaps->cell[footprints && kind == GAP_LAUNCH][was][kind == GAP_LAUNCH && idle ? GAP_LAUNCH_IDLE : kind];
			GROW(cell->ns, cell->count, cell->capacity);
			cell->ns[cell->count++] = (double)(item[i].start_ns - item[i - 1].end_ns);
		}
		if (kind != GAP_NOTE)
			idle = kind == GAP_SYNC;
	}
	free(item);
}

/* One part anew: the mean of what the others leave of its cells. `which` is 0 for after, 1 for before, 2 for the footprint. */
static double part_anew(const struct gaps *gaps, int which, int kind, bool *found)
{
	double sum = 0, weight = 0;
	for (int noted = 0; noted < 2; noted++)
		for (int a = 0; a < GAP_KINDS; a++)
			for (int b = 0; b < GAP_KINDS; b++) {
				const struct cell *cell = &gaps->cell[noted][a][b];
				if (!cell->count || (which == 0 && a != kind) || (which == 1 && b != kind) || (which == 2 && !noted))
					continue;
				double left = cell->mean - (which == 0 ? 0 : gaps->after[a]) - (which == 1 ? 0 : gaps->before[b]) -
					      (which == 2 || !noted ? 0 : gaps->footprint);
				sum += left * (double)cell->count;
				weight += (double)cell->count;
			}
	*found = weight > 0;
	return weight > 0 ? sum / weight : 0;
}

static void solve(struct gaps *gaps)
{
	double off = 0, weight = 0;
	bool found;
	for (int noted = 0; noted < 2; noted++)
		for (int a = 0; a < GAP_KINDS; a++)
			for (int b = 0; b < GAP_KINDS; b++) {
				struct cell *cell = &gaps->cell[noted][a][b];
				cell->mean = cell->count ? trimmed_mean_of(cell->ns, cell->count) : 0;
			}
	for (int sweep = 0; sweep < SWEEPS; sweep++) {
		for (int kind = 0; kind < GAP_KINDS; kind++) {
			gaps->after[kind] = part_anew(gaps, 0, kind, &gaps->has_after[kind]);
			gaps->before[kind] = part_anew(gaps, 1, kind, &gaps->has_before[kind]);
		}
		gaps->footprint = part_anew(gaps, 2, 0, &found);
	}
	double shift = (gaps->after[GAP_NOTE] - gaps->before[GAP_NOTE]) / 2;
	for (int kind = 0; kind < GAP_KINDS; kind++) {
		gaps->after[kind] -= shift;
		gaps->before[kind] += shift;
	}
	for (int noted = 0; noted < 2; noted++)
		for (int a = 0; a < GAP_KINDS; a++)
			for (int b = 0; b < GAP_KINDS; b++) {
				const struct cell *cell = &gaps->cell[noted][a][b];
				double error = cell->mean - gaps->after[a] - gaps->before[b] - (noted ? gaps->footprint : 0);
				off += cell->count ? error * error * (double)cell->count : 0;
				weight += (double)cell->count;
			}
	gaps->rms_ns = weight > 0 ? sqrt(off / weight) : 0;
}

static void release(struct gaps *gaps)
{
	for (int noted = 0; noted < 2; noted++)
		for (int a = 0; a < GAP_KINDS; a++)
			for (int b = 0; b < GAP_KINDS; b++)
				free(gaps->cell[noted][a][b].ns);
	free(gaps);
}

static void add(struct results *results, const char *key, const double *values, size_t count, const char *how)
{
	double shown[LONGEST];
	for (size_t n = 0; n < count; n++) {
		if (isnan(values[n]))
			return; /* not met with so many threads */
		shown[n] = fmax(values[n], 0);
	}
	results_add(results, key, shown, NULL, count, how);
}

static void add_all(struct results *results, struct gaps *const *gaps, size_t count, const char *how)
{
	double values[LONGEST];
	for (int kind = 0; kind < GAP_KINDS; kind++) {
		for (int after = 0; after < 2 && kind != GAP_NOTE; after++) {
			if (after && kind == GAP_LAUNCH_IDLE)
				continue;
			char *key = xprintf("tracer.gap.%s_%s_ns", after ? "after" : "before", gap_key[kind]);
			for (size_t n = 0; n < count; n++)
				values[n] = after ? gaps[n]->has_after[kind] ? gaps[n]->after[kind] : NAN : gaps[n]->has_before[kind] ? gaps[n]->before[kind] : NAN;
			add(results, key, values, count, after ? "end of its record to the next thing the thread does; the same fit" : how);
			free(key);
		}
	}
	for (size_t n = 0; n < count; n++)
		values[n] = gaps[n]->after[GAP_NOTE] + gaps[n]->before[GAP_NOTE];
	add(results, "tracer.gap.note_ns", values, count, "between two notes of a thread; the same fit");
	for (size_t n = 0; n < count; n++)
		values[n] = gaps[n]->footprint;
	add(results, "tracer.gap.footprint_ns", values, count, "what noting a footprint adds before a launch; the same fit");
}

int calibrate_add_gaps(struct results *results, const struct results *traced, const struct trace *trace)
{
	const struct result *threads = results_find(traced, "tracer.gap.threads");
	struct gaps *gaps[LONGEST];
	double rms_ns = 0;
	size_t made = 0;
	int rc = 0;
	for (; threads && made < threads->count && made < LONGEST && !rc; made++) {
		gaps[made] = xcalloc(1, sizeof(*gaps[made]));
		for (size_t w = 0; w < sizeof(windows) / sizeof(windows[0]) && !rc; w++) {
			const struct trace_run *window = calibrate_window(trace, windows[w].phase, threads->values[made]);
			if (window)
				collect(gaps[made], trace, window, windows[w].footprints);
			else
				rc = report("trace pass: no record of the loop %s with %g threads", windows[w].phase, threads->values[made]);
		}
		if (!rc)
			solve(gaps[made]);
		rms_ns = fmax(rms_ns, gaps[made]->rms_ns);
	}
	if (threads && !rc) {
		char *how = xprintf("to the begin of its record from what the thread did before; fit over the mean gaps of two loops, which it meets to "
				    "%.0f ns", rms_ns);
		results_add(results, "tracer.gap.threads", threads->values, NULL, made, threads->how);
		add_all(results, gaps, made, how);
		free(how);
	}
	while (made)
		release(gaps[--made]);
	return rc;
}
