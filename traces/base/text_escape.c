/* SPDX-License-Identifier: MIT */
#include "text_escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Bytes of the character that text begins with, of well-formed UTF-8 (Unicode 15, table 3-7); 0: it
 * begins with none. */
static size_t character(const unsigned char *text, uint32_t *code)
{
	const unsigned char lead = text[0];
	const size_t length = lead < 0x80   ? 1
			      : lead < 0xc2 ? 0
			      : lead < 0xe0 ? 2
			      : lead < 0xf0 ? 3
					    : 4;

	*code = lead;
	if (length < 2)
		return length;
	*code = lead & (0xffu >> (length + 1));
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (text[i] & 0x3f);
	}
	if ((length == 3 && *code < 0x800) || (length == 4 && *code < 0x10000) ||
	    *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return length;
}

/* What a terminal obeys rather than shows: controls, line and paragraph ends, directions. */
static bool is_obeyed(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x061c || code == 0x200e ||
	       code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

size_t text_escape(char *to, const char *text, const char *kept)
{
	static const char digit[] = "0123456789abcdef";
	const unsigned char *at = (const unsigned char *)text;
	char *next = to;

	while (*at) {
		uint32_t code;
		size_t length = character(at, &code);
		const bool as_is = length && ((*at < 0x80 && strchr(kept, *at)) ||
					      (!is_obeyed(code) && code != '\\'));

		length = length ? length : 1;
		for (; length; length--, at++) {
			if (as_is) {
				*next++ = (char)*at;
				continue;
			}
			*next++ = '\\';
			*next++ = 'x';
			*next++ = digit[*at >> 4];
			*next++ = digit[*at & 15];
		}
	}
	*next = 0;
	return (size_t)(next - to);
}
