/* SPDX-License-Identifier: MIT
 * Kernels of a recording on virtual GPUs that the one device ran first after another context's:
 * they are longer by what changing contexts costs, whether a memset came before them or not, as
 * their code and the translations of their addresses are no longer there; and what devices held
 * (docs/as-gpus.md).
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

/* Of a context: whether another ran something since its last kernel. */
struct context_ran {
	int64_t process;
	int32_t context;
	bool others;
};

static struct context_ran *context_of(struct context_ran *known, size_t *count,
				      const struct ran *ran)
{
	size_t i = 0;

	while (i < *count && (known[i].process != ran->process || known[i].context != ran->context))
		i++;
	if (i == *count)
		known[(*count)++] = (struct context_ran){ ran->process, ran->context, false };
	return &known[i];
}

bool *load_switched(const struct trace *trace)
{
	struct ran *ran;
	struct context_ran *known, *before = NULL;
	bool *switched;
	size_t count = 0, contexts = 0;

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
	known = xmalloc((count + 1) * sizeof(*known));
	for (size_t i = 0; i < count; i++) {
		struct context_ran *now = context_of(known, &contexts, &ran[i]);

		now->others |= before && before != now;
		if (ran[i].kernel) {
			switched[ran[i].kernel - 1] = now->others;
			now->others = false;
		}
		before = now;
	}
	free(known);
	free(ran);
	return switched;
}

/* "0 4096, 1 8192" */
static void read_bytes(const char *text, int64_t *bytes, uint32_t gpus)
{
	long long value;
	unsigned gpu;

	for (; text && sscanf(text, "%u %lld", &gpu, &value) == 2 && value >= 0;
	     text = strchr(text, ',') ? strchr(text, ',') + 1 : NULL)
		if (gpu < gpus && value <= LOAD_MAX_NS) /* no device has as much */
			bytes[gpu] = value;
}

void load_virtual_memory(struct load *load)
{
	struct schedule *s = load->schedule;
	const uint32_t gpus = s->virtual_gpus;
	const char *most = trace_get_meta(load->trace, "virtual_bytes"),
		   *turn = trace_get_meta(load->trace, "virtual_turn_bytes");

	s->virtual_l2_bytes = load->trace->gpu_count ? load->trace->gpu[0].l2_bytes : -1;
	if (!gpus || (!most && !turn))
		return;
	s->virtual_bytes = xcalloc(gpus, sizeof(*s->virtual_bytes));
	read_bytes(turn ? turn : most, s->virtual_bytes, gpus); /* before 2026-11-26: at most */
}
