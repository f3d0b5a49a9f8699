/* SPDX-License-Identifier: MIT */
#include "bench_flows.h"

#include <stdlib.h>

#include "traces/base/util.h"
#include "bench_time.h"
#include "sim/engine/links.h"

/* xorshift (Marsaglia 2003): the same copies from every run. */
static uint32_t drawn(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

struct bench_flow {
	sim_time begun_ps, solo_ps;
};

static void start(struct links *links, struct event_queue *queue, sim_time now, uint32_t stream,
		  struct bench_flow *flow, uint32_t *state)
{
	uint32_t gpus = links->gpu_count, from = drawn(state) % gpus,
		 to = (from + 1 + drawn(state) % (gpus - 1)) % gpus;
	const struct schedule_copy copy = { .kind = COPY_PEER,
					    .source_gpu = (uint16_t)from,
					    .target_gpu = (uint16_t)to,
					    .bytes = 1024 + drawn(state) % (1 << 20),
					    .rows = 1 };
	double ps = (double)copy.bytes / links->platform->nvlink_bytes_per_s * 1e12;
	*flow = (struct bench_flow){ now, (sim_time)ps + 1 };
	links_start(links, queue, now, stream, &copy, flow->solo_ps);
}

void bench_flows(const struct platform *platform, int flows, int gpus, double seconds, bool tsv)
{
	struct bench_flow *flow = xcalloc((size_t)flows, sizeof(*flow));
	struct event_queue queue;
	struct links links;
	struct event event = { 0 };
	uint32_t state = 1;
	int64_t transfers = 0, held_back = 0;
	double stretch = 0, from_s = bench_seconds(), spent_s = 0;
	event_queue_init(&queue);
	links_init(&links, platform, (uint32_t)gpus, (uint32_t)flows);
	for (uint32_t stream = 0; stream < (uint32_t)flows; stream++)
		start(&links, &queue, 0, stream, &flow[stream], &state);
	while (spent_s < seconds && event_queue_pop(&queue, &event)) {
		sim_time now = event.at_ps;
		if (event_rank(&event) == RANK_SHARE) {
			links_share(&links, &queue, now);
			continue;
		}
		if (!links_finish(&links, &queue, now, event.target, event.stamp))
			continue;
		const struct bench_flow *ended = &flow[event.target];
		held_back += now - ended->begun_ps > ended->solo_ps;
		stretch += (double)(now - ended->begun_ps) / (double)ended->solo_ps;
		start(&links, &queue, now, event.target, &flow[event.target], &state);
		if (++transfers % 1024 == 0)
			spent_s = bench_seconds() - from_s;
	}
	if (tsv)
		printf("flows\tgpus\ttransfers\theld_back\tstretch\ttransfers_per_s\n");
	printf(tsv ? "%d\t%d\t%lld\t%.6f\t%.3f\t%.0f\n"
		   : "%d flows between %d GPUs: %lld transfers, %.4f of them held back, each %.1f "
		     "times its own time on average, %.0f transfers/s of one core\n",
	       flows, gpus, (long long)transfers, (double)held_back / (double)transfers,
	       stretch / (double)transfers, (double)transfers / spent_s);
	links_release(&links);
	event_queue_release(&queue);
	free(flow);
}
