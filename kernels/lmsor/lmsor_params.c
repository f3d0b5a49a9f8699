/* SPDX-License-Identifier: MIT */
#include "lmsor_params.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kit/parts.h"
#include "traces/base/util.h"
#include "lmsor_geometry.h"

#define AT(field) offsetof(struct lmsor_params, field)
const struct option_spec lmsor_options[] = {
	{ "size", OPTION_INT, AT(size), "402", 3, 46340, "N",
	  "grid points a side, boundary included" },
	{ "problem", OPTION_CHOICE, AT(problem), "2", 0, 0, "1|2|3",
	  "f = g = Re (2x-10)^3, Re (2x-10), or Re 10^4" },
	{ "re", OPTION_REAL, AT(re), "10", 0, 1e300, "RE", "the factor Re in f and g" },
	{ "omega", OPTION_CHOICE, AT(omega), "eq9", 0, 0, "eq9|as-run|corrected|lsor|sor",
	  "relaxation factors\n"
	  "eq9: by the paper's equations (9) to (13), as printed\n"
	  "as-run: without the squares of (9)\n"
	  "corrected: with the sign of (13) put right\n"
	  "lsor: with mu underbar = 0\n"
	  "sor: one factor for all points" },
	{ "sor-omega", OPTION_REAL, AT(sor_omega), "0", 0, 2, "W",
	  "the one factor of --omega sor; 0 takes the optimum" },
	{ "kernel", OPTION_CHOICE, AT(kernel), "tuned", 0, 0,
	  "1|2|3|tuned|tuned1|tuned2|tuned3|tuned4|persistent|rows|openmp",
	  "1, 2, 3: the paper's #1 (all terms stored), #2 (some) and #3 (none)\n"
	  "tuned1, tuned2, tuned3: of today, storing the same; tuned4: omega alone\n"
	  "tuned: the fastest of these at large sizes\n"
	  "persistent: all iterations in one launch\n"
	  "rows, openmp: the paper's CPU program, and one of today" },
	{ "check", OPTION_TEXT, AT(check), "every", 0, 0, "every|M|device",
	  "check max|u| every iteration, every M, or on the GPU" },
	{ "border", OPTION_INT, AT(border), "1", 1, 1 << 20, "B",
	  "iterations between border exchanges" },
	{ "transport", OPTION_CHOICE, AT(transport), "peer", 0, 0, "host|peer",
	  "borders through host memory, or GPU to GPU" },
	{ "tolerance", OPTION_REAL, AT(tolerance), "1e-6", 0, 1e300, "T",
	  "converged when max|u| is at most this" },
	{ "max-iterations", OPTION_INT, AT(max_iterations), "20000", 1, 1 << 20, "I",
	  "give up after so many" },
	{ "iterations", OPTION_INT, AT(iterations), "0", 0, 1 << 20, "I",
	  "exactly so many, whatever max|u| is; 0 until converged" },
	{ 0 },
};

/* clang-format off */
const struct solver_column lmsor_columns[] = {
	{ "rows", COLUMN_INT, AT(size), 0 },
	{ "columns", COLUMN_INT, AT(size), 0 },
	{ "border", COLUMN_INT, AT(border), 0 },
	{ "iterations", COLUMN_INT, AT(iterations), 0 },
	{ "transport", COLUMN_TEXT, AT(transport), 0 },
	{ 0 },
};
/* clang-format on */

static const char *const problem_names[] = { "1", "2", "3", NULL };
static const char *const omega_names[] = {
	"eq9", "as-run", "corrected", "lsor", "sor", NULL
}; /* enum lmsor_omega */
static const char *const transport_names[] = { "host", "peer", NULL };

/* Launches with and without the norm have names of their own: they take unlike times, and a profile
 * goes by names. */
static const struct lmsor_method methods[] = {
	{ "1",
	  { "lmsor_1", "lmsor_1_norm" },
	  lmsor_all_cpu,
	  lmsor_paper_geometry,
	  STORED_ALL,
	  false,
	  false,
	  false },
	{ "2",
	  { "lmsor_2", "lmsor_2_norm" },
	  lmsor_two_cpu,
	  lmsor_paper_geometry,
	  STORED_TWO,
	  false,
	  false,
	  false },
	{ "3",
	  { "lmsor_3", "lmsor_3_norm" },
	  lmsor_none_cpu,
	  lmsor_paper_geometry,
	  STORED_NONE,
	  false,
	  false,
	  false },
	{ "tuned3",
	  { "lmsor_tuned3", "lmsor_tuned3_norm" },
	  lmsor_none_cpu,
	  lmsor_tuned_geometry,
	  STORED_NONE,
	  true,
	  false,
	  false },
	{ "tuned1",
	  { "lmsor_tuned1", "lmsor_tuned1_norm" },
	  lmsor_all_cpu,
	  lmsor_tuned1_geometry,
	  STORED_ALL,
	  true,
	  false,
	  false },
	{ "tuned2",
	  { "lmsor_tuned2", "lmsor_tuned2_norm" },
	  lmsor_two_cpu,
	  lmsor_tuned_geometry,
	  STORED_TWO,
	  true,
	  false,
	  false },
	{ "tuned4",
	  { "lmsor_tuned4", "lmsor_tuned4_norm" },
	  lmsor_omega_cpu,
	  lmsor_tuned_geometry,
	  STORED_OMEGA,
	  true,
	  false,
	  false },
	{ "persistent",
	  { "lmsor_persistent", "lmsor_persistent" },
	  lmsor_persistent_cpu,
	  lmsor_persistent_geometry,
	  STORED_NONE,
	  false,
	  false,
	  true },
	{ "rows",
	  { "lmsor_rows", "lmsor_rows" },
	  lmsor_rows_cpu,
	  NULL,
	  STORED_ALL,
	  false,
	  true,
	  false },
	{ "openmp",
	  { "lmsor_openmp", "lmsor_openmp" },
	  lmsor_openmp_cpu,
	  NULL,
	  STORED_OMEGA,
	  false,
	  false,
	  false },
};

/* `tuned` stands for the tuned kernel that is best at large sizes. */
static const char best_kernel[] = "tuned4"; /* 59 us a sweep at 4002 on an H200, tuned3 70 */

static const struct lmsor_method *method_of(const char *option)
{
	const char *wanted = strcmp(option, "tuned") ? option : best_kernel;
	size_t k = 0;
	while (strcmp(methods[k].option, wanted)) /* the option table let no other name in */
		k++;
	return &methods[k];
}

static int index_of(const char *const names[], const char *name)
{
	int k = 0;
	while (strcmp(names[k], name))
		k++;
	return k;
}

static int parse_check(struct lmsor_params *p)
{
	int64_t every;
	if (!strcmp(p->check, "every"))
		every = 1;
	else if (!strcmp(p->check, "device"))
		every = CHECK_DEVICE;
	else if (parse_i64(p->check, &every) || every < 1 || every > 1 << 20)
		return report(
			"check '%s' is neither every nor device nor a number of iterations from 1",
			p->check);
	p->check_every = (int)every;
	return 0;
}

/* A kernel that makes all iterations has the whole grid in the registers of one GPU. */
static int fits_one_launch(const struct lmsor_params *p, uint32_t gpus)
{
	const int most = LMSOR_BANDS * LMSOR_BAND_ROWS + 2 < 2 * LMSOR_LOOP_THREADS
				 ? LMSOR_BANDS * LMSOR_BAND_ROWS + 2
				 : 2 * LMSOR_LOOP_THREADS;
	if (gpus > 1)
		return report("kernel %s is for one GPU: its blocks meet in that GPU's memory; "
			      "--kernel tuned takes strips",
			      p->kernel);
	if (p->size > most)
		return report(
			"kernel %s holds u in registers, up to size %d, not %d: --kernel tuned",
			p->kernel, most, p->size);
	return 0;
}

int lmsor_prepare(void *given, uint32_t gpus)
{
	struct lmsor_params *p = given;
	if (p->check && parse_check(p))
		return -1;
	/* Static names from here on: what was given may go away. */
	p->check = NULL;
	p->method = method_of(p->kernel);
	p->kernel = p->method->option;
	if (p->method->whole && fits_one_launch(p, gpus))
		return -1;
	const int problem = index_of(problem_names, p->problem),
		  variant = index_of(omega_names, p->omega);
	p->peer = index_of(transport_names, p->transport);
	p->p.problem = problem + 1;
	p->p.variant = variant;
	p->problem = problem_names[problem];
	p->omega = omega_names[variant];
	p->transport = transport_names[p->peer];
	if (lmsor_problem_of(p))
		return -1;
	char what[32];
	snprintf(what, sizeof(what), "border %d", p->border);
	return parts_check(&(struct parts){ .gpus = gpus,
					    .across = 1,
					    .rows = p->size,
					    .columns = p->size,
					    .halo = 2 * (int64_t)p->border },
			   what);
}

/* The shortest text that reads back as the same number. */
static const char *shortest(double value, char text[32])
{
	double back;
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, 32, "%.*g", digits, value);
		if (!parse_double(text, &back) && !(back < value) && !(back > value))
			break;
	}
	return text;
}

void lmsor_config(const void *given, char text[CONFIG_BYTES])
{
	const struct lmsor_params *p = given;
	char re[32], tolerance[32], omega[32], check[32] = "device";
	if (p->check_every != CHECK_DEVICE)
		snprintf(check, sizeof(check), p->check_every == 1 ? "every" : "%d",
			 p->check_every);
	int length = snprintf(text, CONFIG_BYTES,
			      "size=%d problem=%s re=%s omega=%s kernel=%s check=%s border=%d "
			      "transport=%s tolerance=%s max-iterations=%d",
			      p->size, p->problem, shortest(p->re, re), p->omega, p->kernel, check,
			      p->border, p->transport, shortest(p->tolerance, tolerance),
			      p->max_iterations);
	if (p->sor_omega > 0)
		length += snprintf(text + length, (size_t)(CONFIG_BYTES - length), " sor-omega=%s",
				   shortest(p->sor_omega, omega));
	if (p->iterations)
		snprintf(text + length, (size_t)(CONFIG_BYTES - length), " iterations=%d",
			 p->iterations);
}
