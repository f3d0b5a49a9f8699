/* SPDX-License-Identifier: MIT
 * Iterations of local modified SOR until max|u| is small: three ways to check it, unless a kernel
 * does so by itself.
 *
 * check every, M: the norm of that iteration goes to the host, which waits for it and decides; with
 * several GPUs all meet first.
 *
 * check device, one GPU: sweeps check the norm before them and do nothing once it is small, so the
 * host may launch ahead in chunks and the count stays exact.
 *
 * check device, several GPUs: none of them knows the others' norm in time, so all go on; the host
 * checks a chunk while the next one runs, and when the end was in it, goes back to the chunk's
 * first state and does as many iterations as it takes.
 */
#include "lmsor_row.h"
#include "lmsor_work.h"

enum {
	CHUNK = 32
}; /* iterations launched between two checks of check=device: two chunks of empty sweeps are lost at
      the end */

/* max|u| over all GPUs, as bits, from the host's copies. */
static uint64_t norm_at(const struct lmsor_work *r, int slot)
{
	uint64_t most = 0;
	for (uint32_t g = 0; g < r->base.gpus; g++) {
		const uint64_t *norm = lmsor_slot(r, r->own[g].h_norm, slot);
		if (norm && *norm > most)
			most = *norm;
	}
	return most;
}

/* The first of slots [from, to) after which nothing is left to do; `to` when there is none. */
static int end_among(const struct lmsor_work *r, int from, int to)
{
	const uint64_t tolerance = lmsor_bits(r->params.tolerance);
	for (int slot = from; slot < to && r->base.m->ops->computes && !lmsor_fixed(r); slot++) {
		uint64_t norm = norm_at(r, slot);
		if (norm <= tolerance || norm >= LMSOR_FINITE_END)
			return slot;
	}
	return to;
}

/* Iteration k, from 0, with the exchange that comes before it. */
static int one_iteration(struct lmsor_work *r, struct machine_thread *t, int k, bool norm,
			 bool stops)
{
	const int border = r->params.border, place = k % border, first = k - place;
	const int length =
		r->base.iterations - first < border ? r->base.iterations - first : border;
	if (r->base.gpus > 1 && place == 0 && k > 0 &&
	    parts_exchange(&r->domain.parts, t, k / border - 1, 0))
		return -1;
	for (int colour = 0; colour < 2; colour++)
		if (lmsor_launch_sweep(r, t, colour, 2 * length - 1 - (2 * place + colour),
				       norm ? k + 1 : -1, stops))
			return -1;
	return 0;
}

static void note_end(struct lmsor_work *r, const struct machine_thread *t, int done, bool ended)
{
	if (t->gpu > 0)
		return;
	r->done = done;
	r->ended = ended;
	r->norm = norm_at(r, done);
}

static int iterate_and_ask(struct lmsor_work *r, struct machine_thread *t)
{
	const uint32_t stream = r->domain.parts.part[t->gpu].stream;
	for (int k = 0; k < r->base.iterations; k++) {
		const bool check = (k + 1) % r->params.check_every == 0;
		if (one_iteration(r, t, k, check, false))
			return -1;
		if (!check)
			continue;
		if (lmsor_copy_norms(r, t, stream, k + 1, k + 2, true) ||
		    lmsor_ops(r)->sync(t, stream) || (r->base.gpus > 1 && lmsor_ops(r)->barrier(t)))
			return -1;
		if (end_among(r, k + 1, k + 2) == k + 1) {
			note_end(r, t, k + 1, true);
			return 0;
		}
	}
	note_end(r, t, r->base.iterations, false);
	return 0;
}

static int copy_strip(struct lmsor_work *r, struct machine_thread *t, uint32_t from, uint32_t to)
{
	const struct part *part = &r->domain.parts.part[t->gpu];
	const struct machine_copy copy = {
		.source = from,
		.target = to,
		.row_bytes = part->stored_rows * r->domain.parts.row_bytes,
		.rows = 1,
	};
	return lmsor_ops(r)->copy(t, part->stream, &copy);
}

/* Iterations [from, to) without a check; the norms of the chunk go to the host on a stream beside.
 */
static int launch_chunk(struct lmsor_work *r, struct machine_thread *t, int from, int to, int chunk)
{
	const struct part *part = &r->domain.parts.part[t->gpu];
	for (int k = from; k < to; k++)
		if (one_iteration(r, t, k, true, !lmsor_fixed(r) && r->base.gpus == 1))
			return -1;
	return lmsor_ops(r)->record(t, part->stream, r->own[t->gpu].event[chunk & 1]);
}

static int fetch_chunk(struct lmsor_work *r, struct machine_thread *t, int from, int to, int chunk)
{
	const struct lmsor_own *own = &r->own[t->gpu];
	return lmsor_ops(r)->wait(t, own->aside, own->event[chunk & 1]) ||
			       lmsor_copy_norms(r, t, own->aside, from + 1, to + 1, true)
		       ? -1
		       : 0;
}

static int chunk_length(const struct lmsor_work *r)
{
	const int border = r->params.border;
	return (CHUNK + border - 1) / border * border; /* whole cycles */
}

/* Back to the state at the begin of the chunk that starts with iteration `from`, and on to `done`.
 */
static int go_back(struct lmsor_work *r, struct machine_thread *t, int from, int done,
		   int64_t cycle)
{
	const struct part *part = &r->domain.parts.part[t->gpu];
	const int border = r->params.border, chunk = from / chunk_length(r);
	/* No GPU writes into a strip that has gone back, none goes on before all have. */
	if (lmsor_ops(r)->sync(t, part->stream) || lmsor_ops(r)->barrier(t) ||
	    copy_strip(r, t, r->own[t->gpu].saved[chunk & 1], part->buffer[0]) ||
	    lmsor_ops(r)->sync(t, part->stream) || lmsor_ops(r)->barrier(t))
		return -1;
	for (int k = from; k < done; k++) {
		const int place = k % border;
		if (place == 0 && k > 0 && parts_exchange(&r->domain.parts, t, cycle++, 0))
			return -1;
		for (int colour = 0; colour < 2; colour++)
			if (lmsor_launch_sweep(r, t, colour, 2 * border - 1 - (2 * place + colour),
					       -1, false))
				return -1;
	}
	return 0;
}

static int iterate_ahead(struct lmsor_work *r, struct machine_thread *t)
{
	const struct lmsor_own *own = &r->own[t->gpu];
	const bool several = r->base.gpus > 1;
	const int length = chunk_length(r);
	int from = 0, before = -1; /* begin of the chunk being launched, and of the one before */
	for (int chunk = 0; from < r->base.iterations; chunk++) {
		const int to =
			r->base.iterations - from < length ? r->base.iterations : from + length;
		if ((several && copy_strip(r, t, r->domain.parts.part[t->gpu].buffer[0],
					   own->saved[chunk & 1])) ||
		    launch_chunk(r, t, from, to, chunk) || lmsor_ops(r)->sync(t, own->aside) ||
		    (several && lmsor_ops(r)->barrier(t)))
			return -1;
		if (before >= 0) {
			const int end = end_among(r, before + 1, from + 1);
			if (end <= from) {
				note_end(r, t, end, true);
				return several ? go_back(r, t, before, end,
							 (to - 1) / r->params.border)
					       : 0;
			}
		}
		if (fetch_chunk(r, t, from, to, chunk))
			return -1;
		before = from;
		from = to;
	}
	if (lmsor_ops(r)->sync(t, own->aside) || (several && lmsor_ops(r)->barrier(t)))
		return -1;
	const int end = end_among(r, before + 1, r->base.iterations + 1);
	note_end(r, t, end <= r->base.iterations ? end : r->base.iterations,
		 end <= r->base.iterations);
	return several && end < r->base.iterations
		       ? go_back(r, t, before, end, (r->base.iterations - 1) / r->params.border)
		       : 0;
}

/* One launch does it all, and the host only reads what came of it. */
static int iterate_at_once(struct lmsor_work *r, struct machine_thread *t)
{
	const uint32_t stream = r->domain.parts.part[t->gpu].stream;
	if (lmsor_launch_whole(r, t) ||
	    lmsor_copy_norms(r, t, stream, 0, SCOREBOARD_COUNTS, true) ||
	    lmsor_ops(r)->sync(t, stream))
		return -1;
	const uint64_t *scoreboard = lmsor_slot(r, r->own[t->gpu].h_norm, 0),
		       every = (uint64_t)lmsor_check_interval(&r->params);
	r->done = (int)scoreboard[SCOREBOARD_DONE];
	const bool checked = scoreboard[SCOREBOARD_DONE] % every ==
			     0; /* then zero is max|u| of zeros, not of no check */
	r->norm = checked ? scoreboard[SCOREBOARD_NORM] : 0;
	r->ended = checked &&
		   (r->norm <= lmsor_bits(r->params.tolerance) || r->norm >= LMSOR_FINITE_END);
	return 0;
}

int lmsor_iterate(struct lmsor_work *r, struct machine_thread *t)
{
	if (r->params.method->whole)
		return iterate_at_once(r, t);
	return r->params.check_every == CHECK_DEVICE ? iterate_ahead(r, t) : iterate_and_ask(r, t);
}
