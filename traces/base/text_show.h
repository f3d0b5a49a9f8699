/* SPDX-License-Identifier: MIT
 * Text out of files of strangers, as a terminal or a table may have it: kernels, threads, ranges,
 * devices and programs are called what their author liked.
 */
#ifndef WARPREEL_TEXT_SHOW_H
#define WARPREEL_TEXT_SHOW_H

#include <stdbool.h>
#include <stddef.h>

enum { TEXT_SHOW_BYTES = 4 }; /* that a byte becomes at most */

/*
 * Writes text, NUL-terminated, into `to`, which has room for TEXT_SHOW_BYTES a byte of it and one.
 * Control characters (tabs, line ends and ESC among them), those that turn the direction of
 * writing, what is not UTF-8, and backslashes, so that no two texts look alike, become \xNN a byte.
 * Bytes in `kept` stay as they are. Returns the length.
 */
size_t text_escape(char *to, const char *text, const char *kept);
/* The same as a new text; the caller's. */
char *text_shown(const char *text);
/* Whether text would be shown as it is, but for backslashes. */
bool text_is_plain(const char *text);
/* The most bytes of a shown text, at most `bytes`, that end with a whole character. */
int text_cut(const char *text, int bytes);

/* Several shown texts for one line of output, all zero to begin with. */
struct text_show {
	char *text[8];
	size_t count;
};
/* Good until eight more were shown, or the release. */
const char *text_show(struct text_show *show, const char *text);
void text_show_release(struct text_show *show);

#endif
