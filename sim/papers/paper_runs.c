/* SPDX-License-Identifier: MIT */
#include "paper_runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

struct paper_device {
	char *name;
	struct predictor *predictor;
};
struct paper_known {
	const char *device;
	char *config;
	uint32_t gpus;
	struct paper_run run;
};

static int simulate(struct paper_runs *r, const char *platform, const char *config, uint32_t gpus,
		    const char *kernel_model, struct paper_run *run);

void paper_runs_init(struct paper_runs *r, const struct program *program, const char *solver,
		     const char *today)
{
	*r = (struct paper_runs){ .program = program, .solver = solver, .today = today };
}

void paper_runs_release(struct paper_runs *r)
{
	for (size_t k = 0; k < r->device_count; k++) {
		predictor_release(r->device[k].predictor);
		free(r->device[k].predictor);
		free(r->device[k].name);
	}
	for (size_t k = 0; k < r->known_count; k++)
		free(r->known[k].config);
	free(r->device);
	free(r->known);
	measured_release(&r->runs);
	measured_release(&r->launches);
}

/* Its predictor, with kernel profiles loaded; NULL after a message. */
static struct paper_device *open_device(struct paper_runs *r, const char *name)
{
	const struct predictor_options options = { .platform = name, .allow_extrapolation = true };
	for (size_t k = 0; k < r->device_count; k++)
		if (!strcmp(r->device[k].name, name))
			return &r->device[k];
	struct predictor *p = xcalloc(1, sizeof(*p));
	if (predictor_init(p, r->program, &options, true)) {
		free(p);
		return NULL;
	}
	p->warps = warps_new(&p->platform, &p->warps_options);
	if (!p->warps) {
		predictor_release(p);
		free(p);
		return NULL;
	}
	GROW(r->device, r->device_count, r->device_capacity);
	r->device[r->device_count] = (struct paper_device){ xstrdup(name), p };
	return &r->device[r->device_count++];
}

struct paper_times paper_measured(const struct paper_runs *r, const char *config)
{
	static const char more[] = " iterations=";
	const struct measured_row *row = measured_find(&r->runs, r->solver, config, 1);
	size_t length = strlen(config);
	for (size_t k = 0; !row && k < r->runs.count; k++)
		if (!strcmp(r->runs.row[k].solver, r->solver) && r->runs.row[k].gpus == 1 &&
		    !strncmp(r->runs.row[k].config, config, length) &&
		    !strncmp(r->runs.row[k].config + length, more, strlen(more)))
			row = &r->runs.row[k];
	if (!row)
		return (struct paper_times){ NAN, NAN, NAN };
	return (struct paper_times){ row->core_us, row->total_us,
				     row->iterations > 0 ? (double)row->iterations : NAN };
}

double paper_measured_launch_us(const struct paper_runs *r, const char *config)
{
	const struct measured_row *row = measured_find(&r->launches, r->solver, config, 1);
	return row ? row->core_us : NAN;
}

const struct platform *paper_platform(struct paper_runs *r, const char *name)
{
	const struct paper_device *device = open_device(r, name);
	return device ? &device->predictor->platform : NULL;
}

int paper_simulate(struct paper_runs *r, const char *platform, const char *config,
		   struct paper_times *times)
{
	return paper_simulate_by(r, platform, config, NULL, times);
}

int paper_simulate_by(struct paper_runs *r, const char *platform, const char *config,
		      const char *kernel_model, struct paper_times *times)
{
	struct paper_run run;
	int rc = simulate(r, platform, config, 1, kernel_model, &run);
	*times = run.times;
	return rc;
}

int paper_simulate_run(struct paper_runs *r, const char *platform, const char *config,
		       uint32_t gpus, struct paper_run *run)
{
	return simulate(r, platform, config, gpus, NULL, run);
}

char *paper_column(const struct paper_runs *r, const char *config, uint32_t gpus,
		   const char *column)
{
	return r->program->column(r->solver, config, gpus, column);
}

int64_t paper_number(const struct paper_runs *r, const char *config, uint32_t gpus,
		     const char *column)
{
	char *text = paper_column(r, config, gpus, column);
	const int64_t value = text ? strtoll(text, NULL, 10) : 0;
	free(text);
	return value;
}

bool paper_says(const struct paper_runs *r, const char *config, uint32_t gpus, const char *column,
		const char *value)
{
	char *text = paper_column(r, config, gpus, column);
	const bool same = text && !strcmp(text, value);
	free(text);
	return same;
}

static void fill_run(const struct paper_runs *r, const char *config, uint32_t gpus,
		     const struct thesis_watch *watch, const struct prediction *p,
		     struct paper_run *run)
{
	*run = (struct paper_run){ .times = { p->core_us, p->total_us, NAN } };
	run->thesis =
		thesis_watch_times(watch, &p->detail, paper_number(r, config, gpus, "iterations"),
				   paper_number(r, config, gpus, "border"));
	for (uint32_t g = 0; g < p->detail.gpu_count; g++)
		run->kernel_us += (double)p->detail.gpu[g].kernel_ps * 1e-6 / p->detail.gpu_count;
}

static int simulate(struct paper_runs *r, const char *platform, const char *config, uint32_t gpus,
		    const char *kernel_model, struct paper_run *run)
{
	*run = (struct paper_run){ { NAN, NAN, NAN }, { NAN, NAN, NAN, NAN, NAN }, NAN };
	struct paper_device *device = open_device(r, platform);
	struct schedule schedule;
	struct prediction p;
	if (!device)
		return -1;
	for (size_t k = 0; k < r->known_count; k++)
		if (r->known[k].device == device->name && r->known[k].gpus == gpus &&
		    !strcmp(r->known[k].config, config)) {
			*run = r->known[k].run;
			return 0;
		}
	schedule_init(&schedule);
	int rc = r->program->plan(r->solver, config, gpus, &schedule);
	struct thesis_watch *watch = thesis_watch_new(&schedule);
	if (!rc) {
		const char *model =
			kernel_model ? kernel_model
				     : predictor_planned_model(device->predictor, &schedule, NULL);
		const struct predictor_request request = { .kernel_model = model,
							   .set = gpus > 1 ? "gpus" : "size",
							   .allow_extrapolation = true,
							   .observer =
								   thesis_watch_observer(watch) };
		rc = model ? predictor_run(device->predictor, &schedule, &request, &p) : -1;
	}
	if (!rc) {
		fill_run(r, config, gpus, watch, &p, run);
		prediction_release(&p);
		GROW(r->known, r->known_count, r->known_capacity);
		r->known[r->known_count++] =
			(struct paper_known){ device->name, xstrdup(config), gpus, *run };
	}
	thesis_watch_free(watch);
	schedule_release(&schedule);
	return rc;
}

static bool same_launch(const struct schedule_shape *shape, const struct kernel_profile *profile)
{
	return !memcmp(shape->grid, profile->geometry.grid, sizeof(shape->grid)) &&
	       !memcmp(shape->block, profile->geometry.block, sizeof(shape->block));
}

static void fill_launch(struct paper_launch *l, const struct schedule_shape *shape,
			const struct sm_device *sm)
{
	const struct warps_answer *a = &l->answer;
	const struct kernel_profile *profile = a->profile;
	bool counted = !a->derived && same_launch(shape, profile) &&
		       profile->dram_read_bytes >= 0 && profile->dram_write_bytes >= 0;
	l->warps = a->grid.resident * (int)((a->program.block_threads + 31) / 32);
	l->warp_slots = (int)sm->warp_slots;
	l->duration_us = a->grid.duration_ns * 1e-3;
	l->period_us = l->duration_us + (sm->launch_period_ns - sm->launch_ns) * 1e-3;
	l->read_bytes = traffic_dram_read_bytes(&a->launch.traffic);
	l->write_bytes = traffic_dram_write_bytes(&a->launch.traffic);
	l->counted_read_bytes = counted ? (double)profile->dram_read_bytes : NAN;
	l->counted_write_bytes = counted ? (double)profile->dram_write_bytes : NAN;
}

int paper_explain(struct paper_runs *r, const char *platform, const char *config,
		  const struct ideal_part *part, struct paper_launch *l)
{
	struct paper_device *device = open_device(r, platform);
	struct schedule schedule;
	if (!device)
		return -1;
	schedule_init(&schedule);
	int rc = r->program->plan_steady(r->solver, config, &schedule);
	if (!rc && !schedule.shape_count)
		rc = report("'%s' launches nothing", config);
	if (!rc) {
		struct predictor *p = device->predictor;
		struct sm_device sm = p->platform.sm; /* lists stay the platform's */
		if (part)
			part->lift(&sm);
		warps_schedule(p->warps);
		rc = warps_explain(p->warps, &schedule, &schedule.shape[0], &sm, &l->answer);
		if (!rc) {
			grid_answer_release(&l->answer.grid);
			fill_launch(l, &schedule.shape[0], &sm);
			if (p->other_device) /* what its profiles counted, another device did */
				l->counted_read_bytes = l->counted_write_bytes = NAN;
		}
	}
	schedule_release(&schedule);
	return rc;
}
