/* SPDX-License-Identifier: MIT */
#include "weak_chaos.h"

#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"
#include "weak_tile.h"
#include "weak_work.h"

struct state {
	struct weak_problem problem;
	struct weak_launch launch; /* arguments on the problem's own arrays */
	size_t bytes;		   /* of the values */
	float *start, *other;	   /* other: where synchronous steps go */
	float change;		   /* of the round, in synchronous steps */
	struct weak_tile *tile;	   /* [blocks] */
	struct weak_tile *fetched; /* [blocks]: only borders that are on their way */
	int32_t *order;
	int part; /* nodes of a border in a pass */
	bool synchronous;
};

static struct state *state_of(const struct chaos_case *c)
{
	return c->state;
}

static void start(struct chaos_case *c)
{
	struct state *s = state_of(c);
	memcpy(s->problem.values, s->start, s->bytes);
	if (s->synchronous)
		memcpy(s->other, s->start, s->bytes);
	weak_fill_pack(&s->problem, s->launch.pack);
}

static void begin(struct chaos_case *c, int block)
{
	struct state *s = state_of(c);
	weak_tile_load(&s->tile[block], &s->launch, block);
}

static void steps(struct chaos_case *c, int block, int count)
{
	struct state *s = state_of(c);
	for (int k = 0; k < count; k++) {
		const float by = weak_tile_step(&s->tile[block], &s->launch, s->synchronous);
		s->change = (float)larger_or_nan((double)s->change, (double)by);
	}
}

static double look(struct chaos_case *c, int block)
{
	struct state *s = state_of(c);
	return (double)weak_tile_step(&s->tile[block], &s->launch, true);
}

static void send_borders(struct chaos_case *c, int block, int part)
{
	struct state *s = state_of(c);
	weak_tile_send_nodes(&s->tile[block], &s->launch, part * s->part, (part + 1) * s->part);
}

static void fetch(struct chaos_case *c, int block, int part)
{
	struct state *s = state_of(c);
	s->fetched[block].block = block;
	weak_tile_receive_nodes(&s->fetched[block], &s->launch, part * s->part,
				(part + 1) * s->part);
}

static void receive(struct chaos_case *c, int block, int part)
{
	struct state *s = state_of(c);
	weak_tile_take_nodes(&s->tile[block], &s->fetched[block], &s->launch, part * s->part,
			     (part + 1) * s->part);
}

static void end(struct chaos_case *c, int block)
{
	struct state *s = state_of(c);
	weak_tile_store(&s->tile[block], &s->launch);
}

static double check(struct chaos_case *c)
{
	struct state *s = state_of(c);
	if (!s->synchronous)
		return weak_residual(&s->problem);
	float *swap = s->launch.values;
	s->problem.values = s->launch.values = s->launch.next;
	s->launch.next = s->other = swap;
	const double change = (double)s->change;
	s->change = 0;
	return change;
}

static int beside(const struct chaos_case *c, int block, int side)
{
	const struct state *s = state_of(c);
	return weak_talks(&s->launch, side) ? weak_beside(&s->problem.grid, block, side) : -1;
}

/* The side that node k of a border is on, in the order in which the kernels' threads take them. */
static int side_of(int k)
{
	return k < 2 * WEAK_COLUMNS ? k / WEAK_COLUMNS : 2 + (k - 2 * WEAK_COLUMNS) / WEAK_ROWS;
}

/* A warp whose nodes of a pass all lie on the edge of the grid goes on at once. Who is first has no
 * part in when an exchange is over. */
static int passes_read(const struct chaos_case *c, int block)
{
	enum { WARP = 32 };
	const struct state *s = state_of(c);
	const int nodes = s->launch.talk == WEAK_UP_DOWN ? 2 * WEAK_COLUMNS : WEAK_BORDER;
	int most = 0;
	for (int warp = 0; warp < s->part; warp += WARP) {
		int passes = 0;
		for (int first = warp; first < nodes; first += s->part) {
			const int end = first + WARP < nodes ? first + WARP : nodes;
			bool reads = false;
			for (int k = first; k < end; k++)
				reads |= beside(c, block, side_of(k)) >= 0;
			passes += reads;
		}
		most = passes > most ? passes : most;
	}
	return most;
}

static void close_case(struct chaos_case *c)
{
	struct state *s = state_of(c);
	weak_problem_release(&s->problem);
	free(s->launch.pack);
	free(s->start);
	free(s->other);
	free(s->tile);
	free(s->fetched);
	free(s->order);
	free(s);
}

static const struct chaos_ops ops = { start,   begin, steps, look,   send_borders, fetch,
				      receive, end,   check, beside, passes_read,  close_case };

static bool stays_in_launch(const struct weak_params *p)
{
	return !strcmp(p->scheme, "async") || !strcmp(p->scheme, "free");
}

bool weak_chaotic(const struct weak_params *p)
{
	return !p->sequential && (!p->method->whole || stays_in_launch(p)) &&
	       strcmp(p->scheme, "graph");
}

int weak_chaos_open(const struct weak_params *p, struct weak_problem *problem, struct chaos_case *c)
{
	const struct weak_scheme *scheme = p->method;
	const bool async = !strcmp(p->scheme, "async"), stays = stays_in_launch(p),
		   aside = p->threads > 0 && !stays;
	if (!weak_chaotic(p)) {
		weak_problem_release(problem);
		return report("scheme %s leaves nothing to chance, or is not known: co-simulation "
			      "is of --scheme base, coarse, ud-*, 4w-*, free and async",
			      p->scheme);
	}
	if (p->watch || p->phases) {
		weak_problem_release(problem);
		return report("--%s reads a GPU's clocks: there is none to co-simulate",
			      p->watch ? "watch" : "phases");
	}
	struct state *s = xcalloc(1, sizeof(*s));
	const int blocks = weak_blocks(&problem->grid);
	s->problem = *problem;
	s->synchronous = scheme->synchronous;
	s->bytes =
		(size_t)(weak_values(&problem->grid) * weak_fields(problem->rule)) * sizeof(float);
	s->start = xmalloc(s->bytes);
	memcpy(s->start, problem->values, s->bytes);
	if (s->synchronous)
		s->other = xmalloc(s->bytes);
	s->tile = xcalloc((size_t)blocks, sizeof(*s->tile));
	s->fetched = xcalloc((size_t)blocks, sizeof(*s->fetched));
	s->order = xcalloc((size_t)blocks, sizeof(*s->order));
	weak_order(&problem->grid, scheme->order, s->order);
	s->launch = (struct weak_launch){
		.values = problem->values,
		.next = s->synchronous ? s->other : problem->values,
		.pack = xcalloc((size_t)weak_pack_values(&problem->grid), sizeof(float)),
		.constants = problem->constants,
		.grid = problem->grid,
		.terms = problem->terms,
		.rule = (uint8_t)problem->rule,
		.inner = (uint8_t)p->inner_order,
		.talk = (uint8_t)scheme->talk,
		.combine = scheme->combine,
	};
	weak_problem_measure(&s->problem);
	s->part = aside ? p->threads : WEAK_BORDER;
	const int border = scheme->talk == WEAK_UP_DOWN ? 2 * WEAK_COLUMNS : WEAK_BORDER;
	*c = (struct chaos_case){
		.ops = &ops,
		.state = s,
		.order = s->order,
		.blocks = blocks,
		.sides = 4,
		.host_sync = p->host_sync,
		.exchange = scheme->talk == WEAK_SILENT ? p->host_sync : p->exchange,
		.resident = p->resident,
		.exchanges = scheme->talk != WEAK_SILENT,
		.aside = aside,
		.late = stays && !aside,
		.stays = stays,
		.looks = async ? p->host_sync : 0,
		.way = stays ? scheme->option : NULL,
		.kind = scheme->talk == WEAK_UP_DOWN ? CHAOS_ROWS
			: scheme->combine	     ? CHAOS_PACKED
						     : CHAOS_ALL,
		.passes = aside ? (border + p->threads - 1) / p->threads : 1,
		.moved = (double)border / WEAK_BORDER,
		.block_threads = WEAK_COMPUTING + p->threads,
		.checks_apart = !scheme->synchronous,
		.most_steps = p->steps ? p->steps : p->max_steps,
		.fixed = p->steps > 0,
		.wanted = p->by_error ? p->tolerance * (1 - s->problem.factor) : p->tolerance,
		.ages = p->ages,
	};
	return 0;
}
