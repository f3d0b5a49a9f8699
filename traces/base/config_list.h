/* SPDX-License-Identifier: MIT
 * Lists of configurations, one a line, for commands that run, time or price many:
 *
 *     SOLVER GPUS KEY=VALUE...        # comment
 */
#ifndef WARPREEL_CONFIG_LIST_H
#define WARPREEL_CONFIG_LIST_H

#include <stdint.h>

struct config_line {
	const char *solver, *config; /* within the line */
	uint32_t gpus;
};

/* Takes a line apart, which it changes. 1 when it holds a configuration, 0 when it is blank, -1
 * after a message. */
int config_line_parse(struct config_line *out, char *line, const char *file, int number);

#endif
