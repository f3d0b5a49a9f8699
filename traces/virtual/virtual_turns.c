/* SPDX-License-Identifier: MIT
 * Kernels of different devices take turns: before a device gets its next kernel, what the device
 * before it was given has ended. On G GPUs they would run beside each other; on one they would
 * share it, in slices of about two milliseconds, and their times would be no one's. A kernel that
 * waits for another device's never ends that way, which a thread that watches notices.
 */
#include "ranks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { WATCH_MS = 250, STUCK_S = 20 };

static struct {
	int last; /* the device that ran kernels last */
	CUcontext last_context;
	bool any;
	atomic_int captures, waiting_for, waiting;
	_Atomic int64_t since_ms; /* 0: nobody waits */
	pthread_once_t watch_once;
} turns = { .watch_once = PTHREAD_ONCE_INIT };
static _Thread_local bool holds;

int64_t turns_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t turns_stuck_ms(void)
{
	const char *text = getenv("WARPREEL_STUCK_S");
	long given = text ? strtol(text, NULL, 10) : 0;

	return (given > 0 ? given : STUCK_S) * 1000;
}

static void tell_stuck(long long seconds)
{
	const int before = atomic_load(&turns.waiting_for), now = atomic_load(&turns.waiting);

	if (before < 0)
		fprintf(stderr,
			"warpreel virtual GPUs: a kernel of another process has not ended for %lld "
			"s, and device %d waits for its turn. ",
			seconds, now);
	else if (before == now)
		fprintf(stderr,
			"warpreel virtual GPUs: a kernel of device %d has not ended for %lld s. ",
			now, seconds);
	else
		fprintf(stderr,
			"warpreel virtual GPUs: a kernel of device %d has not ended for %lld s "
			"while "
			"device %d waits for its turn. ",
			before, seconds, now);
	fprintf(stderr,
		"Kernels that wait for another device's kernel cannot run on one GPU; if it is "
		"only long, WARPREEL_STUCK_S gives it more seconds. The program is ended.\n");
}

static void *watch(void *unused)
{
	const struct timespec pause = { 0, WATCH_MS * 1000000L };
	const int64_t limit_ms = turns_stuck_ms();

	(void)unused;
	for (;;) {
		int64_t since_ms = atomic_load(&turns.since_ms);

		if (since_ms && turns_now_ms() - since_ms > limit_ms) {
			tell_stuck((long long)(limit_ms / 1000));
			_exit(1);
		}
		nanosleep(&pause, NULL);
	}
	return NULL;
}

static void start_watching(void)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, watch, NULL))
		pthread_detach(thread);
}

/* From now on `device` waits for kernels of `before`, or launches its own where they are one. */
static void watch_from_now(int before, int device)
{
	pthread_once(&turns.watch_once, start_watching);
	atomic_store(&turns.waiting_for, before);
	atomic_store(&turns.waiting, device);
	atomic_store(&turns.since_ms, turns_now_ms());
}

/* Waits for all work of the device before; this thread's context stays current. */
static void wait_for_last(const struct driver *driver, CUcontext mine)
{
	driver->cuCtxSetCurrent(turns.last_context);
	driver->cuCtxSynchronize();
	driver->cuCtxSetCurrent(mine);
}

/* Waits for the turn of this process, where there are others. */
static void enter_process(int device)
{
	struct ranks_file *file = ranks_file();

	if (!file)
		return;
	watch_from_now(-1, device);
	ranks_turn_begin(file);
}

void turns_hand_on(struct ranks_file *file)
{
	const struct driver *driver = real_driver();
	const uint64_t start_ns = notes_now_ns();

	queue_enter(-1);
	if (turns.any && turns.last_context)
		wait_for_last(driver, NULL);
	turns.any = false;
	atomic_store(&file->owner, 0);
	queue_leave();
	notes_hidden_calls(start_ns);
}

void turns_begin(void)
{
	const struct driver *driver = real_driver();
	uint64_t start_ns;
	CUcontext mine = NULL;
	int device;

	holds = false;
	if (!driver || gpus_all() < 2 || atomic_load(&turns.captures))
		return;
	start_ns = notes_now_ns();
	driver->cuCtxGetCurrent(&mine); /* NULL: the first call of a thread, on device 0 */
	device = mine ? gpus_of_context(mine) : 0;
	queue_enter(device);
	holds = true;
	enter_process(device);
	watch_from_now(turns.any ? turns.last : device, device);
	const bool waits = turns.any && turns.last != device && turns.last_context;
	if (waits) {
		wait_for_last(driver, mine);
		watch_from_now(device, device);
	}
	turns.any = true;
	turns.last = device;
	turns.last_context = mine;
	(waits ? notes_hidden_calls : notes_hidden)(start_ns);
}

void turns_end(void)
{
	uint64_t start_ns;

	if (!holds)
		return;
	start_ns = notes_now_ns();
	holds = false;
	atomic_store(&turns.since_ms, 0);
	if (!turns.last_context) /* the primary context: made by the call */
		real_driver()->cuCtxGetCurrent(&turns.last_context);
	queue_leave(); /* which may wake others, a system call */
	notes_hidden(start_ns);
}

void turns_capture(int more)
{
	if (atomic_fetch_add(&turns.captures, more) + more < 0)
		atomic_store(&turns.captures, 0);
}

bool turns_captures(void)
{
	return atomic_load(&turns.captures) > 0;
}
