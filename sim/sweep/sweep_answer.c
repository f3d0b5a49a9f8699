/* SPDX-License-Identifier: MIT */
#include "sweep_answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/answers/thesis_times.h"
#include "sim/gpu/warps.h"
#include "traces/base/util.h"

void sweep_answerer_release(struct sweep_answerer *a)
{
	if (a->ready)
		predictor_release(&a->predictor);
	a->ready = false;
}

/* Assignments stand apart by blanks; "-" is none. */
static int split_set(char *text, struct text_list *set)
{
	char *save;
	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (!strcmp(word, "-"))
			continue;
		if (set->count == (int)(sizeof(set->text) / sizeof(set->text[0])))
			return report("too many assignments in '%s ...'", set->text[0]);
		set->text[set->count++] = word;
	}
	return 0;
}

static int make_ready(struct sweep_answerer *a, const struct sweep_point *point)
{
	if (a->ready && !strcmp(a->platform, point->platform) && !strcmp(a->set, point->set))
		return 0;
	sweep_answerer_release(a);
	struct predictor_options options = *a->options;
	char *assignments = xstrdup(point->set);
	options.platform = point->platform;
	int rc = split_set(assignments, &options.set) ||
				 predictor_init(&a->predictor, a->program, &options, true)
			 ? -1
			 : 0;
	free(assignments);
	a->ready = !rc;
	if (!rc)
		predictor_remember(&a->predictor);
	a->platform = point->platform;
	a->set = point->set;
	return rc;
}

/* A number that the solver says of a configuration, 0 when it has none of that name. */
static int64_t number_of(const struct sweep_answerer *a, const struct sweep_point *point,
			 const char *column)
{
	char *text = a->program->column(point->solver, point->config, point->gpus, column);
	const int64_t value = text ? strtoll(text, NULL, 10) : 0;
	free(text);
	return value;
}

static double us(sim_time ps)
{
	return (double)ps * 1e-6;
}

static void thesis_columns(struct sweep_row *row, struct thesis_times t)
{
	row->mkt_ms = t.mkt_ms;
	row->mst_ms = t.mst_ms;
	row->mtt_ms = t.mtt_ms;
	row->mct_ms = t.mct_ms;
	row->et_s = t.et_s;
}

static void fill(struct sweep_row *row, const struct prediction *p)
{
	const struct simulation_result *d = &p->detail;
	row->answered = true;
	row->core_us = p->core_us;
	row->core_lo_us = p->core_lo_us;
	row->core_hi_us = p->core_hi_us;
	row->total_us = p->total_us;
	row->extrapolated = p->extrapolated;
	row->hypothetical = p->hypothetical != 0;
	snprintf(row->kernel_model, sizeof(row->kernel_model), "%s", prediction_model_name(p));
	row->kernel_us = row->transfer_us = row->sync_us = row->host_us = 0;
	for (uint32_t g = 0; g < d->gpu_count; g++) {
		row->kernel_us += us(d->gpu[g].kernel_ps) / d->gpu_count;
		row->transfer_us += us(d->gpu[g].transfer_ps) / d->gpu_count;
		row->sync_us += us(d->gpu[g].sync_ps) / d->gpu_count;
		row->host_us += us(d->gpu[g].host_ps) / d->gpu_count;
	}
}

/* What unasked answers a plan, and whether by bounds; NULL after a message. */
static const char *model_of(struct sweep_answerer *a, const struct schedule *schedule, bool *bounds)
{
	*bounds = false;
	const char *model = predictor_model(a->options, "scaled");
	return model && !a->options->kernel_model && !strcmp(model, "scaled")
		       ? predictor_planned_model(&a->predictor, schedule, bounds)
		       : model;
}

static int predict(struct sweep_answerer *a, const struct sweep_point *point,
		   struct planned_run *run, struct sweep_row *row)
{
	struct prediction prediction;
	bool bounds;
	const char *model = model_of(a, &run->schedule, &bounds);
	struct thesis_watch *watch = thesis_watch_new(&run->schedule);
	struct predictor_request request = {
		.kernel_model = model,
		.set = point->gpus > 1 ? "gpus" : "size",
		.allow_extrapolation = a->options->allow_extrapolation,
		.bounds = bounds,
		.observer = thesis_watch_observer(watch),
	};
	int rc = model ? predictor_run_planned(&a->predictor, run, &request, &prediction) : -1;
	if (!rc && prediction.bounded) {
		rc = prediction_refuse_bound(&prediction, &a->predictor);
		prediction_release(&prediction);
	}
	if (!rc) {
		fill(row, &prediction);
		thesis_columns(row, thesis_watch_times(watch, &prediction.detail,
						       run->skips ? run->played : row->iterations,
						       row->border));
		prediction_release(&prediction);
	}
	thesis_watch_free(watch);
	return rc;
}

static int plan(const struct sweep_answerer *a, const struct sweep_point *point,
		struct planned_run *run)
{
	return planned_run_make(run, a->program, point->solver, point->config, point->gpus,
				a->options->no_skip);
}

void sweep_note(struct sweep_answerer *a, const struct sweep_point *point)
{
	struct planned_run run;
	struct kernel_model model = { 0 };
	if (!plan(a, point, &run) && !make_ready(a, point)) {
		bool bounds;
		const char *name = model_of(a, &run.schedule, &bounds);
		if (name && !strcmp(name, "warps") && !predictor_use_warps(&a->predictor, &model))
			warps_note(a->predictor.warps, &run.schedule);
	}
	planned_run_release(&run);
}

void sweep_play_pending(struct sweep_answerer *a, int processes)
{
	if (a->ready && a->predictor.warps)
		warps_play_pending(a->predictor.warps, processes);
}

/* A text that a row has no room for is refused: cut off, two points could look alike. */
static int put_text(char *to, size_t room, const char *text, const char *what)
{
	const size_t length = strlen(text);
	if (length < room) {
		memcpy(to, text, length + 1);
		return 0;
	}
	snprintf(to, room, "%.*s", (int)room - 1, text);
	return report("the %s has %zu characters, and a row of a sweep has room for %zu", what,
		      length, room - 1);
}

static int name_point(const struct sweep_point *point, struct sweep_row *row)
{
	int rc = put_text(row->solver, sizeof(row->solver), point->solver, "solver's name");
	rc |= put_text(row->platform, sizeof(row->platform), point->platform, "platform's name");
	rc |= put_text(row->set, sizeof(row->set), point->set, "list of assignments");
	rc |= put_text(row->config, sizeof(row->config), point->config, "configuration");
	return rc;
}

void sweep_answer(struct sweep_answerer *a, const struct sweep_point *point, struct sweep_row *row)
{
	struct planned_run run;
	row->gpus = point->gpus;
	row->core_us = row->core_lo_us = row->core_hi_us = row->total_us = NAN;
	row->kernel_us = row->transfer_us = row->sync_us = row->host_us = NAN;
	thesis_columns(row, (struct thesis_times){ NAN, NAN, NAN, NAN, NAN });
	if (name_point(point, row))
		return;
	if (!plan(a, point, &run) &&
	    !put_text(row->config, sizeof(row->config), run.schedule.config, "configuration")) {
		row->rows = number_of(a, point, "rows");
		row->columns = number_of(a, point, "columns");
		row->border = number_of(a, point, "border");
		row->iterations = number_of(a, point, "iterations");
		if (!make_ready(a, point))
			predict(a, point, &run, row);
	}
	planned_run_release(&run);
}
