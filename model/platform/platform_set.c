/* SPDX-License-Identifier: MIT
 * --set: one key's text replaced, under the same rules as a file's.
 */
#include "platform_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

/* Whether it is "2x". */
static bool is_factor(const char *text, double *times)
{
	const size_t length = strlen(text);
	char *number = xstrdup(text);
	const bool is = length > 1 && text[length - 1] == 'x';
	if (is)
		number[length - 1] = 0;
	const bool good = is && !parse_double(number, times);
	free(number);
	return good;
}

/* "2x": what is there, times that. NULL: the text is none such, or there is nothing to multiply. */
static char *multiplied(const struct platform_entry *entry, const char *text)
{
	char *list = NULL, bad[48];
	struct number_list now = { 0 };
	double times;
	if (!entry->text || entry->spec->kind == KEY_TEXT || !is_factor(text, &times) ||
	    number_list_parse(&now, entry->text, bad))
		goto out;
	list = xstrdup("");
	for (size_t k = 0; k < now.count; k++) {
		char *longer = xprintf("%s%s%.17g", list, k ? " " : "", now.value[k] * times);
		free(list);
		list = longer;
	}
out:
	free(now.value);
	return list;
}

/* The list that begins with this number, its entries in the ratio they were. NULL: there is none to
 * go by. */
static char *scaled(const struct platform_entry *entry, const char *text)
{
	struct number_list now = { 0 };
	char bad[48], *list = NULL;
	double first;
	if (!entry->text || parse_double(text, &first) || strcspn(text, " \t,") != strlen(text) ||
	    number_list_parse(&now, entry->text, bad) || now.count < 2 || !(now.value[0] > 0) ||
	    isinf(now.value[0]))
		goto out;
	list = xstrdup(text);
	for (size_t k = 1; k < now.count; k++) {
		char *longer = xprintf("%s %.17g", list, now.value[k] / now.value[0] * first);
		free(list);
		list = longer;
	}
out:
	free(now.value);
	return list;
}

/* One number for a list stands for all its entries. */
static char *repeat(const struct platform *platform, const struct platform_key *spec,
		    const char *text)
{
	const struct platform_entry *pair =
		spec->pairs ? platform_entry_find(platform, spec->pairs) : NULL;
	char *list = xstrdup(text);
	if (spec->kind != KEY_LIST || !pair || strcspn(text, " \t,") != strlen(text))
		return list;
	for (size_t i = 1; i < pair->count; i++) {
		char *longer = xprintf("%s %s", list, text);
		free(list);
		list = longer;
	}
	return list;
}

/* Names people think in, in GB/s: each stands for several keys. Neither is a key of a platform
 * file. */
static const struct {
	const char *name, *key[2];
} rate_alias[] = {
	{ "device.dram_gb_per_s", { "sm.dram_read_bytes_per_s", "sm.dram_write_bytes_per_s" } },
	{ "device.l2_gb_per_s", { "sm.l2_read_bytes_per_s", "sm.l2_write_bytes_per_s" } },
};

/* 1: not an alias. */
static int set_alias(struct platform *platform, const char *assignment)
{
	size_t length = strcspn(assignment, "="), i = 0,
	       count = sizeof(rate_alias) / sizeof(rate_alias[0]);
	double gb_per_s, times;
	while (i < count && (strlen(rate_alias[i].name) != length ||
			     strncmp(rate_alias[i].name, assignment, length)))
		i++;
	if (i == count || !assignment[length])
		return 1;
	const char *value = assignment + length + 1;
	const bool factor = is_factor(value, &times);
	if (!factor && parse_double(value, &gb_per_s))
		return report("--set %s: '%s' is not a number", assignment, value);
	for (size_t k = 0; k < 2; k++) {
		const char *key = rate_alias[i].key[k];
		char *longer = factor ? xprintf("%s=%s", key, value)
				      : xprintf("%s=%.17g", key, 1e9 * gb_per_s);
		int rc = platform_set(platform, longer);
		free(longer);
		if (rc)
			return -1;
	}
	return 0;
}

/* Takes the entries beyond so many off again. */
static void drop_beyond(struct platform *platform, size_t count)
{
	while (platform->entry_count > count) {
		struct platform_entry *last = &platform->entry[--platform->entry_count];
		free(last->key);
		free(last->text);
		free(last->file_text);
	}
}

/* The entry of that name gets another text; -1 after a message, and all is as before. */
static int replace(struct platform *platform, const struct platform_key *spec, const char *name,
		   const char *text, const char *where)
{
	struct platform_entry *entry = platform_entry_find(platform, name);
	const size_t entries = platform->entry_count;
	double times_what;
	if (!entry && spec->kind != KEY_TEXT && is_factor(text, &times_what))
		return report("%s: platform '%s' has no '%s' to multiply", where, platform->name,
			      name);
	if (!entry) {
		GROW(platform->entry, platform->entry_count, platform->entry_capacity);
		entry = &platform->entry[platform->entry_count++];
		*entry = (struct platform_entry){ .key = xstrdup(name), .spec = spec };
	}
	const size_t at = (size_t)(entry - platform->entry);
	const struct platform_entry before = *entry;
	char *times = multiplied(entry, text);
	if (!times && spec->flags & KEY_ROOM)
		times = scaled(entry, text);
	entry->text = times ? times : repeat(platform, spec, text);
	entry->derived = false;
	int rc = platform_accept(platform, entry, where);
	if (!rc)
		rc = platform_fill_in(platform, where); /* may move the entries */
	if (!rc)
		rc = platform_validate(platform, where);
	if (!rc) {
		free(before.text);
		costs_derive(platform);
		return 0;
	}
	free(platform->entry[at].text);
	platform->entry[at] = before;
	drop_beyond(platform, entries);
	platform_fill_in(platform, where); /* what followed the new text */
	platform->sm.present = platform_entry_find(platform, "sm.isa") != NULL;
	costs_derive(platform);
	return -1;
}

static int set_trimmed(struct platform *platform, const char *assignment)
{
	int alias = set_alias(platform, assignment);
	if (alias <= 0)
		return alias;
	const char *equals = strchr(assignment, '=');
	char *where = xprintf("--set %s", assignment), *name = NULL;
	int rc = -1;
	if (!equals || equals == assignment) {
		report("%s: not KEY=VALUE", where);
		goto out;
	}
	name = xprintf("%.*s", (int)(equals - assignment), assignment);
	if (platform_key_is_evidence(name)) {
		report_warning("%s: no model looks at '%s', so nothing changes", where, name);
		rc = 0;
		goto out;
	}
	if (platform_key_now(name)) {
		char *now = xstrdup(platform_key_now(name));
		report_warning("%s: the key is '%s' now", where, now);
		free(name);
		name = now;
	}
	const struct platform_key *spec = platform_key_find(name);
	if (!spec) {
		platform_unknown_key(where, name);
		goto out;
	}
	if (platform_key_is_base(name)) {
		report("%s: what '%s' was when the finer measurements were made is no cost; set "
		       "the key without 'base.'",
		       where, spec->name);
		goto out;
	}
	rc = replace(platform, spec, name, equals + 1, where);
	if (!rc && platform_key_unread(spec))
		report_warning(
			"%s: '%s' is for the reader, no model looks at it, so nothing changes (%s)",
			where, name, spec->help);
out:
	free(where);
	free(name);
	return rc;
}

/* KEY=VALUE without the blanks around either, as a platform file may have them. */
static char *trimmed(const char *assignment)
{
	static const char blank[] = " \t";
	const char *key = assignment + strspn(assignment, blank), *equals = strchr(key, '=');
	size_t length = equals ? (size_t)(equals - key) : strlen(key), rest;

	if (!equals)
		return xstrdup(key);
	while (length && strchr(blank, key[length - 1]))
		length--;
	equals += 1 + strspn(equals + 1, blank);
	for (rest = strlen(equals); rest && strchr(blank, equals[rest - 1]);)
		rest--;
	return xprintf("%.*s=%.*s", (int)length, key, (int)rest, equals);
}

int platform_set(struct platform *platform, const char *assignment)
{
	char *text = trimmed(assignment);
	int rc = set_trimmed(platform, text);

	free(text);
	return rc;
}

bool platform_set_is_idle(const char *assignment)
{
	char *name = trimmed(assignment);
	name[strcspn(name, "=")] = 0;
	const struct platform_key *spec = platform_key_find(name);
	const bool evidence = platform_key_is_evidence(name);
	free(name);
	return evidence || (spec && platform_key_unread(spec));
}
