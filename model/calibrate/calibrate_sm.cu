/* SPDX-License-Identifier: MIT
 * [sm]: a GPU from the inside. What the driver knows of it, the clock, and the harness of all other
 * measurements.
 */
#include <stdio.h>
#include <stdlib.h>

#include "calibrate_sm.h"

int sm_launch(struct sm_bench *sm, const void *kernel, int blocks, int threads, void **arguments)
{
	cudaStream_t stream = sm->bench->kit[0].stream[0];
	CUDA_TRY(sm->bench,
		 cudaLaunchKernel(kernel, dim3(static_cast<unsigned>(blocks)),
				  dim3(static_cast<unsigned>(threads)), arguments, 0, stream));
	return 0;
}

int sm_results(struct sm_bench *sm, uint64_t *results, size_t count)
{
	cudaStream_t stream = sm->bench->kit[0].stream[0];
	CUDA_TRY(sm->bench, cudaMemcpyAsync(results, sm->d_results, count * sizeof(*results),
					    cudaMemcpyDeviceToHost, stream));
	CUDA_TRY(sm->bench, cudaStreamSynchronize(stream));
	return 0;
}

/* Once to bring code and data, then the fastest of four: what comes between can only delay. */
static int probe_run(struct sm_bench *sm, const struct probe *probe, const void *kernel,
		     double *cycles)
{
	struct probe_arguments values = { sm->d_results,
					  reinterpret_cast<uint32_t *>(sm->bench->kit[0].d_source),
					  0, probe->lanes, probe->rounds };
	void *arguments[] = { &values };
	uint64_t least = ~UINT64_C(0);
	for (int time = 0; time < 5; time++) {
		uint64_t result = 0;
		if (sm_launch(sm, kernel, probe->blocks, probe->threads, arguments) ||
		    sm_results(sm, &result, 1))
			return -1;
		if (time)
			least = result < least ? result : least;
	}
	*cycles = static_cast<double>(least);
	return 0;
}

int probe_batch(struct member *member, void *arg, double *value)
{
	const struct probe *probe = static_cast<const struct probe *>(arg);
	double once, twice;
	(void)member;
	if (probe_run(probe->sm, probe, probe->once, &once) ||
	    probe_run(probe->sm, probe, probe->twice, &twice))
		return -1;
	*value = probe->intercept ? (2 * once - twice) / probe->rounds / probe->per
				  : (twice - once) / probe->rounds / probe->n / probe->per;
	return 0;
}

int probe_measure(struct sm_bench *sm, struct probe probe, struct measured *out)
{
	probe.sm = sm;
	return bench_measure(sm->bench, 1, probe.key, probe.lanes, probe_batch, &probe, out);
}

void sm_emit(struct sm_bench *sm, const char *name, const struct measured *measured, size_t count,
	     const char *how)
{
	char *key = xprintf("sm.%s", name);
	bench_emit_measured(sm->bench, key, measured, count, how);
	free(key);
}

/* [0], [1]: cycles and nanoseconds that the first warp of the device needs for a loop that keeps
 * all of it busy. */
static __global__ void __launch_bounds__(1024)
	sm_clock_kernel(uint64_t *d_results, int rounds, float factor)
{
	uint64_t begun_ns, ended_ns;
	float x = factor + static_cast<float>(threadIdx.x);
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begun_ns));
	long long begun = clock64();
	for (int round = 0; round < rounds; round++)
		asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(factor));
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ended_ns));
	long long ended = clock64();
	if (x == 0.1234f)
		d_results[2] = 1;
	if (blockIdx.x == 0 && threadIdx.x == 0) {
		d_results[0] = static_cast<uint64_t>(ended - begun);
		d_results[1] = ended_ns - begun_ns;
	}
}

static int clock_batch(struct member *member, void *arg, double *value)
{
	struct sm_bench *sm = static_cast<struct sm_bench *>(arg);
	uint64_t results[2] = { 0 };
	int rounds = 400000;
	float factor = 0.5f;
	void *arguments[] = { &sm->d_results, &rounds, &factor };
	(void)member;
	if (sm_launch(sm, reinterpret_cast<const void *>(sm_clock_kernel), sm->multiprocessors,
		      1024, arguments) ||
	    sm_results(sm, results, 2))
		return -1;
	*value = results[1]
			 ? 1e3 * static_cast<double>(results[0]) / static_cast<double>(results[1])
			 : NAN;
	return 0;
}

int calibrate_sm_clock(struct sm_bench *sm)
{
	struct measured clock;
	bench_progress(sm->bench, "sm.clock_mhz");
	if (bench_measure(sm->bench, 1, "sm.clock_mhz", 0, clock_batch, sm, &clock))
		return -1;
	sm->clock_mhz = clock.value;
	sm_emit(sm, "clock_mhz", &clock, 1,
		"clock64 against globaltimer over a loop of FFMA of some milliseconds on all "
		"multiprocessors");
	return 0;
}

static int attribute(struct sm_bench *sm, const char *key, enum cudaDeviceAttr which, int unit,
		     const char *how)
{
	int number = 0;
	CUDA_TRY(sm->bench, cudaDeviceGetAttribute(&number, which, 0));
	double value = static_cast<double>(number / unit);
	bench_emit(sm->bench, key, &value, NULL, 1, how);
	return 0;
}

static void fact(struct sm_bench *sm, const char *key, double value, const char *how)
{
	bench_emit(sm->bench, key, &value, NULL, 1, how);
}

static int facts(struct sm_bench *sm)
{
	static const char driver[] = "as the driver reports it";
	static const char guide[] = "CUDA C++ Programming Guide, technical specifications by "
				    "compute capability; no driver call tells it";
	int major = 0, minor = 0;
	char isa[32];
	CUDA_TRY(sm->bench, cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
	CUDA_TRY(sm->bench, cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
	CUDA_TRY(sm->bench,
		 cudaDeviceGetAttribute(&sm->multiprocessors, cudaDevAttrMultiProcessorCount, 0));
	snprintf(isa, sizeof(isa), "sm_%d%d", major, minor);
	bench_emit(sm->bench, "sm.isa", NULL, NULL, 0, isa);
	if (major < 7)
		return report("calibrate: %s: multiprocessors before sm_70 are not measured", isa);
	fact(sm, "sm.sub_partitions", 4, guide);
	fact(sm, "sm.register_unit", 256, guide);
	fact(sm, "sm.shared_unit", major >= 8 ? 128 : 256, guide);
	return attribute(sm, "sm.warp_slots", cudaDevAttrMaxThreadsPerMultiProcessor, 32, driver) ||
			       attribute(sm, "sm.block_slots",
					 cudaDevAttrMaxBlocksPerMultiprocessor, 1, driver) ||
			       attribute(sm, "sm.register_count",
					 cudaDevAttrMaxRegistersPerMultiprocessor, 1, driver) ||
			       attribute(sm, "sm.shared_bytes",
					 cudaDevAttrMaxSharedMemoryPerMultiprocessor, 1, driver) ||
			       attribute(sm, "sm.shared_reserved_bytes",
					 cudaDevAttrReservedSharedMemoryPerBlock, 1, driver) ||
			       attribute(sm, "sm.block_threads_max", cudaDevAttrMaxThreadsPerBlock,
					 1, driver)
		       ? -1
		       : 0;
}

static int open_region(struct sm_bench *sm)
{
	size_t free_bytes = 0, total_bytes = 0;
	CUDA_TRY(sm->bench, cudaMemGetInfo(&free_bytes, &total_bytes));
	sm->region_bytes = static_cast<size_t>(4) << 30;
	while (sm->region_bytes > static_cast<size_t>(256) << 20 &&
	       sm->region_bytes > free_bytes / 10 * 8)
		sm->region_bytes /= 2;
	CUDA_TRY(sm->bench, cudaMalloc(reinterpret_cast<void **>(&sm->d_results),
				       RESULT_WORDS * sizeof(uint64_t)));
	CUDA_TRY(sm->bench, cudaMalloc(reinterpret_cast<void **>(&sm->d_region), sm->region_bytes));
	CUDA_TRY(sm->bench, cudaMemset(sm->d_region, 0, sm->region_bytes));
	CUDA_TRY(sm->bench, cudaDeviceSynchronize());
	return 0;
}

int calibrate_sm(struct bench *bench)
{
	struct sm_bench sm = { bench, 0, 0, NULL, NULL, 0, 0 };
	CUDA_TRY(bench, cudaSetDevice(0));
	bench_progress(bench, "sm");
	int rc = facts(&sm) || open_region(&sm) || calibrate_sm_clock(&sm) ||
				 calibrate_sm_pipes(&sm) || calibrate_sm_paths(&sm) ||
				 calibrate_sm_latency(&sm) || calibrate_sm_flow(&sm) ||
				 calibrate_sm_reads(&sm) || calibrate_sm_grid(&sm)
			 ? -1
			 : 0;
	cudaFree(sm.d_results);
	cudaFree(sm.d_region);
	return rc;
}
