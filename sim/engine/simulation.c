/* SPDX-License-Identifier: MIT
 * The loop and all the wiring: the only place that sees every component.
 */
#include "simulation.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "traces/base/util.h"
#include "sim_internal.h"

/* Blocks that the GPU holds of a launch at once: one a multiprocessor where nobody says what a
 * kernel keeps busy, since our solvers' are bound by what a multiprocessor does and not by its
 * room. */
static double held_blocks(const struct sim *s, const struct schedule_shape *shape)
{
	const struct platform *p = s->platform;
	const uint32_t threads = shape->block[0] * shape->block[1] * shape->block[2];
	int resident = 1;
	if (s->any_room && threads && p->sm.present)
		resident =
			sm_occupancy(&p->sm, threads, shape->registers, shape->shared_bytes, NULL);
	return (double)p->sm_count * (resident > 0 ? resident : 1);
}

/* Which part of a GPU's SMs a launch occupies: all of it when the geometry is unknown. */
static void price_shapes(struct sim *s)
{
	for (uint32_t k = 0; k < s->schedule->shape_count; k++) {
		const struct schedule_shape *shape = &s->schedule->shape[k];
		double blocks = (double)shape->grid[0] * shape->grid[1] * shape->grid[2];
		double share = blocks > 0 && s->platform->sm_count > 0
				       ? blocks / held_blocks(s, shape)
				       : 1;
		s->shape_share[k] = share < 1 ? share : 1;
		s->shape_ps[k] = -1;
	}
}

static int64_t allocate(struct sim *s)
{
	const struct schedule *sc = s->schedule;
	int64_t records = 0;
	for (int64_t k = 0; k < sc->op_count; k++)
		records += sc->op[k].kind == OP_RECORD;
	s->stream = xcalloc(sc->stream_count, sizeof(*s->stream));
	s->thread = xcalloc(sc->thread_count, sizeof(*s->thread));
	s->gpu = xcalloc(sc->gpu_count, sizeof(*s->gpu));
	s->counter = xcalloc(sc->counter_count, sizeof(*s->counter));
	s->barrier = xcalloc(sc->barrier_count, sizeof(*s->barrier));
	s->collective = xcalloc(sc->collective_count, sizeof(*s->collective));
	s->participant_next = xcalloc(sc->participant_count, sizeof(*s->participant_next));
	s->instance = xcalloc((size_t)records, sizeof(*s->instance));
	s->latest = xcalloc(sc->event_count, sizeof(*s->latest));
	s->shape_ps = xcalloc(sc->shape_count, sizeof(*s->shape_ps));
	s->shape_gap_ps = xcalloc(sc->shape_count, sizeof(*s->shape_gap_ps));
	s->shape_share = xcalloc(sc->shape_count, sizeof(*s->shape_share));
	s->shape_busy = xcalloc(sc->shape_count, sizeof(*s->shape_busy));
	for (uint32_t k = 0; k < sc->stream_count; k++)
		s->stream[k] = (struct sim_stream){ .gpu = sc->stream[k].gpu,
						    .sync_thread = NONE32,
						    .space_thread = NONE32,
						    .next_waiter = NONE32 };
	for (uint32_t k = 0; k < sc->gpu_count; k++) {
		struct sim_gpu *gpu = &s->gpu[k];
		gpu->waiting_kernels_head = gpu->sync_threads = NONE32;
		gpu->closed_ps = SIM_NEVER;
		for (int engine = 0; engine < ENGINES; engine++)
			gpu->engine_user[engine] = gpu->engine_head[engine] = NONE32;
	}
	for (uint32_t k = 0; k < sc->counter_count; k++)
		s->counter[k].first_thread = NONE32;
	for (uint32_t k = 0; k < sc->barrier_count; k++)
		s->barrier[k].first_thread = NONE32;
	collectives_init(s);
	for (uint32_t k = 0; k < sc->event_count; k++)
		s->latest[k] = NONE32;
	for (uint32_t k = 0; k < sc->thread_count; k++) {
		s->thread[k] =
			(struct sim_thread){ .pc = sc->thread[k].first_op,
					     .end = sc->thread[k].first_op + sc->thread[k].op_count,
					     .before_ps = -1,
					     .mark_ps = { -1, -1, -1, -1 },
					     .next_waiter = NONE32 };
	}
	return (int64_t)(sc->stream_count * sizeof(*s->stream) +
			 sc->thread_count * sizeof(*s->thread) + sc->gpu_count * sizeof(*s->gpu) +
			 sc->counter_count * sizeof(*s->counter) +
			 (size_t)records * sizeof(*s->instance) +
			 (size_t)sc->op_count * sizeof(*sc->op));
}

static void wire(struct sim *s, const struct simulation_setup *setup)
{
	const struct platform *p = setup->platform;
	s->host = setup->host ? setup->host : &host_measured;
	s->copies = setup->copies ? setup->copies : &copy_measured;
	s->host_model = s->host->create(p, s->schedule, setup->seed);
	s->copy_model = s->copies->create(
		p, s->schedule, setup->seed <= 1 && !setup->quiet); /* once, not for every seed */
	s->wake_ps = s->host->other(s->host_model, HOST_SYNC_WAKE);
	s->recorded_wake_ps = p->recorded_wake_ns > 0 && !s->schedule->config &&
					      mechanism_on(&p->mechanisms, MECHANISM_WAY_BACK)
				      ? ps_of_ns(p->recorded_wake_ns)
				      : s->wake_ps;
	s->seen_ps = ps_of_ns(host_way_back_ns(p));
	s->seen_ps = s->seen_ps < s->wake_ps ? s->seen_ps : s->wake_ps;
	for (int which = 0; which < DELAY_COUNT; which++)
		s->delay_ps[which] = s->copies->delay(s->copy_model, (enum copy_delay)which);
	if (mechanism_on(&p->mechanisms, MECHANISM_COPY_CHANNEL))
		copy_channels_init(&s->channels, s->schedule, ENGINE_LOCAL,
				   (uint32_t)p->copy_channels);
	s->graph_pauses = mechanism_on(&p->mechanisms, MECHANISM_GRAPH_PAUSES);
	s->graphs_priced = schedule_graphs_priced(s->schedule, p);
	s->queue_depth = mechanism_on(&p->mechanisms, MECHANISM_QUEUE_DEPTH)
				 ? (uint32_t)p->queue_depth
				 : UINT32_MAX;
	s->tracer_pause_ps = ps_of_ns(kernel_model_tracer_ns(p));
	s->graph_pause_ps = s->graphs_priced && p->graph_pause_ns > 0 ? ps_of_ns(p->graph_pause_ns)
								      : s->tracer_pause_ps;
	s->tracer_turn_ps = s->graphs_priced && p->traced_turn_ns > 0 ? ps_of_ns(p->traced_turn_ns)
								      : s->tracer_pause_ps;
	s->core_begin_ps = SIM_NEVER;
	s->threads_left = s->schedule->thread_count;
	event_queue_init(&s->queue);
	links_init(&s->links, p, s->schedule->gpu_count, s->schedule->stream_count);
	const struct sm_memory_level *dram = &p->sm.dram;
	double dram_bytes_per_s =
		dram->copy_bytes_per_s > 0 ? dram->copy_bytes_per_s : dram->read_bytes_per_s;
	s->shares_memory = mechanism_on(&p->mechanisms, MECHANISM_SHARING) &&
			   s->model->ops->dram_bytes && p->sm.present && dram_bytes_per_s > 0 &&
			   isfinite(dram_bytes_per_s);
	if (s->shares_memory)
		links_share_memory(&s->links, dram_bytes_per_s);
	const bool meet = schedule_kernels_meet(s->schedule);
	s->kernels_meet = meet && s->shares_memory && s->model->ops->crowd;
	if (s->kernels_meet)
		s->kernel_streams = schedule_streams_of_kernels(s->schedule);
	s->any_room =
		s->kernels_meet || (!s->schedule->virtual_gpus &&
				    (!s->schedule->config || (meet && s->model->ops->per_launch)));
	price_shapes(s);
	for (uint32_t t = 0; t < s->schedule->thread_count; t++)
		event_queue_push(&s->queue, 0, RANK_THREAD, t, 0);
}

static int64_t loop(struct sim *s)
{
	struct event event;
	int64_t events = 0;
	while (!s->error && event_queue_pop(&s->queue, &event)) {
		events++;
		switch (event_rank(&event)) {
		case RANK_FLOW:
			if (links_finish(&s->links, &s->queue, event.at_ps, event.target,
					 event.stamp))
				stream_flow_end(s, event.target, event.at_ps);
			break;
		case RANK_STREAM:
			stream_event(s, event.target, event.at_ps, event.stamp);
			break;
		case RANK_THREAD:
			if (s->thread[event.target].stamp == event.stamp &&
			    !s->thread[event.target].done)
				thread_run(s, event.target, event.at_ps);
			break;
		case RANK_SHARE:
			links_share(&s->links, &s->queue, event.at_ps);
			break;
		}
	}
	return events;
}

static int report_deadlock(const struct sim *s)
{
	static const char *const what[OP_KIND_COUNT] = {
		[OP_LAUNCH] = "room to launch in",
		[OP_COPY] = "a copy on",
		[OP_SYNC] = "the end of",
		[OP_SYNC_EVENT] = "event",
		[OP_SYNC_GPU] = "GPU",
		[OP_AWAIT] = "counter",
		[OP_BARRIER] = "barrier",
	};
	for (uint32_t t = 0; t < s->schedule->thread_count; t++) {
		const struct sim_thread *thread = &s->thread[t];
		if (thread->done)
			continue;
		const struct schedule_op *op =
			&s->schedule->op[thread->pc > 0 ? thread->pc - 1 : 0];
		return report("the schedule cannot end: thread '%s' waits for %s %u and nothing is "
			      "left to happen",
			      s->schedule->thread[t].name,
			      what[op->kind] ? what[op->kind] : "operation",
			      op->kind == OP_SYNC ? op->stream : op->object);
	}
	return 0;
}

static void collect(struct sim *s, struct simulation_result *result)
{
	sim_time last[MARK_COUNT] = { -1, -1, -1, -1 };
	for (uint32_t t = 0; t < s->schedule->thread_count; t++) {
		for (int mark = 0; mark < MARK_COUNT; mark++)
			if (s->thread[t].mark_ps[mark] > last[mark])
				last[mark] = s->thread[t].mark_ps[mark];
		if (s->thread[t].now_ps > result->end_ps)
			result->end_ps = s->thread[t].now_ps;
	}
	for (uint32_t k = 0; k < s->schedule->stream_count; k++)
		if (s->stream[k].free_ps > result->end_ps)
			result->end_ps = s->stream[k].free_ps;
	/* A program without marks has no core loop of its own: the whole is the core. */
	result->core_ps = last[MARK_CORE_END] >= 0 && last[MARK_CORE_BEGIN] >= 0
				  ? last[MARK_CORE_END] - last[MARK_CORE_BEGIN]
				  : result->end_ps;
	result->total_ps = last[MARK_TOTAL_END] >= 0 && last[MARK_TOTAL_BEGIN] >= 0
				   ? last[MARK_TOTAL_END] - last[MARK_TOTAL_BEGIN]
				   : result->end_ps;
	result->gpu_count = s->schedule->gpu_count;
	result->gpu = xcalloc(result->gpu_count, sizeof(*result->gpu));
	for (uint32_t g = 0; g < result->gpu_count; g++) {
		if (s->gpu[g].closed_ps == SIM_NEVER)
			gpu_account(s, (uint16_t)g, result->end_ps, false);
		struct breakdown *b = &result->gpu[g];
		*b = s->gpu[g].sum;
		/* what is left until the last GPU ended its core loop is waiting for it */
		b->sync_ps +=
			result->core_ps - (b->kernel_ps + b->transfer_ps + b->sync_ps + b->host_ps);
	}
}

/* All threads of our solvers mark their core loop; of another program the one that has the first of
 * the ranges it was asked for by. */
static uint32_t threads_with_core(const struct schedule *schedule)
{
	uint32_t count = 0;
	for (uint32_t t = 0; t < schedule->thread_count; t++) {
		const struct schedule_thread *thread = &schedule->thread[t];
		bool marks = false;
		for (int64_t k = thread->first_op;
		     k < thread->first_op + thread->op_count && !marks; k++)
			marks = schedule->op[k].kind == OP_MARK &&
				schedule->op[k].object == MARK_CORE_BEGIN;
		count += marks;
	}
	return count;
}

int simulation_run(const struct simulation_setup *setup, struct simulation_result *result)
{
	struct sim s = { .schedule = setup->schedule,
			 .platform = setup->platform,
			 .model = setup->model,
			 .observer = setup->observer };
	*result = (struct simulation_result){ .operations = schedule_operations(setup->schedule) };
	result->peak_bytes = allocate(&s);
	wire(&s, setup);
	s.core_threads = threads_with_core(setup->schedule);
	if (!s.core_threads)
		s.core_begin_ps = 0;
	result->events = loop(&s);
	result->ties = s.queue.tie_count;
	result->waits_never_recorded = s.waits_never_recorded;
	int rc = s.error;
	if (!rc)
		rc = collective_report(&s);
	if (!rc && s.threads_left)
		rc = report_deadlock(&s);
	if (!rc)
		collect(&s, result);
	for (uint32_t k = 0; k < setup->schedule->stream_count; k++) {
		result->peak_bytes += (int64_t)(s.stream[k].capacity * sizeof(struct command));
		free(s.stream[k].ring);
	}
	links_release(&s.links);
	copy_channels_release(&s.channels);
	event_queue_release(&s.queue);
	free(s.stream);
	free(s.thread);
	free(s.gpu);
	free(s.counter);
	free(s.barrier);
	free(s.collective);
	free(s.participant_next);
	free(s.instance);
	free(s.latest);
	free(s.shape_ps);
	free(s.shape_gap_ps);
	free(s.shape_share);
	free(s.shape_busy);
	free(s.kernel_streams);
	s.host->destroy(s.host_model);
	s.copies->destroy(s.copy_model);
	return rc;
}

void simulation_result_release(struct simulation_result *result)
{
	free(result->gpu);
	result->gpu = NULL;
}
