/* SPDX-License-Identifier: MIT
 * What the tests of the simulator share: one schedule on one platform, on which everything is free
 * but what a test prices.
 */
#ifndef WARPREEL_SIMULATION_KIT_H
#define WARPREEL_SIMULATION_KIT_H

#include "support.h"

#include <math.h>
#include <stdlib.h>

enum { NO_STREAM = 0xffff };

struct bench { /* one schedule on one platform */
	struct schedule schedule;
	struct platform platform;
};

/* One host thread a GPU and `streams` streams on each; stream s of GPU g is g * streams + s.
 * Operations go to thread 0 first. */
static inline int setup(void **state)
{
	struct bench *b = xcalloc(1, sizeof(*b));
	schedule_init(&b->schedule);
	platform_of(&b->platform, "free");
	*state = b;
	return 0;
}

static inline int teardown(void **state)
{
	struct bench *b = *state;
	schedule_release(&b->schedule);
	platform_release(&b->platform);
	free(b);
	return 0;
}

static inline void with_streams(struct bench *b, uint32_t gpus, uint32_t streams)
{
	b->schedule.gpu_count = gpus;
	for (uint32_t g = 0; g < gpus; g++)
		for (uint32_t s = 0; s < streams; s++)
			schedule_add_stream(&b->schedule, (uint16_t)g, s);
}

static inline void next_thread(struct bench *b, uint16_t gpu)
{
	char name[32];
	snprintf(name, sizeof(name), "host %u", b->schedule.thread_count);
	schedule_add_thread(&b->schedule, name, gpu);
}

static inline void add(struct bench *b, enum op_kind kind, uint16_t stream, uint32_t object)
{
	schedule_add_op(&b->schedule, kind, stream, object);
}

static inline void add_counter_op(struct bench *b, enum op_kind kind, uint32_t counter,
				  int64_t value, uint8_t flags)
{
	struct schedule_op *op = schedule_add_op(&b->schedule, kind, NO_STREAM, counter);
	op->value = value;
	op->flags = flags;
}

static inline void add_host(struct bench *b, int64_t ns)
{
	schedule_add_op(&b->schedule, OP_HOST, NO_STREAM, 0)->duration_ps = ns * 1000;
}

static inline double end(struct bench *b)
{
	return end_ns(&b->schedule, &b->platform);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
