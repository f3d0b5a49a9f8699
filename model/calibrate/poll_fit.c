/* SPDX-License-Identifier: MIT */
#include "poll_fit.h"

#include <math.h>
#include <stdlib.h>

#include "traces/base/util.h"

static void try_one(const double *body_ns, const double *added_ns, size_t count, double *left_ns,
		    struct poll_fit *best, double period_ns, double polled_ns)
{
	for (size_t i = 0; i < count; i++) {
		double ahead_ns = fmod(polled_ns - body_ns[i], period_ns);
		left_ns[i] = added_ns[i] - (ahead_ns < 0 ? ahead_ns + period_ns : ahead_ns);
	}
	const double least_ns = median_of(left_ns, count);
	double off_ns = 0;
	for (size_t i = 0; i < count; i++)
		off_ns += fabs(left_ns[i] - least_ns) / (double)count;
	if (off_ns < best->off_ns)
		*best = (struct poll_fit){ period_ns, polled_ns, least_ns, off_ns };
}

int poll_fit(const double *body_ns, const double *added_ns, size_t count, struct poll_fit *fit)
{
	const double shortest_ns = 4000, longest_ns = 16000;
	*fit = (struct poll_fit){ .off_ns = INFINITY };
	if (count < 8 || body_ns[count - 1] - body_ns[0] < 2 * longest_ns)
		return -1;
	double *left_ns = xmalloc(count * sizeof(*left_ns));
	for (double period_ns = shortest_ns; period_ns <= longest_ns; period_ns += 100)
		for (double polled_ns = 0; polled_ns < period_ns; polled_ns += 200)
			try_one(body_ns, added_ns, count, left_ns, fit, period_ns, polled_ns);
	const struct poll_fit coarse = *fit;
	for (int p = -10; p <= 10; p++)
		for (int q = -20; q <= 20; q++)
			try_one(body_ns, added_ns, count, left_ns, fit, coarse.period_ns + 10 * p,
				coarse.polled_ns + 20 * q);
	fit->least_ns = quantile_of(added_ns, count, 0.05);
	fit->polled_ns = fmod(fit->polled_ns + fit->period_ns, fit->period_ns);
	free(left_ns);
	return 0;
}
