/* SPDX-License-Identifier: MIT
 * What a run of a microkernel is asked to do; filled by options or by a configuration string.
 */
#ifndef WARPREEL_MICRO_PARAMS_H
#define WARPREEL_MICRO_PARAMS_H

#include "traces/base/options.h"
#include "kernels/kit/solver.h"
#include "micro.h"

struct micro_params {
	/* as given */
	const char *name;
	int size, block, work, iterations; /* work 0: the kernel's own */
	/* by micro_prepare */
	const struct micro_kernel *kernel;
	struct micro_args args; /* without addresses */
	struct micro_buffer buffer[MICRO_BUFFERS];
	struct launch_geometry geometry;
};

extern const struct option_spec micro_options[];
extern const struct solver_column micro_columns[];

int micro_prepare(void *params, uint32_t gpus);
void micro_config(const void *params, char text[CONFIG_BYTES]);

#endif
