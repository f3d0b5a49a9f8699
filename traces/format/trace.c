/* SPDX-License-Identifier: MIT
 * A trace in memory: growing arrays, one for each table, and interned strings.
 */
#include "trace.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

/* Open addressing over string numbers; 0 marks a free slot (string 0 is "" and never looked up). */
struct trace_string_index {
	uint32_t *slot;
	size_t slots; /* a power of two */
};

static uint64_t hash_text(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash ^ (hash >> 29);
}

static void index_insert(struct trace_string_index *index, uint64_t hash, uint32_t string)
{
	size_t at = hash & (index->slots - 1);

	while (index->slot[at])
		at = (at + 1) & (index->slots - 1);
	index->slot[at] = string;
}

static void index_rebuild(struct trace *trace, size_t slots)
{
	struct trace_string_index *index = trace->index;

	free(index->slot);
	index->slot = xcalloc(slots, sizeof(*index->slot));
	index->slots = slots;
	for (size_t i = 1; i < trace->string_count; i++)
		index_insert(index, hash_text(trace->string[i]), (uint32_t)i);
}

void trace_init(struct trace *trace)
{
	memset(trace, 0, sizeof(*trace));
	GROW(trace->string, trace->string_count, trace->string_capacity);
	trace->string[trace->string_count++] = xstrdup("");
	trace->index = xcalloc(1, sizeof(*trace->index));
	index_rebuild(trace, 64);
}

void trace_release(struct trace *trace)
{
	for (size_t i = 0; i < trace->string_count; i++)
		free(trace->string[i]);
	free(trace->string);
#define RELEASE(name) free(trace->name);
	TRACE_TABLES(RELEASE)
#undef RELEASE
	if (trace->index)
		free(trace->index->slot);
	free(trace->index);
	free(trace->path);
	memset(trace, 0, sizeof(*trace));
}

uint32_t trace_string(struct trace *trace, const char *text)
{
	struct trace_string_index *index = trace->index;
	uint64_t hash;

	if (!text || !*text)
		return 0;
	hash = hash_text(text);
	for (size_t at = hash & (index->slots - 1); index->slot[at];
	     at = (at + 1) & (index->slots - 1))
		if (strcmp(trace->string[index->slot[at]], text) == 0)
			return index->slot[at];
	assert(trace->string_count < UINT32_MAX);
	GROW(trace->string, trace->string_count, trace->string_capacity);
	trace->string[trace->string_count++] = xstrdup(text);
	if (trace->string_count * 2 > index->slots)
		index_rebuild(trace, index->slots * 4);
	else
		index_insert(index, hash, (uint32_t)(trace->string_count - 1));
	return (uint32_t)(trace->string_count - 1);
}

const char *trace_text(const struct trace *trace, uint32_t string)
{
	assert(string < trace->string_count);
	return trace->string[string];
}

#define DEFINE_ADD(name)                                                                           \
	struct trace_##name *trace_add_##name(struct trace *trace)                                 \
	{                                                                                          \
		struct trace_##name *row;                                                          \
                                                                                                   \
		GROW(trace->name, trace->name##_count, trace->name##_capacity);                    \
		row = &trace->name[trace->name##_count++];                                         \
		memset(row, 0, sizeof(*row));                                                      \
		return row;                                                                        \
	}
TRACE_TABLES(DEFINE_ADD)
#undef DEFINE_ADD

int32_t trace_add_blocks(struct trace *trace, const char *kernel, const struct trace_block *block,
			 size_t count)
{
	const uint32_t name = trace_string(trace, kernel);
	int32_t launch = 0;

	for (size_t i = 0; i < trace->block_count; i++)
		if (trace->block[i].launch >= launch)
			launch = trace->block[i].launch + 1;
	for (size_t i = 0; i < count; i++) {
		struct trace_block *row = trace_add_block(trace);

		*row = block[i];
		row->launch = launch;
		row->kernel = name;
	}
	return launch;
}

static struct trace_meta *find_meta(const struct trace *trace, const char *key)
{
	for (size_t i = 0; i < trace->meta_count; i++)
		if (strcmp(trace_text(trace, trace->meta[i].key), key) == 0)
			return &trace->meta[i];
	return NULL;
}

void trace_set_meta(struct trace *trace, const char *key, const char *value)
{
	struct trace_meta *meta = find_meta(trace, key);

	if (!meta) {
		meta = trace_add_meta(trace);
		meta->key = trace_string(trace, key);
	}
	meta->value = trace_string(trace, value);
}

const char *trace_get_meta(const struct trace *trace, const char *key)
{
	const struct trace_meta *meta = find_meta(trace, key);

	return meta ? trace_text(trace, meta->value) : NULL;
}

uint32_t trace_virtual_gpus(const struct trace *trace)
{
	const char *text = trace_get_meta(trace, "virtual_gpus");
	int64_t count;

	return text && !parse_i64(text, &count) && count > 0 && count <= 1024 ? (uint32_t)count : 0;
}

int64_t trace_losses(const struct trace *trace, const char *kind)
{
	int64_t count = 0;

	for (size_t i = 0; i < trace->loss_count; i++)
		if (!kind || !strcmp(trace_text(trace, trace->loss[i].kind), kind))
			count += trace->loss[i].count;
	return count;
}
