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
	for (size_t k = 0; k < c->count; k++) {
		for (size_t s = 0; s < c->channel[k].count; s++)
			free(c->channel[k].of[s].call);
		free(c->channel[k].of);
	}
	free(c->channel);
	free(c->place);
	*c = (struct copy_channels){ 0 };
}

static struct copies_called *of_stream(struct copy_channel *ch, uint32_t stream)
{
	for (size_t k = 0; k < ch->count; k++)
		if (ch->of[k].stream == stream)
			return &ch->of[k];
	return NULL;
}

static uint64_t first_call(const struct copies_called *of)
{
	return of->call[of->head & (of->capacity - 1)];
}

static void widen(struct copies_called *of)
{
	const uint32_t capacity = of->capacity ? 2 * of->capacity : 16;
	uint64_t *call = xcalloc(capacity, sizeof(*call));
	for (uint32_t k = 0; k < of->count; k++)
		call[(of->head + k) & (capacity - 1)] =
			of->call[(of->head + k) & (of->capacity - 1)];
	free(of->call);
	of->call = call;
	of->capacity = capacity;
}

void copy_channels_push(struct copy_channels *c, uint32_t gpu, uint32_t engine, uint32_t stream)
{
	struct copy_channel *ch = channel_of(c, gpu, engine, c->place[stream]);
	struct copies_called *of = of_stream(ch, stream);

	if (!of) {
		GROW(ch->of, ch->count, ch->capacity);
		of = &ch->of[ch->count++];
		*of = (struct copies_called){ .stream = stream };
	}
	if (of->count == of->capacity)
		widen(of);
	of->call[(of->head + of->count++) & (of->capacity - 1)] = c->calls++;
}

void copy_channels_pop(struct copy_channels *c, uint32_t gpu, uint32_t engine, uint32_t stream)
{
	struct copies_called *of = of_stream(channel_of(c, gpu, engine, c->place[stream]), stream);

	assert(of && of->count);
	of->head++;
	of->count--;
}

uint32_t copy_channels_next(const struct copy_channels *c, uint32_t gpu, uint32_t engine,
			    uint32_t stream, bool (*can_begin)(const void *arg, uint32_t stream),
			    const void *arg)
{
	for (uint32_t turn = 0; turn < c->channels; turn++) {
		const struct copy_channel *ch = channel_of(
			c, gpu, engine, (c->place[stream] + c->channels - turn) % c->channels);
		const struct copies_called *first = NULL;
		for (size_t k = 0; k < ch->count; k++) {
			const struct copies_called *of = &ch->of[k];
			if (of->count && (!first || first_call(of) < first_call(first)) &&
			    can_begin(arg, of->stream))
				first = of;
		}
		if (first)
			return first->stream;
	}
	return UINT32_MAX;
}
