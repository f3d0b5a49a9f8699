/* SPDX-License-Identifier: MIT
 * The family's entry in the solver table.
 */
#include "lmsor_params.h"

static const char *const extra_names[] = { "real_points", "imaginary_points", "max_u", NULL };

extern const struct solver solver_lmsor;
const struct solver solver_lmsor = {
	.name = "lmsor",
	.summary = "2D convection-diffusion, local modified SOR with red-black ordering, until "
		   "max|u| is small",
	.params_bytes = sizeof(struct lmsor_params),
	.options = lmsor_options,
	.extra_names = extra_names,
	.prepare = lmsor_prepare,
	.config = lmsor_config,
	.parse = lmsor_parse,
	.steady_begin = lmsor_steady_begin,
	.steady_iterate = lmsor_steady_iterate,
	.steady_end = lmsor_steady_end,
	.run = lmsor_run,
};
