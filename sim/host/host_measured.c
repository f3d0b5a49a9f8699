/* SPDX-License-Identifier: MIT
 * Host costs by a platform file. A call is looked up by its kind and by what stands around it, is
 * spread over threads and calls as measured, and now and then interrupted.
 */
#include <stdlib.h>

#include "host_cost.h"
#include "host_model.h"
#include "model/platform/benchmark_terms.h"
#include "traces/base/util.h"

/* So many launches right before it make a launch one among launches: code and data of one kind are
 * at hand then, in a mixed loop they are not. */
enum { LAUNCHES_IN_A_ROW = 2 };

struct host_thread {
	uint32_t part;		 /* what this thread's calls cost, of 65536 */
	int64_t calls;		 /* drawn so far */
	int last_kind, in_a_row; /* kind of its last call, -1 after a synchronisation; how many of
				    that kind came right before it */
	bool called[HOST_COST_COUNT]; /* kinds, a copy of any direction as HOST_COPY_H2D */
};

struct host_model {
	const struct platform *platform;
	const struct schedule *schedule;
	/* At this schedule's thread count: by themselves, in loops, and launches among launches. */
	sim_time alone_ps[HOST_COST_COUNT], loop_ps[HOST_COST_COUNT], launch_plain_ps, slowest_ps;
	sim_time copies_ps[HOST_COST_COUNT]; /* right behind one of the same kind; 0: as others */
	sim_time nccl_ps; /* of a plan's launch that meets others, beyond a launch */
	sim_time first_ps[HOST_COST_COUNT]; /* more, of a thread's first call of a kind */
	sim_time graph_ps, graph_turn_ps,
		graph_copy_turn_ps; /* 0: a graph's launch is any launch */
	bool loops;		    /* a mechanism asked of every launch */
	uint64_t seed;
	int64_t drawn_alone;
	uint32_t call_count;		 /* quantiles of calls; 0: no spread */
	uint32_t *call_part, *mean_part; /* owned, of 65536: one call over what its kind costs,
					    where that is a trimmed mean; where it is a mean */
	struct host_thread *thread;	 /* owned */
};

/* splitmix64's finaliser (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static uint64_t drawn(const struct host_model *m, uint32_t thread, int64_t draw)
{
	return mix(m->seed ^ mix((uint64_t)draw + 0x9e3779b97f4a7c15u * (thread + 1)));
}

/* cost * part / 65536, rounded down, without the product of both */
static sim_time times_part(sim_time cost, uint32_t part)
{
	return (cost >> 16) * part + ((cost & 0xffff) * part >> 16);
}

/* A call's place among the quantiles of its kind, and whether its thread was interrupted. */
struct draw {
	uint64_t quantile;
	bool interrupted;
};

/*
 * Of TERM_SLOWEST_ONE_IN calls in a row one is interrupted; in a long run, exactly one: any of them
 * is so as often as ever, and the run need not be long for what is rare to happen as often as it
 * should.
 */
static bool interrupted_evenly(const struct host_model *m, uint32_t thread, int64_t call)
{
	const int64_t turn = call / TERM_SLOWEST_ONE_IN, in_turn = call % TERM_SLOWEST_ONE_IN;
	return drawn(m, thread, ~turn) % TERM_SLOWEST_ONE_IN == (uint64_t)in_turn;
}

static struct draw draw_call(const struct host_model *m, uint32_t thread, int64_t number)
{
	struct host_thread *t = &m->thread[thread];
	const int64_t call = t->calls++;
	const uint64_t random = drawn(m, thread, number);
	const bool alone = !m->drawn_alone || call < m->drawn_alone;
	return (struct draw){ random % m->call_count,
			      alone ? (random >> 32) % TERM_SLOWEST_ONE_IN == 0
				    : interrupted_evenly(m, thread, call) };
}

static sim_time spread(const struct host_model *m, uint32_t thread, sim_time cost,
		       const uint32_t *part, uint64_t quantile)
{
	return m->call_count ? times_part(times_part(cost, m->thread[thread].part), part[quantile])
			     : cost;
}

/*
 * What a call is expected to cost. host.call_quantiles are of calls over their thread's trimmed
 * mean, as most of the lists are: with the slowest, calls take a few per cent more than that. Costs
 * that are plain means, a loop's time over its calls, have the slow ones in them: launches in a
 * loop of nothing else.
 */
struct expected {
	sim_time cost;
	bool mean;
};

static struct expected expected_of(const struct host_model *m, struct host_thread *t,
				   const struct schedule_op *op, uint32_t ahead)
{
	const int kind = host_cost_of(m->schedule, op);
	t->in_a_row = kind == t->last_kind ? t->in_a_row + 1 : 0;
	t->last_kind = kind;
	const sim_time recorded_ps = m->schedule->call_ps[schedule_call_of(m->schedule, op)];
	if (recorded_ps > 0)
		return (struct expected){ recorded_ps, false };
	if (m->graph_ps && schedule_call_of(m->schedule, op) == CALL_OF_GRAPH)
		return (struct expected){ m->graph_ps, false };
	if (schedule_call_of(m->schedule, op) == CALL_OF_BY_HOST) /* a call for each half */
		return (struct expected){ m->loop_ps[HOST_COPY_D2H] + m->loop_ps[HOST_COPY_H2D],
					  false };
	if (t->in_a_row && m->copies_ps[kind] > 0)
		return (struct expected){ m->copies_ps[kind], true };
	if (op->kind != OP_LAUNCH)
		return (struct expected){ m->loop_ps[kind], false };
	if (m->loops && t->in_a_row >= LAUNCHES_IN_A_ROW)
		return (struct expected){ m->launch_plain_ps, true };
	if (m->loops && ahead == 0)
		return (struct expected){ m->loop_ps[HOST_LAUNCH_IDLE], false };
	return (struct expected){ m->loop_ps[HOST_LAUNCH], schedule_contending(m->schedule) == 1 };
}

/* What the thread's first call of a kind takes more. */
static sim_time first_of(const struct host_model *m, struct host_thread *t,
			 const struct schedule_op *op)
{
	const int kind = host_cost_of(m->schedule, op);
	const bool copy = op->kind == OP_COPY;
	bool *called = &t->called[copy ? HOST_COPY_H2D : kind];
	if (*called)
		return 0;
	*called = true;
	return m->first_ps[copy ? HOST_COPY_H2D : kind];
}

static sim_time call(struct host_model *m, uint32_t thread, const struct schedule_op *op,
		     uint32_t ahead, int64_t draw)
{
	struct host_thread *t = &m->thread[thread];
	struct expected expected = expected_of(m, t, op, ahead);
	const sim_time first = first_of(m, t, op);
	if (op->kind == OP_LAUNCH && m->schedule->shape[op->object].meets)
		expected.cost += m->nccl_ps;
	if (!m->call_count)
		return expected.cost + first;
	const struct draw d = draw_call(m, thread, draw);
	return spread(m, thread, expected.cost, expected.mean ? m->mean_part : m->call_part,
		      d.quantile) +
	       (d.interrupted && !expected.mean ? m->slowest_ps : 0) + first;
}

static sim_time other(const struct host_model *m, int kind)
{
	return m->alone_ps[kind];
}

static sim_time wake(const struct host_model *m, uint32_t thread, int kind, int64_t draw)
{
	return spread(m, thread, m->alone_ps[kind], m->call_part,
		      m->call_count ? draw_call(m, thread, draw).quantile : 0);
}

static sim_time node(const struct host_model *m, const struct schedule_op *op)
{
	if (!m->graph_ps || (op->kind == OP_LAUNCH && graph_node_before(op)->kind == OP_LAUNCH))
		return 0;
	return op->kind == OP_COPY ? m->graph_copy_turn_ps : m->graph_turn_ps;
}

static void synchronised(struct host_model *m, uint32_t thread)
{
	m->thread[thread].last_kind = -1;
}

static bool has(const struct host_model *m, enum mechanism_id id)
{
	return mechanism_on(&m->platform->mechanisms, id);
}

static void look_up(struct host_model *m)
{
	const struct platform *p = m->platform;
	const int threads = (int)schedule_contending(m->schedule);
	for (int kind = 0; kind < HOST_COST_COUNT; kind++) {
		const int plain = kind == HOST_WAIT_OWN ? HOST_WAIT : kind;
		const double alone_ns = platform_list_ns(p, &p->host[plain], threads, 0);
		const struct number_list *loop = &p->loop_host[kind];
		if (kind == HOST_LAUNCH && threads == 1 && has(m, MECHANISM_LOOPS))
			loop = &p->loop_launch_plain;
		if (!loop->count)
			loop = &p->loop_host[plain];
		const bool own = kind == HOST_WAIT_OWN && p->loop_host[kind].count;
		if (threads > 1 && !own && p->peer_exchange[plain].count &&
		    has(m, MECHANISM_PEER_EXCHANGE))
			loop = &p->peer_exchange[plain];
		m->alone_ps[kind] = ps_of_ns(alone_ns);
		/* A solver makes its threads for the run; those of others may be old. */
		if (m->schedule->config && has(m, MECHANISM_FIRST_CALLS))
			m->first_ps[kind] =
				ps_of_ns(platform_list_ns(p, &p->first_host[kind], threads, 0));
		m->loop_ps[kind] = has(m, MECHANISM_LOOPS)
					   ? ps_of_ns(platform_list_ns(p, loop, threads, alone_ns))
					   : m->alone_ps[kind];
	}
	m->alone_ps[HOST_SYNC_WAKE] += ps_of_ns(host_way_back_ns(p));
	m->launch_plain_ps = ps_of_ns(platform_list_ns(p, &p->loop_launch_plain, threads,
						       host_loop_ns(p, HOST_LAUNCH, threads)));
	if (has(m, MECHANISM_LOOPS)) {
		m->copies_ps[HOST_COPY_H2D] =
			ps_of_ns(platform_list_ns(p, &p->loop_copies_h2d, threads, 0));
		m->copies_ps[HOST_COPY_D2H] =
			ps_of_ns(platform_list_ns(p, &p->loop_copies_d2h, threads, 0));
	}
	m->slowest_ps = ps_of_ns(p->slowest_call_ns);
	if (schedule_graphs_priced(m->schedule, p)) {
		m->graph_ps = ps_of_ns(p->graph_ns);
		m->graph_turn_ps = ps_of_ns(p->graph_turn_ns);
		m->graph_copy_turn_ps = ps_of_ns(p->graph_copy_turn_ns);
	}
	m->nccl_ps = ps_of_ns(p->nccl_call_ns);
	m->loops = has(m, MECHANISM_LOOPS);
}

/* Draws what kind of thread each host thread is. One by itself is measured ten times, and the
 * median taken: that of the median thread. */
static void draw_threads(struct host_model *m)
{
	const struct number_list *threads = &m->platform->thread_quantiles;
	uint64_t state = m->seed;
	m->thread = xcalloc(m->schedule->thread_count, sizeof(*m->thread));
	for (uint32_t t = 0; t < m->schedule->thread_count; t++) {
		/* Knuth's linear congruential generator */
		state = state * 6364136223846793005u + 1442695040888963407u;
		const bool differs = m->seed && threads->count &&
				     schedule_contending(m->schedule) > 1 &&
				     has(m, MECHANISM_CALL_SPREAD);
		const double part = differs ? threads->value[(state >> 33) % threads->count] : 1;
		m->thread[t] =
			(struct host_thread){ .part = (uint32_t)(part * 65536), .last_kind = -1 };
	}
}

static void spread_calls(struct host_model *m)
{
	const struct number_list *calls = &m->platform->call_quantiles;
	if (schedule_contending(m->schedule) > 1 &&
	    m->platform->peer_exchange_call_quantiles.count && has(m, MECHANISM_PEER_EXCHANGE))
		calls = &m->platform->peer_exchange_call_quantiles;
	m->call_count = m->seed && has(m, MECHANISM_CALL_SPREAD) ? (uint32_t)calls->count : 0;
	m->call_part = xcalloc(calls->count, sizeof(*m->call_part));
	m->mean_part = xcalloc(calls->count, sizeof(*m->mean_part));
	double mean = 0;
	for (size_t k = 0; k < calls->count; k++)
		mean += calls->value[k] / (double)calls->count;
	for (size_t k = 0; k < calls->count; k++) {
		m->call_part[k] = (uint32_t)(calls->value[k] * 65536);
		m->mean_part[k] = (uint32_t)(calls->value[k] / mean * 65536);
	}
}

static struct host_model *create(const struct platform *platform, const struct schedule *schedule,
				 uint64_t seed)
{
	struct host_model *m = xcalloc(1, sizeof(*m));
	m->platform = platform;
	m->schedule = schedule;
	m->seed = seed;
	m->drawn_alone = schedule->drawn_alone;
	look_up(m);
	draw_threads(m);
	spread_calls(m);
	return m;
}

static void destroy(struct host_model *m)
{
	free(m->call_part);
	free(m->mean_part);
	free(m->thread);
	free(m);
}

const struct host_model_ops host_measured = { "measured", create, destroy, call,
					      other,	  wake,	  node,	   synchronised };
