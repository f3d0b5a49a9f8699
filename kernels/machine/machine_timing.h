/* SPDX-License-Identifier: MIT
 * Launches timed by themselves, with nothing else going on: what machines that can do so offer
 * beside running (struct machine, `timing`).
 */
#ifndef WARPREEL_MACHINE_TIMING_H
#define WARPREEL_MACHINE_TIMING_H

#include "machine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How long launches take by themselves. */
struct machine_timing {
	int repeats, warm_up_ms;		  /* asked for */
	int64_t launches;			  /* of one call of the body */
	double median_ns, mad_ns, min_ns, max_ns; /* from launch to launch, over the repeats */
};

/* One of two branches played side by side: what body(t, arg) puts on `stream`, and on no other. */
struct machine_branch {
	uint32_t stream;
	int (*body)(struct machine_thread *t, void *arg);
	void *arg;
};

/* How long two branches take, each alone and both at once. */
struct machine_pair {
	int repeats, warm_up_ms; /* asked for */
	struct machine_branch branch[2];
	int64_t calls[2]; /* of each body in a branch: so many that both branches take about equally
			     long alone */
	struct machine_timing alone[2],
		both; /* of whole branches, to the end of the last; alone[].launches: of one call */
};

struct machine_timing_ops {
	/*
	 * Times the launches that body(t, arg) puts on `stream`, with nothing else going on. cuda:
	 * a graph of some hundred microseconds of them is replayed between events, so that the host
	 * has no part in it. cpu: wall clock. plan: calls the body once; times are NaN.
	 */
	int (*launches)(struct machine_thread *t, uint32_t stream,
			int (*body)(struct machine_thread *t, void *arg), void *arg,
			struct machine_timing *timing);
	/*
	 * The same for two branches. cuda: a graph whose root forks. cpu: there are no two streams
	 * at once, both means one after the other. plan: calls each body once; times are NaN.
	 */
	int (*pair)(struct machine_thread *t, struct machine_pair *pair);
	/* An event that keeps the time it was recorded at, and the time between two of them that
	 * have happened; the plan's keep none. */
	int (*timed_event)(struct machine *m, uint32_t gpu, uint32_t *event);
	int (*elapsed)(struct machine *m, uint32_t first, uint32_t second, double *ns);
};

/* Median and so on of ns[timing->repeats]. */
void machine_timing_fill(struct machine_timing *timing, const double *ns);

#ifdef __cplusplus
}
#endif
#endif
