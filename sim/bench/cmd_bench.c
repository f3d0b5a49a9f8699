/* SPDX-License-Identifier: MIT
 * warpreel bench: how fast the simulator replays. A fixed plan of 8 GPUs x 1000 iterations, both
 * transports, one core, at least a second of replay each; planning and loading are left out. Kernel
 * times are the roofline's, so that no profile is needed. Or, with a list, what it costs to price
 * kernels from the warps up.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "traces/base/util.h"
#include "bench_kernels.h"

struct bench_options {
	struct predictor_options common;
	int gpus, iterations;
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
	int64_t began = monotonic_ns(), spent = 0, runs = 0, best = INT64_MAX;
	struct prediction prediction = { 0 };
	while (!rc && (double)spent * 1e-9 < o->seconds) {
		int64_t from = monotonic_ns();
		prediction_release(&prediction);
		const struct predictor_request request = { .kernel_model = "roofline",
							   .set = "gpus",
							   .allow_extrapolation = true,
							   .replicas = 1 };
		rc = predictor_run(predictor, &schedule, &request, &prediction);
		int64_t took = monotonic_ns() - from;
		best = took < best ? took : best;
		spent = monotonic_ns() - began;
		runs++;
	}
	if (!rc) {
		struct rusage usage;
		getrusage(RUSAGE_SELF, &usage);
		double per_s = (double)prediction.detail.operations * (double)runs /
			       ((double)spent * 1e-9);
		printf(tsv ? "%s\t%d\t%d\t%lld\t%lld\t%.0f\t%.6f\t%lld\t%lld\t%.3f\n"
			   : "%-5s %d GPUs x %d iterations: %lld operations, replayed %lld times, "
			     "%.0f operations/s, %.6f s each, engine %lld bytes, process %lld "
			     "bytes, predicted core %.3f us\n",
		       transport, o->gpus, o->iterations, (long long)prediction.detail.operations,
		       (long long)runs, per_s, (double)best * 1e-9,
		       (long long)prediction.detail.peak_bytes, (long long)usage.ru_maxrss * 1024,
		       prediction.core_us);
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
