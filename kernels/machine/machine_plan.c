/* SPDX-License-Identifier: MIT
 * The machine that runs nothing: it writes down what a driver asks for. Host threads are played one
 * after the other, which works because nothing here ever blocks.
 */
#include "machine_plan_messages.h"
#include "machine_timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

struct plan_buffer {
	int64_t bytes;
	uint16_t gpu;
	uint8_t space;
};

struct plan_event {
	uint16_t gpu;
	bool timed; /* it keeps its time */
};

struct plan_machine {
	struct machine base;
	struct schedule *schedule;
	uint32_t gpus, barriers;
	int64_t *gpu_bytes; /* [gpus] */
	struct plan_buffer *buffer;
	size_t buffer_count, buffer_capacity;
	struct plan_event *event; /* [schedule->event_count] */
	size_t event_count, event_capacity;
	struct plan_messages messages;
};
enum { NO_GPU = 0xffff };

static struct plan_machine *plan_of(struct machine *m)
{
	return (struct plan_machine *)m;
}

static struct schedule *schedule_of(struct machine_thread *t)
{
	return plan_of(t->machine)->schedule;
}

static int plan_gpu_count(struct machine *m, uint32_t *count)
{
	*count = plan_of(m)->gpus;
	return 0;
}

static int plan_buffer_new(struct machine *m, uint32_t gpu, enum machine_space space, int64_t bytes,
			   uint32_t *buffer)
{
	struct plan_machine *plan = plan_of(m);
	GROW(plan->buffer, plan->buffer_count, plan->buffer_capacity);
	plan->buffer[plan->buffer_count] =
		(struct plan_buffer){ bytes, (uint16_t)gpu, (uint8_t)space };
	*buffer = (uint32_t)plan->buffer_count++;
	if (space == SPACE_DEVICE && gpu < plan->gpus) {
		plan->gpu_bytes[gpu] += bytes;
		if (plan->gpu_bytes[gpu] > plan->schedule->device_bytes)
			plan->schedule->device_bytes = plan->gpu_bytes[gpu];
	}
	return 0;
}

static void plan_buffer_free(struct machine *m, uint32_t buffer)
{
	plan_of(m)->buffer[buffer].bytes = 0;
}

static void *plan_address(struct machine *m, uint32_t buffer)
{
	(void)m;
	(void)buffer;
	return NULL;
}

static int plan_stream(struct machine *m, uint32_t gpu, uint32_t *stream)
{
	struct schedule *s = plan_of(m)->schedule;
	*stream = schedule_add_stream(s, (uint16_t)gpu, s->stream_count + 1);
	return 0;
}

static int plan_event(struct machine *m, uint32_t gpu, uint32_t *event)
{
	struct plan_machine *plan = plan_of(m);
	GROW(plan->event, plan->event_count, plan->event_capacity);
	plan->event[plan->event_count++] = (struct plan_event){ (uint16_t)gpu, false };
	*event = plan->schedule->event_count++;
	return 0;
}

static int plan_timed_event(struct machine *m, uint32_t gpu, uint32_t *event)
{
	const int rc = plan_event(m, gpu, event);
	plan_of(m)->event[*event].timed = true;
	return rc;
}

static int plan_counter(struct machine *m, uint32_t *counter)
{
	*counter = plan_of(m)->schedule->counter_count++;
	return 0;
}

static int plan_peer_access(struct machine *m, uint32_t gpu, uint32_t peer)
{
	(void)m;
	(void)gpu;
	(void)peer;
	return 0;
}

static int64_t plan_texture_elements(struct machine *m, uint32_t gpu)
{
	(void)m;
	(void)gpu;
	return -1;
}

static int plan_channel(struct machine *m, uint32_t gpus, enum machine_channel channel,
			int64_t bytes)
{
	(void)channel;
	(void)bytes;
	plan_messages_make(&plan_of(m)->messages, gpus);
	return 0;
}

static int plan_run(struct machine *m, uint32_t threads,
		    int (*body)(struct machine_thread *, void *), void *arg,
		    struct machine_thread *out)
{
	struct plan_machine *plan = plan_of(m);
	plan->schedule->gpu_count = plan->gpus;
	for (uint32_t t = 0; t < threads; t++) {
		char name[32];
		snprintf(name, sizeof(name), "host %u", t);
		schedule_add_thread(plan->schedule, name, t < plan->gpus ? (uint16_t)t : NO_GPU);
		out[t] = (struct machine_thread){
			.machine = m, .index = t, .gpu = t, .mark_ns = { -1, -1, -1, -1 }
		};
		plan->barriers = 0;
		if (body(&out[t], arg))
			return -1;
	}
	return 0;
}

static int plan_launch(struct machine_thread *t, uint32_t stream,
		       const struct machine_launch *launch)
{
	struct schedule *s = schedule_of(t);
	struct schedule_shape shape = {
		.kernel = schedule_add_kernel(s, launch->name),
		.rows = launch->rows,
		.columns = launch->columns,
		.points = launch->points,
		.dram_bytes = launch->dram_bytes,
		.resident_bytes = launch->resident_bytes,
		.path = -1,
		.steps = -1,
	};
	if (launch->geometry) {
		struct launch_geometry geometry;
		launch->geometry(launch->args, &geometry);
		memcpy(shape.grid, geometry.grid, sizeof(shape.grid));
		memcpy(shape.block, geometry.block, sizeof(shape.block));
		shape.shared_bytes = geometry.shared_bytes;
		shape.path = geometry.path;
		shape.steps = geometry.steps;
	}
	int64_t low = INT64_MAX,
		high = 0; /* distinct bytes: our footprints overlap within one buffer */
	for (uint32_t k = 0; k < launch->access_count; k++) {
		const struct schedule_access *a = &launch->access[k];
		if (k && a->buffer != launch->access[k - 1].buffer) {
			shape.footprint_bytes += high - low;
			low = INT64_MAX;
			high = 0;
		}
		low = a->offset_bytes < low ? a->offset_bytes : low;
		high = a->offset_bytes + a->bytes > high ? a->offset_bytes + a->bytes : high;
	}
	shape.footprint_bytes += launch->access_count ? high - low : 0;
	uint32_t index = schedule_add_shape(s, &shape, launch->access, launch->access_count);
	for (uint32_t k = 0; k < launch->textures; k++)
		schedule_add_op(s, OP_HOST, 0xffff, HOST_WORK_TEXTURE);
	for (uint32_t k = 0; k < launch->products; k++)
		schedule_add_op(s, OP_HOST, 0xffff, HOST_WORK_LIBRARY);
	schedule_add_op(s, OP_LAUNCH, (uint16_t)stream, index);
	return 0;
}

static int plan_copy(struct machine_thread *t, uint32_t stream, const struct machine_copy *copy)
{
	const struct plan_machine *plan = plan_of(t->machine);
	const struct plan_buffer *from = &plan->buffer[copy->source],
				 *to = &plan->buffer[copy->target];
	bool from_host = from->space != SPACE_DEVICE, to_host = to->space != SPACE_DEVICE;
	struct schedule_copy c = {
		.kind = (uint8_t)(from_host		 ? (to_host ? COPY_H2H : COPY_H2D)
				  : to_host		 ? COPY_D2H
				  : from->gpu == to->gpu ? COPY_D2D
							 : COPY_PEER),
		.pageable = from->space == SPACE_PAGEABLE || to->space == SPACE_PAGEABLE,
		.source_gpu = from_host ? 0xffff : from->gpu,
		.target_gpu = to_host ? 0xffff : to->gpu,
		.bytes = copy->row_bytes * copy->rows,
		.rows = copy->rows,
	};
	struct schedule_op *op = schedule_add_op(plan->schedule, OP_COPY, (uint16_t)stream,
						 schedule_add_copy(plan->schedule, &c));
	/* CUDA runtime API, "API synchronization behavior": such a call returns once the copy has
	 * completed. */
	if (c.kind == COPY_D2H && c.pageable)
		op->flags |= OP_BLOCKING;
	return 0;
}

static int plan_record(struct machine_thread *t, uint32_t stream, uint32_t event)
{
	const struct plan_machine *plan = plan_of(t->machine);
	struct schedule_op *op =
		schedule_add_op(plan->schedule, OP_RECORD, (uint16_t)stream, event);
	op->flags |= plan->event[event].timed ? OP_TIMED : 0;
	return 0;
}

static int plan_wait(struct machine_thread *t, uint32_t stream, uint32_t event)
{
	const struct plan_machine *plan = plan_of(t->machine);
	struct schedule_op *op = schedule_add_op(plan->schedule, OP_WAIT, (uint16_t)stream, event);
	if (plan->event[event].gpu != plan->schedule->stream[stream].gpu)
		op->flags |= OP_OTHER_GPU;
	return 0;
}

static int plan_sync(struct machine_thread *t, uint32_t stream)
{
	schedule_add_op(schedule_of(t), OP_SYNC, (uint16_t)stream, 0);
	return 0;
}

static int plan_counter_op(struct machine_thread *t, enum op_kind kind, uint32_t counter,
			   int64_t value, enum await_policy policy)
{
	struct schedule_op *op = schedule_add_op(schedule_of(t), kind, 0xffff, counter);
	op->value = value;
	op->flags = policy == AWAIT_SPIN ? OP_SPIN : 0;
	return 0;
}

static int plan_post(struct machine_thread *t, uint32_t counter, int64_t value,
		     enum await_policy policy)
{
	return plan_counter_op(t, OP_POST, counter, value, policy);
}

static int plan_await(struct machine_thread *t, uint32_t counter, int64_t value,
		      enum await_policy policy)
{
	return plan_counter_op(t, OP_AWAIT, counter, value, policy);
}

static int plan_barrier(struct machine_thread *t)
{
	struct plan_machine *plan = plan_of(t->machine);
	uint32_t id = plan->barriers++; /* the k-th barrier of every thread is the same barrier */
	if (plan->barriers > plan->schedule->barrier_count)
		plan->schedule->barrier_count = plan->barriers;
	schedule_add_op(plan->schedule, OP_BARRIER, 0xffff, id);
	return 0;
}

static int plan_drive(struct machine_thread *t, uint32_t gpu)
{
	struct schedule *s = schedule_of(t);
	struct schedule_thread *thread = &s->thread[s->thread_count - 1];
	if (thread->gpu == NO_GPU)
		thread->gpu = (uint16_t)gpu;
	t->gpu = gpu;
	return 0;
}

static int plan_messages(struct machine_thread *t, uint32_t stream,
			 const struct machine_message *message, uint32_t count)
{
	plan_messages_launch(&plan_of(t->machine)->messages, schedule_of(t), t->gpu,
			     (uint16_t)stream, message, count);
	return 0;
}

/* A graph's operations: its first launch pays for all, as that of a recorded one does. */
static int plan_repeat(struct machine_thread *t, const struct machine_repeat *repeat)
{
	struct schedule *s = schedule_of(t);
	for (int k = 0; k < repeat->times; k++) {
		const int64_t first = s->op_count;
		bool paid = false;
		if (repeat->body(t, repeat->arg))
			return -1;
		for (int64_t i = first; i < s->op_count; i++) {
			if (paid || s->op[i].kind != OP_LAUNCH)
				s->op[i].flags |= OP_IN_GRAPH;
			else
				paid = true;
		}
	}
	return 0;
}

static int plan_mark(struct machine_thread *t, enum mark mark)
{
	schedule_add_op(schedule_of(t), OP_MARK, 0xffff, (uint32_t)mark);
	return 0;
}

static int plan_time_launches(struct machine_thread *t, uint32_t stream,
			      int (*body)(struct machine_thread *, void *), void *arg,
			      struct machine_timing *timing)
{
	const struct schedule *s = schedule_of(t);
	const int64_t before = s->op_count;
	(void)stream;
	if (body(t, arg))
		return -1;
	timing->launches = 0;
	for (int64_t k = before; k < s->op_count; k++)
		timing->launches += s->op[k].kind == OP_LAUNCH;
	timing->median_ns = timing->mad_ns = timing->min_ns = timing->max_ns = NAN;
	return 0;
}

static int plan_time_pair(struct machine_thread *t, struct machine_pair *pair)
{
	for (int k = 0; k < 2; k++) {
		if (plan_time_launches(t, pair->branch[k].stream, pair->branch[k].body,
				       pair->branch[k].arg, &pair->alone[k]))
			return -1;
		pair->calls[k] = 1;
	}
	pair->both = (struct machine_timing){
		.median_ns = NAN, .mad_ns = NAN, .min_ns = NAN, .max_ns = NAN
	};
	return 0;
}

static void plan_reset(struct machine *m)
{
	plan_of(m)->buffer_count = 0;
	plan_messages_release(&plan_of(m)->messages);
}

static void plan_free(struct machine *m)
{
	plan_reset(m);
	free(plan_of(m)->buffer);
	free(plan_of(m)->event);
	free(plan_of(m)->gpu_bytes);
	free(m);
}

static int plan_elapsed(struct machine *m, uint32_t first, uint32_t second, double *ns)
{
	(void)m;
	(void)first;
	(void)second;
	*ns = NAN;
	return 0;
}

static const struct machine_timing_ops plan_timing = { plan_time_launches, plan_time_pair,
						       plan_timed_event, plan_elapsed };

static const struct machine_ops plan_ops = {
	.name = "plan",
	.on_device = true,
	.gpu_count = plan_gpu_count,
	.buffer = plan_buffer_new,
	.buffer_free = plan_buffer_free,
	.address = plan_address,
	.stream = plan_stream,
	.event = plan_event,
	.counter = plan_counter,
	.peer_access = plan_peer_access,
	.texture_elements = plan_texture_elements,
	.channel = plan_channel,
	.run = plan_run,
	.launch = plan_launch,
	.copy = plan_copy,
	.record = plan_record,
	.wait = plan_wait,
	.sync = plan_sync,
	.post = plan_post,
	.await = plan_await,
	.barrier = plan_barrier,
	.messages = plan_messages,
	.drive = plan_drive,
	.repeat = plan_repeat,
	.mark = plan_mark,
	.reset = plan_reset,
	.free = plan_free,
};

struct machine *machine_plan_new(uint32_t gpus, struct schedule *schedule)
{
	struct plan_machine *plan = xcalloc(1, sizeof(*plan));
	plan->base.ops = &plan_ops;
	plan->base.timing = &plan_timing;
	plan->gpus = gpus;
	plan->schedule = schedule;
	plan->gpu_bytes = xcalloc(gpus, sizeof(*plan->gpu_bytes));
	return &plan->base;
}
