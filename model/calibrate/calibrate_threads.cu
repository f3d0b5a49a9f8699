/* SPDX-License-Identifier: MIT
 * [host]: what host threads pay to tell each other something: a counter posted and awaited by
 * spinning or by mutex and condition variable, and the barrier of all. The pairs of threads all
 * play at once.
 */
#include <pthread.h>

#include "calibrate_internal.h"

struct counter {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	int64_t value; /* atomic for the spinning kind */
};

struct pairs { /* member i plays with member i ^ 1 */
	struct counter counter[MAX_GPUS];
	int rounds;
};

static void post_spin(struct counter *counter, int64_t value)
{
	__atomic_store_n(&counter->value, value, __ATOMIC_RELEASE);
}

/* -1 when the other thread is gone: the bench failed. */
int await_spin(struct bench *bench, const int64_t *word, int64_t wanted)
{
	for (unsigned spins = 1; __atomic_load_n(word, __ATOMIC_ACQUIRE) < wanted; spins++)
		if (spins % 65536 == 0 && __atomic_load_n(&bench->failed, __ATOMIC_ACQUIRE))
			return -1;
	return 0;
}

static void post_block(struct counter *counter, int64_t value)
{
	pthread_mutex_lock(&counter->mutex);
	counter->value = value;
	pthread_cond_broadcast(&counter->changed);
	pthread_mutex_unlock(&counter->mutex);
}

static void await_block(struct counter *counter, int64_t value)
{
	pthread_mutex_lock(&counter->mutex);
	while (counter->value < value)
		pthread_cond_wait(&counter->changed, &counter->mutex);
	pthread_mutex_unlock(&counter->mutex);
}

static void pairs_init(struct pairs *pairs, int rounds)
{
	pairs->rounds = rounds;
	for (int t = 0; t < MAX_GPUS; t++) {
		pthread_mutex_init(&pairs->counter[t].mutex, NULL);
		pthread_cond_init(&pairs->counter[t].changed, NULL);
		pairs->counter[t].value = 0;
	}
}

static void pairs_release(struct pairs *pairs)
{
	for (int t = 0; t < MAX_GPUS; t++) {
		pthread_cond_destroy(&pairs->counter[t].changed);
		pthread_mutex_destroy(&pairs->counter[t].mutex);
	}
}

static int post_batch(struct member *member, void *arg, double *value)
{
	struct pairs *pairs = static_cast<struct pairs *>(arg);
	struct counter *counter = &pairs->counter[member->index];
	int64_t begun_ns = monotonic_ns();
	for (int i = 0; i < pairs->rounds; i++)
		post_spin(counter, i);
	*value = static_cast<double>(monotonic_ns() - begun_ns) / pairs->rounds;
	return 0;
}

static int await_ready_batch(struct member *member, void *arg, double *value)
{
	struct pairs *pairs = static_cast<struct pairs *>(arg);
	struct counter *counter = &pairs->counter[member->index];
	post_spin(counter, pairs->rounds);
	int64_t begun_ns = monotonic_ns();
	for (int i = 0; i < pairs->rounds; i++)
		if (await_spin(member->bench, &counter->value, i))
			return -1;
	*value = static_cast<double>(monotonic_ns() - begun_ns) / pairs->rounds;
	return 0;
}

/* Each waits for the other's value and answers: a round is two ways. The batches go on counting
 * where the last ended. */
static int wake_spin_batch(struct member *member, void *arg, double *value)
{
	struct pairs *pairs = static_cast<struct pairs *>(arg);
	if ((member->index | 1) >= member->team)
		return member_meet(member); /* odd one out: no number */
	struct counter *mine = &pairs->counter[member->index],
		       *other = &pairs->counter[member->index ^ 1];
	int64_t from = __atomic_load_n(&mine->value, __ATOMIC_ACQUIRE);
	if (member_meet(member))
		return -1;
	int64_t begun_ns = monotonic_ns();
	for (int64_t i = from + 1; i <= from + pairs->rounds; i++) {
		if (member->index % 2 == 0)
			post_spin(mine, i);
		if (await_spin(member->bench, &other->value, i))
			return -1;
		if (member->index % 2)
			post_spin(mine, i);
	}
	*value = static_cast<double>(monotonic_ns() - begun_ns) / (2.0 * pairs->rounds);
	return 0;
}

struct blocking {
	struct pairs pairs;
	bool post_only; /* report the post call instead of the way */
};

static int wake_block_batch(struct member *member, void *arg, double *value)
{
	struct blocking *blocking = static_cast<struct blocking *>(arg);
	struct pairs *pairs = &blocking->pairs;
	int64_t posting_ns = 0;
	if ((member->index | 1) >= member->team)
		return member_meet(member);
	struct counter *mine = &pairs->counter[member->index],
		       *other = &pairs->counter[member->index ^ 1];
	int64_t from = mine->value;
	if (member_meet(member))
		return -1;
	int64_t begun_ns = monotonic_ns();
	for (int64_t i = from + 1; i <= from + pairs->rounds; i++) {
		if (member->index % 2)
			await_block(other, i);
		int64_t post_ns = monotonic_ns();
		post_block(mine, i);
		posting_ns += monotonic_ns() - post_ns;
		if (member->index % 2 == 0)
			await_block(other, i);
	}
	*value = static_cast<double>(monotonic_ns() - begun_ns) / (2.0 * pairs->rounds);
	if (blocking->post_only)
		*value = static_cast<double>(posting_ns) / pairs->rounds;
	return 0;
}

static int barrier_batch(struct member *member, void *arg, double *value)
{
	const int rounds = *static_cast<const int *>(arg);
	if (member_meet(member))
		return -1;
	int64_t begun_ns = monotonic_ns();
	for (int i = 0; i < rounds; i++)
		if (member_meet(member))
			return -1;
	*value = static_cast<double>(monotonic_ns() - begun_ns) / rounds;
	return 0;
}

/* One key over all numbers of threads. A pair needs two threads, so 1 is measured with one pair. */
static int over_counts(struct bench *bench, const char *key, batch_fn *fn, void *arg, bool pairwise,
		       const char *how)
{
	struct measured measured[MAX_COUNTS];
	bench_progress(bench, key);
	for (int n = 0; n < bench->counts; n++) {
		int team = pairwise && bench->count[n] == 1 ? 2 : bench->count[n];
		if (bench_measure(bench, team, key, bench->count[n], fn, arg, &measured[n]))
			return -1;
	}
	bench_emit_measured(bench, key, measured, static_cast<size_t>(bench->counts), how);
	return 0;
}

int calibrate_threads(struct bench *bench)
{
	struct pairs many, few;
	struct blocking block;
	int barriers = 1000;
	pairs_init(&many, 20000);
	pairs_init(&few, 2000);
	pairs_init(&block.pairs, 200);
	block.post_only = true;
	int rc = over_counts(bench, "host.post_ns", post_batch, &many, false,
			     "atomic store, release; loop of 20000, nobody waits");
	if (!rc)
		rc = over_counts(
			bench, "host.await_ready_ns", await_ready_batch, &many, false,
			"await of a value already there: atomic load, acquire; loop of 20000");
	if (!rc)
		rc = over_counts(bench, "host.wake_spin_ns", wake_spin_batch, &few, true,
				 "post to the spinning waiter's return; half a round of 2000 "
				 "between pairs of threads");
	if (!rc)
		rc = over_counts(bench, "host.post_block_ns", wake_block_batch, &block, true,
				 "mutex and condition variable, post call with the other thread "
				 "asleep; mean of 200 a batch");
	block.post_only = false;
	if (!rc)
		rc = over_counts(bench, "host.wake_block_ns", wake_block_batch, &block, true,
				 "begin of such a post to the return of the sleeper's await; half "
				 "a round of 200");
	if (!rc)
		rc = over_counts(
			bench, "host.barrier_ns", barrier_batch, &barriers, false,
			"spin barrier of all threads, arriving together; mean of 1000 in a row");
	pairs_release(&many);
	pairs_release(&few);
	pairs_release(&block.pairs);
	return rc;
}
