/* SPDX-License-Identifier: MIT
 * A table with an option of each kind, for what tries options.
 */
#ifndef WARPREEL_TESTS_OPTIONS_KIT_H
#define WARPREEL_TESTS_OPTIONS_KIT_H

#include "traces/base/options.h"

struct tried_options {
	int count;
	double factor;
	const char *name, *word, *column;
	bool loud;
	struct text_list many;
};

#define TRIED(field) offsetof(struct tried_options, field)
static const struct option_spec tried_specs[] = {
	{ "count", OPTION_INT, TRIED(count), "3", 1, 10, "N", "how many" },
	{ "factor", OPTION_REAL, TRIED(factor), "0.5", 0, 2, "X", "by how much" },
	{ "o", OPTION_TEXT, TRIED(name), NULL, 0, 0, "FILE", "where to" },
	{ "word", OPTION_CHOICE, TRIED(word), "one", 0, 0, "one|two", "which" },
	{ "column", OPTION_WORD, TRIED(column), "x", 0, 0, "X", "a column" },
	{ "loud", OPTION_FLAG, TRIED(loud), NULL, 0, 0, NULL, "say more" },
	{ "many", OPTION_LIST, TRIED(many), NULL, 0, 0, "X", "again and again" },
	{ 0 },
};
static const struct command_help tried_help = { "try", "try [options]", "Tries options." };

#endif
