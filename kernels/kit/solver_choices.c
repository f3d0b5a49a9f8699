/* SPDX-License-Identifier: MIT
 * What of a configuration is the problem, and what is a choice of who solves it. Options of one
 * name are one choice, whatever the family.
 */
#include "solver.h"

#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

/* The first is no word of a configuration. */
const char *const solver_choices[] = { "gpus", "kernel", "border", "transport", "check", NULL };

/* Nothing to choose with one GPU. */
static bool is_between_gpus(const char *choice)
{
	return !strcmp(choice, "border") || !strcmp(choice, "transport");
}

static bool is_word_of(const char *word, const char *option)
{
	const size_t length = strlen(option);
	return !strncmp(word, option, length) && word[length] == '=';
}

/* Whether a word stays; `choice` as solver_but_for has it. */
static bool is_choice(const char *word, const char *choice)
{
	for (const char *const *any = solver_choices; *any && !choice; any++)
		if (is_word_of(word, *any))
			return true;
	return choice && is_word_of(word, choice);
}

/* The words that are not chosen; how many were, into `left_out`. */
static char *rest_of(const char *config, const char *choice, int *left_out)
{
	char *rest = xmalloc(strlen(config) + 2), *to = rest;
	*left_out = 0;
	for (const char *word = config; *word;) {
		const size_t length = strcspn(word, " ");
		if (is_choice(word, choice)) {
			++*left_out;
		} else {
			memcpy(to, word, length);
			to += length;
			*to++ = ' ';
		}
		word += length + strspn(word + length, " ");
	}
	to -= to > rest;
	*to = 0;
	return rest;
}

char *solver_but_for(const char *config, uint32_t gpus, const char *choice)
{
	int left_out;
	if (choice && gpus == 1 && is_between_gpus(choice))
		return NULL;
	char *rest = rest_of(config, choice, &left_out);
	if (choice && !left_out && strcmp(choice, solver_choices[0]) != 0) {
		free(rest);
		return NULL;
	}
	return rest;
}

char *solver_whole(const char *config)
{
	int left_out;
	return rest_of(config, "partition", &left_out);
}
