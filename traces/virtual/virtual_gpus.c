/* SPDX-License-Identifier: MIT
 * The devices. Contexts of one device share its address space, so copies, events, loads and stores
 * across them need no peer access; what the program asks of it is remembered and answered.
 */
#include "virtual.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
	int all, count;
	int number[VIRTUAL_GPUS_MAX]; /* of all, by device */
	pthread_mutex_t lock;	      /* contexts are made one at a time */
	_Atomic(CUcontext) context[VIRTUAL_GPUS_MAX];
	atomic_bool peer[VIRTUAL_GPUS_MAX][VIRTUAL_GPUS_MAX];
	atomic_bool used0; /* device 0 was set or used */
} gpus = { .lock = PTHREAD_MUTEX_INITIALIZER };
static pthread_once_t count_once = PTHREAD_ONCE_INIT;
static _Thread_local int set_last;

/* The devices that CUDA_VISIBLE_DEVICES names, by number, as CUDA reads it: up to the first that is
 * none. -1 after a message: it names them otherwise. */
static int read_visible(const char *text)
{
	static bool said;
	int count = 0;

	while (*text && count < gpus.all) {
		char *end;
		const long number = strtol(text, &end, 10);

		if (end == text) {
			notes_say(&said,
				  "CUDA_VISIBLE_DEVICES=%s names no device by number: all %d are "
				  "visible",
				  text, gpus.all);
			return -1;
		}
		if (number < 0 || number >= gpus.all)
			break;
		gpus.number[count++] = (int)number;
		text = end + (*end == ',');
	}
	return count;
}

/* Launchers give each process a device of its own by CUDA_VISIBLE_DEVICES. The driver is left what
 * it was when the recording began; other programs that this one starts find the choice in a
 * variable of ours. */
static int visible_devices(void)
{
	const char *begun = getenv("WARPREEL_VISIBLE_BEFORE"),
		   *now = getenv("CUDA_VISIBLE_DEVICES"), *chosen = getenv("WARPREEL_VISIBLE");
	char *choice;
	int count;

	if (!begun)
		return -1;
	chosen = now && strcmp(now, begun) != 0 ? now : chosen;
	if (!chosen || !*chosen) {
		if (!now && *begun) /* look_early took it away */
			setenv("CUDA_VISIBLE_DEVICES", begun, 1);
		return now && !*now && *begun ? 0 : -1;
	}
	choice = strdup(chosen);
	if (!choice)
		return -1;
	count = read_visible(choice);
	setenv("WARPREEL_VISIBLE", choice, 1);
	if (*begun)
		setenv("CUDA_VISIBLE_DEVICES", begun, 1);
	else
		unsetenv("CUDA_VISIBLE_DEVICES");
	free(choice);
	return count;
}

static void read_count(void)
{
	const char *text = getenv("WARPREEL_AS_GPUS");
	const long count = text ? strtol(text, NULL, 10) : 0;
	char first[16];
	int visible;

	gpus.all = count < 1 ? 0 : count > VIRTUAL_GPUS_MAX ? VIRTUAL_GPUS_MAX : (int)count;
	for (int i = 0; i < gpus.all; i++)
		gpus.number[i] = i;
	visible = gpus.all > 1 ? visible_devices() : -1;
	gpus.count = visible < 0 ? gpus.all : visible;
	if (!gpus.number[0])
		return;
	/* For the recorder: what is in no context of ours is this device's. */
	snprintf(first, sizeof(first), "%d", gpus.number[0]);
	setenv("WARPREEL_VIRTUAL_FIRST", first, 1);
}

int gpus_count(void)
{
	pthread_once(&count_once, read_count);
	return gpus.count;
}

int gpus_all(void)
{
	return gpus_count() ? gpus.all : 0;
}

int gpus_number(int device)
{
	return gpus_has(device) ? gpus.number[device] : device;
}

/* Before a program's first call, which may be one that is not hooked; but not in a shell or a
 * launcher, which has no runtime, nor where the program may still choose itself. What the real GPUs
 * are limited to is for the driver alone, which is given it when it is asked for (visible_devices):
 * PyTorch counts what the variable names. */
static __attribute__((constructor)) void look_early(void)
{
	const char *begun = getenv("WARPREEL_VISIBLE_BEFORE"),
		   *now = getenv("CUDA_VISIBLE_DEVICES"), *text = getenv("WARPREEL_AS_GPUS");

	if (!begun || !now || !text || atoi(text) < 2)
		return;
	if (*begun && !strcmp(now, begun))
		unsetenv("CUDA_VISIBLE_DEVICES");
	else if (strcmp(now, begun) != 0 && real_runtime_major())
		gpus_count();
}

CUcontext gpus_context(int device)
{
	return gpus_has(device) ? atomic_load(&gpus.context[device]) : NULL;
}

bool gpus_started(int device)
{
	return device == 0 ? atomic_load(&gpus.used0) : gpus_context(device) != NULL;
}

int gpus_of_context(CUcontext context)
{
	for (int i = 1; context && i < gpus_count(); i++)
		if (atomic_load_explicit(&gpus.context[i], memory_order_relaxed) == context)
			return i;
	return 0;
}

int gpus_current(void)
{
	const struct driver *driver = real_driver();
	CUcontext now = NULL;

	if (driver && driver->cuCtxGetCurrent(&now) == CUDA_SUCCESS && now)
		return gpus_of_context(now);
	return set_last;
}

/* Makes the context of a device other than 0; the runtime is initialised. */
static cudaError_t start(int device)
{
	static bool said;
	const struct driver *driver = real_driver();
	CUcontext context = NULL;
	cudaError_t result = cudaSuccess;
	CUdevice real;

	if (!driver)
		return cudaErrorInsufficientDriver;
	pthread_mutex_lock(&gpus.lock);
	if (!atomic_load(&gpus.context[device])) {
		CUresult made = driver->cuDeviceGet(&real, 0);

		made = made ? made : driver->cuCtxCreate_v2(&context, 0, real);
		if (made == CUDA_SUCCESS) {
			atomic_store(&gpus.context[device], context);
			notes_context(context, gpus_number(device));
		} else {
			size_t left = 0, all = 0;

			driver->cuMemGetInfo_v2(&left, &all);
			notes_say(
				&said,
				"device %d of %d has no room on the one GPU (a context takes about "
				"half a gigabyte, %zu MiB are free): run the program smaller or "
				"with a smaller --as-gpus",
				device, gpus_count(), left >> 20);
			result = made == CUDA_ERROR_OUT_OF_MEMORY ? cudaErrorMemoryAllocation
								  : cudaErrorDevicesUnavailable;
		}
	}
	pthread_mutex_unlock(&gpus.lock);
	return result;
}

cudaError_t gpus_set_current(int device)
{
	static void *_Atomic slot;
	cudaError_t (*set)(int) =
		(cudaError_t(*)(int))(uintptr_t)real_runtime(&slot, "cudaSetDevice");
	/* Of the real device, whichever is asked for: the program's call is one call of the trace,
	 * and initialises the runtime. */
	cudaError_t result = set(0);

	if (result != cudaSuccess)
		return result;
	if (device == 0) {
		atomic_store(&gpus.used0, true);
	} else {
		const uint64_t start_ns = notes_now_ns();
		const bool starts = !atomic_load(&gpus.context[device]);

		if (starts)
			result = start(device);
		if (result == cudaSuccess &&
		    real_driver()->cuCtxSetCurrent(atomic_load(&gpus.context[device])))
			result = cudaErrorDevicesUnavailable;
		(starts ? notes_hidden_calls : notes_hidden)(start_ns);
	}
	if (result == cudaSuccess)
		set_last = device;
	return result;
}

void gpus_forget_peers(int device)
{
	for (int i = 0; i < gpus_count(); i++)
		atomic_store(&gpus.peer[device][i], false);
}

/* On real GPUs this takes 60 ms and more, in which other threads of a program get as far: some rely
 * on it without knowing (docs/lab/as-gpus.md). */
static void pause_as_there(void)
{
	const struct timespec pause = { 0, 20 * 1000 * 1000 };
	uint64_t start_ns = notes_now_ns();

	nanosleep(&pause, NULL);
	notes_hidden(start_ns);
}

cudaError_t gpus_enable_peer(int device, int peer, bool enable)
{
	if (!gpus_has(peer) || peer == device)
		return cudaErrorInvalidDevice;
	if (atomic_exchange(&gpus.peer[device][peer], enable) != enable) {
		if (enable)
			pause_as_there();
		return cudaSuccess;
	}
	return enable ? cudaErrorPeerAccessAlreadyEnabled : cudaErrorPeerAccessNotEnabled;
}
