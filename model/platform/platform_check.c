/* SPDX-License-Identifier: MIT
 * What a platform's values must be, each by itself and to each other.
 */
#include "platform_internal.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

struct platform_entry *platform_entry_find(const struct platform *platform, const char *name)
{
	for (size_t i = 0; i < platform->entry_count; i++)
		if (!strcmp(platform->entry[i].key, name))
			return &platform->entry[i];
	return NULL;
}

const char *platform_text(const struct platform *platform, const char *dotted_key)
{
	const struct platform_entry *entry = platform_entry_find(platform, dotted_key);
	return entry ? entry->text : NULL;
}

int number_list_parse(struct number_list *list, const char *text, char bad[48])
{
	size_t capacity = list->count;
	for (;;) {
		char word[48];
		text += strspn(text, " \t\r\n,");
		size_t length = strcspn(text, " \t\r\n,");
		if (!length)
			return 0;
		snprintf(word, sizeof(word), "%.*s",
			 (int)(length < sizeof(word) ? length : sizeof(word) - 1), text);
		GROW(list->value, list->count, capacity);
		if (length >= sizeof(word) || parse_double(word, &list->value[list->count])) {
			strcpy(bad, word);
			return -1;
		}
		list->count++;
		text += length;
	}
}

/* What a multiprocessor holds at once, of which the model keeps a record each. */
static bool is_slots(const char *name)
{
	return !strcmp(name, "sm.warp_slots") || !strcmp(name, "sm.block_slots") ||
	       !strcmp(name, "sm.sub_partitions");
}

/* What can still be told of a machine and counted in picoseconds, by the unit: cycles of a clock in
 * MHz, a cost times two ratios. */
static const struct {
	const char *unit, *why;
	double most;
} unit_limits[] = {
	{ "ns", "no cost is more than 1000 s", 1e12 },
	{ "MHz", "no clock is faster than 1 THz", 1e6 },
	{ "cycles", "no instruction takes more than 1e9", 1e9 },
	{ "ratio", "no call takes more than 64 times what others take", 64 },
};

static int check_unit(const struct platform_key *spec, double value, const char *name,
		      const char *where)
{
	const bool named = !strcmp(spec->unit, "ns") || !strcmp(spec->unit, "MHz");
	for (size_t k = 0; k < sizeof(unit_limits) / sizeof(unit_limits[0]); k++)
		if (!strcmp(spec->unit, unit_limits[k].unit) && fabs(value) > unit_limits[k].most)
			return report("%s: '%s' is %g%s%s: %s", where, name, value,
				      named ? " " : "", named ? spec->unit : "",
				      unit_limits[k].why);
	return 0;
}

static int check_number(const struct platform_key *spec, double value, const char *name,
			const char *where)
{
	const double most_slots = 65536;
	if (isinf(value) && !(value > 0 && spec->flags & KEY_INFINITE))
		return report("%s: '%s' must be finite", where, name);
	if (value < 0 && !(spec->flags & KEY_NEGATIVE))
		return report("%s: '%s' is %g: must not be negative", where, name, value);
	if (value <= 0 && spec->flags & KEY_POSITIVE)
		return report("%s: '%s' is %g: must be above zero", where, name, value);
	/* Lists of counts are numbers of threads and GPUs. */
	const bool whole = spec->kind == KEY_INTEGER ||
			   (spec->kind == KEY_LIST && !strcmp(spec->unit, "count"));
	if (whole && value != floor(value))
		return report("%s: '%s' is %g: must be a whole number", where, name, value);
	if (spec->kind == KEY_INTEGER && value > INT_MAX)
		return report("%s: '%s' is %g: must be at most %d", where, name, value, INT_MAX);
	if (value > most_slots && is_slots(spec->name))
		return report("%s: '%s' is %g: no multiprocessor has more than %g", where, name,
			      value, most_slots);
	if (check_unit(spec, value, name, where))
		return -1;
	if (value > 1 && spec->flags & KEY_SHARE)
		return report("%s: '%s' is %g: a share is at most 1", where, name, value);
	return 0;
}

static int check_list(const struct platform_entry *entry, const struct number_list *list,
		      const char *where)
{
	if (!list->count)
		return report("%s: '%s' has no value", where, entry->key);
	if (entry->spec->kind != KEY_LIST && list->count > 1)
		return report("%s: '%s' is one number, not %zu", where, entry->key, list->count);
	for (size_t i = 0; i < list->count; i++) {
		if (check_number(entry->spec, list->value[i], entry->key, where))
			return -1;
		if (i && entry->spec->flags & KEY_ASCENDING && list->value[i] <= list->value[i - 1])
			return report("%s: '%s' is not ascending: %.10g after %.10g", where,
				      entry->key, list->value[i], list->value[i - 1]);
	}
	return 0;
}

static int apply_text(struct platform *platform, const struct platform_entry *entry,
		      const char *where)
{
	if (!*entry->text)
		return report("%s: '%s' has no value", where, entry->key);
	if (!strcmp(entry->key, "platform.source")) {
		if (strcmp(entry->text, "measured") && strcmp(entry->text, "datasheet") &&
		    strcmp(entry->text, "extrapolated"))
			return report(
				"%s: '%s' is 'measured', 'datasheet' or 'extrapolated', not '%s'",
				where, entry->key, entry->text);
		platform->from_datasheet = entry->text[0] != 'm';
	}
	if (entry->spec->offset != NO_MEMBER) {
		char **member = (char **)((char *)platform + entry->spec->offset);
		free(*member);
		*member = xstrdup(entry->text);
	}
	return 0;
}

int platform_apply(struct platform *platform, struct platform_entry *entry, const char *where)
{
	struct number_list list = { 0 };
	char bad[48];
	if (entry->spec->kind == KEY_TEXT)
		return apply_text(platform, entry, where);
	if (number_list_parse(&list, entry->text, bad)) {
		free(list.value);
		return report("%s: '%s': '%s' is not a number", where, entry->key, bad);
	}
	if (check_list(entry, &list, where)) {
		free(list.value);
		return -1;
	}
	entry->count = list.count;
	if (entry->spec->offset == NO_MEMBER) {
		free(list.value);
		return 0;
	}
	void *member = (char *)platform + entry->spec->offset;
	if (entry->spec->kind == KEY_LIST) {
		free(((struct number_list *)member)->value);
		*(struct number_list *)member = list;
	} else {
		if (entry->spec->kind == KEY_INTEGER)
			*(int *)member = (int)list.value[0];
		else
			*(double *)member = list.value[0];
		free(list.value);
	}
	return 0;
}

int platform_accept(struct platform *platform, struct platform_entry *entry, const char *where)
{
	struct platform other = { 0 };
	int rc = platform_apply(platform_key_is_base(entry->key) ? &other : platform, entry, where);
	costs_release(&other);
	return rc;
}

static int check_pair(const struct platform *platform, const struct platform_entry *entry,
		      const char *where)
{
	const struct platform_entry *pair = platform_entry_find(platform, entry->spec->pairs);
	if (!pair)
		return report("%s: '%s' is given without '%s'", where, entry->key,
			      entry->spec->pairs);
	if (pair->count != entry->count)
		return report("%s: '%s' has %zu entries, '%s' has %zu: they must be as many", where,
			      entry->key, entry->count, pair->key, pair->count);
	return 0;
}

int platform_validate(struct platform *platform, const char *where)
{
	platform->sm.present = platform_entry_find(platform, "sm.isa") != NULL;
	unsigned required = KEY_REQUIRED | (platform->gpus > 1 ? KEY_REQUIRED_PEERS : 0) |
			    (platform->sm.present ? KEY_REQUIRED_SM : 0);
	for (const struct platform_key *key = platform_keys; key->name; key++) {
		/* The x of a curve needs its y, which the table has next. */
		bool half = key > platform_keys && key->pairs &&
			    !strcmp(key->pairs, key[-1].name) &&
			    platform_entry_find(platform, key[-1].name);
		if ((key->flags & required || half) && !platform_entry_find(platform, key->name))
			return report("%s: '%s' is missing (%s)", where, key->name, key->help);
	}
	for (size_t i = 0; i < platform->entry_count; i++) {
		if (platform->entry[i].spec->pairs &&
		    check_pair(platform, &platform->entry[i], where))
			return -1;
		if (!platform->sm.present && !strncmp(platform->entry[i].key, "sm.", 3))
			return report(
				"%s: '%s' is given without 'sm.isa': this platform has no [sm]",
				where, platform->entry[i].key);
	}
	const size_t updates = platform->sm.dram_update_reads.count;
	if (updates > SM_UPDATES_MOST)
		return report("%s: 'sm.dram_update_reads' has %zu entries, more than %d", where,
			      updates, SM_UPDATES_MOST);
	if (updates && platform->sm.dram_update_reads.value[0] != 1)
		return report("%s: 'sm.dram_update_reads' begins with %g, not with 1", where,
			      platform->sm.dram_update_reads.value[0]);
	return 0;
}

int platform_unknown_key(const char *where, const char *name)
{
	const char *near[3] = { NULL };
	size_t near_by[3] = { SIZE_MAX, SIZE_MAX, SIZE_MAX };
	const char *dot = strrchr(name, '.');
	for (const struct platform_key *key = platform_keys; key->name; key++) {
		/* The right key in the wrong section, or none, is nearer than any misspelling. */
		const char *key_dot = strrchr(key->name, '.');
		size_t by = strcmp(key_dot + 1, dot ? dot + 1 : name)
				    ? 1 + text_edits(name, key->name)
				    : 0;
		for (size_t place = 0; place < 3; place++) {
			if (by >= near_by[place])
				continue;
			memmove(near_by + place + 1, near_by + place,
				(2 - place) * sizeof(near_by[0]));
			memmove(near + place + 1, near + place, (2 - place) * sizeof(near[0]));
			near_by[place] = by;
			near[place] = key->name;
			break;
		}
	}
	char *list = xstrdup("");
	for (size_t place = 0; place < 3 && near_by[place] <= 2 + strlen(name) / 3; place++) {
		char *longer = xprintf("%s%s%s", list, place ? ", " : "; near: ", near[place]);
		free(list);
		list = longer;
	}
	report("%s: unknown key '%s'%s", where, name, list);
	free(list);
	return -1;
}
