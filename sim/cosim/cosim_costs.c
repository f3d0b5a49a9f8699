/* SPDX-License-Identifier: MIT
 * Costs of a co-simulation from a table.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cosim.h"
#include "traces/base/util.h"

static const struct {
	const char *key;
	size_t offset;
} keys[] = {
#define KEY(name)                                                                                  \
	{                                                                                          \
#name, offsetof(struct cosim_costs, name)                                          \
	}
#define KINDS(name)                                                                                \
	{ #name "_rows_ns", offsetof(struct cosim_costs, name##_ns[CHAOS_ROWS]) },                 \
		{ #name "_all_ns", offsetof(struct cosim_costs, name##_ns[CHAOS_ALL]) },           \
	{                                                                                          \
#name "_packed_ns", offsetof(struct cosim_costs, name##_ns[CHAOS_PACKED])          \
	}
	KINDS(exchange), KINDS(together),   KEY(step_ns),      KEY(step_more_ns),
	KEY(begin_ns),	 KEY(end_ns),	    KEY(meet_ns),      KEY(spread_ns),
	KEY(round_ns),	 KEY(place_spread), KEY(phase_spread),
#undef KINDS
#undef KEY
};
enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

static int set(struct cosim_costs *costs, unsigned *seen, const char *key, double value)
{
	if (!strcmp(key, "multiprocessors")) {
		costs->multiprocessors = (int)value;
		*seen |= 1u << KEYS;
		return value >= 1 && value <= 4096 ? 0 : -1;
	}
	for (size_t k = 0; k < KEYS; k++)
		if (!strcmp(keys[k].key, key)) {
			*(double *)((char *)costs + keys[k].offset) = value;
			*seen |= 1u << k;
			return value >= 0 && value <= 1e12 ? 0 : -1;
		}
	return -1;
}

int cosim_costs_read(struct cosim_costs *costs, const char *path)
{
	char line[256], *field[3];
	unsigned seen = 0;
	int number = 0, rc = 0;
	FILE *file = fopen(path, "r");
	*costs = (struct cosim_costs){ 0 };
	if (!file)
		return report("%s: %s", path, strerror(errno));
	while (!rc && fgets(line, sizeof(line), file)) {
		double value;
		number++;
		if (line[0] == '#' || line[0] == '\n')
			continue;
		if (split_tabs(line, field, 3) != 2 || parse_double(field[1], &value) ||
		    !isfinite(value) || set(costs, &seen, field[0], value))
			rc = report("%s:%d: a line is one of the known costs, a tab, and a number "
				    "from 0",
				    path, number);
	}
	fclose(file);
	for (size_t k = 0; k < KEYS && !rc; k++)
		if (!(seen >> k & 1))
			rc = report("%s: no %s", path, keys[k].key);
	if (!rc && !(seen >> KEYS & 1))
		rc = report("%s: no multiprocessors", path);
	return rc;
}
