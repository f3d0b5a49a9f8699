/* SPDX-License-Identifier: MIT
 * warpreel solve: run a solver and time it. The solver's own options come from its table, the rest
 * from here.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/options.h"
#include "traces/program/program.h"
#include "traces/base/output.h"
#include "traces/base/util.h"
#include "kernels/machine/block_notes.h"
#include "kernels/kit/grid_file.h"
#include "solve_row.h"

struct solve_options {
	const char *backend, *format, *grid, *result, *image;
	int gpus, repeat, seed, warm_up_ms, blocks;
};

#define AT(field) offsetof(struct solve_options, field)
static const struct option_spec own_options[] = {
	{ "gpus", OPTION_INT, AT(gpus), "1", 1, 64, "G", "GPUs, and host threads" },
	{ "backend", OPTION_CHOICE, AT(backend), "cpu", 0, 0, MACHINE_BACKENDS,
	  "GPUs, or host threads doing the same" },
	{ "repeat", OPTION_INT, AT(repeat), "1", 1, 100000, "R", "timed runs; times are medians" },
	{ "seed", OPTION_INT, AT(seed), "1", 0, 2147483647, "S", "of the start values" },
	{ "warm-up-ms", OPTION_INT, AT(warm_up_ms), "30", -1, 60000, "MS",
	  "short untimed runs first (cuda); -1 none" },
	{ "blocks", OPTION_INT, AT(blocks), "0", 0, 64, "N",
	  "note the blocks of the last N launches, for a recorder (cuda)" },
	{ "grid", OPTION_TEXT, AT(grid), NULL, 0, 0, "FILE",
	  "start values from a file (warpreel grid) instead of random ones" },
	{ "result", OPTION_TEXT, AT(result), NULL, 0, 0, "FILE",
	  "write the solution there, as --grid takes it" },
	{ "picture", OPTION_TEXT, AT(image), NULL, 0, 0, "FILE.pgm",
	  "write the solution as a picture" },
	{ "format", OPTION_CHOICE, AT(format), "text", 0, 0, "text|tsv", "output" },
	{ 0 },
};

static void print_text(const struct solve_row *r)
{
	printf("%s on %u GPU%s (%s): %s\n", r->solver->name, r->gpus, r->gpus == 1 ? "" : "s",
	       r->backend, r->config);
	printf("  core loop  %12.3f us   (median of %d, MAD %.3f, min %.3f, max %.3f)\n",
	       r->core_us, r->repeat, r->core_mad_us, r->core_min_us, r->core_max_us);
	printf("  total      %12.3f us   with the first upload and the last download\n",
	       r->total_us);
	printf("  residual   %12.6g      after %lld iterations; checksum %016llx\n", r->residual,
	       (long long)r->iterations, (unsigned long long)r->checksum);
	if (!isnan(r->mkt_ms))
		printf("  thesis     MKT %.6f  MST %.6f  MTT %.6f  MCT %.6f ms  ET %.6f s\n",
		       r->mkt_ms, r->mst_ms, r->mtt_ms, r->mct_ms, r->total_us * 1e-6);
	for (int k = 0; r->solver->extra_names && r->solver->extra_names[k]; k++)
		printf("  %-16s %.9g\n", r->solver->extra_names[k], r->extra[k]);
}

/* Runs the solver as it is configured, and prints the row; an exit code. */
static int solve(const struct program *program, const struct solver *solver, void *params,
		 const struct solve_options *o)
{
	int rc = EXIT_BAD;
	if ((o->result && (output_differs(o->result, o->grid) || output_check(o->result))) ||
	    (o->image && (grid_file_check_picture(o->image) || output_check(o->image) ||
			  outputs_differ(o->image, o->result))) ||
	    program->choose(program, solver->name, params, solver->params_bytes,
			    (uint32_t)o->gpus) ||
	    solver_prepare(solver, params, (uint32_t)o->gpus))
		return EXIT_BAD;
	const struct warpreel_block_notes *notes = NULL;
	struct machine *m;
	if (o->blocks)
		m = machine_cuda_new_instrumented((uint32_t)o->gpus, (uint32_t)o->blocks, &notes);
	else
		m = machine_new(o->backend, (uint32_t)o->gpus);
	if (!m)
		return EXIT_BAD;
	const struct solver_request request = { .seed = (uint64_t)o->seed,
						.repeat = o->repeat,
						.warm_up_ms = o->warm_up_ms,
						.verify = true,
						.start = o->grid,
						.result = o->result,
						.picture = o->image };
	struct solver_result *results = xcalloc((size_t)o->repeat, sizeof(*results));
	if (solver_run(solver, params, m, (uint32_t)o->gpus, &request, results) ||
	    (notes && notes->end()))
		goto out;
	struct solve_row row = { .solver = solver,
				 .gpus = (uint32_t)o->gpus,
				 .backend = m->ops->name,
				 .sm_mhz = -1,
				 .memory_mhz = -1 };
	solver->config(params, row.config);
	solve_row_fill(&row, results, o->repeat);
	rc = EXIT_OK;
	if (!strcmp(o->format, "tsv")) {
		solve_row_header(stdout, solver);
		solve_row_print(stdout, &row, solver);
	} else {
		print_text(&row);
	}
	if (solve_row_unconverged(&row, "")) {
		rc = EXIT_NOT_CONVERGED;
	} else if (!isfinite(row.residual)) {
		report("the grid holds values that are not finite: the iteration diverged");
		rc = EXIT_BAD;
	}
out:
	m->ops->free(m);
	free(results);
	return rc;
}

int cmd_solve(const struct program *program, int argc, char **argv)
{
	const struct solver *solver = solvers[0];
	bool named = argc > 1 && argv[1][0] != '-';
	if (named && !(solver = solver_find(argv[1])))
		return EXIT_USAGE;
	char *names = solver_names();
	struct command_help help =
		options_solver_help("solve", named ? solver->name : NULL, solver->name, names,
				    named ? solver->summary : "Runs a solver and times it.");
	struct option_spec *specs =
		options_join(own_options, solver->options, sizeof(struct solve_options));
	struct solve_options *o = xcalloc(1, sizeof(*o) + solver->params_bytes);
	void *params = o + 1;
	int words, rc = options_parse(&help, specs, o, argc, argv, &words);
	if (rc) {
		rc = rc > EXIT_USAGE ? EXIT_OK : rc;
		goto out;
	}
	if (!named || words != 1) {
		rc = options_want_solver("solve", names, words, argv);
		goto out;
	}
	if (o->blocks && strcmp(o->backend, "cuda")) {
		report("--blocks: only kernels on GPUs have blocks (--backend cuda)");
		rc = EXIT_USAGE;
		goto out;
	}
	rc = solve(program, solver, params, o);
out:
	free(o);
	free(specs);
	options_solver_help_release(&help);
	free(names);
	return rc;
}
