/* SPDX-License-Identifier: MIT
 * How wide a prediction's interval is: nominal 90 % for the median of 10 runs. The widths are the
 * spread of the errors on the measured points of split `interval`, by class of run;
 * they set nothing but the interval. Written by `warpreel validate --fit-intervals`, read from
 * model/intervals/<platform>.tsv.
 */
#ifndef WARPREEL_INTERVAL_H
#define WARPREEL_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

#define INTERVAL_MOST 0.15  /* half the width of the widest interval that is of use */
#define INTERVAL_LEAST 0.01 /* each way: the machine itself does not repeat better */
/* The set whose classes are the ways that points of split `interval` went (struct program: "way"),
 * and the class of planned runs that go another way, in each set. */
#define INTERVAL_FAMILIAR "familiar"
#define INTERVAL_UNFAMILIAR "unfamiliar"
/* The set of one row, whose high says how many times as wide (of logarithms) the interval of a
 * planned run is that was not among those that anybody looked at. */
#define INTERVAL_UNSEEN "unseen"
/* The set whose classes are solvers: how many times as wide (high, of logarithms) as its class's
 * the interval of a planned run of that solver is. */
#define INTERVAL_SOLVER "solver"

enum { INTERVAL_CLASS_BYTES = 256 };

struct interval_row {
	char set[16], class_name[INTERVAL_CLASS_BYTES];
	double low, high; /* core_lo = core * (1 + low), core_hi = core * (1 + high) */
	int points;	  /* measured points behind it */
};

struct intervals {
	struct interval_row *row; /* owned */
	size_t count, capacity;
	double low, high; /* of every answer, where there are no rows; 0: not known */
};

/* A missing file gives no rows and no error; a malformed one -1 after a message. */
int intervals_read(struct intervals *intervals, const char *platform_name);
void intervals_release(struct intervals *intervals);

/*
 * Class of a run: how many GPUs, how they talk ("host": through its memory; else, NULL too, GPU to
 * GPU), what bounds them (share of the core time in which a
 * kernel ran), and, where kernels matter, whether their times were recorded or come from the model
 * `warps`: the two do not err alike.
 */
const char *interval_class(int gpus, const char *transport, double kernel_share,
			   const char *kernel_model);
/* Class in the set `foreign`, replays of programs that are none of our solvers, whatever they talk
 * by: what bounds them, alone. */
const char *interval_class_foreign(double kernel_share);
/* "single-kernel-warps" becomes "single-kernel-played": kernels as `warps` plays them, where
 * answers of that model are scaled by launches timed alone. A class of another name is copied. */
void interval_class_played(const char *class_name, char played[INTERVAL_CLASS_BYTES]);
/* Whether points of split `interval` went that way; true where the file does not say which they
 * went. */
bool intervals_familiar(const struct intervals *intervals, const char *way);
/* How many times as wide as of runs that were looked at; 1 where the file does not say. */
double intervals_unseen(const struct intervals *intervals);
/* A class's widths as a run of that solver has them: as wide as the file says, but no narrower than
 * INTERVAL_LEAST; the class's where it does not say. */
void interval_of_solver(const struct intervals *intervals, const char *solver, double *low,
			double *high);
/* So many times as wide, of logarithms. */
void interval_widen(double times, double *low, double *high);
bool intervals_have(const struct intervals *intervals, const char *set, const char *class_name);
/* Widths for a set and class; the widest of the set, within INTERVAL_MOST, when the class has none;
 * that each way when nothing was fitted. */
void intervals_lookup(const struct intervals *intervals, const char *set, const char *class_name,
		      double *low, double *high);

#endif
