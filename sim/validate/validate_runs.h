/* SPDX-License-Identifier: MIT
 * The validation sets of whole runs, against their measured core time:
 *   replay  the run's own trace (G as recorded)
 *   gpus    G > 1, from the plan, one-GPU inputs and the platform file only
 *   size    one GPU, from the same
 */
#ifndef WARPREEL_VALIDATE_RUNS_H
#define WARPREEL_VALIDATE_RUNS_H

#include "traces/program/program.h"
#include "measured.h"
#include "sim/answers/predict.h"
#include "validation.h"

/* The runs of a solver alone (NULL: of all); what the tool answers unasked and the baselines, no
 * other kernel model; in so many processes. */
struct validate_how {
	const char *solver;
	bool unasked;
	int jobs;
};

/* Adds their rows; `measured` has those runs. -1 after a message. */
int validate_runs(const struct program *program, struct predictor *predictor,
		  const struct measured *measured, const struct validate_how *how,
		  struct validation *validation);

#endif
