/* SPDX-License-Identifier: MIT */
#include "validate_foreign.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "foreign.h"
#include "sim/answers/collectives.h"
#include "sim/answers/untrace.h"
#include "traces/base/util.h"
#include "traces/format/trace_join.h"
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

/* Of joined processes each has its kernels on a GPU of its own, and the row's times are the mean of
 * them. */
static int mean_of_gpus(const struct foreign_row *row, const struct schedule *schedule,
			const struct trace *timeline, double *us, double *share)
{
	struct foreign_row one = *row;
	const int gpus = (int)schedule->gpu_count;
	if (schedule->processes < 2 || row->device >= 0)
		return foreign_kernels_us(row, timeline, gpus, us, share);
	*us = *share = 0;
	for (one.device = 0; one.device < gpus; one.device++) {
		double one_us, one_share;
		if (foreign_kernels_us(&one, timeline, gpus, &one_us, &one_share))
			return -1;
		*us += one_us / gpus;
		*share += one_share / gpus;
	}
	return 0;
}

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
		rc = mean_of_gpus(row, schedule, &timeline, &answer->us, &share);
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

/* What a program that times each of its ranges reports of them: the median, over all threads. Else
 * its only range, which a thread other than the one that marked it may end. */
static double range_us(const struct foreign_row *row, const struct schedule *schedule,
		       const struct prediction *p)
{
	double *us = xcalloc(schedule->nvtx_count + 1, sizeof(*us));
	size_t ranges = 0;
	for (size_t i = 0; i < schedule->nvtx_count; i++)
		if (!strcmp(schedule->nvtx[i].name, row->name) && p->range_us[i] > 0)
			us[ranges++] = p->range_us[i];
	double answer = row->count > 1 && ranges > 1 ? median_of(us, ranges)
						     : p->core_us / (double)row->count;
	free(us);
	return answer;
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
	const double us = range_us(row, schedule, &p);
	*answer = (struct answer){
		us, us * p.core_lo_us / p.core_us, us * p.core_hi_us / p.core_us, { 0 }
	};
	snprintf(answer->class_name, sizeof(answer->class_name), "%s", p.class_name);
	prediction_release(&p);
	return 0;
}

static int answer_trace(const struct context *c, const struct foreign_row *row, struct trace *trace,
			struct answer *answer)
{
	struct schedule schedule;
	struct marked_ranges marked;
	schedule_init(&schedule);
	const bool range = row->span == SPAN_RANGE;
	const struct range_request asked = { .name = row->name };
	int rc = (range && trace_mark_range(trace, &asked, &marked)) ||
				 schedule_from_trace(&schedule, trace, -1)
			 ? -1
			 : 0;
	if (!rc) { /* as a replay does it */
		schedule_untrace(&schedule, &c->predictor->platform);
		rc = collectives_price_rings(&schedule, &c->predictor->platform);
	}
	if (!rc)
		rc = (range ? answer_range : answer_kernels)(c, row, &schedule, answer);
	schedule_release(&schedule);
	return rc;
}

enum { MOST_PROCESSES = 64 };

/* The recordings of a row: of one process, or of several that are joined. */
static int answer_row(const struct context *c, const struct foreign_row *row, struct answer *answer)
{
	struct trace part[MOST_PROCESSES], joined;
	char *names = xstrdup(row->traces), *rest = names;
	size_t processes = 0;
	int rc = 0;
	trace_init(&joined);
	for (char *name; !rc && (name = strtok_r(rest, " ", &rest));) {
		char *path = xprintf("%s/traces/data/%s/foreign/%s.wrt.zst", util_root(),
				     predictor_measured(c->predictor), name);
		if (processes == MOST_PROCESSES) {
			rc = report("'%s' has more than %d recordings", row->program,
				    MOST_PROCESSES);
		} else {
			trace_init(&part[processes]);
			rc = trace_read(&part[processes++], path, 0);
		}
		free(path);
	}
	if (!rc && !processes)
		rc = report("'%s' has no recording", row->program);
	if (!rc && processes > 1)
		rc = trace_join(&joined, part, processes, row->program);
	if (!rc)
		rc = answer_trace(c, row, processes > 1 ? &joined : &part[0], answer);
	for (size_t p = 0; p < processes; p++)
		trace_release(&part[p]);
	trace_release(&joined);
	free(names);
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
		struct answer answer = { 0 };
		rc = answer_row(&c, row, &answer);
		if (rc)
			break;
		add(&c, row, "default", &answer);
		add(&c, row, "as-recorded", &(struct answer){ row->traced_us, NAN, NAN, "-" });
	}
	foreign_release(&foreign);
	return rc;
}
