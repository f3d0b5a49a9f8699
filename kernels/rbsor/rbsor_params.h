/* SPDX-License-Identifier: MIT
 * What a red-black SOR run is asked to do; filled by options or by a configuration string.
 */
#ifndef WARPREEL_RBSOR_PARAMS_H
#define WARPREEL_RBSOR_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kit/stencil_params.h"
#include "kernels/machine/machine.h"

/* A way for the host's threads to wait for each other. */
struct rbsor_sync {
	const char *name;
	bool one_thread, graph, messages;
	bool waits_so; /* as `policy` says; else as the transport usually does */
	enum await_policy policy;
	enum machine_channel channel; /* of messages */
};

struct rbsor_params {
	struct stencil_params grid; /* first */
	/* as given */
	const char *kernel, *indices, *scheme, *sync, *timing, *order, *staging;
	int depth;
	double omega; /* 0: the optimum (4.17) */
	/* by rbsor_prepare */
	bool tuned, thesis, timed;
	bool store; /* tuned, but for rows next to a neighbour */
	bool texture;
	int sweep; /* of rbsor_sweeps.def; -1: none */
	bool persistent, resident;
	const struct rbsor_sync *by;	  /* of `sync` */
	bool one_thread, graph, messages; /* as `by` says */
	bool workers;			  /* of `order` */
	bool passes;			  /* kernels of rbsor_passes.def ... */
	bool trapezoid;			  /* and rbsor_trapezoids.def, where there is one */
	int pass_depth;			  /* iterations of a pass, at most */
	double omega_used;
};

extern const struct option_spec rbsor_options[];

/*
 * The optimum relaxation factor, Spampinato (4.17), extended to rectangles through Young's formula:
 * omega = 2 / (1 + sqrt(1 - mu^2)), mu = (cos(pi/(rows+1)) + cos(pi/(columns+1))) / 2; for a square
 * 2 / (1 + sin(pi/(n+1))).
 */
double rbsor_optimal_omega(int64_t rows, int64_t columns);

/* `--kernel auto` (struct solver). */
int rbsor_ways(const void *params, uint32_t gpus);
void rbsor_take(void *params, uint32_t gpus, int way);
int rbsor_prepare(void *params, uint32_t gpus);
void rbsor_config(const void *params, char text[CONFIG_BYTES]);
int64_t rbsor_halo_rows(const struct rbsor_params *params); /* 2b exact, b thesis; 1 store */

#endif
