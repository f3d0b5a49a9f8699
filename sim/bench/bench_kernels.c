/* SPDX-License-Identifier: MIT */
#include "bench_kernels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/config_list.h"
#include "traces/base/lines.h"
#include "traces/base/util.h"
#include "bench_time.h"

struct bench {
	double *cpu_ms; /* of each launch: the thread's own time, whatever else uses the core */
	size_t count, capacity, configs;
	double cpu_s, gpu_s, most_ms;
	char *slowest; /* configuration of the launch that took longest */
};

static void add(struct bench *b, double cpu_s, double gpu_ns, const struct config_line *line)
{
	GROW(b->cpu_ms, b->count, b->capacity);
	b->cpu_ms[b->count++] = cpu_s * 1e3;
	b->cpu_s += cpu_s;
	b->gpu_s += gpu_ns * 1e-9;
	if (b->slowest && cpu_s * 1e3 <= b->most_ms)
		return;
	free(b->slowest);
	b->slowest = xprintf("%s %s", line->solver, line->config);
	b->most_ms = cpu_s * 1e3;
}

/* The launches of one configuration that no earlier one had. Loading profiles and planning are left
 * out. */
static int bench_config(struct bench *b, const struct program *program, struct predictor *predictor,
			const struct config_line *line)
{
	struct kernel_model model = { .ops = kernel_model_find("warps"),
				      .platform = &predictor->platform,
				      .allow_extrapolation = true };
	struct schedule schedule;
	schedule_init(&schedule);
	int rc = program->plan_steady(line->solver, line->config, &schedule) ||
				 predictor_use_warps(predictor, &model)
			 ? -1
			 : 0;
	for (int64_t k = 0; !rc && k < schedule.op_count; k++) {
		const struct schedule_op *op = &schedule.op[k];
		if (op->kind != OP_LAUNCH)
			continue;
		size_t before = warps_computed(predictor->warps);
		double ns, from_s = bench_seconds();
		rc = model.ops->cost(&model, &schedule, &schedule.shape[op->object], op, &ns);
		if (!rc && warps_computed(predictor->warps) > before)
			add(b, bench_seconds() - from_s, ns, line);
	}
	b->configs++;
	schedule_release(&schedule);
	return rc;
}

static void print(const struct bench *b, bool tsv)
{
	if (tsv)
		printf("configs\tlaunches\tmedian_ms\tp90_ms\tmax_ms\ttotal_s\tgpu_s\tgpu_s_per_"
		       "s\tslowest\n");
	printf(tsv ? "%zu\t%zu\t%.3f\t%.3f\t%.3f\t%.6f\t%.9f\t%.6g\t%s\n"
		   : "%zu configurations, %zu distinct launches: median %.3f ms, p90 %.3f ms, max "
		     "%.3f ms of one core a launch, "
		     "%.3f s in all for %.6f s of GPU time, %.3g of it a second; slowest: %s\n",
	       b->configs, b->count, median_of(b->cpu_ms, b->count),
	       quantile_of(b->cpu_ms, b->count, 0.9), b->most_ms, b->cpu_s, b->gpu_s,
	       b->gpu_s / b->cpu_s, b->slowest);
}

int bench_kernels(const struct program *program, struct predictor *predictor, const char *list,
		  bool tsv)
{
	struct lines lines;
	if (lines_open(&lines, list))
		return -1;
	struct bench bench = { 0 };
	struct progress progress;
	int rc = 0, more = 0;
	progress_begin(&progress, "bench: line");
	while (!rc && (more = lines_next(&lines)) > 0) {
		const int number = lines.number;
		struct config_line line;
		int kind = config_line_parse(&line, lines.text, list, number);
		if (kind > 0 && line.gpus != 1)
			kind = report("%s:%d: launches of one GPU are priced, not of %u", list,
				      number, line.gpus);
		rc = kind > 0 ? bench_config(&bench, program, predictor, &line) : kind;
		if (kind > 0 && rc)
			report("%s:%d: not priced: %s %s", list, number, line.solver, line.config);
		progress_at(&progress, number, 0);
	}
	progress_end(&progress);
	rc = more < 0 ? -1 : rc;
	if (!rc && !bench.count)
		rc = report("%s: no configuration launches a kernel", list);
	if (!rc)
		print(&bench, tsv);
	free(bench.slowest);
	free(bench.cpu_ms);
	lines_close(&lines);
	return rc;
}
