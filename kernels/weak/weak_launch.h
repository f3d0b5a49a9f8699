/* SPDX-License-Identifier: MIT
 * Arguments of the launches of the image solvers, and their implementations on the CPU.
 */
#ifndef WARPREEL_WEAK_LAUNCH_H
#define WARPREEL_WEAK_LAUNCH_H

#include <stdbool.h>

#include "kernels/weak/weak.h"

struct launch_geometry;

/* Which borders a block exchanges between two synchronizations with the host. */
enum weak_talk { WEAK_SILENT, WEAK_UP_DOWN, WEAK_FOUR_WAYS };

/* In which order a step changes the nodes of a block: all from the old values; or first the red
 * ones (row + column even), then the black ones from those. */
enum weak_inner { WEAK_JACOBI, WEAK_RED_BLACK };

/*
 * Words that launches leave behind. Of three words for what changed one is raised by a launch, the
 * next is cleared by it for its successor. Ages: how many steps a border read was behind, by 256
 * less the reader's lead; then the step at which each side of each block was written.
 */
enum {
	WEAK_STATUS_CHANGE,    /* three: bits of floats */
	WEAK_STATUS_STEPS = 3, /* that a launch of all steps made */
	WEAK_STATUS_TICKET,    /* blocks given to resident places so far */
	WEAK_STATUS_ARRIVED,   /* at the grid-wide barriers so far */
	WEAK_STATUS_QUIET,     /* scheme async: blocks that change little */
	WEAK_STATUS_CALLED,    /* and checks that have been called for */
	WEAK_GPUS = 8,	       /* that one launch on each steps together, at most */
	WEAK_STATUS_MET = 8,   /* by GPU: how often its blocks have met */
	WEAK_STATUS_CHANGED = WEAK_STATUS_MET + WEAK_GPUS, /* and what they have changed */
	WEAK_STATUS_WORDS = WEAK_STATUS_CHANGED + WEAK_GPUS,
	WEAK_AGES = 512,
	WEAK_AGE_ZERO = 256,
};

/* What a block tells of its last launch where a run is watched: its multiprocessor; when it began,
 * had loaded its values, had made its steps, and had stored them (ns); cycles of its steps and
 * exchanges together; then struct weak_durations of its phases of steps, and of its exchanges;
 * cycles of all their sending; steps. */
enum {
	WEAK_WATCH_SM,
	WEAK_WATCH_BEGIN,
	WEAK_WATCH_LOADED,
	WEAK_WATCH_STEPPED,
	WEAK_WATCH_END,
	WEAK_WATCH_CYCLES,
	WEAK_WATCH_STEPS,
	WEAK_WATCH_EXCHANGES = WEAK_WATCH_STEPS + 3,
	WEAK_WATCH_SENDING = WEAK_WATCH_EXCHANGES + 3,
	WEAK_WATCH_MADE,
	WEAK_WATCH_WORDS,
};

/* What a block tells where its pace is asked for: its multiprocessor; when it began (ns); how many
 * phases of steps it has made; cycles from its begin to the end of each of the first of them. */
enum {
	WEAK_PACE_SM,
	WEAK_PACE_BEGIN,
	WEAK_PACE_PHASES,
	WEAK_PACE_ENDS,
	WEAK_PACE_WORDS = WEAK_PACE_ENDS + 256,
};

/* Arrays of a GPU that has the rows of blocks beside, or NULLs. */
struct weak_peer {
	float *values, *next;
	uint32_t *ages;
};

/* Steps on a grid; arrays lie as struct weak_problem has them. */
struct weak_launch {
	float *values, *next; /* where nodes come from and where they go; the same but for
				 synchronous steps */
	float *pack;	      /* left and right borders: [field][block][left, right][row] */
	const float *constants;
	uint32_t *status;
	const int32_t *order; /* the block of each id */
	uint32_t *ages;	      /* or NULL */
	uint64_t *watch;      /* or NULL: [blocks][WEAK_WATCH_WORDS or WEAK_PACE_WORDS] */
	struct weak_peer above, below;
	uint32_t *all_status[WEAK_GPUS]; /* of all GPUs, where there are several */
	struct weak_grid grid;
	struct weak_terms terms;
	float omega;	      /* of the reference */
	float tolerance;      /* of the residual, where the launch checks; negative: all steps */
	int32_t steps, every; /* exchanges come every so many steps; in one launch of all, checks */
	int32_t exchange;     /* where checks have `every` */
	uint32_t number;      /* of launches before */
	int32_t resident;     /* places that take ids in order; 0: as many as there are */
	int32_t blocks;	      /* of this launch: the first ones of `order`; 0: all */
	uint16_t communicating; /* threads; 0: those that compute */
	uint8_t rule, inner, talk, combine;
	uint8_t paced;	   /* `watch` is of paces */
	uint8_t gpu, gpus; /* this one, of several */
};

WEAK_BOTH int64_t weak_pack_at(const struct weak_grid *g, int field, int block, int side, int row)
{
	return (((int64_t)field * weak_blocks(g) + block) * 2 + side) * WEAK_ROWS + row;
}
WEAK_BOTH int64_t weak_pack_values(const struct weak_grid *g)
{
	return (int64_t)WEAK_FIELDS * weak_blocks(g) * 2 * WEAK_ROWS;
}

/* Of a launch. */
WEAK_BOTH int32_t weak_own_blocks(const struct weak_launch *l)
{
	return l->blocks ? l->blocks : weak_blocks(&l->grid);
}

/* Its place: the plane, and the block's row and column there. */
struct weak_place {
	int plane, down, across;
};
WEAK_BOTH struct weak_place weak_place_of(const struct weak_grid *g, int block)
{
	const int plane = block / (g->down * g->across), within = block % (g->down * g->across);
	const struct weak_place place = { plane, within / g->across, within % g->across };

	return place;
}
/* The block beside it: up, down, left, right; -1 where there is none. */
WEAK_BOTH int weak_beside(const struct weak_grid *g, int block, int side)
{
	const struct weak_place p = weak_place_of(g, block);

	switch (side) {
	case 0:
		return p.down > 0 ? block - g->across : -1;
	case 1:
		return p.down < g->down - 1 ? block + g->across : -1;
	case 2:
		return p.across > 0 ? block - 1 : -1;
	default:
		return p.across < g->across - 1 ? block + 1 : -1;
	}
}

/* Rectangles of at most WEAK_CLUSTER blocks that tile a plane: of all, the one inside of which the
 * most borders lie, per block; of equals the flattest. */
enum { WEAK_CLUSTER = 8 };
struct weak_tiling {
	int down, across;
};
WEAK_BOTH struct weak_tiling weak_tiling_of(const struct weak_grid *g)
{
	struct weak_tiling best = { 1, 1 };

	for (int down = 1; down <= WEAK_CLUSTER && down <= g->down; down++)
		for (int across = 1; across * down <= WEAK_CLUSTER && across <= g->across;
		     across++) {
			const int inside = down * (across - 1) + across * (down - 1),
				  most = best.down * (best.across - 1) +
					 best.across * (best.down - 1);

			if (g->down % down == 0 && g->across % across == 0 &&
			    inside * best.down * best.across > most * down * across)
				best.down = down, best.across = across;
		}
	return best;
}
/* The block of place `id`: clusters one after the other, in each its blocks in reading order. */
WEAK_BOTH int weak_cluster_block(const struct weak_grid *g, int id)
{
	const struct weak_tiling t = weak_tiling_of(g);
	const int size = t.down * t.across, cluster = id / size, rank = id % size,
		  wide = g->across / t.across; /* clusters in a row */

	/* Planes follow each other, and a plane has whole rows of clusters. */
	return (cluster / wide * t.down + rank / t.across) * g->across + cluster % wide * t.across +
	       rank % t.across;
}
/* The place in the cluster of the block beside; -1: there is none, or it is in another cluster. */
WEAK_BOTH int weak_cluster_rank(const struct weak_grid *g, int block, int side)
{
	const struct weak_tiling t = weak_tiling_of(g);
	const struct weak_place p = weak_place_of(g, block);
	const int down = p.down % t.down + (side == 1) - (side == 0),
		  across = p.across % t.across + (side == 3) - (side == 2);

	return down < 0 || down >= t.down || across < 0 || across >= t.across
		       ? -1
		       : down * t.across + across;
}

/* The ids in stripes or in squares (Fig. 6): rows of blocks as they come, or tiles of 6 x 5
 * blocks. order: [blocks]. */
enum weak_order { WEAK_STRIPE, WEAK_SQUARE };
void weak_order(const struct weak_grid *g, int order, int32_t *ids);

/* The CPU's launches. weak_steps_cpu plays a schedule that is always the same: the places make the
 * same steps at the same time, and in an exchange all borders are written before any is read. */
void weak_reference_cpu(const void *args);
void weak_steps_cpu(const void *args);
void weak_residual_cpu(const void *args);
void weak_graph_cpu(const void *args);
void weak_whole_cpu(const void *args);
void weak_cluster_cpu(const void *args);
void weak_free_cpu(const void *args);

#ifdef __cplusplus
extern "C" {
#endif
void weak_steps_geometry(const void *args, struct launch_geometry *geometry);
void weak_residual_geometry(const void *args, struct launch_geometry *geometry);
void weak_whole_geometry(const void *args, struct launch_geometry *geometry);
void weak_apart_geometry(const void *args, struct launch_geometry *geometry);
#ifdef __cplusplus
}
#endif

#endif
