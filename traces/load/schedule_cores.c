/* SPDX-License-Identifier: MIT
 * Looks at the cores of the host: those of threads that made no call, which are the recorder's
 * own and go from core to core.
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
		if (look->additions <= 0 || bsearch(&look->global_tid, caller, trace->api_count,
						    sizeof(*caller), by_number))
			continue;
		GROW(schedule->core_additions, schedule->core_looks, schedule->core_capacity);
		schedule->core_additions[schedule->core_looks++] = look->additions;
	}
	free(caller);
}
