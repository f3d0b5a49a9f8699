/* SPDX-License-Identifier: MIT
 * Numbers that papers print: traces/data/papers/<paper>_published.tsv, a row a number.
 */
#ifndef WARPREEL_PUBLISHED_H
#define WARPREEL_PUBLISHED_H

#include <stddef.h>

struct published_row {
	int table, problem, size;
	double re, value;
	char *device, *omega, *kernel, *quantity, *unit,
		*text; /* text: the value as printed; all owned */
};

struct published {
	struct published_row *row;
	size_t count, capacity;
}; /* owned */

/* -1 after a message naming file and line: a column that lacks, a value that is no number, a number
 * given twice, no number at all. */
int published_read(struct published *published, const char *path);
void published_release(struct published *published);
/* What stands in the same place of the table as `like` under another quantity and device; NULL =
 * nothing. Kernel NULL: any. */
const struct published_row *published_find(const struct published *published,
					   const struct published_row *like, const char *device,
					   const char *kernel, const char *quantity);

#endif
