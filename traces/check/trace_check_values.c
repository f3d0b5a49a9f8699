/* SPDX-License-Identifier: MIT
 * Numbers that nothing can have: a replay would take them for nothing, or refuse them.
 */
#include "trace_check_internal.h"

enum { MOST_GPUS = 1024, LAST_COPY_KIND = 13 };

static bool is_negative(const struct trace_footprint *f)
{
	return f->rows < 0 || f->columns < 0 || f->points < 0 || f->dram_bytes < 0 ||
	       f->resident_bytes < 0 || f->bytes < 0;
}

/* The other GPU of a copy, where it names one. */
static bool is_strange(const struct checking *c, int32_t device)
{
	return device != -1 && map_get(&c->gpu, device, 0) == MAP_NONE;
}

/* No extent at all is one that nobody wrote down. */
static bool is_flat(const uint32_t size[3])
{
	return (!size[0] || !size[1] || !size[2]) && (size[0] || size[1] || size[2]);
}

void check_values(struct checking *c)
{
	const struct trace *t = c->t;
	int64_t found = 0;

	for (size_t i = 0; i < t->run_count; i++)
		found += t->run[i].gpus < 1 || t->run[i].gpus > MOST_GPUS;
	for (size_t i = 0; i < t->memcpy_count; i++) {
		const struct trace_memcpy *m = &t->memcpy[i];

		found += m->bytes < 0 || m->copy_kind < 0 || m->copy_kind > LAST_COPY_KIND ||
			 is_strange(c, m->source_device) || is_strange(c, m->target_device);
	}
	for (size_t i = 0; i < t->memset_count; i++)
		found += t->memset[i].bytes < 0;
	for (size_t i = 0; i < t->footprint_count; i++)
		found += is_negative(&t->footprint[i]);
	for (size_t i = 0; i < t->kernel_count; i++) {
		const struct trace_kernel *k = &t->kernel[i];

		found += is_flat(k->grid) || is_flat(k->block);
	}
	c->count[IMPOSSIBLE] += found;
}
