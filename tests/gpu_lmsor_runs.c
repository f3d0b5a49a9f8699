/* SPDX-License-Identifier: MIT
 * Whole runs of local modified SOR against the cpu machine: iterations, and checksums bit for bit.
 *
 *     gpu_lmsor_runs [GPUS]      on 1 to so many GPUs, shared if there are fewer; 1
 */
#include "gpu_kit.h"
#include "solver_kit.h"

static int solve(struct machine *m, const char *config, uint32_t gpus, struct solver_result *result)
{
	int rc = run_config(m, "lmsor", config, gpus, 1, result);
	m->ops->reset(m);
	return rc;
}

/* Values grow until they are none: the same count, but no checksum, since NaN has many forms. */
static int check_diverging(struct gpu_check *check, struct machine *cuda, struct machine *cpu,
			   const char *checks)
{
	struct solver_result expected, got;
	char config[200], reference[200];
	snprintf(config, sizeof(config),
		 "size=66 problem=3 omega=sor sor-omega=1.99 check=%s kernel=persistent", checks);
	snprintf(reference, sizeof(reference),
		 "size=66 problem=3 omega=sor sor-omega=1.99 check=%s kernel=rows", checks);
	if (solve(cuda, config, 1, &got) || solve(cpu, reference, 1, &expected))
		return -1;
	check->cases++;
	if (got.iterations != expected.iterations || !got.unconverged) {
		check->failures++;
		printf("MISMATCH %s: %lld iterations instead of %lld\n", config,
		       (long long)got.iterations, (long long)expected.iterations);
	}
	return 0;
}

/* Count and checksum of a kernel on each number of GPUs. */
static int check_kind(struct gpu_check *check, struct machine *cuda, const char *config,
		      uint32_t most_gpus, const struct solver_result *expected)
{
	for (uint32_t gpus = 1; gpus <= most_gpus; gpus++) {
		struct solver_result got;
		if (solve(cuda, config, gpus, &got))
			return -1;
		check->cases++;
		if (got.iterations == expected->iterations && got.checksum == expected->checksum)
			continue;
		check->failures++;
		printf("MISMATCH %s on %u GPUs: %lld iterations instead of %lld\n", config, gpus,
		       (long long)got.iterations, (long long)expected->iterations);
	}
	return 0;
}

/* Whole runs: count, checksum and norm of the cpu machine's rows program, which shares nothing with
 * the kernels. */
static int check_runs(struct gpu_check *check, uint32_t most_gpus)
{
	static const char *const kinds[] = { "1",      "2",	 "3",	   "tuned1",
					     "tuned2", "tuned3", "tuned4", "persistent" };
	static const char *const checks[] = { "every", "9", "device" };
	static const char *const problems[] = { "size=71 problem=1 re=10 tolerance=1e-3",
						"size=98 problem=2 omega=as-run tolerance=1e-3" };
	uint32_t own_gpus;
	struct machine *cuda = shared_cuda(most_gpus, &own_gpus), *cpu = machine_cpu_new(1);
	int rc = cuda && cpu ? 0 : -1;
	for (int q = 0; q < 2 && !rc; q++)
		for (int c = 0; c < 3 && !rc; c++)
			for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]) && !rc; k++) {
				struct solver_result expected;
				char config[200], reference[200];
				snprintf(config, sizeof(config), "%s check=%s kernel=%s",
					 problems[q], checks[c], kinds[k]);
				snprintf(reference, sizeof(reference), "%s check=%s kernel=rows",
					 problems[q], checks[c]);
				rc = solve(cpu, reference, 1, &expected);
				if (!rc)
					rc = check_kind(check, cuda, config,
							strcmp(kinds[k], "persistent") ? most_gpus
										       : 1,
							&expected);
			}
	for (int c = 0; c < 3 && !rc; c++)
		rc = check_diverging(check, cuda, cpu, checks[c]);
	if (cuda)
		cuda->ops->free(cuda);
	cpu->ops->free(cpu);
	return rc;
}

int main(int argc, char **argv)
{
	struct gpu_check check = { 0 };
	int64_t gpus = 1;
	if (argc > 2 || (argc > 1 && (parse_i64(argv[1], &gpus) || gpus < 1 || gpus > 8))) {
		fprintf(stderr, "usage: gpu_lmsor_runs [GPUS]\n");
		return EXIT_USAGE;
	}
	return check_runs(&check, (uint32_t)gpus) ? EXIT_BAD : gpu_count_all(&check);
}
