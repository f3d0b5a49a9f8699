/* SPDX-License-Identifier: MIT
 * The validation sets of programs that are none of our solvers: recordings played back, against
 * what the same program takes untraced. Sets as the table names them (foreign: CUDA programs;
 * python: of PyTorch, CuPy and JAX). Model `default` is what the tool answers unasked,
 * `as-recorded` what the program took under the recorder.
 */
#ifndef WARPREEL_VALIDATE_FOREIGN_H
#define WARPREEL_VALIDATE_FOREIGN_H

#include "sim/answers/predict.h"
#include "validation.h"

/*
 * Adds the rows of the table `path`; recordings are those of the folder `foreign` beside the
 * platform's measurements. -1 after a message.
 */
int validate_foreign(struct predictor *predictor, const char *path, struct validation *validation);

#endif
