/* SPDX-License-Identifier: MIT
 * Blocks of instrumented kernels: launches in the order in which they began, each joined to its
 * kernel by the number the device gave the grid, times and clocks from the first of their device
 * and SM.
 */
#include "spool_read.h"

#include <stdlib.h>
#include "traces/base/util.h"

static uint64_t grid_blocks(const struct spool_kernel *kernel)
{
	return (uint64_t)kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
}

/* The one kernel of that device, grid number and size; -1 when there is none, or several. */
static int64_t correlation_of(const struct spool *spool, const struct spool_calls *calls,
			      const struct spool_blocks *launch)
{
	int64_t found = -1;

	if (!launch->grid)
		return -1;
	for (size_t i = 0; i < spool->kernel_count; i++) {
		const struct spool_kernel *kernel = &spool->kernel[i];

		if ((uint64_t)kernel->grid_id != launch->grid || kernel->device != launch->device ||
		    grid_blocks(kernel) != launch->grid_blocks)
			continue;
		if (found != -1)
			return -1;
		found = spool_calls_correlation(calls, kernel->correlation);
	}
	return found;
}

struct instrumented {
	const struct spool_blocks *launch;
	struct trace_block *block;
	size_t count, capacity;
};

static int64_t first_ns(const struct instrumented *instrumented)
{
	int64_t first = INT64_MAX;

	for (size_t i = 0; i < instrumented->count; i++)
		first = instrumented->block[i].begin_ns < first ? instrumented->block[i].begin_ns
								: first;
	return first;
}

static int by_begin(const void *a, const void *b)
{
	const struct instrumented *x = a, *y = b;
	int64_t left = first_ns(x), right = first_ns(y);

	if (x->launch->device != y->launch->device)
		return x->launch->device < y->launch->device ? -1 : 1;
	return left < right ? -1 : left > right;
}

static int by_block(const void *a, const void *b)
{
	const struct trace_block *x = a, *y = b;

	return x->block < y->block ? -1 : x->block > y->block;
}

struct first {
	uint32_t device, sm;
	int64_t ns, clock;
};

static struct first *first_of(struct first **first, size_t *count, size_t *capacity,
			      uint32_t device, uint32_t sm)
{
	for (size_t i = 0; i < *count; i++)
		if ((*first)[i].device == device && (*first)[i].sm == sm)
			return &(*first)[i];
	GROW(*first, *count, *capacity);
	(*first)[*count] = (struct first){ device, sm, INT64_MAX, INT64_MAX };
	return &(*first)[(*count)++];
}

/* Large numbers whose beginning means nothing become small ones. */
static void rebase(struct instrumented *instrumented, size_t launches)
{
	struct first *first = NULL;
	size_t count = 0, capacity = 0;

	for (size_t k = 0; k < launches; k++)
		for (size_t i = 0; i < instrumented[k].count; i++) {
			const struct trace_block *block = &instrumented[k].block[i];
			struct first *sm = first_of(&first, &count, &capacity,
						    instrumented[k].launch->device, block->sm);

			sm->ns = block->begin_ns < sm->ns ? block->begin_ns : sm->ns;
			sm->clock = block->begin_clock < sm->clock ? block->begin_clock : sm->clock;
		}
	for (size_t k = 0; k < launches; k++) {
		int64_t device_ns = INT64_MAX;

		for (size_t j = 0; j < count; j++)
			if (first[j].device == instrumented[k].launch->device &&
			    first[j].ns < device_ns)
				device_ns = first[j].ns;
		for (size_t i = 0; i < instrumented[k].count; i++) {
			struct trace_block *block = &instrumented[k].block[i];
			const struct first *sm =
				first_of(&first, &count, &capacity, instrumented[k].launch->device,
					 block->sm);

			block->begin_ns -= device_ns;
			block->end_ns -= device_ns;
			block->begin_clock -= sm->clock;
			block->end_clock -= sm->clock;
		}
	}
	free(first);
}

void spool_convert_blocks(struct trace *trace, const struct spool *spool,
			  const struct spool_calls *calls)
{
	const size_t launches = spool->blocks_count;
	struct instrumented *instrumented = xcalloc(launches + 1, sizeof(*instrumented));
	uint64_t astray = 0, unnoted = 0, unjoined = 0;
	size_t at = 0;

	for (size_t k = 0; k < launches; k++)
		instrumented[k].launch = &spool->blocks[k];
	for (size_t i = 0; i < spool->block_count; i++) { /* they come launch by launch */
		const struct spool_block *block = &spool->block[i];

		for (size_t tries = 0;
		     tries < launches && instrumented[at].launch->launch != block->launch; tries++)
			at = (at + 1) % launches;
		if (!launches || instrumented[at].launch->launch != block->launch ||
		    block->begin_ns > INT64_MAX || block->end_ns > INT64_MAX ||
		    block->begin_clock > INT64_MAX || block->end_clock > INT64_MAX) {
			astray++;
			continue;
		}
		GROW(instrumented[at].block, instrumented[at].count, instrumented[at].capacity);
		instrumented[at].block[instrumented[at].count++] =
			(struct trace_block){ .correlation = -1,
					      .global_pid = (int64_t)spool->pid << 24,
					      .device = spool_id(instrumented[at].launch->device),
					      .block = block->block,
					      .sm = block->sm,
					      .begin_ns = (int64_t)block->begin_ns,
					      .end_ns = (int64_t)block->end_ns,
					      .begin_clock = (int64_t)block->begin_clock,
					      .end_clock = (int64_t)block->end_clock };
	}
	rebase(instrumented, launches);
	qsort(instrumented, launches, sizeof(*instrumented), by_begin);
	for (size_t k = 0; k < launches; k++) {
		const struct spool_blocks *launch = instrumented[k].launch;
		int64_t correlation = correlation_of(spool, calls, launch);

		for (size_t i = 0; i < instrumented[k].count; i++)
			instrumented[k].block[i].correlation = correlation;
		if (instrumented[k].count) {
			qsort(instrumented[k].block, instrumented[k].count,
			      sizeof(*instrumented[k].block), by_block);
			trace_add_blocks(trace, spool_text(spool, launch->kernel),
					 instrumented[k].block, instrumented[k].count);
		}
		unjoined += correlation == -1;
		unnoted += launch->grid_blocks > instrumented[k].count
				   ? launch->grid_blocks - instrumented[k].count
				   : 0;
		free(instrumented[k].block);
	}
	spool_lose(trace, "blocks-astray", astray,
		   "notes of blocks whose launch is not there, or with impossible times");
	spool_lose(trace, "blocks-not-noted", unnoted,
		   "blocks of noted launches that no room was left for");
	spool_lose(trace, "blocks-without-kernel", unjoined,
		   "noted launches whose kernel record could not be told");
	free(instrumented);
}
