/* SPDX-License-Identifier: MIT
 * What a multi-layer SSOR run is asked to do; filled by options or by a configuration string.
 */
#ifndef WARPREEL_MLSSOR_PARAMS_H
#define WARPREEL_MLSSOR_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kit/solver.h"
#include "mlssor_tiles.h"

/* What an iteration, which is one update of every point, is made by. */
enum mlssor_program {
	PROGRAM_TILES,	    /* the parallel method, kernel by kernel */
	PROGRAM_SEQUENTIAL, /* layer by layer, in lexicographic order */
	PROGRAM_REDBLACK    /* colour by colour */
};

enum mlssor_tile_index { TILE_11, TILE_12, TILE_21, TILE_22, TILE_1221, TILE_INDICES };

/* One way to do it: a choice of --kernel and --form. */
struct mlssor_method {
	const char *kernel, *form; /* form NULL: has none */
	int side;		   /* subdomains of that side alone; 0: any */
	bool rows_only;
	enum mlssor_program program;
	const char *name[TILE_INDICES]; /* of the kernels; the others have one, the first */
	void (*cpu)(const void *args);
	void (*geometry)(const void *args,
			 struct launch_geometry *geometry); /* NULL: not on a GPU */
	const char *border; /* the kernel that has launches of one row of subdomains; NULL: this */
};

struct mlssor_params {
	/* as given */
	const char *size, *subdomain, *kernel, *form, *sweeps, *planes, *transport, *points, *input;
	int layers, tile, launches, threads, iterations;
	double omega, tolerance;
	/* by mlssor_prepare */
	const struct mlssor_method *method;
	const struct mlssor_method *border; /* of launches of one row of subdomains */
	int64_t rows, columns;		    /* of the mesh, without the boundary */
	int32_t height, width;		    /* of a subdomain */
	int32_t parts;			    /* tiles of it along an axis */
	int32_t point_rows, point_columns;
	bool one_way, backward; /* sweeps all go one way: backward */
	bool printed, peer;
};

extern const struct option_spec mlssor_options[];
extern const struct solver_column mlssor_said[];

int mlssor_prepare(void *params, uint32_t gpus);
void mlssor_config(const void *params, char text[CONFIG_BYTES]);

/* Layers that come before the GPU can be asked again: a sweep, or one. */
static inline int mlssor_sweep_layers(const struct mlssor_params *p)
{
	return p->method->program == PROGRAM_TILES ? p->layers : 1;
}

/* Of the planes of a sweep (mlssor_tiles.h). */
static inline int32_t mlssor_shift_of(const struct mlssor_params *p, bool backward)
{
	return p->printed ? 0 : mlssor_shift(p->layers, backward);
}

/* The direction of layer `layer` of a run. */
static inline bool mlssor_backward(const struct mlssor_params *p, int64_t layer)
{
	return p->one_way ? p->backward : layer / p->layers % 2;
}

#endif
