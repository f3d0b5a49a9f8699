/* SPDX-License-Identifier: MIT
 * Whether two traces ask the same of their GPUs: the operations of each host thread, in order.
 */
#ifndef WARPREEL_COMPARE_OPERATIONS_H
#define WARPREEL_COMPARE_OPERATIONS_H

#include "traces/format/trace.h"

/*
 * Launches (kernel, grid, block, shared memory), copies (kind, bytes, from and to which GPU),
 * memsets (bytes), event records, waits and synchronizations, each with its GPU and stream, thread
 * by thread: counts of each kind, and where the first differences are. Streams are told apart by
 * what is done on them, since their numbers differ from run to run; an event is known by the stream
 * that records it. Times, host work and calls that ask for no operation are left out.
 *
 * Returns how many operations of either trace have no equal in the other, 0: none; -1 after a
 * message.
 */
int64_t compare_operations(const struct trace *a, const struct trace *b, bool tsv);

#endif
