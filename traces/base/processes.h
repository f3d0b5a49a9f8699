/* SPDX-License-Identifier: MIT
 * Answers that do not depend on each other, worked out by several processes at once.
 */
#ifndef WARPREEL_PROCESSES_H
#define WARPREEL_PROCESSES_H

#include <stddef.h>

enum { PROCESSES_MOST = 1024 };

/* One for each core. */
int processes_most(void);

/* `count` answers of `bytes` bytes each. `answer` fills in the one with number k. */
struct process_work {
	size_t count, bytes;
	void (*answer)(void *context, size_t k, void *answer);
	void *context;
	const char *what; /* was done to them, for the progress on a terminal: "validated" */
};

/*
 * Answers all in at most `processes` copies of this one, which end when it ends, however it does;
 * what else they write into memory is lost. `answers` is the caller's; one stays as it is where a
 * process ended before it had the answer, none could be made, or there was something to be said on
 * stderr: whoever works that one out again says it.
 */
void processes_run(int processes, const struct process_work *work, void *answers);

#endif
