/* SPDX-License-Identifier: MIT
 * Runs a microkernel over and over on one GPU. Start values are made on the device by micro_fill;
 * the output is read back through a small buffer and hashed as it comes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"
#include "micro_params.h"
#include "micro_value.h"

enum { STAGE_BYTES = 16 << 20 };

struct micro_state {
	struct micro_params params;
	struct machine *m;
	uint32_t buffer[MICRO_BUFFERS], stage, stream;
	uint64_t seed;
	int iterations; /* fewer while warming up */
	bool verify;	/* hash the output after the run */
	struct solver_result *result;
};

static int make(struct micro_state *s, const struct micro_params *params, struct machine *m)
{
	s->params = *params;
	s->m = m;
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
	return m->ops->stream(m, 0, &s->stream);
}

static int fill(struct micro_state *s, struct machine_thread *t)
{
	for (int k = 0; k < MICRO_BUFFERS; k++) {
		const struct micro_buffer *want = &s->params.buffer[k];
		const int64_t bytes = want->count * want->word_bytes;
		if (!want->count)
			continue;
		const struct micro_fill_args args = {
			.out = s->m->ops->address(s->m, s->buffer[k]),
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
		if (s->m->ops->launch(t, s->stream, &launch))
			return -1;
	}
	return 0;
}

static int iterate(struct micro_state *s, struct machine_thread *t)
{
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
	return s->m->ops->launch(t, s->stream, &launch);
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

static int check_output(struct micro_state *s, struct machine_thread *t)
{
	const struct micro_buffer *out = &s->params.buffer[MICRO_INPUTS];
	const int64_t bytes = out->count * out->word_bytes;
	const char *stage = s->m->ops->address(s->m, s->stage);
	uint64_t hash = 0xcbf29ce484222325u;

	s->result->residual = 0;
	for (int64_t at = 0; at < bytes; at += STAGE_BYTES) {
		const int64_t now = bytes - at < STAGE_BYTES ? bytes - at : STAGE_BYTES;
		const struct machine_copy copy = { .source = s->buffer[MICRO_INPUTS],
						   .target = s->stage,
						   .source_offset_bytes = at,
						   .row_bytes = now,
						   .rows = 1 };
		if (s->m->ops->copy(t, s->stream, &copy) || s->m->ops->sync(t, s->stream))
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

static int run_body(struct machine_thread *t, void *arg)
{
	struct micro_state *s = arg;
	const struct machine_ops *ops = s->m->ops;

	if (ops->mark(t, MARK_TOTAL_BEGIN) || fill(s, t) || ops->sync(t, s->stream) ||
	    ops->mark(t, MARK_CORE_BEGIN))
		return -1;
	for (int k = 0; k < s->iterations; k++)
		if (iterate(s, t))
			return -1;
	if (ops->sync(t, s->stream) || ops->mark(t, MARK_CORE_END) || ops->mark(t, MARK_TOTAL_END))
		return -1;
	return s->verify ? check_output(s, t) : 0;
}

static int run_once(struct micro_state *s, struct solver_result *result, bool verify)
{
	struct machine_thread thread;

	*result = (struct solver_result){ .iterations = s->iterations, .residual = NAN };
	s->result = result;
	s->verify = verify;
	if (s->m->ops->run(s->m, 1, run_body, s, &thread))
		return -1;
	result->core_ns = thread.mark_ns[MARK_CORE_END] - thread.mark_ns[MARK_CORE_BEGIN];
	result->total_ns = thread.mark_ns[MARK_TOTAL_END] - thread.mark_ns[MARK_TOTAL_BEGIN];
	return 0;
}

int micro_run(const void *params, struct machine *m, uint32_t gpus,
	      const struct solver_request *request, struct solver_result *results)
{
	struct micro_state s = { .seed = request->seed };
	char config[CONFIG_BYTES];

	if (make(&s, params, m) || m->ops->buffer(m, 0, SPACE_PINNED, STAGE_BYTES, &s.stage))
		return -1;
	const bool runs = m->ops->address(m, s.stage) != NULL; /* the plan machine has no memory */
	micro_config(params, config);
	if (runs && strcmp(m->ops->name, "cpu") && request->warm_up_ms >= 0) {
		const int64_t until = monotonic_ns() + (int64_t)request->warm_up_ms * 1000000;
		struct solver_result ignored;
		s.iterations = s.params.iterations < 4 ? s.params.iterations : 4;
		do {
			if (run_once(&s, &ignored, false))
				return -1;
		} while (monotonic_ns() < until);
	}
	s.iterations = s.params.iterations;
	for (int k = 0; k < request->repeat; k++) {
		solver_note_run("micro", config, gpus);
		if (run_once(&s, &results[k],
			     runs && request->verify && (k == 0 || k == request->repeat - 1)))
			return -1;
		solver_note_run(NULL, NULL, 0);
	}
	return 0;
}

static int fill_body(struct machine_thread *t, void *arg)
{
	struct micro_state *s = arg;

	return fill(s, t) || s->m->ops->sync(t, s->stream) ? -1 : 0;
}

int micro_steady_begin(const void *params, struct machine *m, void **state, uint32_t *stream)
{
	struct micro_state *s = xcalloc(1, sizeof(*s));
	struct machine_thread thread;

	s->seed = 1;
	if (make(s, params, m) || (m->ops->address(m, s->buffer[MICRO_INPUTS]) &&
				   m->ops->run(m, 1, fill_body, s, &thread))) {
		free(s);
		return -1;
	}
	*state = s;
	*stream = s->stream;
	return 0;
}

int micro_steady_iterate(void *state, struct machine_thread *t)
{
	return iterate(state, t);
}

void micro_steady_end(void *state)
{
	free(state);
}
