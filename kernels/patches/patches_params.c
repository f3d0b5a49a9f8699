/* SPDX-License-Identifier: MIT */
#include "patches_params.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "patches_geometry.h"
#include "traces/base/output.h"
#include "traces/base/util.h"

#define AT(field) offsetof(struct patches_params, field)
const struct option_spec patches_options[] = {
	{ "patches", OPTION_WORD, AT(patches), "1x64", 0, 0, "SET",
	  "COUNTxSIDES by themselves, X.Y.Z*SIDES beside each other, LEVEL@I.J.K:SIDES; joined by "
	  "'+'" },
	{ "block", OPTION_WORD, AT(block_text), "8.8.8", 0, 0, "X.Y.Z",
	  "cells of a block, x fastest; N is N.N.N" },
	{ "edge", OPTION_CHOICE, AT(edge), "cut", 0, 0, "cut|overlap",
	  "where blocks do not divide a patch: smaller ones at the end, or whole ones that "
	  "overlap" },
	{ "method", OPTION_CHOICE, AT(method_text), "jacobi", 0, 0, "jacobi|chaotic|lexicographic",
	  "jacobi: block Jacobi\n"
	  "chaotic: block Gauss-Seidel in no order\n"
	  "lexicographic: block Gauss-Seidel in the order of blocks (cpu)" },
	{ "kernel", OPTION_CHOICE, AT(kernel_text), "sine", 0, 0,
	  "gemv-a|gemv-b|gemv-c|gemv-sweep|gemv-split|gemm|sine|sine-steps|cpu-block|cpu-patch|"
	  "cpu-nested|cpu-dgemm",
	  "gemv-a, gemv-b, gemv-c: the paper's mappings A, B and C\n"
	  "gemv-sweep: a thread block for all of a patch\n"
	  "gemv-split: the paper's Algorithm 3\n"
	  "gemm: one product for all blocks\n"
	  "sine: sine transforms\n"
	  "sine-steps: all steps of small patches in one launch\n"
	  "cpu-block, cpu-patch, cpu-nested: the paper's CPU programs\n"
	  "cpu-dgemm: one with dgemm" },
	{ "omega", OPTION_REAL, AT(omega), "0", 0, 2, "W",
	  "relaxation factor; 0: 0.8 for Jacobi, else 1" },
	{ "ghost", OPTION_CHOICE, AT(ghost), "zero", 0, 0, "zero|reflect",
	  "beyond the boundary: 0, or minus the cell inside, as it was after the step before" },
	{ "stencil", OPTION_WORD, AT(stencil_text), "6,-1,-1,-1", 0, 0, "C,X,Y,Z",
	  "the operator: of the cell and of its neighbours along x, y, z" },
	{ "rhs", OPTION_CHOICE, AT(rhs), "zero", 0, 0, "zero|random", "f" },
	{ "inverse", OPTION_CHOICE, AT(inverse), "sine", 0, 0, "sine|one|all",
	  "inverses of blocks\n"
	  "sine: from their sine transforms\n"
	  "one: by LAPACK, once for blocks that are alike\n"
	  "all: by LAPACK, for each block" },
	{ "wave", OPTION_INT, AT(wave), "1", 1, 1 << 30, "B",
	  "chaotic on the CPU: so many blocks at a time do not see each other's new values" },
	{ "outer", OPTION_INT, AT(outer), "4", 1, 1024, "T",
	  "cpu-nested: threads for patches, the others for their blocks" },
	{ "order", OPTION_CHOICE, AT(order_text), "whole", 0, 0, "whole|depth|breadth",
	  "whole: all patches in one launch\n"
	  "depth, breadth: a launch a patch, depth-first or breadth-first" },
	{ "transfer", OPTION_CHOICE, AT(transfer), "once", 0, 0, "once|each",
	  "patches stay on the GPU, or go there and back every step" },
	{ "streams", OPTION_INT, AT(streams), "8", 1, 64, "S", "for launches a patch" },
	{ "products", OPTION_INT, AT(products), "3", 1, 8, "P",
	  "gemm, all patches in one launch: so many products at a time, of a part of the blocks "
	  "each" },
	{ "iterations", OPTION_INT, AT(iterations), "3", 1, 1 << 20, "I",
	  "steps; with --use at most so many iterations" },
	{ "use", OPTION_CHOICE, AT(use_text), "steps", 0, 0,
	  "steps|relax|vcycle|cg|cg-relax|cg-vcycle",
	  "what the steps are for; all but the first go on until the residual is small (cpu)\n"
	  "steps: so many steps, no more\n"
	  "relax, vcycle: relaxation, V-cycles\n"
	  "cg, cg-relax, cg-vcycle: conjugate gradients, plain or preconditioned by either" },
	{ "smoother", OPTION_CHOICE, AT(smoother), "block", 0, 0, "block|red-black",
	  "of --use: --method with its blocks, or points in two colours" },
	{ "sweeps", OPTION_INT, AT(sweeps), "1", 1, 100, "S",
	  "of --use: of the smoother, before and after a coarser level" },
	{ "tolerance", OPTION_REAL, AT(tolerance), "1e-8", 0, 1, "T",
	  "of --use: the residual is to be so much smaller" },
	{ "slice", OPTION_TEXT, AT(slice), NULL, 0, 0, "FILE",
	  "write the middle plane of the first patch at the end, as a table (default: none)" },
	{ 0 },
};

/* A set of patches has no rows and columns. */
const struct solver_column patches_columns[] = {
	{ "count", COLUMN_INT, AT(count), 0 },
	{ "side", COLUMN_INT, AT(side), 0 },
	{ "block_cells", COLUMN_INT, AT(block_cells), 0 },
	{ "iterations", COLUMN_INT, AT(iterations), 0 },
	{ 0 },
};

/* clang-format off */
static const struct patches_kernel kernels[] = {
	{ "gemv-a", { "patches_gemv_a", "patches_gemv_a_chaotic" }, patches_gemv_cpu,
	  patches_gemv_a_geometry, .dense = true, .most_threads = 512 },
	{ "gemv-b", { "patches_gemv_b", "patches_gemv_b_chaotic" }, patches_gemv_cpu,
	  patches_gemv_b_geometry, .dense = true, .most_threads = 4096 },
	{ "gemv-c", { "patches_gemv_c", "patches_gemv_c_chaotic" }, patches_gemv_cpu,
	  patches_gemv_c_geometry, .dense = true, .most_threads = 1024 },
	{ "gemv-sweep", { "patches_gemv_sweep", "patches_gemv_sweep_chaotic" }, patches_gemv_cpu,
	  patches_gemv_sweep_geometry, .dense = true, .most_threads = 1024 },
	{ "gemv-split", { "patches_gemv_split", "patches_gemv_split" }, patches_split_cpu,
	  patches_gemv_c_geometry, .dense = true, .advance = true, .most_threads = 1024 },
	/* The geometry is that of residuals and updates: cuBLAS chooses a product's. */
	{ "gemm", { "patches_gemm_product", "patches_gemm_product" }, patches_gemm_product_cpu,
	  patches_packed_geometry, .dense = true, .gemm = true },
	{ "sine", { "patches_sine", "patches_sine_chaotic" }, patches_sine_cpu,
	  patches_sine_geometry, .dense = false },
	{ "sine-steps", { "patches_steps", "patches_steps" }, patches_steps_cpu,
	  patches_steps_geometry, .dense = false, .stays = true },
	{ "cpu-block", { "patches_by_block", "patches_by_block" }, patches_by_block_cpu, NULL,
	  .dense = true, .blas = true, .advances = true, .scatters = true },
	{ "cpu-patch", { "patches_by_patch", "patches_by_patch" }, patches_by_patch_cpu, NULL,
	  .dense = true, .blas = true, .advances = true },
	{ "cpu-nested", { "patches_nested", "patches_nested" }, patches_nested_cpu, NULL,
	  .dense = true, .advances = true, .scatters = true },
	{ "cpu-dgemm", { "patches_dgemm", "patches_dgemm" }, patches_dgemm_cpu, NULL, .dense = true,
	  .blas = true, .advances = true, .scatters = true },
};
/* clang-format on */

static const char *const method_names[] = { "jacobi", "chaotic", "lexicographic" };
static const char *const order_names[] = { "whole", "depth", "breadth" };
static const char *const use_names[] = {
	"steps", "relax", "vcycle", "cg", "cg-relax", "cg-vcycle"
};
static const char *const inverse_names[] = { "sine", "one", "all" };

static int index_of(const char *const names[], const char *name)
{
	int k = 0;
	while (strcmp(names[k], name)) /* the option table let no other name in */
		k++;
	return k;
}

static int parse_block(struct patches_params *p)
{
	int count = 0, used = 0;
	if (sscanf(p->block_text, "%d%n.%d.%d%n", &p->block[0], &used, &p->block[1], &p->block[2],
		   &used) == 1) {
		p->block[1] = p->block[2] = p->block[0];
		count = 3;
	} else if (p->block_text[0]) {
		count = sscanf(p->block_text, "%d.%d.%d%n", &p->block[0], &p->block[1],
			       &p->block[2], &used);
	}
	if (count != 3 || p->block_text[used])
		return report("block '%s' is neither N nor X.Y.Z", p->block_text);
	for (int axis = 0; axis < 3; axis++)
		if (p->block[axis] < 1 || p->block[axis] > PATCHES_SIDE_MOST)
			return report("block '%s': a side of %d cells is outside 1 to %d",
				      p->block_text, p->block[axis], PATCHES_SIDE_MOST);
	return 0;
}

static int parse_stencil(struct patches_params *p)
{
	const char *at = p->stencil_text;
	for (int k = 0; k < 4; k++) {
		char *end;
		p->stencil[k] = strtod(at, &end);
		if (end == at || *end != (k < 3 ? ',' : 0))
			return report("stencil '%s' is not four numbers C,X,Y,Z", p->stencil_text);
		if (!isfinite(p->stencil[k]) || (double)(float)p->stencil[k] < p->stencil[k] ||
		    (double)(float)p->stencil[k] > p->stencil[k])
			return report("stencil '%s': %.17g is no number of single precision, as "
				      "which kernels take it",
				      p->stencil_text, p->stencil[k]);
		at = end + 1;
	}
	return 0;
}

/* The smallest eigenvalue of the operator on a patch, whose blocks then have none below it. */
static double smallest(const struct patches_params *p, const struct patch *patch)
{
	double value = p->stencil[0];
	for (int axis = 0; axis < 3; axis++)
		value -= 2 * fabs(p->stencil[1 + axis]) * cos(M_PI / (patch->n[axis] + 1));
	return value;
}

static int check_set(const struct patches_params *p, const struct patch_set *set)
{
	for (int k = 0; k < set->count; k++) {
		const struct patch *patch = &set->patch[k];
		bool divides = true;
		for (int axis = 0; axis < 3; axis++) {
			if (p->block[axis] > patch->n[axis])
				return report("block %d.%d.%d is larger than the patch of %d.%d.%d "
					      "cells",
					      p->block[0], p->block[1], p->block[2], patch->n[0],
					      patch->n[1], patch->n[2]);
			divides &= patch->n[axis] % p->block[axis] == 0;
		}
		const int64_t elements =
			(int64_t)(patch->n[0] + 5) / 4 * 4 * (patch->n[1] + 2) * (patch->n[2] + 2) +
			4;
		if (p->kernel->stays && 16 * elements > PATCHES_STEPS_BYTES)
			return report("kernel %s holds a patch twice in shared memory: %lld bytes "
				      "of %d for one of %d.%d.%d cells; --kernel sine takes any",
				      p->kernel->option, (long long)(16 * elements),
				      (int)PATCHES_STEPS_BYTES, patch->n[0], patch->n[1],
				      patch->n[2]);
		if (p->kernel->gemm && !divides)
			return report("kernel gemm multiplies blocks of one size: %d.%d.%d does "
				      "not divide the patch of %d.%d.%d cells",
				      p->block[0], p->block[1], p->block[2], patch->n[0],
				      patch->n[1], patch->n[2]);
		if (!(smallest(p, patch) > 0))
			return report("stencil %g,%g,%g,%g is not positive definite on the patch "
				      "of %d.%d.%d cells: its smallest eigenvalue is %.6g",
				      p->stencil[0], p->stencil[1], p->stencil[2], p->stencil[3],
				      patch->n[0], patch->n[1], patch->n[2], smallest(p, patch));
	}
	return 0;
}

static int check_kernel(const struct patches_params *p)
{
	const int cells = p->block[0] * p->block[1] * p->block[2];
	const struct patches_kernel *k = p->kernel;
	if (k->dense && cells > 4096)
		return report("kernel %s holds an inverse of %d x %d numbers: at most 4096 cells a "
			      "block, --kernel sine takes more",
			      k->option, cells, cells);
	if (k->most_threads && cells > k->most_threads)
		return report("kernel %s is for blocks of at most %d cells, not %d.%d.%d = %d",
			      k->option, k->most_threads, p->block[0], p->block[1], p->block[2],
			      cells);
	if (p->method == METHOD_LEXICOGRAPHIC && k->scatters)
		return report("kernel %s relaxes blocks in no order: --method chaotic", k->option);
	if (p->method != METHOD_JACOBI && (k->gemm || k->advance))
		return report("kernel %s takes all residuals first: --method jacobi", k->option);
	if (k->stays && (p->method != METHOD_JACOBI || p->order != ORDER_WHOLE || p->reflect))
		return report("kernel %s makes all steps of a patch by itself: --method jacobi, "
			      "--order whole and ghosts that stay (--ghost zero)",
			      k->option);
	if (p->each_step && (p->reflect || p->order == ORDER_WHOLE))
		return report("--transfer each is for a launch a patch (--order depth or breadth) "
			      "and ghosts that stay (--ghost zero)");
	if (p->use != USE_STEPS && strcmp(k->option, "sine"))
		return report("--use %s takes sine transforms of whole patches: --kernel sine",
			      p->use_text);
	return 0;
}

/* Cells along a side of every patch, where all are cubes of one size that stand by themselves; else
 * 0. */
static int side_of(const struct patch_set *set)
{
	const int side = set->patch[0].n[0];
	for (int k = 0; k < set->count; k++)
		for (int axis = 0; axis < 3; axis++)
			if (set->patch[k].n[axis] != side)
				return 0;
	return set->connected ? 0 : side;
}

int patches_prepare(void *given, uint32_t gpus)
{
	struct patches_params *p = given;
	struct patch_set set = { 0 };
	int rc = -1;
	if (p->patches) {
		if (strlen(p->patches) >= sizeof(p->set_text))
			return report("patches '%.40s...': more than %zu letters", p->patches,
				      sizeof(p->set_text) - 1);
		strcpy(p->set_text, p->patches);
		if (parse_block(p) || parse_stencil(p))
			return -1;
		/* What was given may go away. */
		p->patches = p->block_text = p->stencil_text = NULL;
	}
	p->kernel = kernels;
	while (strcmp(p->kernel->option, p->kernel_text))
		p->kernel++;
	p->method = (enum patches_method)index_of(method_names, p->method_text);
	p->order = (enum patches_order)index_of(order_names, p->order_text);
	p->invert = (enum patches_invert)index_of(inverse_names, p->inverse);
	p->kernel_text = p->kernel->option;
	p->method_text = method_names[p->method];
	p->order_text = order_names[p->order];
	p->inverse = inverse_names[p->invert];
	p->use = (enum patches_use)index_of(use_names, p->use_text);
	p->use_text = use_names[p->use];
	p->red_black = p->smoother[0] == 'r';
	p->smoother = p->red_black ? "red-black" : "block";
	p->overlap = p->edge[0] == 'o';
	p->edge = p->overlap ? "overlap" : "cut";
	p->reflect = p->ghost[0] == 'r';
	p->ghost = p->reflect ? "reflect" : "zero";
	p->random_rhs = p->rhs[0] == 'r';
	p->rhs = p->random_rhs ? "random" : "zero";
	p->each_step = p->transfer[0] == 'e';
	p->transfer = p->each_step ? "each" : "once";
	p->omega_used = p->omega > 0 ? p->omega : p->method == METHOD_JACOBI ? 0.8 : 1;
	if ((p->slice && output_check(p->slice)) || check_kernel(p) ||
	    patch_set_read(&set, p->set_text) || check_set(p, &set) || patch_set_place(&set, gpus))
		goto out;
	if (p->use != USE_STEPS && set.connected) {
		report("--use %s is for patches that stand by themselves", p->use_text);
		goto out;
	}
	if (p->kernel->stays && set.connected) {
		report("kernel %s is for patches that stand by themselves: --kernel sine",
		       p->kernel->option);
		goto out;
	}
	if (p->each_step && set.connected) {
		report("--transfer each is for patches that stand by themselves: ghost cells of "
		       "others would have to follow on the host");
		goto out;
	}
	p->count = set.count;
	p->side = side_of(&set);
	p->block_cells = p->block[0] * p->block[1] * p->block[2];
	rc = 0;
out:
	patch_set_release(&set);
	return rc;
}

void patches_config(const void *given, char text[CONFIG_BYTES])
{
	const struct patches_params *p = given;
	int length = snprintf(text, CONFIG_BYTES,
			      "patches=%s block=%d.%d.%d method=%s kernel=%s ghost=%s order=%s "
			      "iterations=%d",
			      p->set_text, p->block[0], p->block[1], p->block[2], p->method_text,
			      p->kernel_text, p->ghost, p->order_text, p->iterations);
	/* The rest where it is not what nobody asks for. */
#define MORE(condition, ...)                                                                       \
	do {                                                                                       \
		if ((condition) && length < CONFIG_BYTES)                                          \
			length += snprintf(text + length, (size_t)(CONFIG_BYTES - length),         \
					   __VA_ARGS__);                                           \
	} while (0)
	MORE(p->overlap, " edge=overlap");
	MORE(p->omega > 0, " omega=%.9g", p->omega);
	MORE(p->each_step, " transfer=each");
	MORE(p->order != ORDER_WHOLE, " streams=%d", p->streams);
	MORE(p->kernel->gemm && p->order == ORDER_WHOLE && p->products != 3, " products=%d",
	     p->products);
	MORE(p->use != USE_STEPS, " use=%s tolerance=%.9g sweeps=%d smoother=%s", p->use_text,
	     p->tolerance, p->sweeps, p->smoother);
	MORE(p->random_rhs, " rhs=random");
	MORE(p->invert != INVERT_SINE, " inverse=%s", p->inverse);
	MORE(p->outer != 4, " outer=%d", p->outer);
	MORE(p->wave > 1, " wave=%d", p->wave);
	MORE(fabs(p->stencil[0] - 6) + fabs(p->stencil[1] + 1) + fabs(p->stencil[2] + 1) +
			     fabs(p->stencil[3] + 1) >
		     0,
	     " stencil=%.9g,%.9g,%.9g,%.9g", p->stencil[0], p->stencil[1], p->stencil[2],
	     p->stencil[3]);
#undef MORE
}
