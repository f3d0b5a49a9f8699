/* SPDX-License-Identifier: MIT
 * Sets of three-dimensional patches, as adaptive mesh refinement makes them: boxes of cells, each
 * with one layer of ghost cells, x fastest. Some stand by themselves, some lie beside each other in
 * one domain, on levels of which each is twice as fine as the one before.
 *
 * What lies beyond a patch is, where there is one, the cell of another patch of its level; else of
 * the coarser level; else the boundary of the domain.
 */
#ifndef WARPREEL_PATCH_SET_H
#define WARPREEL_PATCH_SET_H

#include <stdbool.h>
#include <stdint.h>

enum { PATCH_SIDE_MOST = 1024, PATCHES_MOST = 65536, PATCH_LEVELS = 8 };

struct patch {
	int32_t n[3];  /* cells along x, y, z */
	int32_t at[3]; /* first cell, in cells of its level */
	int32_t level;
	int32_t group; /* of patches that know each other; one that stands by itself is its own */
	uint32_t gpu;
	int64_t first_cell; /* of its ghost-free values, among those of its GPU */
	int64_t origin;	    /* element of cell (0, 0, 0), among those of its GPU with ghost cells; a
			       multiple of 4, so that rows of cells begin sectors of 32 bytes */
	int32_t pitch;	    /* elements between rows */
	int32_t plane;	    /* and between planes */
};

/* Ghost cells, or the covered cells of a coarser patch: a rectangle of cells (a, b), each of
 * strides in its patch. Offsets count from cell (0, 0, 0) of a patch. */
enum link_kind {
	LINK_COPY,    /* the cell of a patch of the level */
	LINK_REFLECT, /* minus the cell inside: a boundary of value 0 on the face between them */
	LINK_COARSE,  /* 2/3 of the coarser cell outside, 1/3 of the cell inside: linear along the
			 normal, and constant in the face */
	LINK_AVERAGE  /* the mean of eight finer cells */
};
struct patch_link {
	int32_t target, source; /* patches */
	int32_t kind;
	int32_t phase; /* 0: averages, which come first; 1: ghost cells */
	int32_t count_a, count_b;
	int32_t target_at, target_a, target_b;		 /* offset of the first cell, strides */
	int32_t source_at, source_a, source_b, source_c; /* source_c: third stride, of averages */
	int32_t odd_a,
		odd_b;	/* COARSE: whether the first cell is the second half of its coarse one */
	int32_t inward; /* from a ghost cell to the cell inside */
};

struct patch_set {
	struct patch *patch;
	int count;
	int levels;
	int64_t cells, largest;	 /* of all, of the patch with most */
	bool connected;		 /* some patches know each other */
	struct patch_link *link; /* by patch_set_link */
	int64_t links;
	int64_t *gpu_cells, *gpu_elements; /* [gpus], by patch_set_place: without and with ghosts */
};

/*
 * Reads a set: terms joined by '+', each
 *
 *     96x64           96 patches of 64^3 cells that stand by themselves; 2x16.8.4 of 16 by 8 by 4
 *     4.4.6*64        a box of 4 by 4 by 6 patches of 64^3 beside each other, from cell 0
 *     1@8.8.8:16      a patch of 16^3 on level 1, from cell (8, 8, 8) of that level
 *
 * The last two kinds are of one domain. -1 after a message: text that is none of these, patches of
 * a level that overlap, a level whose patches do not lie within the level before in whole cells of
 * it. Release in either case.
 */
int patch_set_read(struct patch_set *set, const char *text);
void patch_set_release(struct patch_set *set);

/* Deals patches to GPUs, balanced by cells, and lays each GPU's out one behind the other. A domain
 * is cut in the order of its patches, which keeps neighbours together; where all stand by
 * themselves, the largest patches are dealt first, each to the GPU with fewest cells. -1 after a
 * message when there are fewer patches than GPUs. */
int patch_set_place(struct patch_set *set, uint32_t gpus);

/* Makes the links, after placing. `reflect`: boundaries need one, too; else their ghosts stay as
 * they are. */
void patch_set_link(struct patch_set *set, bool reflect);

/* Offset of cell (i, j, k) from cell (0, 0, 0); ghost cells are -1 and n. */
static inline int64_t patch_offset(const struct patch *p, int i, int j, int k)
{
	return (int64_t)k * p->plane + (int64_t)j * p->pitch + i;
}
static inline int64_t patch_cells(const struct patch *p)
{
	return (int64_t)p->n[0] * p->n[1] * p->n[2];
}

#endif
