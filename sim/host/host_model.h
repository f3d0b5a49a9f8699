/* SPDX-License-Identifier: MIT
 * What CUDA calls, waking up and talking to each other take host threads. Two models: `measured`
 * goes by a platform file, in `free` everything takes no time. docs/model-host.md explains each
 * mechanism of the first; `model/mechanism/mechanisms.def` lists them.
 */
#ifndef WARPREEL_HOST_MODEL_H
#define WARPREEL_HOST_MODEL_H

#include "model/platform/platform.h"
#include "sim/time/sim_time.h"
#include "traces/schedule/schedule.h"

struct host_model;

struct host_model_ops {
	const char *name;
	/* For the threads of a schedule; seed 0: no spread, every cost at its mean. Both outlive
	 * the model, which ends with destroy. */
	struct host_model *(*create)(const struct platform *platform,
				     const struct schedule *schedule, uint64_t seed);
	void (*destroy)(struct host_model *model);
	/* A call that puts a command into a stream where `ahead` commands are waiting, or a
	 * library's; `draw` tells the calls of a thread apart. */
	sim_time (*call)(struct host_model *model, uint32_t thread, const struct schedule_op *op,
			 uint32_t ahead, int64_t draw);
	/* Anything else of a thread, by kind: HOST_SYNC_IDLE, HOST_POST, HOST_BARRIER, ... */
	sim_time (*other)(const struct host_model *model, int kind);
	/* From a post to the thread that sleeps on its counter: one that differs from time to time.
	 */
	sim_time (*wake)(const struct host_model *model, uint32_t thread, int kind, int64_t draw);
	/* The next node of a graph, within the call that launches it. */
	sim_time (*node)(const struct host_model *model, const struct schedule_op *op);
	/* The thread synchronises: what it calls next stands in no row with what it called before.
	 */
	void (*synchronised)(struct host_model *model, uint32_t thread);
};
extern const struct host_model_ops host_measured, host_free;

#endif
