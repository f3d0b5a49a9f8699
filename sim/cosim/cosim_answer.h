/* SPDX-License-Identifier: MIT
 * A co-simulated case over several seeds, as an answer for people or a row of a table.
 */
#ifndef WARPREEL_COSIM_ANSWER_H
#define WARPREEL_COSIM_ANSWER_H

#include "cosim.h"

struct cosim_options {
	bool asked; /* --co-simulate */
	int seeds;
	const char *costs; /* a name of model/cosim/, or a file */
	const char *pace;  /* file that says where each block was when, or NULL */
};

#define COSIM_OPTIONS(at)                                                                          \
	{ "co-simulate",                                                                           \
	  OPTION_FLAG,                                                                             \
	  (at) + offsetof(struct cosim_options, asked),                                            \
	  NULL,                                                                                    \
	  0,                                                                                       \
	  0,                                                                                       \
	  NULL,                                                                                    \
	  "play time and arithmetic together: poisson, shape" },                                   \
		{ "seeds",                                                                         \
		  OPTION_INT,                                                                      \
		  (at) + offsetof(struct cosim_options, seeds),                                    \
		  "20",                                                                            \
		  1,                                                                               \
		  10000,                                                                           \
		  "N",                                                                             \
		  "co-simulated runs, each with random factors of its own" },                      \
		{ "pace",                                                                          \
		  OPTION_TEXT,                                                                     \
		  (at) + offsetof(struct cosim_options, pace),                                     \
		  NULL,                                                                            \
		  0,                                                                               \
		  0,                                                                               \
		  "FILE",                                                                          \
		  "write how many steps each block had made when, in the first rounds "            \
		  "(default: none)" },                                                             \
	{                                                                                          \
		"costs", OPTION_TEXT, (at) + offsetof(struct cosim_options, costs), "h200", 0, 0,  \
			"NAME",                                                                    \
			"how long a block's steps and exchanges take: a table of "                 \
			"model/cosim/, or a file"                                                  \
	}

/* Plays the case, prints medians and the intervals that hold nine tenths; the exit code. */
int cosim_answer(struct chaos_case *c, const char *solver, const char *config,
		 const struct cosim_options *options, bool tsv);

#endif
