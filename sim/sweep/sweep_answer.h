/* SPDX-License-Identifier: MIT */
#ifndef WARPREEL_SWEEP_ANSWER_H
#define WARPREEL_SWEEP_ANSWER_H

#include "sim/answers/predict.h"
#include "sweep_file.h"
#include "sweep_store.h"

/* Keeps what serves from one point to the next: the predictor of a platform and its assignments. */
struct sweep_answerer {
	const struct program *program;
	const struct predictor_options *options;
	struct predictor predictor;
	bool ready;
	const char *platform, *set; /* whose predictor it is; the sweep's */
};

/* Notes the launches of a point that no time is known of (warps_note); silent where it cannot. */
void sweep_note(struct sweep_answerer *answerer, const struct sweep_point *point);
/* Plays what is pending in so many processes. */
void sweep_play_pending(struct sweep_answerer *answerer, int processes);

/* Fills in the row of a point; one without an answer says why on stderr and is not `answered`. */
void sweep_answer(struct sweep_answerer *answerer, const struct sweep_point *point,
		  struct sweep_row *row);
void sweep_answerer_release(struct sweep_answerer *answerer);

#endif
