/* SPDX-License-Identifier: MIT
 * The program's own API calls. The runtime reaches the GPU through the driver, so a recorded driver
 * call is either the program's or lies, in time and on the same thread, within a runtime call; the
 * latter say nothing new and are left out.
 */
#include "spool_read.h"

#include <stdlib.h>
#include <string.h>
#include "traces/base/util.h"

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* By thread, start, then the longer first, so that a call precedes what lies in it; runtime before
 * driver at equal times. */
static int by_thread(const void *a, const void *b)
{
	const struct spool_api *x = a, *y = b;
	int order = compare(x->tid, y->tid);

	order = order ? order : compare(x->start_ns, y->start_ns);
	order = order ? order : compare(y->end_ns, x->end_ns);
	order = order ? order : compare(x->driver, y->driver);
	return order ? order : compare(x->correlation, y->correlation);
}

static int by_from(const void *a, const void *b)
{
	return compare(*(const uint32_t *)a, *(const uint32_t *)b);
}

static int by_correlation(const void *a, const void *b, void *calls)
{
	const struct spool_api *call = calls;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = compare(call[x].correlation, call[y].correlation);

	return order ? order : compare(x, y);
}

static int queries_by_thread(const void *a, const void *b)
{
	const struct spool_queries *x = a, *y = b;
	int order = compare(x->tid, y->tid);

	return order ? order : compare(x->start_ns, y->start_ns);
}

/* What was queries goes with the next call of its thread. */
static void count_queries(struct spool_calls *calls, const struct spool *spool)
{
	struct spool_queries *queries = xcalloc(spool->queries_count + 1, sizeof(*queries));
	size_t at = 0;

	calls->before = xcalloc(calls->count + 1, sizeof(*calls->before));
	if (spool->queries_count)
		memcpy(queries, spool->queries, spool->queries_count * sizeof(*queries));
	qsort(queries, spool->queries_count, sizeof(*queries), queries_by_thread);
	for (size_t i = 0; i < calls->count; i++) {
		const struct spool_api *call = &calls->call[i];

		while (at < spool->queries_count && queries[at].tid < call->tid)
			at++;
		for (; at < spool->queries_count && queries[at].tid == call->tid &&
		       queries[at].start_ns <= call->start_ns;
		     at++) {
			calls->before[i].calls += queries[at].calls;
			calls->before[i].ns += queries[at].ns;
		}
	}
	for (size_t k = 0; k < spool->queries_count; k++)
		calls->query_count += queries[k].calls;
	free(queries);
}

void spool_calls_make(struct spool_calls *calls, const struct spool *spool)
{
	size_t kept = 0, moved_capacity = 0;
	const struct spool_api *above = NULL;

	memset(calls, 0, sizeof(*calls));
	calls->call = xcalloc(spool->api_count + 1, sizeof(*calls->call));
	if (spool->api_count)
		memcpy(calls->call, spool->api, spool->api_count * sizeof(*calls->call));
	qsort(calls->call, spool->api_count, sizeof(*calls->call), by_thread);
	for (size_t i = 0; i < spool->api_count; i++) {
		const struct spool_api call = calls->call[i];

		if (above && above->tid == call.tid && call.driver &&
		    call.start_ns >= above->start_ns && call.end_ns <= above->end_ns) {
			if (call.correlation != above->correlation) {
				GROW(calls->moved, calls->moved_count, moved_capacity);
				calls->moved[calls->moved_count].from = call.correlation;
				calls->moved[calls->moved_count++].to = above->correlation;
			}
			continue;
		}
		calls->call[kept] = call;
		if (!call.driver)
			above = &calls->call[kept];
		kept++;
	}
	calls->count = kept;
	count_queries(calls, spool);
	if (calls->moved_count)
		qsort(calls->moved, calls->moved_count, sizeof(*calls->moved), by_from);
	calls->by_correlation = xcalloc(kept + 1, sizeof(*calls->by_correlation));
	for (size_t i = 0; i < kept; i++)
		calls->by_correlation[i] = (uint32_t)i;
	qsort_r(calls->by_correlation, kept, sizeof(*calls->by_correlation), by_correlation,
		calls->call);
}

void spool_calls_release(struct spool_calls *calls)
{
	free(calls->call);
	free(calls->before);
	free(calls->by_correlation);
	free(calls->moved);
	memset(calls, 0, sizeof(*calls));
}

uint32_t spool_calls_correlation(const struct spool_calls *calls, uint32_t correlation)
{
	const uint32_t *moved = calls->moved_count
					? bsearch(&correlation, calls->moved, calls->moved_count,
						  sizeof(*calls->moved), by_from)
					: NULL;

	return moved ? moved[1] : correlation;
}

const struct spool_api *spool_calls_find(const struct spool_calls *calls, uint32_t correlation)
{
	size_t low = 0, high = calls->count;

	correlation = spool_calls_correlation(calls, correlation);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (calls->call[calls->by_correlation[middle]].correlation < correlation)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == calls->count ||
	    calls->call[calls->by_correlation[low]].correlation != correlation)
		return NULL;
	return &calls->call[calls->by_correlation[low]];
}

bool spool_is_launch(const char *name, bool graphs)
{
	static const char *const kernel[] = {
		"cudaLaunchKernel", "cudaLaunchCooperativeKernel", "cudaLaunch_",
		"cuLaunchKernel",   "cuLaunchCooperativeKernel",   "cuLaunchGrid"
	};
	static const char *const graph[] = { "cudaGraphLaunch", "cuGraphLaunch" };

	for (size_t i = 0; i < sizeof(kernel) / sizeof(kernel[0]); i++)
		if (!strncmp(name, kernel[i], strlen(kernel[i])))
			return true;
	for (size_t i = 0; graphs && i < sizeof(graph) / sizeof(graph[0]); i++)
		if (!strncmp(name, graph[i], strlen(graph[i])))
			return true;
	return !strcmp(name, "cuLaunch");
}
