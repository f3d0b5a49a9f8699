/* SPDX-License-Identifier: MIT */
#include "weak_params.h"

#include <stdio.h>
#include <string.h>

#include "kernels/weak/weak_launch.h"
#include "traces/base/output.h"
#include "traces/base/util.h"

#define STEPS(option, name, talk, order, combine, synchronous)                                     \
	{                                                                                          \
		option, { "poisson_" name, "shape_" name }, weak_steps_cpu, weak_steps_geometry,   \
			false, talk, order, combine, synchronous, !synchronous, false              \
	}
#define WHOLE(name, cpu, synchronous, several)                                                     \
	{                                                                                          \
#name, { "poisson_" #name, "shape_" #name }, cpu, weak_whole_geometry, true,       \
			 WEAK_FOUR_WAYS, WEAK_STRIPE, false, synchronous, !synchronous, several    \
	}

static const struct weak_scheme schemes[] = {
	{ "reference",
	  { "poisson_reference", "shape_reference" },
	  weak_reference_cpu,
	  NULL,
	  true,
	  WEAK_SILENT,
	  WEAK_STRIPE,
	  false,
	  false,
	  false,
	  false },
	STEPS("base", "base", WEAK_SILENT, WEAK_STRIPE, false, true),
	STEPS("coarse", "coarse", WEAK_SILENT, WEAK_STRIPE, false, false),
	STEPS("ud-stripe", "ud", WEAK_UP_DOWN, WEAK_STRIPE, false, false),
	STEPS("4w-stripe", "4w", WEAK_FOUR_WAYS, WEAK_STRIPE, false, false),
	STEPS("4w-combine-stripe", "4w_combine", WEAK_FOUR_WAYS, WEAK_STRIPE, true, false),
	STEPS("ud-square", "ud", WEAK_UP_DOWN, WEAK_SQUARE, false, false),
	STEPS("4w-square", "4w", WEAK_FOUR_WAYS, WEAK_SQUARE, false, false),
	STEPS("4w-combine-square", "4w_combine", WEAK_FOUR_WAYS, WEAK_SQUARE, true, false),
	{ "graph",
	  { "poisson_graph", "shape_graph" },
	  weak_graph_cpu,
	  weak_steps_geometry,
	  false,
	  WEAK_SILENT,
	  WEAK_STRIPE,
	  false,
	  true,
	  false,
	  false },
	WHOLE(barrier, weak_whole_cpu, true, true),
	WHOLE(flags, weak_whole_cpu, true, true),
	WHOLE(cluster, weak_cluster_cpu, false, false),
	WHOLE(free, weak_free_cpu, false, true),
	WHOLE(async, weak_free_cpu, false, true),
	{ "apart",
	  { "poisson_apart", "shape_apart" },
	  weak_free_cpu,
	  weak_apart_geometry,
	  true,
	  WEAK_FOUR_WAYS,
	  WEAK_STRIPE,
	  false,
	  false,
	  true,
	  true },
};

int weak_prepare(struct weak_params *p, uint32_t gpus)
{
	size_t k = 0;
	while (strcmp(schemes[k].option, p->scheme)) /* the option table let no other name in */
		k++;
	p->method = &schemes[k];
	p->scheme = p->method->option;
	p->by_error = !strcmp(p->stop, "error");
	p->stop = p->by_error ? "error" : "residual";
	p->sequential = k == 0;
	p->inner_order = strcmp(p->inner, "jacobi") ? WEAK_RED_BLACK : WEAK_JACOBI;
	p->inner = p->inner_order == WEAK_JACOBI ? "jacobi" : "red-black";
	if (p->threads % 32 || p->threads == 96)
		return report("%d communication threads: there are 0, 32, 64 or 128", p->threads);
	if (!strcmp(p->scheme, "apart") && p->threads != 32 && p->threads != 64)
		return report(
			"scheme apart leaves borders to one or two warps: --threads 32 or 64");
	if (p->ages && p->method->talk == WEAK_SILENT)
		return report("scheme %s reads no borders between synchronizations: it has no ages",
			      p->scheme);
	if ((p->watch || p->phases) &&
	    (p->sequential || p->method->whole || !strcmp(p->scheme, "graph")))
		return report("scheme %s is not watched: --watch and --phases are of base, coarse, "
			      "ud-* and 4w-*",
			      p->scheme);
	if (p->watch && p->phases)
		return report("--watch and --phases are noted by kernels of their own: give one");
	if ((p->ages && output_check(p->ages)) || (p->watch && output_check(p->watch)) ||
	    (p->phases && output_check(p->phases)))
		return -1;
	if (!strcmp(p->scheme, "graph") && p->resident)
		return report("scheme graph has all blocks: no --resident");
	const bool base = !strcmp(p->scheme, "base");
	if (gpus > 1 &&
	    ((!base && !p->method->several) || p->resident || p->watch || p->phases || p->ages))
		return report(
			"scheme %s is for one GPU: base, barrier, flags, free, async and "
			"apart are for several, without --resident, --ages, --watch and --phases",
			p->scheme);
	if (gpus > WEAK_GPUS && !base)
		return report("scheme %s is for %d GPUs at most", p->scheme, WEAK_GPUS);
	if (base)
		p->host_sync = 1;
	return 0;
}

int weak_files_differ(const char *const *written, size_t writes, const char *const *read,
		      size_t reads)
{
	for (size_t k = 0; k < writes; k++) {
		for (size_t j = 0; j < reads && written[k]; j++)
			if (output_differs(written[k], read[j]))
				return -1;
		for (size_t j = 0; j < k; j++)
			if (outputs_differ(written[j], written[k]))
				return -1;
	}
	return 0;
}

void weak_config_add(char text[CONFIG_BYTES], const char *format, ...)
{
	const size_t length = strlen(text);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text + length, CONFIG_BYTES - length, format, arguments);
	va_end(arguments);
}

const char *weak_shortest(double value, char text[32])
{
	double back;
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, 32, "%.*g", digits, value);
		if (!parse_double(text, &back) && !(back < value) && !(back > value))
			break;
	}
	return text;
}

void weak_config(const struct weak_params *p, char text[CONFIG_BYTES])
{
	char tolerance[32];
	weak_config_add(text, " scheme=%s", p->scheme);
	if (!p->sequential)
		weak_config_add(text, " host-sync=%d exchange=%d threads=%d resident=%d inner=%s",
				p->host_sync, p->exchange, p->threads, p->resident, p->inner);
	weak_config_add(text, " stop=%s tolerance=%s max-steps=%d", p->stop,
			weak_shortest(p->tolerance, tolerance), p->max_steps);
	if (p->steps)
		weak_config_add(text, " steps=%d", p->steps);
}
