/* SPDX-License-Identifier: MIT */
#include "mechanism.h"

#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

const struct mechanism mechanisms[MECHANISM_COUNT] = {
#define MECHANISM(id, name, room, what, benchmark, keys)                                           \
	[MECHANISM_##id] = { name, MECHANISM_ROOM_##room, what, benchmark, keys },
#include "mechanisms.def"
#undef MECHANISM
};

static int unknown(const char *where, const char *name, size_t length)
{
	char *names = xstrdup("all");
	for (int k = 0; k < MECHANISM_COUNT; k++) {
		char *longer = xprintf("%s, %s", names, mechanisms[k].name);
		free(names);
		names = longer;
	}
	report("%s: no mechanism '%.*s'; there are %s", where, (int)length, name, names);
	free(names);
	return -1;
}

static bool is_name(const char *name, const char *text, size_t length)
{
	return strlen(name) == length && !strncmp(name, text, length);
}

int mechanism_leave_out(struct mechanism_set *set, const char *names, const char *where)
{
	for (const char *at = names;;) {
		const size_t length = strcspn(at, ",");
		const bool all = is_name("all", at, length);
		bool found = all;
		for (int k = 0; k < MECHANISM_COUNT; k++) {
			const bool meant = all || is_name(mechanisms[k].name, at, length);
			set->off[k] |= meant;
			found |= meant;
		}
		if (!found)
			return unknown(where, at, length);
		if (!at[length])
			return 0;
		at += length + 1;
	}
}
