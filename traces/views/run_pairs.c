/* SPDX-License-Identifier: MIT */
#include "run_pairs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/text_show.h"
#include "traces/base/util.h"

static bool are_alike(const struct trace *a, size_t i, const struct trace *b, size_t j)
{
	const struct trace_run *x = &a->run[i], *y = &b->run[j];

	return x->gpus == y->gpus && !strcmp(trace_text(a, x->solver), trace_text(b, y->solver)) &&
	       !strcmp(trace_text(a, x->config), trace_text(b, y->config));
}

size_t run_pairs(const struct trace *a, const struct trace *b, struct run_pair **pairs,
		 size_t *paired)
{
	struct run_pair *pair = xcalloc(a->run_count + b->run_count + 1, sizeof(*pair));
	bool *taken = xcalloc(a->run_count + b->run_count + 1, sizeof(*taken)),
	     *taken_b = taken + a->run_count;
	size_t count = 0;

	for (size_t i = 0; i < a->run_count; i++)
		for (size_t j = 0; j < b->run_count && !taken[i]; j++)
			if (!taken_b[j] && are_alike(a, i, b, j)) {
				taken[i] = taken_b[j] = true;
				pair[count++] = (struct run_pair){ i, j, false };
			}
	if (!count && a->run_count == 1 && b->run_count == 1) {
		taken[0] = taken_b[0] = true;
		pair[count++] = (struct run_pair){ 0, 0, true };
	}
	*paired = count;
	for (size_t i = 0; i < a->run_count; i++)
		if (!taken[i])
			pair[count++] = (struct run_pair){ i, RUN_ALONE, false };
	for (size_t j = 0; j < b->run_count; j++)
		if (!taken_b[j])
			pair[count++] = (struct run_pair){ RUN_ALONE, j, false };
	free(taken);
	*pairs = pair;
	return count;
}

char *run_text(const struct trace *trace, size_t run)
{
	const struct trace_run *r = &trace->run[run];

	struct text_show show = { 0 };
	char *text = xprintf(
		"%s on %" PRId32 " GPU%s, %s", text_show(&show, trace_text(trace, r->solver)),
		r->gpus, r->gpus == 1 ? "" : "s", text_show(&show, trace_text(trace, r->config)));

	text_show_release(&show);
	return text;
}
