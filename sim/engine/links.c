/* SPDX-License-Identifier: MIT */
#include "links_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

/* A flow is not held back below this share, so that every run ends. */
#define SHARE_LEAST 1e-6

void links_release(struct links *links)
{
	for (uint32_t link = 0; link < links->link_count; link++) {
		free(links->link[link].route);
		free(links->link[link].for_users);
	}
	for (uint32_t route = 0; route < links->route_count; route++)
		free(links->route[route].flow);
	map_release(&links->route_of);
	free(links->link);
	free(links->flow);
	free(links->route);
	free(links->active);
	free(links->end_ps);
	free(links->left);
	free(links->list);
	memset(links, 0, sizeof(*links));
}

/* ---- which flow ends first ---- */

static const struct route_flow *next_of(const struct route *route)
{
	return &route->flow[route->count - 1];
}

/* Brings what a route's first flow has left up to now. */
static void advance(struct route *route, sim_time now)
{
	route->remaining_ps -= (double)(now - route->updated_ps) * route->rate;
	route->updated_ps = now;
}

/* When the next flow of a route ends at its present rate; it is up to date. */
static sim_time end_of(const struct route *route)
{
	if (route->remaining_ps <= 0)
		return route->updated_ps;
	double left_ps = route->rate > 0 ? route->remaining_ps / route->rate : INFINITY;
	if (!(left_ps < (double)(SIM_LAST - route->updated_ps)))
		return SIM_LAST;
	sim_time whole_ps = (sim_time)left_ps; /* rounded up */
	return route->updated_ps + whole_ps + ((double)whole_ps < left_ps);
}

/* Says when the next flow of all ends, in the order of their starts where several end at once;
 * `most`: no later than this. */
static void announce(struct links *links, struct event_queue *queue, sim_time most)
{
	uint32_t best = NO_ROUTE;
	sim_time first = most < SIM_NEVER ? most + 1 : SIM_NEVER;
	for (uint32_t k = 0; k < links->active_count; k++) {
		sim_time end = links->end_ps[k];
		if (end > first || (end == first && best == NO_ROUTE))
			continue;
		const struct route *route = &links->route[links->active[k]];
		if (end == first && next_of(route)->order > next_of(&links->route[best])->order)
			continue;
		first = end;
		best = links->active[k];
	}
	if (best == NO_ROUTE)
		return;
	uint32_t stream = next_of(&links->route[best])->stream;
	if (links->announced_ps == first && links->announced_stream == stream)
		return;
	links->announced_ps = first;
	links->announced_stream = stream;
	event_queue_push(queue, first, RANK_FLOW, stream, ++links->stamp);
}

/* ---- max-min fairness ---- */

/* The link with least to give for what is asked of it, where that is less than 1; the first of
 * equals. In `list`, of which links without open routes are taken out. */
static uint32_t tightest_link(const struct link_left *of, uint32_t *list, uint32_t *count)
{
	uint32_t tightest = UINT32_MAX, kept = 0, listed = *count;
	double least = 1;
	for (uint32_t k = 0; k < listed; k++) {
		uint32_t link = list[k];
		if (!of[link].open)
			continue;
		list[kept++] = link;
		if (of[link].share < least) {
			least = of[link].share;
			tightest = link;
		}
	}
	*count = kept;
	return tightest;
}

static void set_rate(struct links *links, struct route *route, sim_time now, double rate)
{
	if (rate == route->rate)
		return;
	advance(route, now);
	route->rate = rate;
	links->end_ps[route->at] = end_of(route);
}

/* Takes a route whose rate is known off the links it is on. Of the tightest, which gave it, all
 * routes are: nobody asks again what it has left. */
static void take_off(struct link_left *of, const struct route *route, double share,
		     uint32_t tightest)
{
	of[tightest].open--;
	for (int l = 0; l < route->link_count; l++) {
		struct link_left *link = &of[route->link[l]];
		if (route->link[l] == tightest)
			continue;
		link->asked -= route->asked[l];
		link->left -= route->asked[l] * share;
		if (--link->open)
			link->share = link->asked > 0 ? link->left / link->asked : INFINITY;
	}
}

/* Progressive filling: the tightest link fixes the rates of the routes over it, then the rest. */
static void fill(struct links *links, sim_time now)
{
	struct link_left *of = links->left;
	uint32_t *list = links->list, listed = 0, fixed = 0, tightest;
	const uint32_t round = ++links->round;
	for (uint32_t k = 0; k < links->link_count; k++) {
		const struct link *link = &links->link[k];
		of[k] = (struct link_left){ link->capacity, link->asked, link->share,
					    link->route_count };
		if (link->route_count)
			list[listed++] = k;
	}
	while ((tightest = tightest_link(of, list, &listed)) != UINT32_MAX) {
		const double share = of[tightest].share,
			     rate = share > SHARE_LEAST ? share : SHARE_LEAST;
		const uint32_t *number = links->link[tightest].route;
		for (; of[tightest].open; number++) {
			struct route *route = &links->route[*number];
			if (route->round == round)
				continue;
			route->round = round;
			set_rate(links, route, now, rate);
			take_off(of, route, share, tightest);
			fixed++;
		}
	}
	for (uint32_t k = 0; fixed < links->active_count && k < links->active_count; k++) {
		struct route *route = &links->route[links->active[k]];
		if (route->round != round)
			set_rate(links, route, now, 1);
	}
}

void links_share(struct links *links, struct event_queue *queue, sim_time now)
{
	links->unshared = false;
	links->contended = links->overloaded > 0;
	if (links->contended)
		fill(links, now);
	for (uint32_t k = 0; !links->contended && k < links->active_count; k++)
		set_rate(links, &links->route[links->active[k]], now, 1);
	announce(links, queue, SIM_NEVER);
}

double links_rate(const struct links *links, uint32_t stream)
{
	uint32_t route = links->flow[stream].route;
	return route == NO_ROUTE ? 0 : links->route[route].rate;
}

/* After the set of flows changed. What ends at this very instant does so whatever the rates; else
 * they are found once all that starts or ends now has. */
static void changed(struct links *links, struct event_queue *queue, sim_time now)
{
	if (!links->contended && !links->overloaded) {
		announce(links, queue, SIM_NEVER);
		return;
	}
	announce(links, queue, now);
	if (links->unshared)
		return;
	links->unshared = true;
	event_queue_push(queue, now, RANK_SHARE, 0, 0);
}

/* ---- routes ---- */

static void add_link(struct route *route, struct flow *flow, uint32_t link, double weight)
{
	route->link[route->link_count] = link;
	flow->weight[route->link_count++] = weight;
}

/* Alone nobody is slowed: a flow asks of memory at most what that has. */
static void add_memory(const struct links *links, struct route *route, struct flow *flow,
		       uint16_t gpu, double weight)
{
	double most = links->memory_bytes_per_s * 1e-12;
	if (!(links->memory_bytes_per_s > 0) || gpu >= links->gpu_count)
		return;
	add_link(route, flow, link_memory(links, gpu),
		 flow->asked_per_ps * weight > most ? most / flow->asked_per_ps : weight);
}

/*
 * What a copy puts on both ways together, a byte. Only what of it is on the wire meets the other
 * direction, at the rate r of that wire: w = asked / r of its time. Two copies that ask
 * C / 2 (1 - w) + w r each of C take 1 + w (2 r / C - 1) times as long, so it is that.
 */
static double on_both_ways(const struct links *links, const struct flow *flow, uint32_t both,
			   const struct curve *share)
{
	const double capacity = links->link[both].capacity,
		     wire = link_per_ps(link_first_rate(share)), asked = flow->asked_per_ps;
	if (!isfinite(capacity) || !isfinite(wire) || !(asked > 0) || asked >= wire)
		return 1;
	return (asked + capacity / 2 * (1 - asked / wire)) / asked;
}

static void add_both_ways(const struct links *links, struct route *route, struct flow *flow,
			  uint16_t gpu, const struct curve *share)
{
	const uint32_t both = link_both_ways(links, gpu);
	if (gpu < links->gpu_count)
		add_link(route, flow, both, on_both_ways(links, flow, both, share));
}

/* The links of a copy, and what the flow puts on each. */
static void set_links(const struct links *links, struct route *route, struct flow *flow,
		      const struct schedule_copy *copy)
{
	uint32_t gpus = links->gpu_count;
	switch ((enum copy_kind)copy->kind) {
	case COPY_H2D:
		add_link(route, flow, link_host_down(links), 1);
		add_both_ways(links, route, flow, copy->target_gpu, &links->platform->share_h2d);
		add_memory(links, route, flow, copy->target_gpu, 1);
		break;
	case COPY_D2H:
		add_link(route, flow, link_host_up(links), 1);
		add_both_ways(links, route, flow, copy->source_gpu, &links->platform->share_d2h);
		add_memory(links, route, flow, copy->source_gpu, 1);
		break;
	case COPY_PEER:
		if (copy->source_gpu < gpus)
			add_link(route, flow, 2u * copy->source_gpu, 1);
		if (copy->target_gpu < gpus)
			add_link(route, flow, 2u * copy->target_gpu + 1, 1);
		add_memory(links, route, flow, copy->source_gpu, 1);
		add_memory(links, route, flow, copy->target_gpu, 1);
		break;
	case COPY_D2D: /* inside one GPU's memory */
		add_memory(links, route, flow, copy->target_gpu, 2);
		break;
	case COPY_MEMSET:
		add_memory(links, route, flow, copy->target_gpu, 1);
		break;
	case COPY_H2H: /* host memory: no link of ours */
	case COPY_KIND_COUNT:
		break;
	}
}

/* The number of the route over these links, a new one where nothing went that way before. */
static uint32_t route_number(struct links *links, const struct route *like, int64_t kind,
			     int64_t ends)
{
	uint32_t number = map_intern(&links->route_of, kind, ends, links->route_count);
	if (number < links->route_count)
		return number;
	GROW(links->route, links->route_count, links->route_capacity);
	struct route *route = &links->route[links->route_count++];
	*route = *like;
	return number;
}

/* ---- flows come and go ---- */

/* A flow more or less on a link. */
static void use_link(struct links *links, uint32_t number, double asked, int users)
{
	struct link *link = &links->link[number];
	link->users += (uint32_t)users;
	link->asked = link->users ? link->asked + asked : 0;
	if (link->for_users)
		link->capacity = link->for_users[link->users];
	bool overloaded = link->users > 1 && link->asked > link->capacity * (1 + 1e-9);
	links->overloaded += (uint32_t)overloaded - (uint32_t)link->overloaded;
	link->overloaded = overloaded;
	link->share = link->asked > 0 ? link->capacity / link->asked : INFINITY;
}

/* A route has its first flow, or lost its last. */
static void put_on_links(struct links *links, uint32_t number)
{
	struct route *route = &links->route[number];
	route->at = links->active_count;
	links->active[links->active_count++] = number;
	for (int l = 0; l < route->link_count; l++) {
		struct link *link = &links->link[route->link[l]];
		GROW(link->route, link->route_count, link->route_capacity);
		route->asked[l] = 0;
		route->place[l] = link->route_count;
		link->route[link->route_count++] = number;
	}
}

static void put_in_place(const struct links *links, uint32_t number, uint32_t on, uint32_t place)
{
	struct route *route = &links->route[number];
	for (int l = 0; l < route->link_count; l++)
		if (route->link[l] == on)
			route->place[l] = place;
}

static void take_off_links(struct links *links, struct route *route)
{
	uint32_t last = links->active[--links->active_count];
	links->active[route->at] = last;
	links->end_ps[route->at] = links->end_ps[links->active_count];
	links->route[last].at = route->at;
	for (int l = 0; l < route->link_count; l++) {
		struct link *link = &links->link[route->link[l]];
		uint32_t moved = link->route[--link->route_count];
		link->route[route->place[l]] = moved;
		put_in_place(links, moved, route->link[l], route->place[l]);
	}
}

/* Puts a flow among those of its route, which is up to date. */
static void line_up(struct route *route, uint32_t stream, double solo_ps, uint64_t order)
{
	double key = route->count ? next_of(route)->key + (solo_ps - route->remaining_ps) : 0;
	GROW(route->flow, route->count, route->capacity);
	uint32_t low = 0, high = route->count;
	while (low < high) { /* those that end later, or equally late but started before, stay */
		uint32_t middle = low + (high - low) / 2;
		if (route->flow[middle].key > key)
			low = middle + 1;
		else
			high = middle;
	}
	memmove(&route->flow[low + 1], &route->flow[low],
		(route->count - low) * sizeof(*route->flow));
	route->flow[low] = (struct route_flow){ key, order, stream };
	if (low == route->count++)
		route->remaining_ps = solo_ps;
}

static void enter(struct links *links, struct event_queue *queue, sim_time now, uint32_t stream,
		  sim_time solo_ps)
{
	struct flow *flow = &links->flow[stream];
	struct route *route = &links->route[flow->route];
	if (!route->count) {
		put_on_links(links, flow->route);
		route->updated_ps = now;
		route->rate = links->contended ? 0 : 1;
	}
	advance(route, now);
	line_up(route, stream, (double)solo_ps, links->starts++);
	links->end_ps[route->at] = end_of(route);
	for (int l = 0; l < route->link_count; l++) {
		double asked = flow->asked_per_ps * flow->weight[l];
		route->asked[l] += asked;
		use_link(links, route->link[l], asked, 1);
	}
	changed(links, queue, now);
}

void links_start(struct links *links, struct event_queue *queue, sim_time now, uint32_t stream,
		 const struct schedule_copy *copy, sim_time solo_ps)
{
	struct flow *flow = &links->flow[stream];
	struct route like = { 0 };
	flow->asked_per_ps = solo_ps > 0 ? (double)copy->bytes / (double)solo_ps : 0;
	set_links(links, &like, flow, copy);
	flow->route = route_number(links, &like, copy->kind,
				   (int64_t)copy->source_gpu << 16 | copy->target_gpu);
	enter(links, queue, now, stream, solo_ps);
}

void links_start_kernel(struct links *links, struct event_queue *queue, sim_time now,
			uint32_t stream, uint16_t gpu, double bytes, double busy, sim_time solo_ps)
{
	enum { IN_MEMORY = COPY_KIND_COUNT, AND_BUSY };
	struct flow *flow = &links->flow[stream];
	struct route like = { 0 };
	flow->asked_per_ps = solo_ps > 0 ? bytes / (double)solo_ps : 0;
	if (busy > 0 && !(flow->asked_per_ps > 0)) {
		flow->asked_per_ps = busy; /* of the multiprocessors alone */
		add_memory(links, &like, flow, gpu, 0);
	} else {
		add_memory(links, &like, flow, gpu, 1);
	}
	if (busy > 0 && gpu < links->gpu_count)
		add_link(&like, flow, link_multiprocessors(links, gpu), busy / flow->asked_per_ps);
	flow->route = route_number(links, &like, busy > 0 ? AND_BUSY : IN_MEMORY, gpu);
	enter(links, queue, now, stream, solo_ps);
}

bool links_finish(struct links *links, struct event_queue *queue, sim_time now, uint32_t stream,
		  uint32_t stamp)
{
	if (links->stamp != stamp || links->announced_ps == SIM_NEVER)
		return false;
	struct flow *flow = &links->flow[stream];
	struct route *route = &links->route[flow->route];
	links->announced_ps = SIM_NEVER;
	advance(route, now);
	for (int l = 0; l < route->link_count; l++) {
		double asked = flow->asked_per_ps * flow->weight[l];
		route->asked[l] -= asked;
		use_link(links, route->link[l], -asked, -1);
	}
	flow->route = NO_ROUTE;
	double key = next_of(route)->key;
	if (--route->count) {
		route->remaining_ps += next_of(route)->key - key;
		links->end_ps[route->at] = end_of(route);
	} else {
		take_off_links(links, route);
	}
	changed(links, queue, now);
	return true;
}
