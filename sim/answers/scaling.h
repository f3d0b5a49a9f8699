/* SPDX-License-Identifier: MIT
 * How a program scales: the answers for a folder of recordings of it on different numbers of GPUs,
 * real or virtual.
 */
#ifndef WARPREEL_SCALING_H
#define WARPREEL_SCALING_H

#include "replayed.h"

/* Prints time, speed-up and efficiency against the fewest GPUs, and the knee: the last number of
 * GPUs from which more still paid, by at least half of what they could have. 0, or -1 after a
 * message. */
int scaling_answer(const struct program *program, const char *folder,
		   const struct replay_options *options);

#endif
