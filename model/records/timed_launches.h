/* SPDX-License-Identifier: MIT
 * Launches timed alone, beside what the kernel model `warps` plays of them: what the model lacks of
 * a kernel, by the points that a launch updates and by its block. Another launch of that kernel, on
 * the same path through its code if any was timed on that, is scaled by the weighted mean of the
 * logarithms of measured over played (kernel regression: Nadaraya 1964, Watson 1964). A timed
 * launch weighs as a normal density in the logarithms of points and of the three sides of the
 * block, of a standard deviation of one (a factor of e) in each; the model's own word, a ratio of
 * one, as half a launch of as many points and that block. So a kernel that nobody timed is as
 * played, and far from what was timed a launch comes back to it.
 *
 * It is of one device: by an H200's ratios an H100's kernels get worse, and back (docs/lab/
 * kernels.md). A table has columns kernel, path, block, points, measured_ns, played_ns and device.
 * `warpreel validate --only kernels --write-timed FILE` makes one.
 */
#ifndef WARPREEL_TIMED_LAUNCHES_H
#define WARPREEL_TIMED_LAUNCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What launches are known by: equal kernel, block and path run the same code (schedule.h). */
struct timed_kind {
	const char *kernel;
	int32_t path; /* -1: not known, which is any */
	uint32_t block[3];
	int64_t points;
};

struct timed_launch {
	char *kernel; /* owned */
	struct timed_kind kind;
	double measured_ns, played_ns; /* of it, or of a sequence of launches that it is in */
};

struct timed_launches {
	struct timed_launch *row; /* owned */
	size_t count, capacity;
	char *path;   /* it was read from; owned, NULL: it was not */
	char *device; /* owned; NULL: not known */
};

/* Of the table that ships for a platform; owned by the caller. */
char *timed_launches_shipped(const char *platform);
/* `name`: a file, or a platform whose table ships (model/timed/<name>.tsv). -1 after a message
 * naming file and line. */
int timed_launches_read(struct timed_launches *timed, const char *name);
void timed_launches_release(struct timed_launches *timed);

/* Copies the kernel. */
void timed_launches_add(struct timed_launches *timed, const struct timed_kind *kind,
			double measured_ns, double played_ns);
/* -1 after a message; the file is there whole or not at all. */
int timed_launches_write(const struct timed_launches *timed, const char *path);

bool timed_launches_have(const struct timed_launches *timed, const char *kernel);

/*
 * What a launch takes, over what is played of it; 1 where nobody timed its kernel, or its points or
 * block are not known (0). `but_itself`: timed launches of as many points to 2 % are left out, of
 * any block, to see what the others say of it. (One timing of a sequence may hold launches of one
 * kernel that differ by less.)
 */
double timed_launches_ratio(const struct timed_launches *timed, const struct timed_kind *kind,
			    bool but_itself);

#endif
