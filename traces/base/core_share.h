/* SPDX-License-Identifier: MIT
 * How much of its core a thread has. Two hyper-threads of a core share its units: where the other
 * one works, most calls of CUDA's take 1.3 to 1.8 times as long, for a whole process or for parts
 * of it, and no clock rate shows it (docs/lab/programs.md). A virtual machine's other thread may
 * be somebody else's. What shows it are instructions that do not wait for each other.
 */
#ifndef WARPREEL_CORE_SHARE_H
#define WARPREEL_CORE_SHARE_H

#include <stdint.h>

/*
 * Independent additions in a thousand cycles, as many as the core begins at once: 5470 on a Xeon of
 * 2023 whose core is the thread's own, 2750 beside a thread that is busy. Median of three rounds,
 * 7 us in all. Cycles are counted by multiplications that wait for each other, three cycles each;
 * a processor that multiplies in other than three has a scale of its own.
 */
uint32_t core_additions(void);

/* The same of each core that the calling thread may run on, at most `most` of them; returns how
 * many. The thread goes from one to the next and back; 0 where it may not. */
int core_additions_of_host(uint32_t *additions, int most);

#endif
