/* SPDX-License-Identifier: MIT
 * What a run of block relaxation is asked to do; filled by options or by a configuration string.
 */
#ifndef WARPREEL_PATCHES_PARAMS_H
#define WARPREEL_PATCHES_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kit/patch_set.h"
#include "kernels/kit/solver.h"
#include "traces/base/options.h"
#include "patches.h"

enum patches_method { METHOD_JACOBI, METHOD_CHAOTIC, METHOD_LEXICOGRAPHIC };
enum patches_order { ORDER_WHOLE, ORDER_DEPTH, ORDER_BREADTH };
enum patches_use { USE_STEPS, USE_RELAX, USE_CYCLE, USE_CG, USE_CG_RELAX, USE_CG_CYCLE };
enum patches_invert { INVERT_SINE, INVERT_ONE, INVERT_ALL };

/* One way to relax: a choice of --kernel. */
struct patches_kernel {
	const char *option;  /* as --kernel says it */
	const char *name[2]; /* of the launch: block Jacobi, Gauss-Seidel */
	void (*cpu)(const void *args);
	void (*geometry)(const void *args,
			 struct launch_geometry *geometry); /* NULL: not on a GPU */
	bool dense;					    /* needs the inverses themselves */
	bool gemm;	  /* three launches and whole blocks of one size */
	bool blas;	  /* calls OpenBLAS */
	bool advance;	  /* Algorithm 3: v is what u is to be advanced by, in a second launch */
	bool advances;	  /* the same in one */
	bool scatters;	  /* OpenMP over blocks: Gauss-Seidel is chaotic */
	bool stays;	  /* a launch for all steps, a thread block a patch, which it holds */
	int most_threads; /* cells of a block at most; 0: any number */
};

struct patches_params {
	/* as given */
	const char *patches, *block_text, *edge, *method_text, *kernel_text, *ghost, *stencil_text,
		*rhs, *inverse, *order_text, *transfer, *use_text, *smoother, *slice;
	double omega, tolerance;
	int iterations, wave, streams, products, outer, sweeps;
	/* by patches_prepare */
	char set_text[160];
	const struct patches_kernel *kernel;
	enum patches_method method;
	enum patches_order order;
	enum patches_invert invert;
	enum patches_use use;
	int32_t block[3];
	int count, side, block_cells; /* for columns: patches; cells of a side, 0: they differ */
	double stencil[4], omega_used;
	bool overlap, reflect, random_rhs, each_step, red_black;
};

extern const struct option_spec patches_options[];
extern const struct solver_column patches_columns[];

int patches_prepare(void *params, uint32_t gpus);
void patches_config(const void *params, char text[CONFIG_BYTES]);

/* Blocks along an axis of n cells, blocks of b; cells of the last one. */
static inline int32_t patches_blocks(int32_t n, int32_t b)
{
	return (n + b - 1) / b;
}
static inline int32_t patches_last(int32_t n, int32_t b)
{
	return n - (patches_blocks(n, b) - 1) * b;
}

#endif
