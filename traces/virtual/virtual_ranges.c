/* SPDX-License-Identifier: MIT
 * Whose memory a pointer is, in a table of what the runtime allocated, and how much each device
 * holds. Of what was allocated otherwise the driver names the context, but for memory of a
 * pool.
 */
#include "virtual.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static struct {
	pthread_mutex_t lock;
	struct range {
		uintptr_t base, end;
		int device;
	} * range; /* by base; no two meet */
	size_t count, capacity;
	_Atomic size_t any;	       /* count, read without the lock */
	size_t held[VIRTUAL_GPUS_MAX]; /* bytes, by device */
} ranges = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The first range that ends after `at`. */
static size_t first_after(uintptr_t at)
{
	size_t low = 0, high = ranges.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges.range[middle].end <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void take_out(size_t at)
{
	ranges.held[ranges.range[at].device] -= ranges.range[at].end - ranges.range[at].base;
	memmove(&ranges.range[at], &ranges.range[at + 1],
		(--ranges.count - at) * sizeof(*ranges.range));
}

void ranges_add(const void *base, size_t bytes, int device)
{
	const struct range added = { (uintptr_t)base, (uintptr_t)base + bytes, device };
	size_t at;

	if (!base || !bytes)
		return;
	pthread_mutex_lock(&ranges.lock);
	at = first_after(added.base);
	while (at < ranges.count && ranges.range[at].base < added.end) /* freed unseen */
		take_out(at);
	if (ranges.count == ranges.capacity) {
		size_t capacity = ranges.capacity ? 2 * ranges.capacity : 256;
		struct range *moved = realloc(ranges.range, capacity * sizeof(*moved));

		if (!moved) {
			pthread_mutex_unlock(&ranges.lock);
			return;
		}
		ranges.range = moved;
		ranges.capacity = capacity;
	}
	memmove(&ranges.range[at + 1], &ranges.range[at],
		(ranges.count++ - at) * sizeof(*ranges.range));
	ranges.range[at] = added;
	ranges.held[device] += bytes;
	bytes = ranges.held[device];
	atomic_store(&ranges.any, ranges.count);
	pthread_mutex_unlock(&ranges.lock);
	notes_memory(device, bytes);
}

void ranges_remove(const void *base)
{
	size_t at, left = 0;
	int device = -1;

	if (!base || !atomic_load(&ranges.any))
		return;
	pthread_mutex_lock(&ranges.lock);
	at = first_after((uintptr_t)base);
	if (at < ranges.count && ranges.range[at].base == (uintptr_t)base) {
		device = ranges.range[at].device;
		take_out(at);
		left = ranges.held[device];
	}
	atomic_store(&ranges.any, ranges.count);
	pthread_mutex_unlock(&ranges.lock);
	if (device >= 0)
		notes_memory(device, left);
}

static int noted_device(uintptr_t pointer)
{
	int device = -1;
	size_t at;

	if (!atomic_load(&ranges.any))
		return -1;
	pthread_mutex_lock(&ranges.lock);
	at = first_after(pointer);
	if (at < ranges.count && ranges.range[at].base <= pointer)
		device = ranges.range[at].device;
	pthread_mutex_unlock(&ranges.lock);
	return device;
}

int ranges_device(const void *pointer)
{
	const struct driver *driver = real_driver();
	CUpointer_attribute attribute[] = { CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
					    CU_POINTER_ATTRIBUTE_CONTEXT };
	unsigned memory = 0;
	CUcontext context = NULL;
	void *value[] = { &memory, &context };
	int noted = noted_device((uintptr_t)pointer);

	if (noted >= 0)
		return noted;
	if (!driver || !pointer ||
	    driver->cuPointerGetAttributes(2, attribute, value, (CUdeviceptr)(uintptr_t)pointer) ||
	    memory != CU_MEMORYTYPE_DEVICE)
		return -1;
	return gpus_of_context(context);
}
