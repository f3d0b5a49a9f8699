/* SPDX-License-Identifier: MIT
 * Flows that start at given times on links of their own, and when they end.
 */
#ifndef WARPREEL_LINKS_KIT_H
#define WARPREEL_LINKS_KIT_H

#include "support.h"

#include <stdlib.h>

#include "sim/engine/links.h"

/* A copy, or a kernel (COPY_KIND_COUNT, on source_gpu), each on a stream of its own. Flows ask one
 * byte a nanosecond unless `solo_ns` says else. */
struct start {
	sim_time at_ns;
	struct schedule_copy copy;
	sim_time solo_ns;
};

static inline double own_rate(const struct start *start)
{
	return (double)start->copy.bytes /
	       ((double)(start->solo_ns ? start->solo_ns : start->copy.bytes) * 1000);
}

#define PEER(from, to, size)                                                                       \
	{                                                                                          \
		.kind = COPY_PEER, .source_gpu = (from), .target_gpu = (to), .bytes = (size),      \
		.rows = 1                                                                          \
	}

/* Called where rates are those of the flows under way. */
typedef void check_fn(const struct links *links, const struct start *start, uint32_t started);

/* Plays them in the order of their starts, on 8 GPUs; ends in ns. `memory_bytes_per_s` 0: it is not
 * shared; `check` NULL: nothing is. */
static inline void run_flows(const struct platform *platform, double memory_bytes_per_s,
			     const struct start *start, uint32_t count, double end[],
			     check_fn *check)
{
	struct links links;
	struct event_queue queue;
	struct event event;
	uint32_t started = 0, ended = 0;
	links_init(&links, platform, 8, count);
	if (memory_bytes_per_s > 0)
		links_share_memory(&links, memory_bytes_per_s);
	event_queue_init(&queue);
	while (ended < count) {
		/* a start is due before the next end, or at the same instant */
		if (started < count && start[started].at_ns * 1000 <= event_queue_next(&queue)) {
			const struct start *s = &start[started];
			sim_time now = s->at_ns * 1000,
				 solo_ps = (s->solo_ns ? s->solo_ns : s->copy.bytes) * 1000;
			if (s->copy.kind == COPY_KIND_COUNT)
				links_start_kernel(&links, &queue, now, started, s->copy.source_gpu,
						   (double)s->copy.bytes, 0, solo_ps);
			else
				links_start(&links, &queue, now, started, &s->copy, solo_ps);
			started++;
		} else {
			assert_true(event_queue_pop(&queue, &event));
			if (event_rank(&event) == RANK_SHARE)
				links_share(&links, &queue, event.at_ps);
			else if (links_finish(&links, &queue, event.at_ps, event.target,
					      event.stamp)) {
				end[event.target] = (double)event.at_ps / 1000;
				ended++;
			}
		}
		if (check && !links.unshared)
			check(&links, start, started);
	}
	links_release(&links);
	event_queue_release(&queue);
}

#endif
