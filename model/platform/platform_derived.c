/* SPDX-License-Identifier: MIT
 * Entries of a platform that its file leaves out, since they follow from others
 * (platform_derived.def).
 */
#include <stdlib.h>
#include <string.h>

#include "platform_internal.h"
#include "traces/base/util.h"

enum rule_kind { RULE_LIKE, RULE_FIRST, RULE_SUM };

static const struct rule {
	enum rule_kind kind;
	const char *key, *of, *and;
} rules[] = {
#define LIKE(key, of) { RULE_LIKE, key, of, NULL },
#define FIRST(key, of) { RULE_FIRST, key, of, NULL },
#define SUM(key, of, and) { RULE_SUM, key, of, and},
#include "platform_derived.def"
#undef LIKE
#undef FIRST
#undef SUM
};
enum { RULE_COUNT = sizeof(rules) / sizeof(rules[0]) };

/* What the rule makes of two texts, owned by the caller; NULL: they hold no such numbers. */
static char *text_by(const struct rule *rule, const char *of, const char *and)
{
	struct number_list a = { 0 }, b = { 0 };
	char bad[48], *text = NULL;
	if (rule->kind == RULE_LIKE)
		return xstrdup(of);
	if (number_list_parse(&a, of, bad) || !a.count ||
	    (rule->kind == RULE_SUM &&
	     (number_list_parse(&b, and, bad) || (b.count != 1 && b.count != a.count))))
		goto out;
	text = xstrdup("");
	for (size_t k = 0; k < (rule->kind == RULE_FIRST ? 1 : a.count); k++) {
		const double more = rule->kind == RULE_FIRST ? 0 : b.value[b.count > 1 ? k : 0];
		char *longer = xprintf("%s%s%.17g", text, k ? " " : "", a.value[k] + more);
		free(text);
		text = longer;
	}
out:
	free(a.value);
	free(b.value);
	return text;
}

/* Whether nothing is given that is as long as this list; of the inside of a device: whether the
 * platform has none. */
static bool is_of_nothing(const struct platform *platform, const char *name)
{
	bool of_some = false;
	if (!strncmp(name, "sm.", strlen("sm.")))
		return !platform_entry_find(platform, "sm.isa");
	for (const struct platform_key *key = platform_keys; key->name; key++) {
		if (!key->pairs || strcmp(key->pairs, name))
			continue;
		if (platform_entry_find(platform, key->name))
			return false;
		of_some = true;
	}
	return of_some;
}

static int derive(struct platform *platform, const struct rule *rule, const char *where)
{
	struct platform_entry *entry = platform_entry_find(platform, rule->key);
	const struct platform_entry *of = platform_entry_find(platform, rule->of),
				    *and = rule->and ? platform_entry_find(platform, rule->and)
						     : of;
	if ((entry && !entry->derived) || !of || !and || is_of_nothing(platform, rule->key))
		return 0;
	char *text = text_by(rule, of->text, and->text),
	     *file_text = of->file_text && and->file_text
				  ? text_by(rule, of->file_text, and->file_text)
				  : NULL;
	const int line = of->line;
	if (!text) {
		free(file_text);
		return 0;
	}
	if (!entry) {
		GROW(platform->entry, platform->entry_count, platform->entry_capacity);
		entry = &platform->entry[platform->entry_count++];
		*entry = (struct platform_entry){ .key = xstrdup(rule->key),
						  .spec = platform_key_find(rule->key) };
	}
	free(entry->text);
	free(entry->file_text);
	entry->text = text;
	entry->file_text = file_text;
	entry->line = line;
	entry->derived = true;
	return platform_accept(platform, entry, where);
}

int platform_fill_in(struct platform *platform, const char *where)
{
	for (size_t k = 0; k < RULE_COUNT; k++)
		if (derive(platform, &rules[k], where))
			return -1;
	return 0;
}

const char *platform_key_source(const char *key)
{
	for (size_t k = 0; k < RULE_COUNT; k++)
		if (!strcmp(rules[k].key, key))
			return rules[k].of;
	return NULL;
}

char *platform_key_follows(const char *key, platform_text_fn *text_of, const void *from)
{
	for (size_t k = 0; k < RULE_COUNT; k++) {
		const char *of = strcmp(rules[k].key, key) ? NULL : text_of(from, rules[k].of),
			   *and = rules[k].and ? text_of(from, rules[k].and) : of;
		if (of && and)
			return text_by(&rules[k], of, and);
	}
	return NULL;
}
