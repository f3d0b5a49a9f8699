/* SPDX-License-Identifier: MIT
 * What the driver of the image families holds, and what it asks of a family.
 */
#ifndef WARPREEL_WEAK_WORK_H
#define WARPREEL_WEAK_WORK_H

#include "kernels/weak/weak_params.h"

struct weak_work {
	struct solver_work base; /* iterations: steps at most */
	const struct weak_params *params;
	struct weak_problem problem;
	uint32_t stream;
	uint32_t values, constants, board, h_values, h_constants, h_board; /* buffers */
	double residual_wanted; /* negative: exactly base.iterations steps */
	double omega;
	/* of the last run */
	int done;
	float change; /* the residual at the last look */
};

/*
 * The driver: functions of struct solver. A family's own begin() makes work->problem and calls
 * weak_begin; its end() calls weak_end; its check() calls weak_check.
 */
int weak_begin(struct weak_work *w);
void weak_end(struct weak_work *w);
uint32_t weak_stream(const struct solver_work *work, uint32_t gpu);
void weak_fill(struct solver_work *work, uint64_t seed);
int weak_restart(struct solver_work *work);
int weak_up(struct solver_work *work, struct machine_thread *t);
int weak_core(struct solver_work *work, struct machine_thread *t);
int weak_down(struct solver_work *work, struct machine_thread *t);
void weak_result(struct solver_work *work, struct solver_result *result);
void weak_check(const struct weak_work *w, struct solver_result *result);
/* The problem with the values that came down; borrowed. */
struct weak_problem weak_after(const struct weak_work *w);
bool weak_open_ended(const void *params);

#endif
