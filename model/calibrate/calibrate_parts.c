/* SPDX-License-Identifier: MIT */
#include "calibrate_parts.h"

#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

static const struct {
	const char *name;
	unsigned bit;
	const char *besides; /* a section of it that has not its name */
} parts[] = {
	{ "host", CALIBRATE_HOST, NULL },     { "stream", CALIBRATE_STREAM, NULL },
	{ "copy", CALIBRATE_COPY, "share" },  { "doorbell", CALIBRATE_DOORBELL, NULL },
	{ "poll", CALIBRATE_POLL, NULL },     { "peer_exchange", CALIBRATE_PEER_EXCHANGE, NULL },
	{ "memory", CALIBRATE_MEMORY, NULL }, { "links", CALIBRATE_LINKS, "nvlink" },
	{ "sm", CALIBRATE_SM, NULL },
};
enum { PARTS = sizeof(parts) / sizeof(parts[0]) };

int parts_parse(const char *option, const char *list, unsigned *bits)
{
	for (*bits = 0; *list;) {
		const size_t length = strcspn(list, ",");
		int i = 0;
		while (i < PARTS &&
		       (strlen(parts[i].name) != length || strncmp(parts[i].name, list, length)))
			i++;
		if (i == PARTS)
			return report(
				"--%s: no part '%.*s'; there are host, stream, copy, doorbell, "
				"poll, peer_exchange, memory, links and sm",
				option, (int)length, list);
		*bits |= parts[i].bit;
		list += length + (list[length] == ',');
	}
	return *bits ? 0 : report("--%s: names no part", option);
}

static bool is_of_section(const char *key, const char *section)
{
	size_t length = section ? strlen(section) : 0;
	return section && !strncmp(key, section, length) && key[length] == '.';
}

static bool is_wanted(const char *key, unsigned bits)
{
	for (int i = 0; i < PARTS; i++)
		if (bits & parts[i].bit &&
		    (is_of_section(key, parts[i].name) || is_of_section(key, parts[i].besides)))
			return true;
	return false;
}

int parts_keep(struct results *merged, unsigned bits, const char *files)
{
	size_t kept = 0;
	unsigned met = 0;
	for (size_t i = 0; i < merged->count; i++) {
		struct result item = merged->item[i];
		bool stays = is_wanted(item.key, bits) || is_of_section(item.key, "platform") ||
			     is_of_section(item.key, "device");
		for (int p = 0; p < PARTS; p++)
			met |= is_wanted(item.key, parts[p].bit) ? parts[p].bit : 0;
		merged->item[i] = merged->item[kept];
		merged->item[kept] = item;
		kept += stays;
	}
	for (int p = 0; p < PARTS; p++)
		if (bits & parts[p].bit && !(met & parts[p].bit))
			return report("--merge: no file of '%s' has anything of part '%s'", files,
				      parts[p].name);
	for (size_t i = kept; i < merged->count; i++) {
		free(merged->item[i].key);
		free(merged->item[i].values);
		free(merged->item[i].spread);
		free(merged->item[i].how);
	}
	merged->count = kept;
	return 0;
}
