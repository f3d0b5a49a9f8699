/* SPDX-License-Identifier: MIT */
#include "kernel_model.h"

#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

#define KERNEL_MODEL(name) extern const struct kernel_model_ops kernel_model_##name;
#include "kernel_models.def"
#undef KERNEL_MODEL

const struct kernel_model_ops *const kernel_models[] = {
#define KERNEL_MODEL(name) &kernel_model_##name,
#include "kernel_models.def"
#undef KERNEL_MODEL
	NULL,
};

const struct kernel_model_ops *kernel_model_find(const char *name)
{
	char names[256] = "";
	for (int i = 0; kernel_models[i]; i++) {
		if (!strcmp(kernel_models[i]->name, name))
			return kernel_models[i];
		strncat(names, " ", sizeof(names) - strlen(names) - 1);
		strncat(names, kernel_models[i]->name, sizeof(names) - strlen(names) - 1);
	}
	report("unknown kernel model '%s'; there is:%s", name, names);
	return NULL;
}

double kernel_model_tracer_ns(const struct platform *p)
{
	size_t n =
		p->period.count < p->traced_period.count ? p->period.count : p->traced_period.count;
	if (!n)
		return 0;
	double *extra = xmalloc(n * sizeof(*extra));
	for (size_t k = 0; k < n; k++)
		extra[k] = p->traced_period.value[k] - p->period.value[k];
	double median = median_of(extra, n);
	free(extra);
	return median > 0 ? median : 0;
}

double kernel_model_gap(const struct kernel_model *model, const struct schedule *schedule,
			const struct schedule_shape *shape, double duration_ns)
{
	const struct platform *p = model->platform;
	const char *name = schedule->kernel[shape->kernel];
	/* On virtual GPUs kernels take turns: the pauses recorded there are the turns'. */
	const struct profile *own = schedule->virtual_gpus ? NULL : model->own,
			     *source[] = { own, model->profile };
	for (size_t k = 0; k < 2 && shape->rows > 0; k++) {
		double traced =
			source[k] ? profile_gap(source[k], name, shape->rows, shape->columns) : -1;
		if (traced >= 0) {
			const double tracer = kernel_model_tracer_ns(p);
			return traced > tracer ? traced - tracer : 0;
		}
	}
	return p->kernel_gap.x.count ? curve_at_linear(&p->kernel_gap, duration_ns) : 0;
}
