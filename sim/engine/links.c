/* SPDX-License-Identifier: MIT */
#include "links.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

/* link numbering: 2g = GPU g out, 2g + 1 = GPU g in, then host up (device to host) and host down,
 * then the GPUs' memories. */
static uint32_t host_up(const struct links *links)
{
	return 2 * links->gpu_count;
}

static uint32_t host_down(const struct links *links)
{
	return 2 * links->gpu_count + 1;
}

static uint32_t memory_of(const struct links *links, uint16_t gpu)
{
	return 2 * links->gpu_count + 2 + gpu;
}

void links_init(struct links *links, const struct platform *platform, uint32_t gpu_count,
		uint32_t stream_count)
{
	*links = (struct links){ .platform = platform,
				 .gpu_count = gpu_count,
				 .link_count = 2 * gpu_count + 2,
				 .flow_count = stream_count };
	links->flow = xcalloc(stream_count, sizeof(*links->flow));
	links->active = xcalloc(stream_count, sizeof(*links->active));
	size_t most = 3 * (size_t)gpu_count + 2;
	links->asked = xcalloc(most, sizeof(*links->asked));
	links->users = xcalloc(most, sizeof(*links->users));
}

void links_share_memory(struct links *links, double bytes_per_s)
{
	links->memory_bytes_per_s = bytes_per_s;
	links->link_count = 3 * links->gpu_count + 2;
}

void links_release(struct links *links)
{
	free(links->flow);
	free(links->active);
	free(links->asked);
	free(links->users);
	memset(links, 0, sizeof(*links));
}

/* Bytes per ps a link can carry with its present users. */
static double capacity(const struct links *links, uint32_t link)
{
	const struct platform *p = links->platform;
	double per_s = p->nvlink_bytes_per_s;
	if (link >= memory_of(links, 0))
		per_s = links->memory_bytes_per_s;
	else if (!mechanism_on(&p->mechanisms, MECHANISM_LINK_SHARING))
		return INFINITY;
	else if (link >= host_up(links)) {
		const struct curve *share = link == host_up(links) ? &p->share_d2h : &p->share_h2d;
		per_s = share->x.count ? curve_at_linear(share, (double)links->users[link])
				       : INFINITY;
	}
	return per_s > 0 ? per_s * 1e-12 : INFINITY;
}

static bool any_overload(const struct links *links)
{
	for (uint32_t link = 0; link < links->link_count; link++)
		if (links->users[link] > 1 &&
		    links->asked[link] > capacity(links, link) * (1 + 1e-9))
			return true;
	return false;
}

/* Progressive filling: the tightest link fixes the rates of its flows, then the rest. Order is
 * fixed: link number, start order. */
static void solve(struct links *links)
{
	double *left = xmalloc(links->link_count * sizeof(*left)),
	       *asked = xmalloc(links->link_count * sizeof(*asked));
	bool *fixed = xcalloc(links->flow_count, sizeof(*fixed));
	for (uint32_t link = 0; link < links->link_count; link++) {
		left[link] = capacity(links, link);
		asked[link] = links->asked[link];
	}
	for (uint32_t k = 0; k < links->active_count; k++)
		links->flow[links->active[k]].rate = 1;
	for (;;) {
		uint32_t tightest = UINT32_MAX;
		double share = 1;
		for (uint32_t link = 0; link < links->link_count; link++) {
			if (asked[link] > 0 && left[link] < asked[link] * share) {
				share = left[link] / asked[link];
				tightest = link;
			}
		}
		if (tightest == UINT32_MAX)
			break;
		for (uint32_t k = 0; k < links->active_count; k++) {
			uint32_t id = links->active[k];
			struct flow *flow = &links->flow[id];
			bool here = false;
			for (int l = 0; l < flow->link_count; l++)
				here |= flow->link[l] == tightest;
			if (!here || fixed[id])
				continue;
			fixed[id] = true;
			flow->rate = share > 1e-6 ? share : 1e-6;
			for (int l = 0; l < flow->link_count; l++) {
				asked[flow->link[l]] -= flow->asked_per_ps * flow->weight[l];
				left[flow->link[l]] -= flow->asked_per_ps * flow->weight[l] * share;
			}
		}
		asked[tightest] = 0;
	}
	free(left);
	free(asked);
	free(fixed);
}

static void push_end(struct links *links, struct event_queue *queue, sim_time now, uint32_t stream)
{
	struct flow *flow = &links->flow[stream];
	double left_ps = ceil(flow->remaining_ps / flow->rate);
	flow->stamp++;
	event_queue_push(queue,
			 left_ps < (double)(SIM_LAST - now) ? now + (sim_time)left_ps : SIM_LAST,
			 RANK_FLOW, stream, flow->stamp);
}

/* After the set of flows changed: progress everyone to now, find the new rates, announce the new
 * ends. */
static void reshare(struct links *links, struct event_queue *queue, sim_time now)
{
	for (uint32_t k = 0; k < links->active_count; k++) {
		struct flow *flow = &links->flow[links->active[k]];
		flow->remaining_ps -= (double)(now - flow->updated_ps) * flow->rate;
		flow->remaining_ps = flow->remaining_ps > 0 ? flow->remaining_ps : 0;
		flow->updated_ps = now;
	}
	bool overload = any_overload(links);
	if (overload)
		solve(links);
	for (uint32_t k = 0; k < links->active_count; k++) {
		if (!overload)
			links->flow[links->active[k]].rate = 1;
		push_end(links, queue, now, links->active[k]);
	}
	links->contended = overload;
}

static void add_link(struct flow *flow, uint32_t link, double weight)
{
	flow->link[flow->link_count] = link;
	flow->weight[flow->link_count++] = weight;
}

/* Alone nobody is slowed: a flow asks of memory at most what that has. */
static void add_memory(const struct links *links, struct flow *flow, uint16_t gpu, double weight)
{
	double most = links->memory_bytes_per_s * 1e-12;
	if (!(links->memory_bytes_per_s > 0) || gpu >= links->gpu_count)
		return;
	add_link(flow, memory_of(links, gpu),
		 flow->asked_per_ps * weight > most ? most / flow->asked_per_ps : weight);
}

static void set_route(const struct links *links, struct flow *flow,
		      const struct schedule_copy *copy)
{
	uint32_t gpus = links->gpu_count;
	switch ((enum copy_kind)copy->kind) {
	case COPY_H2D:
		add_link(flow, host_down(links), 1);
		add_memory(links, flow, copy->target_gpu, 1);
		break;
	case COPY_D2H:
		add_link(flow, host_up(links), 1);
		add_memory(links, flow, copy->source_gpu, 1);
		break;
	case COPY_PEER:
		if (copy->source_gpu < gpus)
			add_link(flow, 2u * copy->source_gpu, 1);
		if (copy->target_gpu < gpus)
			add_link(flow, 2u * copy->target_gpu + 1, 1);
		add_memory(links, flow, copy->source_gpu, 1);
		add_memory(links, flow, copy->target_gpu, 1);
		break;
	case COPY_D2D: /* inside one GPU's memory */
		add_memory(links, flow, copy->target_gpu, 2);
		break;
	case COPY_MEMSET:
		add_memory(links, flow, copy->target_gpu, 1);
		break;
	case COPY_H2H: /* host memory: no link of ours */
	case COPY_KIND_COUNT:
		break;
	}
}

static struct flow *begin_flow(struct links *links, sim_time now, uint32_t stream, double bytes,
			       sim_time solo_ps)
{
	struct flow *flow = &links->flow[stream];
	uint32_t stamp = flow->stamp;
	*flow = (struct flow){ .remaining_ps = (double)solo_ps,
			       .rate = 1,
			       .updated_ps = now,
			       .stamp = stamp,
			       .active = true };
	flow->asked_per_ps = solo_ps > 0 ? bytes / (double)solo_ps : 0;
	return flow;
}

static void enter_flow(struct links *links, struct event_queue *queue, sim_time now,
		       uint32_t stream)
{
	const struct flow *flow = &links->flow[stream];
	links->active[links->active_count++] = stream;
	for (int l = 0; l < flow->link_count; l++) {
		links->asked[flow->link[l]] += flow->asked_per_ps * flow->weight[l];
		links->users[flow->link[l]]++;
	}
	if (links->contended || any_overload(links))
		reshare(links, queue, now);
	else
		push_end(links, queue, now, stream);
}

void links_start(struct links *links, struct event_queue *queue, sim_time now, uint32_t stream,
		 const struct schedule_copy *copy, sim_time solo_ps)
{
	set_route(links, begin_flow(links, now, stream, (double)copy->bytes, solo_ps), copy);
	enter_flow(links, queue, now, stream);
}

void links_start_kernel(struct links *links, struct event_queue *queue, sim_time now,
			uint32_t stream, uint16_t gpu, double bytes, sim_time solo_ps)
{
	add_memory(links, begin_flow(links, now, stream, bytes, solo_ps), gpu, 1);
	enter_flow(links, queue, now, stream);
}

bool links_finish(struct links *links, struct event_queue *queue, sim_time now, uint32_t stream,
		  uint32_t stamp)
{
	struct flow *flow = &links->flow[stream];
	if (!flow->active || flow->stamp != stamp)
		return false;
	flow->active = false;
	uint32_t kept = 0;
	for (uint32_t k = 0; k < links->active_count; k++)
		if (links->active[k] != stream)
			links->active[kept++] = links->active[k];
	links->active_count = kept;
	for (int l = 0; l < flow->link_count; l++) {
		uint32_t link = flow->link[l];
		links->asked[link] =
			--links->users[link]
				? links->asked[link] - flow->asked_per_ps * flow->weight[l]
				: 0;
	}
	if (links->contended)
		reshare(links, queue, now);
	return true;
}
