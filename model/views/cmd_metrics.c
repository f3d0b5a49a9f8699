/* SPDX-License-Identifier: MIT
 * warpreel metrics: Efficiency and Utilization of profiled kernels.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/options.h"
#include "traces/program/program.h"
#include "traces/profiles/kernel_names.h"
#include "traces/base/text_show.h"
#include "traces/base/util.h"
#include "model/device/kernel_metrics.h"
#include "model/platform/sm_platform.h"

struct metrics_options {
	const char *platform, *kernel, *format;
	struct text_list set, profile;
};

#define AT(field) offsetof(struct metrics_options, field)
static const struct option_spec options[] = {
	{ "profile", OPTION_LIST, AT(profile), NULL, 0, 0, "FILE",
	  "a trace with kernel profiles; may be repeated" },
	{ "kernel", OPTION_TEXT, AT(kernel), NULL, 0, 0, "NAME", "only this kernel" },
	{ "platform", OPTION_TEXT, AT(platform), NULL, 0, 0, "PLATFORM",
	  "the device, for Utilization: a platform with a section [sm]" },
	{ "set", OPTION_LIST, AT(set), NULL, 0, 0, "KEY=VALUE",
	  "change one value of the platform; may be repeated" },
	{ "format", OPTION_CHOICE, AT(format), "text", 0, 0, "text|tsv", "output" },
	{ 0 },
};
static const struct command_help help = {
	"metrics", "metrics --profile FILE [options]",
	"Efficiency and Utilization of profiled kernels, from how often their instructions ran."
};

static void print_header(bool tsv)
{
	if (tsv)
		printf("kernel\tgrid\tblock\tpath\tthreads\tinstructions\tregions\twarps_per_"
		       "block\tblocks_per_sm\tefficiency\tutilization\n");
	else
		printf("%-24s %-30s %12s %8s %7s %9s %11s %11s\n", "kernel", "grid of block",
		       "instructions", "regions", "W_TB", "B_SM", "efficiency", "utilization");
}

static void print_row(const struct kernel_profile *p, const struct kernel_metrics *m, bool tsv)
{
	const struct launch_geometry *g = &p->geometry;
	char *grid =
		xprintf("%" PRIu32 "x%" PRIu32 "x%" PRIu32, g->grid[0], g->grid[1], g->grid[2]);
	char *block =
		xprintf("%" PRIu32 "x%" PRIu32 "x%" PRIu32, g->block[0], g->block[1], g->block[2]);
	char *kernel = text_shown(p->kernel);

	if (tsv) {
		printf("%s\t%s\t%s\t%" PRId32 "\t%.0f\t%.6g\t%.6g\t%d\t%d\t%.6g\t%.6g\n", kernel,
		       grid, block, g->path, m->threads, m->instructions, m->regions,
		       m->warps_per_block, m->blocks_per_sm, m->efficiency, m->utilization);
	} else {
		char *shape = xprintf("%s of %s", grid, block);

		printf("%-24s %-30s %12.2f %8.2f %7d ", kernel, shape, m->instructions, m->regions,
		       m->warps_per_block);
		if (isnan(m->utilization))
			printf("%9s %11.4g %11s\n", "-", m->efficiency, "-");
		else
			printf("%9d %11.4g %11.4g\n", m->blocks_per_sm, m->efficiency,
			       m->utilization);
		free(shape);
	}
	free(kernel);
	free(grid);
	free(block);
}

static int answer(const struct kernel_profiles *all, const char *kernel,
		  const struct platform *platform, bool tsv)
{
	bool found = false;

	for (size_t i = 0; i < all->count; i++) {
		struct kernel_metrics m;

		if (kernel && !kernel_is_called(&all->profile[i], kernel))
			continue;
		if (kernel_metrics(&m, &all->profile[i], platform ? &platform->sm : NULL,
				   platform ? platform->sm_count : 0) < 0)
			return -1;
		if (!found)
			print_header(tsv);
		found = true;
		print_row(&all->profile[i], &m, tsv);
	}
	return found ? 0 : kernel_is_unknown(all, all->source, kernel);
}

int cmd_metrics(const struct program *program, int argc, char **argv)
{
	struct metrics_options o = { 0 };
	struct platform platform = { 0 };
	struct kernel_profiles all;
	int words, rc = options_parse(&help, options, &o, argc, argv, &words);

	(void)program;
	if (rc)
		return rc > EXIT_USAGE ? EXIT_OK : rc;
	if (words || !o.profile.count) {
		report(words ? "metrics: '%s' is no option" : "metrics: name a --profile", argv[1]);
		return EXIT_USAGE;
	}
	if (o.set.count && !o.platform) {
		report("metrics: --set is of a --platform");
		return EXIT_USAGE;
	}
	kernel_profiles_init(&all);
	if (o.platform)
		rc = sm_platform_read(&platform, o.platform, &o.set);
	for (int i = 0; i < o.profile.count && rc == 0; i++)
		rc = kernel_profiles_add_file(&all, o.profile.text[i]);
	if (rc == 0)
		rc = answer(&all, o.kernel, o.platform ? &platform : NULL,
			    strcmp(o.format, "tsv") == 0);
	kernel_profiles_release(&all);
	platform_release(&platform);
	return rc ? EXIT_BAD : EXIT_OK;
}
