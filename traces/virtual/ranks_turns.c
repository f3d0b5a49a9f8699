/* SPDX-License-Identifier: MIT
 * Whose turn it is to run kernels, among processes. Within one, threads take turns by
 * virtual_turns.c; the process has the turn until another asks for it. Then a thread of its own
 * waits for what it was given and hands it on, so a process that does something else for a while
 * holds nobody up. Of those that ask, who asked first is next.
 */
#include "ranks.h"

#include <time.h>

enum {
	HOLD_MS =
		1, /* so long others wait while a process goes on launching: a change costs both */
	PAUSE_US = 50 /* with no launch in it */
};

/* With the lock: the slot that asked first among the living; 0: none. */
static int next(struct ranks_file *file)
{
	int first = 0;

	for (int i = 1; i <= RANKS_PROCESSES; i++)
		if (file->process[i - 1].wants && ranks_alive(file, i) &&
		    (!first || file->process[i - 1].wants < file->process[first - 1].wants))
			first = i;
	return first;
}

void ranks_turn_begin(struct ranks_file *file)
{
	const int self = ranks_self();
	bool others;

	/* Ours until the watching thread takes it, which waits for this thread's launch. */
	if (atomic_load(&file->owner) == self)
		return;
	ranks_lock(file);
	file->process[self - 1].wants = ++file->tickets;
	ranks_unlock(file);
	ranks_wake(&file->turns_changed);
	for (;;) {
		const uint32_t seen = atomic_load(&file->turns_changed);
		int owner;

		ranks_lock(file);
		owner = atomic_load(&file->owner);
		if (owner && !ranks_alive(file, owner))
			owner = 0;
		/* Only who takes the turn writes it here: the owner gives it up without the lock,
		 * and what was read before that, written back, would be a turn that nobody gives
		 * up. */
		if (!owner && next(file) == self)
			break;
		ranks_unlock(file);
		ranks_wait_awake(&file->turns_changed, seen);
	}
	file->process[self - 1].wants = 0;
	atomic_store(&file->owner, self);
	others = next(file) != 0;
	ranks_unlock(file);
	if (others) /* our own watching thread has to know */
		ranks_wake(&file->turns_changed);
}

static bool is_wanted(struct ranks_file *file)
{
	bool wanted;

	if (atomic_load(&file->owner) != ranks_self())
		return false;
	ranks_lock(file);
	wanted = next(file) != 0;
	ranks_unlock(file);
	return wanted;
}

/* Until the process has launched nothing for a moment, or for long enough. */
static void let_it_go_on(void)
{
	const struct timespec pause = { 0, PAUSE_US * 1000 };
	const int64_t until_ms = turns_now_ms() + HOLD_MS;
	uint64_t before;

	do {
		before = turns_given();
		nanosleep(&pause, NULL);
	} while (turns_given() != before && turns_now_ms() <= until_ms);
}

void ranks_turn_watch(struct ranks_file *file)
{
	for (;;) {
		const uint32_t seen = atomic_load(&file->turns_changed);

		if (!is_wanted(file)) {
			ranks_wait(&file->turns_changed, seen);
			continue;
		}
		let_it_go_on();
		turns_hand_on(file);
		ranks_wake(&file->turns_changed);
	}
}
