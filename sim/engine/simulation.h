/* SPDX-License-Identifier: MIT
 * Plays a schedule on a platform: host threads, streams, events, copy engines, links, counters. No
 * globals; same input, same result, bit for bit.
 */
#ifndef WARPREEL_SIMULATION_H
#define WARPREEL_SIMULATION_H

#include <stdbool.h>
#include <stdint.h>

#include "model/platform/platform.h"
#include "traces/schedule/schedule.h"
#include "event_queue.h"
#include "sim/copies/copy_model.h"
#include "sim/gpu/kernel_model.h"
#include "sim/host/host_model.h"

/* Told of every interval, for timelines; all members optional. Times in ps. */
struct observer {
	void *arg;
	void (*device_op)(void *arg, uint32_t stream, const struct schedule_op *op,
			  int64_t op_index, sim_time start, sim_time end);
	void (*host_op)(void *arg, uint32_t thread, const struct schedule_op *op, int64_t op_index,
			sim_time start, sim_time end);
};

/* Where the core loop's time went on one GPU; the four add up to the core time. */
struct breakdown {
	sim_time kernel_ps;   /* a kernel ran */
	sim_time transfer_ps; /* no kernel, a copy ran */
	sim_time sync_ps;     /* nothing ran: its stream waited for an event, or its host thread for
				 another thread or a sync */
	sim_time host_ps;     /* nothing ran: the host was busy issuing */
};

struct simulation_result {
	sim_time core_ps, total_ps, end_ps;
	int64_t operations;	      /* schedule_operations */
	int64_t events, ties;	      /* the engine's own */
	int64_t waits_never_recorded; /* waits on events nothing had recorded: passed at once, as
					 CUDA does */
	uint32_t gpu_count;
	struct breakdown *gpu; /* [gpu_count], owned; simulation_result_release */
	int64_t peak_bytes;    /* memory the engine allocated for this schedule */
};

struct simulation_setup {
	const struct schedule *schedule;     /* borrowed */
	const struct platform *platform;     /* borrowed */
	struct kernel_model *model;	     /* borrowed */
	const struct observer *observer;     /* may be NULL */
	const struct host_model_ops *host;   /* NULL: host_measured */
	const struct copy_model_ops *copies; /* NULL: copy_measured */
	/*
	 * 0: every host cost is its median. Else host calls differ as the platform's
	 * thread_quantiles and call_quantiles say, drawn from this seed: threads in step wait for
	 * the slower, which no median shows.
	 */
	uint64_t seed;
	bool quiet; /* what there is to be said of the schedule's costs has been said */
};

/* -1 after a message: a kernel the model has no cost for, a deadlock (names the thread and what it
 * waits for). */
int simulation_run(const struct simulation_setup *setup, struct simulation_result *result);
void simulation_result_release(struct simulation_result *result);

#endif
