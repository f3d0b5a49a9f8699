/* SPDX-License-Identifier: MIT
 * Which ways runs go (struct program: "way"), and which of them rows of split `interval` went.
 */
#ifndef WARPREEL_INTERVAL_WAYS_H
#define WARPREEL_INTERVAL_WAYS_H

#include "validation.h"

enum { WAYS_LEAST = 3 }; /* interval rows that make a way known */

struct ways {
	char **of; /* [rows]; NULL: it is not a planned run; owned, as its texts */
	size_t rows;
	struct way {
		const char *name; /* borrowed of a row */
		int points;	  /* of split `interval` */
	} * known;		  /* owned */
	size_t count, capacity;
};

void ways_find(struct ways *ways, const struct validation *validation);
void ways_release(struct ways *ways);
/* Whether the k-th row is a planned run that goes another way than those that set widths. */
bool ways_unfamiliar(const struct ways *ways, size_t k);

#endif
