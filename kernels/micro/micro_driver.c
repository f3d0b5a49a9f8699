/* SPDX-License-Identifier: MIT
 * Runs a microkernel over and over on one GPU. Start values are made on the device by micro_fill.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"
#include "micro_params.h"
#include "micro_value.h"

enum { STAGE_BYTES = 16 << 20 };

struct micro_work {
	struct solver_work base;    /* first */
	struct micro_params params; /* with addresses */
	uint32_t buffer[MICRO_BUFFERS], stage, stream;
	uint64_t seed;
	struct solver_result *result; /* while its output is looked at */
};

static struct micro_work *work_of(const struct solver_work *work)
{
	return (struct micro_work *)(uintptr_t)work;
}

static int micro_begin(struct solver_work *base)
{
	struct micro_work *s = work_of(base);
	struct machine *m = base->m;
	const struct micro_params *params = base->params;
	s->params = *params;
	base->iterations = params->iterations;
	for (int k = 0; k < MICRO_BUFFERS; k++) {
		const struct micro_buffer *want = &params->buffer[k];
		if (!want->count)
			continue;
		if (m->ops->buffer(m, 0, SPACE_DEVICE, want->count * want->word_bytes,
				   &s->buffer[k]))
			return -1;
		*(k < MICRO_INPUTS ? &s->params.args.in[k] : &s->params.args.out) =
			m->ops->address(m, s->buffer[k]);
	}
	if (m->ops->stream(m, 0, &s->stream))
		return -1;
	return base->steady ? 0 : m->ops->buffer(m, 0, SPACE_PINNED, STAGE_BYTES, &s->stage);
}

static void micro_end(struct solver_work *base)
{
	(void)base;
}

static uint32_t micro_stream(const struct solver_work *base, uint32_t gpu)
{
	(void)gpu;
	return work_of(base)->stream;
}

static void micro_seed(struct solver_work *base, uint64_t seed)
{
	work_of(base)->seed = seed;
}

static int micro_up(struct solver_work *base, struct machine_thread *t)
{
	struct micro_work *s = work_of(base);
	const struct machine_ops *ops = base->m->ops;
	for (int k = 0; k < MICRO_BUFFERS; k++) {
		const struct micro_buffer *want = &s->params.buffer[k];
		const int64_t bytes = want->count * want->word_bytes;
		if (!want->count)
			continue;
		const struct micro_fill_args args = {
			.out = ops->address(base->m, s->buffer[k]),
			/* zeros are words of 4 bytes, whatever will be written over them */
			.count = want->fill == FILL_ZERO ? bytes / 4 : want->count,
			.range = want->range,
			.seed = micro_mix(s->seed + (uint64_t)k + 1),
			.kind = (int32_t)want->fill,
		};
		const struct machine_launch launch = {
			.name = "micro_fill",
			.cpu = micro_fill_cpu,
			.args = &args,
			.args_bytes = sizeof(args),
			.geometry = micro_fill_geometry,
			.rows = 1,
			.columns = args.count,
			.points = args.count,
			.dram_bytes = bytes,
			.resident_bytes = bytes,
			.access_count = 1,
			.access = { { s->buffer[k], ACCESS_WRITE, 0, bytes } },
		};
		if (ops->launch(t, s->stream, &launch))
			return -1;
	}
	return 0;
}

static int micro_iterate(struct solver_work *base, struct machine_thread *t)
{
	const struct micro_work *s = work_of(base);
	const struct micro_params *p = &s->params;
	const int64_t n = p->size, dimensions = p->kernel->dimensions;
	struct machine_launch launch = {
		.name = p->kernel->launch,
		.cpu = p->kernel->cpu,
		.args = &p->args,
		.args_bytes = sizeof(p->args),
		.geometry = p->kernel->geometry,
		.rows = dimensions == 1	  ? 1
			: dimensions == 2 ? n
					  : n * n,
		.columns = n,
	};
	launch.points = launch.rows * launch.columns;
	for (int k = 0; k < MICRO_BUFFERS; k++) {
		const struct micro_buffer *b = &p->buffer[k];
		const int64_t bytes = b->count * b->word_bytes;
		if (!b->count)
			continue;
		launch.access[launch.access_count++] =
			(struct schedule_access){ s->buffer[k], b->mode, 0, bytes };
		launch.dram_bytes +=
			(b->mode & ACCESS_READ ? bytes : 0) + (b->mode & ACCESS_WRITE ? bytes : 0);
		launch.resident_bytes += bytes;
	}
	return base->m->ops->launch(t, s->stream, &launch);
}

/* The largest magnitude among `bytes` of output; a NaN stays one. */
static double largest(const void *values, int64_t bytes, const struct micro_buffer *out,
		      double most)
{
	const int64_t count = bytes / out->word_bytes;

	for (int64_t i = 0; i < count; i++) {
		double value = out->integer	      ? (double)((const uint32_t *)values)[i]
			       : out->word_bytes == 8 ? ((const double *)values)[i]
						      : (double)((const float *)values)[i];
		most = larger_or_nan(most, fabs(value));
	}
	return most;
}

/* The output comes down through a small buffer and is hashed as it comes. */
static int check_body(struct machine_thread *t, void *arg)
{
	const struct micro_work *s = arg;
	struct machine *m = s->base.m;
	const struct micro_buffer *out = &s->params.buffer[MICRO_INPUTS];
	const int64_t bytes = out->count * out->word_bytes;
	const char *stage = m->ops->address(m, s->stage);
	uint64_t hash = 0xcbf29ce484222325u;

	s->result->residual = 0;
	for (int64_t at = 0; at < bytes; at += STAGE_BYTES) {
		const int64_t now = bytes - at < STAGE_BYTES ? bytes - at : STAGE_BYTES;
		const struct machine_copy copy = { .source = s->buffer[MICRO_INPUTS],
						   .target = s->stage,
						   .source_offset_bytes = at,
						   .row_bytes = now,
						   .rows = 1 };
		if (m->ops->copy(t, s->stream, &copy) || m->ops->sync(t, s->stream))
			return -1;
		for (int64_t k = 0; k < now; k += 4) {
			uint32_t word;
			memcpy(&word, stage + k, sizeof(word));
			hash = (hash ^ word) * 0x100000001b3u;
			hash ^= hash >> 29;
		}
		s->result->residual = largest(stage, now, out, s->result->residual);
	}
	s->result->checksum = micro_mix(hash);
	return 0;
}

static int micro_check(struct solver_work *base, struct solver_result *result)
{
	struct machine_thread thread;

	work_of(base)->result = result;
	return base->m->ops->run(base->m, 1, check_body, base, &thread);
}

static int micro_core(struct solver_work *base, struct machine_thread *t)
{
	for (int k = 0; k < base->iterations; k++)
		if (micro_iterate(base, t))
			return -1;
	return 0;
}

extern const struct solver solver_micro;
const struct solver solver_micro = {
	.name = "micro",
	.summary = "microkernels that each press on one part of a GPU, for testing models of "
		   "kernel time",
	.params_bytes = sizeof(struct micro_params),
	.work_bytes = sizeof(struct micro_work),
	.alone = true,
	.options = micro_options,
	.columns = micro_columns,
	.prepare = micro_prepare,
	.config = micro_config,
	.begin = micro_begin,
	.end = micro_end,
	.stream = micro_stream,
	.fill = micro_seed,
	.up = micro_up,
	.core = micro_core,
	.check = micro_check,
	.iterate = micro_iterate,
};
