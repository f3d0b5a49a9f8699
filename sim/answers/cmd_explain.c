/* SPDX-License-Identifier: MIT
 * warpreel explain: what bounds the kernels of a solver's steady state, or of a recorded program,
 * and what lifting each bound would buy.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"
#include "sim/gpu/ideal.h"
#include "own_platform.h"
#include "predict.h"
#include "replayed.h"
#include "unused_options.h"

struct explain_options {
	struct predictor_options common;
	bool blocks, no_bounds;
};

/* Of what predict takes, all that the model `warps` looks at: another model bounds nothing, and a
 * steady state is no run to draw. */
#define AT(field) offsetof(struct explain_options, field)
static const struct option_spec own_options[] = {
	{ "blocks", OPTION_FLAG, AT(blocks), NULL, 0, 0, NULL,
	  "the blocks of one multiprocessor instead: when each began and ended" },
	{ "no-bounds", OPTION_FLAG, AT(no_bounds), NULL, 0, 0, NULL,
	  "leave out what lifting each bound would buy, which takes most of the time" },
	{ "kernel-profiles", OPTION_TEXT, AT(common.kernel_profiles), NULL, 0, 0, "TRACE",
	  "kernel profiles (default: the platform's)" },
	PREDICTOR_IDEAL_OPTION(AT(common.ideal)),
	{ "strict", OPTION_FLAG, AT(common.strict), NULL, 0, 0, NULL,
	  "refuse instructions the decoder does not know" },
	{ "allow-extrapolation", OPTION_FLAG, AT(common.allow_extrapolation), NULL, 0, 0, NULL,
	  "answer outside the calibrated range too, and say so" },
	{ "format", OPTION_CHOICE, AT(common.format), "text", 0, 0, "text|tsv", "output" },
	{ 0 },
};

/* Where counts come from that nobody counted. */
static void print_bases(const struct profile_derived *d)
{
	const char *before = "  counts       ";
	for (int k = 0; k < d->base_count; k++) {
		const struct launch_geometry *g = &d->base[k]->geometry;
		if (fabs(d->weight[k]) < 1e-9)
			continue;
		printf("%s %.3g of block %ux%ux%u", before, d->weight[k], g->block[0], g->block[1],
		       g->block[2]);
		if (g->steps > 0)
			printf(" with %d steps", g->steps);
		before = ",";
	}
	if (d->doubt)
		printf("; in doubt: %s", d->doubt);
	putchar('\n');
}

static void print_head(const struct schedule *schedule, const struct schedule_shape *s,
		       const struct warps_answer *a, const struct platform *p)
{
	const struct grid_answer *g = &a->grid;
	printf("%s  grid %ux%ux%u  block %ux%ux%u", schedule->kernel[s->kernel], s->grid[0],
	       s->grid[1], s->grid[2], s->block[0], s->block[1], s->block[2]);
	if (s->path > 0)
		printf("  path %d", s->path);
	printf(s->steps > 0 ? "  steps %d\n" : "\n", s->steps);
	printf("  duration      %.3f us on '%s'%s\n", g->duration_ns * 1e-3, p->name,
	       a->classes ? ", by instruction classes: the profile is of another instruction set"
			  : "");
	if (a->derived)
		print_bases(a->derived);
	printf("  occupancy     %d blocks, %d warps an SM (limit: %s); %.2f blocks an SM, %.2f "
	       "waves\n",
	       g->resident, g->resident * (int)((a->program.block_threads + 31) / 32), g->limit,
	       g->blocks_a_sm, g->waves);
	printf("  a warp        %.0f instructions, %.0f B read from and %.0f B written to L2\n",
	       a->program.instructions, a->program.l2_read_bytes * a->launch.traffic.l1_scale,
	       a->program.l2_write_bytes);
	printf("  memory        %.2f MB read from L2, %.0f %% of it from DRAM; %.2f MB written, "
	       "%.0f %% of it to DRAM%s\n",
	       a->launch.traffic.l2_read_bytes * 1e-6, 100 * a->launch.traffic.l2_miss_share,
	       a->launch.traffic.l2_write_bytes * 1e-6, 100 * a->launch.traffic.dram_write_share,
	       a->launch.traffic.unknown > 0 ? ", which nobody counted: L2 is taken to hold all"
					     : "");
	const char *before = "  warps' time   ";
	for (int k = 0; k < STALL_REASON_COUNT; k++) {
		if (g->stalled[k] < 0.005)
			continue;
		printf("%s%s %.0f %%", before, stall_reason_name[k], 100 * g->stalled[k]);
		before = ", ";
	}
	putchar('\n');
}

/* Of a solver's run; a program of others has none. */
static const char *config_text(const struct schedule *schedule)
{
	return schedule->config ? schedule->config : "-";
}

static void print_row(const struct schedule *schedule, const struct schedule_shape *s,
		      const char *part, double ns, double base_ns, bool tsv, const char *summary)
{
	if (tsv)
		printf("%s\t%s\t%ux%ux%u\t%ux%ux%u\t%d\tideal\t%s\t%.4f\t%.2f\n",
		       config_text(schedule), schedule->kernel[s->kernel], s->grid[0], s->grid[1],
		       s->grid[2], s->block[0], s->block[1], s->block[2], s->path, part, ns * 1e-3,
		       100 * (1 - ns / base_ns));
	else
		printf("  ideal %-13s %10.3f us  %5.1f %%   %s\n", part, ns * 1e-3,
		       fabs(ns / base_ns - 1) < 5e-4 ? 0.0 : 100 * (ns / base_ns - 1), summary);
}

/* Launches that differ in nothing that is printed are printed once: red and black, to and fro. */
struct shown {
	const struct schedule_shape **shape;
	double *ns;
	size_t count;
};

static bool was_shown(struct shown *shown, const struct schedule_shape *s, double ns)
{
	for (size_t i = 0; i < shown->count; i++) {
		const struct schedule_shape *t = shown->shape[i];

		if (s->kernel == t->kernel && !memcmp(s->grid, t->grid, sizeof(s->grid)) &&
		    !memcmp(s->block, t->block, sizeof(s->block)) && s->path == t->path &&
		    s->steps == t->steps && fabs(ns - shown->ns[i]) <= 1e-9 * ns)
			return true;
	}
	shown->shape[shown->count] = s;
	shown->ns[shown->count++] = ns;
	return false;
}

/* Blocks of the representative multiprocessor as far as they were played, in ns from the kernel's
 * begin. */
static int explain_blocks(struct predictor *p, const struct schedule *schedule,
			  const struct schedule_shape *s, bool tsv, struct shown *shown)
{
	struct warps_answer a;
	if (warps_explain(p->warps, schedule, s, NULL, &a))
		return -1;
	if (was_shown(shown, s, a.grid.duration_ns)) {
		grid_answer_release(&a.grid);
		return 0;
	}
	const struct sm_run *run = &a.grid.run;
	double ns = 1e3 / p->platform.sm.clock_mhz;
	if (!tsv)
		print_head(schedule, s, &a, &p->platform);
	for (int64_t k = 0; k < run->block_count; k++)
		printf(tsv ? "%s\t%d\t%.1f\t%.1f\n" : "  %-20s slot %3d  %12.1f to %12.1f ns\n",
		       schedule->kernel[s->kernel], run->block[k].slot, run->block[k].begin * ns,
		       run->block[k].end * ns);
	grid_answer_release(&a.grid);
	return 0;
}

static int explain_shape(struct predictor *p, const struct schedule *schedule,
			 const struct schedule_shape *s, bool tsv, bool bounds, struct shown *shown)
{
	struct warps_answer a, lifted;
	if (warps_explain(p->warps, schedule, s, NULL, &a))
		return -1;
	if (was_shown(shown, s, a.grid.duration_ns)) {
		grid_answer_release(&a.grid);
		return 0;
	}
	double base_ns = a.grid.duration_ns;
	if (!tsv)
		print_head(schedule, s, &a, &p->platform);
	for (int k = 0; tsv && k < STALL_REASON_COUNT; k++)
		printf("%s\t%s\t%ux%ux%u\t%ux%ux%u\t%d\tstall\t%s\t%.4f\t%.2f\n",
		       config_text(schedule), schedule->kernel[s->kernel], s->grid[0], s->grid[1],
		       s->grid[2], s->block[0], s->block[1], s->block[2], s->path,
		       stall_reason_name[k], base_ns * 1e-3 * a.grid.stalled[k],
		       100 * a.grid.stalled[k]);
	grid_answer_release(&a.grid);
	print_row(schedule, s, "nothing", base_ns, base_ns, tsv, "the device as it is");
	for (const struct ideal_part *part = ideal_parts; bounds && part->name; part++) {
		struct sm_device device = p->platform.sm; /* lists stay the platform's */
		part->lift(&device);
		if (warps_explain(p->warps, schedule, s, &device, &lifted))
			return -1;
		print_row(schedule, s, part->name, lifted.grid.duration_ns, base_ns, tsv,
			  part->summary);
		grid_answer_release(&lifted.grid);
	}
	return 0;
}

/* Launches of kernels that have no profile are said, once a kernel, and left out; *left_out counts
 * them. */
static bool is_left_out(const struct predictor *p, const struct schedule *schedule, uint32_t shape,
			uint32_t *left_out)
{
	const uint32_t kernel = schedule->shape[shape].kernel;
	if (warps_profile(p->warps, schedule->kernel[kernel]))
		return false;
	bool first = true;
	for (uint32_t k = 0; first && k < shape; k++)
		first = schedule->shape[k].kernel != kernel;
	if (first)
		report_warning("kernel '%s' has no profile: left out", schedule->kernel[kernel]);
	++*left_out;
	return true;
}

/* All launches of a schedule; with `some`, those whose kernels have a profile. */
static int explain_schedule(struct predictor *p, const struct schedule *schedule,
			    const struct explain_options *options, bool some)
{
	const bool tsv = !strcmp(options->common.format, "tsv");
	uint32_t left_out = 0;
	int rc = 0;
	p->warps = warps_new(&p->platform, &p->warps_options);
	if (!p->warps)
		return -1;
	warps_schedule(p->warps);
	if (tsv)
		puts(options->blocks ? "kernel\tslot\tbegin_ns\tend_ns"
				     : "config\tkernel\tgrid\tblock\tpath\twhat\tpart\tus\t"
				       "percent");
	struct shown shown = {
		.shape = xcalloc(schedule->shape_count + 1, sizeof(*shown.shape)),
		.ns = xcalloc(schedule->shape_count + 1, sizeof(*shown.ns)),
	};
	for (uint32_t k = 0; !rc && k < schedule->shape_count; k++) {
		if (schedule->shape[k].meets)
			continue;
		if (some && is_left_out(p, schedule, k, &left_out))
			continue;
		rc = options->blocks ? explain_blocks(p, schedule, &schedule->shape[k], tsv, &shown)
				     : explain_shape(p, schedule, &schedule->shape[k], tsv,
						     !options->no_bounds, &shown);
	}
	if (!rc && schedule->shape_count && left_out == schedule->shape_count)
		rc = report(
			"no kernel of the trace has a profile: count them with warpreel profile "
			"-o FILE -- PROGRAM and name them with --kernel-profiles FILE");
	free(shown.shape);
	free(shown.ns);
	return rc;
}

static int explain(const struct program *program, const char *solver, void *params,
		   size_t params_bytes, const struct explain_options *options)
{
	struct schedule schedule;
	struct predictor predictor;
	char *config = unused_config(program, solver, params, params_bytes, 1);
	if (!config)
		return -1;
	schedule_init(&schedule);
	int rc = program->plan_steady(solver, config, &schedule);
	if (!rc && !(rc = predictor_init(&predictor, program, &options->common, false))) {
		rc = explain_schedule(&predictor, &schedule, options, false);
		predictor_release(&predictor);
	}
	schedule_release(&schedule);
	free(config);
	return rc;
}

static int explain_trace(const struct program *program, const char *path,
			 const struct explain_options *options)
{
	struct replay_options asked = { .common = options->common, .run = -1 };
	struct replayed r;
	if (replayed_open(&r, program, path, &asked, "warps"))
		return -1;
	const int rc = r.run.schedule.shape_count
			       ? explain_schedule(&r.predictor, &r.run.schedule, options, true)
			       : report("'%s' has no kernels", path);
	replayed_release(&r);
	return rc;
}

static int cmd_explain_trace(const struct program *program, int argc, char **argv)
{
	const struct command_help help = {
		"explain", "explain TRACE [options]",
		"What bounds the kernels of a recorded program, and what "
		"lifting each bound would buy."
	};
	struct option_spec *specs = options_join(own_options, predictor_own_platform_options, 0);
	struct explain_options o = { 0 };
	int rc = options_parse_one(&help, specs, &o, argc, argv, "trace");
	if (rc < 0) {
		char *platform = own_platform(o.common.platform);
		o.common.platform = platform;
		rc = explain_trace(program, argv[1], &o) ? EXIT_BAD : EXIT_OK;
		free(platform);
	}
	free(specs);
	return rc;
}

int cmd_explain(const struct program *program, int argc, char **argv)
{
	const bool named = argc > 1 && argv[1][0] != '-';
	/* No solver has such a name. */
	if (named && strpbrk(argv[1], "./"))
		return cmd_explain_trace(program, argc, argv);
	const char *solver = named ? argv[1] : "rbsor";
	size_t params_bytes;
	const struct option_spec *solver_specs = program->solver_options(solver, &params_bytes);
	if (!solver_specs)
		return EXIT_USAGE;
	char *names = program->solver_names();
	struct command_help help = options_solver_help(
		"explain", named ? solver : NULL, solver, names,
		"What bounds a solver's kernels on one GPU, and what lifting each bound would buy. "
		"A TRACE instead of SOLVER: the kernels of a recorded program.");
	struct option_spec *own = options_join(own_options, predictor_own_platform_options, 0);
	struct option_spec *specs = options_join(own, solver_specs, sizeof(struct explain_options));
	struct explain_options *o = xcalloc(1, sizeof(*o) + params_bytes);
	int words, rc = options_parse(&help, specs, o, argc, argv, &words);
	if (rc) {
		rc = rc > EXIT_USAGE ? EXIT_OK : rc;
	} else if (words != 1) {
		rc = options_want_solver("explain", names, words, argv);
	} else {
		char *platform = own_platform(o->common.platform);
		o->common.platform = platform;
		rc = explain(program, solver, o + 1, params_bytes, o) ? EXIT_BAD : EXIT_OK;
		free(platform);
	}
	free(o);
	free(specs);
	free(own);
	options_solver_help_release(&help);
	free(names);
	return rc;
}
