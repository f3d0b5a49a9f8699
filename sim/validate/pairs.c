/* SPDX-License-Identifier: MIT */
#include "pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/table_read.h"
#include "traces/base/util.h"

enum {
	COLUMN_PAIR,
	COLUMN_A,
	COLUMN_B,
	COLUMN_TEXTS,
	COLUMN_A_CALLS = COLUMN_TEXTS,
	COLUMN_B_CALLS,
	COLUMN_A_LAUNCHES,
	COLUMN_B_LAUNCHES,
	COLUMN_A_ALONE,
	COLUMN_B_ALONE,
	COLUMN_BOTH,
	COLUMN_MAD,
	COLUMN_COUNT
};
static const char *const column_name[COLUMN_COUNT] = { "pair",	     "a",	   "b",
						       "a_calls",    "b_calls",	   "a_launches",
						       "b_launches", "a_alone_ns", "b_alone_ns",
						       "both_ns",    "both_mad_ns" };

static int add_row(void *context, const struct table_row *row)
{
	struct pairs *pairs = context;
	char **of = row->of;
	double value[COLUMN_COUNT] = { 0 };
	for (int c = COLUMN_TEXTS; c < COLUMN_COUNT; c++)
		if (parse_double(of[c], &value[c]) ||
		    (c == COLUMN_MAD ? value[c] < 0 : value[c] <= 0))
			return -1;
	GROW(pairs->row, pairs->count, pairs->capacity);
	pairs->row[pairs->count++] = (struct pair_row){
		.name = xstrdup(of[COLUMN_PAIR]),
		.side = { xstrdup(of[COLUMN_A]), xstrdup(of[COLUMN_B]) },
		.calls = { value[COLUMN_A_CALLS], value[COLUMN_B_CALLS] },
		.launches = { value[COLUMN_A_LAUNCHES], value[COLUMN_B_LAUNCHES] },
		.alone_ns = { value[COLUMN_A_ALONE], value[COLUMN_B_ALONE] },
		.both_ns = value[COLUMN_BOTH],
		.mad_ns = value[COLUMN_MAD],
	};
	return 0;
}

int pairs_read(struct pairs *pairs, const char *path)
{
	static const struct table_format format = { column_name, COLUMN_COUNT, COLUMN_COUNT,
						    "a measured pair", "measured pairs" };
	return table_read(path, &format, NULL, add_row, pairs);
}

void pairs_release(struct pairs *pairs)
{
	for (size_t k = 0; k < pairs->count; k++) {
		free(pairs->row[k].name);
		free(pairs->row[k].side[0]);
		free(pairs->row[k].side[1]);
	}
	free(pairs->row);
	*pairs = (struct pairs){ 0 };
}

static int copy_side(const struct platform *platform, const char *text, struct contender *c)
{
	static const struct {
		const char *name;
		int curve;
		double moves;
	} ways[] = {
		{ "d2d", COPY_CURVE_D2D, 2 },
		{ "h2d", COPY_CURVE_H2D, 1 },
		{ "d2h", COPY_CURVE_D2H, 1 },
	};
	char name[8];
	double bytes;
	if (sscanf(text, "copy=%7s %lf", name, &bytes) == 2 && bytes > 0)
		for (size_t k = 0; k < sizeof(ways) / sizeof(ways[0]); k++)
			if (!strcmp(ways[k].name, name)) {
				if (!platform->copy[ways[k].curve].x.count)
					return report("platform '%s' has no [%s]", platform->name,
						      copy_curve_section[ways[k].curve]);
				c->call_ns = c->busy_ns =
					curve_at(&platform->copy[ways[k].curve], bytes);
				c->dram_bytes = ways[k].moves * bytes;
				return 0;
			}
	return report("'%s' is no copy of a pair", text);
}

/* All launches of a call go into its times; the longest stands for them in the mix. The plan is of
 * several calls. */
static int kernel_side(const struct program *program, struct predictor *p, const char *text,
		       double launches, struct contender *c, struct warps_answer *longest,
		       bool *extrapolated)
{
	char *solver = xstrdup(text), *config = solver + strcspn(solver, " ");
	struct schedule schedule;
	if (*config)
		*config++ = 0;
	schedule_init(&schedule);
	struct kernel_model model = { .platform = &p->platform };
	int rc = program->plan_steady(solver, config, &schedule) || predictor_use_warps(p, &model)
			 ? -1
			 : 0;
	const struct sm_device *d = &p->platform.sm;
	double longest_ns = -1, planned = 0;
	for (int64_t k = 0; !rc && k < schedule.op_count; k++) {
		struct warps_answer a;
		if (schedule.op[k].kind != OP_LAUNCH)
			continue;
		rc = warps_explain(p->warps, &schedule, &schedule.shape[schedule.op[k].object],
				   NULL, &a);
		if (rc)
			break;
		double ns = a.grid.duration_ns;
		planned++;
		c->call_ns += ns + d->launch_period_ns - d->launch_ns;
		c->busy_ns += a.grid.cycles / d->clock_mhz * 1e3;
		c->dram_bytes += traffic_dram_read_bytes(&a.launch.traffic) +
				 traffic_dram_write_bytes(&a.launch.traffic);
		*extrapolated |= a.doubt != NULL;
		grid_answer_release(&a.grid);
		if (ns > longest_ns) {
			longest_ns = ns;
			*longest = a;
			longest->launch.program = &longest->program; /* it was that of `a` */
			c->launch = &longest->launch;
		}
	}
	if (!rc && !c->launch)
		rc = report("'%s' launches nothing", text);
	c->call_ns *= launches / planned;
	c->busy_ns *= launches / planned;
	c->dram_bytes *= launches / planned;
	schedule_release(&schedule);
	free(solver);
	return rc;
}

int pair_predict(const struct program *program, struct predictor *predictor,
		 const struct pair_row *row, struct pair_answer *answer)
{
	struct warps_answer longest[2] = { { .classes = false } };
	struct contender c[2] = { { .calls = row->calls[0] }, { .calls = row->calls[1] } };
	struct sm_device device = predictor->platform.sm; /* borrows its texts and lists */
	struct contention both;
	*answer = (struct pair_answer){ 0 };
	for (int k = 0; k < 2; k++) {
		bool copy = !strncmp(row->side[k], "copy=", 5);
		if (copy ? copy_side(&predictor->platform, row->side[k], &c[k])
			 : kernel_side(program, predictor, row->side[k], row->launches[k], &c[k],
				       &longest[k], &answer->extrapolated))
			return -1;
		if (longest[k].classes)
			device.isa = (char *)"none";
		answer->alone_ns[k] = c[k].calls * c[k].call_ns;
	}
	if (contention_paces(&device, predictor->platform.sm_count, c, &both))
		return -1;
	answer->both_ns = contention_both_ns(c, &both);
	for (int k = 0; k < 2; k++) {
		double scale = row->alone_ns[k] / answer->alone_ns[k];
		c[k].call_ns *= scale;
		c[k].busy_ns *= scale;
	}
	answer->both_of_alone_ns = contention_both_ns(c, &both);
	return 0;
}
