/* SPDX-License-Identifier: MIT
 * A schedule of one thread, for tests of what is taken out of recordings.
 */
#ifndef WARPREEL_TESTS_UNTRACE_KIT_H
#define WARPREEL_TESTS_UNTRACE_KIT_H

#include "sm_kit.h"

#include "sim/answers/untrace.h"

enum { NO_STREAM = 0xffff };

static inline void add(struct schedule *s, enum op_kind kind, uint32_t object, int64_t before_ns)
{
	schedule_add_op(s, kind, kind == OP_POST ? NO_STREAM : 0, object)->before_ps =
		1000 * before_ns;
}

/* A thread of a GPU with one stream. */
static inline void one_thread(struct schedule *s)
{
	schedule_init(s);
	s->gpu_count = 1;
	schedule_add_stream(s, 0, 0);
	schedule_add_thread(s, "host", 0);
}

#endif
