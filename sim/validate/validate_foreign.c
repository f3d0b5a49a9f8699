/* SPDX-License-Identifier: MIT */
#include "validate_foreign.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "foreign.h"
#include "sim/answers/untrace.h"
#include "traces/base/util.h"
#include "traces/load/schedule_from_trace.h"
#include "traces/views/trace_range.h"

struct context {
	struct predictor *predictor;
	struct validation *validation;
};

struct answer {
	double us, low_us, high_us;
	char class_name[32];
};

/* As replay -o writes it, and as long as the kernels take in that. */
static int answer_kernels(const struct context *c, const struct foreign_row *row,
			  const struct schedule *schedule, struct answer *answer)
{
	struct trace timeline;
	struct prediction p;
	double share, low, high;
	trace_init(&timeline);
	const struct predictor_request request = { .kernel_model = "recorded",
						   .set = "foreign",
						   .timeline = &timeline,
						   .allow_extrapolation = true };
	int rc = predictor_run(c->predictor, schedule, &request, &p);
	if (!rc) {
		prediction_release(&p);
		rc = foreign_kernels_us(row, &timeline, (int)schedule->gpu_count, &answer->us,
					&share);
	}
	if (!rc) {
		const char *name = interval_class_foreign(share);
		intervals_lookup(&c->predictor->intervals, "foreign", name, &low, &high);
		answer->low_us = answer->us * (1 + low);
		answer->high_us = answer->us * (1 + high);
		snprintf(answer->class_name, sizeof(answer->class_name), "%s", name);
	}
	trace_release(&timeline);
	return rc;
}

static int answer_range(const struct context *c, const struct foreign_row *row,
			const struct schedule *schedule, struct answer *answer)
{
	struct prediction p;
	const struct predictor_request request = { .kernel_model = "recorded",
						   .set = "foreign",
						   .allow_extrapolation = true };
	if (predictor_run(c->predictor, schedule, &request, &p))
		return -1;
	double ranges = (double)row->count;
	*answer = (struct answer){
		p.core_us / ranges, p.core_lo_us / ranges, p.core_hi_us / ranges, { 0 }
	};
	snprintf(answer->class_name, sizeof(answer->class_name), "%s", p.class_name);
	prediction_release(&p);
	return 0;
}

/* What the recording of one process answers. */
static int answer_trace(const struct context *c, const struct foreign_row *row, const char *path,
			struct answer *answer)
{
	struct trace trace;
	struct schedule schedule;
	struct marked_ranges marked;
	trace_init(&trace);
	schedule_init(&schedule);
	const bool range = row->span == SPAN_RANGE;
	const struct asked_range asked = { .name = row->name };
	int rc = trace_read(&trace, path, 0) ||
				 (range && trace_mark_range(&trace, &asked, &marked)) ||
				 schedule_from_trace(&schedule, &trace, -1)
			 ? -1
			 : 0;
	if (!rc) {
		schedule_untrace(&schedule, &c->predictor->platform);
		rc = (range ? answer_range : answer_kernels)(c, row, &schedule, answer);
	}
	schedule_release(&schedule);
	trace_release(&trace);
	return rc;
}

/* The mean over its processes. */
static int answer_row(const struct context *c, const struct foreign_row *row, struct answer *mean)
{
	char *names = xstrdup(row->traces), *rest = names;
	int rc = 0, processes = 0;
	*mean = (struct answer){ 0 };
	for (char *name; !rc && (name = strtok_r(rest, " ", &rest));) {
		struct answer one = { 0 };
		char *path = xprintf("%s/traces/data/%s/foreign/%s.wrt.zst", util_root(),
				     predictor_measured(c->predictor), name);
		rc = answer_trace(c, row, path, &one);
		free(path);
		mean->us += one.us;
		mean->low_us += one.low_us;
		mean->high_us += one.high_us;
		memcpy(mean->class_name, one.class_name, sizeof(mean->class_name));
		processes++;
	}
	free(names);
	if (!processes)
		return report("'%s' has no recording", row->program);
	mean->us /= processes;
	mean->low_us /= processes;
	mean->high_us /= processes;
	return rc;
}

static void add(const struct context *c, const struct foreign_row *row, const char *model,
		const struct answer *answer)
{
	const struct measured_row m = {
		.solver = row->program,
		.config = row->what,
		.gpus = row->gpus,
		.core_us = row->measured_us,
		.core_mad_us = NAN,
		.visit_spread = (row->most_us - row->least_us) / row->measured_us,
	};
	char *inputs = xprintf("%s,%s.ini", row->traces, c->predictor->platform.name);
	struct validation_row *new =
		validation_add(c->validation, &m, row->set, model, answer->us, inputs);
	new->lo_us = answer->low_us;
	new->hi_us = answer->high_us;
	snprintf(new->class_name, sizeof(new->class_name), "%s", answer->class_name);
	free(inputs);
}

int validate_foreign(struct predictor *predictor, const char *path, struct validation *validation)
{
	const struct context c = { .predictor = predictor, .validation = validation };
	struct foreign foreign = { 0 };
	int rc = foreign_read(&foreign, path);
	for (size_t k = 0; !rc && k < foreign.count; k++) {
		const struct foreign_row *row = &foreign.row[k];
		struct answer answer;
		rc = answer_row(&c, row, &answer);
		if (rc)
			break;
		add(&c, row, "default", &answer);
		add(&c, row, "as-recorded", &(struct answer){ row->traced_us, NAN, NAN, "-" });
	}
	foreign_release(&foreign);
	return rc;
}
