/* SPDX-License-Identifier: MIT */
#include "schedule.h"

bool schedule_begins_graph(const struct schedule_op *op)
{
	return (op->kind == OP_LAUNCH || op->kind == OP_COPY || op->kind == OP_MEMSET) &&
	       !(op->flags & OP_IN_GRAPH) && op->flags & OP_GRAPH;
}

enum schedule_call schedule_call_of(const struct schedule *schedule, const struct schedule_op *op)
{
	const struct schedule_op *end = schedule->op + schedule->op_count;
	/* Whatever its first node is: a memset has no call of its own in there. */
	if (op->kind == OP_COPY && op->flags & OP_BY_HOST)
		return CALL_OF_BY_HOST;
	if (schedule_begins_graph(op) || (op + 1 < end && op[1].flags & OP_IN_GRAPH))
		return CALL_OF_GRAPH;
	switch ((enum op_kind)op->kind) {
	case OP_LAUNCH:
		return op->flags & OP_EARLY ? CALL_OF_EARLY : CALL_OF_LAUNCH;
	case OP_MEMSET:
		return CALL_OF_MEMSET;
	case OP_RECORD:
		return CALL_OF_RECORD;
	case OP_WAIT:
		return op->flags & OP_OTHER_GPU ? CALL_OF_WAIT_OTHER : CALL_OF_WAIT_OWN;
	case OP_COPY:
		if (op->flags & OP_BLOCKING || schedule->copy[op->object].pageable)
			return CALL_OF_NONE;
		return (enum schedule_call)(CALL_OF_COPY + schedule->copy[op->object].kind);
	default:
		return CALL_OF_NONE;
	}
}
