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
	KINDS(exchange),     KINDS(pass),	KINDS(together),       KEY(registers),
	KEY(step_ns),	     KEY(step_busy_ns), KEY(enter_ns),	       KEY(send_share),
	KEY(store_ns),	     KEY(load_ns),	KEY(exchange_busy_ns), KEY(crowd),
	KEY(note_ns),	     KEY(begin_ns),	KEY(end_ns),	       KEY(raise_ns),
	KEY(take_ns),	     KEY(meet_ns),	KEY(spread_ns),	       KEY(check_ns),
	KEY(round_ns),	     KEY(place_spread), KEY(trip_spread_ns),   KEY(phase_spread),
	KEY(note_gap_ns),    KEY(idle_ns),	KEY(steps_error),      KEY(time_error),
	KEY(line_spread_ns), KEY(crowd_later),	KEY(crowd_exchange),   KEY(note_spread_ns),
	KEY(first_places),
#undef KINDS
#undef KEY
};
enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

/* look_ns is what check_ns was called. */
static int find(const char *key)
{
	if (!strcmp(key, "look_ns"))
		key = "check_ns";
	for (int k = 0; k < KEYS; k++)
		if (!strcmp(keys[k].key, key))
			return k;
	return strcmp(key, "multiprocessors") ? -1 : KEYS;
}

struct reading {
	struct cosim_costs *costs;
	const char *solver, *way;
	uint64_t seen;	       /* bits of keys that stand there for all */
	uint8_t own[KEYS + 1]; /* whose a key is so far: 1 the solver's, 2 its way's */
};

/* Whose a key is by what stands before its dot; -1: another's. */
static int owner(const struct reading *r, const char *key, const char *dot)
{
	const size_t solver = strlen(r->solver), length = dot ? (size_t)(dot - key) : 0;
	if (!dot)
		return 0;
	if (length < solver || strncmp(key, r->solver, solver) != 0)
		return -1;
	if (length == solver)
		return 1;
	return r->way && key[solver] == '-' && length == solver + 1 + strlen(r->way) &&
			       !strncmp(key + solver + 1, r->way, strlen(r->way))
		       ? 2
		       : -1;
}

/* A key for this solver, for another one, or for all; -1: none, or a value out of range. */
static int set(struct reading *r, const char *key, double value)
{
	const char *dot = strchr(key, '.');
	const int k = find(dot ? dot + 1 : key);
	if (k < 0 || !(value >= (k == KEYS) && value <= (k == KEYS ? 4096 : 1e12)))
		return -1;
	const int whose = owner(r, key, dot);
	if (whose == 0)
		r->seen |= (uint64_t)1 << k;
	if (whose < r->own[k])
		return 0;
	r->own[k] = (uint8_t)whose;
	if (k == KEYS)
		r->costs->multiprocessors = (int)value;
	else
		*(double *)((char *)r->costs + keys[k].offset) = value;
	return 0;
}

int cosim_costs_read(struct cosim_costs *costs, const char *path, const char *solver,
		     const char *way)
{
	struct reading reading = { costs, solver, way, 0, { 0 } };
	char line[256], *field[3];
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
		    !isfinite(value) || set(&reading, field[0], value))
			rc = report("%s:%d: a line is one of the known costs, a tab, and a number "
				    "from 0",
				    path, number);
	}
	fclose(file);
	for (size_t k = 0; k < KEYS && !rc; k++)
		if (!(reading.seen >> k & 1))
			rc = report("%s: no %s", path, keys[k].key);
	if (!rc && !(reading.seen >> KEYS & 1))
		rc = report("%s: no multiprocessors", path);
	return rc;
}
