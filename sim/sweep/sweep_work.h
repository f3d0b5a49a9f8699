/* SPDX-License-Identifier: MIT
 * Answers the points of a sweep that have no answer yet, in several processes.
 */
#ifndef WARPREEL_SWEEP_WORK_H
#define WARPREEL_SWEEP_WORK_H

#include "sim/answers/predict.h"
#include "sweep_file.h"
#include "sweep_store.h"

struct sweep_work {
	const struct program *program;
	const struct sweep *sweep;
	const struct predictor_options *options; /* platform and set are the sweep's */
	struct sweep_store *store;
	const bool *done; /* [sweep->points] */
	struct sweep_shard shard;
	int processes;
};

/* Answers them and stores each row as it comes; a point that cannot be answered is a row with a
 * note. -1 after a message. */
int sweep_work_run(const struct sweep_work *work);

#endif
