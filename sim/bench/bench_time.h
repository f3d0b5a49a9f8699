/* SPDX-License-Identifier: MIT */
#ifndef WARPREEL_BENCH_TIME_H
#define WARPREEL_BENCH_TIME_H

#include <time.h>

/* The thread's own time, whatever else uses the core. */
static inline double bench_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

#endif
