/* SPDX-License-Identifier: MIT
 * warpreel platforms: one planned run on several machines, and which part of what they
 * differ by is host, link and device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bound.h"
#include "parts_of_difference.h"
#include "platform_choice.h"
#include "sheet.h"
#include "solver_command.h"
#include "unused_options.h"
#include "traces/base/util.h"

struct compare_options {
	struct predictor_options common;
	struct text_list platforms;
	int gpus;
};

#define AT(field) offsetof(struct compare_options, field)
static const struct option_spec own_options[] = {
	{ "gpus", OPTION_INT, AT(gpus), "1", 1, 64, "G", "GPUs, and host threads" },
	{ "platform", OPTION_LIST, AT(platforms), NULL, 0, 0, "NAME|FILE",
	  "a machine; the first is what others are compared with" },
	{ "set", OPTION_LIST, AT(common.set), NULL, 0, 0, "KEY=VALUE",
	  "change one value of every platform; may be repeated" },
	{ "host", OPTION_TEXT, AT(common.host), NULL, 0, 0, "NAME|FILE",
	  "the host, links and number of GPUs of all of them" },
	{ "no-skip", OPTION_FLAG, AT(common.no_skip), NULL, 0, 0, NULL,
	  "play all iterations of a long run, also where they repeat" },
	{ "allow-extrapolation", OPTION_FLAG, AT(common.allow_extrapolation), NULL, 0, 0, NULL,
	  "answer outside the calibrated range too, and say so" },
	{ "format", OPTION_CHOICE, AT(common.format), "text", 0, 0, "text|tsv", "output" },
	{ 0 },
};

static void add_columns(struct sheet *s)
{
	static const char *const names[] = { "platform",      "core_us",      "core_lo_us",
					     "core_hi_us",    "kernel_model", "marked",
					     "difference_us", "host_us",      "link_us",
					     "device_us",     "bound_by" };
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		sheet_column(s, "%s", names[k]);
}

static void add_row(struct sheet *s, const char *name, const struct machine_answer *a,
		    double first_us, const struct parts_of_difference *d)
{
	sheet_text(s, "%s", name);
	sheet_number(s, a->core_us, 5);
	sheet_number(s, a->core_lo_us, 5);
	sheet_number(s, a->core_hi_us, 5);
	sheet_text(s, "%s", a->kernel_model);
	sheet_text(s, "%s",
		   a->hypothetical   ? "hypothetical"
		   : a->extrapolated ? "extrapolated"
				     : "-");
	sheet_text(s, "%.1f", a->core_us - first_us);
	sheet_text(s, "%.1f", d->us[DIFFERENCE_HOST]);
	sheet_text(s, "%.1f", d->us[DIFFERENCE_LINK]);
	sheet_text(s, "%.1f", d->us[DIFFERENCE_DEVICE]);
	sheet_text(s, "%s %.0f %%", bound_name[a->bound.by], 100 * a->bound.share[a->bound.by]);
}

static int compare(const struct program *program, const struct compare_options *o,
		   struct planned_run *run)
{
	const struct schedule *schedule = &run->schedule;
	struct sheet s;
	struct machine_answer first = { 0 };
	int rc = 0;
	sheet_init(&s, "");
	add_columns(&s);
	for (int k = 0; !rc && k < o->platforms.count; k++) {
		struct machine_answer a;
		struct parts_of_difference d = { 0 };
		struct predictor_options one = o->common;
		one.platform = o->platforms.text[k];
		rc = machine_answer(program, &one, run, &a);
		if (!rc && k)
			rc = parts_of_difference(program, &o->common, run, o->platforms.text[0],
						 o->platforms.text[k], &d);
		if (!rc && !k)
			first = a;
		if (!rc)
			add_row(&s, o->platforms.text[k], &a, first.core_us, &d);
	}
	if (!rc && !strcmp(o->common.format, "tsv")) {
		sheet_write_tsv(&s, stdout);
	} else if (!rc) {
		printf("%s on %u GPU%s: %s\n\n", schedule->solver, schedule->gpu_count,
		       schedule->gpu_count == 1 ? "" : "s", schedule->config);
		sheet_write_text(&s, stdout);
		printf("\nhost, link and device: what each does to the difference from %s, the "
		       "mean over the orders in which parts are exchanged\n",
		       o->platforms.text[0]);
	}
	sheet_release(&s);
	return rc;
}

static int plan_and_compare(const struct program *program, const char *solver, void *params,
			    size_t params_bytes, const struct compare_options *o)
{
	struct planned_run run;
	char *config = unused_config(program, solver, params, params_bytes, (uint32_t)o->gpus);
	if (!config)
		return -1;
	int rc = planned_run_make(&run, program, solver, config, (uint32_t)o->gpus,
				  o->common.no_skip) ||
				 compare(program, o, &run)
			 ? -1
			 : 0;
	planned_run_release(&run);
	free(config);
	return rc;
}

int cmd_platforms(const struct program *program, int argc, char **argv)
{
	struct solver_command c;
	if (solver_command_begin(&c, program, "platforms",
				 "One run on several machines: which part of the difference is "
				 "host, link, device.",
				 own_options, sizeof(struct compare_options), argc, argv))
		return EXIT_USAGE;
	struct compare_options *o = c.options;
	int words, parsed = options_parse(&c.help, c.specs, o, argc, argv, &words),
		   rc = solver_command_ends(&c, "platforms", parsed, words, argv);
	if (rc < 0 && o->platforms.count < 2) {
		report("name at least two machines: --platform A --platform B");
		rc = EXIT_USAGE;
	} else if (rc < 0) {
		rc = plan_and_compare(program, c.solver, c.params, c.params_bytes, o) ? EXIT_BAD
										      : EXIT_OK;
	}
	solver_command_release(&c);
	return rc;
}
