/* SPDX-License-Identifier: MIT
 * Options that both image families take, the first member of their own params; and the ways to
 * run.
 */
#ifndef WARPREEL_WEAK_PARAMS_H
#define WARPREEL_WEAK_PARAMS_H

#include <stddef.h>

#include "kernels/kit/solver.h"
#include "kernels/weak/weak_problem.h"

/* One of --scheme. */
struct weak_scheme {
	const char *option;
	const char *name[2]; /* of the launch, by rule */
	void (*cpu)(const void *args);
	void (*geometry)(const void *args, struct launch_geometry *geometry); /* NULL: CPU only */
	bool whole; /* one launch makes all steps */
	int talk, order;
	bool combine;
	bool synchronous; /* steps by themselves, from one grid to the other */
	bool any;	  /* two runs may differ */
	bool several;	  /* blocks of several GPUs step in one launch on each */
};

struct weak_params {
	const char *scheme, *stop, *inner, *ages, *watch, *phases;
	double tolerance;
	int host_sync, exchange, threads, resident;
	int steps, max_steps; /* steps: exactly so many; 0 until converged */
	/* by weak_prepare */
	const struct weak_scheme *method;
	bool by_error;	 /* tolerance is of the error, not of the residual */
	bool sequential; /* scheme reference */
	int inner_order; /* enum weak_inner */
};

/* Lines of an option table for a params struct whose first member is `common`. */
#define WEAK_AT(field) offsetof(struct weak_params, field)
/* clang-format off */
#define WEAK_OPTIONS(stop_, tolerance_, unit_)                                                     \
	{ "scheme", OPTION_CHOICE, WEAK_AT(scheme), "reference", 0, 0, WEAK_SCHEMES,               \
	  "reference: one sequential program, over-relaxed, in double\n"                           \
	  "base to 4w-combine-square: the paper's eight\n"                                         \
	  "graph: as base, its launches in CUDA graphs\n"                                          \
	  "barrier, flags: all steps in one launch; blocks wait for all, or for their neighbours\n"\
	  "cluster: one launch; blocks of a cluster in step, 4W between clusters\n"                \
	  "free: 4W in one launch; blocks wait for each other at checks alone\n"                   \
	  "async: as free, without those waits\n"                                                  \
	  "apart: as async, borders by threads of their own, for which steps do not wait\n"        \
	  "base, barrier, flags, free, async and apart run on several GPUs, too" },                \
	{ "host-sync", OPTION_INT, WEAK_AT(host_sync), "60", 1, 100000, "N",                       \
	  "steps between two synchronizations with the host, where it checks; base: 1" },          \
	{ "exchange", OPTION_INT, WEAK_AT(exchange), "4", 1, 100000, "L",                          \
	  "steps between two exchanges of borders" },                                              \
	{ "threads", OPTION_INT, WEAK_AT(threads), "32", 0, 128, "T",                              \
	  "threads of a block that only exchange borders: 0, 32, 64, 128" },                       \
	{ "resident", OPTION_INT, WEAK_AT(resident), "0", 0, 1000000, "R",                         \
	  "blocks resident at a time, which take the next ones in order; 0: the GPU decides" },    \
	{ "inner", OPTION_CHOICE, WEAK_AT(inner), "red-black", 0, 0, "jacobi|red-black",           \
	  "a step of a block: all nodes from old values, or first one colour, then the other" },   \
	{ "ages", OPTION_TEXT, WEAK_AT(ages), NULL, 0, 0, "FILE",                                  \
	  "note how many steps each border read was behind, as a table (default: none)" },         \
	{ "watch", OPTION_TEXT, WEAK_AT(watch), NULL, 0, 0, "FILE",                                \
	  "note what each block's steps and exchanges took in the last launch, as a table "        \
	  "(default: none)" },                                                                     \
	{ "phases", OPTION_TEXT, WEAK_AT(phases), NULL, 0, 0, "FILE",                              \
	  "note when each block ended each phase of steps in the last launch, as a table "         \
	  "(default: none)" },                                                                     \
	{ "stop", OPTION_CHOICE, WEAK_AT(stop), stop_, 0, 0, "residual|error",                     \
	  "what the tolerance is of: the change a Jacobi step would make, or the error that it "   \
	  "may leave, residual / (1 - rho)" },                                                     \
	{ "tolerance", OPTION_REAL, WEAK_AT(tolerance), tolerance_, 0, 1e300, "T",                 \
	  "converged when it is at most this" unit_ },                                             \
	{ "max-steps", OPTION_INT, WEAK_AT(max_steps), "1000000", 1, 100000000, "I",               \
	  "give up after so many" },                                                               \
	{ "steps", OPTION_INT, WEAK_AT(steps), "0", 0, 100000000, "I",                             \
	  "exactly so many, whatever the residual is; 0 until converged" }
/* clang-format on */
#define WEAK_SCHEMES                                                                               \
	"reference|base|coarse|ud-stripe|4w-stripe|4w-combine-stripe|ud-square|4w-square|"         \
	"4w-combine-square|graph|barrier|flags|cluster|free|async|apart"

int weak_prepare(struct weak_params *p, uint32_t gpus);

/* 0 when each of the files to be written is another one, and none that is read; else -1 after a
 * message. Names may be NULL. */
int weak_files_differ(const char *const *written, size_t writes, const char *const *read,
		      size_t reads);
/* Appends " scheme=..." and so on to a configuration string. */
void weak_config(const struct weak_params *p, char text[CONFIG_BYTES]);
/* The shortest text that reads back as the same number. */
const char *weak_shortest(double value, char text[32]);
/* " key=value" behind what stands there. */
void weak_config_add(char text[CONFIG_BYTES], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
