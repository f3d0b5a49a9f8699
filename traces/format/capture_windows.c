/* SPDX-License-Identifier: MIT */
#include "capture_windows.h"

#include <stdlib.h>

#include "traces/base/util.h"

void capture_windows_thread(struct capture_windows *list)
{
	list->opened = 0;
}

void capture_windows_begin(struct capture_windows *list, int64_t at_ns)
{
	GROW(list->open_ns, list->opened, list->open_capacity);
	list->open_ns[list->opened++] = at_ns;
}

void capture_windows_end(struct capture_windows *list, int64_t process, int64_t at_ns)
{
	if (!list->opened)
		return;
	GROW(list->window, list->count, list->capacity);
	list->window[list->count++] =
		(struct capture_window){ process, list->open_ns[--list->opened], at_ns };
}

static int compare(const void *left, const void *right)
{
	const struct capture_window *a = left, *b = right;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return (a->from_ns > b->from_ns) - (a->from_ns < b->from_ns);
}

void capture_windows_finish(struct capture_windows *list)
{
	size_t joined = 0;

	if (list->count)
		qsort(list->window, list->count, sizeof(*list->window), compare);
	for (size_t i = 0; i < list->count; i++) {
		const struct capture_window next = list->window[i];
		struct capture_window *last = joined ? &list->window[joined - 1] : NULL;

		if (!last || last->process != next.process || next.from_ns > last->to_ns)
			list->window[joined++] = next;
		else if (last->to_ns < next.to_ns)
			last->to_ns = next.to_ns;
	}
	list->count = joined;
}

bool capture_windows_hold(const struct capture_windows *list, int64_t process, int64_t at_ns)
{
	size_t low = 0, high = list->count; /* the last that begins no later decides */

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct capture_window *w = &list->window[middle];

		if (w->process < process || (w->process == process && w->from_ns <= at_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low && list->window[low - 1].process == process &&
	       at_ns < list->window[low - 1].to_ns;
}

void capture_windows_release(struct capture_windows *list)
{
	free(list->window);
	free(list->open_ns);
	*list = (struct capture_windows){ 0 };
}
