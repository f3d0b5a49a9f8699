/* SPDX-License-Identifier: MIT
 * Calibration: microbenchmarks on the real machine, untraced. The measuring code is CUDA
 * (model/calibrate_*.cu, part of libwarpreel-cuda.so); the command that drives it, repeats it under
 * the recorder and writes the .ini is cmd_calibrate.c.
 *
 * Every number is emitted through `emit` as it is measured, with its spread.
 */
#ifndef WARPREEL_CALIBRATE_H
#define WARPREEL_CALIBRATE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	CALIBRATE_HOST = 1,
	CALIBRATE_STREAM = 2,
	CALIBRATE_COPY = 4,
	CALIBRATE_MEMORY = 8,
	CALIBRATE_LINKS = 16,
	CALIBRATE_SM = 32,
	CALIBRATE_DOORBELL = 64,
	CALIBRATE_POLL = 128,
	CALIBRATE_PEER_EXCHANGE = 256
};

struct calibration {
	int gpus;	 /* use GPUs 0..gpus-1 */
	double budget_s; /* aim to end within this */
	unsigned parts;	 /* CALIBRATE_* */
	void *sink;
	/*
	 * values[count] with key "section.key"; spread[count] = median absolute deviation of each
	 * (NULL: not a measurement). `how` is one sentence: which loop gave it. A fact in words has
	 * count 0 and is itself `how`.
	 */
	void (*emit)(void *sink, const char *dotted_key, const double *values, const double *spread,
		     size_t count, const char *how);
	void (*progress)(void *sink, const char *what, double done);
};

#ifdef __cplusplus
}
#endif
#endif
