/* SPDX-License-Identifier: MIT
 * A platform file as calibrate writes it, from made-up measurements.
 */
#ifndef WARPREEL_PLATFORM_KIT_H
#define WARPREEL_PLATFORM_KIT_H

#include <stdlib.h>

#include "model/calibrate/calibrate.h"
#include "model/platform/platform_internal.h"
#include "traces/program/program.h"
#include "support.h"

/* Stands in for the CUDA side: every numeric key of the table, lists of the length they must have,
 * ascending and fractional. */
static inline int fake_calibrate(void *arg)
{
	struct calibration *calibration = arg;
	for (const struct platform_key *key = platform_keys; key->name; key++) {
		double values[24], spread[24];
		bool host = key->pairs && !strcmp(key->pairs, "host.threads");
		size_t count = key->kind != KEY_LIST			    ? 1
			       : host || !strcmp(key->name, "host.threads") ? 4
									    : 24;
		char name[64];
		if (key->kind == KEY_TEXT || !strncmp(key->name, "tracer.", 7) ||
		    strstr(key->name, "kernel_gap"))
			continue;
		snprintf(name, sizeof(name), "%s", key->name);
		if (name[strlen(name) - 1] == '#')
			name[strlen(name) - 1] = '8';
		for (size_t i = 0; i < count; i++) {
			values[i] = key->kind == KEY_INTEGER	  ? 8
				    : key->flags & KEY_ASCENDING  ? (double)(1u << i)
				    : key->flags & KEY_SHARE	  ? 0.5
				    : !strcmp(key->unit, "ratio") ? 1.5
								  : 1234.5678 + (double)i;
			spread[i] = 0.25;
		}
		calibration->emit(calibration->sink, name, values,
				  key->flags & KEY_ASCENDING ? NULL : spread, count, "made up");
	}
	/* What is measured, and no longer written: durations from which gaps are guessed. */
	double durations[24], spreads[24];
	for (int i = 0; i < 24; i++)
		durations[i] = 1234.5678 + i, spreads[i] = 0.25;
	calibration->emit(calibration->sink, "stream.event_duration_ns", durations, spreads, 24,
			  "made up");
	calibration->emit(calibration->sink, "device.name", NULL, NULL, 0, "Imaginary GPU");
	calibration->emit(calibration->sink, "sm.isa", NULL, NULL, 0, "sm_1");
	return 0;
}

static inline char *fake_describe(unsigned gpu)
{
	return xprintf(
		"name = Imaginary %u\ndriver = 1.2\nsm_mhz = 1980\nmemory_mhz = 3201\ngpus = 8\n",
		gpu);
}

static const struct program fake = { .calibrate_cuda = fake_calibrate,
				     .describe_gpu = fake_describe };

/* A whole platform in a file of its own; the caller unlinks and frees. */
static inline char *make_platform(void)
{
	char *path = xprintf("/tmp/warpreel-test-platform-%ld.ini", (long)getpid());
	char *argv[] = { (char[]){ "calibrate" },    (char[]){ "-o" }, path,
			 (char[]){ "--trace-pass" }, (char[]){ "no" }, NULL };
	assert_int_equal(cmd_calibrate(&fake, 5, argv), EXIT_OK);
	return path;
}

static inline void drop(char *path)
{
	unlink(path);
	free(path);
}

#endif
