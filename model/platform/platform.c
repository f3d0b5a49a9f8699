/* SPDX-License-Identifier: MIT
 * Reading platform files. inih splits lines; what a key means is in platform_keys.c, what it must
 * be in platform_check.c.
 */
#include "platform_internal.h"

#include <dirent.h>
#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "traces/base/text_show.h"
#include "traces/base/util.h"

enum { FILE_LIMIT = 1 << 20 }; /* a platform is a few KiB; anything larger is something else */

struct reading {
	struct platform *platform;
	const char *path;
	const char *at, *end; /* what is left of the text */
	int line;
	bool continued;	  /* this line goes on with the value of the one before */
	bool failed;	  /* a message has been given */
	int renamed_line; /* of the first key by an old name; 0 = none */
	const char *renamed;
};

/* fgets over the text in memory: inih's own would cut a long line in two without a word. */
static char *next_line(char *line, int room, void *user)
{
	struct reading *reading = user;
	if (reading->failed || reading->at == reading->end)
		return NULL;
	const char *stop = memchr(reading->at, '\n', (size_t)(reading->end - reading->at));
	size_t length = (size_t)((stop ? stop + 1 : reading->end) - reading->at);
	reading->line++;
	if (room < 1 || length >= (size_t)room) {
		report("%s: line %d is longer than %d characters; lists go on in indented lines",
		       reading->path, reading->line, room - 2);
		reading->failed = true;
		return NULL;
	}
	memcpy(line, reading->at, length);
	line[length] = 0;
	/* To inih the keys that follow would be of no section, and each be at fault first. */
	const char *fault = line[0] == '[' ? ini_section_fault(line) : NULL;
	if (fault) {
		report("%s: line %d %s", reading->path, reading->line, fault);
		reading->failed = true;
		return NULL;
	}
	reading->continued = line[0] == ' ' || line[0] == '\t';
	reading->at += length;
	return line;
}

static bool ends_with(const char *text, const char *tail)
{
	size_t length = strlen(text), tail_length = strlen(tail);
	return length > tail_length && !strcmp(text + length - tail_length, tail);
}

/* Spread of a measured key: for people, so only looked at. */
static int check_spread(const char *where, char *name, const char *text)
{
	struct number_list list = { 0 };
	char bad[48];
	int rc = 0;
	name[strlen(name) - strlen("_mad")] = 0;
	const struct platform_key *key = platform_key_find(name);
	if (!key || key->kind == KEY_TEXT)
		return report("%s: '%s_mad' is the spread of no known key", where, name);
	if (number_list_parse(&list, text, bad))
		rc = report("%s: '%s_mad': '%s' is not a number", where, name, bad);
	for (size_t i = 0; i < list.count && !rc; i++)
		if (list.value[i] < 0)
			rc = report("%s: '%s_mad' is negative", where, name);
	free(list.value);
	return rc;
}

static int add_entry(struct reading *reading, const char *name, const char *text, const char *where)
{
	struct platform *platform = reading->platform;
	const struct platform_key *spec = platform_key_find(name);
	struct platform_entry *entry = platform_entry_find(platform, name);
	if (!spec)
		return platform_unknown_key(where, name);
	if (entry && !reading->continued)
		return report("%s: '%s' is given twice", where, name);
	if (entry) {
		char *longer = xprintf("%s %s", entry->text, text);
		free(entry->text);
		entry->text = longer;
		return 0;
	}
	GROW(platform->entry, platform->entry_count, platform->entry_capacity);
	platform->entry[platform->entry_count++] = (struct platform_entry){
		.key = xstrdup(name), .text = xstrdup(text), .spec = spec, .line = reading->line
	};
	return 0;
}

/* `name` is taken, and what is returned is the caller's; NULL: of a number that is passed over. */
static char *by_new_name(struct reading *reading, char *name)
{
	const char *spread = ends_with(name, "_mad") ? "_mad" : "";
	char *own = xprintf("%.*s", (int)(strlen(name) - strlen(spread)), name);
	if (platform_key_is_evidence(own)) {
		free(own);
		free(name);
		return NULL;
	}
	const char *now = platform_key_now(own);
	free(own);
	if (!now)
		return name;
	if (!reading->renamed_line) {
		reading->renamed_line = reading->line;
		reading->renamed = now;
	}
	free(name);
	return xprintf("%s%s", now, spread);
}

static int on_key(void *user, const char *section, const char *key, const char *value)
{
	struct reading *reading = user;
	if (reading->failed || !strcmp(section, "provenance"))
		return 1;
	char *where = xprintf("%s: line %d", reading->path, reading->line);
	char *name = by_new_name(reading, xprintf("%s%s%s", section, *section ? "." : "", key));
	int rc = !name ? 0
		 : !text_is_plain(value) && !strncmp(name, "platform.", strlen("platform."))
			 ? report("%s: %s holds a control character, or is not UTF-8", where, name)
		 : ends_with(name, "_mad") ? check_spread(where, name, value)
					   : add_entry(reading, name, value, where);
	reading->failed = rc != 0;
	free(name);
	free(where);
	return 1;
}

/* The whole file; NULL after a message. */
static char *read_text(const char *path, size_t *length)
{
	FILE *file = fopen(path, "rb");
	char *text = NULL;
	if (!file) {
		report("cannot read '%s': %s", path, strerror(errno));
		return NULL;
	}
	text = xmalloc(FILE_LIMIT + 1);
	*length = fread(text, 1, FILE_LIMIT + 1, file);
	if (ferror(file))
		report("cannot read '%s': %s", path, strerror(errno));
	else if (*length > FILE_LIMIT)
		report("%s: larger than %d bytes: not a platform file", path, FILE_LIMIT);
	else if (memchr(text, 0, *length))
		report("%s: holds zero bytes: not a platform file", path);
	else if (*length == 0)
		report("%s: empty: not a platform file", path);
	else {
		fclose(file);
		return text;
	}
	fclose(file);
	free(text);
	return NULL;
}

static int parse(struct platform *platform, const char *text, size_t length, bool whole)
{
	struct reading reading = {
		.platform = platform, .path = platform->path, .at = text, .end = text + length
	};
	int line = ini_parse_stream(next_line, &reading, on_key, &reading);
	if (reading.failed)
		return -1;
	if (line > 0)
		return report("%s: line %d is neither a section, nor 'key = value', nor a comment",
			      platform->path, line);
	if (line < 0)
		return report("%s: out of memory", platform->path);
	if (reading.renamed_line)
		report_warning("%s: line %d has a key by its old name: it is '%s' now; such keys "
			       "are read as before",
			       platform->path, reading.renamed_line, reading.renamed);
	for (size_t i = 0; i < platform->entry_count; i++) {
		struct platform_entry *entry = &platform->entry[i];
		entry->file_text = xstrdup(entry->text);
		if (platform_accept(platform, entry, platform->path))
			return -1;
	}
	if (platform_fill_in(platform, platform->path))
		return -1;
	return whole ? platform_validate(platform, platform->path) : 0;
}

static int is_platform(const struct dirent *file)
{
	return ends_with(file->d_name, ".ini");
}

static void report_unknown(const char *name)
{
	char *folder = xprintf("%s/model/platforms", util_root()), *shipped = xstrdup("");
	struct dirent **file = NULL;
	int count = scandir(folder, &file, is_platform, alphasort);
	for (int k = 0; k < count; k++) {
		char *longer = xprintf("%s%s%.*s", shipped, *shipped ? ", " : "",
				       (int)(strlen(file[k]->d_name) - 4), file[k]->d_name);
		free(shipped);
		free(file[k]);
		shipped = longer;
	}
	free(file);
	if (*shipped)
		report("no platform '%s': no such file, and not one of the shipped (%s)", name,
		       shipped);
	else
		report("no platform '%s': no such file, and nothing shipped is in %s: "
		       "WARPREEL_ROOT "
		       "names the folder that has model/platforms",
		       name, folder);
	free(folder);
	free(shipped);
}

char *platform_shipped(const char *name)
{
	struct stat status;
	char *path = xprintf("%s/model/platforms/%s.ini", util_root(), name);
	if (!strchr(name, '/') && stat(path, &status) == 0)
		return path;
	free(path);
	return NULL;
}

/* A file of that name wins over a shipped platform. NULL after a message. */
static char *find_file(const char *name)
{
	struct stat status;
	if (stat(name, &status) == 0 && !S_ISDIR(status.st_mode))
		return xstrdup(name);
	char *path = platform_shipped(name);
	if (!path)
		report_unknown(name);
	return path;
}

static int read_file(struct platform *platform, const char *name_or_path, bool whole)
{
	size_t length = 0;
	*platform = (struct platform){ 0 };
	platform->path = find_file(name_or_path);
	char *text = platform->path ? read_text(platform->path, &length) : NULL;
	int rc = text ? parse(platform, text, length, whole) : -1;
	free(text);
	if (rc) {
		platform_release(platform);
		return rc;
	}
	costs_derive(platform);
	if (whole)
		costs_tell_moved(platform);
	return 0;
}

int platform_read(struct platform *platform, const char *name_or_path)
{
	return read_file(platform, name_or_path, true);
}

int platform_read_part(struct platform *platform, const char *name_or_path)
{
	return read_file(platform, name_or_path, false);
}

void platform_leave_out(struct platform *platform, const struct mechanism_set *set)
{
	platform->mechanisms = platform->sm.mechanisms = *set;
	if (platform->base)
		platform_leave_out(platform->base, set);
}

void platform_release(struct platform *platform)
{
	for (size_t i = 0; i < platform->entry_count; i++) {
		free(platform->entry[i].key);
		free(platform->entry[i].text);
		free(platform->entry[i].file_text);
	}
	free(platform->entry);
	costs_release(platform);
	if (platform->base)
		costs_release(platform->base);
	free(platform->base);
	free(platform->path);
	*platform = (struct platform){ 0 };
}
