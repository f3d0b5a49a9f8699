/* SPDX-License-Identifier: MIT
 * What a calibration found, as it is collected, handed from one process to another, and written as
 * a platform file.
 */
#ifndef WARPREEL_CALIBRATE_RESULTS_H
#define WARPREEL_CALIBRATE_RESULTS_H

#include <stddef.h>
#include <stdio.h>

struct result {
	char *key;		 /* "section.key"; owned */
	double *values, *spread; /* [count]; spread NULL: not a measurement; owned */
	size_t count;		 /* 0: a fact in words, which is `how` */
	char *how;		 /* owned */
};

struct results {
	struct result *item;
	size_t count, capacity;
};

/* What no benchmark measures, from the shipped platform that has it, where that runs the same code
 * (sm.isa): after what was measured, before bases are added. */
void calibrate_add_unmeasured(struct results *results);
/* calibrate_trace_parts.c: tracer.*_part, tracer.outside_ns and tracer.outside_launch_ns, from what
 * `traced` and `results` have of the same loops. */
void calibrate_add_parts(struct results *results, const struct results *traced);
/* Adds to every plain value that finer measurements follow the same as their base (costs.c). */
void results_add_bases(struct results *results);
void results_release(struct results *results);
void results_add(struct results *results, const char *key, const double *values,
		 const double *spread, size_t count, const char *how);
struct result *results_find(const struct results *results, const char *key); /* NULL = absent */

/* One line each: key, values, spread, how, separated by tabs. Write: -1 when the stream failed.
 * Read: -1 after a message. */
int results_write_raw(const struct results *results, FILE *out);
int results_read_raw(struct results *results, const char *path);

/* Sections in the order of the key table, then [provenance] with the given "key = value" lines. -1
 * when the stream failed. */
int results_write_platform(const struct results *results, const char *provenance, FILE *out);

/* The keys of one section of it, without its head. */
int results_write_section(const struct results *results, const char *section, FILE *out);

/*
 * What follows from other measurements: sm.*_knee from the curves of bytes in flight, and
 * sm.launch_ns from the recorder's duration of an empty kernel, which the results or else
 * `platform` (NULL: none) has.
 */
struct platform;
void calibrate_sm_derive(struct results *results, const struct platform *platform);

/*
 * The platform file at `path` with every section of `results` replaced, but for [platform] and
 * [device]: those it lacks are added before [provenance]; all else stays as it is, byte for byte.
 * `note`: comment lines for the head of each new section. -1 after a message.
 */
int calibrate_update(const struct results *results, const char *path, const char *note);

/*
 * The medians of platform files, number by number, each over the files that have it; X_mad is what
 * those deviate from it. Files of parts count, too; a curve over measured places is that of the
 * files with as many points as the first. Words and [device] must be the same in all. `paths`:
 * separated by commas; `output`, where the medians will go, is none of them (NULL: not known). -1
 * after a message.
 */
int calibrate_merge(struct results *results, const char *paths, const char *output);

/*
 * The same measurements under the recorder: runs `program_path record` on `program_path calibrate`
 * with the host and stream parts, and adds tracer.* and stream.kernel_gap*. `scratch` is a path
 * prefix for the two files it needs meanwhile. -1 after a message.
 */
int calibrate_trace_pass(struct results *results, const char *program_path, const char *scratch,
			 int gpus, double budget_s);
/* stream.kernel_gap* without a recorder: from events around single kernels. */
void calibrate_gap_from_events(struct results *results);

/* Now, as provenance has it. */
/* The processor's name, "unknown" where the system does not say. Owned by the caller. */
char *calibrate_host_cpu(void);
void calibrate_date(char *date, size_t room);
/* "key = value" lines about this machine and moment; owned by the caller. */
char *calibrate_provenance(char *(*describe_gpu)(unsigned gpu), int gpus, const char *command);
/* "SM/memory" clock of every GPU (gpus = 0: of all there are), MHz, right now; owned by the caller;
 * NULL after a message. */
char *calibrate_clocks(char *(*describe_gpu)(unsigned gpu), int gpus);

#endif
