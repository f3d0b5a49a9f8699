/* SPDX-License-Identifier: MIT
 * From a schedule to an answer: platform, kernel model, simulation, interval. Used by replay,
 * predict, validate and bench.
 */
#ifndef WARPREEL_PREDICT_H
#define WARPREEL_PREDICT_H

#include "target_machine.h"
#include "planned_run.h"
#include "model/records/interval.h"
#include "traces/base/options.h"
#include "traces/program/program.h"
#include "traces/format/trace.h"
#include "sim/engine/simulation.h"
#include "sim/gpu/warps.h"

/* Everything that stays the same from one prediction to the next. */
struct predictor {
	struct platform platform;
	struct platform records; /* whose records serve, where that is another platform, or this one
				    unchanged */
	struct platform shipped; /* where the file is a changed copy of a shipped one: that one */
	const struct program *program; /* says how a configuration's GPUs talk */
	struct profile profile;
	struct intervals intervals, left_out; /* of machines as measured; of such left out */
	struct hypothetical hypothetical;
	struct timed_launches timed; /* none: answers are as played */
	bool but_itself;	     /* of these, none of as many points */
	char *chosen; /* owned: why this platform, where nobody asked for one; NULL: one did */
	bool has_profile,
		profile_given; /* records of kernels: there are some; by name, not the platform's */
	bool other_device; /* than that of the records: no durations and no interval widths of it
			      serve */
	char *same_device; /* whose kernel profiles serve unasked: a shipped platform of the same
			      device; NULL = those of the platform itself, or named in it; owned */
	char *same_code;   /* the same, of another device that runs the same code; owned */
	struct warps_options warps_options;
	struct warps *warps;	  /* NULL until the model is asked for */
	struct launch_memo *memo; /* by predictor_remember; NULL: answers are not kept */
};

struct predictor_options {
	const char *platform, *host, *link, *device; /* NULL: not asked */
	const char *kernel_model, *profile, *kernel_profiles, *timed, *format, *output;
	const char
		*without; /* mechanisms to leave out (model/mechanism/mechanism.h); NULL = none */
	struct text_list set, ideal;
	bool allow_extrapolation, strict, no_skip;
	bool ranges; /* the answer is the program's own ranges, all of them */
};
/* The options replay and predict share; offsets are those of struct predictor_options. */
extern const struct option_spec predictor_options[];
/* Of these, what the machine costs: for commands that choose models and outputs themselves. */
extern const struct option_spec predictor_platform_options[];
/* The same where a platform that is not named may be this machine's own (own_platform.h). */
extern const struct option_spec predictor_own_platform_options[];
#define PREDICTOR_TIMED_OPTION(field)                                                              \
	{                                                                                          \
		"timed", OPTION_TEXT, field, NULL, 0, 0, "NAME|FILE",                              \
			"warps model: scale launches by what those of their kernels took alone, "  \
			"as this platform or file has them (default: what ships for the device; "  \
			"none: as played)"                                                         \
	}
#define PREDICTOR_IDEAL_OPTION(field)                                                              \
	{                                                                                          \
		"ideal", OPTION_LIST, field, NULL, 0, 0, "PART",                                   \
			"warps model: make a part of the device ideal; may be repeated"            \
	}

/* The kernel model to use where `unasked` is that of the command; --ideal asks for `warps`. NULL
 * after a message. */
const char *predictor_model(const struct predictor_options *options, const char *unasked);
/* Reads the platform, applies --set and --ideal, loads the profile (given, or the one shipped with
 * the platform) when `wants_profile`. */
int predictor_init(struct predictor *predictor, const struct program *program,
		   const struct predictor_options *options, bool wants_profile);
/* Keeps what the model `warps` says of launches from one schedule to the next: for many of them. */
void predictor_remember(struct predictor *predictor);
void predictor_release(struct predictor *predictor);
/* Whether what was recorded ran on the platform's device, or the platform's records serve. */
bool predictor_is_of_device(const struct predictor *predictor, const struct schedule *schedule);
/*
 * What a replay takes unasked: durations as recorded; on another device, and for virtual GPUs, the
 * model `warps` where it has all profiles, else as recorded, on another device with a warning. NULL
 * after a message.
 */
const char *predictor_replayed_model(struct predictor *predictor, const struct schedule *schedule);
/* The folder of what was measured on the platform itself: records of another device are no test of
 * it. */
const char *predictor_measured(const struct predictor *predictor);

/* Gives the model `warps` what it needs, for the launches of another schedule; profiles are loaded
 * when first asked for. -1 after a message. */
int predictor_use_warps(struct predictor *predictor, struct kernel_model *model);

/* Whether each launch of the schedule was recorded on one GPU, over whatever points, in its form.
 */
bool predictor_recorded(const struct predictor *predictor, const struct schedule *schedule);

/*
 * What answers a plan unasked: `warps` where the device has an inside and the counts of all
 * launches are known, unless records were given; else `scaled` where every kernel was recorded on
 * one GPU; else `warps`, which says what is missing. NULL after a message. *bounds, where it is
 * asked for: it is `warps` and lacks a profile, so that a request needs `bounds`.
 */
const char *predictor_planned_model(struct predictor *predictor, const struct schedule *schedule,
				    bool *bounds);

/* The files that an answer by that kernel model is made of, without their folders: records of
 * kernels, their counts or neither, with them launches timed alone unless it is `as_played`, and
 * the platform's. Owned by the caller. */
char *predictor_inputs(const struct predictor *predictor, const char *kernel_model, bool as_played);

struct prediction {
	double core_us, core_lo_us, core_hi_us, total_us;
	double error; /* from iterations that were left out, of 1: two standard errors; 0: none were
		       */
	const char *kernel_model; /* static */
	const char *class_name;	  /* static; interval_class */
	char family[32]; /* of a planned run: its solver and kernel, "rbsor/tuned"; or "" */
	bool unfamiliar; /* no run that goes this way sets widths: that of all such runs is taken */
	const char *by_bounds; /* a kernel without profile, timed by bounds; NULL: none. Borrowed of
				  the schedule */
	double longer_us;      /* then: the run's time if such kernels took bounds_most() times as
				  long */
	const char *bounded;   /* by_bounds, where that shows: the answer is at least that long, and
				  core_hi_us is INFINITY; else NULL */
	bool unsure;	       /* a launch lies outside of what was recorded and counted, or has a
				  bound alone: unasked this is refused, or said to be a bound */
	bool extrapolated;     /* that, or another device or more GPUs than were measured */
	bool more_gpus;	       /* than were measured together */
	unsigned hypothetical; /* bits 1 << enum platform_part: not as anything was measured */
	struct simulation_result detail; /* owned: prediction_release */
	double *range_us; /* [schedule.nvtx_count]: how long each range takes, NaN where its thread
			     has no operations; owned */
};

/*
 * `set`: "replay", "foreign" (of a program that is none of our solvers), "gpus" or "size":
 * which interval applies. `own`: the shapes of the replayed
 * trace itself, NULL for a plan. `timeline`: an initialised trace to fill, or NULL. `observer`:
 * told of the first replica's intervals where no timeline is; or NULL.
 */
struct predictor_request {
	const char *kernel_model, *set;
	bool allow_extrapolation;
	bool seen; /* a planned run that was measured and looked at: its interval is that of such
		      runs, and not that of the next one */
	bool as_played; /* launches timed alone say nothing */
	bool bounds;	/* the model `warps` may time kernels without profile by their bounds */
	const struct profile *own;
	const struct planned_run *run; /* the schedule is that run's, which may leave iterations
					  out; NULL: all are there */
	struct trace *timeline;
	const struct observer *observer;
	int replicas; /* 0: as many as predictor_run thinks right; 1: one run with every host cost
			 at its median */
};
int predictor_run(struct predictor *predictor, const struct schedule *schedule,
		  const struct predictor_request *request, struct prediction *prediction);
/* As predictor_run of the run's schedule, which becomes longer until what is left out of it is
 * known to PLANNED_RUN_ERROR. request->run is the run. */
int predictor_run_planned(struct predictor *predictor, struct planned_run *run,
			  struct predictor_request *request, struct prediction *prediction);
void prediction_release(struct prediction *prediction);
/* Its kernel model as it is printed: "warps+bounds" where a kernel has bounds alone. Static. */
const char *prediction_model_name(const struct prediction *prediction);
/* -1 after saying which kernel's bounds decide; for who has no use for a time that is too short. */
int prediction_refuse_bound(const struct prediction *prediction, const struct predictor *predictor);
/* predict_interval.c: what is said of a run once it has been played, its time and how far off it
 * may be: all of a prediction but `detail`, `error` and `range_us`. */
void prediction_finish(struct prediction *prediction, const struct predictor *predictor,
		       const struct schedule *schedule, const struct predictor_request *request,
		       const struct kernel_model *model);

/* What keeps the answer from being written as a trace, said before there is one: -1 after a
 * message, also where it would replace `input` or a profile. */
int predictor_check_output(const struct predictor_options *options, const char *input);
/*
 * Answers as the options ask: runs, prints, writes the timeline when options->output is set.
 * `kernel_model` is what the command would take unasked; where that is `scaled`, a schedule it has
 * no records for gets another. `set` and `own` as in the request. answer.c
 */
int predictor_answer(struct predictor *predictor, struct planned_run *run,
		     const struct predictor_options *options, const char *kernel_model,
		     const char *set, const struct profile *own);

#endif
