/* SPDX-License-Identifier: MIT */
#include "copy_channels.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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

	GROW(ch->stream, ch->count, ch->capacity);
	ch->stream[ch->count++] = stream;
}

void copy_channels_pop(struct copy_channels *c, uint32_t gpu, uint32_t engine, uint32_t stream)
{
	struct copy_channel *ch = channel_of(c, gpu, engine, c->place[stream]);
	size_t k = 0;

	while (k < ch->count && ch->stream[k] != stream)
		k++;
	assert(k < ch->count);
	ch->count--;
	memmove(&ch->stream[k], &ch->stream[k + 1], (ch->count - k) * sizeof(*ch->stream));
}

uint32_t copy_channels_next(const struct copy_channels *c, uint32_t gpu, uint32_t engine,
			    uint32_t stream, bool (*can_begin)(const void *arg, uint32_t stream),
			    const void *arg)
{
	for (uint32_t turn = 0; turn < c->channels; turn++) {
		const struct copy_channel *ch = channel_of(
			c, gpu, engine, (c->place[stream] + c->channels - turn) % c->channels);
		for (size_t k = 0; k < ch->count; k++)
			if (can_begin(arg, ch->stream[k]))
				return ch->stream[k];
	}
	return UINT32_MAX;
}
