/* SPDX-License-Identifier: MIT
 * What lets a simulator call a solver's arithmetic when a simulated event happens: for solvers
 * whose blocks read what they find, so that the time at which values arrive decides how many steps
 * they take. A solver family fills a case; sim/cosim/ plays it.
 *
 * A round is what happens between two synchronizations with the host. In it every block is given
 * a place, in the order of `order`; it loads its values, makes `host_sync` steps with an exchange
 * of borders after every `exchange` of them, stores its values and leaves the place to the next. At
 * the end of a round the family says what is left to be done. In one launch that makes all steps a
 * round is what happens between two meetings of all blocks.
 */
#ifndef WARPREEL_CHAOS_H
#define WARPREEL_CHAOS_H

#include <stdbool.h>
#include <stdint.h>

struct chaos_case;

/* Rows alone; all four sides; all four, columns as arrays of their own. */
enum chaos_kind { CHAOS_ROWS, CHAOS_ALL, CHAOS_PACKED, CHAOS_KINDS };

/* Each is called in the order of simulated time; equal times in the order of blocks. */
struct chaos_ops {
	void (*start)(struct chaos_case *c);		/* start values, before every run */
	void (*begin)(struct chaos_case *c, int block); /* at a place: its values and borders */
	void (*steps)(struct chaos_case *c, int block, int count);
	/* One more, and by how much it changes a value at most; may be NULL where nobody calls. */
	double (*look)(struct chaos_case *c, int block);
	/* Of own borders that part, of `passes`, for all to see. */
	void (*send)(struct chaos_case *c, int block, int part);
	/* That part of the neighbours' borders, as they are: on its way; and then it has come. */
	void (*fetch)(struct chaos_case *c, int block, int part);
	void (*receive)(struct chaos_case *c, int block, int part);
	void (*end)(struct chaos_case *c, int block); /* values, for all to see */
	/* After a round: how far it is from done; the case ends at `wanted` and below. */
	double (*check)(struct chaos_case *c);
	/* The neighbour a border of `side` (from 0 below `sides`) is read from; -1: none. */
	int (*beside)(const struct chaos_case *c, int block, int side);
	/* Passes in which its threads that are the last to be done read from a neighbour. */
	int (*passes_read)(const struct chaos_case *c, int block);
	void (*close)(struct chaos_case *c);
};

struct chaos_case {
	const struct chaos_ops *ops;
	void *state;	      /* the family's */
	const int32_t *order; /* [blocks] */
	int blocks, sides;
	int host_sync, exchange; /* steps */
	int resident;		 /* places; 0: one a block */
	bool exchanges;		 /* borders, between two synchronizations */
	bool aside;		 /* by threads of their own, while others compute */
	bool late;		 /* what is asked for at an exchange is taken up at the next one */
	bool stays;		 /* one launch: blocks keep their places from round to round */
	/* Of blocks that stay: each looks after so many steps at whether it changes by more than is
	 * wanted, and a round is over when all of them change less, not after host_sync; 0: it is.
	 */
	int looks;
	const char *way; /* costs may be of this way of the solver's: its name, "-" and this */
	int kind;	 /* of exchange: which of the costs it has */
	int passes; /* over the borders, by the threads that exchange: each takes a part of them */
	double moved;	   /* in an exchange, of all nodes of a border */
	int block_threads; /* all of a block */
	bool checks_apart; /* a check is a launch of its own */
	int most_steps;
	bool fixed; /* all steps, whatever check() says */
	double wanted;
	const char *ages; /* file the ages of borders go to, or NULL */
};

#endif
