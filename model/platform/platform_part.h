/* SPDX-License-Identifier: MIT
 * Which part of a machine a key is of, so that host, links and device of two platforms may be put
 * together, and an edit is said to be of one of them.
 */
#ifndef WARPREEL_PLATFORM_PART_H
#define WARPREEL_PLATFORM_PART_H

#include "platform.h"

enum platform_part {
	PART_OF_ABOUT, /* [platform]: not of the machine */
	PART_OF_COUNT, /* how many GPUs */
	PART_OF_HOST,
	PART_OF_LINK,
	PART_OF_DEVICE,
	PLATFORM_PART_COUNT
};
extern const char *const platform_part_name[PLATFORM_PART_COUNT];

enum platform_part platform_part_of(const char *key);

/*
 * Takes one part, or several (bits 1 << enum platform_part), from another platform: every key of
 * them becomes what it is there, also none. Validates the whole; -1 after a message, and then the
 * platform is of no use. Both keep what they own.
 */
int platform_take_parts(struct platform *platform, const struct platform *from, unsigned parts);

/* What is otherwise than it was measured. */
struct platform_edits {
	unsigned parts; /* bits 1 << enum platform_part */
	bool inside;	/* of the device's inside, which durations as recorded know nothing of */
	char *text;	/* owned: "sm_count = 264 (132)", ...; NULL: nothing */
	int keys, told; /* of these in `text` */
};

/*
 * Keys a model looks at whose text is not that of the platform's file (--set), nor that of
 * `measured` where this is given: the shipped platform of the same name.
 */
void platform_edits_find(struct platform_edits *edits, const struct platform *platform,
			 const struct platform *measured);
void platform_edits_release(struct platform_edits *edits);

#endif
