/* SPDX-License-Identifier: MIT
 * The table of every key a platform file may hold. Reading, --set, validation and the manual page
 * all follow it.
 */
#ifndef WARPREEL_PLATFORM_INTERNAL_H
#define WARPREEL_PLATFORM_INTERNAL_H

#include "platform.h"

enum key_kind { KEY_TEXT, KEY_INTEGER, KEY_REAL, KEY_LIST };

enum {
	KEY_REQUIRED = 1,	/* every platform has it */
	KEY_REQUIRED_PEERS = 2, /* every platform of more than one GPU has it */
	KEY_NEGATIVE = 4,	/* may be negative */
	KEY_INFINITE = 8,	/* may be "inf": an ideal rate */
	KEY_ASCENDING = 16,	/* the x of a curve: each entry above the one before */
	KEY_POSITIVE = 32,	/* zero makes no sense */
	KEY_REQUIRED_SM = 64,	/* every platform that has sm.isa */
	KEY_SHARE = 128,	/* at most 1 */
	KEY_ROOM = 512, /* a list over GPUs at once that one number given for it scales as a whole:
			   it is the first entry, and the others keep their ratio to it */
	KEY_BASE = 256	/* finer measurements follow it: "base." before its name is what it
			   was when they were made (costs.c) */
};

struct platform_key {
	const char *name; /* "section.key"; a '#' at its end stands for a number */
	enum key_kind kind;
	unsigned flags;
	size_t offset;	   /* of the member of struct platform, or NO_MEMBER: kept as text only, a
			      number for the reader */
	const char *pairs; /* the list this one is as long as; NULL = any length */
	const char *unit;
	const char *help;
};
#define NO_MEMBER ((size_t)-1)

extern const struct platform_key platform_keys[];		/* ends with a NULL name */
const struct platform_key *platform_key_find(const char *name); /* NULL = unknown */

/* The name of a key that had this one once (platform_renamed.def); NULL = it has no other. */
const char *platform_key_now(const char *old_name);

/* Stood in files for the reader once, and no model looks at it (platform_evidence.def). */
bool platform_key_is_evidence(const char *name);
/* Whether a name is the table's; a '#' at the end of that stands for a decimal number. */
bool platform_name_matches(const char *pattern, const char *name);

/* A number that no model looks at. */
bool platform_key_unread(const struct platform_key *key);

/* "base.host.launch_ns" and the like. */
bool platform_key_is_base(const char *name);

struct platform_entry {	  /* a key as read or set */
	char *key, *text; /* owned; what holds now */
	char *file_text;  /* owned; as the file has it; NULL: only set */
	int line;	  /* of the file; 0: only set */
	const struct platform_key *spec;
	size_t count; /* numbers in a list */
	bool derived; /* not given: it follows from another (platform_derived.c) */
};

/* Every key by itself is right, but some may be missing, or not fit each other: what `calibrate
 * --only` writes. */
int platform_read_part(struct platform *platform, const char *name_or_path);

/* Adds what a file leaves out since it follows from others, and makes what was added before follow
 * them again (platform_derived.c). -1 after a message that begins with `where`. */
int platform_fill_in(struct platform *platform, const char *where);
/* The key that this one follows first; NULL = it follows none. */
const char *platform_key_source(const char *key);
/* The text that a key has where nothing gives it; the caller's; NULL = it has none. `text_of` says
 * what others have, NULL where nothing gives them. */
typedef const char *platform_text_fn(const void *from, const char *key);
char *platform_key_follows(const char *key, platform_text_fn *text_of, const void *from);

struct platform_entry *platform_entry_find(const struct platform *platform,
					   const char *name); /* NULL = absent */
/* Numbers separated by blanks or commas. -1 without a message: `bad` holds the first word that is
 * none. */
int number_list_parse(struct number_list *list, const char *text, char bad[48]);

/*
 * The two halves of accepting text: platform_apply parses an entry's text into its member and
 * checks it by itself, platform_validate checks what the keys must be to each other. Messages begin
 * with `where`: the file or the assignment.
 */
int platform_apply(struct platform *platform, struct platform_entry *entry, const char *where);
/* platform_apply, of a base's value only the check: that has no member of its own. */
int platform_accept(struct platform *platform, struct platform_entry *entry, const char *where);
int platform_validate(struct platform *platform, const char *where);
/* The message for a key that is not in the table, with the nearest that are. Always -1. */
int platform_unknown_key(const char *where, const char *name);

/*
 * costs.c.
 * The costs that models read, from the values a platform file has and what was set: one pure
 * function, so that a file's edit and --set are one thing.
 *
 * Some costs were measured twice: a plain value (host.launch_ns, copy.h2d.ns, nvlink.bytes_per_s)
 * and finer lists of the same thing in more places (host.loop_launch_ns, copy.h2d.idle_ns). A file
 * keeps the plain value the finer lists were measured beside under [base.*]; without it, that is
 * the file's own. Whatever makes the plain value another one, an edit or --set, moves the finer
 * lists from the base to it: host calls in proportion, copies and exchanges by the difference.
 * So a value that is set to itself changes nothing.
 */

/* Fills every member of `platform` from its entries, each of which was accepted before, and makes
 * platform->base: the same as the file has it, with its plain values as [base.*] says. */
void costs_derive(struct platform *platform);

/* A note for every plain value that the file has otherwise than its [base.*], with both lines. */
void costs_tell_moved(const struct platform *platform);

/* Whether two texts hold the same numbers; false where one holds none. */
bool platform_texts_alike(const char *a, const char *b);

/* Releases the values of a platform, not what makes it a file. */
void costs_release(struct platform *platform);

#endif
