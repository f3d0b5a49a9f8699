/* SPDX-License-Identifier: MIT
 * Which of several ways to make a run is fastest: each is planned and simulated.
 */
#ifndef WARPREEL_CHOOSE_FASTEST_H
#define WARPREEL_CHOOSE_FASTEST_H

#include "predict.h"

/*
 * Of parameters that leave something open (`--kernel auto`): takes the way whose core loop is
 * shortest on the platform that the options name, and prints which to standard error. Nothing where
 * nothing is open. -1 after a message.
 */
int choose_fastest(const struct program *program, const char *solver, void *params,
		   size_t params_bytes, uint32_t gpus, const struct predictor_options *options);
/* On the machine's own platform, or else the one that predict takes unasked. */
int choose_fastest_by_default(const struct program *program, const char *solver, void *params,
			      size_t params_bytes, uint32_t gpus);

#endif
