/* SPDX-License-Identifier: MIT */
#include "untrace_cores.h"

#include <stdbool.h>

enum { LOOKS_AT_LEAST = 8 };
static const double least_of_own = 0.8, /* a core that gives less than so much of one's own */
	usual_shared = 0.5;		/* what benchmarks met that did not look */

static double between_0_and_1(double share)
{
	return share < 0 ? 0 : share > 1 ? 1 : share;
}

static double shared_of(const struct core_looks *looks, const struct platform *p)
{
	size_t shared = 0;
	for (size_t k = 0; k < looks->count; k++)
		shared += (double)looks->additions[k] < least_of_own * p->core_additions;
	return (double)shared / (double)looks->count;
}

/* By looks of the threads themselves; where they are few, by how long their launches are. That is
 * so on virtual GPUs, too: where a thread has waited for its turn, it is as slow as on a shared
 * core, whatever core it has. */
static double recorded_shared(const struct schedule *schedule, const struct platform *p,
			      double launch_ns)
{
	const double *record_ns = p->launch_record.value;
	if (!schedule->virtual_gpus && schedule->own_looks.count >= LOOKS_AT_LEAST)
		return shared_of(&schedule->own_looks, p);
	return between_0_and_1((launch_ns - record_ns[0]) / (record_ns[1] - record_ns[0]));
}

/* All of a host's cores are looked at, one after the other, and found shared more often than those
 * on which threads run. */
static double met_by_threads(const struct platform *p)
{
	return p->shared_met > 0 ? p->shared_met : 1;
}

/* Neighbours come and go within a second, and one process may have had all of them or none: so
 * what is answered is what the host had to give. */
void cores_tell(struct schedule *schedule, const struct platform *p)
{
	const bool asked = platform_text(p, "host.shared_cores") != NULL;
	const double *record_ns = p->launch_record.value;
	const double launch_ns = (double)(schedule->call_recorded_ns[CALL_OF_LAUNCH] > 0
						  ? schedule->call_recorded_ns[CALL_OF_LAUNCH]
						  : schedule->call_recorded_ns[CALL_OF_EARLY]);
	if (!(launch_ns > 0) || p->launch_record.count != 2 || record_ns[1] <= record_ns[0] ||
	    p->shared_longer.count < SHARED_PAUSE || !(p->core_additions > 0) ||
	    !(asked || schedule->host_looks.count >= LOOKS_AT_LEAST))
		return;
	schedule->recorded_shared = recorded_shared(schedule, p, launch_ns);
	schedule->answered_shared = asked ? between_0_and_1(p->shared_cores)
					  : met_by_threads(p) * shared_of(&schedule->host_looks, p);
}

/* How much more a record takes on a shared core. */
static double recorded_more(const struct platform *p, enum shared_sort sort)
{
	const double *record_ns = p->launch_record.value;
	return sort == SHARED_LAUNCH ? record_ns[1] / record_ns[0] - 1
				     : p->shared_longer.value[sort];
}

double cores_longer(const struct schedule *schedule, const struct platform *p,
		    enum shared_sort sort)
{
	if (schedule->recorded_shared < 0 || p->shared_longer.count <= sort)
		return 1;
	const double more = p->shared_longer.value[sort];
	return (1 + more * schedule->answered_shared) /
	       (1 + recorded_more(p, sort) * schedule->recorded_shared);
}

double cores_recorder(const struct schedule *schedule, const struct platform *p)
{
	if (schedule->recorded_shared < 0 || p->shared_longer.count <= SHARED_EVENT)
		return 1;
	const double more = p->shared_longer.value[SHARED_EVENT];
	return (1 + more * schedule->recorded_shared) / (1 + more * usual_shared);
}

static int64_t times(int64_t ps, double longer)
{
	return ps > 0 ? (int64_t)((double)ps * longer) : ps;
}

void cores_pauses(struct schedule *schedule, const struct platform *p)
{
	const double longer = cores_longer(schedule, p, SHARED_PAUSE);
	for (int64_t k = 0; longer != 1 && k < schedule->op_count; k++) {
		struct schedule_op *op = &schedule->op[k];
		op->before_ps = times(op->before_ps, longer);
		if (op->kind == OP_HOST)
			op->duration_ps = times(op->duration_ps, longer);
	}
}
