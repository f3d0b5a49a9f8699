/* SPDX-License-Identifier: MIT
 * Text out of files of strangers, as a terminal or a table may have it: kernels, threads, ranges,
 * devices and programs are called what their author liked.
 */
#ifndef WARPREEL_TEXT_ESCAPE_H
#define WARPREEL_TEXT_ESCAPE_H

#include <stddef.h>

enum { TEXT_SHOW_BYTES = 4 }; /* that a byte becomes at most */

/*
 * Writes text, NUL-terminated, into `to`, which has room for TEXT_SHOW_BYTES a byte of it and one.
 * Control characters (tabs, line ends and ESC among them), those that turn the direction of
 * writing, what is not UTF-8, and backslashes, so that no two texts look alike, become \xNN a byte.
 * Bytes in `kept` stay as they are. Returns the length.
 */
size_t text_escape(char *to, const char *text, const char *kept);

#endif
