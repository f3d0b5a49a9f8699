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

/* What a step of a ring takes longer than the kernel that has one step, ns. */
static double step_ns(const struct platform *platform)
{
	return platform->nccl_step_ns > 0 ? platform->nccl_step_ns : platform->event_peer_ns;
}

/* Bytes per second on a link, by how many there are. */
static double link_rate(const struct platform *platform, int64_t bytes)
{
	const struct curve *share = &platform->nccl_share;

	return platform->nvlink_bytes_per_s *
	       (share->x.count ? curve_at_linear(share, (double)bytes) : 1);
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
	const double least_ns =
		platform->nccl_least_ns > 0 ? platform->nccl_least_ns : least_copy_ns(platform);
	const uint32_t rings = collectives_of_rings(schedule);
	if (rings && !(platform->nvlink_bytes_per_s > 0))
		return report("%s has no cost of links between GPUs (nvlink.bytes_per_s), which "
			      "%u operations of several GPUs use",
			      platform->name, rings);
	for (uint32_t c = 0; c < schedule->collective_count; c++) {
		struct schedule_collective *what = &schedule->collective[c];
		const double more_ns = what->of_two ? least_ns : step_ns(platform),
			     moves_ps = (double)what->link_bytes /
					link_rate(platform, what->link_bytes) * 1e12,
			     waits_ps = 1000 * (least_ns + (what->steps - 1) * more_ns);
		if (what->steps < 0)
			continue;
		if (!(waits_ps + moves_ps < 9e18))
			return report("an operation of several GPUs takes longer than the "
				      "simulator can count");
		what->work_ps = what->steps ? (int64_t)llround(waits_ps + moves_ps) : 0;
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
	const double least_ps = 1000 * (known ? recorded->nccl_least_ns : least_copy_ns(recorded)),
		     latency = known && asked->nccl_least_ns > 0
				       ? ratio(asked->nccl_least_ns, recorded->nccl_least_ns)
				       : ratio(least_copy_ns(asked), least_copy_ns(recorded)),
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
