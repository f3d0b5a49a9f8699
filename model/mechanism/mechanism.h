/* SPDX-License-Identifier: MIT
 * The mechanisms of the models, and which of them a prediction leaves out. What a mechanism is
 * worth shows when it is left out (`warpreel validate --without`).
 */
#ifndef WARPREEL_MECHANISM_H
#define WARPREEL_MECHANISM_H

#include <stdbool.h>
#include <stddef.h>

enum mechanism_id {
#define MECHANISM(id, name, room, what, benchmark, keys) MECHANISM_##id,
#include "mechanisms.def"
#undef MECHANISM
	MECHANISM_COUNT
};

enum mechanism_room { MECHANISM_ROOM_GPU, MECHANISM_ROOM_HOST, MECHANISM_ROOM_COPY };

struct mechanism {
	const char *name;
	enum mechanism_room room;
	const char *what;      /* it stands for physically */
	const char *benchmark; /* that measures it; begins with "none" where there is none */
	const char *keys;      /* of platform files, separated by blanks; "" = none of its own */
};
extern const struct mechanism mechanisms[MECHANISM_COUNT];

/* All zero: all are on. */
struct mechanism_set {
	bool off[MECHANISM_COUNT];
};

static inline bool mechanism_on(const struct mechanism_set *set, enum mechanism_id id)
{
	return !set->off[id];
}

/* Takes the named ones out: "NAME[,NAME...]", or "all". -1 after a message that begins with `where`
 * and lists the names there are. */
int mechanism_leave_out(struct mechanism_set *set, const char *names, const char *where);

#endif
