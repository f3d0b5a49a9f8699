/* SPDX-License-Identifier: MIT
 * Launches of the cpu machine by the wall clock.
 */
#include <stdlib.h>

#include "machine_cpu.h"
#include "traces/base/util.h"

/* A repeat is as many calls as take a millisecond. */
static int cpu_time_launches(struct machine_thread *t, uint32_t stream,
			     int (*body)(struct machine_thread *, void *), void *arg,
			     struct machine_timing *timing)
{
	const int64_t least_ns = 1000000;
	double *ns = xcalloc((size_t)timing->repeats, sizeof(*ns));
	int rc = -1;
	(void)stream;
	timing->launches = 0;
	t->state = &timing->launches;
	if (body(t, arg))
		goto out;
	t->state = NULL;
	if (!timing->launches) {
		report("one iteration launches nothing");
		goto out;
	}
	for (int k = 0; k < timing->repeats; k++) {
		const int64_t begin = monotonic_ns();
		int64_t now, calls = 0;
		do {
			if (body(t, arg))
				goto out;
			calls++;
			now = monotonic_ns();
		} while (now - begin < least_ns);
		ns[k] = (double)(now - begin) / (double)(calls * timing->launches);
	}
	machine_timing_fill(timing, ns);
	rc = 0;
out:
	t->state = NULL;
	free(ns);
	return rc;
}

static int play_calls(struct machine_thread *t, const struct machine_branch *branch, int64_t calls)
{
	for (int64_t k = 0; k < calls; k++)
		if (branch->body(t, branch->arg))
			return -1;
	return 0;
}

/* Wall clock of so many calls of each, one branch after the other; into `timing`. */
static int time_calls(struct machine_thread *t, const struct machine_pair *pair,
		      const int64_t calls[2], struct machine_timing *timing)
{
	double *ns = xcalloc((size_t)pair->repeats, sizeof(*ns));
	int rc = 0;
	for (int k = 0; !rc && k < pair->repeats; k++) {
		const int64_t begin = monotonic_ns();
		rc = play_calls(t, &pair->branch[0], calls[0]) ||
				     play_calls(t, &pair->branch[1], calls[1])
			     ? -1
			     : 0;
		ns[k] = (double)(monotonic_ns() - begin);
	}
	timing->repeats = pair->repeats;
	if (!rc)
		machine_timing_fill(timing, ns);
	free(ns);
	return rc;
}

/* Branches of about a millisecond. */
static int cpu_time_pair(struct machine_thread *t, struct machine_pair *pair)
{
	const double wanted_ns = 1e6;
	for (int k = 0; k < 2; k++) {
		struct machine_timing *alone = &pair->alone[k];
		const int64_t once[2] = { k == 0, k == 1 };
		alone->launches = 0;
		t->state = &alone->launches;
		int rc = play_calls(t, &pair->branch[k], 1);
		t->state = NULL;
		if (rc || time_calls(t, pair, once, alone))
			return -1;
		double calls = alone->median_ns > 0 ? wanted_ns / alone->median_ns : 1000;
		pair->calls[k] = calls < 1 ? 1 : calls > 1000 ? 1000 : (int64_t)calls;
		const int64_t branch[2] = { k == 0 ? pair->calls[0] : 0,
					    k == 1 ? pair->calls[1] : 0 };
		if (time_calls(t, pair, branch, alone))
			return -1;
	}
	return time_calls(t, pair, pair->calls, &pair->both);
}

const struct machine_timing_ops machine_cpu_timing = { cpu_time_launches, cpu_time_pair,
						       machine_cpu_event, machine_cpu_elapsed };
