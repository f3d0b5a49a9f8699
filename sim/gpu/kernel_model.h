/* SPDX-License-Identifier: MIT
 * How long a kernel takes: models behind one small ops struct, chosen by name (kernel_models.def).
 */
#ifndef WARPREEL_KERNEL_MODEL_H
#define WARPREEL_KERNEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "model/platform/platform.h"
#include "model/records/profile.h"
#include "model/records/timed_launches.h"
#include "traces/schedule/schedule.h"

struct kernel_model;
struct warps;

/* Of a launch among others, both in (0, 1]. */
struct kernel_crowd {
	double room; /* its blocks, of those that the GPU holds at once */
	double busy; /* its part of what as many at once take as there are streams with such, over
			what it takes alone */
};

struct kernel_model_ops {
	const char *name;
	const char *summary;
	bool per_launch;    /* asks every launch, not every distinct shape */
	bool from_profiles; /* needs kernel_model.warps */
	/*
	 * Device time in ns of one launch as the tracer would report it. -1 after a message: no
	 * data, or outside the calibrated range. Only `recorded` reads `op`.
	 */
	int (*cost)(struct kernel_model *model, const struct schedule *schedule,
		    const struct schedule_shape *shape, const struct schedule_op *op,
		    double *duration_ns);
	/*
	 * Bytes a launch moves from and to its GPU's memory, for sharing it with what runs at the
	 * same time. NULL: the durations are whole already (recorded), or nothing is known; then
	 * nobody is slowed.
	 */
	double (*dram_bytes)(struct kernel_model *model, const struct schedule *schedule,
			     const struct schedule_shape *shape);
	/*
	 * What a launch of duration_ns asks of its GPU beside others, where so many streams have
	 * its kernel. -1 after a message. NULL: nothing is known, and launches run at once only
	 * where all their blocks have a multiprocessor each.
	 */
	int (*crowd)(struct kernel_model *model, const struct schedule *schedule,
		     const struct schedule_shape *shape, uint32_t streams, double duration_ns,
		     struct kernel_crowd *crowd);
};

struct kernel_model {
	const struct kernel_model_ops *ops;
	const struct platform *platform; /* borrowed */
	const struct profile *profile;	 /* borrowed; scaled needs it, may be NULL */
	const struct profile *own; /* borrowed; shapes of the replayed trace itself, may be NULL */
	struct warps *warps;	   /* borrowed; the model `warps` needs it, may be NULL (warps.h) */
	const struct timed_launches *timed; /* borrowed; warps: what launches took alone; NULL: it
					       is as played */
	bool but_itself; /* of these, none of as many points: no row answers itself */
	double bounds; /* warps: kernels without profile last so many times as long as the roofline
			  has it; 0: they are refused */
	const char *bounded; /* the first that did; NULL: none. Borrowed of the schedule */
	bool allow_extrapolation;
	bool extrapolated; /* set when a cost lay outside the calibrated range */
};

/*
 * The untraced pause in ns between this kernel and the next of its stream when the host is ahead.
 * From the traced pauses of the replayed trace, else of the profile, less what the tracer adds to a
 * period; else from the platform's kernel_gap curve.
 */
double kernel_model_gap(const struct kernel_model *model, const struct schedule *schedule,
			const struct schedule_shape *shape, double duration_ns);

/* What the tracer adds to the period of kernels back to back, in ns: the median over the calibrated
 * sizes; 0 when never measured. */
double kernel_model_tracer_ns(const struct platform *platform);

extern const struct kernel_model_ops *const kernel_models[]; /* NULL-terminated */
const struct kernel_model_ops *
kernel_model_find(const char *name); /* NULL after a message listing the names */

#endif
