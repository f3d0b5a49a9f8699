/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "platform_internal.h"
#include "sm_order.h"

static const void *member(const struct sm_device *device, const struct platform_key *key)
{
	return (const char *)device + (key->offset - offsetof(struct platform, sm));
}

/* By the key's unit: 1 = more is faster, -1 = less is, 0 = neither can be said. */
static int direction(const struct platform_key *key)
{
	if (key->kind != KEY_REAL)
		return 0;
	if (key->flags & KEY_INFINITE)
		return 1;
	return !strcmp(key->unit, "ns") || !strcmp(key->unit, "cycles") ? -1 : 0;
}

static bool same(const struct sm_device *a, const struct sm_device *b,
		 const struct platform_key *key)
{
	if (key->kind == KEY_REAL)
		return *(const double *)member(a, key) == *(const double *)member(b, key);
	if (key->kind == KEY_INTEGER)
		return *(const int *)member(a, key) == *(const int *)member(b, key);
	if (key->kind == KEY_TEXT) {
		const char *x = *(char *const *)member(a, key), *y = *(char *const *)member(b, key);
		return x == y || (x && y && !strcmp(x, y));
	}
	const struct number_list *x = member(a, key), *y = member(b, key);
	return x->count == y->count &&
	       (!x->count || !memcmp(x->value, y->value, x->count * sizeof(*x->value)));
}

enum sm_order sm_order(const struct sm_device *a, const struct sm_device *b)
{
	bool faster = false, slower = false;
	for (const struct platform_key *key = platform_keys; key->name; key++) {
		if (strncmp(key->name, "sm.", 3) || key->offset == NO_MEMBER || same(a, b, key))
			continue;
		int way = direction(key);
		if (!way)
			return SM_NEITHER;
		double x = *(const double *)member(a, key), y = *(const double *)member(b, key);
		if (way > 0 && (x <= 0 || y <= 0)) /* a rate of 0 is one that nobody measured */
			return SM_NEITHER;
		faster |= way > 0 ? y > x : y < x;
		slower |= way > 0 ? y < x : y > x;
	}
	return faster && slower ? SM_NEITHER : faster ? SM_FASTER : slower ? SM_SLOWER : SM_EQUAL;
}
