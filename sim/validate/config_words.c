/* SPDX-License-Identifier: MIT */
#include "config_words.h"

#include <stdio.h>
#include <string.h>

#include "traces/base/util.h"

static bool is_key(const char *word, const char *key)
{
	size_t length = strlen(key);
	return !strncmp(word, key, length) && word[length] == '=';
}

bool config_value(const char *config, const char *key, char *value, size_t bytes)
{
	for (const char *word = config; *word;
	     word += strcspn(word, " "), word += strspn(word, " "))
		if (is_key(word, key)) {
			const char *text = word + strlen(key) + 1;
			snprintf(value, bytes, "%.*s", (int)strcspn(text, " "), text);
			return true;
		}
	return false;
}

char *config_without(const char *config, const char *const key[], size_t count)
{
	char *rest = xmalloc(strlen(config) + 2), *to = rest;
	for (const char *word = config; *word;) {
		size_t length = strcspn(word, " ");
		bool named = false;
		for (size_t k = 0; k < count; k++)
			named |= is_key(word, key[k]);
		if (!named) {
			memcpy(to, word, length);
			to += length;
			*to++ = ' ';
		}
		word += length + strspn(word + length, " ");
	}
	to -= to > rest;
	*to = 0;
	return rest;
}
