/* SPDX-License-Identifier: MIT
 * warpreel time: how long a solver's kernels take by themselves, on one GPU, untraced and without
 * the host. Lines of a list (config_list.h) name one GPU.
 */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "traces/base/config_list.h"
#include "traces/base/lines.h"
#include "traces/base/options.h"
#include "traces/program/program.h"
#include "traces/base/output.h"
#include "traces/base/util.h"
#include "kernels/kit/solver.h"
#include "kernels/machine/machine_timing.h"
#include "row_file.h"
#include "time_pairs.h"

struct time_options {
	const char *list, *output;
	struct time_pairs
		pairs; /* backend, visit, repeats and warm-up are those of single kernels as well */
};

#define AT(field) offsetof(struct time_options, field)
static const struct option_spec own_options[] = {
	{ "list", OPTION_TEXT, AT(list), NULL, 0, 0, "FILE",
	  "time the configurations of a list instead of one" },
	{ "o", OPTION_TEXT, AT(output), NULL, 0, 0, "FILE",
	  "write the rows there instead of standard output" },
	{ "pairs", OPTION_TEXT, AT(pairs.list), NULL, 0, 0, "FILE",
	  "time the pairs of a list, alone and at once: NAME: SIDE | SIDE" },
	{ "pair", OPTION_TEXT, AT(pairs.pair), NULL, 0, 0, "SIDE",
	  "time one pair: 'SOLVER KEY=VALUE...'" },
	{ "with", OPTION_TEXT, AT(pairs.with), NULL, 0, 0, "SIDE",
	  "its other side: the same, or 'copy=d2d|h2d|d2h BYTES'" },
	{ "backend", OPTION_CHOICE, AT(pairs.backend), "cuda", 0, 0, MACHINE_BACKENDS,
	  "a GPU, or host code doing the same" },
	{ "repeat", OPTION_INT, AT(pairs.repeat), "10", 1, 100000, "R",
	  "times are medians of so many" },
	{ "warm-up-ms", OPTION_INT, AT(pairs.warm_up_ms), "3", 0, 60000, "MS",
	  "replays before each configuration; the first of a process has 100 times as much" },
	{ "visit", OPTION_WORD, AT(pairs.visit), "-", 0, 0, "NAME",
	  "which visit to a machine this is, for the column of that name" },
	{ 0 },
};

struct timer {
	const struct time_options *o;
	struct machine *m;
	FILE *out;
	bool warm; /* the clocks are up */
};

/* Steady state of one solver on one machine. */
struct timed {
	struct solver_steady steady;
	struct machine_timing timing;
};

static int time_body(struct machine_thread *t, void *arg)
{
	struct timed *timed = arg;
	return t->machine->timing->launches(t, timed->steady.stream, solver_steady_iterate,
					    &timed->steady, &timed->timing);
}

static int run_timed(struct timed *timed, const struct solver *solver, const void *params,
		     struct machine *m)
{
	struct machine_thread thread;
	if (solver_steady_begin(&timed->steady, solver, params, m))
		return -1;
	int rc = m->ops->run(m, 1, time_body, timed, &thread);
	solver_steady_end(&timed->steady);
	return rc;
}

/* One column over all distinct kernels, comma-separated. */
static void print_shapes(FILE *out, const struct schedule *s,
			 void (*print)(FILE *, const struct schedule *,
				       const struct schedule_shape *))
{
	char *seen = NULL, *text = NULL;
	size_t length;
	for (uint32_t k = 0; k < s->shape_count; k++) {
		FILE *one = open_memstream(&text, &length);
		print(one, s, &s->shape[k]);
		fclose(one);
		/* red and black sweeps of one grid are two shapes that look alike */
		char *word = xprintf(" %s ", text);
		if (!seen || !strstr(seen, word)) {
			fprintf(out, "%s%s", seen ? "," : "", text);
			char *more = xprintf("%s%s", seen ? seen : "", word);
			free(seen);
			seen = more;
		}
		free(word);
		free(text);
	}
	free(seen);
	fputc('\t', out);
}

static void print_kernel(FILE *out, const struct schedule *s, const struct schedule_shape *shape)
{
	fputs(s->kernel[shape->kernel], out);
}

static void print_path(FILE *out, const struct schedule *s, const struct schedule_shape *shape)
{
	(void)s;
	fprintf(out, "%d", shape->path);
}

static void print_grid(FILE *out, const struct schedule *s, const struct schedule_shape *shape)
{
	(void)s;
	fprintf(out, "%ux%ux%u", shape->grid[0], shape->grid[1], shape->grid[2]);
}

static void print_block(FILE *out, const struct schedule *s, const struct schedule_shape *shape)
{
	(void)s;
	fprintf(out, "%ux%ux%u", shape->block[0], shape->block[1], shape->block[2]);
}

static void print_header(FILE *out)
{
	fprintf(out, "solver\tconfig\tkernel\tpath\tgrid\tblock\tlaunches\tmedian_ns\tmad_ns\tmin_"
		     "ns\tmax_ns\trepeats\tsm_mhz\tvisit\tdate\tbackend\n");
}

double time_sm_mhz(const char *backend)
{
	const struct warpreel_cuda *cuda = strcmp(backend, "cuda") ? NULL : warpreel_cuda_load();
	char *facts = cuda ? cuda->describe(0) : NULL;
	const char *sm = facts ? strstr(facts, "\nsm_mhz = ") : NULL;
	double mhz = sm ? atof(sm + strlen("\nsm_mhz = ")) : -1;
	free(facts);
	return mhz;
}

/* Params are prepared. */
static int time_one(struct timer *timer, const struct solver *solver, const void *params)
{
	const struct time_options *o = timer->o;
	struct schedule plan;
	struct timed planned = { 0 }, measured = { 0 };
	char config[CONFIG_BYTES], date[32];
	time_t now = time(NULL);
	struct tm utc;
	int rc = -1;
	solver->config(params, config);
	schedule_init(&plan);
	struct machine *paper = machine_plan_new(1, &plan);
	measured.timing =
		(struct machine_timing){ .repeats = o->pairs.repeat,
					 .warm_up_ms = timer->warm ? o->pairs.warm_up_ms
								   : 100 * o->pairs.warm_up_ms };
	if (!run_timed(&planned, solver, params, paper) &&
	    !run_timed(&measured, solver, params, timer->m)) {
		const struct machine_timing *t = &measured.timing;
		timer->warm = true;
		gmtime_r(&now, &utc);
		strftime(date, sizeof(date), "%Y-%m-%d", &utc);
		fprintf(timer->out, "%s\t%s\t", solver->name, config);
		print_shapes(timer->out, &plan, print_kernel);
		print_shapes(timer->out, &plan, print_path);
		print_shapes(timer->out, &plan, print_grid);
		print_shapes(timer->out, &plan, print_block);
		fprintf(timer->out, "%lld\t%.1f\t%.1f\t%.1f\t%.1f\t%d\t%.0f\t%s\t%s\t%s\n",
			(long long)t->launches, t->median_ns, t->mad_ns, t->min_ns, t->max_ns,
			t->repeats, time_sm_mhz(o->pairs.backend), o->pairs.visit, date,
			timer->m->ops->name);
		fflush(timer->out);
		rc = 0;
	}
	paper->ops->free(paper);
	schedule_release(&plan);
	timer->m->ops->reset(timer->m);
	return rc;
}

/* Returns 1 when the line holds a configuration that can be timed, 0 when blank, -1 after a
 * message. */
static int parse_line(char *line, const char *file, int number, const struct solver **solver,
		      struct config_line *at)
{
	int kind = config_line_parse(at, line, file, number);
	if (kind <= 0)
		return kind;
	if (at->gpus != 1)
		return report("%s:%d: kernels are timed on one GPU, not %u", file, number,
			      at->gpus);
	*solver = solver_find(at->solver);
	return *solver ? 1 : report("%s:%d: no such solver", file, number);
}

/* Returns how many lines could not be timed. */
static int time_list(struct timer *timer, struct lines *list)
{
	int more, bad = 0;
	struct progress progress;
	progress_begin(&progress, "time: line");
	while ((more = lines_next(list)) > 0) {
		const struct solver *solver = NULL;
		struct config_line at;
		int kind = parse_line(list->text, list->path, list->number, &solver, &at);
		if (kind > 0) {
			void *params = solver_params(solver, at.config, 1);
			if (!params || time_one(timer, solver, params)) {
				report_warning("%s:%d: not timed: %s", list->path, list->number,
					       at.config);
				kind = -1;
			}
			free(params);
		}
		bad += kind < 0;
		progress_at(&progress, list->number, 0);
	}
	progress_end(&progress);
	return bad + (more < 0);
}

/* Output and machine around one configuration or a list; returns the exit code. */
static int time_all(const struct time_options *o, const struct solver *solver, const void *params)
{
	struct timer timer = { .o = o, .out = stdout };
	struct row_file rows = { 0 };
	struct lines list = { 0 };
	int rc = 0, bad = 0;
	if (o->list && lines_open(&list, o->list))
		return EXIT_BAD;
	if (o->output &&
	    (output_differs(o->output, o->list) || output_differs(o->output, o->pairs.list))) {
		lines_close(&list);
		return EXIT_BAD;
	}
	timer.m = machine_new(o->pairs.backend, 1);
	if (!timer.m)
		rc = -1;
	if (!rc && o->output) {
		rc = row_file_begin(&rows, o->output);
		timer.out = rows.file;
	}
	if (!rc) {
		bool pairs = o->pairs.list || o->pairs.pair;
		if (!pairs)
			print_header(timer.out);
		bad = pairs				 ? time_pairs(&o->pairs, timer.m, timer.out)
		      : o->list				 ? time_list(&timer, &list)
		      : time_one(&timer, solver, params) ? 1
							 : 0;
	}
	if (row_file_end(&rows, rc ? rc : bad))
		rc = -1;
	if (timer.m)
		timer.m->ops->free(timer.m);
	lines_close(&list);
	return rc || bad ? EXIT_BAD : EXIT_OK;
}

int cmd_time(const struct program *program, int argc, char **argv)
{
	(void)program;
	const struct solver *solver = solvers[0];
	bool named = argc > 1 && argv[1][0] != '-';
	if (named && !(solver = solver_find(argv[1])))
		return EXIT_USAGE;
	char *synopsis = xprintf("time %s [options] | --list FILE | --pairs FILE [-o FILE]",
				 named ? solver->name : "SOLVER");
	const struct command_help help = { "time", synopsis,
					   "Times the launches of one steady iteration on one GPU, "
					   "without the host, and prints a row each." };
	static const struct option_spec none[] = { { 0 } };
	/* A solver's own options only beside its name: a list has them in its lines. */
	struct option_spec *specs = options_join(own_options, named ? solver->options : none,
						 sizeof(struct time_options));
	struct time_options *o = xcalloc(1, sizeof(*o) + solver->params_bytes);
	int words, rc = options_parse(&help, specs, o, argc, argv, &words);
	if (rc) {
		rc = rc > EXIT_USAGE ? EXIT_OK : rc;
	} else if (words != named || named + !!o->list + !!o->pairs.list + !!o->pairs.pair != 1 ||
		   !o->pairs.pair != !o->pairs.with) {
		report("name either a solver or a list: warpreel time micro [options], or warpreel "
		       "time --list FILE; or a pair: --pair SIDE --with SIDE, "
		       "or --pairs FILE");
		rc = EXIT_USAGE;
	} else if (named && solver_prepare(solver, o + 1, 1)) {
		rc = EXIT_BAD;
	} else {
		rc = time_all(o, solver, o + 1);
	}
	free(o);
	free(specs);
	free(synopsis);
	return rc;
}
