/* SPDX-License-Identifier: MIT
 * Which of the calls a platform has costs for an operation is.
 */
#ifndef WARPREEL_HOST_COST_H
#define WARPREEL_HOST_COST_H

#include "model/platform/platform.h"
#include "traces/schedule/schedule.h"

/* HOST_LAUNCH, HOST_COPY_H2D, ...; -1 for an operation that is no CUDA call. A synchronisation is
 * one that finds nothing to wait for. */
int host_cost_of(const struct schedule *schedule, const struct schedule_op *op);

#endif
