/* SPDX-License-Identifier: MIT */
#include "collectives.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "sim/copies/ring_price.h"
#include "traces/base/util.h"

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

bool collectives_are_calibrated(const struct platform *platform)
{
	return platform->nccl_least_ns > 0 && platform->nccl_step_ns > 0;
}

uint32_t collectives_of_rings(const struct schedule *schedule)
{
	uint32_t count = 0;
	for (uint32_t c = 0; c < schedule->collective_count; c++)
		count += schedule->collective[c].steps >= 0;
	return count;
}

int collectives_price_rings(struct schedule *schedule, const struct platform *platform)
{
	const uint32_t rings = collectives_of_rings(schedule);
	if (rings && !(platform->nvlink_bytes_per_s > 0))
		return report("%s has no cost of links between GPUs (nvlink.bytes_per_s), which "
			      "%u operations of several GPUs use",
			      platform->name, rings);
	for (uint32_t c = 0; c < schedule->collective_count; c++) {
		struct schedule_collective *what = &schedule->collective[c];
		const double work_ps = what->steps < 0 ? 0 : ring_price_ps(what, platform);
		if (what->steps < 0)
			continue;
		if (!(work_ps < 9e18))
			return report("an operation of several GPUs takes longer than the "
				      "simulator can count");
		what->work_ps = (int64_t)llround(work_ps);
	}
	for (size_t m = 0; m < schedule->participant_count; m++) {
		struct schedule_op *op = &schedule->op[schedule->participant[m].op];
		const bool first =
			!m || schedule->participant[m - 1].op != schedule->participant[m].op;
		if (first && schedule->collective[schedule->participant[m].collective].steps >= 0)
			op->before_ps += llround(1000 * platform->nccl_call_ns);
	}
	return 0;
}

void collectives_price(struct schedule *schedule, const struct platform *recorded,
		       const struct platform *asked)
{
	const bool known = recorded->nccl_least_ns > 0;
	const double least_ps = 1000 *
				(known ? recorded->nccl_least_ns : ring_least_copy_ns(recorded)),
		     latency = known && asked->nccl_least_ns > 0
				       ? ratio(asked->nccl_least_ns, recorded->nccl_least_ns)
				       : ratio(ring_least_copy_ns(asked),
					       ring_least_copy_ns(recorded)),
		     rate = ratio(asked->nvlink_bytes_per_s, recorded->nvlink_bytes_per_s);
	if (latency == 1 && rate == 1)
		return;
	struct schedule_collective **sorted =
		xmalloc((schedule->collective_count + 1) * sizeof(*sorted));
	uint32_t count = 0;
	for (uint32_t c = 0; c < schedule->collective_count; c++)
		if (schedule->collective[c].steps < 0)
			sorted[count++] = &schedule->collective[c];
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
