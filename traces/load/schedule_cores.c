/* SPDX-License-Identifier: MIT
 * Looks at cores: those of threads that called CUDA are at their own, where they were; those of
 * others are the recorder's, which goes from core to core.
 */
#include <stdlib.h>

#include "schedule_load.h"
#include "traces/base/util.h"

static int by_number(const void *left, const void *right)
{
	const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
	return (a > b) - (a < b);
}

void load_cores(struct load *load)
{
	const struct trace *trace = load->trace;
	struct schedule *schedule = load->schedule;
	int64_t *caller;
	if (!trace->core_count)
		return;
	caller = xmalloc((trace->api_count + 1) * sizeof(*caller));
	for (size_t k = 0; k < trace->api_count; k++)
		caller[k] = trace->api[k].global_tid;
	qsort(caller, trace->api_count, sizeof(*caller), by_number);
	for (size_t k = 0; k < trace->core_count; k++) {
		const struct trace_core *look = &trace->core[k];
		struct core_looks *of = bsearch(&look->global_tid, caller, trace->api_count,
						sizeof(*caller), by_number)
						? &schedule->own_looks
						: &schedule->host_looks;
		if (look->additions <= 0)
			continue;
		GROW(of->additions, of->count, of->capacity);
		of->additions[of->count++] = look->additions;
	}
	free(caller);
}
