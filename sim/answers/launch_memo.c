/* SPDX-License-Identifier: MIT */
#include "launch_memo.h"

#include <stdlib.h>
#include <string.h>

#include "sim/gpu/warps.h"
#include "traces/base/util.h"

/* What the launches of a thread are, buffers by the order of their first use. */
struct signature {
	uint64_t half[2];
};

struct known_thread {
	struct signature signature;
	size_t first; /* of its shapes among the answers, in the order of their first launch */
};

struct answer {
	double duration_ns, dram_bytes;
	bool extrapolated;
};

struct launch_memo {
	struct known_thread *thread; /* open addressing; first = SIZE_MAX: free */
	size_t slots, threads;
	struct answer *answer;
	size_t answers, answers_capacity;
	/* of the present schedule */
	size_t *of_shape; /* [shape_count] */
};

struct launch_memo *launch_memo_new(void)
{
	return xcalloc(1, sizeof(struct launch_memo));
}

void launch_memo_free(struct launch_memo *m)
{
	if (!m)
		return;
	free(m->thread);
	free(m->answer);
	free(m->of_shape);
	free(m);
}

/* ---- signatures ---- */

/* The finalizer of splitmix64 (Steele, Lea, Flood 2014), over two seeds. */
static uint64_t mixed(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9u;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static void take(struct signature *s, uint64_t value)
{
	s->half[0] = mixed(s->half[0] + 0x9e3779b97f4a7c15u + value);
	s->half[1] = mixed((s->half[1] ^ value) + 0xd1b54a32d192ed03u);
}

static void take_text(struct signature *s, const char *text)
{
	for (; *text; text++)
		take(s, (unsigned char)*text);
	take(s, 0);
}

/* Numbers things by the order in which they are first seen. */
struct numbering {
	uint32_t *number; /* [things]; 0: not yet */
	uint32_t count;
};

static uint32_t number_of(struct numbering *n, uint32_t thing)
{
	if (!n->number[thing])
		n->number[thing] = ++n->count;
	return n->number[thing];
}

static void take_shape(struct signature *s, const struct schedule *schedule,
		       const struct schedule_shape *shape, struct numbering *buffers)
{
	take_text(s, schedule->kernel[shape->kernel]);
	take(s, (uint64_t)shape->rows);
	take(s, (uint64_t)shape->columns);
	take(s, (uint64_t)shape->points);
	take(s, (uint64_t)shape->dram_bytes);
	take(s, (uint64_t)shape->footprint_bytes);
	take(s, (uint64_t)shape->resident_bytes);
	for (int k = 0; k < 3; k++) {
		take(s, shape->grid[k]);
		take(s, shape->block[k]);
	}
	take(s, shape->shared_bytes);
	take(s, shape->registers);
	take(s, (uint64_t)shape->path);
	take(s, (uint64_t)shape->steps);
	take(s, shape->access_count);
	for (uint32_t k = 0; k < shape->access_count; k++) {
		const struct schedule_access *a = &schedule->access[shape->first_access + k];
		take(s, number_of(buffers, a->buffer));
		take(s, a->mode);
		take(s, (uint64_t)a->offset_bytes);
		take(s, (uint64_t)a->bytes);
	}
}

struct scratch {
	struct numbering buffers, shapes;
	uint32_t buffer_count;
	uint32_t *owner; /* [shape_count] thread + 1; 0: no launch yet */
};

/* The signature of a thread; its shapes come out in order[]. -1: it shares one with another. */
static int sign(const struct schedule *schedule, uint32_t thread, struct scratch *scratch,
		bool timed, uint32_t *order, struct signature *s)
{
	const struct schedule_thread *t = &schedule->thread[thread];
	*s = (struct signature){ { timed } };
	memset(scratch->buffers.number, 0, scratch->buffer_count * sizeof(uint32_t));
	scratch->buffers.count = scratch->shapes.count = 0;
	for (int64_t k = 0; k < t->op_count; k++) {
		const struct schedule_op *op = &schedule->op[t->first_op + k];
		if (op->kind != OP_LAUNCH)
			continue;
		const uint32_t shape = op->object, before = scratch->shapes.count;
		if (scratch->owner[shape] && scratch->owner[shape] != thread + 1)
			return -1;
		scratch->owner[shape] = thread + 1;
		take(s, number_of(&scratch->shapes, shape));
		if (scratch->shapes.count > before) {
			order[before] = shape;
			take_shape(s, schedule, &schedule->shape[shape], &scratch->buffers);
		}
	}
	return 0;
}

/* ---- the table ---- */

static struct known_thread *slot_of(struct known_thread *thread, size_t slots,
				    const struct signature *s)
{
	size_t k = s->half[0] & (slots - 1);
	while (thread[k].first != SIZE_MAX && memcmp(&thread[k].signature, s, sizeof(*s)) != 0)
		k = (k + 1) & (slots - 1);
	return &thread[k];
}

static void make_room(struct launch_memo *m)
{
	if (m->slots && m->threads * 2 < m->slots)
		return;
	const size_t slots = m->slots ? 2 * m->slots : 64;
	struct known_thread *larger = xcalloc(slots, sizeof(*larger));
	for (size_t k = 0; k < slots; k++)
		larger[k].first = SIZE_MAX;
	for (size_t k = 0; k < m->slots; k++)
		if (m->thread[k].first != SIZE_MAX)
			*slot_of(larger, slots, &m->thread[k].signature) = m->thread[k];
	free(m->thread);
	m->thread = larger;
	m->slots = slots;
}

/* Asks the model for the shapes of one thread, in a schedule that holds no other. */
static int ask(struct launch_memo *m, const struct schedule *schedule, uint32_t thread,
	       const uint32_t *order, uint32_t shapes, struct kernel_model *model)
{
	struct schedule one = *schedule; /* borrows everything */
	one.thread = &schedule->thread[thread];
	one.thread_count = 1;
	warps_schedule(model->warps);
	for (uint32_t k = 0; k < shapes; k++) {
		const struct schedule_shape *shape = &one.shape[order[k]];
		const bool before = model->extrapolated;
		struct answer a = { 0 };
		model->extrapolated = false;
		if (model->ops->cost(model, &one, shape, NULL, &a.duration_ns)) {
			model->extrapolated = before;
			return -1;
		}
		a.dram_bytes = model->ops->dram_bytes(model, &one, shape);
		a.extrapolated = model->extrapolated;
		model->extrapolated = before;
		GROW(m->answer, m->answers, m->answers_capacity);
		m->answer[m->answers++] = a;
	}
	return 0;
}

static int cost(struct kernel_model *model, const struct schedule *schedule,
		const struct schedule_shape *shape, const struct schedule_op *op,
		double *duration_ns)
{
	const struct launch_memo *m = ((const struct memo_model *)model)->memo;
	const struct answer *a = &m->answer[m->of_shape[shape - schedule->shape]];
	(void)op;
	*duration_ns = a->duration_ns;
	model->extrapolated |= a->extrapolated;
	return 0;
}

static double dram_bytes(struct kernel_model *model, const struct schedule *schedule,
			 const struct schedule_shape *shape)
{
	const struct launch_memo *m = ((const struct memo_model *)model)->memo;
	return m->answer[m->of_shape[shape - schedule->shape]].dram_bytes;
}

static const struct kernel_model_ops memo_ops = {
	.name = "warps",
	.summary = "as the model of that name said",
	.from_profiles = true,
	.cost = cost,
	.dram_bytes = dram_bytes,
};

/* -1 where the model must speak for itself. */
static int bring_up_to_date(struct launch_memo *m, const struct schedule *schedule,
			    struct kernel_model *model, struct scratch *scratch, uint32_t *order)
{
	if (schedule_kernels_meet(schedule)) /* what they keep busy is not noted */
		return -1;
	for (uint32_t t = 0; t < schedule->thread_count; t++) {
		struct signature signature;
		memset(scratch->shapes.number, 0, schedule->shape_count * sizeof(uint32_t));
		if (sign(schedule, t, scratch, model->timed, order, &signature))
			return -1;
		make_room(m);
		struct known_thread *known = slot_of(m->thread, m->slots, &signature);
		if (known->first == SIZE_MAX) {
			const size_t first = m->answers;
			if (ask(m, schedule, t, order, scratch->shapes.count, model)) {
				m->answers = first;
				return -1;
			}
			*known = (struct known_thread){ signature, first };
			m->threads++;
		}
		for (uint32_t k = 0; k < scratch->shapes.count; k++)
			m->of_shape[order[k]] = known->first + k;
	}
	return 0;
}

void launch_memo_use(struct launch_memo *m, const struct schedule *schedule,
		     struct memo_model *model)
{
	const size_t shapes = schedule->shape_count;
	struct scratch scratch = { 0 };
	for (uint32_t k = 0; k < schedule->access_count; k++)
		if (schedule->access[k].buffer >= scratch.buffer_count)
			scratch.buffer_count = schedule->access[k].buffer + 1;
	scratch.buffers.number = xcalloc(scratch.buffer_count + 1, sizeof(uint32_t));
	scratch.shapes.number = xcalloc(shapes + 1, sizeof(uint32_t));
	scratch.owner = xcalloc(shapes + 1, sizeof(uint32_t));
	uint32_t *order = xcalloc(shapes + 1, sizeof(*order));
	free(m->of_shape);
	m->of_shape = xcalloc(shapes + 1, sizeof(*m->of_shape));
	if (!bring_up_to_date(m, schedule, &model->base, &scratch, order)) {
		model->base.ops = &memo_ops;
		model->memo = m;
	}
	warps_schedule(model->base.warps); /* whoever asks it next has another schedule */
	free(order);
	free(scratch.owner);
	free(scratch.shapes.number);
	free(scratch.buffers.number);
}
