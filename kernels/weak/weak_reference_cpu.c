/* SPDX-License-Identifier: MIT
 * The launch of scheme reference.
 */
#include <string.h>

#include "weak_launch.h"
#include "weak_problem.h"

void weak_reference_cpu(const void *args)
{
	const struct weak_launch *launch = args;
	/* Padding has weight 0: whole blocks are as good as the nodes that are no padding. */
	const struct weak_problem p = {
		.rule = launch->rule,
		.grid = launch->grid,
		.terms = launch->terms,
		.rows = launch->grid.down * WEAK_ROWS,
		.columns = launch->grid.across * WEAK_COLUMNS,
		.constants = (float *)(uintptr_t)launch->constants,
	};
	double change;
	const int done = weak_reference(&p, launch->values, (double)launch->omega, launch->steps,
					(double)launch->tolerance, &change);
	const float rounded = (float)change;
	memcpy(&launch->status[WEAK_STATUS_CHANGE], &rounded, sizeof(rounded));
	launch->status[WEAK_STATUS_STEPS] = (uint32_t)done;
}
