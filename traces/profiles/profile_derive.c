/* SPDX-License-Identifier: MIT */
#include "profile_derive.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile_derive_internal.h"
#include "profile_law.h"
#include "traces/base/util.h"

static const double COUNT_MOST = 1e17; /* 32 threads each still fit */
static const double MOST_OFF =
	0.05; /* of a launch's instructions, before the law is said not to hold */

/* ---- the nearest ---- */

static double blocks_of(const uint32_t grid[3])
{
	return (double)grid[0] * grid[1] * grid[2];
}

static double ratio(double a, double b)
{
	double r = a > 0 && b > 0 ? a / b : 1;

	return r < 1 ? 1 / r : r;
}

/* How well a profile stands for a launch. */
struct fit {
	int path;     /* 0 another, 1 not known, 2 the same */
	bool counted; /* block and steps agree */
	double shape; /* of warps a block times that of steps, at least 1; smaller is better */
	double grid;  /* of the warps' steps in the grid, likewise */
};

static bool agree(int32_t a, int32_t b)
{
	return a == -1 || b == -1 || a == b;
}

static struct fit fit_of(const struct kernel_profile *profile, const struct launch_geometry *wanted)
{
	const struct launch_geometry *has = &profile->geometry;
	double here = law_warps(has->block), there = law_warps(wanted->block);
	double steps = has->steps > 0 && wanted->steps > 0 ? (double)has->steps / wanted->steps : 1;

	return (struct fit){ .path = has->path == -1 || wanted->path == -1 ? 1
				     : has->path == wanted->path	   ? 2
									   : 0,
			     .counted = !memcmp(has->block, wanted->block, sizeof(has->block)) &&
					agree(has->steps, wanted->steps),
			     .shape = ratio(here, there) * ratio(steps, 1),
			     .grid = ratio(blocks_of(has->grid) * here * steps,
					   blocks_of(wanted->grid) * there) };
}

static bool better(const struct fit *a, const struct fit *b)
{
	if (a->path != b->path)
		return a->path > b->path;
	if (a->counted != b->counted)
		return a->counted > b->counted;
	return a->shape != b->shape ? a->shape < b->shape : a->grid < b->grid;
}

/* Of what a launch finds in caches a profile says nothing when instructions alone were counted. */
static bool knows_caches(const struct kernel_profile *p)
{
	return p->l1_load_sectors >= 0 && p->l1_load_hits >= 0;
}

static bool was_counted(const struct kernel_profile *p)
{
	return p->instruction_count &&
	       p->instruction[0].warps > 0; /* else hardware counters only */
}

const struct kernel_profile *kernel_profiles_find(const struct kernel_profiles *profiles,
						  const char *kernel,
						  const struct launch_geometry *geometry,
						  bool *exact)
{
	const struct kernel_profile *best = NULL;
	struct fit best_fit = { 0 };

	for (size_t i = 0; i < profiles->count; i++) {
		const struct kernel_profile *p = &profiles->profile[i];
		struct fit fit = fit_of(p, geometry);

		if (!was_counted(p) ||
		    (strcmp(p->kernel, kernel) != 0 && strcmp(p->symbol, kernel) != 0))
			continue;
		if (!best || (fit.path == best_fit.path && fit.counted == best_fit.counted &&
					      knows_caches(p) != knows_caches(best)
				      ? knows_caches(p)
				      : better(&fit, &best_fit))) {
			best = p;
			best_fit = fit;
		}
	}
	if (exact)
		*exact = best && best_fit.path > 0 && best_fit.counted;
	return best;
}

/* ---- which profiles ---- */

/* Warps of both blocks are pieces of rows, or rows are equally long: accesses of a warp fall alike.
 */
static bool lie_alike(const uint32_t a[3], const uint32_t b[3])
{
	return a[0] == b[0] || (a[0] % LAW_WARP == 0 && b[0] % LAW_WARP == 0);
}

/* Files may be of different builds. */
static bool same_code(const struct kernel_profile *a, const struct kernel_profile *b)
{
	bool same = a->instruction_count == b->instruction_count;

	for (size_t i = 0; same && i < a->instruction_count; i++)
		same = !memcmp(a->instruction[i].code, b->instruction[i].code,
			       sizeof(a->instruction[i].code));
	return same;
}

bool derive_may_be_base(const struct kernel_profile *p, const struct kernel_profile *nearest,
			const struct launch_geometry *launch)
{
	return was_counted(p) && !strcmp(p->symbol, nearest->symbol) &&
	       !strcmp(p->kernel, nearest->kernel) && p->geometry.path == launch->path &&
	       p->geometry.steps >= 0 && lie_alike(p->geometry.block, launch->block) &&
	       same_code(p, nearest);
}

bool derive_same_shape(const struct kernel_profile *a, const struct kernel_profile *b)
{
	return !memcmp(a->geometry.block, b->geometry.block, sizeof(a->geometry.block)) &&
	       a->geometry.steps == b->geometry.steps;
}

/* The nearest that was not tried and has none of the bases' shapes; NULL = there is no more. */
static const struct kernel_profile *next_base(const struct kernel_profiles *all,
					      const struct kernel_profile *nearest,
					      const struct launch_geometry *launch,
					      const struct profile_derived *d, const bool *tried)
{
	const struct kernel_profile *best = NULL;
	struct fit best_fit = { 0 };

	for (size_t i = 0; i < all->count; i++) {
		const struct kernel_profile *p = &all->profile[i];
		struct fit fit = fit_of(p, launch);
		bool new = !tried[i] && derive_may_be_base(p, nearest, launch);

		for (int k = 0; new &&k < d->base_count; k++)
			new = !derive_same_shape(p, d->base[k]);
		if (new && (!best || better(&fit, &best_fit))) {
			best = p;
			best_fit = fit;
		}
	}
	return best;
}

/* Fills bases and weights, the nearest independent ones until they make up the launch. Whether they
 * do. */
static bool choose_bases(const struct kernel_profiles *all, const struct kernel_profile *nearest,
			 const struct launch_geometry *launch, struct profile_derived *d)
{
	struct law_terms terms[LAW_TERMS], wanted = law_terms_of(launch);
	const struct kernel_profile *p;
	bool *tried = xcalloc(all->count + 1, sizeof(*tried)), done = false;

	while (!done && d->base_count < LAW_TERMS &&
	       (p = next_base(all, nearest, launch, d, tried))) {
		tried[p - all->profile] = true;
		terms[d->base_count] = law_terms_of(&p->geometry);
		if (!law_independent(terms, d->base_count + 1))
			continue;
		d->base[d->base_count++] = p;
		done = law_weigh(terms, d->base_count, &wanted, d->weight);
	}
	free(tried);
	return done;
}

/* Caches that were counted; as much work as in the launch, then as like a shape as there is. */
static const struct kernel_profile *nearest_in_work(const struct kernel_profiles *all,
						    const struct kernel_profile *nearest,
						    const struct launch_geometry *launch)
{
	struct fit best_fit = fit_of(nearest, launch);
	const struct kernel_profile *best = nearest;

	for (size_t i = 0; i < all->count; i++) {
		const struct kernel_profile *p = &all->profile[i];
		const struct fit fit = fit_of(p, launch);
		const bool nearer = fit.grid < best_fit.grid ||
				    (fit.grid == best_fit.grid && fit.shape < best_fit.shape);

		if (derive_may_be_base(p, nearest, launch) &&
		    (knows_caches(p) != knows_caches(best) ? knows_caches(p) : nearer)) {
			best = p;
			best_fit = fit;
		}
	}
	return best;
}

/* ---- counts ---- */

enum { COUNTERS = 8 };
static const int64_t *counters_of(const struct profile_instruction *i)
{
	return &i->warps;
}
_Static_assert(offsetof(struct profile_instruction, wavefronts_shared_ideal) -
			       offsetof(struct profile_instruction, warps) ==
		       (COUNTERS - 1) * sizeof(int64_t),
	       "the counters of an instruction are an array");

/* Of a block, by the weights; NaN when one of the bases has not counted it. */
static double weighted(const struct kernel_profile *const base[], const double weight[], int count,
		       size_t instruction, int counter)
{
	double sum = 0;

	for (int k = 0; k < count; k++) {
		int64_t value = counters_of(&base[k]->instruction[instruction])[counter];

		if (value < 0)
			return NAN;
		sum += weight[k] * (double)value / blocks_of(base[k]->geometry.grid);
	}
	return sum;
}

static double warps_a_block(const struct kernel_profile *p, size_t instruction)
{
	return (double)p->instruction[instruction].warps / blocks_of(p->geometry.grid);
}

/* Derived to be run by some of the warps, where each warp of all bases ran it: a loop's body of
 * several steps, and fewer steps than that. */
static bool in_pieces(const struct profile_derived *d, size_t instruction, double derived)
{
	bool each = derived < (1 - MOST_OFF) * law_warps(d->profile.geometry.block);

	for (int k = 0; each && k < d->base_count; k++)
		each = warps_a_block(d->base[k], instruction) >=
		       (1 - MOST_OFF) * law_warps(d->base[k]->geometry.block);
	return each;
}

void derive_fill_counts(struct profile_derived *d)
{
	struct kernel_profile *to = &d->profile;
	double points = 0;
	bool known = true;

	for (int k = 0; k < d->base_count; k++) {
		points += d->weight[k] * (double)d->base[k]->points /
			  blocks_of(d->base[k]->geometry.grid);
		known &= d->base[k]->points > 0;
	}
	to->points = known && points > 0 ? llround(fmin(points * DERIVED_BLOCKS, COUNT_MOST)) : 0;
	to->rows = to->columns = 0;
	to->instruction = xcalloc(to->instruction_count, sizeof(*to->instruction));
	memcpy(to->instruction, d->memory->instruction,
	       to->instruction_count * sizeof(*to->instruction));
	for (size_t i = 0; i < to->instruction_count; i++) {
		int64_t *out = &to->instruction[i].warps;

		for (int c = 0; c < COUNTERS; c++) {
			double value = weighted(d->base, d->weight, d->base_count, i, c);

			out[c] = isnan(value) ? -1
				 : value > 0  ? llround(fmin(value * DERIVED_BLOCKS, COUNT_MOST))
					      : 0;
		}
		if (to->instruction[i].threads > LAW_WARP * to->instruction[i].warps)
			to->instruction[i].threads = LAW_WARP * to->instruction[i].warps;
	}
}

/* ---- doubts ---- */

/*
 * How far from two bases a launch lies whose weights these are, in the sense of a line through two
 * points of a curve: that is off by the curve's bend times the product of both distances. Of other
 * numbers of bases nothing is said: 1.
 */
static double beyond(const double weight[], int count)
{
	return count == 2 ? fabs(weight[0] * weight[1]) : 1;
}

/*
 * Share of a launch's instructions that are wrong if a profile is right that the bases do not give
 * as it was counted; 0 where they say nothing of it. A profile further from the bases than the
 * launch is says less: what it is off by comes down with the product of distances. One that is
 * nearer says no more than it is off by.
 * Instructions of one opcode are added up: of copies of the same code a warp takes one or the other
 * by where in the grid it works, and a larger grid has fewer warps at its edge.
 */
enum { OPCODE_MASK = 0xfff };
static double off(const struct profile_derived *d, const struct kernel_profile *p)
{
	struct law_terms terms[LAW_TERMS], wanted = law_terms_of(&p->geometry);
	double weight[LAW_TERMS], wrong = 0, all = 0, launch = 0, reach, *missing;

	for (int k = 0; k < d->base_count; k++)
		terms[k] = law_terms_of(&d->base[k]->geometry);
	if (!law_weigh(terms, d->base_count, &wanted, weight))
		return 0;
	missing = xcalloc(OPCODE_MASK + 1, sizeof(*missing));
	for (size_t i = 0; i < p->instruction_count; i++) {
		double counted = warps_a_block(p, i);

		missing[p->instruction[i].code[0] & OPCODE_MASK] +=
			weighted(d->base, weight, d->base_count, i, 0) - counted;
		all += counted;
		launch += weighted(d->base, d->weight, d->base_count, i, 0);
	}
	for (int code = 0; code <= OPCODE_MASK; code++)
		wrong += fabs(missing[code]);
	free(missing);
	reach = beyond(d->weight, d->base_count) / beyond(weight, d->base_count);
	if (reach * all < launch) /* or not a number */
		wrong *= reach * all / launch;
	return all > 0 ? wrong / all : 0;
}

/* Share of the derived instructions that no warp can run so: in pieces, or less than not at all. */
static double impossible(const struct profile_derived *d)
{
	double wrong = 0, all = 0;

	for (size_t i = 0; i < d->profile.instruction_count; i++) {
		double derived = weighted(d->base, d->weight, d->base_count, i, 0);

		wrong += derived < 0 || in_pieces(d, i, derived) ? fabs(derived) : 0;
		all += fabs(derived);
	}
	return all > 0 ? wrong / all : 0;
}

static char *doubt_of(const struct kernel_profiles *all, const struct kernel_profile *nearest,
		      const struct launch_geometry *launch, const struct profile_derived *d)
{
	double part = impossible(d);

	if (!(part <= MOST_OFF)) /* or not a number, of warps that were not counted */
		return xprintf("it has fewer steps than the loops of its profiles run at once, in "
			       "%.0f %% of its instructions",
			       100 * part);
	for (size_t i = 0; i < all->count; i++) {
		const struct kernel_profile *p = &all->profile[i], *again = p;
		const uint32_t *b = p->geometry.block;
		struct fit fit = fit_of(p, launch);
		bool known = !derive_may_be_base(p, nearest, launch);

		for (int k = 0; !known && k < d->base_count; k++)
			known = derive_same_shape(p, d->base[k]);
		for (size_t j = 0; !known && j < all->count;
		     j++) { /* of a shape's grids, the nearest */
			struct fit other = fit_of(&all->profile[j], launch);
			if (derive_may_be_base(&all->profile[j], nearest, launch) &&
			    derive_same_shape(p, &all->profile[j]) && better(&other, &fit))
				again = &all->profile[j];
		}
		if (!known && again == p && !((part = off(d, p)) <= MOST_OFF))
			return xprintf("its profiles contradict each other: by those of block "
				       "%" PRIu32 "x%" PRIu32 "x%" PRIu32 " and %" PRId32
				       " steps it is %.0f %% off",
				       b[0], b[1], b[2], p->geometry.steps, 100 * part);
	}
	return NULL;
}

/* ---- all of it ---- */

void profile_derive(const struct kernel_profiles *profiles, const struct kernel_profile *nearest,
		    const struct launch_geometry *launch, struct profile_derived *d)
{
	struct launch_geometry g = *launch;
	bool follows = false;

	*d = (struct profile_derived){ .memory = nearest };
	if (g.steps == -1 && nearest->geometry.steps == 0) /* the kernel has no such loop */
		g.steps = 0;
	if (nearest->geometry.path >= 0 && g.path >= 0 && nearest->geometry.path != g.path)
		d->doubt = xprintf("path %" PRId32 " was not profiled", g.path);
	else if (nearest->geometry.path < 0 || g.path < 0 || nearest->geometry.steps < 0 ||
		 g.steps < 0)
		d->doubt = xprintf(
			"this block was not profiled, and what a warp does may depend on it");
	else {
		follows = choose_bases(profiles, nearest, &g, d);
		d->memory = nearest_in_work(profiles, nearest, &g);
	}
	if (!d->base_count) {
		d->base_count = 1;
		d->base[0] = nearest;
		d->weight[0] = law_warps(g.block) / law_warps(nearest->geometry.block);
	}
	d->profile = *d->memory;
	d->profile.geometry = g;
	memcpy(d->profile.geometry.grid, (uint32_t[3]){ DERIVED_BLOCKS, 1, 1 }, sizeof(g.grid));
	derive_fill_counts(d);
	if (follows)
		d->doubt = doubt_of(profiles, nearest, &g, d);
	else if (!d->doubt)
		d->doubt = xprintf("too few blocks and steps were profiled");
}

void profile_derived_release(struct profile_derived *d)
{
	free(d->profile.instruction);
	free(d->doubt);
	*d = (struct profile_derived){ 0 };
}
