/* SPDX-License-Identifier: MIT
 * What the tables of Di et al. are made from: shipped tables, configurations, times of launches.
 */
#include "papers_000.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

char *p000_config(const struct p000_run *r)
{
	char *form = r->form ? xprintf(" form=%s", r->form) : xstrdup("");
	char *config = xprintf("size=%dx%d subdomain=%dx%d layers=%d sweeps=alternating "
			       "planes=centred kernel=%s%s%s threads=%d transport=peer input=1 "
			       "omega=1.25 iterations=%d",
			       r->size, r->size, r->side, r->side, r->side / 2, r->kernel, form,
			       r->launches == 3 ? " launches=3" : "", r->threads,
			       r->iterations ? r->iterations : 2 * r->side);
	free(form);
	return config;
}

double p000_layer_us(const struct paper_work *w, const struct p000_run *r)
{
	char *config = p000_config(r);
	const double launch_us = paper_measured_launch_us(&w->runs, config);
	free(config);
	return launch_us * r->launches / (r->side / 2);
}

char *p000_redblack_config(int size, const char *points, int threads, int iterations)
{
	return xprintf("size=%dx%d kernel=redblack points=%s threads=%d transport=peer input=1 "
		       "omega=1.25 iterations=%d",
		       size, size, points, threads, iterations);
}

double p000_redblack_us(const struct paper_work *w, int size, const char *points, int threads)
{
	char *config = p000_redblack_config(size, points, threads, 8);
	const double launch_us = paper_measured_launch_us(&w->runs, config);
	free(config);
	return 2 * launch_us;
}

double p000_layers(const struct text_table *counts, const char *method, const char *planes,
		   const char *sweeps, const char *input)
{
	char *keys[] = { xprintf("method=%s", method), xprintf("planes=%s", planes),
			 xprintf("sweeps=%s", sweeps), xprintf("input=%s", input), NULL };
	double layers = NAN;
	const long row = text_table_find(counts, (const char *const *)keys);
	if (row >= 0 && parse_double(text_table_cell(counts, (size_t)row, "layers"), &layers))
		layers = NAN;
	for (int k = 0; keys[k]; k++)
		free(keys[k]);
	return layers;
}

double p000_side_layers(const struct text_table *counts, int side)
{
	char *method = xprintf("MLSSOR %dx%dx%d", side / 2, side, side);
	const double layers = p000_layers(counts, method, "printed", "alternating", "1");
	free(method);
	return layers;
}
