/* SPDX-License-Identifier: MIT
 * Shape from shading (Horn 1986; Ikeuchi and Horn 1981; paper 003, Section III-B): the normals of
 * a surface from how bright it is, then its heights from the normals.
 *
 * Coordinates are the picture's: x to the right, y down, z to the eye; heights in pixels.
 */
#ifndef WARPREEL_SHAPE_H
#define WARPREEL_SHAPE_H

#include "kernels/images/image.h"
#include "kernels/weak/weak_params.h"

struct shape_params {
	struct weak_params common;
	const char *image, *mask, *light, *edge; /* borrowed */
	const char *normals, *height, *surface;	 /* files to be written, or NULL */
	double lambda, white;
	int size; /* of the built-in scene, where no picture is named */
	/* by prepare */
	float to_light[3];
	bool occluding;
};

struct shape_pictures {
	struct image image, mask; /* grey */
};

/* Reads, or makes the scene; -1 after a message. */
int shape_read(struct shape_pictures *pictures, const struct shape_params *p);
void shape_release(struct shape_pictures *pictures);
/* A vase, as Lambert's law shows it under the light of `p`; the mask is its outline. */
void shape_scene(struct shape_pictures *pictures, const struct shape_params *p);
/* f and g of the scene's surface at a pixel; false outside of it. */
bool shape_scene_normal(int size, int row, int column, double normal[3]);

/* One plane over the whole picture; every pixel of the mask is free. Those around it are known: at
 * an occluding edge the surface bends away, a flat one faces the eye. -1 after a message. */
int shape_make(struct weak_problem *problem, const struct shape_pictures *pictures,
	       const struct shape_params *p);

/* From stereographic coordinates. */
void shape_normal(double f, double g, double normal[3]);

/*
 * Heights whose differences fit the slopes best, in the sense of least squares, between nodes that
 * are both free; the lowest is 0. By conjugate gradients. [rows][columns], owned by the caller;
 * NaN at nodes that are not free.
 */
double *shape_heights(const struct weak_problem *problem);

/* Whatever files are asked for; -1 after a message. */
int shape_write(const struct weak_problem *problem, const struct shape_params *p);

#endif
