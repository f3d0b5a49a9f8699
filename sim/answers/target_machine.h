/* SPDX-License-Identifier: MIT
 * The machine that a prediction is asked of: a platform, perhaps with host or device of another,
 * --set and --ideal; which of it was never measured so, and what that does to intervals.
 */
#ifndef WARPREEL_TARGET_MACHINE_H
#define WARPREEL_TARGET_MACHINE_H

#include "model/platform/platform_part.h"
#include "model/records/interval.h"
#include "traces/base/options.h"

/* A machine as nobody measured it. */
struct hypothetical {
	unsigned parts;		/* bits 1 << enum platform_part; 0: it is as it was measured */
	bool inside;		/* of the device was changed, by --set or in its file */
	char *text;		/* owned: what was changed; NULL: nothing */
	struct intervals other; /* of the machine that gave its host; none: the platform's serve */
};

struct machine_names {
	const char *platform, *host, *link, *device; /* NULL: nobody said */
};

/* Reads what the names say. -1 after a message. */
int machine_read(struct platform *platform, const struct machine_names *names);
/* Lifts a part of the platform's device for good. -1 after a message. */
int machine_make_ideal(struct platform *platform, const char *part);
/*
 * What of the machine was not measured as it is. A file with the name of a shipped platform is that
 * platform changed. -1 after a message.
 */
int machine_find_hypothetical(struct hypothetical *h, const struct platform *platform,
			      const struct machine_names *names, const struct text_list *ideal);
void hypothetical_release(struct hypothetical *h);

/*
 * Widens an interval, relative to the answer, to what predictions of machines erred by that were
 * left out of what they were made from (`left_out`: model/intervals/hypothetical.tsv), and to that
 * of the machine that gave its host. A device's width is what another device's inside in its place
 * moves, without the model's own error, and is added as squares. `parts`: those of `h`, perhaps
 * more. solver: "" where its answers are not as wide or narrow as its own err.
 */
void hypothetical_widen(const struct hypothetical *h, const struct intervals *left_out,
			unsigned parts, const char *set, const char *class_name, const char *solver,
			double *low, double *high);

/* Widens the bounds of a kernel model that only bounds kernels ("roofline") to how far its answers
 * of the class err where everything was measured. */
void bounds_widen(const struct intervals *left_out, const char *class_name, double *low,
		  double *high);

/* So many times its bounds a kernel takes at most, nine of ten kernels that were measured;
 * INFINITY: nobody says. */
double bounds_most(const struct intervals *left_out);

#endif
