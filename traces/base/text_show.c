/* SPDX-License-Identifier: MIT */
#include "text_show.h"

#include <stdlib.h>
#include <string.h>

#include "util.h"

char *text_shown(const char *text)
{
	char *shown = xmalloc(strlen(text) * TEXT_SHOW_BYTES + 1);

	text_escape(shown, text, "");
	return shown;
}

bool text_is_plain(const char *text)
{
	char *shown = xmalloc(strlen(text) * TEXT_SHOW_BYTES + 1);
	const bool plain = text_escape(shown, text, "\\") == strlen(text);

	free(shown);
	return plain;
}

int text_cut(const char *text, int bytes)
{
	if (strnlen(text, (size_t)bytes) < (size_t)bytes)
		return bytes;
	while (bytes > 0 && ((unsigned char)text[bytes] & 0xc0) == 0x80)
		bytes--;
	return bytes;
}

const char *text_show(struct text_show *show, const char *text)
{
	char **place = &show->text[show->count++ % (sizeof(show->text) / sizeof(show->text[0]))];

	free(*place);
	return *place = text_shown(text);
}

void text_show_release(struct text_show *show)
{
	for (size_t i = 0; i < sizeof(show->text) / sizeof(show->text[0]); i++)
		free(show->text[i]);
	*show = (struct text_show){ 0 };
}
