/* SPDX-License-Identifier: MIT */
#include "config_list.h"

#include <ctype.h>
#include <string.h>

#include "util.h"

/* The first word whose key stands before it, too; NULL: none does. The last would be taken. */
static const char *key_given_twice(const char *config)
{
	const char *blanks = " \t\r\n";
	for (const char *word = config + strspn(config, blanks); *word;
	     word += strcspn(word, blanks), word += strspn(word, blanks)) {
		const size_t key = strcspn(word, "= \t\r\n") + 1;
		for (const char *at = config + strspn(config, blanks); at < word;
		     at += strcspn(at, blanks), at += strspn(at, blanks))
			if (word[key - 1] == '=' && !strncmp(at, word, key))
				return word;
	}
	return NULL;
}

int config_line_parse(struct config_line *out, char *line, const char *file, int number)
{
	char *comment = strchr(line, '#'), *save, *count;
	int64_t gpus;
	if (comment)
		*comment = 0;
	out->solver = strtok_r(line, " \t\r\n", &save);
	if (!out->solver)
		return 0;
	count = strtok_r(NULL, " \t\r\n", &save);
	if (!count || parse_i64(count, &gpus))
		return report("%s:%d: after the solver comes a number of GPUs", file, number);
	if (gpus < 1 || gpus > 64)
		return report("%s:%d: the number of GPUs is from 1 to 64, not %s", file, number,
			      count);
	out->gpus = (uint32_t)gpus;
	out->config = save;
	for (char *at = save + strlen(save); at > save && isspace((unsigned char)at[-1]); at--)
		at[-1] = 0;
	const char *twice = key_given_twice(out->config);
	if (twice)
		return report("%s:%d: '%.*s' is given twice", file, number,
			      (int)strcspn(twice, "="), twice);
	return 1;
}
