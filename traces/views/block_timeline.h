/* SPDX-License-Identifier: MIT
 * The blocks of one launch as a timeline: which place of its SM each one had, how many ran there at
 * once, and how evenly.
 */
#ifndef WARPREEL_BLOCK_TIMELINE_H
#define WARPREEL_BLOCK_TIMELINE_H

#include "traces/format/trace.h"

struct block_span {
	uint32_t block, sm, slot; /* slot: the lowest place of the SM that was free when it began */
	double begin_ns, end_ns;  /* from the first begin of the launch; as fine as the SM's clock
				     where there is one */
};
struct block_timeline {
	int32_t launch, device;
	int64_t correlation;
	uint32_t kernel;	 /* string of the trace */
	struct block_span *span; /* by SM, then begin */
	size_t count;
	uint32_t sms, least_an_sm,
		most_an_sm; /* SMs that ran a block; blocks of the one with the fewest, the most */
	uint32_t slots;	    /* most at once on one SM */
	uint32_t waves;	    /* most one after the other in one slot */
	double span_ns, mean_ns, min_ns, max_ns; /* first begin to last end; times of a block */
	double tail_ns;				 /* from the first SM that is done to the last */
};

/* One for each launch, in the order of the trace; returns how many. Release each, then free the
 * array. */
size_t block_timelines(const struct trace *trace, struct block_timeline **timelines);
void block_timeline_release(struct block_timeline *timeline);
/* What warpreel info --blocks shows: a paragraph a launch, or (tsv) a row a block. -1 after a
 * message when there are none. */
int block_timeline_print(const struct trace *trace, bool tsv);

#endif
