/* SPDX-License-Identifier: MIT
 * Lines of a text file that nobody vouches for: lists, tables. No line is longer than
 * LINES_LONGEST bytes or has a zero byte in it, so a device or a file of another kind is refused
 * at its first line, and no memory is spent on it.
 */
#ifndef WARPREEL_LINES_H
#define WARPREEL_LINES_H

#include <stdio.h>

enum { LINES_LONGEST = 65536 };

struct lines {
	const char *path; /* borrowed */
	FILE *file;
	char *text; /* the present line, with its line break if it has one; may be changed */
	int number; /* of it, from 1 */
};

/* "-" is standard input. -1 after a message. */
int lines_open(struct lines *lines, const char *path);
/* 1: there is one more line; 0: there is none; -1 after a message. */
int lines_next(struct lines *lines);
void lines_close(struct lines *lines); /* safe on a zeroed struct */

#endif
