/* SPDX-License-Identifier: MIT
 * The image solvers as a simulator plays them.
 */
#ifndef WARPREEL_WEAK_CHAOS_H
#define WARPREEL_WEAK_CHAOS_H

#include "kernels/weak/weak_params.h"
#include "traces/program/chaos.h"

/* Whether the steps of such a run depend on when values arrive; prepared. */
bool weak_chaotic(const struct weak_params *p);
/* Takes over what `problem` owns; close() frees it. -1 after a message: a scheme that is not one of
 * the paper's eight. */
int weak_chaos_open(const struct weak_params *params, struct weak_problem *problem,
		    struct chaos_case *c);

#endif
