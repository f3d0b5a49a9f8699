/* SPDX-License-Identifier: MIT */
#include "bound.h"

#include <stdlib.h>

#include "traces/base/util.h"

const char *const bound_name[BOUND_COUNT] = {
	[BOUND_KERNEL] = "kernel",
	[BOUND_LINK] = "link",
	[BOUND_SYNC] = "synchronization",
	[BOUND_HOST] = "host",
};

struct bound bound_of(const struct simulation_result *result)
{
	struct bound b = { 0 };
	double all = 0;
	for (uint32_t g = 0; g < result->gpu_count; g++) {
		const struct breakdown *gpu = &result->gpu[g];
		const double us = 1e-6 / result->gpu_count;
		b.us[BOUND_KERNEL] += us * (double)gpu->kernel_ps;
		b.us[BOUND_LINK] += us * (double)gpu->transfer_ps;
		b.us[BOUND_SYNC] += us * (double)gpu->sync_ps;
		b.us[BOUND_HOST] += us * (double)gpu->host_ps;
	}
	for (int k = 0; k < BOUND_COUNT; k++) {
		all += b.us[k];
		b.by = b.us[k] > b.us[b.by] ? k : b.by;
	}
	for (int k = 0; k < BOUND_COUNT && all > 0; k++)
		b.share[k] = b.us[k] / all;
	return b;
}

char *bound_text(const struct bound *b)
{
	char *rest = xstrdup("");
	for (int k = 0; k < BOUND_COUNT; k++) {
		if (k == b->by)
			continue;
		char *longer = xprintf("%s%s%s %.1f %%", rest, *rest ? ", " : "", bound_name[k],
				       100 * b->share[k]);
		free(rest);
		rest = longer;
	}
	char *text = xprintf("%s: %.1f %% of the core loop (%s)", bound_name[b->by],
			     100 * b->share[b->by], rest);
	free(rest);
	return text;
}
