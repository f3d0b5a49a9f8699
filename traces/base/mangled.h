/* SPDX-License-Identifier: MIT
 * The last name in a C++ symbol, before arguments begin: "_ZN4rbsN5sweepIfEEvPT_" is a sweep. The
 * recorder uses it as well, which takes no library along.
 */
#ifndef WARPREEL_MANGLED_H
#define WARPREEL_MANGLED_H

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Within `symbol`, not terminated; NULL where it is none of C++. */
static inline const char *mangled_last(const char *symbol, size_t *length)
{
	const char *at, *last = NULL;

	*length = 0;
	if (strncmp(symbol, "_Z", 2) != 0)
		return NULL;
	at = symbol + 2;
	if (*at == 'N')
		at += 1 + strspn(at + 1, "KVr");
	while (*at == 'L' && isdigit((unsigned char)at[1]))
		at++;
	while (isdigit((unsigned char)*at)) {
		char *text;
		unsigned long bytes = strtoul(at, &text, 10);

		if (!bytes || bytes > strlen(text))
			break;
		last = text;
		*length = bytes;
		at = text + bytes;
		at += *at == 'L' && isdigit((unsigned char)at[1]);
	}
	return last;
}

#endif
