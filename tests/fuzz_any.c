/* SPDX-License-Identifier: MIT
 * All fuzz targets in one program, to be carried to a machine with many idle cores: it is the
 * target that it is called as (mk/check.mk makes a link for each).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int target_fn(const uint8_t *data, size_t size);

/* TARGETS is TARGET(name) of each, by the build. */
#define TARGET(name) target_fn name;
TARGETS
#undef TARGET

static const struct {
	const char *name;
	target_fn *run;
} target[] = {
#define TARGET(name) { #name, name },
	TARGETS
#undef TARGET
};

enum { TARGET_COUNT = sizeof(target) / sizeof(target[0]) };

static target_fn *chosen;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *slash = strrchr(**argv, '/'), *name = slash ? slash + 1 : **argv;

	(void)argc;
	for (int i = 0; i < TARGET_COUNT && !chosen; i++)
		if (!strcmp(name, target[i].name))
			chosen = target[i].run;
	if (chosen)
		return 0;
	fprintf(stderr, "%s: not the name of a fuzz target\n", name);
	exit(2);
}

target_fn LLVMFuzzerTestOneInput;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return chosen(data, size);
}
