/* SPDX-License-Identifier: MIT */
#include "config_list.h"

#include <ctype.h>
#include <string.h>

#include "util.h"

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
	return 1;
}
