/* SPDX-License-Identifier: MIT */
#include "weak_params.h"

#include <stdio.h>
#include <string.h>

#include "kernels/weak/weak_launch.h"
#include "traces/base/util.h"

static const struct weak_scheme schemes[] = {
	{ "reference", { "poisson_reference", "shape_reference" }, weak_reference_cpu, NULL, true },
};

int weak_prepare(struct weak_params *p, uint32_t gpus)
{
	size_t k = 0;
	if (gpus > 1)
		return report("scheme %s is for one GPU", p->scheme);
	while (strcmp(schemes[k].option, p->scheme)) /* the option table let no other name in */
		k++;
	p->method = &schemes[k];
	p->scheme = p->method->option;
	p->by_error = !strcmp(p->stop, "error");
	p->stop = p->by_error ? "error" : "residual";
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
	weak_config_add(text, " scheme=%s stop=%s tolerance=%s max-steps=%d", p->scheme, p->stop,
			weak_shortest(p->tolerance, tolerance), p->max_steps);
	if (p->steps)
		weak_config_add(text, " steps=%d", p->steps);
}
