/* SPDX-License-Identifier: MIT
 * warpreel batch: a list of configurations (config_list.h) in one process, so that contexts are
 * made once.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/config_list.h"
#include "traces/base/lines.h"
#include "traces/base/options.h"
#include "traces/base/output.h"
#include "traces/base/util.h"
#include "traces/program/program.h"
#include "row_file.h"
#include "solve_row.h"

struct batch_options {
	const char *output, *runs, *visit, *backend;
	int repeat, seed, warm_up_ms, time_limit_s, gpus;
	bool no_verify;
	int iterations;
};

#define AT(field) offsetof(struct batch_options, field)
static const struct option_spec options[] = {
	{ "o", OPTION_TEXT, AT(output), NULL, 0, 0, "FILE",
	  "write the rows there instead of standard output" },
	{ "runs", OPTION_TEXT, AT(runs), NULL, 0, 0, "FILE",
	  "write every timed run there, a row each (default: none)" },
	{ "backend", OPTION_CHOICE, AT(backend), "cuda", 0, 0, MACHINE_BACKENDS,
	  "GPUs, or host threads doing the same" },
	{ "gpus", OPTION_INT, AT(gpus), "0", 0, 64, "G",
	  "GPUs to open, lines that want more are not run; 0 all there are, at most 8" },
	{ "repeat", OPTION_INT, AT(repeat), "10", 1, 100000, "R",
	  "timed runs of each configuration" },
	{ "seed", OPTION_INT, AT(seed), "1", 0, 2147483647, "S", "of the start values" },
	{ "visit", OPTION_WORD, AT(visit), "-", 0, 0, "NAME",
	  "which visit to a machine this is, for the column of that name" },
	{ "warm-up-ms", OPTION_INT, AT(warm_up_ms), "30", -1, 60000, "MS",
	  "short untimed runs before each configuration; -1 none" },
	{ "iterations", OPTION_INT, AT(iterations), "0", 0, 1 << 30, "I",
	  "of every configuration, whatever the list says; 0 as the list says" },
	{ "time-limit-s", OPTION_INT, AT(time_limit_s), "0", 0, 1000000, "S",
	  "start no further configuration after this long; 0 no limit" },
	{ "no-verify", OPTION_FLAG, AT(no_verify), NULL, 0, 0, NULL,
	  "leave out checksum and residual, and files that lines ask for" },
	{ 0 },
};

/* Current clocks of GPU 0, from the facts the CUDA library gives; -1 where unknown. */
static void read_clocks(const struct batch_options *o, struct solve_row *row)
{
	row->sm_mhz = row->memory_mhz = -1;
	const struct warpreel_cuda *cuda = strcmp(o->backend, "cuda") ? NULL : warpreel_cuda_load();
	char *facts = cuda ? cuda->describe(0) : NULL;
	const char *sm = facts ? strstr(facts, "sm_mhz = ") : NULL,
		   *memory = facts ? strstr(facts, "memory_mhz = ") : NULL;
	if (sm)
		row->sm_mhz = atof(sm + strlen("sm_mhz = "));
	if (memory)
		row->memory_mhz = atof(memory + strlen("memory_mhz = "));
	free(facts);
}

/* Returns how many lines could not be run or did not converge, or -1 when the list cannot be read.
 */
static int run_list(const struct batch_options *o, struct lines *list, FILE *out, FILE *runs,
		    struct machine *m)
{
	const char *file = list->path;
	int more = 0, not_run = 0;
	uint32_t open;
	if (m->ops->gpu_count(m, &open))
		return -1;
	int64_t started = monotonic_ns();
	struct progress progress;
	const struct solver_request request = { .seed = (uint64_t)o->seed,
						.repeat = o->repeat,
						.warm_up_ms = o->warm_up_ms,
						.verify = !o->no_verify };
	progress_begin(&progress, "batch line");
	solve_row_header(out, NULL);
	if (runs)
		solve_runs_header(runs);
	while (!ferror(out) && (more = lines_next(list)) > 0) {
		const int number = list->number;
		struct config_line at;
		int kind = config_line_parse(&at, list->text, file, number);
		if (kind == 0)
			continue;
		if (kind < 0) {
			not_run++;
			continue;
		}
		if (o->time_limit_s &&
		    monotonic_ns() - started > (int64_t)o->time_limit_s * 1000000000) {
			report_warning("%s:%d: time limit reached; this and the following lines "
				       "were not run",
				       file, number);
			break;
		}
		if (at.gpus > open) {
			report_warning("%s:%d: not run: wants %u GPUs, %u are open (--gpus)", file,
				       number, at.gpus, open);
			not_run++;
			continue;
		}
		struct solve_row row = { .visit = o->visit };
		const struct solver *solver = solver_find(at.solver);
		/* One bad configuration (too large for memory, say) must not cost the others. */
		char *changed = o->iterations
					? xprintf("%s iterations=%d", at.config, o->iterations)
					: xstrdup(at.config);
		if (!solver || solve_config(solver, changed, m, at.gpus, &request, &row, runs)) {
			report_warning("%s:%d: not run: %s", file, number,
				       solver ? at.config : at.solver);
			not_run++;
		} else {
			read_clocks(o, &row);
			solve_row_print(out, &row, NULL);
			char *where = xprintf("%s:%d: ", file, number);
			not_run += solve_row_unconverged(&row, where);
			free(where);
			fflush(out);
		}
		free(changed);
		m->ops->reset(m);
		progress_at(&progress, number, 0);
	}
	progress_end(&progress);
	return more < 0 ? -1 : not_run;
}

int cmd_batch(const struct program *program, int argc, char **argv)
{
	(void)program;
	const struct command_help help = {
		"batch", "batch LIST [options]",
		"Runs a list of configurations in one process and prints a row each."
	};
	struct batch_options o = { 0 };
	int words, rc = options_parse(&help, options, &o, argc, argv, &words);
	if (rc)
		return rc > EXIT_USAGE ? EXIT_OK : rc;
	if (words != 1) {
		report("name one list file");
		return EXIT_USAGE;
	}
	if ((o.output && (output_differs(o.output, argv[1]) || output_check(o.output))) ||
	    (o.runs && (output_differs(o.runs, argv[1]) || output_check(o.runs))) ||
	    outputs_differ(o.output, o.runs))
		return EXIT_BAD;
	struct lines list;
	if (lines_open(&list, argv[1]))
		return EXIT_BAD;
	int not_run = 0;
	struct row_file rows = { .file = stdout }, runs = { 0 };
	struct machine *m = machine_new(o.backend, (uint32_t)o.gpus);
	rc = m ? 0 : -1;
	if (!rc && ((o.output && row_file_begin(&rows, o.output)) ||
		    (o.runs && row_file_begin(&runs, o.runs))))
		rc = -1;
	if (!rc) {
		not_run = run_list(&o, &list, rows.file, runs.file, m);
		rc = not_run < 0 ? -1 : 0;
	}
	const int without = rc ? rc : not_run;
	if (row_file_end(&rows, without) | row_file_end(&runs, without))
		rc = -1;
	if (m)
		m->ops->free(m);
	lines_close(&list);
	return rc || not_run ? EXIT_BAD : EXIT_OK;
}
