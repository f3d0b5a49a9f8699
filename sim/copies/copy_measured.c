/* SPDX-License-Identifier: MIT
 * Copies, events and doorbells by a platform file.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "copy_model.h"
#include "model/platform/benchmark_terms.h"
#include "sim/host/host_cost.h"
#include "traces/base/util.h"

/* How a channel with a copy behind a kernel polls; period 0: it sees the kernel's end at once. */
struct polling {
	sim_time period_ps; /* from then on it polls once in so long */
	sim_time first_ps;  /* without pause for so long after the copy was called */
	sim_time call_ps;   /* from its putting to work to the call's return, of several threads */
	sim_time least_ps;  /* the smallest copy from when it polls */
	sim_time idle_ps;   /* the same on an idle stream */
};

struct copy_model {
	const struct platform *platform;
	const struct schedule *schedule;
	struct copy_price *price; /* owned */
	struct polling polling;
	sim_time delay_ps[DELAY_COUNT];
	sim_time event_same_ps, event_peer_ps, event_copy_ps;
	sim_time signal_ps;	   /* a store of one device to be seen by who polls for it */
	sim_time slower_ps;	   /* by how much an edit of event_peer_ns made that longer */
	sim_time without_pause_ps; /* how long a channel polls without pause for an event */
	bool doorbell;
	bool recorded_here; /* on a device of the platform's kind */
};

static bool has(const struct platform *p, enum mechanism_id id)
{
	return mechanism_on(&p->mechanisms, id);
}

/*
 * An event to or from a copy on another GPU: half of what an exchange adds beyond its copy. Between
 * kernels (event_peer_ns) the compute channels signal each other; here a copy engine's channel does
 * or is told.
 */
static double event_next_to_copy_ns(const struct platform *p)
{
	const double bytes = TERM_EXCHANGE_BYTES;
	if (!(p->exchange_ns > 0) || !p->copy[COPY_CURVE_PEER].x.count ||
	    !has(p, MECHANISM_EVENT_POLLING))
		return p->event_peer_ns;
	const double ns =
		0.5 * (p->exchange_ns - curve_at(&p->copy[COPY_CURVE_PEER], bytes)) - p->record_ns;
	return fmax(ns, p->event_peer_ns);
}

/* The same when the host has just called: half of what calling meanwhile took off an exchange, off
 * each of its two events. */
static double event_when_rung_ns(const struct platform *p)
{
	const double ns = event_next_to_copy_ns(p),
		     less_ns =
			     0.5 * (p->doorbell.silent_exchange_ns - p->doorbell.rung_exchange_ns);
	if (!has(p, MECHANISM_EVENT_POLLING) || !(less_ns > 0) || p->doorbell.rung_exchange_ns <= 0)
		return ns;
	return ns - less_ns > p->event_peer_ns ? ns - less_ns : fmin(ns, p->event_peer_ns);
}

/*
 * From the sweep of calibrate_poll.cu: a kernel of a body B ends start + empty + B after its
 * launch's return and is waited for until wake later. Behind the longest body behind which a copy
 * goes on at once, its channel has polled until just then, from the copy's call on.
 */
static struct polling polling_of(const struct platform *p)
{
	if (!has(p, MECHANISM_COPY_POLLING) || p->poll.period_ns <= 0 || !p->kernel_gap.x.count ||
	    !p->idle[COPY_CURVE_D2H].y.count)
		return (struct polling){ 0 };
	const double way_back_ns = host_way_back_ns(p),
		     start_ns = p->start_latency_ns - way_back_ns,
		     wake_ns = platform_host_ns(p->base, HOST_SYNC_WAKE, 1) + way_back_ns,
		     empty_ns = p->kernel_gap.x.value[0];
	return (struct polling){
		.period_ps = ps_of_ns(p->poll.period_ns),
		.first_ps = ps_of_ns(start_ns + empty_ns + p->poll.polled_ns),
		.call_ps = ps_of_ns(p->poll.call_ns),
		.least_ps = ps_of_ns(fmax(
			p->poll.sync_ns + p->poll.least_ns - start_ns - empty_ns - wake_ns, 0)),
		.idle_ps = ps_of_ns(fmax(p->idle[COPY_CURVE_D2H].y.value[0] - wake_ns, 0)),
	};
}

/*
 * A copy to or from the host behind a kernel: its channel polls for a while after it was called,
 * and then polls once a period whether the kernel has ended (model/calibrate/calibrate_poll.cu). A
 * thread that is alone puts it to work when it calls; of several, the call waits for the others'
 * first, and then takes what it takes by itself.
 */
static sim_time polled_for(const struct copy_model *m, const struct copy_price *price,
			   const struct copy_place *at)
{
	const struct polling *poll = &m->polling;
	const sim_time works = schedule_contending(m->schedule) > 1 ? at->submit_ps - poll->call_ps
								    : at->called_ps,
		       polled = works + poll->first_ps, late = at->free_ps - polled;
	sim_time seen = at->now;
	if (late > 0)
		seen = polled + (late + poll->period_ps - 1) / poll->period_ps * poll->period_ps;
	const sim_time bytes = price->idle_ps - poll->idle_ps,
		       cost = (seen > at->now ? seen - at->now : 0) + poll->least_ps +
			      (bytes > 0 ? bytes : 0),
		       on_its_way = at->submit_ps + price->idle_ps - at->now;
	return cost > on_its_way ? cost : on_its_way;
}

static sim_time unqueued(const struct copy_model *m, const struct copy_place *at)
{
	const struct copy_price *price = &m->price[at->copy];
	const uint8_t kind = m->schedule->copy[at->copy].kind;
	if (at->recorded_ps >= 0 && m->recorded_here) {
		const sim_time took = at->recorded_ps + price->link_ps;
		return took > 0 ? took : 0;
	}
	if (at->submit_ps > at->free_ps)
		return price->idle_ps;
	if (!at->behind_copy && m->polling.period_ps > 0 && (kind == COPY_H2D || kind == COPY_D2H))
		return polled_for(m, price, at);
	return price->behind_ps;
}

/*
 * A copy that stood at its engine while that made another: what leads up to it is done meanwhile.
 * No sooner than had it found the engine free, from when nothing but the engine was in its way;
 * behind a copy of its own stream that was from when it had been called.
 */
static sim_time queued(const struct copy_model *m, const struct copy_place *at, sim_time price_ps)
{
	struct copy_place found_free = *at;
	if (at->behind_same)
		found_free.free_ps = at->submit_ps - 1;
	found_free.now = at->submit_ps > found_free.free_ps ? at->submit_ps : at->free_ps;
	const sim_time rest = found_free.now + unqueued(m, &found_free) - at->now;
	return rest > price_ps ? rest : price_ps;
}

static sim_time copy(const struct copy_model *m, const struct copy_place *at)
{
	const sim_time price_ps = m->price[at->copy].queued_ps, cost = unqueued(m, at);
	const bool recorded = at->recorded_ps >= 0 && m->recorded_here;
	if (price_ps < 0 || recorded || !(at->queued || at->behind_same))
		return cost;
	const sim_time in_line = queued(m, at, price_ps);
	return in_line < cost ? in_line : cost;
}

static sim_time switch_back(const struct copy_model *m, uint32_t which)
{
	return m->price[which].after_ps;
}

/*
 * Only a channel that already stood waiting pays: work that reaches the device after the event
 * finds it complete. One that has stood waiting for long polls ever more rarely, up to the
 * calibrated latency, which was measured on long waits; one that has just come pays the signal's
 * way, or that of reading the event if it slept, and no more than it has waited (a poll whose
 * pauses double is late by at most the time it has gone on). When the host has just put work into a
 * stream of the GPU, or is about to, the channel polls again then. A signal that takes longer than
 * the measured one is late by that much for everybody, also for work that comes later.
 */
static sim_time event(const struct copy_model *m, const struct event_place *at)
{
	const sim_time slower = at->same_gpu ? 0 : m->slower_ps;
	if (at->next_ps > at->done_ps)
		return slower > at->next_ps - at->done_ps ? slower - (at->next_ps - at->done_ps)
							  : 0;
	if (at->same_gpu)
		return m->event_same_ps;
	sim_time ps = at->next_to_copy ? m->event_copy_ps : m->event_peer_ps;
	const sim_time rung = at->rung_ps -
			      at->done_ps, /* a call that began before may end later */
		heard = m->delay_ps[DELAY_RUNG] + (rung > 0 ? rung : 0);
	if (rung >= -m->without_pause_ps && ps > heard)
		ps = heard;
	if (!m->doorbell)
		return ps;
	const sim_time since = at->next_ps > at->since_ps ? at->next_ps : at->since_ps,
		       read = at->asleep ? m->delay_ps[DELAY_WAIT_PEER] : 0,
		       most = (read > m->signal_ps ? read : m->signal_ps) + slower +
			      (at->done_ps > since ? at->done_ps - since : 0);
	return ps < most ? ps : most;
}

static sim_time delay(const struct copy_model *m, enum copy_delay which)
{
	return m->delay_ps[which];
}

static struct copy_model *create(const struct platform *p, const struct schedule *schedule,
				 bool say)
{
	struct copy_model *m = xcalloc(1, sizeof(*m));
	const double way_back_ns = host_way_back_ns(p);
	m->platform = p;
	m->schedule = schedule;
	const char *device = platform_text(p, "device.name");
	m->recorded_here = schedule->device && device && !strcmp(schedule->device, device);
	m->price = copy_prices(p, schedule, say);
	m->polling = polling_of(p);
	m->delay_ps[DELAY_START] = ps_of_ns(fmax(p->start_latency_ns - way_back_ns, 0));
	m->delay_ps[DELAY_RECORD] = ps_of_ns(p->record_ns);
	m->delay_ps[DELAY_TIMED_RECORD] = ps_of_ns(fmax(p->timed_record_ns, p->record_ns));
	m->delay_ps[DELAY_WAIT] = ps_of_ns(p->wait_ns);
	m->delay_ps[DELAY_WAIT_PEER] =
		ps_of_ns(p->wait_peer_ns > 0 && has(p, MECHANISM_EVENT_POLLING) ? p->wait_peer_ns
										: p->wait_ns);
	m->delay_ps[DELAY_ASLEEP] = m->polling.period_ps;
	m->delay_ps[DELAY_RUNG] = ps_of_ns(event_when_rung_ns(p));
	m->event_same_ps = ps_of_ns(p->event_same_ns);
	m->event_peer_ps = ps_of_ns(p->event_peer_ns);
	m->event_copy_ps = ps_of_ns(event_next_to_copy_ns(p));
	m->signal_ps = ps_of_ns(p->recorded_start_latency_ns > 0 ? way_back_ns : p->event_peer_ns);
	m->slower_ps = p->base ? ps_of_ns(fmax(p->event_peer_ns - p->base->event_peer_ns, 0)) : 0;
	m->doorbell = has(p, MECHANISM_EVENT_POLLING);
	m->without_pause_ps = m->doorbell ? ps_of_ns(p->doorbell.poll_ns) : 0;
	return m;
}

static void destroy(struct copy_model *m)
{
	free(m->price);
	free(m);
}

const struct copy_model_ops copy_measured = { "measured",  create, destroy, copy,
					      switch_back, event,  delay };
