/* SPDX-License-Identifier: MIT
 * Transfers that share links. A flow alone takes its solo time, from the platform's curve. It asks
 * of every link on its route its own average rate, bytes / solo time; where the rates asked of a
 * link exceed its capacity they are divided by max-min fairness and every flow's remaining work is
 * stretched. Small, latency-bound copies ask little and so disturb nobody.
 *
 * Links: GPU g out and in (NVLink), and the host bridge up and down, whose capacity depends on how
 * many GPUs use it at once. Where links_share_memory was called, each GPU's memory is one more, and
 * kernels are flows as copies are.
 */
#ifndef WARPREEL_LINKS_H
#define WARPREEL_LINKS_H

#include "model/platform/platform.h"
#include "traces/schedule/schedule.h"
#include "event_queue.h"

enum { ROUTE_LINKS = 4 };

struct flow {
	double remaining_ps; /* of solo time */
	double rate;	     /* share of the solo rate, (0, 1] */
	double asked_per_ps; /* bytes per ps */
	sim_time updated_ps;
	uint32_t stamp;
	uint32_t link[ROUTE_LINKS];
	double weight[ROUTE_LINKS]; /* bytes on the link for each byte: a copy within a GPU reads
				       and writes */
	int link_count;
	bool active;
};

struct links {
	const struct platform *platform; /* borrowed */
	uint32_t gpu_count, link_count;
	struct flow *
		flow; /* [stream_count]: a stream has at most one copy or kernel under way; owned */
	uint32_t flow_count;
	uint32_t *active; /* indices of active flows, in start order */
	uint32_t active_count;
	double *asked;		   /* per link: sum of the rates asked */
	uint32_t *users;	   /* per link */
	double memory_bytes_per_s; /* of a GPU; 0 = not shared */
	bool contended;		   /* some flow runs below its solo rate */
};

void links_init(struct links *links, const struct platform *platform, uint32_t gpu_count,
		uint32_t stream_count);
/* From here on flows share each GPU's memory, too. */
void links_share_memory(struct links *links, double bytes_per_s);
void links_release(struct links *links);
/* Starts stream's copy, solo time solo_ps; pushes RANK_FLOW events (target = stream) as completion
 * times become known. */
void links_start(struct links *links, struct event_queue *queue, sim_time now, uint32_t stream,
		 const struct schedule_copy *copy, sim_time solo_ps);
/* The same for a kernel that moves `bytes` from and to its GPU's memory. */
void links_start_kernel(struct links *links, struct event_queue *queue, sim_time now,
			uint32_t stream, uint16_t gpu, double bytes, sim_time solo_ps);
/* An event of rank RANK_FLOW: true when it really is the end of that stream's copy or kernel. */
bool links_finish(struct links *links, struct event_queue *queue, sim_time now, uint32_t stream,
		  uint32_t stamp);

#endif
