/* SPDX-License-Identifier: MIT */
#include "collectives.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "traces/base/util.h"

/* The least copy between two GPUs, ns; 0: the platform has none. */
static double least_copy_ns(const struct platform *platform)
{
	const struct number_list *copy = &platform->copy[COPY_CURVE_PEER].y;
	return copy->count ? copy->value[0] : 0;
}

/* What one machine has over the other; 1 where either does not say, or had no limit already. */
static double ratio(double asked, double recorded)
{
	return asked > 0 && recorded > 0 && isfinite(recorded) ? asked / recorded : 1;
}

/* Equal ones, shortest first. */
static int by_likeness(const void *left, const void *right)
{
	const struct schedule_collective *a = *(struct schedule_collective *const *)left,
					 *b = *(struct schedule_collective *const *)right;
	if (a->kernel != b->kernel)
		return a->kernel < b->kernel ? -1 : 1;
	if (a->participants != b->participants)
		return a->participants < b->participants ? -1 : 1;
	if (a->blocks != b->blocks)
		return a->blocks < b->blocks ? -1 : 1;
	return (a->work_ps > b->work_ps) - (a->work_ps < b->work_ps);
}

static bool alike(const struct schedule_collective *a, const struct schedule_collective *b)
{
	return a->kernel == b->kernel && a->participants == b->participants &&
	       a->blocks == b->blocks;
}

void collectives_price(struct schedule *schedule, const struct platform *recorded,
		       const struct platform *asked)
{
	const uint32_t count = schedule->collective_count;
	const bool known = recorded->nccl_least_ns > 0;
	const double least_ps = 1000 * (known ? recorded->nccl_least_ns : least_copy_ns(recorded)),
		     latency = known && asked->nccl_least_ns > 0
				       ? ratio(asked->nccl_least_ns, recorded->nccl_least_ns)
				       : ratio(least_copy_ns(asked), least_copy_ns(recorded)),
		     rate = ratio(asked->nvlink_bytes_per_s, recorded->nvlink_bytes_per_s);
	if (latency == 1 && rate == 1)
		return;
	struct schedule_collective **sorted = xmalloc((count + 1) * sizeof(*sorted));
	for (uint32_t c = 0; c < count; c++)
		sorted[c] = &schedule->collective[c];
	qsort(sorted, count, sizeof(*sorted), by_likeness);
	for (uint32_t first = 0, end; first < count; first = end) {
		for (end = first + 1; end < count && alike(sorted[first], sorted[end]);)
			end++;
		const double median_ps = (double)sorted[first + (end - first) / 2]->work_ps,
			     waits_ps = median_ps < least_ps ? median_ps : least_ps,
			     more_ps = waits_ps * (latency - 1) +
				       (median_ps - waits_ps) * (1 / rate - 1);
		for (uint32_t c = first; c < end; c++) {
			const double work_ps = (double)sorted[c]->work_ps + more_ps;
			sorted[c]->work_ps = work_ps > 0 ? (int64_t)llround(work_ps) : 0;
		}
	}
	free(sorted);
}
