/* SPDX-License-Identifier: MIT
 * As much of the CUDA runtime as warpreel's kernels and its CUDA machine use, on the host: for
 * checking both where there is no GPU. The .cu files are compiled as C++ with this folder first in
 * the include path.
 *
 * A launch runs its blocks one after the other, at once; the threads of a block are fibres that
 * switch where they must wait
 * (__syncthreads, a shuffle), so a barrier that not all threads reach is found, not hidden. The
 * blocks of a cooperative launch run at once, each on a host thread of its own, and a fibre that
 * looks at memory where others write (__nv_atomic_load) lets them go on. Streams and events are
 * empty shells: everything is done when the call returns. What a thread asks while it captures is
 * done by each launch of the graph.
 */
#ifndef WARPREEL_EMULATED_CUDA_RUNTIME_H
#define WARPREEL_EMULATED_CUDA_RUNTIME_H

#include <functional>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <tuple>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __shared__ thread_local /* blocks of one host thread run one by one */

enum cudaError_t {
	cudaSuccess,
	cudaErrorInvalidValue,
	cudaErrorMemoryAllocation,
	cudaErrorInvalidConfiguration = 9,
	cudaErrorInsufficientDriver = 35,
	cudaErrorInvalidDevice = 101,
	cudaErrorPeerAccessAlreadyEnabled = 704,
	cudaErrorCooperativeLaunchTooLarge = 720,
	cudaErrorStreamCaptureUnsupported = 900
};
enum cudaMemcpyKind {
	cudaMemcpyHostToHost,
	cudaMemcpyHostToDevice,
	cudaMemcpyDeviceToHost,
	cudaMemcpyDeviceToDevice,
	cudaMemcpyDefault
};
enum cudaDeviceAttr {
	cudaDevAttrMultiProcessorCount,
	cudaDevAttrAsyncEngineCount,
	cudaDevAttrGlobalMemoryBusWidth,
	cudaDevAttrMaxRegistersPerMultiprocessor,
	cudaDevAttrMaxSharedMemoryPerMultiprocessor,
	cudaDevAttrMaxThreadsPerMultiProcessor,
	cudaDevAttrMaxTexture1DLinearWidth
};
enum cudaDeviceP2PAttr { cudaDevP2PAttrPerformanceRank };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
enum cudaStreamCaptureMode { cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive };
enum {
	cudaStreamNonBlocking = 1,
	cudaEventDefault = 0,
	cudaEventDisableTiming = 2,
	cudaHostAllocPortable = 1
};

struct dim3 {
	unsigned x, y, z;
	constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_)
	{
	}
};

struct cudaDeviceProp {
	char name[256];
	struct {
		char bytes[16];
	} uuid;
	int major, minor, pciDomainID, pciBusID, pciDeviceID, l2CacheSize;
	size_t totalGlobalMem;
};

typedef struct emulated_stream *cudaStream_t;
typedef struct emulated_event *cudaEvent_t;

typedef struct emulated_graph *cudaGraph_t;
typedef struct emulated_graph *cudaGraphExec_t;

extern thread_local dim3 threadIdx, blockIdx, blockDim, gridDim;

/* What `extern __shared__` names, by that name; no launch may ask for more. */
enum { EMULATED_SHARED_BYTES = 200 << 10 };
extern thread_local double dynamic_shared[EMULATED_SHARED_BYTES / sizeof(double)];

void __syncthreads(void);
void __syncwarp(void);
/* `count` threads of the block meet; one such barrier at a time. */
void emulated_meet(unsigned id, unsigned count);
static inline void __barrier_sync_count(unsigned id, unsigned count)
{
	emulated_meet(id, count);
}

static inline void __threadfence(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline void __threadfence_system(void)
{
	__threadfence();
}

struct alignas(8) float2 {
	float x, y;
};
struct alignas(16) float4 {
	float x, y, z, w;
};

static inline float4 __ldcg(const float4 *address)
{
	return *address;
}

static inline void __stcs(float4 *address, float4 value)
{
	*address = value;
}

void emulated_count(cudaStream_t stream); /* one more launch */
bool emulated_capturing(void);		  /* this thread is */
void emulated_keep(std::function<void()> work);
/* Runs `body` once for every thread of every block. */
typedef void emulated_body(void *context);
cudaError_t emulated_launch(dim3 grid, dim3 block, emulated_body *body, void *context);
cudaError_t emulated_cooperative(dim3 grid, dim3 block, emulated_body *body, void *context);
/* All 32 lanes of a warp leave a value (8 bytes at most) and read the one of `source`, taken
 * modulo 32. */
uint64_t emulated_shuffle(uint64_t value, int source);

template <typename T> T __shfl_sync(unsigned mask, T value, int source)
{
	uint64_t bits = 0;

	(void)mask;
	static_assert(sizeof(T) <= sizeof(bits), "a shuffle moves 8 bytes at most");
	__builtin_memcpy(&bits, &value, sizeof(value));
	bits = emulated_shuffle(bits, source);
	__builtin_memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Host threads that drive several GPUs may meet at one address. */
static inline unsigned long long atomicMax(unsigned long long *address, unsigned long long value)
{
	unsigned long long old = __atomic_load_n(address, __ATOMIC_RELAXED);

	while (old < value && !__atomic_compare_exchange_n(address, &old, value, false,
							   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	return old;
}

static inline unsigned atomicMax(unsigned *address, unsigned value)
{
	unsigned old = __atomic_load_n(address, __ATOMIC_RELAXED);

	while (old < value && !__atomic_compare_exchange_n(address, &old, value, false,
							   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	return old;
}

/* Values of any size, written and read as a whole; whoever reads is about to wait. */
enum {
	__NV_ATOMIC_RELAXED,
	__NV_ATOMIC_ACQUIRE,
	__NV_ATOMIC_RELEASE,
	__NV_ATOMIC_ACQ_REL,
	__NV_THREAD_SCOPE_BLOCK,
	__NV_THREAD_SCOPE_DEVICE,
	__NV_THREAD_SCOPE_SYSTEM
};
void emulated_atomic_copy(void *target, const void *source, size_t bytes);
void emulated_let_go(void);

template <typename T> void __nv_atomic_store(T *address, T *value, int order, int scope)
{
	(void)order;
	(void)scope;
	emulated_atomic_copy(address, value, sizeof(T));
}

template <typename T> void __nv_atomic_load(T *address, T *value, int order, int scope)
{
	(void)order;
	(void)scope;
	emulated_let_go();
	emulated_atomic_copy(value, address, sizeof(T));
}

static inline void __nv_atomic_thread_fence(int order, int scope)
{
	(void)order;
	(void)scope;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Textures of linear memory, one after the other; what lies outside of one is 0. */
struct int2 {
	int x, y;
};
typedef unsigned long long cudaTextureObject_t;
struct cudaChannelFormatDesc {
	int bytes;
};
enum cudaResourceType { cudaResourceTypeLinear = 2 };
enum cudaTextureReadMode { cudaReadModeElementType };
struct cudaResourceDesc {
	cudaResourceType resType;
	struct {
		struct {
			void *devPtr;
			cudaChannelFormatDesc desc;
			size_t sizeInBytes;
		} linear;
	} res;
};
struct cudaTextureDesc {
	cudaTextureReadMode readMode;
};
enum { EMULATED_TEXTURE_ELEMENTS = 1 << 20, EMULATED_TEXTURE_ALIGN = 512 };
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const cudaResourceDesc *memory,
				    const cudaTextureDesc *how, const void *view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture);
/* NULL: outside, or no such texture, which ends the program. */
const void *emulated_texel(cudaTextureObject_t texture, int index, size_t bytes);

template <typename T> cudaChannelFormatDesc cudaCreateChannelDesc()
{
	return { (int)sizeof(T) };
}

template <typename T> T tex1Dfetch(cudaTextureObject_t texture, int index)
{
	const void *texel = emulated_texel(texture, index, sizeof(T));
	T value = T();

	if (texel)
		__builtin_memcpy(&value, texel, sizeof(value));
	return value;
}

static inline double __hiloint2double(int high, int low)
{
	const uint64_t bits = (uint64_t)(uint32_t)high << 32 | (uint32_t)low;
	double value;

	__builtin_memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Of the lower 24 bits, with sign. */
static inline int __mul24(int a, int b)
{
	return (int)((int64_t)((int)((unsigned)a << 8) >> 8) * ((int)((unsigned)b << 8) >> 8));
}

static inline long long __double_as_longlong(double value)
{
	long long bits;

	__builtin_memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static inline int __float_as_int(float value)
{
	int bits;

	__builtin_memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static inline float __int_as_float(int bits)
{
	float value;

	__builtin_memcpy(&value, &bits, sizeof(value));
	return value;
}

template <typename... Args> struct emulated_call {
	void (*kernel)(Args...);
	void **args;
	template <size_t... I> void call(std::index_sequence<I...>)
	{
		kernel(*(typename std::tuple_element<
			 I, std::tuple<typename std::remove_const<Args>::type...>>::type *)
			       args[I]...);
	}
	static void body(void *context)
	{
		((emulated_call *)context)->call(std::index_sequence_for<Args...>());
	}
};

typedef cudaError_t emulated_launcher(dim3 grid, dim3 block, emulated_body *body, void *context);
template <typename... Args, size_t... I>
void emulated_keep_launch(emulated_launcher *launch, void (*kernel)(Args...), dim3 grid, dim3 block,
			  void **args, std::index_sequence<I...>)
{
	auto kept = std::make_tuple(*(typename std::remove_const<Args>::type *)args[I]...);

	emulated_keep([=]() mutable {
		void *again[] = { &std::get<I>(kept)... };
		emulated_call<Args...> call = { kernel, again };

		launch(grid, block, emulated_call<Args...>::body, &call);
	});
}

template <typename... Args>
cudaError_t cudaLaunchKernel(void (*kernel)(Args...), dim3 grid, dim3 block, void **args,
			     size_t shared_bytes, cudaStream_t stream)
{
	emulated_call<Args...> call = { kernel, args };

	(void)shared_bytes;
	emulated_count(stream);
	if (emulated_capturing()) {
		emulated_keep_launch(emulated_launch, kernel, grid, block, args,
				     std::index_sequence_for<Args...>());
		return cudaSuccess;
	}
	return emulated_launch(grid, block, emulated_call<Args...>::body, &call);
}

template <typename... Args>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(Args...), dim3 grid, dim3 block, void **args,
					size_t shared_bytes, cudaStream_t stream)
{
	emulated_call<Args...> call = { kernel, args };

	if (shared_bytes > EMULATED_SHARED_BYTES)
		return cudaErrorInvalidValue;
	emulated_count(stream);
	if (emulated_capturing()) {
		emulated_keep_launch(emulated_cooperative, kernel, grid, block, args,
				     std::index_sequence_for<Args...>());
		return cudaSuccess;
	}
	return emulated_cooperative(grid, block, emulated_call<Args...>::body, &call);
}

/* Clusters along x, whose blocks find each other's shared memory: that of another host thread. */
enum cudaLaunchAttributeID { cudaLaunchAttributeClusterDimension = 4 };
struct cudaLaunchAttribute {
	cudaLaunchAttributeID id;
	struct {
		struct {
			unsigned x, y, z;
		} clusterDim;
	} val;
};
struct cudaLaunchConfig_t {
	dim3 gridDim, blockDim;
	size_t dynamicSmemBytes;
	cudaStream_t stream;
	cudaLaunchAttribute *attrs;
	unsigned numAttrs;
};
void __cluster_barrier_arrive(void);
void __cluster_barrier_wait(void);
void *__cluster_map_shared_rank(const void *address, unsigned rank);
cudaError_t emulated_clusters(const cudaLaunchConfig_t *config, emulated_body *body, void *context);
cudaError_t emulated_most_clusters(int *clusters, const cudaLaunchConfig_t *config);

template <typename... Args>
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, void (*kernel)(Args...),
					   const cudaLaunchConfig_t *config)
{
	(void)kernel;
	return emulated_most_clusters(clusters, config);
}

template <typename... Args, typename... Given>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Args...),
			       Given &...given)
{
	void *args[] = { (void *)&given... };
	emulated_call<Args...> call = { kernel, args };

	emulated_count(config->stream);
	return emulated_clusters(config, emulated_call<Args...>::body, &call);
}

template <typename... Args>
cudaError_t cudaFuncSetAttribute(void (*kernel)(Args...), cudaFuncAttribute attribute, int value)
{
	(void)kernel;
	(void)attribute;
	return value <= EMULATED_SHARED_BYTES ? cudaSuccess : cudaErrorInvalidValue;
}

/* Of whole numbers. */
template <typename T> T atomicAdd(T *address, T value)
{
	return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}

template <typename T> T atomicAdd_system(T *address, T value)
{
	return atomicAdd(address, value);
}

template <typename T> T atomicMax_system(T *address, T value)
{
	return atomicMax(address, value);
}

static inline float rsqrtf(float x)
{
	return 1.0f / sqrtf(x);
}

static inline float emulated_expf(float x)
{
	return expf(x);
}
#define __expf emulated_expf /* glibc has one of its own under that name */

const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError(void);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr attribute, int device,
				      int peer);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaMalloc(void **address, size_t bytes);
cudaError_t cudaFree(void *address);
cudaError_t cudaHostAlloc(void **address, size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void *address);
cudaError_t cudaMemcpyAsync(void *target, const void *source, size_t bytes, cudaMemcpyKind kind,
			    cudaStream_t stream);
cudaError_t cudaMemcpyPeerAsync(void *target, int target_gpu, const void *source, int source_gpu,
				size_t bytes, cudaStream_t stream);
cudaError_t cudaMemcpy2DAsync(void *target, size_t target_pitch, const void *source,
			      size_t source_pitch, size_t row_bytes, size_t rows,
			      cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t begin, cudaEvent_t end);
/* Launches are done while they are captured; a graph only knows how many there were, and its launch
 * takes a microsecond for each. */
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status);
/* Whether this thread captures in a mode that allows no call that might wait for the device. */
bool emulated_strict_capture(void);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, void *nodes, size_t *count);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *ready, cudaGraph_t graph,
					  unsigned long long flags);
cudaError_t cudaGraphUpload(cudaGraphExec_t ready, cudaStream_t stream);
cudaError_t cudaGraphLaunch(cudaGraphExec_t ready, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t ready);

#endif
