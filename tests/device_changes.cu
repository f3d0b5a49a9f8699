/* SPDX-License-Identifier: MIT
 * What a change of device costs virtual GPUs (docs/lab/as-gpus.md), and what other ways would cost:
 * microseconds of a launch of an empty kernel and a wait for it, on two places in turn. A place is
 * a context of its own, as now, waited for by cuCtxSynchronize or by asking an event; a green
 * context, which shares the primary one's memory; or a stream of one context. Green contexts would
 * let virtual GPUs change at once, if they are as cheap as streams.
 *
 *     nvcc -arch=sm_90 -O2 -o device_changes tests/device_changes.cu -lcuda
 */
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include "host_clock.h"

enum { PLACES = 2, ROUNDS = 1000, TRIES = 7 };

__global__ static void nothing(int *to)
{
	if (to)
		*to = 1;
}

static void must(int result, const char *what)
{
	if (!result)
		return;
	fprintf(stderr, "device_changes: %s: %d\n", what, result);
	exit(1);
}
#define MUST(call) must((int)(call), #call)

struct place {
	CUcontext context;
	CUstream stream;
	CUevent event;
};

static void wait_for_context(const struct place *)
{
	MUST(cuCtxSynchronize());
}

static void ask_event(const struct place *place)
{
	MUST(cuEventRecord(place->event, place->stream));
	while (cuEventQuery(place->event) == CUDA_ERROR_NOT_READY)
		;
}

static int ascending(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

/* The median of TRIES of the time of a launch and its wait. */
static double launch_us(const struct place *place, int stride, void (*wait)(const struct place *))
{
	double us[TRIES];

	for (int t = -1; t < TRIES; t++) { /* the first makes what is made but once */
		const double begin_us = now_us();

		for (int k = 0; k < ROUNDS; k++) {
			const struct place *at = &place[k * stride % PLACES];

			MUST(cuCtxSetCurrent(at->context));
			nothing<<<1, 1, 0, (cudaStream_t)at->stream>>>(NULL);
			wait(at);
		}
		if (t >= 0)
			us[t] = (now_us() - begin_us) / ROUNDS;
	}
	qsort(us, TRIES, sizeof(us[0]), ascending);
	return us[TRIES / 2];
}

static void report(const char *what, const struct place *place)
{
	printf("%-22s wait %7.2f us alone %7.2f in turn; event %7.2f alone %7.2f in turn\n", what,
	       launch_us(place, 0, wait_for_context), launch_us(place, 1, wait_for_context),
	       launch_us(place, 0, ask_event), launch_us(place, 1, ask_event));
	fflush(stdout);
}

static void open_place(struct place *place)
{
	MUST(cuCtxSetCurrent(place->context));
	MUST(cuStreamCreate(&place->stream, CU_STREAM_NON_BLOCKING));
	MUST(cuEventCreate(&place->event, CU_EVENT_DISABLE_TIMING));
}

/* Two of all multiprocessors: they may overlap, as kernels take turns anyway. */
static bool open_green(struct place *place, CUdevice device)
{
	CUdevResource all;
	CUdevResourceDesc description;
	CUgreenCtx green;

	for (int i = 0; i < PLACES; i++) {
		if (cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM) ||
		    cuDevResourceGenerateDesc(&description, &all, 1) ||
		    cuGreenCtxCreate(&green, description, device, CU_GREEN_CTX_DEFAULT_STREAM) ||
		    cuCtxFromGreenCtx(&place[i].context, green))
			return false;
		open_place(&place[i]);
	}
	return true;
}

int main(void)
{
	struct place streams[PLACES], contexts[PLACES], green[PLACES];
	CUdevice device;

	MUST(cudaFree(0));
	MUST(cuDeviceGet(&device, 0));
	for (int i = 0; i < PLACES; i++) {
		MUST(cuDevicePrimaryCtxRetain(&streams[i].context, device));
		open_place(&streams[i]);
	}
	report("streams of a context", streams);
	if (open_green(green, device))
		report("green contexts", green);
	else
		puts("green contexts: none here");
	contexts[0] = streams[0];
	MUST(cuCtxCreate(&contexts[1].context, NULL, 0, device));
	open_place(&contexts[1]);
	report("contexts", contexts);
	return 0;
}
