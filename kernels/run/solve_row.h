/* SPDX-License-Identifier: MIT
 * One measured configuration as a row of a table: what `solve` and `batch` print.
 */
#ifndef WARPREEL_SOLVE_ROW_H
#define WARPREEL_SOLVE_ROW_H

#include <stdio.h>

#include "kernels/kit/solver.h"

struct solve_row {
	const struct solver *solver;
	char config[CONFIG_BYTES];
	uint32_t gpus;
	int repeat;
	int64_t iterations;
	double residual, core_us, core_mad_us, core_min_us, core_max_us, total_us, total_mad_us;
	uint64_t checksum;
	bool unconverged;
	double extra[SOLVER_EXTRAS];
	const char *backend, *visit;
	double sm_mhz, memory_mhz;	       /* -1 unknown */
	double mkt_ms, mst_ms, mtt_ms, mct_ms; /* with --timing thesis; else NaN */
};

/* Medians over results[request->repeat]; warns when the first and the last checksum differ. */
void solve_row_fill(struct solve_row *row, const struct solver_result *results, int repeat);
/* The columns of every family, then those of `solver`; of all families when it is NULL. A family
 * without a column prints "-". */
void solve_row_header(FILE *out, const struct solver *solver);
void solve_row_print(FILE *out, const struct solve_row *row, const struct solver *solver);
/* Says what a run that did not converge left, after `where`; returns whether that is so. */
bool solve_row_unconverged(const struct solve_row *row, const char *where);

/* A row a timed run, which medians do not tell. */
void solve_runs_header(FILE *out);

/* Parses, prepares, runs `config` on `m` and fills the row; each run also goes to `runs`, unless
 * that is NULL. -1 after a message. */
int solve_config(const struct solver *solver, const char *config, struct machine *m, uint32_t gpus,
		 const struct solver_request *request, struct solve_row *row, FILE *runs);

#endif
