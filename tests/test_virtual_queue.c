/* SPDX-License-Identifier: MIT
 * Turns on virtual GPUs: one thread inside at a time, few changes of device where threads come back
 * at once, and none kept waiting by a thread that does not. The library is not linked here, so the
 * file stands here; its clock is the test's, which goes on by being read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { DEVICES = 2, ROUNDS = 200, READ_NS = 200, LONG_NS = 1000000 };

static _Atomic int64_t clock_ns = 1;

static int test_clock(clockid_t which, struct timespec *now)
{
	const int64_t at = atomic_fetch_add(&clock_ns, READ_NS);

	(void)which;
	*now = (struct timespec){ at / 1000000000, at % 1000000000 };
	return 0;
}

#define clock_gettime test_clock
#include "traces/virtual/virtual_queue.c"
#undef clock_gettime

int gpus_all(void)
{
	return DEVICES;
}

uint64_t notes_now_ns(void)
{
	return 0;
}

void notes_hidden(uint64_t start_ns)
{
	(void)start_ns;
}

static struct {
	pthread_barrier_t barrier;
	_Atomic int inside;
	int last, changes, calls; /* by whoever is inside */
	bool overlapped, slow;
	_Atomic int done[DEVICES]; /* rounds */
} seen;

/* Until the other thread waits for its turn, or has ended its round: so all that may be refused a
 * kept turn is there to be seen. */
static void other_has_come(int device, int round)
{
	for (bool has = false; !has; sched_yield()) {
		pthread_mutex_lock(&queue.lock);
		has = queue.drawn - queue.served > (uint64_t)!self.kept;
		pthread_mutex_unlock(&queue.lock);
		has |= atomic_load(&seen.done[1 - device]) > round;
	}
}

static void turn(int device, int round)
{
	queue_enter(device);
	seen.overlapped |= atomic_fetch_add(&seen.inside, 1) != 0;
	seen.changes += seen.last != device;
	seen.last = device;
	seen.calls++;
	if (round >= 0)
		other_has_come(device, round);
	atomic_fetch_sub(&seen.inside, 1);
	queue_leave();
}

/* Two calls a round, as a memset and a kernel, then all meet. */
static void *rounds(void *number)
{
	const int device = (int)(intptr_t)number;

	for (int k = 0; k < ROUNDS; k++) {
		turn(device, k);
		if (seen.slow)
			atomic_fetch_add(&clock_ns, LONG_NS);
		turn(device, k);
		atomic_store(&seen.done[device], k + 1);
		pthread_barrier_wait(&seen.barrier);
	}
	return NULL;
}

static int changes_of_device(bool slow)
{
	pthread_t thread[DEVICES];

	seen.last = -1;
	seen.changes = seen.calls = 0;
	seen.slow = slow;
	for (int i = 0; i < DEVICES; i++)
		atomic_store(&seen.done[i], 0);
	pthread_barrier_init(&seen.barrier, NULL, DEVICES);
	for (int i = 0; i < DEVICES; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, rounds, (void *)(intptr_t)i), 0);
	for (int i = 0; i < DEVICES; i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_destroy(&seen.barrier);
	assert_false(seen.overlapped);
	assert_int_equal(seen.calls, 2 * DEVICES * ROUNDS);
	return seen.changes;
}

static void a_thread_that_comes_back_at_once_keeps_its_turn(void **state)
{
	(void)state;
	assert_in_range(changes_of_device(false), ROUNDS, 5 * ROUNDS / 2); /* as they come: 4 */
}

static void one_that_takes_its_time_keeps_nobody_waiting(void **state)
{
	(void)state;
	assert_in_range(changes_of_device(true), 9 * ROUNDS / 4, 4 * ROUNDS);
}

static void alone_a_thread_waits_for_nobody(void **state)
{
	const int64_t begin_ns = atomic_load(&clock_ns);

	(void)state;
	for (int k = 0; k < 100; k++)
		turn(k % DEVICES, -1);
	assert_in_range(atomic_load(&clock_ns) - begin_ns, 1, 100 * 4 * READ_NS);
}

static void each_turn_is_counted(void **state)
{
	const uint64_t before = turns_given();

	(void)state;
	turn(0, -1);
	turn(0, -1);
	assert_int_equal(turns_given() - before, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alone_a_thread_waits_for_nobody),
		cmocka_unit_test(each_turn_is_counted),
		cmocka_unit_test(a_thread_that_comes_back_at_once_keeps_its_turn),
		cmocka_unit_test(one_that_takes_its_time_keeps_nobody_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
