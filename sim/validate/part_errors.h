/* SPDX-License-Identifier: MIT
 * Which part of a planned run's time is wrong, and to which side: launch, sync, copy, kernel. Asked
 * of runs with a recorded twin: the same configuration on as many GPUs, recorded and played back.
 */
#ifndef WARPREEL_PART_ERRORS_H
#define WARPREEL_PART_ERRORS_H

#include "validation.h"

/*
 * A line a number of GPUs and part. A part is the time in which, on a GPU, a kernel ran; else a
 * copy; else nothing, since its stream or its host thread waited; else nothing, since the host was
 * busy launching. The error of a part is the plan's less the twin's, in percent of the measured
 * time of the whole, so those of the four parts add up to that of the plan against the twin
 * (`twin`); `measured` is the plan's against the measured time.
 */
void part_errors_write(const struct validation *validation, FILE *out);

#endif
