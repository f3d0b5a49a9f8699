/* SPDX-License-Identifier: MIT
 * What launches of stencils over a region of a part have alike: what they say of themselves to
 * models.
 */
#ifndef WARPREEL_STENCIL_H
#define WARPREEL_STENCIL_H

#include "domain.h"
#include "stencil_points.h"

/* A kernel as the machines know it. */
struct stencil_kernel {
	const char *name; /* of its symbol; static storage */
	void (*cpu)(const void *args);
	void (*geometry)(const void *args, struct launch_geometry *geometry);
};

/* A launch that reads a buffer of its GPU's part, updates a region of a buffer of it, and reads and
 * writes each point from and to memory once; where that is not so the members after args_bytes say
 * it. */
struct stencil_launch {
	const struct stencil_kernel *kernel;
	struct region region; /* updated; local indices of the part */
	int from, to;	      /* buffers of the part */
	const void *args;
	size_t args_bytes;
	int64_t reach;	    /* rows read beyond the region, as far as they are stored; 0: one */
	int64_t points;	    /* updates of a point; 0: those of the region */
	int64_t dram_bytes; /* that must move if nothing is cached; 0: the region in and out */
	uint32_t access;    /* ACCESS_BACKWARD, or 0 */
	uint32_t textures;  /* objects made for it */
};

/* Inside a thread: puts the launch on its GPU's stream. */
int stencil_launch(const struct domain *domain, struct machine_thread *t,
		   const struct stencil_launch *launch);

/* The same of a kernel on stencil_points.h, whose arguments begin with struct stencil_points, which
 * is filled here: every point a thread's part owns and `extension` more toward each neighbour, from
 * the current buffer to the other. */
int stencil_launch_points(const struct domain *domain, struct machine_thread *t,
			  const struct stencil_kernel *kernel, int64_t extension,
			  struct stencil_points *args, size_t args_bytes);

#endif
