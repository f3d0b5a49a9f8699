/* SPDX-License-Identifier: MIT
 * What the programs that compare kernels on a GPU with their CPU implementations share: random
 * numbers, the comparison of two buffers, the counts of cases and mismatches, and the sizes named
 * as arguments.
 */
#ifndef WARPREEL_GPU_KIT_H
#define WARPREEL_GPU_KIT_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

struct gpu_size {
	int rows, columns;
};

/* The counts of a whole check; begins as all zeros. */
struct gpu_check {
	uint64_t drawn; /* where gpu_random is in its sequence, the same in every run */
	long cases, failures;
	long parts_cases, parts_failures; /* those gpu_count_part has told */
};

/* In [0, 1): xorshift (Marsaglia 2003). */
static inline double gpu_random(struct gpu_check *check)
{
	uint64_t *state = &check->drawn;

	if (!*state)
		*state = 0x9e3779b97f4a7c15u;
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (double)(*state >> 11) * 0x1p-53;
}

/* The CPU side of launches that are for the GPU alone. */
static inline void gpu_never(const void *args)
{
	(void)args;
	abort();
}

/* One case: bytes of floats (element: 4) or doubles (8) in rows of pitch elements, bit for bit. */
static inline void gpu_compare(struct gpu_check *check, const char *what, const void *expected,
			       const void *got, size_t bytes, size_t element, int64_t pitch)
{
	const char *e = expected, *g = got;

	check->cases++;
	if (!memcmp(e, g, bytes))
		return;
	check->failures++;
	for (size_t at = 0, shown = 0; at < bytes && shown < 3; at += element) {
		const void *want = e + at, *have = g + at;
		const int64_t index = (int64_t)(at / element);
		if (!memcmp(want, have, element))
			continue;
		printf("MISMATCH %s: row %lld element %lld: expected %.17g, got %.17g\n", what,
		       (long long)(index / pitch), (long long)(index % pitch),
		       element == 4 ? (double)*(const float *)want : *(const double *)want,
		       element == 4 ? (double)*(const float *)have : *(const double *)have);
		shown++;
	}
}

/* A line on the cases since the last such line. */
static inline __attribute__((format(printf, 2, 3))) void gpu_count_part(struct gpu_check *check,
									const char *part, ...)
{
	va_list args;

	printf("%-4s ", check->failures == check->parts_failures ? "ok" : "BAD");
	va_start(args, part);
	vprintf(part, args);
	va_end(args);
	printf(": %ld cases, %ld mismatches\n", check->cases - check->parts_cases,
	       check->failures - check->parts_failures);
	check->parts_cases = check->cases;
	check->parts_failures = check->failures;
}

/* The last line. Returns the exit code. */
static inline int gpu_count_all(const struct gpu_check *check)
{
	printf("%ld cases, %ld mismatches\n", check->cases, check->failures);
	return check->failures ? EXIT_BAD : EXIT_OK;
}

/* The sizes in the arguments, ROWSxCOLUMNS each; without arguments those given, *count of them. The
 * caller frees. NULL after a message: one is wrong. */
static inline struct gpu_size *gpu_sizes(int argc, char **argv, const struct gpu_size *given,
					 size_t *count)
{
	struct gpu_size *sizes;

	if (argc < 2) {
		sizes = xcalloc(*count, sizeof(*sizes));
		memcpy(sizes, given, *count * sizeof(*sizes));
		return sizes;
	}
	*count = (size_t)argc - 1;
	sizes = xcalloc(*count, sizeof(*sizes));
	for (size_t i = 0; i < *count; i++)
		if (sscanf(argv[i + 1], "%dx%d", &sizes[i].rows, &sizes[i].columns) != 2 ||
		    sizes[i].rows < 3 || sizes[i].columns < 3) {
			report("'%s' is not ROWSxCOLUMNS of at least 3x3", argv[i + 1]);
			free(sizes);
			return NULL;
		}
	return sizes;
}

#endif
