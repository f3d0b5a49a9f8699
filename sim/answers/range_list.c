/* SPDX-License-Identifier: MIT */
#include "range_list.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

enum { MOST_LINES = 24, MOST_OF_A_NAME = 3, LOW_24 = 0xffffff };

/* The interval of the core loop is a width, which ranges take over. */
static double low_of(const struct prediction *r)
{
	return r->core_us > 0 ? r->core_lo_us / r->core_us : NAN;
}

static double high_of(const struct prediction *r)
{
	return r->core_us > 0 ? r->core_hi_us / r->core_us : NAN;
}

static void print_line(const struct schedule *s, const struct prediction *r, size_t i, bool threads)
{
	const struct schedule_nvtx *range = &s->nvtx[i];
	const double us = r->range_us[i];
	char *name = xprintf("%s#%" PRId64, range->name, range->occurrence);
	printf("    %-28s %12.1f", name, (double)range->recorded_ps * 1e-6);
	if (isnan(us))
		printf(" %12s   its thread makes no calls", "-");
	else if (isnan(low_of(r)))
		printf(" %12.1f   none", us);
	else
		printf(" %12.1f   %.1f to %.1f", us, us * low_of(r), us * high_of(r));
	if (threads)
		printf("   thread %" PRId64, range->global_tid & LOW_24);
	printf("\n");
	free(name);
}

void range_list_text(const struct schedule *s, const struct prediction *r, bool whole)
{
	size_t ranges = 0, lines = 0;
	bool threads = false;
	for (size_t i = 0; i < s->nvtx_count; i++) {
		ranges += s->nvtx[i].occurrence >= 0;
		threads |= s->nvtx[i].global_tid != s->nvtx[0].global_tid;
	}
	if (!ranges)
		return;
	printf("  %-30s %12s %12s   90 %% interval   (us)\n", "ranges:", "recorded", "predicted");
	for (size_t i = 0; i < s->nvtx_count; i++) {
		const int64_t occurrence = s->nvtx[i].occurrence;
		if (occurrence < 0 ||
		    (!whole && (occurrence >= MOST_OF_A_NAME || lines == MOST_LINES)))
			continue;
		print_line(s, r, i, threads);
		lines++;
	}
	if (lines < ranges)
		printf("    and %zu more: --ranges lists all %zu\n", ranges - lines, ranges);
}

void range_list_tsv(const struct schedule *s, const struct prediction *r)
{
	printf("range\toccurrence\tprocess\tthread\trecorded_us\tpredicted_us\tlow_us\thigh_us\n");
	for (size_t i = 0; i < s->nvtx_count; i++) {
		const struct schedule_nvtx *range = &s->nvtx[i];
		const double us = r->range_us[i];
		if (range->occurrence < 0)
			continue;
		printf("%s\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%.3f\t%.3f\t%.3f\t%.3f\n",
		       range->name, range->occurrence, range->global_tid >> 24 & LOW_24,
		       range->global_tid & LOW_24, (double)range->recorded_ps * 1e-6, us,
		       us * low_of(r), us * high_of(r));
	}
}
