/* SPDX-License-Identifier: MIT */
#include "copy_channels.h"

#include <assert.h>
#include <stdlib.h>

#include "traces/base/util.h"

static struct copy_channel *channel_of(const struct copy_channels *c, uint32_t gpu, uint32_t engine,
				       uint32_t place)
{
	return &c->channel[((size_t)gpu * c->engines + engine) * c->channels + place];
}

void copy_channels_init(struct copy_channels *c, const struct schedule *schedule, uint32_t engines,
			uint32_t channels)
{
	uint32_t *streams = xcalloc(schedule->gpu_count, sizeof(*streams)), most = 1;

	*c = (struct copy_channels){ .engines = engines };
	c->place = xcalloc(schedule->stream_count, sizeof(*c->place));
	for (uint32_t k = 0; k < schedule->stream_count; k++) {
		uint32_t *made = &streams[schedule->stream[k].gpu];
		c->place[k] = channels ? *made % channels : *made;
		most = ++*made > most ? *made : most;
	}
	c->channels = channels ? channels : most;
	c->count = (size_t)schedule->gpu_count * engines * c->channels;
	c->channel = xcalloc(c->count, sizeof(*c->channel));
	free(streams);
}

void copy_channels_release(struct copy_channels *c)
{
	for (size_t k = 0; k < c->count; k++)
		free(c->channel[k].stream);
	free(c->channel);
	free(c->place);
	*c = (struct copy_channels){ 0 };
}

void copy_channels_push(struct copy_channels *c, uint32_t gpu, uint32_t engine, uint32_t stream)
{
	struct copy_channel *ch = channel_of(c, gpu, engine, c->place[stream]);

	if (ch->count == ch->capacity) {
		const uint32_t capacity = ch->capacity ? ch->capacity * 2 : 64;
		uint32_t *streams = xmalloc(capacity * sizeof(*streams));
		for (uint32_t k = 0; k < ch->count; k++)
			streams[k] = ch->stream[(ch->head + k) & (ch->capacity - 1)];
		free(ch->stream);
		ch->stream = streams;
		ch->capacity = capacity;
		ch->head = 0;
	}
	ch->stream[(ch->head + ch->count++) & (ch->capacity - 1)] = stream;
}

void copy_channels_pop(struct copy_channels *c, uint32_t gpu, uint32_t engine, uint32_t stream)
{
	struct copy_channel *ch = channel_of(c, gpu, engine, c->place[stream]);

	assert(ch->count && ch->stream[ch->head & (ch->capacity - 1)] == stream);
	ch->head++;
	ch->count--;
}

uint32_t copy_channels_first(const struct copy_channels *c, uint32_t gpu, uint32_t engine,
			     uint32_t stream, uint32_t turn)
{
	const uint32_t place = (c->place[stream] + c->channels - turn) % c->channels;
	const struct copy_channel *ch = channel_of(c, gpu, engine, place);

	return ch->count ? ch->stream[ch->head & (ch->capacity - 1)] : UINT32_MAX;
}
