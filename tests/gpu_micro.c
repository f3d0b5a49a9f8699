/* SPDX-License-Identifier: MIT
 * Every microkernel on the GPU against its twin in plain C, at awkward sizes and all block sizes;
 * and the filling of buffers.
 */
#include <math.h>

#include "gpu_kit.h"
#include "kernels/micro/micro_params.h"
#include "kernels/micro/micro_value.h"
#include "solver_kit.h"

enum { BLOCKS = 5 };
static const int blocks[BLOCKS] = { 64, 128, 256, 512, 1024 };
static const int sizes[3][6] = { { 1, 31, 257, 2049, 5000, 40001 },
				 { 1, 2, 33, 65, 130, 257 },
				 { 1, 3, 17, 33, 50, 65 } };

struct check {
	struct gpu_check kit;
	struct machine *m;
	const struct micro_params *params;
	struct micro_args host, device; /* the same with addresses on either side */
	uint32_t buffer[MICRO_BUFFERS], stage, stream;
	int64_t bytes[MICRO_BUFFERS];
};

static int fetch(struct check *c, struct machine_thread *t, int k)
{
	const struct machine_copy copy = {
		.source = c->buffer[k], .target = c->stage, .row_bytes = c->bytes[k], .rows = 1
	};

	return c->m->ops->copy(t, c->stream, &copy) || c->m->ops->sync(t, c->stream) ? -1 : 0;
}

static void differ(struct check *c, const char *what, int64_t at)
{
	c->kit.failures++;
	printf("BAD  %s size %d block %d work %d: %s %lld\n", c->params->kernel->name,
	       c->params->size, c->params->block, c->params->work, what, (long long)at);
}

static void compare_output(struct check *c, const char *have)
{
	const struct micro_buffer *out = &c->params->buffer[MICRO_INPUTS];
	const char *want = c->host.out;
	const double tolerance = c->params->kernel->tolerance;

	for (int64_t i = 0; i < out->count; i++) {
		const int64_t at = i * out->word_bytes;
		if (!memcmp(have + at, want + at, (size_t)out->word_bytes))
			continue;
		if (tolerance > 0 && out->word_bytes == 4) {
			const double a = (double)*(const float *)(have + at),
				     b = (double)*(const float *)(want + at);
			if (fabs(a - b) <= tolerance * fabs(b))
				continue;
		}
		differ(c, "output differs at element", i);
		return;
	}
}

static int body(struct machine_thread *t, void *arg)
{
	struct check *c = arg;
	const struct machine_ops *ops = c->m->ops;
	const char *stage = ops->address(c->m, c->stage);
	const struct micro_kernel *kernel = c->params->kernel;

	for (int k = 0; k < MICRO_BUFFERS; k++) {
		const struct micro_buffer *b = &c->params->buffer[k];
		if (!b->count)
			continue;
		struct micro_fill_args args = { NULL,
						b->fill == FILL_ZERO ? c->bytes[k] / 4 : b->count,
						b->range, micro_mix((uint64_t)k + 77),
						(int32_t)b->fill };
		args.out = k == MICRO_INPUTS ? c->device.out : c->device.in[k];
		const struct machine_launch launch = { .name = "micro_fill",
						       .cpu = micro_fill_cpu,
						       .args = &args,
						       .args_bytes = sizeof(args),
						       .geometry = micro_fill_geometry };
		if (ops->launch(t, c->stream, &launch) || fetch(c, t, k))
			return -1;
		args.out = k == MICRO_INPUTS ? c->host.out : c->host.in[k];
		micro_fill_cpu(&args);
		if (memcmp(stage, args.out, (size_t)c->bytes[k]))
			differ(c, "start values differ in buffer", k);
	}
	const struct machine_launch launch = { .name = kernel->launch,
					       .cpu = kernel->cpu,
					       .args = &c->device,
					       .args_bytes = sizeof(c->device),
					       .geometry = kernel->geometry };
	if (ops->launch(t, c->stream, &launch) || fetch(c, t, MICRO_INPUTS))
		return -1;
	kernel->cpu(&c->host);
	compare_output(c, stage);
	c->kit.cases++;
	return 0;
}

static int check_case(struct check *c, const char *config)
{
	struct micro_params params;
	struct machine_thread out;
	int64_t most = 0;
	int rc = -1;

	if (params_of("micro", &params, config))
		return -1;
	c->params = &params;
	c->host = c->device = params.args;
	for (int k = 0; k < MICRO_BUFFERS; k++) {
		c->bytes[k] = params.buffer[k].count * params.buffer[k].word_bytes;
		most = c->bytes[k] > most ? c->bytes[k] : most;
		if (!c->bytes[k])
			continue;
		if (c->m->ops->buffer(c->m, 0, SPACE_DEVICE, c->bytes[k], &c->buffer[k]))
			goto out;
		*(k < MICRO_INPUTS ? &c->device.in[k] : &c->device.out) =
			c->m->ops->address(c->m, c->buffer[k]);
		*(k < MICRO_INPUTS ? &c->host.in[k] : &c->host.out) = xmalloc((size_t)c->bytes[k]);
	}
	if (!c->m->ops->buffer(c->m, 0, SPACE_PINNED, most, &c->stage) &&
	    !c->m->ops->stream(c->m, 0, &c->stream))
		rc = c->m->ops->run(c->m, 1, body, c, &out);
out:
	for (int k = 0; k < MICRO_INPUTS; k++)
		free(c->host.in[k]);
	free(c->host.out);
	c->m->ops->reset(c->m);
	return rc;
}

int main(void)
{
	struct check c = { .m = machine_cuda_new(1) };
	int rc = c.m ? 0 : -1;

	for (int k = 0; !rc && micro_kernels[k]; k++) {
		const struct micro_kernel *kernel = micro_kernels[k];
		for (int s = 0; !rc && s < 6; s++)
			for (int b = 0; !rc && b < BLOCKS; b++)
				for (int odd = 0; !rc && odd < (kernel->work_standard ? 2 : 1);
				     odd++) {
					char config[CONFIG_BYTES];
					snprintf(config, sizeof(config),
						 "kernel=%s size=%d block=%d work=%d", kernel->name,
						 sizes[kernel->dimensions - 1][s], blocks[b],
						 odd ? 7 : 0);
					rc = check_case(&c, config);
				}
		gpu_count_part(&c.kit, "%s", kernel->name);
	}
	rc = gpu_count_all(&c.kit) || rc ? EXIT_BAD : EXIT_OK;
	if (c.m)
		c.m->ops->free(c.m);
	return rc;
}
