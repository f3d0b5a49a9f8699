/* SPDX-License-Identifier: MIT
 * The calibration's kernels. Every loop is bounded by clock64, so that no error of the host can
 * leave a GPU spinning.
 */
#include "calibrate_internal.h"

static __global__ void calibrate_hold(volatile uint32_t *flags, uint32_t epoch,
				      long long limit_cycles)
{
	long long begun = clock64();
	while (static_cast<int32_t>(flags[FLAG_RELEASE] - epoch) < 0) {
		if (clock64() - begun > limit_cycles) {
			flags[FLAG_TIMED_OUT] = epoch;
			break;
		}
		__nanosleep(100);
	}
}

/* flags may be NULL; otherwise the host sees when the body begins and ends. */
static __global__ void calibrate_spin(volatile uint32_t *flags, uint32_t epoch, long long cycles)
{
	long long begun = clock64();
	if (flags)
		flags[FLAG_BEGUN] = epoch;
	while (clock64() - begun < cycles)
		;
	if (flags)
		flags[FLAG_ENDED] = epoch;
}

struct arguments64 {
	uint64_t word[8];
};

static __global__ void calibrate_period_empty(struct arguments64 arguments)
{
	/* Never true: keeps the arguments alive. */
	if (arguments.word[0] == ~0ull)
		*reinterpret_cast<uint64_t *>(arguments.word[1]) = arguments.word[7];
}

/* Blocks that only compute, one operation after the other: as long as that takes. */
static __global__ void calibrate_turn(float *d_never, int length)
{
	float a = static_cast<float>(threadIdx.x);
	for (int i = 0; i < length; i++)
		a = a * 1.0001f + 0.5f;
	if (a == -1.0f)
		*d_never = a;
}

enum { COPY_BLOCK = 256, COPY_PER_THREAD = 2 };

/* Two 16-byte words a thread: enough bytes in flight for DRAM at full occupancy, small enough
 * blocks for small footprints. */
static __global__ void calibrate_period_copy(float4 *__restrict__ d_target,
					     const float4 *__restrict__ d_source, size_t words)
{
	size_t first =
		static_cast<size_t>(blockIdx.x) * (COPY_BLOCK * COPY_PER_THREAD) + threadIdx.x;
	size_t second = first + COPY_BLOCK;
	if (second < words) {
		float4 a = d_source[first], b = d_source[second];
		d_target[first] = a;
		d_target[second] = b;
	} else if (first < words) {
		d_target[first] = d_source[first];
	}
}

/* Distinct kernels nobody has launched before: the driver loads each at its first launch. */
template <int N> static __global__ void calibrate_first(int *d_word)
{
	if (d_word)
		*d_word = N;
}

/* cudaLaunchKernel itself, as the solvers call it: the <<< >>> form makes other calls besides. */
int launch_hold(cudaStream_t stream, volatile uint32_t *flags, uint32_t epoch,
		long long limit_cycles)
{
	void *arguments[] = { &flags, &epoch, &limit_cycles };
	return cudaLaunchKernel(reinterpret_cast<const void *>(calibrate_hold), dim3(1), dim3(1),
				arguments, 0, stream);
}

int launch_spin(cudaStream_t stream, volatile uint32_t *flags, uint32_t epoch, long long cycles)
{
	void *arguments[] = { &flags, &epoch, &cycles };
	return cudaLaunchKernel(reinterpret_cast<const void *>(calibrate_spin), dim3(1), dim3(1),
				arguments, 0, stream);
}

int launch_turns(cudaStream_t stream, const struct turns *turns)
{
	calibrate_turn<<<static_cast<unsigned>(turns->blocks),
			 static_cast<unsigned>(turns->threads), 0, stream>>>(NULL, turns->length);
	return cudaPeekAtLastError();
}

int turns_plan(struct turns *turns, int count)
{
	int resident = 0, gpu = 0, processors = 0;
	int error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, calibrate_turn,
								  turns->threads, 0);
	if (!error)
		error = cudaGetDevice(&gpu);
	if (!error)
		error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, gpu);
	turns->blocks = count * resident * processors;
	return error;
}

int launch_empty(cudaStream_t stream)
{
	struct arguments64 words = {};
	void *arguments[] = { &words };
	return cudaLaunchKernel(reinterpret_cast<const void *>(calibrate_period_empty), dim3(1),
				dim3(128), arguments, 0, stream);
}

int launch_copy(cudaStream_t stream, void *d_target, const void *d_source, size_t bytes)
{
	size_t words = bytes / sizeof(float4), per_block = COPY_BLOCK * COPY_PER_THREAD;
	void *arguments[] = { &d_target, &d_source, &words };
	return cudaLaunchKernel(reinterpret_cast<const void *>(calibrate_period_copy),
				dim3(static_cast<unsigned>((words + per_block - 1) / per_block)),
				dim3(COPY_BLOCK), arguments, 0, stream);
}

static void (*const firsts[])(int *) = {
	calibrate_first<0>,  calibrate_first<1>,  calibrate_first<2>,  calibrate_first<3>,
	calibrate_first<4>,  calibrate_first<5>,  calibrate_first<6>,  calibrate_first<7>,
	calibrate_first<8>,  calibrate_first<9>,  calibrate_first<10>, calibrate_first<11>,
	calibrate_first<12>, calibrate_first<13>, calibrate_first<14>, calibrate_first<15>,
};

int launch_firsts(void)
{
	return sizeof(firsts) / sizeof(firsts[0]);
}

int launch_nth_first(cudaStream_t stream, int n)
{
	int *d_word = NULL;
	void *arguments[] = { &d_word };
	return cudaLaunchKernel(reinterpret_cast<const void *>(firsts[n]), dim3(1), dim3(1),
				arguments, 0, stream);
}
