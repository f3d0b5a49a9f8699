/* SPDX-License-Identifier: MIT
 * How copies of a GPU's streams reach its engines. For each engine there are a few channels, which
 * streams take by turns as they are made. A channel holds copies in the order in which they were
 * called, whatever stream they are of: one that cannot begin yet keeps those behind it waiting. An
 * engine makes what stands in a channel before it turns to the one before it (recorded: visit CA1,
 * docs/lab/host.md).
 */
#ifndef WARPREEL_COPY_CHANNELS_H
#define WARPREEL_COPY_CHANNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "traces/schedule/schedule.h"

struct copy_channel {
	uint32_t *stream; /* of each copy; capacity is a power of two; owned */
	uint32_t head, count, capacity;
};

struct copy_channels {
	uint32_t engines, channels;   /* of a GPU, of an engine */
	uint32_t *place;	      /* [stream_count]: the channel of a stream; owned */
	struct copy_channel *channel; /* [gpu_count][engines][channels]; owned */
	size_t count;		      /* of all of them; 0: there is no such thing */
};

/* channels: of an engine; 0: each stream has its own. */
void copy_channels_init(struct copy_channels *c, const struct schedule *schedule, uint32_t engines,
			uint32_t channels);
void copy_channels_release(struct copy_channels *c);

/* A copy of `stream`, of that GPU, was called. */
void copy_channels_push(struct copy_channels *c, uint32_t gpu, uint32_t engine, uint32_t stream);
/* It is done: the first of its channel. */
void copy_channels_pop(struct copy_channels *c, uint32_t gpu, uint32_t engine, uint32_t stream);

/* The stream of the first copy of the channel that comes `turn` after that of `stream`, 0 being
 * that one; UINT32_MAX: it is empty. */
uint32_t copy_channels_first(const struct copy_channels *c, uint32_t gpu, uint32_t engine,
			     uint32_t stream, uint32_t turn);

#endif
