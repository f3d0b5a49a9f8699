/* SPDX-License-Identifier: MIT */
#include "rbsor_params.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

#define AT(field) offsetof(struct rbsor_params, field)
const struct option_spec rbsor_options[] = {
	{ "size", OPTION_TEXT, AT(size), "1024", 0, 0, "N|ROWSxCOLUMNS",
	  "grid points, boundary included" },
	{ "precision", OPTION_CHOICE, AT(precision), "f32", 0, 0, "f32|f64",
	  "floating point format" },
	{ "kernel", OPTION_CHOICE, AT(kernel), "tuned", 0, 0, "paper|tuned",
	  "the thesis' shared-memory kernel, or the colour-split one" },
	{ "scheme", OPTION_CHOICE, AT(scheme), "exact", 0, 0, "exact|thesis",
	  "2b halo rows, one a colour; or b rows, one an iteration (not red-black SOR)" },
	{ "border", OPTION_INT, AT(border), "1", 1, 1 << 20, "B",
	  "iterations between border exchanges" },
	{ "transport", OPTION_CHOICE, AT(transport), "peer", 0, 0, "host|peer",
	  "borders through host memory, or GPU to GPU" },
	{ "iterations", OPTION_INT, AT(iterations), "100", 1, 1 << 30, "I",
	  "red and black half-sweeps" },
	{ "omega", OPTION_REAL, AT(omega), "0", 0, 2, "W",
	  "relaxation factor; 0 takes the optimum" },
	{ 0 },
};

double rbsor_optimal_omega(int64_t rows, int64_t columns)
{
	double mu = 0.5 * (cos(M_PI / (double)(rows + 1)) + cos(M_PI / (double)(columns + 1)));
	return 2.0 / (1.0 + sqrt(1.0 - mu * mu));
}

static int parse_size(const char *text, int64_t *rows, int64_t *columns)
{
	char *end;
	long long r = strtoll(text, &end, 10), c = r;
	if (end != text && *end == 'x') {
		char *second = end + 1;
		c = strtoll(second, &end, 10);
		if (end == second)
			end = (char *)text;
	}
	if (end == text || *end)
		return report("size '%s' is neither N nor ROWSxCOLUMNS", text);
	if (r < 3 || c < 3 || r > (1 << 24) || c > (1 << 24) || r * c > ((int64_t)1 << 34))
		return report("size '%s' is outside 3 to 16777216 a side and 2^34 points", text);
	*rows = r;
	*columns = c;
	return 0;
}

int64_t rbsor_halo_rows(const struct rbsor_params *params)
{
	return params->thesis ? params->border : 2 * (int64_t)params->border;
}

struct strip rbsor_strip_of(const struct rbsor_params *params, uint32_t gpus, uint32_t gpu)
{
	return strip_of(params->rows, rbsor_halo_rows(params), gpus, gpu);
}

int rbsor_prepare(void *given, uint32_t gpus)
{
	struct rbsor_params *p = given;
	if (p->size && parse_size(p->size, &p->rows, &p->columns))
		return -1;
	p->f64 = !strcmp(p->precision, "f64");
	p->tuned = !strcmp(p->kernel, "tuned");
	p->thesis = !strcmp(p->scheme, "thesis");
	p->peer = !strcmp(p->transport, "peer");
	p->omega_used = p->omega > 0 ? p->omega : rbsor_optimal_omega(p->rows, p->columns);
	if (gpus == 1)
		return 0;
	int64_t thinnest = (p->rows - 2) / gpus;
	if (thinnest < rbsor_halo_rows(p))
		return report("border %d needs %lld halo rows, more than the %lld rows of a strip "
			      "(%lldx%lld on %u GPUs)",
			      p->border, (long long)rbsor_halo_rows(p), (long long)thinnest,
			      (long long)p->rows, (long long)p->columns, gpus);
	return 0;
}

void rbsor_config(const void *given, char text[CONFIG_BYTES])
{
	const struct rbsor_params *p = given;
	int length = snprintf(text, CONFIG_BYTES,
			      "size=%lldx%lld precision=%s kernel=%s scheme=%s border=%d "
			      "transport=%s iterations=%d",
			      (long long)p->rows, (long long)p->columns, p->precision, p->kernel,
			      p->scheme, p->border, p->transport, p->iterations);
	if (p->omega > 0)
		snprintf(text + length, (size_t)(CONFIG_BYTES - length), " omega=%.17g", p->omega);
}

/* A configuration string is the options without dashes: the option table parses both. */
int rbsor_parse(void *given, const char *config)
{
	char *copy = xstrdup(config), *argv[32] = { (char *)"rbsor" }, *save;
	int argc = 1, words, rc = 0;
	for (char *word = strtok_r(copy, " ", &save); word && argc < 32;
	     word = strtok_r(NULL, " ", &save))
		argv[argc++] = xprintf("--%s", word);
	const struct command_help help = { "solve", "solve rbsor", "" };
	memset(given, 0, sizeof(struct rbsor_params));
	if (options_parse(&help, rbsor_options, given, argc, argv, &words) || words)
		rc = report("cannot read the configuration '%s'", config);
	/* Text options point into argv: move the ones that may be arbitrary to static choices. */
	struct rbsor_params *p = given;
	if (!rc) {
		p->precision = strcmp(p->precision, "f64") ? "f32" : "f64";
		p->kernel = strcmp(p->kernel, "paper") ? "tuned" : "paper";
		p->scheme = strcmp(p->scheme, "thesis") ? "exact" : "thesis";
		p->transport = strcmp(p->transport, "host") ? "peer" : "host";
		rc = rbsor_prepare(p, 1);
		p->size = NULL;
	}
	for (int i = 1; i < argc; i++)
		free(argv[i]);
	free(copy);
	return rc;
}
