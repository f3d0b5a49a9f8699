/* SPDX-License-Identifier: MIT
 * Transfers that share links. A flow alone takes its solo time, from the platform's curve. It asks
 * of every link on its route its own average rate, bytes / solo time; where the rates asked of a
 * link exceed its capacity they are divided by max-min fairness (progressive filling: Bertsekas and
 * Gallager, Data Networks, section 6.5.2) and every flow's remaining work is stretched. Small,
 * latency-bound copies ask little and so disturb nobody.
 *
 * Links: GPU g out and in (NVLink), and the host bridge up and down, whose capacity depends on how
 * many GPUs use it at once. Where links_share_memory was called, each GPU's memory is one more, and
 * kernels are flows as copies are. And so are its multiprocessors, of which a kernel asks the part
 * that it keeps busy.
 *
 * Flows over the same links are held back by the same one, so all of a route run at one share of
 * their own rates, and end in the order of the work they have left. So routes are shared out, not
 * flows, and only the flow of a route that ends first is looked at.
 */
#ifndef WARPREEL_LINKS_H
#define WARPREEL_LINKS_H

#include "model/platform/platform.h"
#include "traces/base/trace_map.h"
#include "traces/schedule/schedule.h"
#include "event_queue.h"

enum { ROUTE_LINKS = 4 };

struct link {
	double capacity;   /* bytes per ps with its present users; INFINITY = nobody is held back */
	double *for_users; /* of the host's links: that, by users; owned */
	double asked;	   /* sum of the rates asked, bytes per ps */
	uint32_t users;	   /* flows */
	double share;	   /* capacity / asked */
	bool overloaded;   /* more is asked than it has */
	uint32_t *route;   /* over it, with flows; owned */
	uint32_t route_count;
	size_t route_capacity;
};

/* While links are shared out: what a link has left for what routes without a rate ask of it. */
struct link_left {
	double left, asked, share;
	uint32_t open; /* routes without a rate */
};

struct flow {			    /* of a stream: it has at most one copy or kernel under way */
	double asked_per_ps;	    /* bytes per ps */
	double weight[ROUTE_LINKS]; /* bytes on the link for each byte: a copy within a GPU reads
				       and writes */
	uint32_t route;
};

/* A flow in its route: `key` less the key of the route's first is how much more solo time it has
 * left, in ps. */
struct route_flow {
	double key;
	uint64_t order; /* of all starts */
	uint32_t stream;
};
struct route {
	uint32_t link[ROUTE_LINKS];
	int link_count;
	double asked[ROUTE_LINKS]; /* by its flows, bytes per ps on the link */
	struct route_flow *flow;   /* the next to end is the last; owned */
	uint32_t count;
	size_t capacity;
	double remaining_ps; /* of the solo time of the next to end, at updated_ps; it may be
				overdue by less than one ps, to which ends are rounded up */
	double rate;	     /* share of the solo rate, (0, 1]; 0 = not yet shared out */
	sim_time updated_ps;
	uint32_t at;		     /* in links.active */
	uint32_t place[ROUTE_LINKS]; /* in each link's list */
	uint32_t round;		     /* when its rate was last found */
};

struct links {
	const struct platform *platform; /* borrowed */
	uint32_t gpu_count, link_count;
	struct link *link;
	struct flow *flow; /* [stream_count]; owned */
	struct map route_of;
	struct route *route; /* every one that was used; owned */
	uint32_t route_count;
	size_t route_capacity;
	uint32_t *active; /* routes with flows */
	sim_time *end_ps; /* when the next flow of each would end */
	uint32_t active_count;
	double memory_bytes_per_s; /* of a GPU; 0 = not shared */
	uint32_t overloaded;	   /* links */
	bool contended;		   /* some flow runs below its solo rate */
	bool unshared;		   /* RANK_SHARE is under way */
	uint64_t starts;
	uint32_t announced_stream, stamp; /* the one event of an end that counts, and when it is */
	sim_time announced_ps;
	struct link_left *left; /* [link_count], owned */
	uint32_t *list, round;
};

void links_init(struct links *links, const struct platform *platform, uint32_t gpu_count,
		uint32_t stream_count);
/* From here on flows share each GPU's memory, too. Before the first flow. */
void links_share_memory(struct links *links, double bytes_per_s);
void links_release(struct links *links);
/* Starts stream's copy, solo time solo_ps. Pushes events: RANK_FLOW (target = stream) when a flow
 * ends, RANK_SHARE when links have to be shared out anew. */
void links_start(struct links *links, struct event_queue *queue, sim_time now, uint32_t stream,
		 const struct schedule_copy *copy, sim_time solo_ps);
/* The same for a kernel that moves `bytes` from and to its GPU's memory and keeps a part `busy` of
 * the GPU busy; 0: it asks nothing of multiprocessors. */
void links_start_kernel(struct links *links, struct event_queue *queue, sim_time now,
			uint32_t stream, uint16_t gpu, double bytes, double busy, sim_time solo_ps);
/* An event of rank RANK_FLOW: true when it really is the end of that stream's copy or kernel. */
bool links_finish(struct links *links, struct event_queue *queue, sim_time now, uint32_t stream,
		  uint32_t stamp);
/* An event of rank RANK_SHARE: all that starts or ends at this instant has. */
void links_share(struct links *links, struct event_queue *queue, sim_time now);
/* The share of its solo rate that a stream's flow has; 0 = it has none under way. */
double links_rate(const struct links *links, uint32_t stream);

#endif
