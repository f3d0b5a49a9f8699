/* SPDX-License-Identifier: MIT
 * Streams of the driver that stands in for CUDA's. What is put into them is done when somebody
 * synchronizes, in an order drawn at random among all that CUDA allows: whoever forgot to wait
 * finds the wrong data.
 */
#ifndef WARPREEL_STANDIN_STREAMS_H
#define WARPREEL_STANDIN_STREAMS_H

#include <stddef.h>
#include <stdint.h>

/* From now on the order is drawn from `seed`. */
void standin_seed(uint64_t seed);
/* A stream of the current context. */
void *standin_stream(void);
/* As a kernel of the program would: `bytes` of `data` are written to `target`. */
void standin_write(void *stream, void *target, const void *data, size_t bytes);
/* All that stands in streams is done. */
void standin_finish(void);
/* How much of a sort was done: 'c' copies, 'k' kernels, 'w' writes. */
long standin_done(char what);
extern int standin_captures; /* what cuStreamIsCapturing answers */
extern int standin_fails;    /* calls of the driver until one fails; 0: none does */

#endif
