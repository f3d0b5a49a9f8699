/* SPDX-License-Identifier: MIT */
#include "cosim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/event_queue.h"
#include "traces/base/util.h"

/* What an event is, in its stamp; of an exchange, which part, above. */
enum { BEGIN, ENTER, SEND, FETCH, RECEIVE, STAMP, NOTE, PHASE_END };
enum { PART = 3, WHAT = (1 << PART) - 1 };

enum { PIECE = 4 }; /* steps, of which the pace is told anew where a phase is a whole round */

struct block {
	int place, done; /* steps of this round */
	int phase, made; /* steps of the phase, and how many of them have been computed */
	sim_time phase_ps, step_ps;
	int came; /* before how many others of the round it got its place, from 1; 0: it has none */
	double noise;	   /* of its durations in this phase */
	double busy_share; /* of its multiprocessor, in what it does now */
	double away_ns;	   /* by how much its exchanges are longer, on this place, than others' */
	double noting_ns;  /* that it takes to look at ages, on this place; 0 where nobody does */
	int64_t stamped;   /* steps of all rounds when it last told that its borders were written */
	/* Where all call for the end of a round: steps at which it looks next; whether this phase
	 * ends so, it changes little, it has heard the call. */
	int look;
	bool looking, quiet, heard;
	sim_time asked; /* when it asked for words that it takes up later */
};

struct play {
	struct chaos_case *c;
	const struct cosim_costs *costs;
	struct cosim_result *result;
	struct cosim_watcher *watcher;
	struct event_queue queue;
	struct block *block, **at_place; /* [blocks]; [places]: the last one there */
	/* Of a place: of its steps; more for a way to L2 and back; more to note ages. */
	double *factor, *trip_ns, *note_ns;
	int places, next;
	int length;	/* of the round, in steps */
	int64_t before; /* steps of the rounds before */
	uint64_t drawn;
	sim_time now;
	bool first;	 /* round */
	int quiet;	 /* blocks that change little */
	sim_time called; /* for the end of the round; NEVER: not yet */
};
static const sim_time NEVER = INT64_MAX;

/* splitmix64 (Steele, Lea, Flood 2014). */
static double uniform(struct play *p)
{
	uint64_t x = p->drawn += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return ((double)((x ^ (x >> 31)) >> 11) + 0.5) * 0x1p-53;
}

/* Twelve uniforms are normal enough, and need no logarithm that another library rounds otherwise.
 */
static double normal(struct play *p)
{
	double sum = -6;
	for (int k = 0; k < 12; k++)
		sum += uniform(p);
	return sum;
}

/* 1 on average, never below a half. */
static double factor(struct play *p, double spread)
{
	return fmax(1 + spread * normal(p), 0.5);
}

static sim_time ps(double ns)
{
	return (sim_time)llround(1000 * ns);
}

static void push(struct play *p, sim_time at, int block, int what)
{
	event_queue_push(&p->queue, at, RANK_STREAM, (uint32_t)block, (uint32_t)what);
}

/*
 * By how much what a block does takes longer, relative, since others are on its multiprocessor:
 * schedulers let warps go first that came first. A share `before` of the multiprocessor is taken by
 * blocks that came before; what has to wait for them finds 1 - before of it. Those that came later
 * are in the way by what they have begun.
 */
static double stretch(const struct play *p, const struct block *b)
{
	double before = 0, later = 0;
	for (int place = b->place % p->costs->multiprocessors; place < p->places;
	     place += p->costs->multiprocessors) {
		const struct block *other = p->at_place[place];
		if (!other || other == b || !other->came)
			continue;
		*(other->came < b->came ? &before : &later) += other->busy_share;
	}
	before = fmin(before, 0.95); /* or it would wait for ever */
	return p->costs->crowd * before / (1 - before) + p->costs->crowd_later * later;
}

static double exchange_ns(const struct play *p, const struct block *b)
{
	const struct cosim_costs *costs = p->costs;
	const struct chaos_case *c = p->c;
	const double ns =
		c->aside ? costs->exchange_ns[c->kind] + c->passes * costs->pass_ns[c->kind]
			 : costs->together_ns[c->kind];
	const double crowded = ns * (1 + costs->crowd_exchange * stretch(p, b));
	return fmax(crowded + b->away_ns, crowded / 2);
}

/* A step of a block on its place. */
static double step_ns(const struct play *p, const struct block *b)
{
	return p->costs->step_ns * (1 + stretch(p, b)) * p->factor[b->place];
}

/* Parts of borders are sent one after the other, then received. */
static void push_exchange(struct play *p, int id, double whole_ns, int passes)
{
	const double sending = whole_ns * p->costs->send_share, receiving = whole_ns - sending;
	for (int part = 0; part < passes; part++) {
		const sim_time sent = p->now + ps(sending * (part + 1) / passes),
			       come = p->now + ps(sending + receiving * (part + 1) / passes),
			       found = come - ps(p->costs->load_ns);
		push(p, sent + ps(p->costs->store_ns), id, SEND + (part << PART));
		push(p, found > p->now ? found : p->now, id, FETCH + (part << PART));
		push(p, come, id, RECEIVE + (part << PART));
	}
}

/* What an exchange occupies of a multiprocessor. */
static double moving_ns(const struct play *p)
{
	return p->costs->exchange_busy_ns * p->c->moved;
}

/* As push_exchange, where words are asked for and the block goes on with those of before, which it
 * has waited for. Returns what all of it takes. */
static double push_late_exchange(struct play *p, int id, double whole_ns)
{
	const struct cosim_costs *costs = p->costs;
	struct block *b = &p->block[id];
	const sim_time come = b->asked + ps(costs->pass_ns[p->c->kind]),
		       at = come > p->now ? come : p->now,
		       sent = at + ps(whole_ns * costs->send_share + costs->store_ns),
		       end = at + ps(whole_ns + costs->meet_ns);
	for (int part = 0; part < p->c->passes; part++) {
		push(p, at, id, RECEIVE + (part << PART));
		push(p, sent, id, SEND + (part << PART));
		push(p, at + ps(costs->load_ns), id, FETCH + (part << PART));
	}
	push(p, end, id, ENTER);
	b->asked = at;
	return (double)(end - p->now) / 1000;
}

/* So much of its multiprocessor, in a phase or an exchange that takes so long. */
static void occupy(struct block *b, double busy_ns, sim_time whole_ps)
{
	b->busy_share = whole_ps > 0 ? fmin(1, 1000 * busy_ns / (double)whole_ps) : 1;
}

static void begin_phase(struct play *p, int id)
{
	const struct chaos_case *c = p->c;
	struct block *b = &p->block[id];
	const int left = p->length - b->done;
	/* Pieces of a phase have one. */
	const double noise = b->noise =
		c->exchanges || b->done == 0 ? factor(p, p->costs->phase_spread) : b->noise;
	const bool exchanges = c->exchanges && c->aside && b->done > 0;
	b->phase = left < c->exchange ? left : c->exchange;
	/* Nothing happens after a piece, but that its pace is told anew by who is there. */
	const bool piece = !c->exchanges && b->phase > PIECE;
	b->phase = piece ? PIECE : b->phase;
	b->made = 0;
	b->looking = c->looks && b->done + b->phase >= b->look;
	b->phase_ps = p->now;
	b->step_ps = ps(step_ns(p, b) * noise);
	sim_time end = p->now + b->phase * b->step_ps +
		       (c->exchanges || b->done == 0 ? ps(p->costs->enter_ns * noise) : 0);
	if (exchanges) {
		const double whole = exchange_ns(p, b) * noise;
		const sim_time received = p->now + ps(whole + b->noting_ns);
		push_exchange(p, id, whole, c->passes);
		end = end > received ? end : received;
	}
	end += piece ? 0 : ps(p->costs->meet_ns);
	push(p, end, id, PHASE_END);
	occupy(b, b->phase * p->costs->step_busy_ns + (exchanges ? moving_ns(p) : 0), end - p->now);
}

/* Of all exchanges of a block that has just got its place. */
static double away_ns(struct play *p, int id, int place)
{
	const struct chaos_case *c = p->c;
	const int read = c->ops->passes_read(c, id);
	double sum = p->trip_ns[place] * read;
	for (int k = 0; k < read; k++)
		sum += p->costs->line_spread_ns * normal(p);
	return sum - p->costs->idle_ns * (c->passes - read);
}

/* What it takes to look at ages, which a run pays for that is asked for them. Steps that blocks
 * have told and counts of ages lie in few lines, which a multiprocessor is near to or far from. */
static double noting_ns(struct play *p, int place)
{
	return p->c->ages && p->costs->note_ns > 0
		       ? fmax(p->costs->note_ns + p->note_ns[place] +
				      p->costs->line_spread_ns * normal(p),
			      p->costs->note_ns / 2)
		       : 0;
}

static void take_place(struct play *p, int place, sim_time at)
{
	const struct chaos_case *c = p->c;
	if (p->next >= c->blocks)
		return;
	const int id = c->order[p->next++];
	p->at_place[place] = &p->block[id];
	p->block[id].place = place;
	p->block[id].came = p->next;
	p->block[id].busy_share = 0;
	p->block[id].done = c->looks ? p->block[id].done : 0;
	p->block[id].away_ns = c->exchanges ? away_ns(p, id, place) : 0;
	p->block[id].noting_ns = c->exchanges ? noting_ns(p, place) : 0;
	/* Its values have come by then. */
	push(p, at + (c->stays && !p->first ? 0 : ps(p->costs->begin_ns)), id, BEGIN);
}

/* The steps of the phase that have begun by then, or those that have ended. */
static void compute_until(struct play *p, int id, sim_time then, bool begun)
{
	struct block *b = &p->block[id];
	const sim_time passed = then - b->phase_ps + (begun ? b->step_ps - 1 : 0);
	int64_t steps = passed > 0 && b->step_ps > 0 ? passed / b->step_ps
			: passed > 0		     ? b->phase
						     : 0;
	steps = steps > b->phase - b->looking ? b->phase - b->looking : steps;
	if (steps > b->made) {
		p->c->ops->steps(p->c, id, (int)steps - b->made);
		b->made = (int)steps;
	}
}

static void note_ages(struct play *p, int id)
{
	const struct chaos_case *c = p->c;
	const struct block *b = &p->block[id];
	for (int side = 0; side < c->sides; side++) {
		const int other = c->ops->beside(c, id, side);
		if (other < 0)
			continue;
		const int64_t age = p->before + b->done - p->block[other].stamped + COSIM_AGE_ZERO;
		p->result->age[age < 0 ? 0 : age >= COSIM_AGES ? COSIM_AGES - 1 : age]++;
	}
}

static void receive_now(struct play *p, int id, int part)
{
	p->c->ops->receive(p->c, id, part);
	if (part < p->c->passes - 1 || p->c->late)
		return;
	const double noting = p->block[id].noting_ns;
	const sim_time noted = p->now + ps(noting / 2), stamped = noted - ps(p->costs->note_gap_ns);
	push(p, stamped > p->now ? stamped : p->now, id, STAMP);
	push(p, noted, id, NOTE);
	if (!p->c->aside)
		push(p, p->now + ps(noting + p->costs->meet_ns), id, ENTER);
}

/* Storing a block. */
static double end_ns(const struct play *p)
{
	return p->costs->end_ns + (p->c->checks_apart ? 0 : p->costs->raise_ns);
}

/* A block counts itself in that changes little, or out; the last one calls for all. */
static void count_quiet(struct play *p, struct block *b, bool quiet)
{
	p->quiet += quiet - b->quiet;
	b->quiet = quiet;
	if (p->quiet == p->c->blocks && p->called == NEVER)
		p->called = p->now + ps(p->costs->store_ns);
}

/* Whether a block is at the end of its round. */
static bool leaves(struct play *p, struct block *b)
{
	const struct chaos_case *c = p->c;
	if (b->done < p->length && !b->heard)
		return false;
	if (!c->looks)
		return true;
	if (b->done == p->length && !c->fixed && p->called == NEVER)
		p->called = p->now + ps(p->costs->store_ns); /* nobody goes on for longer */
	p->quiet -= b->quiet;
	b->quiet = false;
	return true;
}

static void end_phase(struct play *p, int id)
{
	struct chaos_case *c = p->c;
	struct block *b = &p->block[id];
	if (b->phase - b->looking > b->made)
		c->ops->steps(c, id, b->phase - b->looking - b->made);
	b->done += b->phase;
	if (b->looking) {
		const double change = c->ops->look(c, id);
		b->look = b->done + c->looks;
		count_quiet(p, b, !c->fixed && change <= c->wanted);
	}
	if (p->watcher && p->before < (int64_t)COSIM_TOLD_ROUNDS * c->host_sync)
		p->watcher->phase(p->watcher, (double)p->now * 1e-6, id, b->place,
				  p->before + b->done);
	if (leaves(p, b)) {
		c->ops->end(c, id);
		b->came = 0;
		take_place(p, b->place, p->now + ps(end_ns(p) + p->costs->take_ns));
	} else if (c->exchanges && !c->aside) {
		double whole = exchange_ns(p, b);
		if (c->late)
			whole = push_late_exchange(p, id, whole);
		else
			push_exchange(p, id, whole, c->passes);
		occupy(b, moving_ns(p), ps(whole));
	} else {
		begin_phase(p, id);
	}
}

static void begin_block(struct play *p, int id)
{
	struct chaos_case *c = p->c;
	struct block *b = &p->block[id];
	c->ops->begin(c, id);
	for (int part = 0; part < c->passes && c->late; part++)
		c->ops->fetch(c, id, part); /* what is there is taken up first */
	b->look = b->done + c->looks;
	b->heard = false;
	b->asked = p->now;
	begin_phase(p, id);
}

static void happen(struct play *p, int id, int what, int part)
{
	struct chaos_case *c = p->c;
	switch (what) {
	case BEGIN:
		begin_block(p, id);
		break;
	case ENTER:
		begin_phase(p, id);
		break;
	case SEND:
		if (c->aside)
			compute_until(p, id, p->now - ps(p->costs->store_ns), false);
		c->ops->send(c, id, part);
		break;
	case FETCH:
		c->ops->fetch(c, id, part);
		p->block[id].heard |= c->looks && p->called <= p->now;
		break;
	case RECEIVE:
		if (c->aside)
			compute_until(p, id, p->now, true);
		receive_now(p, id, part);
		break;
	case STAMP: /* as on the GPU, when all has been exchanged: first its own, then others' */
		p->block[id].stamped = p->before + p->block[id].done;
		break;
	case NOTE:
		note_ages(p, id);
		break;
	default:
		end_phase(p, id);
	}
}

/* From the first begin at `from`; returns when the last block has stored its values. */
static sim_time play_round(struct play *p, sim_time from)
{
	struct event e;
	sim_time last = from;
	p->next = p->quiet = 0;
	p->called = NEVER;
	const double spread = p->c->stays && !p->first ? 0 : p->costs->spread_ns;
	for (int k = 0; k < p->places; k++)
		take_place(p, k, from + ps(spread * k / p->places));
	while (event_queue_pop(&p->queue, &e)) {
		last = p->now = e.at_ps;
		happen(p, (int)e.target, (int)(e.stamp & WHAT), (int)(e.stamp >> PART));
	}
	p->first = false;
	return last + ps(end_ns(p));
}

/* Steps of all rounds after this one: of blocks that make different numbers, the most. */
static int64_t made_by(const struct play *p)
{
	int most = 0;
	for (int k = 0; k < p->c->blocks; k++)
		most = p->block[k].done > most ? p->block[k].done : most;
	return p->c->looks ? most : p->before + p->length;
}

/* As many as are asked for, or as registers let in. */
static int places_of(const struct chaos_case *c, const struct cosim_costs *costs)
{
	enum { REGISTERS = 65536 }; /* of a multiprocessor, of every device since 2012 */
	if (c->stays)
		return c->blocks; /* or it would not be launched */
	int places = c->resident && c->resident < c->blocks ? c->resident : c->blocks;
	if (costs->registers > 0) {
		const double fit = floor(REGISTERS / (costs->registers * c->block_threads)) *
				   costs->multiprocessors;
		places = fit >= 1 && fit < places ? (int)fit : places;
	}
	return places;
}

/* By how many standard deviations places are farther from what all read: 0 on average. The first
 * ones are given out on one part of the device, those after on the other; where all have blocks,
 * the places of a cluster of multiprocessors follow each other, and a cluster lies anywhere. */
static void draw_sides(struct play *p, double *away)
{
	enum { CLUSTER = 16 };
	const double first = p->costs->first_places;
	const bool few = first < p->places && p->places < p->costs->multiprocessors;
	const double odds = (p->places - first) / first;
	for (int k = 0; k < p->places; k++)
		if (few)
			away[k] = k < first ? sqrt(odds) : -sqrt(1 / odds);
		else
			away[k] = k % CLUSTER ? away[k - 1] : uniform(p) < 0.5 ? -1 : 1;
}

void cosim_run(struct chaos_case *c, const struct cosim_costs *costs, uint64_t seed,
	       struct cosim_result *result, struct cosim_watcher *watcher)
{
	struct play p = {
		.c = c, .costs = costs, .result = result, .watcher = watcher, .drawn = seed
	};
	sim_time at = 0;
	*result = (struct cosim_result){ .left = NAN };
	event_queue_init(&p.queue);
	p.places = places_of(c, costs);
	p.block = xcalloc((size_t)c->blocks, sizeof(*p.block));
	p.at_place = xcalloc((size_t)p.places, sizeof(*p.at_place));
	p.factor = xcalloc((size_t)p.places, sizeof(*p.factor));
	p.trip_ns = xcalloc((size_t)p.places, sizeof(*p.trip_ns));
	p.note_ns = xcalloc((size_t)p.places, sizeof(*p.note_ns));
	const bool known = costs->first_places > 0;
	if (known)
		draw_sides(&p, p.trip_ns);
	for (int k = 0; k < p.places; k++) {
		p.factor[k] = factor(&p, costs->place_spread);
		const double away = known ? p.trip_ns[k] : uniform(&p) < 0.5 ? -1 : 1;
		p.trip_ns[k] = costs->trip_spread_ns * away;
		p.note_ns[k] = costs->note_spread_ns * away;
	}
	c->ops->start(c);
	bool converged = false;
	const double between = (c->stays ? 0 : costs->round_ns) +
			       (c->checks_apart || c->stays ? costs->check_ns : 0);
	p.first = true;
	while (!converged && result->steps < c->most_steps) {
		const int64_t left = c->most_steps - p.before;
		p.length = left < c->host_sync || c->looks ? (int)left : c->host_sync;
		at = play_round(&p, at) + ps(between * factor(&p, costs->phase_spread));
		result->steps = made_by(&p);
		p.before = c->looks ? 0 : result->steps;
		result->left = c->ops->check(c);
		converged = !c->fixed && !(result->left > c->wanted);
	}
	at += c->stays ? ps(costs->round_ns) : 0;
	result->seconds = (double)at * 1e-12;
	result->unconverged = !c->fixed && !(result->left <= c->wanted);
	event_queue_release(&p.queue);
	free(p.block);
	free(p.at_place);
	free(p.factor);
	free(p.trip_ns);
	free(p.note_ns);
}
