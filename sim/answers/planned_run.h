/* SPDX-License-Identifier: MIT
 * A planned run of any length. One of many iterations repeats itself, so neither its schedule nor its
 * simulation has to be as long: the beginning is planned by the driver itself, and what an iteration
 * adds to an answer follows from where the beginning is cut. The pace is that of calls drawn anew in
 * every iteration, so it has an error, which is estimated and said.
 */
#ifndef WARPREEL_PLANNED_RUN_H
#define WARPREEL_PLANNED_RUN_H

#include "traces/program/program.h"
#include "traces/schedule/schedule_repeat.h"

/* An answer's error from playing a part of the iterations, at most. */
#define PLANNED_RUN_ERROR 0.001

struct planned_run {
	struct schedule schedule; /* what is played: the run, or its beginning and its end */
	/* The same with fewer units, where not all is played: windows of `window` units begin where
	 * shorter[1] and shorter[0] end. They borrow from schedule. */
	struct schedule shorter[2];
	struct schedule recorded; /* that schedule is cut out of; no operations: it is a plan */
	bool skips;
	struct schedule_repeat repeat;
	int64_t window;	   /* units */
	double more;	   /* windows that are left out of the schedule */
	int64_t left_out;  /* operations, as schedule_operations counts them */
	int64_t iterations, played; /* of a plan; of a recorded run, units */
	/* To make it longer; borrowed. */
	const struct program *program;
	const char *solver, *config;
	uint32_t gpus;
	int64_t unit_iterations, operations;
	double operations_asked; /* of the whole run, about */
};

/*
 * `whole`: nothing is left out. Runs of few operations are whole in any case. Release it also after
 * -1, which follows a message: no such run, or one too long to be held whose iterations do not repeat.
 */
int planned_run_make(struct planned_run *run, const struct program *program, const char *solver,
		     const char *config, uint32_t gpus, bool whole);
/* Another, with twice as many units to be played, or the whole run. The schedule is another one
 * afterwards, with the same shapes. */
int planned_run_longer(struct planned_run *run);
/* The same of a recorded run that is run->schedule, where its operations repeat; else nothing changes. */
void planned_run_shorten(struct planned_run *run);
void planned_run_release(struct planned_run *run);

#endif
