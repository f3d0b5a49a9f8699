/* SPDX-License-Identifier: MIT
 * What the rows of a recording show of how kernels begin: before the one before them in their
 * stream has ended, or beside others that fill the GPU. And which streams a thread uses.
 */
#include <stdlib.h>
#include <string.h>

#include "schedule_load.h"
#include "traces/base/util.h"

/* A stream's number means something within its context. */
static int64_t context_of(const struct trace_kernel *kernel)
{
	return process_of(kernel->global_pid) * 65536 + kernel->context;
}

/* The same of a stream and a kernel in it, for a map. */
static int64_t kernel_in_stream(const struct trace_kernel *kernel)
{
	return (int64_t)((uint64_t)(uint32_t)kernel->stream << 32 | kernel->demangled_name);
}

/*
 * A kernel that begins before the one before it in its stream has ended was launched to do so
 * (programmatic dependent launch, an attribute of cudaLaunchKernelEx). That is seen now and then
 * only, so it is taken to hold for all launches of that kernel by that call. What it did beside the
 * one before it is no time of its own: the stream plays one after the other.
 */
static void find_early(struct trace_joins *joins)
{
	const struct trace *t = joins->trace;
	struct map last = { 0 }; /* (process and context, stream) -> kernel row */

	for (size_t i = 0; i < t->kernel_count; i++) { /* by begin */
		const struct trace_kernel *k = &t->kernel[i];
		const int64_t process = process_of(k->global_pid);
		const uint32_t before = map_put(&last, context_of(k), k->stream, (uint32_t)i),
			       api = map_get(&joins->api_of, process, k->correlation);

		if (before != MAP_NONE && t->kernel[before].end_ns != -1 &&
		    k->start_ns > t->kernel[before].end_ns &&
		    k->start_ns - t->kernel[before].end_ns < UINT32_MAX)
			map_put(&joins->pause, (int64_t)i, 0,
				(uint32_t)(k->start_ns - t->kernel[before].end_ns));
		if (before != MAP_NONE && api != MAP_NONE && k->graph_node == -1 &&
		    t->kernel[before].end_ns > k->start_ns && k->start_ns != -1 &&
		    strstr(trace_text(t, t->api[api].name), "LaunchKernelEx")) {
			const int64_t end_ns = k->end_ns < t->kernel[before].end_ns
						       ? k->end_ns
						       : t->kernel[before].end_ns;

			map_put(&joins->early, t->api[api].name, k->demangled_name, 1);
			if (end_ns > k->start_ns && end_ns - k->start_ns < UINT32_MAX)
				map_put(&joins->overlap, (int64_t)i, 0,
					(uint32_t)(end_ns - k->start_ns));
		}
	}
	map_release(&last);
}

/* The pause of a kernel behind a memset is that since the memset. */
static void find_behind_memsets(struct trace_joins *joins)
{
	const struct trace *t = joins->trace;
	struct map last = { 0 }; /* (process and context, stream) -> memset row and 1; 0: used */
	size_t next = 0;

	for (size_t i = 0; i < t->kernel_count; i++) { /* by begin, as memsets are */
		const struct trace_kernel *k = &t->kernel[i];

		for (; next < t->memset_count && t->memset[next].start_ns < k->start_ns; next++)
			map_put(&last,
				process_of(t->memset[next].global_pid) * 65536 +
					t->memset[next].context,
				t->memset[next].stream, (uint32_t)next + 1);
		const uint32_t before = map_put(&last, context_of(k), k->stream, 0);
		const int64_t since_ns = before == MAP_NONE || before == 0
						 ? -1
						 : k->start_ns - t->memset[before - 1].end_ns;

		if (since_ns > 0 && since_ns < UINT32_MAX)
			map_put(&joins->pause, (int64_t)i, 0, (uint32_t)since_ns);
	}
	map_release(&last);
}

bool load_is_early(const struct load *load, const struct trace_kernel *kernel)
{
	const uint32_t api = load->joins->early.used
				     ? map_get(&load->joins->api_of, process_of(kernel->global_pid),
					       kernel->correlation)
				     : MAP_NONE;

	return api != MAP_NONE && map_get(&load->joins->early, load->trace->api[api].name,
					  kernel->demangled_name) != MAP_NONE;
}

int64_t load_overlap_ns(const struct load *load, uint32_t row)
{
	const uint32_t ns =
		load->joins->overlap.used ? map_get(&load->joins->overlap, row, 0) : MAP_NONE;

	return ns == MAP_NONE ? 0 : ns;
}

int64_t load_pause_ns(const struct load *load, uint32_t row)
{
	const uint32_t ns = map_get(&load->joins->pause, row, 0);

	return ns == MAP_NONE ? 0 : ns;
}

/* The kernels of other streams that run on a GPU. */
struct running {
	int64_t start_ns, end_ns, context;
	int32_t stream;
};

/*
 * Which kernels begin beside others of their GPU while these have more than half of their time
 * before them: in a stream of higher priority they need not wait for what fills the device, whose
 * blocks they take turns with. Towards its end any kernel may begin.
 */
static void find_beside(struct trace_joins *joins)
{
	const struct trace *t = joins->trace;
	enum { AT_ONCE = 128 }; /* kernels that a GPU of compute capability 7.0 and more runs */
	struct running(*running)[AT_ONCE] = xcalloc(LOAD_MAX_GPUS, sizeof(*running));
	size_t count[LOAD_MAX_GPUS] = { 0 };

	for (size_t i = 0; i < t->kernel_count; i++) { /* by begin */
		const struct trace_kernel *k = &t->kernel[i];
		struct running *on = running[k->device];
		size_t left = 0;

		if (k->start_ns == -1 || k->end_ns == -1)
			continue;
		for (size_t r = 0; r < count[k->device]; r++) {
			if (on[r].end_ns <= k->start_ns)
				continue;
			if ((on[r].stream != k->stream || on[r].context != context_of(k)) &&
			    on[r].end_ns - k->start_ns > k->start_ns - on[r].start_ns)
				map_put(&joins->beside, context_of(k), kernel_in_stream(k), 1);
			on[left++] = on[r];
		}
		count[k->device] = left;
		if (left == AT_ONCE) /* no device does so: the record of one is wrong */
			memmove(on, on + 1, --count[k->device] * sizeof(*on));
		on[count[k->device]++] =
			(struct running){ k->start_ns, k->end_ns, context_of(k), k->stream };
	}
	free(running);
}

bool load_is_beside(const struct load *load, const struct trace_kernel *kernel)
{
	return load->joins->beside.used && map_get(&load->joins->beside, context_of(kernel),
						   kernel_in_stream(kernel)) != MAP_NONE;
}

void load_begins(struct trace_joins *joins)
{
	find_early(joins);
	find_behind_memsets(joins);
	if (!trace_virtual_gpus(joins->trace)) /* else they took turns */
		find_beside(joins);
}

void load_streams_used(struct load *load)
{
	const struct schedule *s = load->schedule;
	const struct schedule_thread *thread = &s->thread[s->thread_count - 1];

	if (load->streams_op <= thread->first_op) { /* another's, or its first */
		load->streams_op = thread->first_op;
		load->stream_used = load->stream_own = 0xffff;
	}
	for (; load->streams_op < s->op_count; load->streams_op++) {
		const struct schedule_op *op = &s->op[load->streams_op];

		if (op->stream == 0xffff)
			continue;
		load->stream_used = op->stream;
		if ((op->kind == OP_LAUNCH || op->kind == OP_COPY || op->kind == OP_MEMSET) &&
		    map_get(&load->joins->stream_named, thread->process,
			    (int32_t)s->stream[op->stream].id) == MAP_NONE)
			load->stream_own = op->stream;
	}
}
