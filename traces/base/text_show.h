/* SPDX-License-Identifier: MIT
 * Text as text_escape has it, in memory of its own.
 */
#ifndef WARPREEL_TEXT_SHOW_H
#define WARPREEL_TEXT_SHOW_H

#include <stdbool.h>
#include <stddef.h>
#include "text_escape.h"

/* text_escape as a new text; the caller's. */
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
