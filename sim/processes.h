/* SPDX-License-Identifier: MIT
 * Numbers that do not depend on each other, worked out by several processes at once.
 */
#ifndef WARPREEL_PROCESSES_H
#define WARPREEL_PROCESSES_H

#include <stddef.h>

enum { PROCESSES_MOST = 1024 };

/* One for each core. */
int processes_most(void);

/*
 * result[k] = work(context, k) for k < count, in `processes` copies of this one, which end when it ends, however it does; what they write
 * into memory or say on stderr is lost. NaN where a process ended before it had the answer, or none could be made.
 */
void processes_run(int processes, size_t count, double (*work)(void *context, size_t k), void *context, double *result);

#endif
