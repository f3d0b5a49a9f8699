/* SPDX-License-Identifier: MIT */
#include "lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

int lines_open(struct lines *l, const char *path)
{
	*l = (struct lines){ .path = path };
	l->file = strcmp(path, "-") ? fopen(path, "r") : stdin;
	if (!l->file)
		return report("cannot open '%s': %s", path, strerror(errno));
	l->text = xmalloc(LINES_LONGEST + 1);
	return 0;
}

int lines_next(struct lines *l)
{
	int length = 0, c = 0;
	l->number++;
	while (c != '\n' && (c = getc_unlocked(l->file)) != EOF) {
		if (!c)
			return report("%s:%d: holds a zero byte: not text", l->path, l->number);
		if (length == LINES_LONGEST)
			return report("%s:%d: a line of more than %d bytes", l->path, l->number,
				      LINES_LONGEST);
		l->text[length++] = (char)c;
	}
	l->text[length] = 0;
	if (ferror(l->file))
		return report("cannot read '%s': %s", l->path, strerror(errno));
	return length > 0;
}

void lines_close(struct lines *l)
{
	if (l->file && l->file != stdin)
		fclose(l->file);
	free(l->text);
	*l = (struct lines){ 0 };
}
