/* SPDX-License-Identifier: MIT
 * Activity buffers. The thread that needs one is a thread of the program, inside a CUDA call: it
 * takes a buffer that is already zeroed and has its pages. Zeroing and packing happen where CUPTI
 * hands the buffer back.
 */
#include "recorder.h"

#include <string.h>
#include <sys/mman.h>

static void *map_buffer(void)
{
	void *buffer = mmap(NULL, recorder.pool.buffer_bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return buffer == MAP_FAILED ? NULL : buffer;
}

static void pool_put(struct buffer_pool *pool, void *buffer)
{
	pthread_mutex_lock(&pool->lock);
	memcpy(buffer, &pool->free_list, sizeof(pool->free_list));
	pool->free_list = buffer;
	pool->free_count++;
	pthread_mutex_unlock(&pool->lock);
}

static void *pool_get(struct buffer_pool *pool)
{
	void *buffer;

	pthread_mutex_lock(&pool->lock);
	buffer = pool->free_list;
	if (buffer) {
		memcpy(&pool->free_list, buffer, sizeof(pool->free_list));
		memset(buffer, 0, sizeof(pool->free_list));
		pool->free_count--;
	}
	pthread_mutex_unlock(&pool->lock);
	return buffer;
}

void pool_fill(struct buffer_pool *pool, size_t wanted)
{
	for (;;) {
		void *buffer;
		size_t count;

		pthread_mutex_lock(&pool->lock);
		count = pool->free_count;
		pthread_mutex_unlock(&pool->lock);
		if (count >= wanted || !(buffer = map_buffer()))
			return;
		pool_put(pool, buffer);
	}
}

void CUPTIAPI pool_buffer_requested(uint8_t **buffer, size_t *bytes, size_t *most_records)
{
	atomic_fetch_add(&recorder.pool.requested, 1);
	core_note(false);
	*most_records = 0;
	*buffer = pool_get(&recorder.pool);
	if (!*buffer)
		*buffer = map_buffer();
	*bytes = *buffer ? recorder.pool.buffer_bytes : 0;
	if (!*buffer)
		atomic_fetch_add(&recorder.pool.refused, 1);
}

void CUPTIAPI pool_buffer_completed(CUcontext context, uint32_t stream, uint8_t *buffer,
				    size_t bytes, size_t valid_bytes)
{
	size_t dropped = 0;

	(void)context;
	(void)stream;
	if (!buffer)
		return;
	if (valid_bytes && atomic_load(&recorder.active))
		encode_buffer(buffer, valid_bytes);
	if (recorder.cupti.cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped) == CUPTI_SUCCESS &&
	    dropped)
		atomic_fetch_add(&recorder.dropped, dropped);
	memset(buffer, 0, bytes);
	pool_put(&recorder.pool, buffer);
}
