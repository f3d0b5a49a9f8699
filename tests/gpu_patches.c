/* SPDX-License-Identifier: MIT
 * Block relaxation on a GPU against the CPU: whole runs at awkward sizes, blocks that do not divide
 * and that overlap, levels, launches a patch, transfers every step, several GPUs where there are;
 * all cells of all patches within 1e-12 of the largest. Chaotic Gauss-Seidel, which is never twice
 * the same, lies between Gauss-Seidel in order and block Jacobi with omega 1.
 *
 *     gpu_patches [GPUS]
 */
#include <math.h>

#include "gpu_kit.h"
#include "kernels/patches/patches_work.h"
#include "solver_kit.h"

static const struct solver *solver;

struct outcome {
	double *cell;
	int64_t cells;
	double ratio;
};

static int body(struct machine_thread *t, void *arg)
{
	struct solver_work *work = arg;
	const struct machine_ops *ops = work->m->ops;
	const uint32_t stream = solver->stream(work, t->gpu);
	return solver->up(work, t) || ops->sync(t, stream) || ops->barrier(t) ||
			       solver->core(work, t) || ops->sync(t, stream) || ops->barrier(t) ||
			       solver->down(work, t) || ops->sync(t, stream)
		       ? -1
		       : 0;
}

/* A run, and the cells it leaves in the order of the set; -1 after a message. */
static int run(struct machine *m, const char *config, uint32_t gpus, struct outcome *outcome)
{
	struct machine_thread threads[8];
	struct solver_result result;
	void *params = solver_params(solver, config, gpus);
	int rc = -1;
	if (!params)
		return -1;
	struct patches_work *w = xcalloc(1, solver->work_bytes);
	w->base = (struct solver_work){ .params = params, .m = m, .gpus = gpus, .cycle = 1 };
	if (solver->begin(&w->base))
		goto out;
	solver->fill(&w->base, 5);
	if (solver->restart(&w->base) || m->ops->run(m, gpus, body, w, threads))
		goto out;
	outcome->cells = w->set.cells;
	outcome->cell = xcalloc((size_t)w->set.cells, sizeof(double));
	double *to = outcome->cell;
	for (int n = 0; n < w->set.count; n++) {
		const struct patch *p = &w->set.patch[n];
		const double *u = m->ops->address(m, w->gpu[p->gpu].h_u);
		for (int k = 0; k < p->n[2]; k++)
			for (int j = 0; j < p->n[1]; j++)
				for (int i = 0; i < p->n[0]; i++)
					*to++ = u[p->origin + patch_offset(p, i, j, k)];
	}
	rc = solver->check(&w->base, &result);
	outcome->ratio = result.extra[0];
out:
	solver->end(&w->base);
	free(w);
	free(params);
	m->ops->reset(m);
	return rc;
}

static int compare(struct gpu_check *check, struct machine *gpu, const char *config, uint32_t gpus)
{
	struct machine *cpu = machine_cpu_new(gpus);
	struct outcome here = { 0 }, there = { 0 };
	int rc = run(cpu, config, gpus, &here) || run(gpu, config, gpus, &there) ? -1 : 0;
	double most = 0, off = 0;
	for (int64_t k = 0; !rc && k < here.cells; k++) {
		const double difference = fabs(here.cell[k] - there.cell[k]);
		most = fmax(most, fabs(here.cell[k]));
		off = difference <= off ? off : difference; /* no number: kept */
	}
	check->cases++;
	if (rc || !(off <= 1e-12 * most)) {
		check->failures++;
		printf("MISMATCH %s on %u GPUs: off by %g of %g\n", config, gpus, off, most);
	}
	free(here.cell);
	free(there.cell);
	cpu->ops->free(cpu);
	return rc;
}

static int ratio_of(struct machine *m, const char *set, const char *more, double *ratio)
{
	struct outcome outcome = { 0 };
	char config[CONFIG_BYTES];
	snprintf(config, sizeof(config), "%s %s", set, more);
	const int rc = run(m, config, 1, &outcome);
	*ratio = outcome.ratio;
	free(outcome.cell);
	return rc;
}

static int check_band(struct gpu_check *check, struct machine *gpu, const char *set,
		      const char *kernel)
{
	struct machine *cpu = machine_cpu_new(1);
	double least = 0, most = 0, ratio = NAN;
	char more[64];
	snprintf(more, sizeof(more), "method=chaotic kernel=%s", kernel);
	const int rc = ratio_of(cpu, set, "method=lexicographic", &least) ||
				       ratio_of(cpu, set, "omega=1", &most) ||
				       ratio_of(gpu, set, more, &ratio)
			       ? -1
			       : 0;
	check->cases++;
	if (rc || !(ratio >= least * (1 - 1e-12) && ratio <= most * (1 + 1e-12))) {
		check->failures++;
		printf("MISMATCH %s %s: %.9g is not within %.9g and %.9g\n", set, more, ratio,
		       least, most);
	}
	cpu->ops->free(cpu);
	return rc;
}

static const char *const dense_sets[] = {
	"patches=1x16 block=8",
	"patches=3x20.12.9 block=4.3.5",
	"patches=1x11.7.5+2x13 block=3.2.5",
	"patches=1x11.7.5+2x13 block=3.2.5 edge=overlap ghost=reflect",
	"patches=2.2.1*12+1@8.8.6:16.12.8 block=4.2.3 ghost=reflect rhs=random",
	"patches=2x9 block=1.1.1 stencil=13,-4,1,-1.5",
};
static const char *const sine_sets[] = {
	"patches=1x64.8.8 block=8",
	"patches=1x40.16.24 block=8.4.2",
	"patches=3x20.12.9 block=4.8.2",
	"patches=1x11.7.5+2x13 block=4.2.1",
	"patches=2x23.17.9+1x8 block=8 ghost=reflect",
	"patches=1x70.19.10 block=8.8.4 rhs=random",
	"patches=1x70.9.23 block=2.1.8 rhs=random",
	"patches=2.2.1*12+1@8.8.6:16.12.8 block=4.2.2 ghost=reflect rhs=random",
	"patches=2x9 block=1.1.1 stencil=13,-4,1,-1.5",
};
/* More octets than warps, and fewer; in one launch, whatever the steps. */
static const char *const steps_sets[] = {
	"patches=3x16 block=8",
	"patches=1x11.7.5+2x13 block=4.2.1",
	"patches=2x17.9.20+1x8 block=8 rhs=random",
	"patches=5x8.16.4 block=8.4.2",
	"patches=1x20.19.18+3x5.6.7 block=2.1.4 rhs=random",
	"patches=2x9 block=1.1.1 stencil=13,-4,1,-1.5",
};
static const char *const gemm_sets[] = {
	"patches=5x16 block=8",
	"patches=2x24+3x8 block=8.4.4 ghost=reflect",
	"patches=3x15+1x5.12.7 block=5.3.1 rhs=random",
	"patches=2x12.10.14 block=4.5.7 order=depth streams=2",
	"patches=3x9 block=9.1.3 stencil=13,-4,1,-1.5",
	"patches=34x64 block=8 iterations=1 products=8", /* in parts */
};
static const char *const dense_kernels[] = { "gemv-a", "gemv-b", "gemv-c", "gemv-sweep",
					     "gemv-split" };
static const char *const orders[] = { "", " order=depth streams=3", " order=breadth streams=2" };

static int check_all(struct gpu_check *check, struct machine *m, uint32_t gpus)
{
	char config[CONFIG_BYTES];
	int turn = 0;
	for (size_t s = 0; s < sizeof(dense_sets) / sizeof(dense_sets[0]); s++)
		for (size_t k = 0; k < sizeof(dense_kernels) / sizeof(dense_kernels[0]); k++) {
			snprintf(config, sizeof(config), "%s kernel=%s iterations=%d%s",
				 dense_sets[s], dense_kernels[k], 1 + turn % 3, orders[turn % 3]);
			turn++;
			if (compare(check, m, config, 1))
				return -1;
		}
	gpu_count_part(check, "dense inverses");
	for (size_t s = 0; s < sizeof(sine_sets) / sizeof(sine_sets[0]); s++)
		for (int more = 0; more < 3; more++) {
			snprintf(config, sizeof(config), "%s kernel=sine iterations=%d%s",
				 sine_sets[s], 1 + more, orders[more]);
			if (compare(check, m, config, 1))
				return -1;
		}
	for (size_t s = 0; s < sizeof(steps_sets) / sizeof(steps_sets[0]); s++)
		for (int steps = 1; steps < 8; steps += 3) {
			snprintf(config, sizeof(config), "%s kernel=sine-steps iterations=%d",
				 steps_sets[s], steps);
			if (compare(check, m, config, 1))
				return -1;
		}
	gpu_count_part(check, "sine transforms");
	if (compare(check, m, "patches=5x16+2x8.24.8 block=8 order=depth transfer=each", 1) ||
	    compare(check, m, "patches=5x16 block=8 order=breadth transfer=each kernel=gemv-c", 1))
		return -1;
	gpu_count_part(check, "transfers every step");
	for (size_t k = 0; k < 4; k++)
		if (check_band(check, m, "patches=1x32 block=4", dense_kernels[k]) ||
		    check_band(check, m, "patches=1x20 block=8", dense_kernels[k]))
			return -1;
	if (check_band(check, m, "patches=1x32 block=4", "sine") ||
	    check_band(check, m, "patches=2x40 block=8", "sine"))
		return -1;
	gpu_count_part(check, "chaotic Gauss-Seidel");
	for (size_t s = 0; s < sizeof(gemm_sets) / sizeof(gemm_sets[0]); s++) {
		snprintf(config, sizeof(config), "%s kernel=gemm", gemm_sets[s]);
		if (compare(check, m, config, 1))
			return -1;
	}
	gpu_count_part(check, "products by cuBLAS");
	for (uint32_t g = 2; g <= gpus && g <= 4; g++)
		if (compare(check, m, "patches=2.2.2*8 block=4 ghost=reflect", g) ||
		    compare(check, m,
			    "patches=2.2.1*12+1@4.8.6:12.12.8+1@16.8.6:16.12.8 block=4.2.2 "
			    "ghost=reflect iterations=5",
			    g) ||
		    compare(check, m, "patches=5x16+2x8.24.8 block=8 order=depth transfer=each", g))
			return -1;
	if (gpus > 1)
		gpu_count_part(check, "several GPUs");
	return 0;
}

int main(int argc, char **argv)
{
	struct gpu_check check = { 0 };
	int64_t gpus = 1;
	int rc = EXIT_BAD;

	if (argc > 2 || (argc > 1 && (parse_i64(argv[1], &gpus) || gpus < 1 || gpus > 8))) {
		fprintf(stderr, "usage: gpu_patches [GPUS]\n");
		return EXIT_USAGE;
	}
	solver = solver_find("patches");
	struct machine *m = machine_cuda_new((uint32_t)gpus);
	if (m && !check_all(&check, m, (uint32_t)gpus))
		rc = gpu_count_all(&check);
	if (m)
		m->ops->free(m);
	return rc;
}
