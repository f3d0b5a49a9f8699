/* SPDX-License-Identifier: MIT */
#include "solver.h"

#include <stdlib.h>
#include <string.h>

#include "traces/base/options.h"
#include "traces/base/util.h"

#define SOLVER(name) extern const struct solver solver_##name;
#include "solvers.def"
#undef SOLVER

const struct solver *const solvers[] = {
#define SOLVER(name) &solver_##name,
#include "solvers.def"
#undef SOLVER
	NULL,
};

char *solver_names(void)
{
	char names[512] = "";
	for (int i = 0; solvers[i]; i++) {
		strncat(names, i ? " " : "", sizeof(names) - strlen(names) - 1);
		strncat(names, solvers[i]->name, sizeof(names) - strlen(names) - 1);
	}
	return xstrdup(names);
}

const struct solver *solver_find(const char *name)
{
	for (int i = 0; solvers[i]; i++) {
		if (!strcmp(solvers[i]->name, name)) {
			if (!solvers[i]->missing)
				return solvers[i];
			report("solver %s was left out of this build, which had no %s: install "
			       "it and run make again",
			       name, solvers[i]->missing);
			return NULL;
		}
	}
	char *names = solver_names();
	report("unknown solver '%s'; there is: %s", name, names);
	free(names);
	return NULL;
}

/* The value that a configuration string gives an option; NULL: it does not name it. */
static char *option_of(const char *config, const char *name)
{
	const size_t length = strlen(name);
	for (const char *word = config; *word; word += strcspn(word, " "), word += *word == ' ')
		if (!strncmp(word, name, length) && word[length] == '=')
			return xprintf("%.*s", (int)strcspn(word + length + 1, " "),
				       word + length + 1);
	return NULL;
}

int solver_prepare(const struct solver *solver, void *params, uint32_t gpus)
{
	char config[CONFIG_BYTES];
	if (solver->prepare(params, gpus))
		return -1;
	solver->config(params, config);
	if (strlen(config) + 1 >= CONFIG_BYTES)
		return report("a configuration has at most %d characters, and '%.40s...' has more: "
			      "give files shorter names",
			      CONFIG_BYTES - 2, config);
	for (const struct option_spec *spec = solver->options; spec->name; spec++) {
		if (spec->kind != OPTION_TEXT && spec->kind != OPTION_WORD)
			continue;
		const char *value = *(const char *const *)((const char *)params + spec->offset);
		char *said = option_of(config, spec->name);
		const bool blanks = said && value && value[strcspn(value, " \t\r\n")];
		free(said);
		if (blanks)
			return report("--%s '%s' has blanks, and a configuration is words with "
				      "blanks between: give it another name",
				      spec->name, value);
	}
	return 0;
}

/* A configuration string is the options without dashes: the option table reads both. */
void *solver_params(const struct solver *solver, const char *config, uint32_t gpus)
{
	enum { WORDS = 32 };
	/* Text options point to their words, which therefore lie behind the struct. */
	char *block = xcalloc(1, solver->params_bytes + 3 * strlen(config) + 1),
	     *at = block + solver->params_bytes, *copy = xstrdup(config), *save;
	char *argv[WORDS] = { (char *)(uintptr_t)solver->name },
	     *synopsis = xprintf("solve %s", solver->name);
	int argc = 1, words;
	for (char *word = strtok_r(copy, " ", &save); word && argc < WORDS;
	     word = strtok_r(NULL, " ", &save)) {
		argv[argc++] = at;
		at += sprintf(at, "--%s", word) + 1;
	}
	const struct command_help help = { "solve", synopsis, "" };
	int rc = options_parse(&help, solver->options, block, argc, argv, &words) || words ? -1 : 0;
	if (rc)
		report("cannot read the configuration '%s'", config);
	else
		rc = solver_prepare(solver, block, gpus);
	free(copy);
	free(synopsis);
	if (!rc)
		return block;
	free(block);
	return NULL;
}

/* Parameters and an empty plan of theirs: schedule->solver and ->config are set. */
static void *planned(const struct solver *solver, const char *config, uint32_t gpus,
		     struct schedule *schedule)
{
	char text[CONFIG_BYTES];
	void *params = solver_params(solver, config, gpus);
	if (!params)
		return NULL;
	solver->config(params, text);
	schedule->solver = xstrdup(solver->name);
	schedule->config = xstrdup(text);
	return params;
}

int solver_plan(const char *name, const char *config, uint32_t gpus, struct schedule *schedule)
{
	return solver_plan_part(name, config, gpus, 0, schedule);
}

int solver_plan_part(const char *name, const char *config, uint32_t gpus, int64_t iterations,
		     struct schedule *schedule)
{
	const struct solver *solver = solver_find(name);
	void *params = solver ? planned(solver, config, gpus, schedule) : NULL;
	if (!params)
		return -1;
	const struct solver_request request = { .iterations = iterations,
						.repeat = 1,
						.warm_up_ms = -1 };
	struct solver_result result;
	struct machine *m = machine_plan_new(gpus, schedule);
	int rc = solver_run(solver, params, m, gpus, &request, &result);
	schedule->iterations = rc ? 0 : result.asked;
	schedule->cycle = rc ? 0 : result.cycle;
	m->ops->free(m);
	free(params);
	return rc;
}

/* Enough iterations for what a launch finds in L2 to settle. */
enum { STEADY_ITERATIONS = 4 };

static int steady_body(struct machine_thread *t, void *steady)
{
	for (int k = 0; k < STEADY_ITERATIONS; k++)
		if (solver_steady_iterate(t, steady))
			return -1;
	return 0;
}

int solver_plan_steady(const char *name, const char *config, struct schedule *schedule)
{
	const struct solver *solver = solver_find(name);
	void *params = solver ? planned(solver, config, 1, schedule) : NULL;
	if (!params)
		return -1;
	struct solver_steady steady;
	struct machine_thread thread;
	struct machine *m = machine_plan_new(1, schedule);
	int rc = solver_steady_begin(&steady, solver, params, m);
	if (!rc) {
		rc = m->ops->run(m, 1, steady_body, &steady, &thread);
		solver_steady_end(&steady);
	}
	m->ops->free(m);
	free(params);
	return rc;
}

const struct option_spec *solver_options(const char *name, size_t *params_bytes)
{
	const struct solver *solver = solver_find(name);
	if (!solver)
		return NULL;
	*params_bytes = solver->params_bytes;
	return solver->options;
}

const struct option_standard *solver_planned_standards(const char *name)
{
	const struct solver *solver = solver_find(name);
	return solver ? solver->planned : NULL;
}

char *solver_config_of(const char *name, void *params, uint32_t gpus)
{
	const struct solver *solver = solver_find(name);
	if (!solver || solver_prepare(solver, params, gpus))
		return NULL;
	char *config = xmalloc(CONFIG_BYTES);
	solver->config(params, config);
	return config;
}

/* A configuration string as options of a command line. */
static char *options_text(const char *config)
{
	char text[2 * CONFIG_BYTES + 8] = "--", *to = text + 2;
	for (const char *from = config; *from; from++)
		if (*from == ' ')
			to = stpcpy(to, " --");
		else
			*to++ = *from == '=' ? ' ' : *from;
	*to = '\0';
	return xstrdup(text);
}

/*
 * How it goes, whatever its size: the solver, whether on several GPUs, the words of a configuration
 * that choose among named things, and of all others the names alone, with commas between. Not the
 * transport: classes of runs have it.
 */
static char *way_of(const struct solver *solver, const char *config, uint32_t gpus)
{
	char text[2 * CONFIG_BYTES],
		*to = stpcpy(stpcpy(text, solver->name), gpus > 1 ? ",gpus" : "");
	for (const char *word = config; *word; word += strcspn(word, " "), word += *word == ' ') {
		const size_t name = strcspn(word, "= ");
		const struct option_spec *option = solver->options;
		while (option->name && (strncmp(option->name, word, name) || option->name[name]))
			option++;
		if (name == strlen("transport") && !strncmp(word, "transport", name))
			continue;
		const bool named = option->name && option->kind == OPTION_CHOICE;
		to += sprintf(to, ",%.*s", (int)(named ? strcspn(word, " ") : name), word);
	}
	return xstrdup(text);
}

static char *column_text(const struct solver_column *column, const char *params)
{
	const void *value = params + column->offset;
	if (column->type == COLUMN_TEXT)
		return xstrdup(*(const char *const *)value);
	return xprintf("%lld", column->more + (column->type == COLUMN_INT
						       ? (long long)*(const int *)value
						       : (long long)*(const int64_t *)value));
}

char *solver_column(const char *name, const char *config, uint32_t gpus, const char *column)
{
	const struct solver *solver = solver_find(name);
	char *params = solver ? solver_params(solver, config, gpus) : NULL, text[CONFIG_BYTES];
	if (!params)
		return NULL;
	const struct solver_column *at = solver->columns;
	while (at && at->name && strcmp(at->name, column)) /* a graph has no columns */
		at++;
	solver->config(params, text);
	char *value = at && at->name		     ? column_text(at, params)
		      : !strcmp(column, "canonical") ? xstrdup(text)
		      : !strcmp(column, "options")   ? options_text(text)
		      : !strcmp(column, "way")	     ? way_of(solver, text, gpus)
						     : option_of(text, column);
	free(params);
	return value;
}

int solver_ways(const char *name, const void *params, uint32_t gpus)
{
	const struct solver *solver = solver_find(name);
	return solver && solver->ways ? solver->ways(params, gpus) : 0;
}

void solver_take(const char *name, void *params, uint32_t gpus, int way)
{
	const struct solver *solver = solver_find(name);
	if (solver && solver->take)
		solver->take(params, gpus, way);
}

bool solver_chaotic(const char *name, const void *params)
{
	const struct solver *solver = solver_find(name);
	return solver && solver->chaotic && solver->chaotic(params);
}

int solver_chaos(const char *name, const void *params, struct chaos_case *c)
{
	const struct solver *solver = solver_find(name);
	if (!solver)
		return -1;
	if (!solver->chaos)
		return report("solver %s does the same whenever values arrive: there is nothing to "
			      "co-simulate",
			      name);
	return solver->chaos(params, c);
}
