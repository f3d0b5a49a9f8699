/* SPDX-License-Identifier: MIT
 * Borders of strips: after K12 and after K22, as the paper's (section VI), on a stream of their own
 * beside the kernels.
 *
 * A border sent before a strip's K21 may not go out earlier than K12 of its first subdomain row,
 * and nobody needs it later than K21 of the last row of the strip before it: between these, the
 * other rows are computed. One sent after K22 overwrites the first rows of the next strip, whose
 * K11 and K12 there must be over (`edge`).
 *
 * Counters only say that an event has been recorded. An event is recorded again only when all that
 * wait for it have done so: a strip begins its next sweep of that direction after its neighbour's
 * last border of this one, and that one comes after the neighbour's wait.
 */
#include "mlssor_work.h"

struct mlssor_range mlssor_strip(const struct mlssor_work *r, uint32_t gpu, bool backward)
{
	const struct mlssor_params *p = mlssor_params_of(r);
	const int32_t count = (int32_t)(p->rows / p->height), each = count / (int32_t)r->base.gpus,
		      place = (int32_t)(backward ? r->base.gpus - 1 - gpu : gpu);
	return (struct mlssor_range){ place * each, (place + 1) * each };
}

/* Whether there is a neighbour for a border sent by `gpu`. */
bool mlssor_has(const struct mlssor_work *r, uint32_t gpu, enum border border, bool backward)
{
	return (border == TO_AFTER) != backward ? gpu + 1 < r->base.gpus : gpu > 0;
}

static uint32_t target_of(uint32_t gpu, enum border border, bool backward)
{
	return (border == TO_AFTER) != backward ? gpu + 1 : gpu - 1;
}

static uint32_t source_of(uint32_t gpu, enum border border, bool backward)
{
	return target_of(gpu, border, !backward);
}

/*
 * Mesh rows of a border between the strips of subdomain rows before and from `row` on, in a sweep's
 * order: with c = row height - shift, TO_BEFORE [c + 1, c + K], TO_AFTER [c, c + K - 1].
 */
static struct mlssor_range border_rows(const struct mlssor_params *p, int32_t row,
				       enum border border, bool backward)
{
	const int32_t first = row * p->height - mlssor_shift_of(p, backward) +
			      (border == TO_BEFORE),
		      last = first + p->layers - 1, rows = (int32_t)p->rows;
	return backward ? (struct mlssor_range){ rows + 1 - last, rows + 1 - first + 1 }
			: (struct mlssor_range){ first, last + 1 };
}

/* The rows of a border that `gpu` sends, within the buffer of `where`. */
static int64_t border_at(const struct mlssor_work *r, uint32_t gpu, uint32_t where,
			 enum border border, bool backward)
{
	const struct mlssor_range strip = mlssor_strip(r, gpu, backward);
	const struct mlssor_range rows =
		border_rows(mlssor_params_of(r), border == TO_BEFORE ? strip.begin : strip.end,
			    border, backward);
	const struct span *stored = &r->domain.parts.part[where].rows;
	return (rows.begin - (stored->begin - stored->low)) * r->domain.parts.row_bytes;
}

static int64_t border_bytes(const struct mlssor_work *r)
{
	return mlssor_params_of(r)->layers * r->domain.parts.row_bytes;
}

static enum await_policy policy_of(const struct mlssor_work *r)
{
	return r->domain.parts.peer ? AWAIT_SPIN : AWAIT_BLOCK;
}

int mlssor_edge(struct mlssor_work *r, struct machine_thread *t, bool backward, int64_t sweep)
{
	const struct mlssor_own *own = &r->own[t->gpu];
	const uint32_t stream = r->domain.parts.part[t->gpu].stream;
	(void)backward;
	return mlssor_ops(r)->record(t, stream, own->edge) ||
			       mlssor_ops(r)->post(t, own->edge_count, sweep + 1, policy_of(r))
		       ? -1
		       : 0;
}

/* What must be over on both sides before a border goes out. */
static int wait_before(struct mlssor_work *r, struct machine_thread *t, enum border border,
		       uint32_t target, int64_t sweep)
{
	const struct machine_ops *ops = mlssor_ops(r);
	const struct mlssor_own *own = &r->own[t->gpu], *peer = &r->own[target];
	if (border == TO_BEFORE)
		return ops->wait(t, own->copies, own->edge);
	return ops->record(t, r->domain.parts.part[t->gpu].stream, own->low) ||
			       ops->wait(t, own->copies, own->low) ||
			       ops->await(t, peer->edge_count, sweep + 1, policy_of(r)) ||
			       ops->wait(t, own->copies, peer->edge)
		       ? -1
		       : 0;
}

/* The stage may hold a border that the neighbour has not fetched yet. */
static int wait_stage(struct mlssor_work *r, struct machine_thread *t, const struct mlssor_sent *s,
		      int64_t sweep)
{
	const struct mlssor_params *p = mlssor_params_of(r);
	const int64_t before = sweep - (p->one_way ? 1 : 2); /* the last of this direction */
	if (before < 0)
		return 0;
	return mlssor_ops(r)->await(t, s->read_count, before + 1, AWAIT_BLOCK) ||
			       mlssor_ops(r)->wait(t, r->own[t->gpu].copies, s->read)
		       ? -1
		       : 0;
}

int mlssor_send(struct mlssor_work *r, struct machine_thread *t, enum border border, bool backward,
		int64_t sweep)
{
	const struct machine_ops *ops = mlssor_ops(r);
	const struct mlssor_own *own = &r->own[t->gpu];
	const struct mlssor_sent *s = &own->sent[backward][border];
	const bool peer = r->domain.parts.peer;
	if (!mlssor_has(r, t->gpu, border, backward))
		return 0;
	const uint32_t target = target_of(t->gpu, border, backward);
	const struct machine_copy copy = {
		.source = r->domain.parts.part[t->gpu].buffer[0],
		.target = peer ? r->domain.parts.part[target].buffer[0] : s->stage,
		.source_offset_bytes = border_at(r, t->gpu, t->gpu, border, backward),
		.target_offset_bytes = peer ? border_at(r, t->gpu, target, border, backward) : 0,
		.row_bytes = border_bytes(r),
		.rows = 1,
	};
	return wait_before(r, t, border, target, sweep) || (!peer && wait_stage(r, t, s, sweep)) ||
			       ops->copy(t, own->copies, &copy) ||
			       ops->record(t, own->copies, s->event) ||
			       ops->post(t, s->count, sweep + 1, policy_of(r))
		       ? -1
		       : 0;
}

int mlssor_receive(struct mlssor_work *r, struct machine_thread *t, enum border border,
		   bool backward, int64_t sweep)
{
	const struct machine_ops *ops = mlssor_ops(r);
	const uint32_t stream = r->domain.parts.part[t->gpu].stream;
	/* A border comes from where one in the opposite direction of sweeps would go. */
	if (!mlssor_has(r, t->gpu, border, !backward))
		return 0;
	const uint32_t source = source_of(t->gpu, border, backward);
	const struct mlssor_sent *s = &r->own[source].sent[backward][border];
	if (ops->await(t, s->count, sweep + 1, policy_of(r)) || ops->wait(t, stream, s->event))
		return -1;
	if (r->domain.parts.peer)
		return 0;
	const struct machine_copy copy = {
		.source = s->stage,
		.target = r->domain.parts.part[t->gpu].buffer[0],
		.target_offset_bytes = border_at(r, source, t->gpu, border, backward),
		.row_bytes = border_bytes(r),
		.rows = 1,
	};
	return ops->copy(t, stream, &copy) || ops->record(t, stream, s->read) ||
			       ops->post(t, s->read_count, sweep + 1, AWAIT_BLOCK)
		       ? -1
		       : 0;
}

static int make_sent(struct mlssor_work *r, uint32_t gpu, uint32_t target, struct mlssor_sent *s)
{
	struct machine *m = r->base.m;
	const struct machine_ops *ops = m->ops;
	if (ops->event(m, gpu, &s->event))
		return -1;
	if (r->domain.parts.peer)
		return ops->peer_access(m, gpu, target);
	return ops->buffer(m, gpu, SPACE_PINNED, border_bytes(r), &s->stage) ||
			       ops->event(m, target, &s->read)
		       ? -1
		       : 0;
}

int mlssor_exchange_make(struct mlssor_work *r, uint32_t gpu)
{
	struct machine *m = r->base.m;
	struct mlssor_own *own = &r->own[gpu];
	if (m->ops->stream(m, gpu, &own->copies) || m->ops->event(m, gpu, &own->edge) ||
	    m->ops->event(m, gpu, &own->low))
		return -1;
	const struct mlssor_params *p = mlssor_params_of(r);
	for (int backward = p->one_way && p->backward; backward <= (!p->one_way || p->backward);
	     backward++)
		for (enum border border = TO_BEFORE; border < BORDERS; border++)
			if (mlssor_has(r, gpu, border, backward) &&
			    make_sent(r, gpu, target_of(gpu, border, backward),
				      &own->sent[backward][border]))
				return -1;
	return 0;
}

int mlssor_exchange_restart(struct mlssor_work *r, uint32_t gpu)
{
	struct machine *m = r->base.m;
	struct mlssor_own *own = &r->own[gpu];
	if (m->ops->counter(m, &own->edge_count))
		return -1;
	for (int backward = 0; backward < 2; backward++)
		for (enum border border = TO_BEFORE; border < BORDERS; border++)
			if (m->ops->counter(m, &own->sent[backward][border].count) ||
			    m->ops->counter(m, &own->sent[backward][border].read_count))
				return -1;
	return 0;
}
