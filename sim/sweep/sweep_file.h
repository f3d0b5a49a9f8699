/* SPDX-License-Identifier: MIT
 * A sweep: the product of lists of values, read from an .ini file.
 *
 *     [sweep]
 *     platform = h200x4 here.ini     # names or files; default: the command's
 *     gpus = 1 2 4 8
 *     set = - | nvlink.bytes_per_s=1e9 | host.launch_ns=2000 host.record_ns=500
 *
 *     [rbsor]                        # a section a solver: its options, each a list of values
 *     size = 1024..16384*2
 *     border = 1..4
 *
 * Values stand apart by blanks or commas. a..b counts by one, a..b+s by s, a..b*f by a factor.
 * Alternatives of `set` stand apart by '|', since one may have several assignments; '-' is none.
 * A continued line is indented.
 */
#ifndef WARPREEL_SWEEP_FILE_H
#define WARPREEL_SWEEP_FILE_H

#include <stdint.h>

#include "sweep_values.h"
#include "traces/program/program.h"

struct sweep_family {
	char *solver;
	struct sweep_key *key; /* as they stand in the file */
	size_t count, capacity;
	int line;
};

struct sweep {
	char *path;
	struct sweep_key platform, gpus, set; /* each has a value at least */
	struct sweep_family *family;
	size_t family_count, family_capacity;
	uint64_t points;
};

enum { SWEEP_CONFIG_BYTES = 4096 };

/* One point of the product; texts are the sweep's, but for `config`, which is the caller's. */
struct sweep_point {
	const char *solver, *platform, *set;
	uint32_t gpus;
	char config[SWEEP_CONFIG_BYTES]; /* "key=value ..." of the keys in the file; full: cut */
};

enum { SWEEP_POINTS_MOST = 100000000 };

/*
 * Reads the file; `platform` stands where it names none. -1 after a message that names file and
 * line: unknown section, key or solver, a list without values, no product. Release in either case.
 */
int sweep_read(struct sweep *sweep, const struct program *program, const char *path,
	       const char *platform);
void sweep_release(struct sweep *sweep);
/* Point k of sweep->points: of the solvers in turn, platforms and sets change last, GPUs before
 * them, and of the options the last in the file first. */
void sweep_point_at(const struct sweep *sweep, uint64_t k, struct sweep_point *point);
/* Which platform and set a point is of: a number below platform.count * set.count. */
uint64_t sweep_machine_of(const struct sweep *sweep, uint64_t k);
/* All of it as one text, owned by the caller: two sweeps are the same when their texts are. What a
 * platform's file holds is part of it. */
char *sweep_definition(const struct sweep *sweep);

#endif
