/* SPDX-License-Identifier: MIT
 * A recorded run made ready to be played back: the trace, its schedule without the recorder's cost,
 * and the predictor that answers.
 */
#ifndef WARPREEL_REPLAYED_H
#define WARPREEL_REPLAYED_H

#include "planned_run.h"
#include "platform_choice.h"
#include "predict.h"
#include "traces/views/trace_range.h"

struct replay_options {
	struct predictor_options common;
	int gpus, run;
	const char *scaling;
	struct range_request range;
};

struct replayed {
	struct trace trace;
	struct planned_run run;
	struct predictor predictor;
	struct predictor_options common; /* as asked, with the platform that was chosen */
	struct platform_choice choice;
	struct profile own;
	const char *set; /* which interval applies */
};

/* 0, then replayed_release; -1 after a message, with nothing to release. */
int replayed_open(struct replayed *replayed, const struct program *program, const char *path,
		  const struct replay_options *options, const char *model);
void replayed_release(struct replayed *replayed);

#endif
