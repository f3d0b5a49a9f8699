/* SPDX-License-Identifier: MIT
 * The family's entry in the solver table.
 */
#include "rbsor_params.h"

extern const struct solver solver_rbsor;
const struct solver solver_rbsor = {
	.name = "rbsor",
	.summary = "2D Laplace, Dirichlet boundary, red-black SOR on strips of rows",
	.params_bytes = sizeof(struct rbsor_params),
	.options = rbsor_options,
	.prepare = rbsor_prepare,
	.config = rbsor_config,
	.parse = rbsor_parse,
	.steady_begin = rbsor_steady_begin,
	.steady_iterate = rbsor_steady_iterate,
	.steady_end = rbsor_steady_end,
	.run = rbsor_run,
};
