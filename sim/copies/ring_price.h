/* SPDX-License-Identifier: MIT
 * What an operation of NCCL takes whose steps and bytes are known, not how long it took: one that
 * was called on virtual GPUs, or a plan's message.
 */
#ifndef WARPREEL_RING_PRICE_H
#define WARPREEL_RING_PRICE_H

#include "model/platform/platform.h"
#include "traces/schedule/schedule.h"

/*
 *   nccl.least_ns + (steps - 1) * nccl.step_ns
 *           + link bytes / (nccl.share at those bytes * nvlink.bytes_per_s)
 *
 * in ps, from the last one's begin. Patarasu and Yuan (J. Parallel Distrib. Comput. 69, 2009) for
 * steps and bytes. Sends of a launch to one rank go one after the other, so the second takes
 * nccl.least_ns twice. Without that key the least copy between two GPUs stands for it, without
 * nccl.step_ns stream.event_peer_ns. One of a communicator of one rank takes no time.
 */
double ring_price_ps(const struct schedule_collective *what, const struct platform *platform);
/* The least copy between two GPUs, ns; 0: the platform has none. */
double ring_least_copy_ns(const struct platform *platform);

#endif
