/* SPDX-License-Identifier: MIT
 * The validation set `kernels`: kernels alone, one launch after the other on one GPU, against their
 * measured period. Model `warps-refused`: what `warps` answers only when extrapolation is allowed.
 * Model `warps-uncounted`: from profiles without the counts of those launches (of their grid,
 * block, path and steps) whose counts model/splits.tsv leaves out; `warps-uncounted-sure`: those of
 * its rows that are answered unasked, since nothing about the counts is in doubt
 * (profile_derive.h). Model `warps-timed`, where launches timed alone are given: as these of other
 * numbers of points scale it (timed_launches.h).
 */
#ifndef WARPREEL_VALIDATE_KERNELS_H
#define WARPREEL_VALIDATE_KERNELS_H

#include "traces/program/program.h"
#include "sim/answers/predict.h"
#include "validation.h"

/*
 * Adds its rows. `measured`: kernels.tsv; NULL = the platform's, which need not be there unless it
 * is `needed`. Launches are played in `jobs` processes. `timed`: gets the launches of the
 * development rows; NULL = nobody asks. -1 after a message.
 */
int validate_kernels(const struct program *program, struct predictor *predictor,
		     const char *measured, bool needed, int jobs, struct timed_launches *timed,
		     struct validation *validation);

#endif
