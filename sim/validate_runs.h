/* SPDX-License-Identifier: MIT
 * The validation sets of whole runs, against their measured core time:
 *   replay  the run's own trace (G as recorded)
 *   gpus    G > 1, from the plan, one-GPU inputs and the platform file only
 *   size    one GPU, from the same
 */
#ifndef WARPREEL_VALIDATE_RUNS_H
#define WARPREEL_VALIDATE_RUNS_H

#include "../traces/program.h"
#include "measured.h"
#include "predict.h"
#include "validation.h"

/* Adds their rows, worked out in `jobs` processes; `measured` tells which are held out. -1 after a message. */
int validate_runs(const struct program *program, struct predictor *predictor, const struct measured *measured, int jobs, struct validation *validation);

#endif
