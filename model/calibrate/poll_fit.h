/* SPDX-License-Identifier: MIT
 * A sawtooth in what a waiting channel adds to a kernel, by the kernel's body (calibrate_poll.cu).
 */
#ifndef WARPREEL_POLL_FIT_H
#define WARPREEL_POLL_FIT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* c + the distance from the body to the next of polled, polled + period, polled + 2 period, ...,
 * and at least `least_ns`; all ns */
struct poll_fit {
	double period_ns, polled_ns;
	double least_ns; /* quantile of 5 %: right before a jump the channel polls for a moment, and
			    what is added stays there */
	double off_ns;	 /* mean distance of the points from the sawtooth, without that */
};

/* The sawtooth nearest (mean absolute distance) to added_ns[count] at body_ns[count], ascending;
 * periods of 4 to 16 us, two of which the bodies must span. -1: they do not. */
int poll_fit(const double *body_ns, const double *added_ns, size_t count, struct poll_fit *fit);

#ifdef __cplusplus
}
#endif
#endif
