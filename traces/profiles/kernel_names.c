/* SPDX-License-Identifier: MIT */
#include "kernel_names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/demangle.h"
#include "traces/base/util.h"

enum { MOST_NAMED = 6 };

bool kernel_is_called(const struct kernel_profile *profile, const char *name)
{
	char *bare = kernel_bare_name(profile->symbol);
	bool is = !strcmp(profile->kernel, name) || !strcmp(profile->symbol, name) ||
		  !strcmp(bare, name);

	free(bare);
	return is;
}

struct near {
	const char *kernel;
	size_t edits, place;
};

static int compare_near(const void *left, const void *right)
{
	const struct near *a = left, *b = right;

	if (a->edits != b->edits)
		return a->edits < b->edits ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

static size_t edits_to(const struct kernel_profile *profile, const char *name)
{
	char *bare = kernel_bare_name(profile->symbol);
	size_t kernel = text_edits(name, profile->kernel), last = text_edits(name, bare);

	free(bare);
	return kernel < last ? kernel : last;
}

int kernel_is_unknown(const struct kernel_profiles *all, const char *file, const char *name)
{
	struct near *near = xcalloc(all->count + 1, sizeof(*near));
	char *names = xstrdup("");
	size_t count = 0;

	for (size_t i = 0; i < all->count; i++) {
		size_t first = 0;

		while (strcmp(all->profile[first].kernel, all->profile[i].kernel))
			first++;
		if (first == i)
			near[count++] = (struct near){ all->profile[i].kernel,
						       edits_to(&all->profile[i], name), i };
	}
	qsort(near, count, sizeof(*near), compare_near);
	for (size_t i = 0; i < count && i < MOST_NAMED; i++) {
		char *longer = xprintf("%s%s%s", names, i ? ", " : "", near[i].kernel);

		free(names);
		names = longer;
	}
	if (count > MOST_NAMED)
		report("%s: no profile of kernel '%s'; the nearest of %zu are: %s", file, name,
		       count, names);
	else
		report("%s: no profile of kernel '%s'; there %s %s", file, name,
		       count ? "are:" : "is", count ? names : "none");
	free(names);
	free(near);
	return -1;
}

int kernel_none_launched(const struct text_list *asked, const char *lines)
{
	enum { MOST = 256 };
	struct near near[MOST];
	char *text = xstrdup(lines ? lines : ""), *names = xstrdup(""), *rest = text;
	size_t count = 0;

	for (char *name; (name = strsep(&rest, "\n")) && count < MOST;) {
		if (!*name)
			continue;
		near[count] = (struct near){ name, SIZE_MAX, count };
		for (int i = 0; i < asked->count; i++) {
			const size_t edits = text_edits(asked->text[i], name);

			near[count].edits = edits < near[count].edits ? edits : near[count].edits;
		}
		count++;
	}
	qsort(near, count, sizeof(*near), compare_near);
	for (size_t i = 0; i < count && i < MOST_NAMED; i++) {
		char *longer = xprintf("%s%s%s", names, i ? ", " : "", near[i].kernel);

		free(names);
		names = longer;
	}
	report("profile: no profile was made: no kernel that --kernel names was launched%s%s",
	       count > MOST_NAMED ? "; the nearest that were: "
	       : count		  ? "; launched were: "
				  : "",
	       names);
	free(names);
	free(text);
	return -1;
}
