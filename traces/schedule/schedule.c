/* SPDX-License-Identifier: MIT
 * Building a schedule. Equal kernels, shapes, copies and streams share one entry, so that a plan of
 * a hundred thousand operations stays small and each cost is computed once.
 */
#include "schedule.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/trace_map.h"
#include "traces/base/util.h"

/* Keyed by (hash of the entry's content, n-th entry with that hash). */
struct schedule_index {
	struct map kernel, shape, copy, stream;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9fb21c651e98df25u;
	return hash ^ (hash >> 28);
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = mix(hash, (unsigned char)*text);
	return hash;
}

void schedule_init(struct schedule *schedule)
{
	memset(schedule, 0, sizeof(*schedule));
	schedule->recorded_shared = schedule->answered_shared = -1;
	schedule->index = xcalloc(1, sizeof(*schedule->index));
}

void schedule_release(struct schedule *schedule)
{
	for (uint32_t i = 0; i < schedule->thread_count; i++)
		free(schedule->thread[i].name);
	for (uint32_t i = 0; i < schedule->kernel_count; i++)
		free(schedule->kernel[i]);
	for (size_t i = 0; i < schedule->nvtx_count; i++)
		free(schedule->nvtx[i].name);
	free(schedule->nvtx);
	free(schedule->op);
	free(schedule->queries);
	free(schedule->slower);
	free(schedule->host_looks.additions);
	free(schedule->own_looks.additions);
	free(schedule->hidden);
	free(schedule->first);
	free(schedule->loading);
	free(schedule->thread);
	free(schedule->stream);
	free(schedule->shape);
	free(schedule->copy);
	free(schedule->access);
	free(schedule->collective);
	free(schedule->participant);
	free(schedule->kernel);
	free(schedule->solver);
	free(schedule->range);
	free(schedule->device);
	free(schedule->virtual_bytes);
	free(schedule->config);
	if (schedule->index) {
		map_release(&schedule->index->kernel);
		map_release(&schedule->index->shape);
		map_release(&schedule->index->copy);
		map_release(&schedule->index->stream);
	}
	free(schedule->index);
	memset(schedule, 0, sizeof(*schedule));
}

uint32_t schedule_add_thread(struct schedule *schedule, const char *name, uint16_t gpu)
{
	struct schedule_thread *thread;

	assert(schedule->thread_count < UINT32_MAX);
	GROW(schedule->thread, schedule->thread_count, schedule->thread_capacity);
	thread = &schedule->thread[schedule->thread_count];
	*thread = (struct schedule_thread){ .name = xstrdup(name ? name : ""),
					    .gpu = gpu,
					    .first_op = schedule->op_count };
	if (gpu != 0xffff && gpu >= schedule->gpu_count)
		schedule->gpu_count = gpu + 1u;
	return schedule->thread_count++;
}

uint16_t schedule_add_stream(struct schedule *schedule, uint16_t gpu, int64_t id)
{
	uint32_t at = map_intern(&schedule->index->stream, gpu, id, schedule->stream_count);

	if (at < schedule->stream_count)
		return (uint16_t)at;
	assert(at < 0xffff && gpu != 0xffff);
	GROW(schedule->stream, schedule->stream_count, schedule->stream_capacity);
	schedule->stream[schedule->stream_count++] =
		(struct schedule_stream){ .gpu = gpu, .id = id };
	if (gpu >= schedule->gpu_count)
		schedule->gpu_count = gpu + 1u;
	return (uint16_t)at;
}

uint32_t schedule_add_kernel(struct schedule *schedule, const char *name)
{
	int64_t hash = (int64_t)mix_text(1, name);
	int64_t n = 0;

	for (uint32_t at; (at = map_get(&schedule->index->kernel, hash, n)) != MAP_NONE; n++)
		if (strcmp(schedule->kernel[at], name) == 0)
			return at;
	map_put(&schedule->index->kernel, hash, n, schedule->kernel_count);
	GROW(schedule->kernel, schedule->kernel_count, schedule->kernel_capacity);
	schedule->kernel[schedule->kernel_count] = xstrdup(name);
	return schedule->kernel_count++;
}

static uint64_t hash_shape(const struct schedule_shape *shape, const struct schedule_access *access,
			   uint32_t count)
{
	uint64_t hash = mix(2, shape->kernel);

	hash = mix(hash, (uint64_t)shape->rows);
	hash = mix(hash, (uint64_t)shape->columns);
	hash = mix(hash, (uint64_t)shape->points);
	hash = mix(hash, (uint64_t)shape->dram_bytes);
	hash = mix(hash, (uint64_t)shape->resident_bytes);
	for (int i = 0; i < 3; i++)
		hash = mix(hash, (uint64_t)shape->grid[i] << 32 | shape->block[i]);
	hash = mix(hash, (uint64_t)shape->shared_bytes << 32 | shape->registers);
	hash = mix(hash, (uint64_t)(uint32_t)shape->path);
	for (uint32_t i = 0; i < count; i++) {
		hash = mix(hash, (uint64_t)access[i].buffer << 32 | access[i].mode);
		hash = mix(hash, (uint64_t)access[i].offset_bytes);
		hash = mix(hash, (uint64_t)access[i].bytes);
	}
	return hash;
}

static bool equal_shape(const struct schedule *schedule, const struct schedule_shape *a,
			const struct schedule_shape *b, const struct schedule_access *access,
			uint32_t count)
{
	if (a->kernel != b->kernel || a->rows != b->rows || a->columns != b->columns ||
	    a->points != b->points || a->dram_bytes != b->dram_bytes ||
	    a->footprint_bytes != b->footprint_bytes || a->resident_bytes != b->resident_bytes ||
	    a->shared_bytes != b->shared_bytes || a->registers != b->registers ||
	    a->path != b->path || a->steps != b->steps || a->access_count != count ||
	    memcmp(a->grid, b->grid, sizeof(a->grid)) ||
	    memcmp(a->block, b->block, sizeof(a->block)))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const struct schedule_access *mine = &schedule->access[a->first_access + i];

		if (mine->buffer != access[i].buffer || mine->mode != access[i].mode ||
		    mine->offset_bytes != access[i].offset_bytes || mine->bytes != access[i].bytes)
			return false;
	}
	return true;
}

uint32_t schedule_add_shape(struct schedule *schedule, const struct schedule_shape *shape,
			    const struct schedule_access *access, uint32_t access_count)
{
	int64_t hash = (int64_t)hash_shape(shape, access, access_count);
	struct schedule_shape *added;
	int64_t n = 0;

	for (uint32_t at; (at = map_get(&schedule->index->shape, hash, n)) != MAP_NONE; n++)
		if (equal_shape(schedule, &schedule->shape[at], shape, access, access_count))
			return at;
	map_put(&schedule->index->shape, hash, n, schedule->shape_count);
	GROW(schedule->shape, schedule->shape_count, schedule->shape_capacity);
	added = &schedule->shape[schedule->shape_count];
	*added = *shape;
	added->first_access = schedule->access_count;
	added->access_count = access_count;
	for (uint32_t i = 0; i < access_count; i++) {
		GROW(schedule->access, schedule->access_count, schedule->access_capacity);
		schedule->access[schedule->access_count++] = access[i];
	}
	return schedule->shape_count++;
}

uint32_t schedule_add_copy(struct schedule *schedule, const struct schedule_copy *copy)
{
	int64_t hash = (int64_t)mix(mix(mix(3, (uint64_t)copy->bytes), (uint64_t)copy->rows),
				    (uint64_t)copy->kind << 40 | (uint64_t)copy->pageable << 32 |
					    (uint64_t)copy->source_gpu << 16 | copy->target_gpu);
	int64_t n = 0;

	for (uint32_t at; (at = map_get(&schedule->index->copy, hash, n)) != MAP_NONE; n++) {
		const struct schedule_copy *old = &schedule->copy[at];

		if (old->kind == copy->kind && old->pageable == copy->pageable &&
		    old->source_gpu == copy->source_gpu && old->target_gpu == copy->target_gpu &&
		    old->bytes == copy->bytes && old->rows == copy->rows)
			return at;
	}
	map_put(&schedule->index->copy, hash, n, schedule->copy_count);
	GROW(schedule->copy, schedule->copy_count, schedule->copy_capacity);
	schedule->copy[schedule->copy_count] = *copy;
	return schedule->copy_count++;
}

struct schedule_op *schedule_add_op(struct schedule *schedule, enum op_kind kind, uint16_t stream,
				    uint32_t object)
{
	struct schedule_op *op;

	assert(schedule->thread_count > 0);
	if ((size_t)schedule->op_count >= schedule->op_capacity)
		schedule->op = grow(schedule->op, (size_t)schedule->op_count,
				    &schedule->op_capacity, sizeof(*schedule->op));
	op = &schedule->op[schedule->op_count++];
	*op = (struct schedule_op){
		.kind = (uint8_t)kind, .stream = stream, .object = object, .duration_ps = -1
	};
	schedule->thread[schedule->thread_count - 1].op_count++;
	return op;
}

bool schedule_kernels_meet(const struct schedule *schedule)
{
	enum { NONE = -1 };
	bool meet = false;
	int64_t *stream = xmalloc((schedule->gpu_count + 1) * sizeof(*stream)); /* by GPU */
	for (uint32_t g = 0; g < schedule->gpu_count; g++)
		stream[g] = NONE;
	for (int64_t k = 0; k < schedule->op_count && !meet; k++) {
		const struct schedule_op *op = &schedule->op[k];
		if (op->kind != OP_LAUNCH)
			continue;
		int64_t *first = &stream[schedule->stream[op->stream].gpu];
		meet = *first != NONE && *first != op->stream;
		*first = op->stream;
	}
	free(stream);
	return meet;
}

uint32_t *schedule_streams_of_kernels(const struct schedule *schedule)
{
	const size_t kernels = schedule->kernel_count;
	uint32_t *most = xcalloc(kernels + 1, sizeof(*most)),
		 *of_gpu = xcalloc(kernels * schedule->gpu_count + 1, sizeof(*of_gpu));
	bool *seen = xcalloc(kernels * schedule->stream_count + 1, sizeof(*seen));
	for (int64_t k = 0; k < schedule->op_count; k++) {
		const struct schedule_op *op = &schedule->op[k];
		if (op->kind != OP_LAUNCH)
			continue;
		const uint32_t kernel = schedule->shape[op->object].kernel;
		bool *first = &seen[op->stream * kernels + kernel];
		const uint32_t n = of_gpu[schedule->stream[op->stream].gpu * kernels + kernel] +=
			!*first;
		most[kernel] = n > most[kernel] ? n : most[kernel];
		*first = true;
	}
	free(of_gpu);
	free(seen);
	return most;
}

int64_t schedule_operations(const struct schedule *schedule)
{
	static const uint8_t counts[OP_KIND_COUNT] = {
		[OP_LAUNCH] = 1, [OP_COPY] = 1,	 [OP_MEMSET] = 1,     [OP_RECORD] = 1,
		[OP_WAIT] = 1,	 [OP_SYNC] = 1,	 [OP_SYNC_EVENT] = 1, [OP_SYNC_GPU] = 1,
		[OP_POST] = 1,	 [OP_AWAIT] = 1,
	};
	int64_t total = 0;

	for (int64_t i = 0; i < schedule->op_count; i++)
		total += counts[schedule->op[i].kind];
	return total;
}

uint32_t schedule_contending(const struct schedule *schedule)
{
	return schedule->contending ? schedule->contending : schedule->thread_count;
}

size_t schedule_participant_of(const struct schedule *schedule, int64_t op)
{
	size_t low = 0, high = schedule->participant_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (schedule->participant[middle].op < op)
			low = middle + 1;
		else
			high = middle;
	}
	assert(low < schedule->participant_count && schedule->participant[low].op == op);
	return low;
}

uint32_t schedule_shared_gpus(const struct schedule *schedule)
{
	/* Of a GPU, the thread that launched there first; 0: none yet. */
	uint32_t *first = xcalloc(schedule->gpu_count, sizeof(*first)), shared = 0;

	for (uint32_t t = 0; t < schedule->thread_count; t++) {
		const struct schedule_thread *thread = &schedule->thread[t];

		for (int64_t k = 0; k < thread->op_count; k++) {
			const struct schedule_op *op = &schedule->op[thread->first_op + k];

			if (op->kind != OP_LAUNCH)
				continue;
			uint32_t *on = &first[schedule->stream[op->stream].gpu];

			if (!*on) {
				*on = t + 1;
			} else if (*on != UINT32_MAX &&
				   schedule->thread[*on - 1].process != thread->process) {
				*on = UINT32_MAX;
				shared++;
			}
		}
	}
	free(first);
	return shared;
}
