/* SPDX-License-Identifier: MIT
 * warpreel bench: how fast the simulator replays. A fixed plan of 8 GPUs x 1000 iterations, both
 * transports, one core, at least a second of replay each, by the thread's own time; planning and
 * loading are left out. Kernel times are the roofline's, so that no profile is needed. Or, with a
 * list, what it costs to price kernels from the warps up; or links alone, with many flows on them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "traces/base/util.h"
#include "bench_flows.h"
#include "bench_kernels.h"
#include "bench_time.h"

struct bench_options {
	struct predictor_options common;
	int gpus, iterations, flows;
	double seconds;
	const char *kernels;
};

#define AT(field) offsetof(struct bench_options, field)
static const struct option_spec own_options[] = {
	{ "gpus", OPTION_INT, AT(gpus), "8", 1, 64, "G", "GPUs of the plan" },
	{ "iterations", OPTION_INT, AT(iterations), "1000", 1, 10000000, "I",
	  "iterations of the plan" },
	{ "seconds", OPTION_REAL, AT(seconds), "1", 0.01, 3600, "S",
	  "replay each plan for at least this long" },
	{ "kernels", OPTION_TEXT, AT(kernels), NULL, 0, 0, "LIST",
	  "instead of a plan: price each distinct launch of a list's configurations with the model "
	  "warps" },
	{ "flows", OPTION_INT, AT(flows), "0", 0, 65536, "N",
	  "instead of a plan: N transfers at once on the links of --gpus GPUs" },
	{ "kernel-profiles", OPTION_TEXT, AT(common.kernel_profiles), NULL, 0, 0, "TRACE",
	  "kernel profiles for --kernels (default: the platform's)" },
	{ "format", OPTION_CHOICE, AT(common.format), "text", 0, 0, "text|tsv", "output" },
	{ 0 },
};

static int bench_one(const struct program *program, const struct bench_options *o,
		     struct predictor *predictor, const char *transport, bool tsv)
{
	struct schedule schedule;
	schedule_init(&schedule);
	char *config = xprintf("size=16384x16384 precision=f32 kernel=tuned scheme=exact border=1 "
			       "transport=%s iterations=%d",
			       transport, o->iterations);
	int rc = program->plan("rbsor", config, (uint32_t)o->gpus, &schedule);
	double spent_s = 0, best_s = INFINITY;
	int64_t runs = 0;
	struct prediction prediction = { 0 };
	while (!rc && spent_s < o->seconds) {
		double from_s = bench_seconds();
		prediction_release(&prediction);
		const struct predictor_request request = { .kernel_model = "roofline",
							   .set = "gpus",
							   .allow_extrapolation = true,
							   .replicas = 1 };
		rc = predictor_run(predictor, &schedule, &request, &prediction);
		double took_s = bench_seconds() - from_s;
		best_s = took_s < best_s ? took_s : best_s;
		spent_s += took_s;
		runs++;
	}
	if (!rc) {
		struct rusage usage;
		getrusage(RUSAGE_SELF, &usage);
		double per_s = (double)prediction.detail.operations * (double)runs / spent_s;
		printf(tsv ? "%s\t%d\t%d\t%lld\t%lld\t%.0f\t%.6f\t%lld\t%lld\t%.3f\n"
			   : "%-5s %d GPUs x %d iterations: %lld operations, replayed %lld times, "
			     "%.0f operations/s, %.6f s each, engine %lld bytes, process %lld "
			     "bytes, predicted core %.3f us\n",
		       transport, o->gpus, o->iterations, (long long)prediction.detail.operations,
		       (long long)runs, per_s, best_s, (long long)prediction.detail.peak_bytes,
		       (long long)usage.ru_maxrss * 1024, prediction.core_us);
	}
	prediction_release(&prediction);
	schedule_release(&schedule);
	free(config);
	return rc;
}

int cmd_bench(const struct program *program, int argc, char **argv)
{
	const struct command_help help = { "bench", "bench [options]",
					   "Speed of the simulator itself: fixed plans and "
					   "roofline kernel times, or the model warps." };
	struct option_spec *specs = options_join(own_options, predictor_platform_options, 0);
	struct bench_options o = { 0 };
	int words, rc = options_parse(&help, specs, &o, argc, argv, &words);
	free(specs);
	if (rc)
		return rc > EXIT_USAGE ? EXIT_OK : rc;
	if (words) {
		report("bench takes no words, only options");
		return EXIT_USAGE;
	}
	struct predictor predictor;
	o.common.allow_extrapolation = true;
	if (predictor_init(&predictor, program, &o.common, false))
		return EXIT_BAD;
	bool tsv = !strcmp(o.common.format, "tsv");
	if (o.kernels) {
		rc = bench_kernels(program, &predictor, o.kernels, tsv) ? EXIT_BAD : EXIT_OK;
		predictor_release(&predictor);
		return rc;
	}
	if (o.flows && (o.gpus < 2 || !(predictor.platform.nvlink_bytes_per_s > 0))) {
		rc = report("bench: --flows wants two GPUs and a platform with nvlink.bytes_per_s");
		predictor_release(&predictor);
		return EXIT_BAD;
	}
	if (o.flows) {
		bench_flows(&predictor.platform, o.flows, o.gpus, o.seconds, tsv);
		predictor_release(&predictor);
		return EXIT_OK;
	}
	if (tsv)
		printf("transport\tgpus\titerations\toperations\treplays\toperations_per_s\tbest_"
		       "s\tpeak_bytes\tprocess_bytes\tcore_us\n");
	rc = bench_one(program, &o, &predictor, "peer", tsv) ||
			     bench_one(program, &o, &predictor, "host", tsv)
		     ? EXIT_BAD
		     : EXIT_OK;
	predictor_release(&predictor);
	return rc;
}
