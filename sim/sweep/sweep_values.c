/* SPDX-License-Identifier: MIT */
#include "sweep_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

enum { VALUES_MOST = 1000000 }; /* of one key */

void sweep_value_add(struct sweep_key *key, const char *text)
{
	GROW(key->value, key->count, key->capacity);
	key->value[key->count++] = xstrdup(text);
}

/* "a..b", "a..b+s", "a..b*f": *step is added, or multiplied with. */
struct range {
	double from, to, step;
	bool factor;
};

static bool read_range(const char *word, struct range *range)
{
	char *copy = xstrdup(word), *dots = strstr(copy, ".."), *step = NULL;
	bool good = false;
	*range = (struct range){ .step = 1 };
	if (!dots)
		goto out;
	*dots = 0;
	step = dots[2] ? strpbrk(dots + 3, "+*") : NULL; /* a sign may stand first */
	if (step) {
		range->factor = *step == '*';
		*step = 0;
		if (parse_double(step + 1, &range->step))
			goto out;
	}
	good = !parse_double(copy, &range->from) && !parse_double(dots + 2, &range->to);
out:
	free(copy);
	return good;
}

int sweep_values_add(struct sweep_key *key, const char *word, const char *where)
{
	struct range range;
	if (!strstr(word, "..")) {
		sweep_value_add(key, word);
		return 0;
	}
	if (!read_range(word, &range) || !isfinite(range.from) || !isfinite(range.to))
		return report("%s: '%s' is no range: a..b, a..b+step or a..b*factor", where, word);
	if (range.factor ? range.step <= 1 || range.from <= 0 : range.step <= 0)
		return report("%s: the steps of '%s' lead nowhere", where, word);
	const double end = range.to * (1 + 1e-12);
	size_t before = key->count;
	for (double value = range.from; value <= end;) {
		char text[32];
		if (key->count - before >= VALUES_MOST)
			return report("%s: '%s' has more than %d values", where, word, VALUES_MOST);
		snprintf(text, sizeof(text), "%.15g", value);
		sweep_value_add(key, text);
		value = range.factor ? value * range.step
				     : range.from + (double)(key->count - before) * range.step;
	}
	if (key->count == before)
		return report("%s: '%s' has no values", where, word);
	return 0;
}
