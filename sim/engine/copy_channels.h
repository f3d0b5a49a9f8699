/* SPDX-License-Identifier: MIT
 * How copies of a GPU's streams reach its engines. For each engine there are a few channels, which
 * streams take by turns as they are made. An engine makes the copies of a channel that can begin,
 * in the order in which they were called, whatever stream they are of, before it turns to the
 * channel before that one (recorded: visit CA1, docs/lab/host.md). One that cannot begin yet lets
 * others pass (visit CA2).
 */
#ifndef WARPREEL_COPY_CHANNELS_H
#define WARPREEL_COPY_CHANNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "traces/schedule/schedule.h"

/* Of a stream in a channel: when each of its copies was called, the first to come in front. */
struct copies_called {
	uint32_t stream;
	uint32_t head, count, capacity; /* capacity: a power of two */
	uint64_t *call;			/* a ring; owned */
};

struct copy_channel {
	struct copies_called *of; /* streams that ever had a copy here; owned */
	size_t count, capacity;
};

struct copy_channels {
	uint32_t engines, channels;   /* of a GPU, of an engine */
	uint32_t *place;	      /* [stream_count]: the channel of a stream; owned */
	struct copy_channel *channel; /* [gpu_count][engines][channels]; owned */
	size_t count;		      /* of all of them; 0: there is no such thing */
	uint64_t calls;		      /* so far */
};

/* channels: of an engine; 0: each stream has its own. */
void copy_channels_init(struct copy_channels *c, const struct schedule *schedule, uint32_t engines,
			uint32_t channels);
void copy_channels_release(struct copy_channels *c);

/* A copy of `stream`, of that GPU, was called. */
void copy_channels_push(struct copy_channels *c, uint32_t gpu, uint32_t engine, uint32_t stream);
/* The first of that stream's is done. */
void copy_channels_pop(struct copy_channels *c, uint32_t gpu, uint32_t engine, uint32_t stream);

/* The stream of the copy that is next when the last was one of `stream`, of those for which
 * can_begin(arg, stream) is true; UINT32_MAX: there is none. */
uint32_t copy_channels_next(const struct copy_channels *c, uint32_t gpu, uint32_t engine,
			    uint32_t stream, bool (*can_begin)(const void *arg, uint32_t stream),
			    const void *arg);

#endif
