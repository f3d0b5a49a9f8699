/* SPDX-License-Identifier: MIT
 * What a run notes of itself besides its result: ages of borders, durations of blocks.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "traces/base/output.h"
#include "traces/base/util.h"
#include "weak_launch.h"
#include "weak_work.h"

/* Ages that occurred, the reader's steps less the writer's. */
static void write_ages(const struct weak_work *w, FILE *file)
{
	const uint32_t *count = weak_address(w, w->h_ages);
	fprintf(file, "age\tcount\n");
	for (int k = 0; k < WEAK_AGES; k++)
		if (count[k])
			fprintf(file, "%d\t%u\n", k - WEAK_AGE_ZERO, count[k]);
}

/* How many, mean and standard deviation of a part of each, in cycles; of `parts` parts in all. */
static void write_durations(FILE *file, const uint64_t *d, double parts)
{
	const double n = (double)d[0], mean = n > 0 ? (double)d[1] / n : 0,
		     square = n > 0 ? (double)d[2] / n - mean * mean : 0,
		     part = parts > 0 ? n / parts : 0;
	fprintf(file, "\t%.0f\t%.2f\t%.2f", n, mean * part, sqrt(square > 0 ? square : 0) * part);
}

/* A row a block; times since the first block began. */
static void write_watch(const struct weak_work *w, FILE *file)
{
	const uint64_t *all = weak_address(w, w->h_watch);
	const int blocks = weak_blocks(&w->problem.grid);
	uint64_t first = UINT64_MAX;
	for (int k = 0; k < blocks; k++) {
		const uint64_t begin = all[WEAK_WATCH_WORDS * k + WEAK_WATCH_BEGIN];
		first = begin < first ? begin : first;
	}
	fprintf(file,
		"block\tsm\tbegin_ns\tloaded_ns\tstepped_ns\tend_ns\tcycles\tphases\t"
		"step_cycles\tstep_sd_cycles\texchanges\texchange_cycles\texchange_sd_cycles\t"
		"sending_cycles\n");
	for (int k = 0; k < blocks; k++) {
		const uint64_t *of = all + WEAK_WATCH_WORDS * k;
		fprintf(file, "%d\t%llu", k, (unsigned long long)of[WEAK_WATCH_SM]);
		for (int at = WEAK_WATCH_BEGIN; at <= WEAK_WATCH_END; at++)
			fprintf(file, "\t%llu", (unsigned long long)(of[at] - first));
		fprintf(file, "\t%llu", (unsigned long long)of[WEAK_WATCH_CYCLES]);
		const double exchanges = (double)of[WEAK_WATCH_EXCHANGES];
		write_durations(file, of + WEAK_WATCH_STEPS, (double)of[WEAK_WATCH_MADE]);
		write_durations(file, of + WEAK_WATCH_EXCHANGES, exchanges);
		fprintf(file, "\t%.2f\n",
			exchanges > 0 ? (double)of[WEAK_WATCH_SENDING] / exchanges : 0);
	}
}

/* A row a phase of a block; times since the first block began. Cycles become nanoseconds by the
 * clock that the run says (sm_mhz). */
static void write_phases(const struct weak_work *w, FILE *file)
{
	const uint64_t *all = weak_address(w, w->h_watch);
	const int blocks = weak_blocks(&w->problem.grid);
	uint64_t first = UINT64_MAX;
	for (int k = 0; k < blocks; k++) {
		const uint64_t begin = all[WEAK_PACE_WORDS * k + WEAK_PACE_BEGIN];
		first = begin < first ? begin : first;
	}
	fprintf(file, "block\tsm\tbegin_ns\tphase\tcycles\n");
	for (int k = 0; k < blocks; k++) {
		const uint64_t *of = all + WEAK_PACE_WORDS * k;
		for (uint64_t phase = 0; phase < of[WEAK_PACE_PHASES]; phase++)
			fprintf(file, "%d\t%llu\t%llu\t%llu\t%llu\n", k,
				(unsigned long long)of[WEAK_PACE_SM],
				(unsigned long long)(of[WEAK_PACE_BEGIN] - first),
				(unsigned long long)phase + 1,
				(unsigned long long)of[WEAK_PACE_ENDS + phase]);
	}
}

static int write_note(const struct weak_work *w, const char *path,
		      void (*write)(const struct weak_work *w, FILE *file))
{
	struct output output;
	if (!path)
		return 0;
	if (output_begin(&output, path))
		return -1;
	FILE *file = output_open(&output);
	if (file)
		write(w, file);
	if (!file || (ferror(file) | fclose(file))) {
		output_abandon(&output);
		return report("%s: %s", path, strerror(errno));
	}
	return output_commit(&output);
}

int weak_write_notes(const struct weak_work *w)
{
	return write_note(w, w->params->ages, write_ages) ||
			       write_note(w, w->params->watch, write_watch) ||
			       write_note(w, w->params->phases, write_phases)
		       ? -1
		       : 0;
}
