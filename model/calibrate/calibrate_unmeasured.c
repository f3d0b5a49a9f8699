/* SPDX-License-Identifier: MIT
 * What no benchmark of calibrate measures, of a multiprocessor that others were measured of: costs
 * in cycles go with the instruction set, a rate with another one. Without them a file would say
 * that these things cost nothing. And what it could not measure of calls under the recorder.
 */
#include "calibrate_results.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/platform/platform_default.h"
#include "model/platform/platform_internal.h"
#include "traces/base/util.h"

static const struct unmeasured {
	const char *key, *per; /* NULL: as it is there; else in proportion to this key */
} unmeasured[] = {
	{ "device.copy_channels", NULL },
	{ "stream.timed_record_ns", NULL },
	{ "copy.h2d.row_ns", NULL },
	{ "copy.d2h.row_ns", NULL },
	{ "copy.peer.row_ns", NULL },
	{ "copy.h2d_pageable.row_ns", NULL },
	{ "copy.d2h_pageable.row_ns", NULL },
	{ "sm.multiply_add_interval", NULL },
	{ "sm.shuffle_issue_cycles", NULL },
	{ "sm.texture_interval", NULL },
	{ "sm.code_bytes", NULL },
	{ "sm.code_line_cycles", NULL },
	{ "sm.code_jump_cycles", NULL },
	{ "sm.code_far_bytes", NULL },
	{ "sm.code_far_line_cycles", NULL },
	{ "sm.l1_shared_bytes", NULL },
	{ "sm.skew_share", NULL },
	{ "sm.l2_flag_ns", NULL },
	{ "sm.dram_strips_bytes_per_s", "sm.dram_copy_bytes_per_s" },
};

/* What the recorder makes of calls where both passes had different cores, and what shared cores
 * do, which nobody can arrange. */
static const char *const of_cores[] = {
	"tracer.launch_part", "tracer.event_part",	 "tracer.copy_part",
	"tracer.memset_part", "tracer.launch_record_ns", "host.core_additions",
	"host.shared_longer", "host.shared_met",	 "tracer.code_load_ns",
};

/* One number; 0: there is none. */
static double number_of(const struct platform *platform, const char *key)
{
	const char *text = platform_text(platform, key);
	return text ? strtod(text, NULL) : 0;
}

static bool has_section(const struct results *results, const char *key)
{
	const size_t length = (size_t)(strchr(key, '.') - key) + 1;
	for (size_t k = 0; k < results->count; k++)
		if (!strncmp(results->item[k].key, key, length))
			return true;
	return false;
}

static void add(struct results *results, const struct unmeasured *u, const struct platform *usual,
		const char *isa)
{
	const struct result *per = u->per ? results_find(results, u->per) : NULL;
	double value = number_of(usual, u->key);
	if (value == 0 || !has_section(results, u->key) || results_find(results, u->key) ||
	    (u->per && (!per || number_of(usual, u->per) == 0)))
		return;
	char *how = u->per ? xprintf("not measured: the part of %s that it is of %s", u->per,
				     usual->name)
			   : xprintf("not measured: as %s, whose multiprocessors run the same "
				     "code (%s)",
				     usual->name, isa);
	if (u->per)
		value *= per->values[0] / number_of(usual, u->per);
	results_add(results, u->key, &value, NULL, 1, how);
	free(how);
}

static void add_of_cores(struct results *results, const struct platform *usual, const char *key)
{
	struct number_list list = { 0 };
	char bad[48], *how = xprintf("not measured: as %s", usual->name);
	const char *text = platform_text(usual, key);
	if (text && !results_find(results, key) && !number_list_parse(&list, text, bad))
		results_add(results, key, list.value, NULL, list.count, how);
	free(list.value);
	free(how);
}

void calibrate_add_unmeasured(struct results *results)
{
	struct platform usual;
	const struct result *isa = results_find(results, "sm.isa");
	if (platform_read(&usual, PLATFORM_DEFAULT))
		return;
	const char *theirs = platform_text(&usual, "sm.isa");
	for (size_t k = 0; results_find(results, "tracer.outside_ns") &&
			   k < sizeof(of_cores) / sizeof(of_cores[0]);
	     k++)
		add_of_cores(results, &usual, of_cores[k]);
	if (isa && theirs && !strcmp(isa->how, theirs))
		for (size_t k = 0; k < sizeof(unmeasured) / sizeof(unmeasured[0]); k++)
			add(results, &unmeasured[k], &usual, theirs);
	platform_release(&usual);
}
