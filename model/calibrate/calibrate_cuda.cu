/* SPDX-License-Identifier: MIT
 * The entry of the calibration: facts, kits, then the parts asked for, each within its share of
 * what is left of the budget.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "calibrate_internal.h"

struct part {
	unsigned bit;
	int (*run)(struct bench *bench);
	double weight;	      /* share of the time */
	int points_per_count; /* measurements: so many for every number of threads at once ... */
	int points;	      /* ... and so many more */
};

static const struct part parts[] = {
	{ CALIBRATE_HOST | CALIBRATE_STREAM, calibrate_latency, 1, 1, 5 },
	{ CALIBRATE_HOST, calibrate_host, 2, 16, 3 },
	{ CALIBRATE_HOST, calibrate_first, 0.5, 4, 0 },
	{ CALIBRATE_STREAM, calibrate_stream, 2, 0, 38 },
	{ CALIBRATE_HOST, calibrate_notes, 0.1, 0, 2 },
	{ CALIBRATE_COPY, calibrate_copy, 10, 50, 82 },
	{ CALIBRATE_COPY, calibrate_idle, 4, 60, 0 },
	{ CALIBRATE_COPY, calibrate_loops, 2, 8, 60 },
	{ CALIBRATE_COPY, calibrate_exchange, 3, 10, 6 },
	{ CALIBRATE_COPY, calibrate_channels, 1, 2, 20 },
	{ CALIBRATE_DOORBELL, calibrate_doorbell, 1, 0, 13 },
	{ CALIBRATE_POLL, calibrate_poll, 1, 0, 4 },
	{ CALIBRATE_PEER_EXCHANGE, calibrate_peer_exchange, 1, 5, 0 },
	{ CALIBRATE_MEMORY, calibrate_memory, 2, 0, 31 },
	{ CALIBRATE_LINKS, calibrate_links, 2, 0, 56 },
	{ CALIBRATE_SM, calibrate_sm, 6, 0, 160 },
};
enum { PARTS = sizeof(parts) / sizeof(parts[0]) };

/* The recorder's table, when one is loaded in this process: it gets a window for every measurement.
 */
static const struct warpreel_annotate *find_notes(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_NOLOAD | RTLD_LAZY) : NULL;
	const struct warpreel_annotate *notes =
		library ? static_cast<const struct warpreel_annotate *>(
				  dlsym(library, "warpreel_annotate_table"))
			: NULL;
	return notes && notes->abi == WARPREEL_ANNOTATE_ABI ? notes : NULL;
}

static int attribute(struct bench *bench, const char *key, enum cudaDeviceAttr which, double unit)
{
	int number = 0;
	CUDA_TRY(bench, cudaDeviceGetAttribute(&number, which, 0));
	double value = number * unit;
	bench_emit(bench, key, &value, NULL, 1, "as the driver reports it");
	return 0;
}

static int facts(struct bench *bench)
{
	struct cudaDeviceProp properties;
	CUDA_TRY(bench, cudaGetDeviceProperties(&properties, 0));
	double memory_bytes = static_cast<double>(properties.totalGlobalMem), gpus = bench->gpus;
	bench_emit(bench, "device.name", NULL, NULL, 0, properties.name);
	bench_emit(bench, "device.memory_bytes", &memory_bytes, NULL, 1,
		   "as the driver reports it");
	bench_emit(bench, "device.gpus", &gpus, NULL, 1, "measured together");
	return attribute(bench, "device.sm_count", cudaDevAttrMultiProcessorCount, 1) ||
			       attribute(bench, "device.l2_bytes", cudaDevAttrL2CacheSize, 1) ||
			       attribute(bench, "device.sm_mhz", cudaDevAttrClockRate, 1e-3) ||
			       attribute(bench, "device.memory_mhz", cudaDevAttrMemoryClockRate,
					 1e-3) ||
			       attribute(bench, "device.copy_engines", cudaDevAttrAsyncEngineCount,
					 1)
		       ? -1
		       : 0;
}

static int run_parts(struct bench *bench, int64_t deadline_ns)
{
	double weight_left = 0;
	unsigned asked = bench->calibration->parts;
	for (int i = 0; i < PARTS; i++)
		weight_left += parts[i].bit & asked ? parts[i].weight : 0;
	for (int i = 0; i < PARTS; i++) {
		if (!(parts[i].bit & asked))
			continue;
		double left_s = fmax(1e-9 * static_cast<double>(deadline_ns - monotonic_ns()), 0);
		int points = parts[i].points_per_count * bench->counts + parts[i].points;
		bench->slice_s = left_s * parts[i].weight / weight_left / points;
		weight_left -= parts[i].weight;
		if (parts[i].run(bench))
			return -1;
	}
	return 0;
}

static int check_gpus(const struct calibration *calibration)
{
	int found = 0;
	cudaError_t error = cudaGetDeviceCount(&found);
	if (error != cudaSuccess)
		return report("calibrate: no CUDA device: %s", cudaGetErrorString(error));
	if (!found)
		return report("calibrate: no CUDA device");
	if (calibration->gpus > found)
		return report("calibrate: %d GPUs asked for, this machine has %d",
			      calibration->gpus, found);
	if (calibration->gpus < 0 || calibration->gpus > MAX_GPUS)
		return report("calibrate: from 1 to %d GPUs, not %d", MAX_GPUS, calibration->gpus);
	return calibration->gpus ? calibration->gpus : found < MAX_GPUS ? found : MAX_GPUS;
}

extern "C" int warpreel_calibrate_cuda(struct calibration *calibration)
{
	int64_t deadline_ns = monotonic_ns() + static_cast<int64_t>(1e9 * calibration->budget_s);
	int gpus = check_gpus(calibration);
	if (gpus < 1)
		return -1;
	struct bench *bench = static_cast<struct bench *>(xcalloc(1, sizeof(*bench)));
	bench->calibration = calibration;
	bench->gpus = gpus;
	bench->slice_s = 1;
	for (int threads = 1; threads < gpus && bench->counts < MAX_COUNTS - 1; threads *= 2)
		bench->count[bench->counts++] = threads;
	bench->count[bench->counts++] = gpus;
	/* Copies need their largest size twice a GPU and once in pinned memory; the calls alone
	 * very little. */
	size_t bytes = calibration->parts & (CALIBRATE_COPY | CALIBRATE_LINKS) ? 268435456
		       : calibration->parts & CALIBRATE_POLL		       ? 4194304
									       : 1048576;
	bench_progress(bench, "opening GPUs");
	int rc = facts(bench);
	bench->meet_limit_s = OPEN_LIMIT_S;
	if (!rc)
		rc = kits_open(bench, bytes);
	bench->meet_limit_s = MEET_LIMIT_S;
	/* The recorder is loaded by the driver's start, so not before the first context. */
	bench->notes = rc ? NULL : find_notes();
	if (!rc)
		rc = run_parts(bench, deadline_ns);
	kits_close(bench);
	free(bench);
	return rc;
}
