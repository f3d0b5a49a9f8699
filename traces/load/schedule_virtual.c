/* SPDX-License-Identifier: MIT
 * Kernels of a recording on virtual GPUs that the one device ran right after another context's:
 * they are longer by what changing contexts costs (docs/as-gpus.md).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedule_load.h"
#include "traces/base/util.h"

struct ran {
	int64_t start_ns, process;
	int32_t context;
	size_t kernel; /* row, counted from 1; 0: a memset */
};

static int by_start(const void *left, const void *right)
{
	const struct ran *a = left, *b = right;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->kernel < b->kernel ? -1 : a->kernel > b->kernel;
}

bool *load_switched(const struct trace *trace)
{
	struct ran *ran;
	bool *switched;
	size_t count = 0;

	if (trace_virtual_gpus(trace) < 2)
		return NULL;
	ran = xmalloc((trace->kernel_count + trace->memset_count + 1) * sizeof(*ran));
	switched = xcalloc(trace->kernel_count + 1, sizeof(*switched));
	for (size_t i = 0; i < trace->kernel_count; i++)
		ran[count++] = (struct ran){ trace->kernel[i].start_ns, trace->kernel[i].global_pid,
					     trace->kernel[i].context, i + 1 };
	for (size_t i = 0; i < trace->memset_count; i++)
		ran[count++] = (struct ran){ trace->memset[i].start_ns, trace->memset[i].global_pid,
					     trace->memset[i].context, 0 };
	qsort(ran, count, sizeof(*ran), by_start);
	for (size_t i = 1; i < count; i++)
		if (ran[i].kernel)
			switched[ran[i].kernel - 1] = ran[i].context != ran[i - 1].context ||
						      ran[i].process != ran[i - 1].process;
	free(ran);
	return switched;
}

void load_virtual_memory(struct load *load)
{
	struct schedule *s = load->schedule;
	const char *text = trace_get_meta(load->trace, "virtual_bytes"); /* "0 4096, 1 8192" */
	long long bytes;
	unsigned device;

	s->virtual_most_bytes = s->virtual_all_bytes = s->virtual_l2_bytes = -1;
	if (load->trace->gpu_count)
		s->virtual_l2_bytes = load->trace->gpu[0].l2_bytes;
	for (; text && sscanf(text, "%u %lld", &device, &bytes) == 2 && bytes >= 0;
	     text = strchr(text, ',') ? strchr(text, ',') + 1 : NULL) {
		if (bytes > LOAD_MAX_NS) /* no device has as much */
			break;
		s->virtual_most_bytes =
			bytes > s->virtual_most_bytes ? bytes : s->virtual_most_bytes;
		s->virtual_all_bytes =
			bytes + (s->virtual_all_bytes < 0 ? 0 : s->virtual_all_bytes);
	}
}
