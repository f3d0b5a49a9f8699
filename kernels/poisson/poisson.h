/* SPDX-License-Identifier: MIT
 * Seamless cloning (Perez, Gangnet, Blake: Poisson Image Editing, 2003; paper 003, Section III-A):
 * inside the mask a picture whose gradients are those of the source, and which at the mask's
 * border agrees with the target.
 */
#ifndef WARPREEL_POISSON_H
#define WARPREEL_POISSON_H

#include "kernels/images/image.h"
#include "kernels/weak/weak_params.h"

struct poisson_params {
	struct weak_params common;
	const char *source, *mask, *target, *offset, *guide, *output; /* borrowed */
	int size, objects; /* of the built-in scene, where no pictures are named */
	/* by prepare */
	int down, right; /* where the source's first pixel comes to lie in the target */
	bool mixed;
};

/* The three pictures, and where the nodes are in the target. */
struct poisson_pictures {
	struct image source, mask, target;
	int32_t first_row, first_column; /* the target's pixel at node (0, 0) */
};

/* Reads, or makes the scene: all in as many channels. -1 after a message. */
int poisson_read(struct poisson_pictures *pictures, const struct poisson_params *p);
void poisson_release(struct poisson_pictures *pictures);
/* The built-in scene: a ball over waves, the mask all but the outermost pixels; or `objects` x
 * `objects` of wavy outline, far enough from each other that no two are connected. */
void poisson_scene(struct poisson_pictures *pictures, int size, int objects);

/* A plane a channel, over the mask's box and one pixel more where there is one; starts as the
 * target. -1 after a message. */
int poisson_make(struct weak_problem *problem, struct poisson_pictures *pictures,
		 const struct poisson_params *p);
/* The target with the solution in it. */
void poisson_picture(const struct weak_problem *problem, const struct poisson_pictures *pictures,
		     struct image *result);

#endif
