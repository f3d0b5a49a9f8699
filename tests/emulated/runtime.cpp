/* SPDX-License-Identifier: MIT
 * The calls of the emulated runtime that are not launches. Several GPUs are several names for host
 * memory.
 */
#include <stdlib.h>
#include <string.h>
#include <vector>

#include "cuda_runtime.h"

enum { GPUS = 8 };
struct emulated_stream {
	bool capturing;
	size_t captured, now_us;
};
struct emulated_event {
	size_t at_us;
};
struct emulated_graph {
	size_t launches;
	std::vector<std::function<void()>> work;
};

static thread_local std::vector<std::function<void()>> *kept; /* while it captures */
static thread_local bool strict;			      /* in what mode */

bool emulated_capturing(void)
{
	return kept;
}

void emulated_keep(std::function<void()> work)
{
	kept->push_back(work);
}

static thread_local int current;
static int peers[GPUS][GPUS]; /* access enabled */

const char *cudaGetErrorString(cudaError_t error)
{
	return error == cudaErrorMemoryAllocation	? "out of memory"
	       : error == cudaErrorInvalidConfiguration ? "invalid configuration argument"
	       : error == cudaErrorCooperativeLaunchTooLarge
		       ? "too many blocks in cooperative launch"
	       : error ? "an error of the emulated runtime"
		       : "no error";
}

cudaError_t cudaGetLastError(void)
{
	return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
	*count = GPUS;
	return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
	if (device < 0 || device >= GPUS)
		return cudaErrorInvalidDevice;
	current = device;
	return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
	*device = current;
	return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
	return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
	(void)device;
	*value = attribute == cudaDevAttrMaxTexture1DLinearWidth ? EMULATED_TEXTURE_ELEMENTS
								 : (int)attribute + 1;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr attribute, int device, int peer)
{
	(void)attribute;
	*value = device != peer;
	return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
	*can = device != peer;
	return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
	(void)flags;
	if (peer < 0 || peer >= GPUS || peer == current)
		return cudaErrorInvalidDevice;
	return peers[current][peer]++ ? cudaErrorPeerAccessAlreadyEnabled : cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
	if (device < 0 || device >= GPUS)
		return cudaErrorInvalidDevice;
	memset(properties, 0, sizeof(*properties));
	strcpy(properties->name, "emulated");
	properties->uuid.bytes[15] = (char)device;
	return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
	*version = 13000;
	return cudaSuccess;
}

/* Filled with 0xff, NaN in both precisions: a read of what nothing wrote shows. */
static cudaError_t take(void **address, size_t bytes)
{
	if (posix_memalign(address, EMULATED_TEXTURE_ALIGN, bytes))
		return cudaErrorMemoryAllocation;
	memset(*address, 0xff, bytes);
	return cudaSuccess;
}

cudaError_t cudaMalloc(void **address, size_t bytes)
{
	return take(address, bytes);
}

cudaError_t cudaFree(void *address)
{
	free(address);
	return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **address, size_t bytes, unsigned flags)
{
	(void)flags;
	return take(address, bytes);
}

cudaError_t cudaFreeHost(void *address)
{
	free(address);
	return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *target, const void *source, size_t bytes, cudaMemcpyKind kind,
			    cudaStream_t stream)
{
	(void)kind;
	(void)stream;
	if (kept)
		emulated_keep([=] { memcpy(target, source, bytes); });
	else
		memcpy(target, source, bytes);
	return cudaSuccess;
}

cudaError_t cudaMemcpyPeerAsync(void *target, int target_gpu, const void *source, int source_gpu,
				size_t bytes, cudaStream_t stream)
{
	if (target_gpu < 0 || target_gpu >= GPUS || source_gpu < 0 || source_gpu >= GPUS ||
	    target_gpu == source_gpu)
		return cudaErrorInvalidDevice;
	if (kept) /* as CUDA 13.0 says of strips on two H100 */
		return cudaErrorStreamCaptureUnsupported;
	return cudaMemcpyAsync(target, source, bytes, cudaMemcpyDefault, stream);
}

cudaError_t cudaMemcpy2DAsync(void *target, size_t target_pitch, const void *source,
			      size_t source_pitch, size_t row_bytes, size_t rows,
			      cudaMemcpyKind kind, cudaStream_t stream)
{
	if (row_bytes > target_pitch || row_bytes > source_pitch)
		return cudaErrorInvalidValue;
	for (size_t row = 0; row < rows; row++)
		cudaMemcpyAsync((char *)target + row * target_pitch,
				(const char *)source + row * source_pitch, row_bytes, kind, stream);
	return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
	(void)flags;
	*stream = (cudaStream_t)calloc(1, sizeof(**stream));
	return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	free((void *)stream);
	return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	(void)stream;
	return kept ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
	(void)stream;
	(void)event;
	(void)flags;
	return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
	(void)flags;
	*event = (cudaEvent_t)calloc(1, sizeof(**event));
	return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	free((void *)event);
	return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	event->at_us = stream->now_us;
	return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
	return cudaEventCreateWithFlags(event, 0);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	(void)event;
	return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t begin, cudaEvent_t end)
{
	*ms = (float)(end->at_us - begin->at_us) / 1000;
	return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode)
{
	if (stream->capturing || kept)
		return cudaErrorInvalidValue;
	strict = mode != cudaStreamCaptureModeRelaxed;
	kept = new std::vector<std::function<void()>>;
	stream->capturing = true;
	stream->captured = 0;
	return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status)
{
	*status = stream->capturing ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
	return cudaSuccess;
}

bool emulated_strict_capture(void)
{
	return kept && strict;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
	if (!stream->capturing)
		return cudaErrorInvalidValue;
	stream->capturing = false;
	*graph = new emulated_graph{ stream->captured, std::move(*kept) };
	delete kept;
	kept = NULL;
	return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, void *nodes, size_t *count)
{
	if (nodes)
		return cudaErrorInvalidValue;
	*count = graph->launches;
	return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *ready, cudaGraph_t graph,
					  unsigned long long flags)
{
	(void)flags;
	*ready = new emulated_graph(*graph);
	return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t ready, cudaStream_t stream)
{
	(void)ready;
	(void)stream;
	return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t ready, cudaStream_t stream)
{
	if (stream->capturing)
		return cudaErrorInvalidValue;
	stream->now_us += ready->launches;
	for (const std::function<void()> &work : ready->work)
		work();
	return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	delete graph;
	return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t ready)
{
	delete ready;
	return cudaSuccess;
}

void emulated_count(cudaStream_t stream)
{
	if (stream)
		stream->captured++;
}

/* Nothing to measure here. */
extern "C" int report(const char *format, ...);
extern "C" int warpreel_calibrate_cuda(struct calibration *)
{
	return report("the emulated GPU cannot be calibrated");
}
