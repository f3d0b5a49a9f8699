/* SPDX-License-Identifier: MIT
 * Transfers that share links. A flow alone takes its solo time, from the platform's curve. It asks of every link on its route its
 * own average rate, bytes / solo time; where the rates asked of a link exceed its capacity they are divided by max-min fairness and
 * every flow's remaining work is stretched. Small, latency-bound copies ask little and so disturb nobody.
 *
 * Links: GPU g out and in (NVLink), and the host bridge up and down, whose capacity depends on how many GPUs use it at once.
 */
#ifndef WARPREEL_LINKS_H
#define WARPREEL_LINKS_H

#include "../model/platform.h"
#include "../traces/schedule.h"
#include "event_queue.h"

enum { ROUTE_LINKS = 2 };

struct flow {
	double remaining_ps; /* of solo time */
	double rate;         /* share of the solo rate, (0, 1] */
	double asked_per_ps; /* bytes per ps */
	sim_time updated_ps;
	uint32_t stamp;
	uint32_t link[ROUTE_LINKS];
	int link_count;
	bool active;
};

struct links {
	const struct platform *platform; /* borrowed */
	uint32_t gpu_count, link_count;
	struct flow *flow;    /* [stream_count]: a stream has at most one copy under way; owned */
	uint32_t flow_count;
	uint32_t *active;     /* indices of active flows, in start order */
	uint32_t active_count;
	double *asked;        /* per link: sum of the rates asked */
	uint32_t *users;      /* per link */
	bool contended;       /* some flow runs below its solo rate */
};

void links_init(struct links *links, const struct platform *platform, uint32_t gpu_count, uint32_t stream_count);
void links_release(struct links *links);
/* Starts stream's copy, solo time solo_ps; pushes RANK_FLOW events (target = stream) as completion times become known. */
void links_start(struct links *links, struct event_queue *queue, sim_time now, uint32_t stream,
		 const struct schedule_copy *copy, sim_time solo_ps);
/* An event of rank RANK_FLOW: true when it really is the end of that stream's copy. */
bool links_finish(struct links *links, struct event_queue *queue, sim_time now, uint32_t stream, uint32_t stamp);

#endif
