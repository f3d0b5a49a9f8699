/* SPDX-License-Identifier: MIT
 * What an answer is bound by: the part that takes most of the core loop, the mean over GPUs.
 */
#ifndef WARPREEL_BOUND_H
#define WARPREEL_BOUND_H

#include "sim/engine/simulation.h"

enum { BOUND_KERNEL, BOUND_LINK, BOUND_SYNC, BOUND_HOST, BOUND_COUNT };
extern const char *const bound_name[BOUND_COUNT];

struct bound {
	int by;
	double us[BOUND_COUNT], share[BOUND_COUNT]; /* of the core loop; 0 where it is empty */
};

struct bound bound_of(const struct simulation_result *result);
/* "host: 61.3 % of the core loop (kernel 30.1 %, ...)"; owned by the caller. */
char *bound_text(const struct bound *bound);

#endif
