/* SPDX-License-Identifier: MIT */
#include "known_launches.h"

#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

bool known_launch_same(const struct known_launch *a, const struct known_launch *b)
{
	return a->profile == b->profile &&
	       !memcmp(&a->geometry, &b->geometry, sizeof(a->geometry)) &&
	       !memcmp(a->phase, b->phase, sizeof(a->phase)) &&
	       !memcmp(&a->traffic, &b->traffic, sizeof(a->traffic));
}

const struct known_launch *known_launches_find(const struct known_launches *known,
					       const struct known_launch *like)
{
	for (size_t k = 0; k < known->count; k++)
		if (known_launch_same(&known->launch[k], like))
			return &known->launch[k];
	return NULL;
}

void known_launches_add(struct known_launches *known, const struct known_launch *launch)
{
	GROW(known->launch, known->count, known->capacity);
	known->launch[known->count++] = *launch;
}

void known_launches_release(struct known_launches *known)
{
	free(known->launch);
	*known = (struct known_launches){ 0 };
}
