/* SPDX-License-Identifier: MIT
 * Figures 5.23 and 5.24: who serves which border when. The thesis draws boss and workers and calls
 * them not practicable, since a thread of its day could not use another one's context.
 */
#include "papers_004.h"

#include <math.h>
#include <stdlib.h>

#include "traces/base/util.h"

enum { ORDERS = 3 };
static const char *const order[ORDERS] = { "chessboard", "free", "boss-worker" };

/* The core loop of strips on four GPUs through host memory, exact borders, plainly timed. */
static int orders_of(struct paper_work *w, const char *device, int64_t n, double core_s[ORDERS])
{
	for (int k = 0; k < ORDERS; k++) {
		struct paper_run run;
		char *config = xprintf("size=%lldx%lld precision=f32 kernel=paper scheme=exact "
				       "border=1 transport=host iterations=%d order=%s",
				       (long long)n, (long long)n, P004_ITERATIONS, order[k]);
		const int rc = paper_simulate_run(&w->runs, device, config, 4, &run);
		free(config);
		if (rc)
			return -1;
		core_s[k] = run.times.core_us * 1e-6;
	}
	return 0;
}

int p004_orders(struct paper_work *w, struct sheet *sheet)
{
	static const char *const columns[] = { "device",
					       "n",
					       "chessboard_core_s",
					       "free_core_s",
					       "boss_worker_core_s",
					       "free_speedup",
					       "boss_worker_speedup",
					       NULL };
	static const int64_t sizes[] = { 512, 1024, 2048, 4096, 8192, 16384 };
	const char *const device[] = { P004_THEN, p004_today(w) };
	p004_columns(sheet, columns);
	for (size_t d = 0; d < sizeof(device) / sizeof(device[0]); d++)
		for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
			double core_s[ORDERS];
			if (orders_of(w, device[d], sizes[s], core_s))
				return -1;
			sheet_text(sheet, "%s", device[d]);
			sheet_text(sheet, "%lld", (long long)sizes[s]);
			for (int k = 0; k < ORDERS; k++)
				sheet_number(sheet, core_s[k], 3);
			for (int k = 1; k < ORDERS; k++)
				sheet_number(sheet, core_s[0] / core_s[k], 3);
		}
	return 0;
}
