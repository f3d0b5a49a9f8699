/* SPDX-License-Identifier: MIT
 * The thesis' kernels with tiles loaded through the texture path (Spampinato, section 5.4.2,
 * Figures 5.18 and 5.19). As there, a texture is bound anew for every launch, because the area that
 * is updated changes; what was a reference then is an object today, so that no switch over the GPUs
 * is needed. Doubles are fetched as two words.
 *
 * An object must not go before the launch that uses it has ended: objects are destroyed in groups,
 * long after, behind an event.
 */
#include <string.h>
#include <vector>

#include "rbsor_tile.cuh"

enum { ALIGN_BYTES = 512, GROUP = 64, GROUPS = 4, DEVICES = 64 };

template <typename T> struct from_texture;
template <> struct from_texture<float> {
	typedef float element;
	cudaTextureObject_t texture;
	int offset;
	__device__ __forceinline__ float operator()(int64_t at) const
	{
		return tex1Dfetch<float>(texture, offset + (int)at);
	}
};
template <> struct from_texture<double> {
	typedef int2 element;
	cudaTextureObject_t texture;
	int offset;
	__device__ __forceinline__ double operator()(int64_t at) const
	{
		const int2 words = tex1Dfetch<int2>(texture, offset + (int)at);

		return __hiloint2double(words.y, words.x);
	}
};

template <typename T> struct texture_area {
	rbsor_area area;
	from_texture<T> load;
};

#define KERNEL(name, T, red)                                                                       \
	extern "C" __global__ void __launch_bounds__(PAPER_TILE_COLUMNS)                           \
		name(const texture_area<T> args)                                                   \
	{                                                                                          \
		block_note<block_note_id(#name)> note;                                             \
		rbsor_tile<T, red, of_blocks>(args.area, args.load);                               \
	}
KERNEL(rbsor_texture_red_f32, float, true)
KERNEL(rbsor_texture_black_f32, float, false)
KERNEL(rbsor_texture_red_f64, double, true)
KERNEL(rbsor_texture_black_f64, double, false)

/* The objects of a host thread on a device. */
struct bindings {
	cudaTextureObject_t object[GROUPS][GROUP];
	cudaEvent_t used[GROUPS];		   /* behind the last launch of a group */
	int group, count;			   /* of the next */
	std::vector<cudaTextureObject_t> captured; /* of graphs, which may be launched again */

	cudaError_t empty(int which)
	{
		cudaError_t error = used[which] ? cudaEventSynchronize(used[which]) : cudaSuccess;

		for (int k = 0; k < GROUP; k++) {
			if (object[which][k])
				(void)cudaDestroyTextureObject(object[which][k]);
			object[which][k] = 0;
		}
		return error;
	}
	cudaError_t add(cudaTextureObject_t made, cudaStream_t stream)
	{
		cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
		cudaError_t error = cudaStreamIsCapturing(stream, &capture);

		if (!error && capture != cudaStreamCaptureStatusNone) {
			captured.push_back(made);
			return error;
		}
		object[group][count++] = made;
		if (count < GROUP)
			return error;
		if (!used[group])
			error = cudaEventCreateWithFlags(&used[group], cudaEventDisableTiming);
		if (!error)
			error = cudaEventRecord(used[group], stream);
		group = (group + 1) % GROUPS;
		count = 0;
		return error ? error : empty(group);
	}
	/* At the end of a thread, whose streams are empty. */
	~bindings()
	{
		for (cudaTextureObject_t of : captured)
			(void)cudaDestroyTextureObject(of);
		for (int which = 0; which < GROUPS; which++) {
			for (int k = 0; k < GROUP; k++)
				if (object[which][k])
					(void)cudaDestroyTextureObject(object[which][k]);
			if (used[which])
				(void)cudaEventDestroy(used[which]);
		}
	}
};
static thread_local bindings bound[DEVICES];

/* The rows that a launch reads, from one before its first to one behind its last. */
template <typename T> static cudaError_t bind(texture_area<T> *args)
{
	const rbsor_sweep &sweep = args->area.sweep;
	const uintptr_t first =
		(uintptr_t)((const T *)sweep.grid + (sweep.row_begin - 1) * sweep.pitch);
	const uintptr_t aligned = first / ALIGN_BYTES * ALIGN_BYTES;
	const int64_t rows = sweep.row_end - sweep.row_begin + 2,
		      elements = (rows - 1) * sweep.pitch + sweep.columns;
	cudaResourceDesc memory;
	cudaTextureDesc texture;

	memset(&memory, 0, sizeof(memory));
	memset(&texture, 0, sizeof(texture));
	memory.resType = cudaResourceTypeLinear;
	memory.res.linear.devPtr = (void *)aligned;
	memory.res.linear.desc = cudaCreateChannelDesc<typename from_texture<T>::element>();
	memory.res.linear.sizeInBytes = (size_t)elements * sizeof(T) + (first - aligned);
	texture.readMode = cudaReadModeElementType;
	args->load.offset = (int)((first - aligned) / sizeof(T));
	return cudaCreateTextureObject(&args->load.texture, &memory, &texture, NULL);
}

template <typename T, void (*kernel)(const texture_area<T>)>
static int launch(const void *given, void *stream)
{
	texture_area<T> args = { *(const rbsor_area *)given, { 0, 0 } };
	void *arguments[] = { &args };
	struct launch_geometry g;
	int device = 0;

	rbsor_paper_geometry(given, &g);
	if (!g.grid[0] || !g.grid[1])
		return cudaSuccess;
	cudaError_t error = cudaGetDevice(&device);
	if (!error)
		error = bind(&args);
	if (error)
		return error;
	error = cudaLaunchKernel(kernel, dim3(g.grid[0], g.grid[1], g.grid[2]),
				 dim3(g.block[0], g.block[1], g.block[2]), arguments, 0,
				 (cudaStream_t)stream);
	const cudaError_t kept =
		bound[device % DEVICES].add(args.load.texture, (cudaStream_t)stream);
	return error ? error : kept;
}

extern "C" const struct cuda_kernel rbsor_texture_kernels[] = {
	{ "rbsor_texture_red_f32", launch<float, rbsor_texture_red_f32> },
	{ "rbsor_texture_black_f32", launch<float, rbsor_texture_black_f32> },
	{ "rbsor_texture_red_f64", launch<double, rbsor_texture_red_f64> },
	{ "rbsor_texture_black_f64", launch<double, rbsor_texture_black_f64> },
	{ 0, 0 },
};
