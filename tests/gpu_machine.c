/* SPDX-License-Identifier: MIT
 * The CUDA machine on all GPUs of this host (or as many as the first argument says): threads that
 * wait for each other, copies, events across GPUs, a thread that fails, memory that comes round
 * again after reset.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/machine/machine.h"
#include "traces/base/util.h"

enum { GPUS_MAX = 64, ROUNDS = 300, ROWS = 37, ROW_BYTES = 1000, PITCH = 1024, TAIL = 256 };

struct check {
	struct machine *m;
	uint32_t gpus;
	enum await_policy policy;
	uint32_t counter[GPUS_MAX], event[GPUS_MAX], stream[GPUS_MAX], device[GPUS_MAX], source,
		target;
	int64_t arrived[GPUS_MAX]; /* written by its own thread, read by others after a barrier */
	uint32_t failing;
};

static int turn_body(struct machine_thread *t, void *arg)
{
	struct check *c = arg;
	const struct machine_ops *ops = c->m->ops;
	uint32_t before = (t->gpu + c->gpus - 1) % c->gpus;

	for (int64_t round = 1; round <= ROUNDS; round++) { /* round the ring: GPU 0 starts each */
		if (t->gpu > 0 && ops->await(t, c->counter[before], round, c->policy))
			return -1;
		if (ops->post(t, c->counter[t->gpu], round, c->policy))
			return -1;
		if (t->gpu == 0 && ops->await(t, c->counter[before], round, c->policy))
			return -1;
	}
	return 0;
}

static int barrier_body(struct machine_thread *t, void *arg)
{
	struct check *c = arg;
	const struct machine_ops *ops = c->m->ops;

	for (int64_t round = 1; round <= ROUNDS; round++) {
		c->arrived[t->gpu] = round;
		if (ops->barrier(t))
			return -1;
		for (uint32_t g = 0; g < c->gpus; g++)
			if (c->arrived[g] != round)
				return report("GPU %u passed barrier %lld before GPU %u came",
					      t->gpu, (long long)round, g);
		if (ops->barrier(t))
			return -1;
	}
	return ops->mark(t, MARK_CORE_END);
}

/* Up in two dimensions, from GPU to GPU ordered by events alone, down again. */
static int relay_body(struct machine_thread *t, void *arg)
{
	struct check *c = arg;
	const struct machine_ops *ops = c->m->ops;
	const uint32_t g = t->gpu, stream = c->stream[g];
	const struct machine_copy up = { .source = c->source,
					 .target = c->device[0],
					 .row_bytes = ROW_BYTES,
					 .rows = ROWS,
					 .source_pitch_bytes = ROW_BYTES,
					 .target_pitch_bytes = PITCH };
	const struct machine_copy down = { .source = c->device[g],
					   .target = c->target,
					   .target_offset_bytes = TAIL,
					   .row_bytes = ROW_BYTES,
					   .rows = ROWS,
					   .source_pitch_bytes = PITCH,
					   .target_pitch_bytes = ROW_BYTES };

	if (g == 0) {
		if (ops->copy(t, stream, &up))
			return -1;
	} else {
		const struct machine_copy across = { .source = c->device[g - 1],
						     .target = c->device[g],
						     .row_bytes = PITCH,
						     .rows = ROWS,
						     .source_pitch_bytes = PITCH,
						     .target_pitch_bytes = PITCH };
		if (ops->await(t, c->counter[g - 1], 1, c->policy) ||
		    ops->wait(t, stream, c->event[g - 1]) || ops->copy(t, stream, &across))
			return -1;
	}
	if (ops->record(t, stream, c->event[g]) || ops->post(t, c->counter[g], 1, c->policy))
		return -1;
	if (g + 1 == c->gpus && ops->copy(t, stream, &down))
		return -1;
	return ops->sync(t, stream);
}

static int failing_body(struct machine_thread *t, void *arg)
{
	struct check *c = arg;
	const struct machine_ops *ops = c->m->ops;

	if (t->gpu == c->failing)
		return -1;
	return t->gpu % 3 == 0	 ? ops->barrier(t)
	       : t->gpu % 3 == 1 ? ops->await(t, c->counter[t->gpu], 1, AWAIT_BLOCK)
				 : ops->await(t, c->counter[t->gpu], 1, AWAIT_SPIN);
}

static int make(struct check *c)
{
	const struct machine_ops *ops = c->m->ops;

	ops->reset(c->m);
	for (uint32_t g = 0; g < c->gpus; g++)
		if (ops->counter(c->m, &c->counter[g]) || ops->event(c->m, g, &c->event[g]) ||
		    ops->stream(c->m, g, &c->stream[g]) ||
		    ops->buffer(c->m, g, SPACE_DEVICE, ROWS * PITCH, &c->device[g]) ||
		    (g > 0 &&
		     (ops->peer_access(c->m, g - 1, g) || ops->peer_access(c->m, g, g - 1))))
			return -1;
	return ops->buffer(c->m, 0, SPACE_PINNED, ROWS * ROW_BYTES, &c->source) ||
			       ops->buffer(c->m, 0, SPACE_PINNED, ROWS * ROW_BYTES + TAIL,
					   &c->target)
		       ? -1
		       : 0;
}

static int check_relay(struct check *c, struct machine_thread *out)
{
	unsigned char *source = c->m->ops->address(c->m, c->source),
		      *target = c->m->ops->address(c->m, c->target);

	for (int i = 0; i < ROWS * ROW_BYTES; i++)
		source[i] = (unsigned char)(i * 7 + i / 251);
	memset(target, 0, ROWS * ROW_BYTES + TAIL);
	if (c->m->ops->run(c->m, c->gpus, relay_body, c, out))
		return -1;
	return memcmp(source, target + TAIL, ROWS * ROW_BYTES)
		       ? report("the relay changed the bytes")
		       : 0;
}

static int check_policy(struct check *c, struct machine_thread *out)
{
	const struct machine_ops *ops = c->m->ops;

	if (make(c) || check_relay(c, out))
		return -1;
	void *source = ops->address(c->m, c->source), *device = ops->address(c->m, c->device[0]);
	if (make(c) || ops->run(c->m, c->gpus, turn_body, c, out))
		return -1;
	if (ops->address(c->m, c->source) != source || ops->address(c->m, c->device[0]) != device)
		return report("reset did not bring the same memory back");
	if (ops->run(c->m, c->gpus, barrier_body, c, out))
		return -1;
	for (uint32_t g = 0; g < c->gpus; g++)
		if (out[g].mark_ns[MARK_CORE_END] <= 0 || out[g].mark_ns[MARK_CORE_BEGIN] != -1)
			return report("GPU %u: its marks did not come back", g);
	for (c->failing = 0; c->failing < c->gpus; c->failing++) {
		if (make(c))
			return -1;
		if (!ops->run(c->m, c->gpus, failing_body, c, out))
			return report("a run with a failing thread succeeded");
	}
	return make(c) || check_relay(c, out) ? -1 : 0;
}

int main(int argc, char **argv)
{
	const struct warpreel_cuda *cuda = warpreel_cuda_load();
	char *facts = cuda ? cuda->describe(0) : NULL;
	const char *found = facts ? strstr(facts, "\ngpus = ") : NULL;
	struct machine_thread out[GPUS_MAX];
	struct check check = { .gpus = 1 };
	int rc = EXIT_BAD;

	if (!found)
		return EXIT_BAD;
	fputs(facts, stdout);
	check.gpus = (uint32_t)strtoul(argc > 1 ? argv[1] : found + strlen("\ngpus = "), NULL, 10);
	free(facts);
	if (check.gpus > GPUS_MAX || !(check.m = machine_cuda_new(check.gpus)))
		return EXIT_BAD;
	check.policy = AWAIT_SPIN;
	if (!check_policy(&check, out)) {
		check.policy = AWAIT_BLOCK;
		rc = check_policy(&check, out) ? EXIT_BAD : EXIT_OK;
	}
	check.m->ops->free(check.m);
	printf("%s: the CUDA machine on %u GPU%s\n", rc ? "BAD" : "ok", check.gpus,
	       check.gpus == 1 ? "" : "s");
	return rc;
}
