/* SPDX-License-Identifier: MIT */
#include "launch_gaps.h"

#include <stdlib.h>

#include "traces/base/util.h"

/* The later launch call must have returned this long before the earlier kernel ended: its way to
 * the device takes about that. */
enum { AHEAD_NS = 3000 };

struct call {
	int64_t tid, start_ns, end_ns, pid, correlation;
};

static int compare_calls(const void *a, const void *b)
{
	const struct call *x = a, *y = b;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return (x->end_ns < y->end_ns) -
	       (x->end_ns > y->end_ns); /* a call before those within it */
}

struct key {
	int64_t pid, correlation;
	size_t kernel;
};

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->correlation > y->correlation) - (x->correlation < y->correlation);
}

/* globalTid and globalPid share everything above the thread's 24 bits. */
static int64_t pid_of(int64_t global)
{
	return global >> 24;
}

/* The kernel a call launched; NULL when none, or several (a graph): which of them follows which
 * call is not known. */
static const struct key *launched_by(const struct call *call, const struct key *key, size_t kernels)
{
	struct key wanted = { call->pid, call->correlation, 0 };
	const struct key *found = bsearch(&wanted, key, kernels, sizeof(*key), compare_keys);
	if (!found || (found > key && !compare_keys(found - 1, found)) ||
	    (found + 1 < key + kernels && !compare_keys(found + 1, found)))
		return NULL;
	return found;
}

int64_t *launch_gaps(const struct trace *trace)
{
	size_t kernels = trace->kernel_count, calls = trace->api_count;
	int64_t *gap_ns = xmalloc((kernels + 1) * sizeof(*gap_ns));
	struct key *key = xmalloc((kernels + 1) * sizeof(*key));
	struct call *call = xmalloc((calls + 1) * sizeof(*call));
	for (size_t k = 0; k < kernels; k++) {
		gap_ns[k] = -1;
		key[k] = (struct key){ pid_of(trace->kernel[k].global_pid),
				       trace->kernel[k].correlation, k };
	}
	for (size_t k = 0; k < calls; k++) {
		const struct trace_api *api = &trace->api[k];
		call[k] = (struct call){ api->global_tid, api->start_ns, api->end_ns,
					 pid_of(api->global_tid), api->correlation };
	}
	qsort(key, kernels, sizeof(*key), compare_keys);
	qsort(call, calls, sizeof(*call), compare_calls);
	const struct trace_kernel *before = NULL;
	size_t before_index = 0;
	for (size_t k = 0; k < calls; k++) {
		const struct key *found = launched_by(&call[k], key, kernels);
		const struct trace_kernel *kernel = found ? &trace->kernel[found->kernel] : NULL;
		bool follows = k && call[k].tid == call[k - 1].tid && before && kernel &&
			       before->device == kernel->device &&
			       before->stream == kernel->stream && before->end_ns >= 0 &&
			       kernel->start_ns >= before->end_ns;
		if (follows && call[k].end_ns + AHEAD_NS <= before->end_ns)
			gap_ns[before_index] = kernel->start_ns - before->end_ns;
		before = kernel;
		before_index = found ? found->kernel : 0;
	}
	free(key);
	free(call);
	return gap_ns;
}
