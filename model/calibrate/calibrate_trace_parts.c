/* SPDX-License-Identifier: MIT
 * What of a call's record is the call's own, and what the recorder takes outside of records: from
 * loops of one thread, untraced and recorded.
 */
#include "calibrate_results.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/platform/platform.h"
#include "traces/base/util.h"

static double first_of(const struct results *results, const char *format, const char *cost)
{
	char *key = xprintf(format, cost);
	const struct result *found = results_find(results, key);
	const double value = found && found->count ? found->values[0] : NAN;
	free(key);
	return value;
}

/* Whether one thread made these calls on cores that gave it the same in both passes: a shared core
 * makes calls longer by more than the recorder does. */
static bool cores_alike(const struct results *results, const struct results *traced,
			const char *cost)
{
	char *name = xstrdup(cost);
	name[strlen(name) - strlen("_ns")] = 0;
	const double a = first_of(results, "host.core_%s", name),
		     b = first_of(traced, "host.core_%s", name);
	free(name);
	return fmin(a, b) > 0 && fmax(a, b) < 1.25 * fmin(a, b);
}

static void add_median(struct results *results, const char *key, double *values, size_t count,
		       const char *how)
{
	if (!count)
		return;
	const double value = quantile_of(values, count, 0.5);
	for (size_t k = 0; k < count; k++)
		values[k] = fabs(values[k] - value);
	const double spread = quantile_of(values, count, 0.5);
	results_add(results, key, &value, &spread, 1, how);
}

void calibrate_add_parts(struct results *results, const struct results *traced)
{
	static const struct {
		const char *key;
		int kind[4];
		size_t kinds;
	} groups[] = {
		{ "tracer.launch_part", { HOST_LAUNCH }, 1 },
		{ "tracer.event_part", { HOST_RECORD, HOST_WAIT }, 2 },
		{ "tracer.copy_part",
		  { HOST_COPY_H2D, HOST_COPY_D2H, HOST_COPY_PEER, HOST_COPY_D2D },
		  4 },
		{ "tracer.memset_part", { HOST_MEMSET }, 1 },
	};
	double outside[8], launch_ns = NAN;
	size_t calls = 0;
	for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); g++) {
		double part[4];
		size_t count = 0;
		for (size_t k = 0; k < groups[g].kinds; k++) {
			const int kind = groups[g].kind[k];
			const char *cost = host_cost_key[kind];
			const double untraced_ns = first_of(results, "host.%s", cost),
				     period_ns = first_of(results, "tracer.traced_%s", cost),
				     record_ns = first_of(results, "tracer.api_%s", cost);
			if (record_ns > 0 && period_ns > record_ns) {
				if (kind == HOST_LAUNCH)
					launch_ns = period_ns - record_ns;
				else
					outside[calls++] = period_ns - record_ns;
			}
			if (record_ns > untraced_ns && cores_alike(results, traced, cost))
				part[count++] = untraced_ns / record_ns;
		}
		add_median(results, groups[g].key, part, count,
			   "calls untraced over their records, where both passes had cores alike: "
			   "median of the kinds");
	}
	add_median(results, "tracer.outside_ns", outside, calls,
		   "period of a traced call less its record: median of the kinds");
	const double before_ns =
		launch_ns - (calls ? results_find(results, "tracer.outside_ns")->values[0] : 0);
	if (before_ns > 0)
		add_median(results, "tracer.outside_launch_ns", (double[]){ before_ns }, 1,
			   "the same of launches, and what is left of it");
}
