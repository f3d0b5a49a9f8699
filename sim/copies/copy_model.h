/* SPDX-License-Identifier: MIT
 * What copies, events and the way of a command to the device take a stream, before links share
 * their rates. Two models: `measured` goes by a platform file, in `free` nothing takes time.
 * docs/model-host.md explains each mechanism of the first; `model/mechanism/mechanisms.def` lists
 * them.
 */
#ifndef WARPREEL_COPY_MODEL_H
#define WARPREEL_COPY_MODEL_H

#include <stdbool.h>

#include "model/platform/platform.h"
#include "sim/time/sim_time.h"
#include "traces/schedule/schedule.h"

struct copy_model;

/* A copy that is about to begin. */
struct copy_place {
	uint32_t copy; /* index into the schedule's copies */
	sim_time now;
	sim_time called_ps, submit_ps; /* begin and return of the call that issued it */
	sim_time free_ps;	       /* end of what went before in its stream */
	bool behind_copy;	       /* that was a copy */
	sim_time recorded_ps; /* of a node in a graph, as long as it was recorded; -1: of none */
	bool queued;	      /* it stood at the engine while that made another copy ... */
	bool behind_same;     /* ... or right behind one of its own stream on that engine */
};

/* A stream that waits for an event. */
struct event_place {
	bool same_gpu;	   /* the event was recorded there */
	bool next_to_copy; /* it was recorded behind a copy, or a copy comes next */
	bool asleep;	   /* the wait has stood in line for so long that its channel sleeps */
	sim_time done_ps;  /* when it was complete */
	sim_time next_ps;  /* when what stands behind the wait reached the device; SIM_NEVER: not
			      issued */
	sim_time since_ps; /* since when the stream has stood at the wait */
	sim_time rung_ps;  /* when the host last put a kernel or a copy into one of its GPU's
			      streams */
};

enum copy_delay {
	DELAY_START,	    /* return of a launch on an idle stream to the kernel's begin */
	DELAY_RECORD,	    /* of a record in its stream */
	DELAY_TIMED_RECORD, /* of one that keeps the time */
	DELAY_WAIT,	    /* of a wait whose event is complete */
	DELAY_WAIT_PEER,    /* the same of a channel that sleeps, for another GPU's event */
	DELAY_ASLEEP,	    /* from a command to its channel sleeping */
	DELAY_RUNG,	    /* a doorbell to a waiting channel that polls again */
	DELAY_COUNT
};

struct copy_model_ops {
	const char *name;
	/* Both outlive the model, which ends with destroy. `say`: warn of copies that the platform
	 * has no costs of. */
	struct copy_model *(*create)(const struct platform *platform,
				     const struct schedule *schedule, bool say);
	void (*destroy)(struct copy_model *model);
	/* From place->now until the copy is done, its link to itself. */
	sim_time (*copy)(const struct copy_model *model, const struct copy_place *place);
	/* What a kernel that stood waiting behind that copy waits longer. */
	sim_time (*switch_back)(const struct copy_model *model, uint32_t copy);
	/* From the event being complete to the waiting stream going on. */
	sim_time (*event)(const struct copy_model *model, const struct event_place *place);
	sim_time (*delay)(const struct copy_model *model, enum copy_delay which);
};
extern const struct copy_model_ops copy_measured, copy_free;

/* copy_prices.c. What a copy costs its stream, by where it stands. */
struct copy_price {
	sim_time idle_ps;   /* on an idle stream: from the call's return */
	sim_time behind_ps; /* enqueued behind other work: from that work's end */
	sim_time queued_ps; /* behind another copy on its engine: from that one's end; -1: as if not
			     */
	sim_time after_ps;  /* pause before a kernel enqueued behind the copy */
	sim_time link_ps;   /* in each: what its bytes take more on other links than measured */
};
/* One for each copy of the schedule; the caller frees them. */
struct copy_price *copy_prices(const struct platform *platform, const struct schedule *schedule,
			       bool say);

#endif
