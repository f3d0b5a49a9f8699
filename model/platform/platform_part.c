/* SPDX-License-Identifier: MIT */
#include "platform_part.h"

#include <stdlib.h>
#include <string.h>

#include "platform_internal.h"
#include "traces/base/util.h"

const char *const platform_part_name[PLATFORM_PART_COUNT] = {
	[PART_OF_ABOUT] = "about", [PART_OF_COUNT] = "gpus",	[PART_OF_HOST] = "host",
	[PART_OF_LINK] = "link",   [PART_OF_DEVICE] = "device",
};

/* The first line that a key begins with says; the recorder's costs are the host's, but for what it
 * does to kernels. */
static const struct {
	const char *begin;
	enum platform_part part;
} part_of[] = {
	{ "platform.measured_gpus", PART_OF_COUNT },
	{ "platform.", PART_OF_ABOUT },
	{ "interval.", PART_OF_ABOUT },
	{ "device.gpus", PART_OF_COUNT },
	{ "device.", PART_OF_DEVICE },
	{ "sm.", PART_OF_DEVICE },
	{ "memory.", PART_OF_DEVICE },
	{ "copy.d2d.", PART_OF_DEVICE },
	{ "copy.", PART_OF_LINK },
	{ "share.", PART_OF_LINK },
	{ "nvlink.", PART_OF_LINK },
	{ "doorbell.", PART_OF_LINK },
	{ "nccl.", PART_OF_LINK },
	{ "poll.", PART_OF_LINK },
	{ "stream.event_peer", PART_OF_LINK },
	{ "stream.", PART_OF_DEVICE },
	{ "tracer.stream_period", PART_OF_DEVICE },
};

enum platform_part platform_part_of(const char *key)
{
	static const char base[] = "base.";
	if (!strncmp(key, base, strlen(base)))
		key += strlen(base);
	for (size_t k = 0; k < sizeof(part_of) / sizeof(part_of[0]); k++)
		if (!strncmp(key, part_of[k].begin, strlen(part_of[k].begin)))
			return part_of[k].part;
	return PART_OF_HOST;
}

static bool taken(const struct platform_entry *entry, unsigned parts)
{
	return parts >> platform_part_of(entry->key) & 1;
}

static void drop_parts(struct platform *platform, unsigned parts)
{
	size_t kept = 0;
	for (size_t i = 0; i < platform->entry_count; i++) {
		struct platform_entry *entry = &platform->entry[i];
		if (!taken(entry, parts)) {
			platform->entry[kept++] = *entry;
			continue;
		}
		free(entry->key);
		free(entry->text);
		free(entry->file_text);
	}
	platform->entry_count = kept;
}

int platform_take_parts(struct platform *platform, const struct platform *from, unsigned parts)
{
	char *where = xprintf("'%s' with parts of '%s'", platform->path, from->path);
	drop_parts(platform, parts);
	for (size_t i = 0; i < from->entry_count; i++) {
		const struct platform_entry *entry = &from->entry[i];
		if (!taken(entry, parts))
			continue;
		GROW(platform->entry, platform->entry_count, platform->entry_capacity);
		platform->entry[platform->entry_count++] = (struct platform_entry){
			.key = xstrdup(entry->key),
			.text = xstrdup(entry->text),
			.file_text = entry->file_text ? xstrdup(entry->file_text) : NULL,
			.line = entry->line,
			.spec = entry->spec,
			.count = entry->count,
			.derived = entry->derived,
		};
	}
	/* What follows a key of another part is as its own platform had it. */
	for (size_t i = 0; i < platform->entry_count; i++) {
		struct platform_entry *entry = &platform->entry[i];
		if (entry->derived && platform_part_of(platform_key_source(entry->key)) !=
					      platform_part_of(entry->key))
			entry->derived = false;
	}
	/* Values of keys that are gone go, too. */
	costs_release(platform);
	struct platform empty = { .path = platform->path,
				  .base = platform->base,
				  .entry = platform->entry,
				  .mechanisms = platform->mechanisms,
				  .entry_count = platform->entry_count,
				  .entry_capacity = platform->entry_capacity };
	*platform = empty;
	int rc = 0;
	for (size_t i = 0; !rc && i < platform->entry_count; i++)
		rc = platform_accept(platform, &platform->entry[i], where);
	if (!rc)
		rc = platform_validate(platform, where);
	if (!rc)
		costs_derive(platform);
	free(where);
	return rc;
}

enum { TOLD_MOST = 4 };

static bool is_inside(const char *key)
{
	return !strncmp(key, "sm.", 3) || !strcmp(key, "device.sm_count") ||
	       !strcmp(key, "device.dram_gb_per_s") || !strcmp(key, "device.l2_gb_per_s");
}

static void tell(struct platform_edits *edits, const char *key, const char *now, const char *was)
{
	const bool list = strpbrk(now, " ,\t\n") || (was && strpbrk(was, " ,\t\n"));
	if (edits->keys++ >= TOLD_MOST)
		return;
	char *longer = list ? xprintf("%s%s%s", edits->text ? edits->text : "",
				      edits->text ? ", " : "", key)
			    : xprintf("%s%s%s = %s (measured: %s)", edits->text ? edits->text : "",
				      edits->text ? ", " : "", key, now, was ? was : "-");
	free(edits->text);
	edits->text = longer;
	edits->told = edits->keys;
}

/* Whether an edit of it is one of the machine. How many GPUs there are is told by the run that
 * takes them. */
static bool is_of_machine(const struct platform_entry *entry)
{
	const enum platform_part part = platform_part_of(entry->key);
	return part != PART_OF_ABOUT && part != PART_OF_COUNT &&
	       (entry->spec->kind != KEY_TEXT || !strcmp(entry->key, "sm.isa")) &&
	       !platform_key_unread(entry->spec);
}

static void note_edit(struct platform_edits *edits, const char *key, const char *now,
		      const char *was)
{
	edits->parts |= 1u << platform_part_of(key);
	edits->inside |= is_inside(key);
	tell(edits, key, now, was);
}

void platform_edits_find(struct platform_edits *edits, const struct platform *platform,
			 const struct platform *measured)
{
	*edits = (struct platform_edits){ 0 };
	for (size_t i = 0; i < platform->entry_count; i++) {
		const struct platform_entry *entry = &platform->entry[i];
		const struct platform_entry *there =
			measured ? platform_entry_find(measured, entry->key) : NULL;
		/* What follows from others is no edit where it followed before, and a base is the
		 * file's own where nobody wrote one down. */
		if (!is_of_machine(entry) || (entry->derived && !(there && !there->derived)) ||
		    (platform_key_is_base(entry->key) && !there))
			continue;
		const char *was = measured ? (there ? there->text : NULL) : entry->file_text;
		if (was && (entry->spec->kind == KEY_TEXT ? !strcmp(entry->text, was)
							  : platform_texts_alike(entry->text, was)))
			continue;
		note_edit(edits, entry->key, entry->text, was);
	}
	for (size_t i = 0; measured && i < measured->entry_count; i++) {
		const struct platform_entry *entry = &measured->entry[i];
		if (is_of_machine(entry) && !entry->derived && !platform_key_is_base(entry->key) &&
		    !platform_entry_find(platform, entry->key))
			note_edit(edits, entry->key, "none", entry->text);
	}
	if (edits->keys > edits->told) {
		char *longer = xprintf("%s and %d more", edits->text, edits->keys - edits->told);
		free(edits->text);
		edits->text = longer;
	}
}

void platform_edits_release(struct platform_edits *edits)
{
	free(edits->text);
	*edits = (struct platform_edits){ 0 };
}
