/* SPDX-License-Identifier: MIT
 * Any bytes at all as a trace: read, checked, dumped, exported, made into a schedule. Must end, and
 * report instead of crash.
 */
#include "fuzz_kit.h"
#include "traces/views/export.h"
#include "model/device/kernel_metrics.h"
#include "traces/profiles/kernel_profile.h"
#include "traces/profiles/profile_listing.h"
#include "traces/format/trace.h"
#include "traces/check/trace_check.h"
#include "traces/load/schedule_from_trace.h"

static void use(const struct trace *trace, FILE *sink)
{
	struct trace_anomaly anomaly[TRACE_ANOMALY_MAX];
	struct kernel_profiles profiles;
	struct schedule schedule;
	int64_t incomplete;

	trace_check(trace, anomaly, &incomplete);
	trace_dump(trace, sink);
	kernel_profiles_init(&profiles);
	if (kernel_profiles_add_trace(&profiles, trace, "fuzz") == 0)
		for (size_t i = 0; i < profiles.count; i++) {
			struct kernel_metrics metrics;

			profile_list_text(&profiles.profile[i], sink);
			profile_list_tsv(&profiles.profile[i], sink);
			kernel_metrics(&metrics, &profiles.profile[i], NULL, 0);
		}
	kernel_profiles_release(&profiles);
	export_chrome(trace, sink);
	for (int run = -1; run < 1; run++) {
		schedule_init(&schedule);
		schedule_from_trace(&schedule, trace, run);
		schedule_release(&schedule);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *path = fuzz_named_file(data, size);
	FILE *sink = fopen("/dev/null", "w");
	struct trace trace;

	if (!sink)
		abort();
	trace_init(&trace);
	if (trace_read(&trace, path, 1 << 22) == 0)
		use(&trace, sink);
	trace_release(&trace);
	unlink(path);
	free(path);
	fclose(sink);
	return 0;
}
