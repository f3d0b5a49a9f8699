/* SPDX-License-Identifier: MIT */
#include "timeline.h"

#include <stdlib.h>
#include <string.h>

#include "traces/format/annotate.h"
#include "traces/base/util.h"

enum { PREDICTED_PID = 1 };

static int64_t ns_of(sim_time ps)
{
	return (ps + 500) / 1000;
}

/* A program of several processes keeps them. */
static int64_t pid_of(const struct schedule *schedule, uint32_t thread)
{
	return (schedule->processes > 1 ? schedule->thread[thread].process & 0xffffff
					: PREDICTED_PID)
	       << 24;
}

static int64_t tid_of(const struct schedule *schedule, uint32_t thread)
{
	return pid_of(schedule, thread) | (int64_t)(thread + 1);
}

/* Of the thread that called for an operation. */
static int64_t pid_of_op(const struct schedule *schedule, int64_t op)
{
	uint32_t low = 0, high = schedule->thread_count;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (schedule->thread[middle].first_op + schedule->thread[middle].op_count <= op)
			low = middle + 1;
		else
			high = middle;
	}
	return pid_of(schedule, low);
}

/* Correlation: the operation's place in the schedule, so that host call and device work find each
 * other. */
static int64_t correlation_of(int64_t op_index)
{
	return op_index + 1;
}

static void device_kernel(struct timeline *tl, uint32_t stream, const struct schedule_op *op,
			  int64_t index, sim_time start, sim_time end)
{
	const struct schedule_shape *shape = &tl->schedule->shape[op->object];
	struct trace_kernel *row = trace_add_kernel(tl->trace);
	row->start_ns = ns_of(start);
	row->end_ns = ns_of(end);
	row->device = tl->schedule->stream[stream].gpu;
	row->context = row->device + 1;
	row->stream = (int32_t)stream + 1;
	row->correlation = correlation_of(index);
	row->global_pid = pid_of_op(tl->schedule, index);
	row->demangled_name = row->short_name = tl->kernel_name[shape->kernel];
	memcpy(row->grid, shape->grid, sizeof(row->grid));
	memcpy(row->block, shape->block, sizeof(row->block));
	row->dynamic_shared_bytes = shape->shared_bytes;
	row->registers = shape->registers;
	row->graph_node = -1;
}

/*
 * When the bytes of a copy begin to move, as a recorder shows it: what its price has of the
 * command's way to the engine is before that. As long as it was recorded, where it was; else at the
 * link's rate, and what the smallest of the copies takes that the engine makes one behind the
 * other.
 */
static sim_time bytes_begin(const struct timeline *tl, const struct schedule_op *op,
			    const struct schedule_copy *copy, sim_time start, sim_time end)
{
	const struct platform *p = tl->platform;
	const double rate =
		copy->kind == COPY_PEER				 ? p->nvlink_bytes_per_s
		: copy->kind == COPY_H2D && p->share_h2d.y.count ? p->share_h2d.y.value[0]
		: copy->kind == COPY_D2H && p->share_d2h.y.count ? p->share_d2h.y.value[0]
								 : 0;
	const struct number_list *chain = &p->copy[COPY_CURVE_H2D].y;
	const double least_ns = chain->count ? chain->value[0] : 0;
	const sim_time moving = op->duration_ps > 0 ? op->duration_ps
				: rate > 0 ? ps_of_ns(least_ns + (double)copy->bytes * 1e9 / rate)
					   : end - start;
	return moving < end - start ? end - moving : start;
}

static void device_copy(struct timeline *tl, uint32_t stream, const struct schedule_op *op,
			int64_t index, sim_time start, sim_time end)
{
	static const int32_t nsys_kind[COPY_KIND_COUNT] = {
		[COPY_H2D] = 1, [COPY_D2H] = 2, [COPY_D2D] = 8, [COPY_PEER] = 10, [COPY_H2H] = 9
	};
	const struct schedule_copy *copy = &tl->schedule->copy[op->object];
	start = bytes_begin(tl, op, copy, start, end);
	if (op->kind == OP_MEMSET) {
		struct trace_memset *row = trace_add_memset(tl->trace);
		*row = (struct trace_memset){ .start_ns = ns_of(start),
					      .end_ns = ns_of(end),
					      .device = tl->schedule->stream[stream].gpu,
					      .context = tl->schedule->stream[stream].gpu + 1,
					      .stream = (int32_t)stream + 1,
					      .correlation = correlation_of(index),
					      .global_pid = pid_of_op(tl->schedule, index),
					      .bytes = copy->bytes,
					      .mem_kind = 2 };
		return;
	}
	int32_t host_kind = copy->pageable ? 0 : 1;
	struct trace_memcpy *row = trace_add_memcpy(tl->trace);
	*row = (struct trace_memcpy){ .start_ns = ns_of(start),
				      .end_ns = ns_of(end),
				      .device = tl->schedule->stream[stream].gpu,
				      .context = tl->schedule->stream[stream].gpu + 1,
				      .stream = (int32_t)stream + 1,
				      .correlation = correlation_of(index),
				      .global_pid = pid_of_op(tl->schedule, index),
				      .bytes = copy->bytes,
				      .copy_kind = nsys_kind[copy->kind],
				      .graph_node = -1 };
	row->source_device = copy->source_gpu == 0xffff ? -1 : copy->source_gpu;
	row->target_device = copy->target_gpu == 0xffff ? -1 : copy->target_gpu;
	row->source_kind = row->source_device < 0 ? host_kind : 2;
	row->target_kind = row->target_device < 0 ? host_kind : 2;
}

static void on_device(void *arg, uint32_t stream, const struct schedule_op *op, int64_t index,
		      sim_time start, sim_time end)
{
	struct timeline *tl = arg;
	if (op->flags & OP_INFERRED)
		return; /* no event of the program's */
	if (op->kind == OP_LAUNCH) {
		device_kernel(tl, stream, op, index, start, end);
	} else if (op->kind == OP_COPY || op->kind == OP_MEMSET) {
		device_copy(tl, stream, op, index, start, end);
	} else if (op->kind == OP_RECORD) {
		struct trace_event *row = trace_add_event(tl->trace);
		*row = (struct trace_event){ .device = tl->schedule->stream[stream].gpu,
					     .context = tl->schedule->stream[stream].gpu + 1,
					     .stream = (int32_t)stream + 1,
					     .correlation = correlation_of(index),
					     .global_pid = pid_of_op(tl->schedule, index),
					     .event_id = op->object,
					     .event_sync_id = correlation_of(index),
					     .timestamp_ns = ns_of(end) };
	} else if (op->kind == OP_WAIT) {
		struct trace_sync *row = trace_add_sync(tl->trace);
		*row = (struct trace_sync){ .start_ns = ns_of(start),
					    .end_ns = ns_of(end),
					    .device = tl->schedule->stream[stream].gpu,
					    .context = tl->schedule->stream[stream].gpu + 1,
					    .stream = (int32_t)stream + 1,
					    .correlation = correlation_of(index),
					    .global_pid = pid_of_op(tl->schedule, index),
					    .sync_type = 2,
					    .event_id = op->object,
					    .event_sync_id = tl->record_of[index] };
	}
}

/* What a blocking call waited for; nothing for any other call. */
static void host_sync(struct timeline *tl, const struct schedule_op *op, int64_t index,
		      sim_time start, sim_time end)
{
	static const int32_t type[OP_KIND_COUNT] = {
		[OP_SYNC_EVENT] = 1, [OP_SYNC] = 3, [OP_SYNC_GPU] = 4
	};
	if (!type[op->kind])
		return;
	int32_t device = op->kind == OP_SYNC	   ? tl->schedule->stream[op->stream].gpu
			 : op->kind == OP_SYNC_GPU ? (int32_t)op->object
						   : 0;
	struct trace_sync *row = trace_add_sync(tl->trace);
	*row = (struct trace_sync){ .start_ns = ns_of(start),
				    .end_ns = ns_of(end),
				    .device = device,
				    .context = device + 1,
				    .stream = op->kind == OP_SYNC ? (int32_t)op->stream + 1 : -1,
				    .correlation = correlation_of(index),
				    .global_pid = pid_of_op(tl->schedule, index),
				    .sync_type = type[op->kind],
				    .event_id =
					    op->kind == OP_SYNC_EVENT ? (int64_t)op->object : -1,
				    .event_sync_id = -1 };
}

static void on_host(void *arg, uint32_t thread, const struct schedule_op *op, int64_t index,
		    sim_time start, sim_time end)
{
	static const int32_t note[OP_KIND_COUNT] = { [OP_POST] = NOTE_POST,
						     [OP_AWAIT] = NOTE_AWAIT_BLOCK,
						     [OP_BARRIER] = NOTE_BARRIER,
						     [OP_MARK] = NOTE_MARK };
	struct timeline *tl = arg;
	if (op->kind == OP_UNSEEN ||
	    (op->flags & OP_INFERRED && (op->kind == OP_RECORD || op->kind == OP_WAIT)))
		return; /* no call of the program's */
	if (op->kind == OP_RECORD)
		tl->latest[op->object] = correlation_of(index);
	else if (op->kind == OP_WAIT)
		tl->record_of[index] = tl->latest[op->object];
	if (note[op->kind]) {
		struct trace_host_op *row = trace_add_host_op(tl->trace);
		*row = (struct trace_host_op){ .start_ns = ns_of(start),
					       .end_ns = ns_of(end),
					       .global_tid = tid_of(tl->schedule, thread),
					       .kind = op->kind == OP_AWAIT && (op->flags & OP_SPIN)
							       ? NOTE_AWAIT_SPIN
							       : note[op->kind],
					       .object = op->object,
					       .value = op->value };
		return;
	}
	host_sync(tl, op, index, start, end);
	struct trace_api *row = trace_add_api(tl->trace);
	*row = (struct trace_api){ .start_ns = ns_of(start),
				   .end_ns = ns_of(end),
				   .global_tid = tid_of(tl->schedule, thread),
				   .correlation = correlation_of(index),
				   .name = tl->api_name[op->kind] };
}

void timeline_init(struct timeline *tl, struct trace *trace, const struct schedule *schedule,
		   const struct platform *platform)
{
	static const char *const api[OP_KIND_COUNT] = {
		[OP_LAUNCH] = "cudaLaunchKernel_v7000",
		[OP_COPY] = "cudaMemcpyAsync_v3020",
		[OP_MEMSET] = "cudaMemsetAsync_v3020",
		[OP_RECORD] = "cudaEventRecord_v3020",
		[OP_WAIT] = "cudaStreamWaitEvent_v3020",
		[OP_SYNC] = "cudaStreamSynchronize_v3020",
		[OP_SYNC_EVENT] = "cudaEventSynchronize_v3020",
		[OP_SYNC_GPU] = "cudaDeviceSynchronize_v3020",
		[OP_HOST] = "host",
	};
	*tl = (struct timeline){ .trace = trace,
				 .schedule = schedule,
				 .platform = platform,
				 .observer = { tl, on_device, on_host } };
	for (int kind = 0; kind < OP_KIND_COUNT; kind++)
		tl->api_name[kind] = trace_string(trace, api[kind]);
	tl->latest = xmalloc((schedule->event_count + 1) * sizeof(*tl->latest));
	for (uint32_t k = 0; k < schedule->event_count; k++)
		tl->latest[k] = -1;
	tl->record_of = xcalloc((size_t)schedule->op_count, sizeof(*tl->record_of));
	tl->kernel_name = xcalloc(schedule->kernel_count, sizeof(*tl->kernel_name));
	for (uint32_t k = 0; k < schedule->kernel_count; k++)
		tl->kernel_name[k] = trace_string(trace, schedule->kernel[k]);
}

void timeline_add_range(struct timeline *tl, const struct schedule_nvtx *range, sim_time begin,
			sim_time end)
{
	struct trace *trace = tl->trace;
	struct trace_nvtx *row = trace_add_nvtx(trace);
	begin = begin > 0 ? begin : 0;
	row->start_ns = ns_of(begin);
	row->end_ns = ns_of(end > begin ? end : begin);
	row->text = trace_string(trace, range->name);
	row->global_tid = tid_of(tl->schedule, range->thread);
}

void timeline_finish(struct timeline *tl, const struct simulation_result *result)
{
	struct trace *trace = tl->trace;
	const char *device = platform_text(tl->platform, "device.name");
	trace_set_meta(trace, "kind", "predicted");
	trace_set_meta(trace, "platform", tl->platform->name);
	for (uint32_t g = 0; g < tl->schedule->gpu_count; g++) {
		struct trace_gpu *gpu = trace_add_gpu(trace);
		gpu->device = (int32_t)g;
		gpu->name = trace_string(trace, device ? device : tl->platform->name);
	}
	for (uint32_t t = 0; t < tl->schedule->thread_count; t++) {
		struct trace_thread *thread = trace_add_thread(trace);
		thread->global_tid = tid_of(tl->schedule, t);
		thread->name = trace_string(trace, tl->schedule->thread[t].name);
	}
	struct trace_run *run = trace_add_run(trace);
	run->end_ns = ns_of(result->end_ps);
	run->solver = trace_string(trace, tl->schedule->solver);
	run->config = trace_string(trace, tl->schedule->config);
	run->gpus = (int32_t)tl->schedule->gpu_count;
	/* every launch shape's footprint, so that a prediction can be asked the questions a
	 * recording can */
	for (int64_t k = 0; k < tl->schedule->op_count; k++) {
		const struct schedule_op *op = &tl->schedule->op[k];
		if (op->kind != OP_LAUNCH)
			continue;
		const struct schedule_shape *shape = &tl->schedule->shape[op->object];
		for (uint32_t a = 0; a < shape->access_count; a++) {
			const struct schedule_access *access =
				&tl->schedule->access[shape->first_access + a];
			struct trace_footprint *row = trace_add_footprint(trace);
			*row = (struct trace_footprint){ .correlation = correlation_of(k),
							 .global_pid = pid_of_op(tl->schedule, k),
							 .kernel = tl->kernel_name[shape->kernel],
							 .rows = shape->rows,
							 .columns = shape->columns,
							 .points = shape->points,
							 .dram_bytes = shape->dram_bytes,
							 .resident_bytes = shape->resident_bytes,
							 .buffer = access->buffer,
							 .mode = access->mode,
							 .offset_bytes = access->offset_bytes,
							 .bytes = access->bytes,
							 .path = shape->path,
							 .steps = shape->steps };
		}
	}
}

void timeline_release(struct timeline *tl)
{
	free(tl->kernel_name);
	free(tl->latest);
	free(tl->record_of);
	tl->kernel_name = NULL;
}
