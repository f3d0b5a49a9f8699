/* SPDX-License-Identifier: MIT
 * The loop and all the wiring: the only place that sees every component.
 */
#include "simulation.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "traces/base/util.h"
#include "sim_internal.h"

static int copy_curve_of(const struct schedule_copy *copy)
{
	bool two_d = copy->rows > 1;
	switch ((enum copy_kind)copy->kind) {
	case COPY_H2D:
		return copy->pageable ? COPY_CURVE_H2D_PAGEABLE
		       : two_d	      ? COPY_CURVE_H2D_2D
				      : COPY_CURVE_H2D;
	case COPY_D2H:
		return copy->pageable ? COPY_CURVE_D2H_PAGEABLE
		       : two_d	      ? COPY_CURVE_D2H_2D
				      : COPY_CURVE_D2H;
	case COPY_PEER:
		return COPY_CURVE_PEER;
	default:
		return COPY_CURVE_D2D;
	}
}

/* ns at `bytes`; beyond the last calibrated size it keeps the distance it has there from the
 * chain's curve. */
static double waited_for_ns(const struct curve *x_of, const struct number_list *ns,
			    const struct curve *chain, double bytes)
{
	const struct curve curve = { x_of->x, *ns };
	double last = x_of->x.value[x_of->x.count - 1];
	if (bytes <= last)
		return curve_at(&curve, bytes);
	return curve_at(chain, bytes) + curve_at(&curve, last) - curve_at(chain, last);
}

/* The call of such a copy in a loop, one thread. */
static double copy_call_ns(const struct platform *p, int kind)
{
	static const int call[COPY_CURVE_COUNT] = { [COPY_CURVE_H2D] = HOST_COPY_H2D,
						    [COPY_CURVE_D2H] = HOST_COPY_D2H,
						    [COPY_CURVE_PEER] = HOST_COPY_PEER,
						    [COPY_CURVE_D2D] = HOST_COPY_D2D };
	return platform_list_ns(p, &p->loop_host[call[kind]], 1,
				platform_host_ns(p, call[kind], 1));
}

static double first_rate(const struct curve *share)
{
	return share->x.count ? share->y.value[0] : 0;
}

/* From the loop lists (begin of the call to return of the synchronisation) what is left for the
 * device. */
static void price_from_loop(const struct sim *s, int kind, double bytes, const struct curve *chain,
			    double *idle_ns, double *short_ns)
{
	const struct platform *p = s->platform;
	if (!p->loop[kind].x.count || !mechanism_on(&p->mechanisms, MECHANISM_COPY_LOOP))
		return;
	double whole_ns = waited_for_ns(&p->loop[kind], &p->loop[kind].y, chain, bytes),
	       wake_ns = platform_host_ns(p->base, HOST_SYNC_WAKE, 1);
	if (kind == COPY_CURVE_H2D) /* stream idle: the call is on the way */
		*idle_ns = whole_ns - copy_call_ns(p->base, kind) - wake_ns;
	else /* behind a kernel of 1 us whose launch has just returned: its start and its body are
		on the way */
		*short_ns = whole_ns - p->base->start_latency_ns - 1000 - wake_ns;
}

/* What a copy's bytes take more on the links as set than on those the curves were measured on;
 * negative on faster ones. */
static double other_link_ns(const struct platform *p, const struct schedule_copy *copy)
{
	double was = 0, is = 0;
	if (copy->kind == COPY_PEER) {
		was = p->base->nvlink_bytes_per_s;
		is = p->nvlink_bytes_per_s;
	} else if (copy->kind == COPY_H2D || copy->kind == COPY_D2H) {
		const struct curve *share = copy->kind == COPY_H2D ? &p->share_h2d : &p->share_d2h;
		was = copy->kind == COPY_H2D ? first_rate(&p->base->share_h2d)
					     : first_rate(&p->base->share_d2h);
		is = first_rate(share);
	}
	return was > 0 && is > 0 && was != is ? (double)copy->bytes * 1e9 * (1 / is - 1 / was) : 0;
}

static void price_copies(struct sim *s, double way_back_ns)
{
	const struct platform *p = s->platform;
	double wake_ns =
		platform_host_ns(p->base, HOST_SYNC_WAKE, 1); /* the idle lists end with one */
	for (uint32_t k = 0; k < s->schedule->copy_count; k++) {
		const struct schedule_copy *copy = &s->schedule->copy[k];
		int kind = copy_curve_of(copy);
		const struct curve *chain = &p->copy[kind], *idle = &p->idle[kind];
		double bytes = copy->bytes > 0 ? (double)copy->bytes : 1,
		       chain_ns = chain->x.count ? curve_at(chain, bytes) : 0;
		if (!chain->x.count && s->seed <= 1) /* once, not for every seed */
			report_warning(
				"platform '%s' has no [%s]: such copies of %lld bytes cost nothing",
				p->name, copy_curve_section[kind], (long long)copy->bytes);
		double idle_ns = p->copy_start_latency_ns + chain_ns, behind_ns = chain_ns;
		if (chain->x.count && idle->x.count) {
			if (mechanism_on(&p->mechanisms, MECHANISM_COPY_IDLE))
				idle_ns = waited_for_ns(idle, &idle->y, chain, bytes) - wake_ns;
			if (mechanism_on(&p->mechanisms, MECHANISM_COPY_BEHIND))
				behind_ns = waited_for_ns(idle, &p->behind[kind], chain, bytes);
		}
		double short_ns = behind_ns;
		price_from_loop(s, kind, bytes, chain, &idle_ns, &short_ns);
		double link_ns = other_link_ns(p, copy);
		idle_ns += link_ns;
		short_ns += link_ns;
		behind_ns += link_ns;
		chain_ns += link_ns;
		struct copy_price *price = &s->copy[k];
		price->short_ps = ps_of_ns(short_ns > 0 ? short_ns : 0);
		price->idle_ps = ps_of_ns(idle_ns > way_back_ns ? idle_ns - way_back_ns : 0);
		price->behind_ps = ps_of_ns(behind_ns > 0 ? behind_ns : 0);
		price->after_ps = chain_ns > behind_ns && mechanism_on(&p->mechanisms,
								       MECHANISM_ENGINE_SWITCH)
					  ? ps_of_ns(chain_ns - behind_ns)
					  : 0;
	}
}

/* Which part of a GPU's SMs a launch occupies: all of it when the geometry is unknown. */
static void price_shapes(struct sim *s)
{
	for (uint32_t k = 0; k < s->schedule->shape_count; k++) {
		const struct schedule_shape *shape = &s->schedule->shape[k];
		double blocks = (double)shape->grid[0] * shape->grid[1] * shape->grid[2];
		double share = blocks > 0 && s->platform->sm_count > 0
				       ? blocks / s->platform->sm_count
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
	s->instance = xcalloc((size_t)records, sizeof(*s->instance));
	s->latest = xcalloc(sc->event_count, sizeof(*s->latest));
	s->shape_ps = xcalloc(sc->shape_count, sizeof(*s->shape_ps));
	s->shape_gap_ps = xcalloc(sc->shape_count, sizeof(*s->shape_gap_ps));
	s->shape_share = xcalloc(sc->shape_count, sizeof(*s->shape_share));
	s->copy = xcalloc(sc->copy_count, sizeof(*s->copy));
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
	for (uint32_t k = 0; k < sc->event_count; k++)
		s->latest[k] = NONE32;
	for (uint32_t k = 0; k < sc->thread_count; k++) {
		s->thread[k] =
			(struct sim_thread){ .pc = sc->thread[k].first_op,
					     .end = sc->thread[k].first_op + sc->thread[k].op_count,
					     .before_ps = -1,
					     .last_kind = -1,
					     .mark_ps = { -1, -1, -1, -1 },
					     .next_waiter = NONE32 };
	}
	return (int64_t)(sc->stream_count * sizeof(*s->stream) +
			 sc->thread_count * sizeof(*s->thread) + sc->gpu_count * sizeof(*s->gpu) +
			 sc->counter_count * sizeof(*s->counter) +
			 (size_t)records * sizeof(*s->instance) +
			 (size_t)sc->op_count * sizeof(*sc->op));
}

/*
 * A hop to or from a copy on another GPU: half of what an exchange adds beyond its copy. Between
 * kernels (hop_peer) the compute channels signal each other; here a copy engine's channel does or
 * is told. 64 KiB, where the wire's own time is small.
 */
static double hop_next_to_copy_ns(const struct platform *p)
{
	const double bytes = 65536;
	if (!p->exchange.x.count || !p->copy[COPY_CURVE_PEER].x.count ||
	    !mechanism_on(&p->mechanisms, MECHANISM_COPY_EVENT))
		return p->hop_peer_ns;
	double hop_ns =
		0.5 * (curve_at(&p->exchange, bytes) - curve_at(&p->copy[COPY_CURVE_PEER], bytes)) -
		p->record_ns;
	return hop_ns > p->hop_peer_ns ? hop_ns : p->hop_peer_ns;
}

/* The same when the host has just called: half of what calling meanwhile took off an exchange, off
 * each of its two hops. */
static double hop_when_rung_ns(const struct platform *p)
{
	double hop_ns = hop_next_to_copy_ns(p),
	       less_ns = 0.5 * (p->ring.silent_exchange_ns - p->ring.rung_exchange_ns);
	if (!mechanism_on(&p->mechanisms, MECHANISM_DOORBELL) || !(less_ns > 0) ||
	    p->ring.rung_exchange_ns <= 0)
		return hop_ns;
	return hop_ns - less_ns > p->hop_peer_ns ? hop_ns - less_ns : fmin(hop_ns, p->hop_peer_ns);
}

/* Draws what kind of thread each host thread is, and readies the spread of the calls. */
static void draw_threads(struct sim *s, uint64_t seed)
{
	const struct number_list *threads = &s->platform->thread_quantiles,
				 *calls = &s->platform->call_quantiles;
	if (s->schedule->thread_count > 1 && s->platform->ordered_call_quantiles.count &&
	    mechanism_on(&s->platform->mechanisms, MECHANISM_PEER_EXCHANGE_SPREAD))
		calls = &s->platform->ordered_call_quantiles;
	uint64_t state = seed;
	for (uint32_t t = 0; t < s->schedule->thread_count; t++) {
		state = state * 6364136223846793005u +
			1442695040888963407u; /* Knuth's linear congruential generator */
		/* One thread by itself is measured ten times, and the median taken: that of the
		 * median thread. */
		const bool differs =
			seed && mechanism_on(&s->platform->mechanisms, MECHANISM_THREAD_SPREAD) &&
			threads->count && s->schedule->thread_count > 1;
		s->thread[t].part =
			differs ? (uint32_t)(threads->value[(state >> 33) % threads->count] * 65536)
				: 65536;
	}
	s->seed = seed;
	s->call_count = seed && mechanism_on(&s->platform->mechanisms, MECHANISM_CALL_SPREAD)
				? (uint32_t)calls->count
				: 0;
	s->call_part = xcalloc(calls->count, sizeof(*s->call_part));
	s->mean_part = xcalloc(calls->count, sizeof(*s->mean_part));
	double mean = 0;
	for (size_t k = 0; k < calls->count; k++)
		mean += calls->value[k] / (double)calls->count;
	for (size_t k = 0; k < calls->count; k++) {
		s->call_part[k] = (uint32_t)(calls->value[k] * 65536);
		s->mean_part[k] = mechanism_on(&s->platform->mechanisms, MECHANISM_MEAN_SPREAD)
					  ? (uint32_t)(calls->value[k] / mean * 65536)
					  : s->call_part[k];
	}
}

/*
 * From the sweep of calibrate_look.cu: a kernel of a body B ends start + empty + B after its
 * launch's return and is waited for until wake later. Behind the longest body behind which a copy
 * goes on at once, its channel has polled until just then, from the copy's call on.
 */
static void time_looks(struct sim *s, double start_ns, double wake_ns)
{
	const struct platform *p = s->platform;
	if (!mechanism_on(&p->mechanisms, MECHANISM_COPY_POLLING) || p->look.period_ns <= 0 ||
	    !p->kernel_gap.x.count || !p->idle[COPY_CURVE_D2H].y.count)
		return;
	double empty_ns = p->kernel_gap.x.value[0];
	s->look_period_ps = ps_of_ns(p->look.period_ns);
	s->look_polls_ps = ps_of_ns(start_ns + empty_ns + p->look.polled_ns);
	s->look_call_ps = ps_of_ns(p->look.call_ns);
	s->look_least_ps = ps_of_ns(
		fmax(p->look.sync_ns + p->look.least_ns - start_ns - empty_ns - wake_ns, 0));
	s->look_idle_ps = ps_of_ns(fmax(p->idle[COPY_CURVE_D2H].y.value[0] - wake_ns, 0));
}

static void wire(struct sim *s, const struct simulation_setup *setup)
{
	const struct platform *p = setup->platform;
	int threads = (int)s->schedule->thread_count;
	for (int kind = 0; kind < HOST_COST_COUNT; kind++) {
		double deep_ns = platform_host_ns(p, kind, threads);
		const struct number_list *loop =
			kind == HOST_LAUNCH && threads == 1 &&
					mechanism_on(&p->mechanisms, MECHANISM_LAUNCH_PLAIN)
				? &p->loop_launch_plain
				: &p->loop_host[kind];
		if (threads > 1 && mechanism_on(&p->mechanisms, MECHANISM_PEER_EXCHANGE) &&
		    p->ordered[kind].count) /* threads that exchange from GPU to GPU */
			loop = &p->ordered[kind];
		s->host_ps[kind] = ps_of_ns(deep_ns);
		s->loop_ps[kind] = mechanism_on(&p->mechanisms, MECHANISM_LOOPS)
					   ? ps_of_ns(platform_list_ns(p, loop, threads, deep_ns))
					   : s->host_ps[kind];
	}
	s->launch_plain_ps = ps_of_ns(
		platform_list_ns(p, &p->loop_launch_plain, threads,
				 platform_list_ns(p, &p->loop_host[HOST_LAUNCH], threads,
						  platform_host_ns(p, HOST_LAUNCH, threads))));
	s->launch_second_ps = ps_of_ns(platform_list_ns(p, &p->loop_launch_second, threads,
							platform_host_ns(p, HOST_LAUNCH, threads)));
	/*
	 * start_latency_ns ends when the host sees the kernel's first store; where the recorder
	 * showed the kernel's real begin, the difference belongs to the way back, sync_wake_ns. The
	 * sum is the same.
	 */
	double way_back_ns =
		mechanism_on(&p->mechanisms, MECHANISM_WAY_BACK) &&
				p->recorded_start_latency_ns > 0 &&
				p->recorded_start_latency_ns < p->base->start_latency_ns
			? p->base->start_latency_ns - p->recorded_start_latency_ns
			: 0;
	s->start_latency_ps =
		ps_of_ns(p->start_latency_ns > way_back_ns ? p->start_latency_ns - way_back_ns : 0);
	s->host_ps[HOST_SYNC_WAKE] += ps_of_ns(way_back_ns);
	s->signal_ps = ps_of_ns(p->recorded_start_latency_ns > 0 ? way_back_ns : p->hop_peer_ns);
	s->warm_ps = p->cold_waited.count && mechanism_on(&p->mechanisms, MECHANISM_COLD_CALLS)
			     ? ps_of_ns(p->cold_waited.value[0])
			     : SIM_NEVER;
	s->record_ps = ps_of_ns(p->record_ns);
	s->wait_ps = ps_of_ns(p->wait_ns);
	s->hop_same_ps = ps_of_ns(p->hop_same_ns);
	s->hop_peer_ps = ps_of_ns(p->hop_peer_ns);
	s->hop_copy_ps = ps_of_ns(hop_next_to_copy_ns(p));
	s->hop_rung_ps = ps_of_ns(hop_when_rung_ns(p));
	s->look_ps =
		mechanism_on(&p->mechanisms, MECHANISM_DOORBELL) ? ps_of_ns(p->ring.look_ns) : 0;
	time_looks(s, p->start_latency_ns - way_back_ns,
		   platform_host_ns(p->base, HOST_SYNC_WAKE, 1) + way_back_ns);
	s->slowest_ps = mechanism_on(&p->mechanisms, MECHANISM_INTERRUPTIONS)
				? ps_of_ns(p->slowest_call_ns)
				: 0;
	s->tracer_pause_ps = ps_of_ns(kernel_model_tracer_ns(p));
	s->core_begin_ps = SIM_NEVER;
	s->threads_left = s->schedule->thread_count;
	draw_threads(s, setup->seed);
	price_copies(s, way_back_ns);
	price_shapes(s);
	event_queue_init(&s->queue);
	links_init(&s->links, p, s->schedule->gpu_count, s->schedule->stream_count);
	const struct sm_memory_level *dram = &p->sm.dram;
	double dram_bytes_per_s =
		dram->copy_bytes_per_s > 0 ? dram->copy_bytes_per_s : dram->read_bytes_per_s;
	s->shares_memory = mechanism_on(&p->mechanisms, MECHANISM_MEMORY_SHARING) &&
			   s->model->ops->dram_bytes && p->sm.present && dram_bytes_per_s > 0 &&
			   isfinite(dram_bytes_per_s);
	if (s->shares_memory)
		links_share_memory(&s->links, dram_bytes_per_s);
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
	int rc = s.error ? s.error : s.threads_left ? report_deadlock(&s) : 0;
	if (!rc)
		collect(&s, result);
	for (uint32_t k = 0; k < setup->schedule->stream_count; k++) {
		result->peak_bytes += (int64_t)(s.stream[k].capacity * sizeof(struct command));
		free(s.stream[k].ring);
	}
	links_release(&s.links);
	event_queue_release(&s.queue);
	free(s.stream);
	free(s.thread);
	free(s.gpu);
	free(s.counter);
	free(s.barrier);
	free(s.instance);
	free(s.latest);
	free(s.shape_ps);
	free(s.shape_gap_ps);
	free(s.shape_share);
	free(s.copy);
	free(s.call_part);
	free(s.mean_part);
	return rc;
}

void simulation_result_release(struct simulation_result *result)
{
	free(result->gpu);
	result->gpu = NULL;
}
