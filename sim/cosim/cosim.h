/* SPDX-License-Identifier: MIT
 * Time and arithmetic together: a case of traces/program/chaos.h played on places that take time,
 * so that the answer is seconds and steps both.
 *
 * Events are a block's begin at a place, its sending, its receiving, and the end of its steps
 * between two exchanges. Values written are there for whoever reads later. Durations are costs of a
 * table times two random factors: one of the place, one of each phase.
 */
#ifndef WARPREEL_COSIM_H
#define WARPREEL_COSIM_H

#include "traces/program/chaos.h"

/* Nanoseconds; a table "key value", one a line: cosim_costs_read. Of a key that stands there with a
 * solver's name before it, "shape.step_ns", that solver has this one. */
struct cosim_costs {
	int multiprocessors;
	double registers;    /* of a thread, as allocated: how many blocks fit; 0: all do */
	double step_ns;	     /* of a block alone on its multiprocessor: latency */
	double step_busy_ns; /* what it occupies of the multiprocessor */
	double enter_ns;     /* more, for the first step after an exchange */
	/* An exchange: once, and more for each pass over the borders; of it that share sends,
	 * before the rest receives, pass by pass. */
	double exchange_ns[CHAOS_KINDS], pass_ns[CHAOS_KINDS];
	double together_ns[CHAOS_KINDS]; /* all of it, by the threads that compute */
	double send_share;
	double store_ns;	 /* until a border that was sent can be found */
	double load_ns;		 /* from when a border was found until it has come */
	double exchange_busy_ns; /* what moving all of a border occupies of the multiprocessor */
	double note_ns;		 /* more for an exchange that notes ages */
	double note_spread_ns;	 /* standard deviation between places */
	double first_places; /* that lie farther from L2, where not all multiprocessors have blocks;
				0: any */
	double note_gap_ns;  /* of that, between telling its step and reading a neighbour's */
	double idle_ns;	     /* less for a pass in which nobody is read from */
	/* By how much steps and exchanges are longer, relative: per share of the multiprocessor
	 * that blocks there take which came before, over what those leave; and per share of those
	 * that came later. */
	double crowd, crowd_later;
	double crowd_exchange;	 /* of that an exchange has this share: the rest of it is a wait */
	double begin_ns, end_ns; /* loading a block, storing it */
	double raise_ns;	 /* more at the end, for what a synchronous step changed */
	double take_ns;		 /* from one block's end to the next one's begin */
	double meet_ns;		 /* the barrier of a block's threads after each phase */
	double spread_ns;	 /* from the first block's begin to the last one's */
	double check_ns;	 /* more for a check that is a launch of its own */
	double round_ns; /* from the last block's end to the first begin of the next round */
	/* Standard deviations, relative: of steps between places, and of steps and exchanges from
	 * phase to phase. */
	double place_spread, phase_spread;
	/* Standard deviations of a pass. Between places: one half of them lie nearer to L2, the
	 * others farther from it, in each pass and in noting. Between blocks: their lines lie
	 * anywhere, in each pass others. */
	double trip_spread_ns, line_spread_ns;
	/* Nine in ten development runs were within these of their co-simulation, relative: an
	 * answer's interval is wider by them. */
	double steps_error, time_error;
};

/* way: of the solver's, or NULL: "shape-free.step_ns" is of way "free" of solver "shape" alone. -1
 * after a message that names the file and the line. */
int cosim_costs_read(struct cosim_costs *costs, const char *path, const char *solver,
		     const char *way);

enum { COSIM_AGES = 512, COSIM_AGE_ZERO = 256 };

struct cosim_result {
	int64_t steps;
	double seconds;
	double left; /* as the last check said */
	bool unconverged;
	int64_t age[COSIM_AGES]; /* borders by how many steps they were behind, from -256 */
};

/* Where each block was when: told of each phase's end in the first rounds. */
enum { COSIM_TOLD_ROUNDS = 3 };
struct cosim_watcher {
	void (*phase)(struct cosim_watcher *watcher, double us, int block, int place,
		      int64_t steps);
};

/* One run; `watcher` may be NULL; `seed` chooses the random factors. The same bytes from the same
 * seed. */
void cosim_run(struct chaos_case *c, const struct cosim_costs *costs, uint64_t seed,
	       struct cosim_result *result, struct cosim_watcher *watcher);

#endif
