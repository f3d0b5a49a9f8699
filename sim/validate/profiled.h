/* SPDX-License-Identifier: MIT
 * Whether the model `warps` can answer a row at all.
 */
#ifndef WARPREEL_PROFILED_H
#define WARPREEL_PROFILED_H

#include "sim/answers/predict.h"

/* 1, or 0 where a kernel of the schedule has no profile, which is said once (*said): `rows`, such
 * as "runs", that launch it have no row of `warps`. -1 after a message. */
int profiled(struct predictor *predictor, const struct schedule *schedule, const char *rows,
	     bool *said);

#endif
