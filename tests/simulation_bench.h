/* SPDX-License-Identifier: MIT
 * A schedule and a platform to set one by one, for tests of what calls cost: a stream a GPU, and a
 * platform on which all that is not said is free.
 */
#ifndef WARPREEL_TESTS_SIMULATION_BENCH_H
#define WARPREEL_TESTS_SIMULATION_BENCH_H

#include <stdlib.h>

#include "support.h"

struct bench {
	struct schedule schedule;
	struct platform platform;
};

/* Beside what is free: lists whose lengths hang together, so that they cannot be set one by one. */
static const char sections[] =
	"[doorbell]\nsilent_exchange_ns = 65936\n"; /* beyond the copy's 65536: two
							      hops of 200 */

/* A stream a GPU; a platform of more than what that file says. */
static inline void make_of(struct bench *b, uint32_t gpus, const char *of, const char *more)
{
	char *path = xprintf("/tmp/warpreel-test-calls-%ld.ini", (long)getpid()),
	     *text = text_of(of);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%s\n%s", text, more);
	fclose(file);
	assert_int_equal(platform_read(&b->platform, path), 0);
	unlink(path);
	free(path);
	free(text);
	schedule_init(&b->schedule);
	b->schedule.gpu_count = gpus;
	for (uint32_t g = 0; g < gpus; g++)
		schedule_add_stream(&b->schedule, (uint16_t)g, 0);
}

/* More than what is free. */
static inline void make_with(struct bench *b, uint32_t gpus, const char *more)
{
	char *all = xprintf("%s%s", sections, more);
	make_of(b, gpus, "tests/cases/lib/free.ini", all);
	free(all);
}

static inline void make(struct bench *b, uint32_t gpus)
{
	make_with(b, gpus, "");
}

static inline void drop(struct bench *b)
{
	schedule_release(&b->schedule);
	platform_release(&b->platform);
}

static inline void add(struct bench *b, enum op_kind kind, uint16_t stream, uint32_t object)
{
	schedule_add_op(&b->schedule, kind, stream, object);
}

static inline void say(struct bench *b, const char *assignment)
{
	assert_int_equal(platform_set(&b->platform, assignment), 0);
}

#endif
