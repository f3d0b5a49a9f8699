/* SPDX-License-Identifier: MIT */
#include "kernel_model.h"

#include <string.h>

#include "../traces/util.h"

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
