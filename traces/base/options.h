/* SPDX-License-Identifier: MIT
 * Command-line options: one table is the parser, the help text, the defaults and the range check
 * (after fio).
 *
 *   static const struct option_spec options[] = {
 *       { "gpus", OPTION_INT, offsetof(struct x, gpus), "1", 1, 64, "G", "number of GPUs" }, ...
 *       { 0 } };
 *
 * Accepted forms: --name VALUE, --name=VALUE; OPTION_FLAG takes no value; `-o` is a one-letter
 * name.
 */
#ifndef WARPREEL_OPTIONS_H
#define WARPREEL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum option_kind {
	OPTION_NONE,
	OPTION_FLAG,   /* bool */
	OPTION_INT,    /* int, checked against [low, high] */
	OPTION_REAL,   /* double, checked against [low, high] */
	OPTION_TEXT,   /* const char *, borrowed from argv; may be NULL */
	OPTION_WORD,   /* the same, but never empty and without tabs or line ends: it may stand in a
			  column */
	OPTION_CHOICE, /* const char *, one of the words in `argument` separated by '|' */
	OPTION_LIST    /* struct text_list: may be repeated */
};

struct text_list { /* borrowed strings */
	const char *text[64];
	int count;
};

struct option_spec {
	const char *name;
	enum option_kind kind;
	size_t offset;
	const char *standard; /* default as text; NULL = zero/NULL */
	double low, high;
	const char *argument; /* metavariable, or the choices */
	const char *help;
};

struct command_help {
	const char *name;     /* "solve" */
	const char *synopsis; /* "solve rbsor [options]" */
	const char *summary;  /* one sentence */
};

/*
 * Fills `target` with defaults, then from argv[1..]. Words that are not options are kept, in order,
 * at argv[1..*words].
 * "--" ends the options; what follows is kept as words. Returns 0 to go on; EXIT_USAGE + 1 when
 * --help was printed (the caller returns EXIT_OK); EXIT_USAGE after a message. Use as:  int rc =
 * options_parse(...); if (rc) return rc > EXIT_USAGE ? EXIT_OK : rc;
 */
int options_parse(const struct command_help *help, const struct option_spec *specs, void *target,
		  int argc, char **argv, int *words);

/* The same of a command that takes one word beside its options, `what`: "trace". Returns what the
 * command returns, or -1 to go on. */
int options_parse_one(const struct command_help *help, const struct option_spec *specs,
		      void *target, int argc, char **argv, const char *what);

/*
 * The help of a command that takes a solver: `solver` is the one named, NULL when none is. Then the
 * help lists `names`, which has all with blanks between, and the options shown are those of
 * `shown`. Free with options_solver_help_release.
 */
struct command_help options_solver_help(const char *command, const char *solver, const char *shown,
					const char *names, const char *summary);
void options_solver_help_release(struct command_help *help);
/* Says that such a command wants one solver of `names`, where `words` stand from argv[1] on.
 * EXIT_USAGE. */
int options_want_solver(const char *command, const char *names, int words, char **argv);

/* Whether `target` has the option as it is when nobody gives it. */
bool option_is_standard(const struct option_spec *spec, const void *target);

/* Another default of an option. A table of them ends with a zero entry. */
struct option_standard {
	const char *name, *standard;
};
/* Gives the options of a table, such as options_join's, these defaults; others stay. */
void options_restate(struct option_spec *specs, const struct option_standard *standards);

/*
 * One table out of two over one block of memory: the offsets of `second` are moved by
 * `second_offset`. Owned by the caller. A name in both is taken from the first.
 */
struct option_spec *options_join(const struct option_spec *first, const struct option_spec *second,
				 size_t second_offset);

#endif
