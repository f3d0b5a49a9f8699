/* SPDX-License-Identifier: MIT
 * Who is next to give a device work. Threads are served as they come, so that none runs ahead of
 * the others. But a change of device is dear on the one GPU, 130 to 160 us (docs/lab/as-gpus.md): a
 * thread that is about to come back at once (a memset, then the kernel) keeps its turn meanwhile.
 * Whether it will is told from whether it did when its last calls came as they came now, as
 * processors tell branches (Yeh and Patt, MICRO 1991).
 *
 * Who waits spins first, where there are cores for that: a thread that has slept makes its next
 * calls with cold caches, and that would be recorded as the program's own time.
 */
#include "ranks.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

enum {
	KEEP_NS = 50000,      /* a third of a change of device */
	KEPT_MOST = 8,	      /* times in a row */
	SLEEP_NS = 100000000, /* then looks again, whatever happens */
	HISTORY = 4	      /* calls */
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t drawn, served;
	bool inside;
	const void *keeper; /* the thread whose turn is kept; NULL: nobody's */
	int64_t kept_until_ns;
	int kept_in_a_row, sleepers, device; /* device: that was served last */
	_Atomic uint32_t changes;
	_Atomic uint64_t given;
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .device = -1 };

/* Of a thread; its address tells threads apart. */
static _Thread_local struct {
	bool kept; /* this turn was */
	uint8_t history;
	bool back[1 << HISTORY];
	int64_t left_ns; /* 0: never */
} self;

int64_t queue_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

bool queue_may_spin(void)
{
	static _Atomic int known; /* 1: no, 2: yes */
	cpu_set_t cores;
	int is = atomic_load(&known);

	if (!is) {
		is = !sched_getaffinity(0, sizeof(cores), &cores) && CPU_COUNT(&cores) > gpus_all()
			     ? 2
			     : 1;
		atomic_store(&known, is);
	}
	return is == 2;
}

static void tell(void)
{
	atomic_fetch_add(&queue.changes, 1);
	if (queue.sleepers)
		pthread_cond_broadcast(&queue.changed);
}

/* Until something has changed since `seen`, or it is `until_ns` (0: never). */
static void wait_for_change(uint32_t seen, int64_t until_ns)
{
	const int64_t begin_ns = queue_now_ns();
	int64_t now = begin_ns;

	while (atomic_load(&queue.changes) == seen && (!until_ns || now < until_ns)) {
		if (queue_may_spin() && now - begin_ns < QUEUE_SPIN_NS) {
			now = queue_now_ns();
			continue;
		}
		const int64_t end_ns = until_ns ? until_ns : now + SLEEP_NS;
		const struct timespec end = { end_ns / 1000000000, end_ns % 1000000000 };

		pthread_mutex_lock(&queue.lock);
		queue.sleepers++;
		if (atomic_load(&queue.changes) == seen)
			pthread_cond_clockwait(&queue.changed, &queue.lock, CLOCK_MONOTONIC, &end);
		queue.sleepers--;
		pthread_mutex_unlock(&queue.lock);
		now = queue_now_ns();
	}
}

/* What this thread's last pause says of the guesses. */
static void learn(int64_t at_ns)
{
	const bool back = self.left_ns && at_ns - self.left_ns <= KEEP_NS;

	if (self.left_ns)
		self.back[self.history] = back;
	self.history = (uint8_t)((self.history << 1 | back) & ((1 << HISTORY) - 1));
}

void queue_enter(int device)
{
	const int64_t come_ns = queue_now_ns();
	uint64_t ticket;

	learn(come_ns);
	atomic_fetch_add(&queue.given, 1);
	pthread_mutex_lock(&queue.lock);
	self.kept = queue.keeper == &self && !queue.inside;
	if (self.kept) {
		queue.keeper = NULL;
		queue.inside = true;
		queue.kept_in_a_row++;
		pthread_mutex_unlock(&queue.lock);
		return;
	}
	ticket = queue.drawn++;
	for (;;) {
		const uint32_t seen = atomic_load(&queue.changes);
		const bool first = queue.served == ticket && !queue.inside;

		if (queue.keeper && first &&
		    (device == queue.device || queue_now_ns() >= queue.kept_until_ns))
			queue.keeper = NULL;
		if (first && !queue.keeper)
			break;
		const int64_t until_ns = first ? queue.kept_until_ns : 0;

		pthread_mutex_unlock(&queue.lock);
		wait_for_change(seen, until_ns);
		pthread_mutex_lock(&queue.lock);
	}
	queue.inside = true;
	queue.device = device;
	queue.kept_in_a_row = 0;
	pthread_mutex_unlock(&queue.lock);
}

void queue_leave(void)
{
	self.left_ns = queue_now_ns();
	pthread_mutex_lock(&queue.lock);
	queue.inside = false;
	if (!self.kept)
		queue.served++;
	if (self.back[self.history] && queue.kept_in_a_row < KEPT_MOST) {
		queue.keeper = &self;
		queue.kept_until_ns = self.left_ns + KEEP_NS;
	}
	tell();
	pthread_mutex_unlock(&queue.lock);
}

uint64_t turns_given(void)
{
	return atomic_load(&queue.given);
}
