/* SPDX-License-Identifier: MIT */
#include "sweep_file.h"

#include <ini.h>
#include <stdlib.h>
#include <string.h>

#include "model/platform/platform.h"
#include "sweep_values.h"
#include "traces/base/lines.h"
#include "traces/base/util.h"

struct reading {
	struct sweep *sweep;
	const struct program *program;
	struct lines lines;
	bool failed; /* a message has been given */
};

static struct sweep_key *common_key(struct sweep *sweep, const char *name)
{
	const struct {
		const char *name;
		struct sweep_key *key;
	} keys[] = { { "platform", &sweep->platform },
		     { "gpus", &sweep->gpus },
		     { "set", &sweep->set } };
	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
		if (!strcmp(name, keys[k].name))
			return keys[k].key;
	return NULL;
}

/* Words of a list, or alternatives that have blanks in them. */
static int add_values(struct sweep_key *key, const char *text, bool alternatives, const char *where)
{
	char *copy = xstrdup(text), *save;
	const char *apart = alternatives ? "|" : " ,\t";
	int rc = 0;
	for (char *word = strtok_r(copy, apart, &save); word && !rc;
	     word = strtok_r(NULL, apart, &save)) {
		word += strspn(word, " \t");
		for (size_t n = strlen(word); n && strchr(" \t", word[n - 1]); n--)
			word[n - 1] = 0;
		if (alternatives && *word)
			sweep_value_add(key, word);
		else if (*word)
			rc = sweep_values_add(key, word, where);
	}
	free(copy);
	return rc;
}

static bool has_option(const struct option_spec *options, const char *name)
{
	for (; options->name; options++)
		if (!strcmp(options->name, name))
			return true;
	return false;
}

static struct sweep_key *solver_key(struct reading *r, const char *section, const char *name,
				    const char *where)
{
	struct sweep *s = r->sweep;
	size_t k = 0, bytes;
	while (k < s->family_count && strcmp(s->family[k].solver, section))
		k++;
	const struct option_spec *options = r->program->solver_options(section, &bytes);
	if (!options) {
		report("%s: a section is [sweep] or the name of a solver", where);
		return NULL;
	}
	if (k == s->family_count) {
		GROW(s->family, s->family_count, s->family_capacity);
		s->family[s->family_count++] = (struct sweep_family){ .solver = xstrdup(section),
								      .line = r->lines.number };
	}
	struct sweep_family *family = &s->family[k];
	if (!has_option(options, name)) {
		report("%s: solver '%s' has no option '%s' (warpreel predict %s --help)", where,
		       section, name, section);
		return NULL;
	}
	for (size_t i = 0; i < family->count; i++)
		if (!strcmp(family->key[i].name, name))
			return &family->key[i];
	GROW(family->key, family->count, family->capacity);
	family->key[family->count] =
		(struct sweep_key){ .name = xstrdup(name), .line = r->lines.number };
	return &family->key[family->count++];
}

/* inih calls this for each key, and for each continued line of one. */
static int take(void *user, const char *section, const char *name, const char *value)
{
	struct reading *r = user;
	char *where = xprintf("%s:%d", r->sweep->path, r->lines.number);
	struct sweep_key *key = NULL;
	if (r->failed) {
		/* the first is said */
	} else if (!*section) {
		report("%s: '%s' stands before any section", where, name);
	} else if (!strcmp(section, "sweep")) {
		key = common_key(r->sweep, name);
		if (!key)
			report("%s: [sweep] has the keys platform, gpus and set, not '%s'", where,
			       name);
	} else {
		key = solver_key(r, section, name, where);
	}
	if (!key || add_values(key, value, key == &r->sweep->set, where))
		r->failed = true;
	else if (!key->count)
		r->failed = report("%s: '%s' has no values", where, name) != 0;
	free(where);
	return !r->failed;
}

/* In place of fgets: inih would cut a long one in two without a word. */
static char *next_line(char *line, int room, void *user)
{
	struct reading *r = user;
	const int more = r->failed ? 0 : lines_next(&r->lines);
	if (more <= 0) {
		r->failed |= more < 0;
		return NULL;
	}
	snprintf(line, (size_t)room, "%s", r->lines.text);
	if (strlen(r->lines.text) >= (size_t)room)
		r->failed = report("%s:%d: a line of more than %d characters; lists go on in "
				   "indented lines",
				   r->sweep->path, r->lines.number, room - 2) != 0;
	const char *fault = *line == '[' && !r->failed ? ini_section_fault(line) : NULL;
	if (fault)
		r->failed = report("%s:%d: %s", r->sweep->path, r->lines.number, fault) != 0;
	return r->failed ? NULL : line;
}

static int check_gpus(const struct sweep *s)
{
	for (size_t k = 0; k < s->gpus.count; k++) {
		int64_t gpus;
		if (parse_i64(s->gpus.value[k], &gpus) || gpus < 1 || gpus > 64)
			return report("%s: the number of GPUs is from 1 to 64, not '%s'", s->path,
				      s->gpus.value[k]);
	}
	return 0;
}

static uint64_t family_points(const struct sweep *s, const struct sweep_family *family)
{
	double points = (double)s->platform.count * (double)s->gpus.count * (double)s->set.count;
	for (size_t k = 0; k < family->count; k++)
		points *= (double)family->key[k].count;
	return points > SWEEP_POINTS_MOST ? SWEEP_POINTS_MOST + 1 : (uint64_t)points;
}

/* What it does not say has the values that `predict` would give it. */
static void add_planned(struct sweep_family *family, const struct program *program)
{
	const struct option_standard *planned = program->planned_standards(family->solver);
	for (; planned && planned->name; planned++) {
		size_t k = 0;
		while (k < family->count && strcmp(family->key[k].name, planned->name))
			k++;
		if (k < family->count)
			continue;
		GROW(family->key, family->count, family->capacity);
		family->key[family->count] =
			(struct sweep_key){ .name = xstrdup(planned->name), .line = family->line };
		sweep_value_add(&family->key[family->count++], planned->standard);
	}
}

int sweep_read(struct sweep *sweep, const struct program *program, const char *path,
	       const char *platform)
{
	*sweep = (struct sweep){ .path = xstrdup(path) };
	struct reading reading = { .sweep = sweep, .program = program };
	if (lines_open(&reading.lines, path))
		return -1;
	int line = ini_parse_stream(next_line, &reading, take, &reading);
	lines_close(&reading.lines);
	if (reading.failed)
		return -1;
	if (line)
		return report("%s:%d: neither [section] nor key = values", path, line);
	if (!sweep->family_count)
		return report("'%s' names no solver, so there is nothing to sweep", path);
	if (!sweep->platform.count)
		sweep_value_add(&sweep->platform, platform);
	if (!sweep->gpus.count)
		sweep_value_add(&sweep->gpus, "1");
	if (!sweep->set.count)
		sweep_value_add(&sweep->set, "-");
	for (size_t k = 0; k < sweep->family_count; k++) {
		add_planned(&sweep->family[k], program);
		sweep->points += family_points(sweep, &sweep->family[k]);
	}
	if (sweep->points > SWEEP_POINTS_MOST)
		return report("'%s' asks for more than %d points", path, SWEEP_POINTS_MOST);
	return check_gpus(sweep);
}

static void key_release(struct sweep_key *key)
{
	for (size_t k = 0; k < key->count; k++)
		free(key->value[k]);
	free(key->value);
	free(key->name);
}

void sweep_release(struct sweep *sweep)
{
	for (size_t f = 0; f < sweep->family_count; f++) {
		for (size_t k = 0; k < sweep->family[f].count; k++)
			key_release(&sweep->family[f].key[k]);
		free(sweep->family[f].key);
		free(sweep->family[f].solver);
	}
	key_release(&sweep->platform);
	key_release(&sweep->gpus);
	key_release(&sweep->set);
	free(sweep->family);
	free(sweep->path);
	*sweep = (struct sweep){ 0 };
}

uint64_t sweep_machine_of(const struct sweep *s, uint64_t k)
{
	const struct sweep_family *family = s->family;
	for (; k >= family_points(s, family); family++)
		k -= family_points(s, family);
	return k / (family_points(s, family) / (s->platform.count * s->set.count));
}

void sweep_point_at(const struct sweep *s, uint64_t k, struct sweep_point *point)
{
	const struct sweep_family *family = s->family;
	for (; k >= family_points(s, family); family++)
		k -= family_points(s, family);
	size_t digit[64] = { 0 };
	for (size_t i = family->count; i-- > 0;) {
		if (i < 64)
			digit[i] = k % family->key[i].count;
		k /= family->key[i].count;
	}
	point->solver = family->solver;
	point->gpus = (uint32_t)atoi(s->gpus.value[k % s->gpus.count]);
	k /= s->gpus.count;
	point->set = s->set.value[k % s->set.count];
	point->platform = s->platform.value[k / s->set.count];
	int length = 0;
	point->config[0] = 0;
	for (size_t i = 0; i < family->count && length < (int)sizeof(point->config); i++)
		length += snprintf(point->config + length, sizeof(point->config) - (size_t)length,
				   "%s%s=%s", i ? " " : "", family->key[i].name,
				   family->key[i].value[digit[i]]);
}

static void append_key(FILE *out, const char *name, const struct sweep_key *key)
{
	fprintf(out, "%s =", name);
	for (size_t k = 0; k < key->count; k++)
		fprintf(out, " %s |", key->value[k]);
	fputc('\n', out);
}

/* FNV-1a (Fowler, Noll, Vo) of what a platform's file holds: none is larger. */
static uint64_t contents_of(const char *name_or_path)
{
	uint64_t hash = 0xcbf29ce484222325u;
	char *path = strchr(name_or_path, '/') ? NULL : platform_shipped(name_or_path);
	FILE *file = fopen(path ? path : name_or_path, "r");
	for (int k = 0, c; file && k < 1 << 20 && (c = getc(file)) != EOF; k++)
		hash = (hash ^ (uint64_t)c) * 0x100000001b3u;
	if (file)
		fclose(file);
	free(path);
	return hash;
}

char *sweep_definition(const struct sweep *s)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	append_key(out, "platform", &s->platform);
	for (size_t k = 0; k < s->platform.count; k++)
		fprintf(out, "contents %016llx\n",
			(unsigned long long)contents_of(s->platform.value[k]));
	append_key(out, "gpus", &s->gpus);
	append_key(out, "set", &s->set);
	for (size_t f = 0; f < s->family_count; f++) {
		fprintf(out, "[%s]\n", s->family[f].solver);
		for (size_t k = 0; k < s->family[f].count; k++)
			append_key(out, s->family[f].key[k].name, &s->family[f].key[k]);
	}
	fclose(out);
	return text;
}
