/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

static bool choice_has(const char *choices, const char *word)
{
	size_t length = strlen(word);
	for (const char *at = choices; at && *at;) {
		size_t span = strcspn(at, "|");
		if (span == length && !strncmp(at, word, length))
			return true;
		at += span + (at[span] == '|');
	}
	return false;
}

static int store(const struct option_spec *spec, void *target, const char *text)
{
	void *field = (char *)target + spec->offset;
	int64_t integer;
	double real;
	switch (spec->kind) {
	case OPTION_INT:
		if (parse_i64(text, &integer) || (double)integer < spec->low ||
		    (double)integer > spec->high)
			return report("--%s takes a whole number from %.0f to %.0f, not '%s'",
				      spec->name, spec->low, spec->high, text);
		*(int *)field = (int)integer;
		return 0;
	case OPTION_REAL:
		if (parse_double(text, &real) || real < spec->low || real > spec->high)
			return report("--%s takes a number from %g to %g, not '%s'", spec->name,
				      spec->low, spec->high, text);
		*(double *)field = real;
		return 0;
	case OPTION_CHOICE:
		if (!choice_has(spec->argument, text))
			return report("--%s takes one of %s, not '%s'", spec->name, spec->argument,
				      text);
		*(const char **)field = text;
		return 0;
	case OPTION_WORD:
		if (!*text || text[strcspn(text, "\t\r\n")])
			return report("--%s stands in a column: not empty, and without tabs and "
				      "line ends",
				      spec->name);
		*(const char **)field = text;
		return 0;
	case OPTION_TEXT:
		if (!strcmp(spec->name, "o") && !strcmp(text, "-"))
			return report("-o -: '-' is no file; leave -o out for standard output, or "
				      "name ./- for a file called so");
		*(const char **)field = text;
		return 0;
	case OPTION_LIST: {
		struct text_list *list = field;
		if (list->count == (int)(sizeof(list->text) / sizeof(list->text[0])))
			return report("--%s is given too often", spec->name);
		list->text[list->count++] = text;
		return 0;
	}
	case OPTION_FLAG:
		*(bool *)field = !strcmp(text, "yes");
		return 0;
	case OPTION_NONE:
		break;
	}
	return report("--%s is no option", spec->name);
}

enum { HELP_COLUMNS = 100, HELP_INDENT = 37 };

/* Words of a text in lines that end before HELP_COLUMNS, all but the first behind `indent` spaces.
 * A line end in the text is one in what is printed; `at`: the column the first line begins at. */
static void print_wrapped(const char *text, int at, int indent)
{
	while (*text) {
		const int length = (int)strcspn(text, " \n");
		if (at > indent && at + 1 + length >= HELP_COLUMNS) {
			printf("\n%*s", indent, "");
			at = indent;
		}
		at += printf("%s%.*s", at > indent ? " " : "", length, text);
		text += length;
		if (*text == '\n') {
			printf("\n%*s", indent, "");
			at = indent;
		}
		text += *text ? 1 : 0;
	}
	printf("\n");
}

static void print_option(const char *option, const char *argument, const char *text)
{
	const int length = printf("  %s%s%s", option, *argument ? " " : "", argument);
	if (length < HELP_INDENT)
		printf("%*s", HELP_INDENT - length, "");
	else
		printf("\n%*s", HELP_INDENT, "");
	print_wrapped(text, HELP_INDENT, HELP_INDENT);
}

static void print_help(const struct command_help *help, const struct option_spec *specs)
{
	printf("usage: warpreel %s\n\n", help->synopsis);
	print_wrapped(help->summary, 0, 0);
	printf("\noptions:\n");
	for (const struct option_spec *spec = specs; spec->name; spec++) {
		const bool standard = spec->standard && *spec->standard;
		char *option = xprintf("%s%s", spec->name[1] ? "--" : "-", spec->name);
		char *text =
			standard ? xprintf("%s%c(default %s)", spec->help,
					   strchr(spec->help, '\n') ? '\n' : ' ', spec->standard)
				 : xstrdup(spec->help);
		const char *argument = spec->argument ? spec->argument : "VALUE";
		print_option(option, spec->kind == OPTION_FLAG ? "" : argument, text);
		free(option);
		free(text);
	}
	print_option("--help", "", "this text");
}

static const struct option_spec *find(const struct option_spec *specs, const char *name,
				      size_t length)
{
	for (const struct option_spec *spec = specs; spec->name; spec++)
		if (strlen(spec->name) == length && !strncmp(spec->name, name, length))
			return spec;
	return NULL;
}

/* What an option is when it has no default: nothing, whatever the caller's memory held. */
static void clear(const struct option_spec *spec, void *target)
{
	static const size_t bytes[] = { [OPTION_FLAG] = sizeof(bool),
					[OPTION_INT] = sizeof(int),
					[OPTION_REAL] = sizeof(double),
					[OPTION_TEXT] = sizeof(const char *),
					[OPTION_WORD] = sizeof(const char *),
					[OPTION_CHOICE] = sizeof(const char *),
					[OPTION_LIST] = sizeof(struct text_list) };
	memset((char *)target + spec->offset, 0, bytes[spec->kind]);
}

static int unknown_option(const struct command_help *help, const struct option_spec *specs,
			  const char *word)
{
	const char *name = word + strspn(word, "-"), *near = NULL;
	char *bare = xstrdup(name);
	bare[strcspn(bare, "=")] = 0;
	for (const struct option_spec *spec = specs; spec->name; spec++)
		near = text_near(bare, near, spec->name);
	if (near)
		report("unknown option '%s': --%s? (see warpreel %s --help)", word, near,
		       help->name);
	else
		report("unknown option '%s' (see warpreel %s --help)", word, help->name);
	free(bare);
	return EXIT_USAGE;
}

int options_parse(const struct command_help *help, const struct option_spec *specs, void *target,
		  int argc, char **argv, int *words)
{
	int kept = 0;
	for (const struct option_spec *spec = specs; spec->name; spec++) {
		clear(spec, target);
		if (spec->standard && store(spec, target, spec->standard))
			return EXIT_USAGE;
	}
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];
		if (!strcmp(word, "--")) {
			while (++i < argc)
				argv[++kept] = argv[i];
			break;
		}
		if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
			print_help(help, specs);
			return EXIT_USAGE + 1;
		}
		if (word[0] != '-' || !word[1]) {
			argv[++kept] = argv[i];
			continue;
		}
		const char *name = word + (word[1] == '-' ? 2 : 1);
		size_t length = strcspn(name, "=");
		const struct option_spec *spec = find(specs, name, length);
		if (!spec) {
			return unknown_option(help, specs, word);
		}
		const char *value = name[length] == '=' ? name + length + 1 : NULL;
		if (spec->kind == OPTION_FLAG && value) {
			report("--%s takes no value", spec->name);
			return EXIT_USAGE;
		}
		if (spec->kind == OPTION_FLAG)
			value = "yes";
		else if (!value && i + 1 < argc)
			value = argv[++i];
		if (!value) {
			report("option '%s' needs a value (see warpreel %s --help)", word,
			       help->name);
			return EXIT_USAGE;
		}
		if (store(spec, target, value))
			return EXIT_USAGE;
	}
	*words = kept;
	return 0;
}

int options_parse_one(const struct command_help *help, const struct option_spec *specs,
		      void *target, int argc, char **argv, const char *what)
{
	int words;
	const int rc = options_parse(help, specs, target, argc, argv, &words);
	if (rc)
		return rc > EXIT_USAGE ? EXIT_OK : rc;
	if (words == 1)
		return -1;
	report("name one %s", what);
	return EXIT_USAGE;
}

struct command_help options_solver_help(const char *command, const char *solver, const char *shown,
					const char *names, const char *summary)
{
	if (solver)
		return (struct command_help){ xprintf("%s %s", command, solver),
					      xprintf("%s %s [options]", command, solver),
					      xstrdup(summary) };
	return (struct command_help){
		xstrdup(command), xprintf("%s SOLVER [options]", command),
		xprintf("%s\nSOLVER is one of those below; its own --help lists its options, here "
			"are those of %s.\n\nsolvers: %s",
			summary, shown, names)
	};
}

void options_solver_help_release(struct command_help *help)
{
	free((char *)help->name);
	free((char *)help->synopsis);
	free((char *)help->summary);
}

struct option_spec *options_join(const struct option_spec *first, const struct option_spec *second,
				 size_t second_offset)
{
	size_t count = 0, room = 1;
	for (const struct option_spec *spec = first; spec->name; spec++)
		room++;
	for (const struct option_spec *spec = second; spec->name; spec++)
		room++;
	struct option_spec *all = xcalloc(room, sizeof(*all));
	for (const struct option_spec *spec = first; spec->name; spec++)
		all[count++] = *spec;
	for (const struct option_spec *spec = second; spec->name; spec++) {
		if (find(first, spec->name, strlen(spec->name)))
			continue;
		all[count] = *spec;
		all[count++].offset += second_offset;
	}
	return all;
}

bool option_is_standard(const struct option_spec *spec, const void *target)
{
	const void *field = (const char *)target + spec->offset;
	const char *const *word = field;
	struct option_spec alone = *spec;
	union {
		bool flag;
		int integer;
		double real;
		const char *text;
		struct text_list list;
	} standard;
	alone.offset = 0;
	clear(&alone, &standard);
	if (spec->standard && store(&alone, &standard, spec->standard))
		return false;
	switch (spec->kind) {
	case OPTION_FLAG:
		return *(const bool *)field == standard.flag;
	case OPTION_INT:
		return *(const int *)field == standard.integer;
	case OPTION_REAL:
		return *(const double *)field >= standard.real &&
		       *(const double *)field <= standard.real;
	case OPTION_LIST:
		return !((const struct text_list *)field)->count;
	case OPTION_NONE:
		return true;
	case OPTION_TEXT:
	case OPTION_WORD:
	case OPTION_CHOICE:
		break;
	}
	return *word && standard.text ? !strcmp(*word, standard.text) : *word == standard.text;
}

void options_restate(struct option_spec *specs, const struct option_standard *standards)
{
	for (; standards && standards->name; standards++)
		for (struct option_spec *spec = specs; spec->name; spec++)
			if (!strcmp(spec->name, standards->name))
				spec->standard = standards->standard;
}

int options_want_solver(const char *command, const char *names, int words, char **argv)
{
	if (words > 1)
		report("one solver at a time, and '%s' is no option: these begin with -- (warpreel "
		       "%s "
		       "%s --help)",
		       argv[2], command, argv[1]);
	else
		report("name one solver of %s: warpreel %s SOLVER [options]", names, command);
	return EXIT_USAGE;
}
