/* SPDX-License-Identifier: MIT
 * struct machine on the CUDA runtime: objects, launches, copies and events, and the table this
 * library exports.
 */
#include <assert.h>

#include "model/calibrate/calibrate.h"
#include "machine_cuda.cuh"

#define CUDA_KERNELS(table) extern "C" const struct cuda_kernel table[];
#include "cuda_kernels.def"
#undef CUDA_KERNELS

static const struct cuda_kernel *const kernel_tables[] = {
#define CUDA_KERNELS(table) table,
#include "cuda_kernels.def"
#undef CUDA_KERNELS
};

static int select_gpu(const struct cuda_machine *m, uint32_t gpu, const char *what)
{
	if (gpu >= m->gpus)
		return report("%s on GPU %u: the machine was opened with %u", what, gpu, m->gpus);
	cudaError_t error = cudaSetDevice(device_of(m, gpu));
	return error ? report("%s on GPU %u: %s", what, gpu, cudaGetErrorString(error)) : 0;
}

static int cuda_gpu_count(struct machine *m, uint32_t *count)
{
	*count = cuda_of(m)->gpus;
	return 0;
}

static int cuda_buffer_make(struct machine *base, uint32_t gpu, enum machine_space space,
			    int64_t bytes, uint32_t *buffer)
{
	struct cuda_machine *m = cuda_of(base);
	struct pool *pool = space == SPACE_PINNED ? &m->pinned_pool : &m->pageable_pool;

	if (space == SPACE_DEVICE) {
		if (gpu >= m->gpus)
			return report("memory on GPU %u: the machine was opened with %u", gpu,
				      m->gpus);
		pool = &m->device_pool[gpu];
	}
	void *address = pool_take(pool, bytes);
	if (!address)
		return -1;
	struct cuda_buffer *made = append(&m->buffer, &m->buffer_count, &m->buffer_capacity);
	made->address = address;
	made->bytes = bytes;
	made->pool = pool;
	made->gpu = space == SPACE_DEVICE ? device_of(m, gpu) : -1;
	*buffer = (uint32_t)(m->buffer_count - 1);
	return 0;
}

static void cuda_buffer_free(struct machine *base, uint32_t buffer)
{
	struct cuda_buffer *b = &cuda_of(base)->buffer[buffer];

	if (b->address)
		pool_give(b->pool, b->address);
	b->address = NULL;
}

static void *cuda_address(struct machine *base, uint32_t buffer)
{
	return cuda_of(base)->buffer[buffer].address;
}

static int cuda_stream(struct machine *base, uint32_t gpu, uint32_t *stream)
{
	struct cuda_machine *m = cuda_of(base);
	cudaStream_t made;

	if (select_gpu(m, gpu, "a stream"))
		return -1;
	cudaError_t error = cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
	if (error)
		return report("a stream on GPU %u: %s", gpu, cudaGetErrorString(error));
	*append(&m->stream, &m->stream_count, &m->stream_capacity) = made;
	*stream = (uint32_t)(m->stream_count - 1);
	return 0;
}

static int event_make(struct machine *base, uint32_t gpu, unsigned flags, uint32_t *event)
{
	struct cuda_machine *m = cuda_of(base);
	cudaEvent_t made;

	if (select_gpu(m, gpu, "an event"))
		return -1;
	cudaError_t error = cudaEventCreateWithFlags(&made, flags);
	if (error)
		return report("an event on GPU %u: %s", gpu, cudaGetErrorString(error));
	*append(&m->event, &m->event_count, &m->event_capacity) = made;
	*event = (uint32_t)(m->event_count - 1);
	return 0;
}

static int cuda_event(struct machine *base, uint32_t gpu, uint32_t *event)
{
	return event_make(base, gpu, cudaEventDisableTiming, event);
}

static int cuda_timed_event(struct machine *base, uint32_t gpu, uint32_t *event)
{
	return event_make(base, gpu, cudaEventDefault, event);
}

static int cuda_elapsed(struct machine *base, uint32_t first, uint32_t second, double *ns)
{
	const struct cuda_machine *m = cuda_of(base);
	float ms = 0;
	cudaError_t error = cudaEventElapsedTime(&ms, m->event[first], m->event[second]);

	*ns = 1e6 * (double)ms;
	return error ? report("time between events %u and %u: %s", first, second,
			      cudaGetErrorString(error))
		     : 0;
}

static int cuda_counter_make(struct machine *base, uint32_t *counter)
{
	struct cuda_machine *m = cuda_of(base);
	struct cuda_counter *made = counter_new();

	if (!made)
		return -1;
	*append(&m->counter, &m->counter_count, &m->counter_capacity) = made;
	*counter = (uint32_t)(m->counter_count - 1);
	return 0;
}

static int cuda_peer_access(struct machine *base, uint32_t gpu, uint32_t peer)
{
	struct cuda_machine *m = cuda_of(base);
	int possible = 0;

	if (peer >= m->gpus)
		return report("access to GPU %u: the machine was opened with %u", peer, m->gpus);
	if (device_of(m, gpu) == device_of(m, peer))
		return 0;
	if (select_gpu(m, gpu, "peer access"))
		return -1;
	cudaError_t error =
		cudaDeviceCanAccessPeer(&possible, device_of(m, gpu), device_of(m, peer));
	if (!error && !possible)
		return report("GPU %u cannot reach the memory of GPU %u: no peer-to-peer link "
			      "between them",
			      gpu, peer);
	if (!error)
		error = cudaDeviceEnablePeerAccess(device_of(m, peer), 0);
	if (error == cudaErrorPeerAccessAlreadyEnabled) {
		(void)cudaGetLastError(); /* stays from an earlier run */
		error = cudaSuccess;
	}
	return error ? report("peer access from GPU %u to GPU %u: %s", gpu, peer,
			      cudaGetErrorString(error))
		     : 0;
}

static int64_t cuda_texture_elements(struct machine *base, uint32_t gpu)
{
	const struct cuda_machine *m = cuda_of(base);
	int elements = 0;
	const cudaError_t error = cudaDeviceGetAttribute(
		&elements, cudaDevAttrMaxTexture1DLinearWidth, device_of(m, gpu));

	return error ? -1 : elements;
}

static const struct cuda_kernel *kernel_search(const char *name)
{
	for (size_t i = 0; i < sizeof(kernel_tables) / sizeof(kernel_tables[0]); i++)
		for (const struct cuda_kernel *kernel = kernel_tables[i]; kernel->name; kernel++)
			if (!strcmp(kernel->name, name))
				return kernel;
	return NULL;
}

/* By the name's address, which does not change: a few instructions on the launch path. */
static inline const struct cuda_kernel *kernel_find(struct cuda_thread *self, const char *name)
{
	const size_t slot = ((uintptr_t)name ^ (uintptr_t)name >> 6) % KERNEL_CACHE;

	if (self->cache[slot].name != name) {
		self->cache[slot].kernel = kernel_search(name);
		self->cache[slot].name = name;
	}
	return self->cache[slot].kernel;
}

static void note_launch(const struct warpreel_annotate *annotate,
			const struct machine_launch *launch)
{
	struct note_footprint footprint;

	memset(&footprint, 0, sizeof(footprint));
	snprintf(footprint.kernel, sizeof(footprint.kernel), "%s", launch->name);
	footprint.rows = launch->rows;
	footprint.columns = launch->columns;
	footprint.points = launch->points;
	footprint.dram_bytes = launch->dram_bytes;
	footprint.resident_bytes = launch->resident_bytes;
	footprint.access_count = launch->access_count;
	footprint.path = footprint.steps = -1;
	if (launch->geometry) {
		struct launch_geometry geometry;
		launch->geometry(launch->args, &geometry);
		footprint.path = geometry.path;
		footprint.steps = geometry.steps;
	}
	static_assert(sizeof(footprint.access) == sizeof(launch->access),
		      "both hold MACHINE_MAX_ACCESS");
	memcpy(footprint.access, launch->access, launch->access_count * sizeof(launch->access[0]));
	annotate->footprint(&footprint);
}

static int cuda_launch(struct machine_thread *t, uint32_t stream,
		       const struct machine_launch *launch)
{
	struct cuda_thread *self = state_of(t);
	const struct cuda_machine *m = self->machine;
	const struct cuda_kernel *kernel = kernel_find(self, launch->name);

	assert(stream < m->stream_count && launch->access_count <= MACHINE_MAX_ACCESS);
	if (!kernel)
		return report("the CUDA library has no kernel '%s'", launch->name);
	if (m->annotate)
		note_launch(m->annotate, launch);
	int error = kernel->launch(launch->args, m->stream[stream]);
	if (error)
		return report("GPU %u: kernel %s on %lld x %lld points: %s", t->gpu, launch->name,
			      (long long)launch->rows, (long long)launch->columns,
			      cudaGetErrorString((cudaError_t)error));
	return 0;
}

static bool copy_inside(const struct cuda_buffer *buffer, int64_t offset, int64_t pitch,
			const struct machine_copy *copy)
{
	int64_t last = copy->rows > 1 ? (copy->rows - 1) * pitch : 0;

	return buffer->address && offset >= 0 && offset + last + copy->row_bytes <= buffer->bytes;
}

static int cuda_copy(struct machine_thread *t, uint32_t stream, const struct machine_copy *copy)
{
	static const cudaMemcpyKind kinds[2][2] = {
		{ cudaMemcpyHostToHost, cudaMemcpyHostToDevice },
		{ cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice }
	};
	const struct cuda_machine *m = state_of(t)->machine;
	const struct cuda_buffer *from = &m->buffer[copy->source], *to = &m->buffer[copy->target];
	const char *source = (const char *)from->address + copy->source_offset_bytes;
	char *target = (char *)to->address + copy->target_offset_bytes;
	const size_t row_bytes = (size_t)copy->row_bytes, rows = (size_t)copy->rows;
	const bool peer = from->gpu >= 0 && to->gpu >= 0 && from->gpu != to->gpu;
	/* Between GPUs the runtime finds the devices from the addresses. */
	const cudaMemcpyKind kind = peer ? cudaMemcpyDefault : kinds[from->gpu >= 0][to->gpu >= 0];
	cudaError_t error;

	assert(stream < m->stream_count && copy->source < m->buffer_count &&
	       copy->target < m->buffer_count);
	assert(copy->rows >= 1 && copy->row_bytes >= 0);
	assert(copy_inside(from, copy->source_offset_bytes, copy->source_pitch_bytes, copy));
	assert(copy_inside(to, copy->target_offset_bytes, copy->target_pitch_bytes, copy));
	if (rows > 1 && (copy->source_pitch_bytes != copy->row_bytes ||
			 copy->target_pitch_bytes != copy->row_bytes))
		error = cudaMemcpy2DAsync(target, (size_t)copy->target_pitch_bytes, source,
					  (size_t)copy->source_pitch_bytes, row_bytes, rows, kind,
					  m->stream[stream]);
	else if (peer && !state_of(t)->capturing) /* CUDA captures no such call */
		error = cudaMemcpyPeerAsync(target, to->gpu, source, from->gpu, rows * row_bytes,
					    m->stream[stream]);
	else
		error = cudaMemcpyAsync(target, source, rows * row_bytes, kind, m->stream[stream]);
	if (error)
		return report("GPU %u: copy of %lld x %lld bytes: %s", t->gpu,
			      (long long)copy->rows, (long long)copy->row_bytes,
			      cudaGetErrorString(error));
	return 0;
}

static int cuda_drive(struct machine_thread *t, uint32_t gpu)
{
	t->gpu = gpu;
	return select_gpu(state_of(t)->machine, gpu, "work");
}

static int cuda_record(struct machine_thread *t, uint32_t stream, uint32_t event)
{
	const struct cuda_machine *m = state_of(t)->machine;
	cudaError_t error = cudaEventRecord(m->event[event], m->stream[stream]);

	return error ? report("GPU %u: recording event %u: %s", t->gpu, event,
			      cudaGetErrorString(error))
		     : 0;
}

static int cuda_wait(struct machine_thread *t, uint32_t stream, uint32_t event)
{
	const struct cuda_machine *m = state_of(t)->machine;
	cudaError_t error = cudaStreamWaitEvent(m->stream[stream], m->event[event], 0);

	return error ? report("GPU %u: waiting for event %u: %s", t->gpu, event,
			      cudaGetErrorString(error))
		     : 0;
}

static int cuda_sync(struct machine_thread *t, uint32_t stream)
{
	const struct cuda_machine *m = state_of(t)->machine;
	cudaError_t error = cudaStreamSynchronize(m->stream[stream]);

	return error ? report("GPU %u: waiting for stream %u: %s", t->gpu, stream,
			      cudaGetErrorString(error))
		     : 0;
}

static void cuda_reset(struct machine *base)
{
	struct cuda_machine *m = cuda_of(base);

	/* A failed run may have left work behind; nothing is reused before it is done. Its error
	 * was reported. */
	for (uint32_t gpu = 0; gpu < m->gpus; gpu++)
		if (!cudaSetDevice(device_of(m, gpu)))
			(void)cudaDeviceSynchronize();
	cuda_channel_release(m);
	for (size_t i = 0; i < m->stream_count; i++)
		(void)cudaStreamDestroy(m->stream[i]);
	for (size_t i = 0; i < m->event_count; i++)
		(void)cudaEventDestroy(m->event[i]);
	for (size_t i = 0; i < m->counter_count; i++)
		counter_free(m->counter[i]);
	for (size_t i = 0; i < m->buffer_count; i++)
		cuda_buffer_free(base, (uint32_t)i);
	for (size_t i = 0; i < m->graph_count; i++)
		(void)cudaGraphExecDestroy(m->graph[i].ready);
	m->stream_count = m->event_count = m->counter_count = m->buffer_count = m->graph_count = 0;
}

static void cuda_free(struct machine *base)
{
	struct cuda_machine *m = cuda_of(base);

	cuda_reset(base);
	for (uint32_t gpu = 0; gpu < m->gpus; gpu++)
		pool_release(&m->device_pool[gpu]);
	pool_release(&m->pinned_pool);
	pool_release(&m->pageable_pool);
	free(m->device_pool);
	free(m->buffer);
	free(m->stream);
	free(m->event);
	free(m->counter);
	free(m->graph);
	free(m);
}

static const struct machine_timing_ops cuda_timing = { cuda_time_launches, cuda_time_pair,
						       cuda_timed_event, cuda_elapsed };

static const struct machine_ops cuda_ops = {
	.name = "cuda",
	.computes = true,
	.warms_up = true,
	.on_device = true,
	.gpu_count = cuda_gpu_count,
	.buffer = cuda_buffer_make,
	.buffer_free = cuda_buffer_free,
	.address = cuda_address,
	.stream = cuda_stream,
	.event = cuda_event,
	.counter = cuda_counter_make,
	.peer_access = cuda_peer_access,
	.texture_elements = cuda_texture_elements,
	.channel = cuda_channel_make,
	.run = cuda_run,
	.launch = cuda_launch,
	.copy = cuda_copy,
	.record = cuda_record,
	.wait = cuda_wait,
	.sync = cuda_sync,
	.post = cuda_post,
	.await = cuda_await,
	.barrier = cuda_barrier,
	.messages = cuda_messages,
	.drive = cuda_drive,
	.repeat = cuda_repeat,
	.mark = cuda_mark,
	.reset = cuda_reset,
	.free = cuda_free,
};

static void pool_init(struct pool *pool, enum machine_space space, int device)
{
	memset(pool, 0, sizeof(*pool));
	pool->space = space;
	pool->gpu = device;
}

/* Of those that there are, how many a machine of `gpus` uses; 0 after a message. */
static uint32_t devices_for(uint32_t gpus, int found)
{
	if (gpus >= 1 && gpus <= (uint32_t)found)
		return gpus;
	if (gpus >= 1 && found >= 1 && getenv("WARPREEL_SHARE_GPUS"))
		return (uint32_t)found;
	report("%u GPUs wanted, this machine has %d", gpus, found);
	return 0;
}

static struct machine *cuda_machine_new(uint32_t gpus)
{
	void *memory;
	int found = 0;
	cudaError_t error = cudaGetDeviceCount(&found);

	if (error) {
		report("no CUDA GPU to run on: %s",
		       error == cudaErrorInsufficientDriver
			       ? "there is no NVIDIA driver, or it is too old for this library"
			       : cudaGetErrorString(error));
		return NULL;
	}
	if (!gpus && found > 0)
		gpus = found < MACHINE_GPUS_MOST ? (uint32_t)found : (uint32_t)MACHINE_GPUS_MOST;
	const uint32_t devices = devices_for(gpus, found);
	if (!devices)
		return NULL;
	for (uint32_t gpu = 0; gpu < devices; gpu++) { /* contexts, so that no run pays for them */
		error = cudaSetDevice((int)gpu);
		if (!error)
			error = cudaFree(NULL);
		if (error) {
			report("GPU %u: %s", gpu, cudaGetErrorString(error));
			return NULL;
		}
	}
	if (posix_memalign(&memory, CACHE_LINE, sizeof(struct cuda_machine))) {
		report("out of memory");
		return NULL;
	}
	struct cuda_machine *m = (struct cuda_machine *)memory;
	memset(m, 0, sizeof(*m));
	m->base.ops = &cuda_ops;
	m->base.timing = &cuda_timing;
	m->gpus = gpus;
	m->devices = devices;
	m->annotate = machine_annotate();
	m->device_pool = (struct pool *)xcalloc(gpus, sizeof(*m->device_pool));
	for (uint32_t gpu = 0; gpu < gpus; gpu++)
		pool_init(&m->device_pool[gpu], SPACE_DEVICE, device_of(m, gpu));
	pool_init(&m->pinned_pool, SPACE_PINNED, 0);
	pool_init(&m->pageable_pool, SPACE_PAGEABLE, 0);
	return &m->base;
}

extern "C" int warpreel_calibrate_cuda(struct calibration *calibration); /* model/calibrate_*.cu */

static int cuda_calibrate(void *calibration)
{
	return warpreel_calibrate_cuda((struct calibration *)calibration);
}

extern "C" const struct warpreel_cuda *warpreel_cuda_table(void)
{
	static const struct warpreel_cuda table = { WARPREEL_CUDA_ABI, cuda_machine_new,
						    cuda_calibrate, cuda_describe };

	return &table;
}
