/* SPDX-License-Identifier: MIT
 * The file in memory that processes of one recording share: who is in it.
 */
#include "ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const uint64_t file_magic = 0x77617270726e6b32;

static struct {
	pthread_mutex_t lock;
	_Atomic(struct ranks_file *) file;
	int self;
	atomic_bool tried;
} session = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- waiting ---- */

void ranks_wait(_Atomic uint32_t *changed, uint32_t seen)
{
	const struct timespec most = { 0, RANKS_WAIT_MS * 1000000L };

	syscall(SYS_futex, changed, FUTEX_WAIT, seen, &most, NULL, 0);
}

void ranks_wait_awake(_Atomic uint32_t *changed, uint32_t seen)
{
	const int64_t until_ns = queue_now_ns() + QUEUE_SPIN_NS;

	while (queue_may_spin() && atomic_load(changed) == seen && queue_now_ns() < until_ns)
		;
	ranks_wait(changed, seen); /* returns at once where it has changed */
}

void ranks_wake(_Atomic uint32_t *changed)
{
	atomic_fetch_add(changed, 1);
	syscall(SYS_futex, changed, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* ---- locks that outlive their holders ---- */

static int init_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t with;
	int result = pthread_mutexattr_init(&with);

	result = result ? result : pthread_mutexattr_setpshared(&with, PTHREAD_PROCESS_SHARED);
	result = result ? result : pthread_mutexattr_setrobust(&with, PTHREAD_MUTEX_ROBUST);
	result = result ? result : pthread_mutex_init(lock, &with);
	pthread_mutexattr_destroy(&with);
	return result;
}

void ranks_lock(struct ranks_file *file)
{
	if (pthread_mutex_lock(&file->lock) == EOWNERDEAD) /* what it changed are single words */
		pthread_mutex_consistent(&file->lock);
}

void ranks_unlock(struct ranks_file *file)
{
	pthread_mutex_unlock(&file->lock);
}

bool ranks_alive(struct ranks_file *file, int slot)
{
	struct ranks_process *process = &file->process[slot - 1];
	int result;

	if (!process->used)
		return false;
	if (slot == session.self)
		return true;
	result = pthread_mutex_trylock(&process->alive);
	if (result == EBUSY)
		return true;
	if (result == EOWNERDEAD)
		pthread_mutex_consistent(&process->alive);
	pthread_mutex_unlock(&process->alive);
	process->used = 0;
	process->wants = 0;
	return false;
}

/* ---- coming in ---- */

/* Where windows begin: whole pages behind what stands in front. */
static size_t front_bytes(void)
{
	return (sizeof(struct ranks_file) + 0xffff) & ~(size_t)0xffff;
}

/* Of a communicator of as many ranks as there are devices. */
static size_t windows_bytes(void)
{
	const size_t gpus = (size_t)gpus_all();

	return gpus * (gpus + 1) * RANKS_WINDOW_BYTES;
}

static size_t file_bytes(void)
{
	return front_bytes() + RANKS_COMMUNICATORS * windows_bytes();
}

char *ranks_window(const struct ranks_file *file, const struct ranks_communicator *shared,
		   int window)
{
	return (char *)(uintptr_t)file + front_bytes() +
	       (size_t)(shared - file->communicator) * windows_bytes() +
	       (size_t)window * RANKS_WINDOW_BYTES;
}

char *ranks_window_begin(const struct ranks_file *file, const char *place)
{
	const char *first = (const char *)file + front_bytes();

	return (char *)(uintptr_t)(place - (size_t)(place - first) % RANKS_WINDOW_BYTES);
}

/* The first process makes it what it is. */
static int make(struct ranks_file *file)
{
	if (file->magic == file_magic)
		return file->bytes == sizeof(*file) ? 0 : -1;
	if (init_lock(&file->lock))
		return -1;
	for (int i = 0; i < RANKS_PROCESSES; i++)
		if (init_lock(&file->process[i].alive))
			return -1;
	file->bytes = sizeof(*file);
	file->magic = file_magic;
	return 0;
}

/* Of a file that `record` keeps open. Sparse: what nobody writes takes no memory. */
static struct ranks_file *map(const char *path)
{
	const int descriptor = open(path, O_RDWR | O_CLOEXEC);
	void *at = MAP_FAILED;

	if (descriptor < 0)
		return NULL;
	if (!flock(descriptor, LOCK_EX) && !ftruncate(descriptor, (off_t)file_bytes()))
		at = mmap(NULL, file_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
			  descriptor, 0);
	if (at != MAP_FAILED && make(at)) {
		munmap(at, file_bytes());
		at = MAP_FAILED;
	}
	flock(descriptor, LOCK_UN); /* what is mapped keeps the file, and with it the lock */
	close(descriptor);
	return at == MAP_FAILED ? NULL : at;
}

static int take_slot(struct ranks_file *file)
{
	int slot = 0;

	for (int i = 1; i <= RANKS_PROCESSES && !slot; i++)
		if (!ranks_alive(file, i))
			slot = i;
	return slot;
}

struct arrival {
	struct ranks_file *file;
	int slot; /* 0: there is none */
	pthread_mutex_t lock;
	pthread_cond_t came;
	bool done;
};

/* The thread that holds the process's lock as long as it lives; then it hands on turns. */
static void *live(void *argument)
{
	struct arrival *arrival = argument;
	struct ranks_file *file = arrival->file;
	int slot;

	ranks_lock(file);
	slot = take_slot(file);
	if (slot) {
		struct ranks_process *process = &file->process[slot - 1];

		if (pthread_mutex_lock(&process->alive) == EOWNERDEAD)
			pthread_mutex_consistent(&process->alive);
		process->pid = getpid();
		process->wants = 0;
		process->used = 1;
	}
	ranks_unlock(file);
	pthread_mutex_lock(&arrival->lock);
	arrival->slot = slot;
	arrival->done = true;
	pthread_cond_signal(&arrival->came);
	pthread_mutex_unlock(&arrival->lock);
	if (slot)
		ranks_turn_watch(file);
	return NULL;
}

static int arrive(struct ranks_file *file)
{
	struct arrival arrival = { .file = file,
				   .lock = PTHREAD_MUTEX_INITIALIZER,
				   .came = PTHREAD_COND_INITIALIZER };
	pthread_t thread;

	if (pthread_create(&thread, NULL, live, &arrival))
		return 0;
	pthread_mutex_lock(&arrival.lock);
	while (!arrival.done)
		pthread_cond_wait(&arrival.came, &arrival.lock);
	pthread_mutex_unlock(&arrival.lock);
	pthread_detach(thread);
	return arrival.slot;
}

/* A child that was forked is another process, in which none of our threads run. */
static void forget(void)
{
	pthread_mutex_init(&session.lock, NULL);
	atomic_store(&session.file, NULL);
	atomic_store(&session.tried, false);
	session.self = 0;
}

static void open_file(void)
{
	static bool said, hooked;
	const char *path = getenv("WARPREEL_RANKS");
	struct ranks_file *file;

	if (!path || !*path || gpus_all() < 2)
		return;
	file = map(path);
	if (file)
		session.self = arrive(file);
	if (!file || !session.self) {
		notes_say(&said,
			  "this process cannot share the one GPU with others of the recording "
			  "(%s): it has virtual GPUs of its own",
			  file ? "too many processes" : strerror(errno));
		return;
	}
	if (!hooked)
		pthread_atfork(NULL, NULL, forget);
	hooked = true;
	atomic_store(&session.file, file);
}

struct ranks_file *ranks_file(void)
{
	struct ranks_file *file = atomic_load_explicit(&session.file, memory_order_acquire);

	if (file || atomic_load(&session.tried))
		return file;
	pthread_mutex_lock(&session.lock);
	if (!atomic_load(&session.tried))
		open_file();
	atomic_store(&session.tried, true);
	pthread_mutex_unlock(&session.lock);
	return atomic_load(&session.file);
}

int ranks_self(void)
{
	return session.self;
}
