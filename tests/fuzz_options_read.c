/* SPDX-License-Identifier: MIT
 * Any bytes as words of a command line, a line each: the options of every solver, and one table
 * with an option of each kind.
 */
#include "fuzz_kit.h"
#include "kernels/kit/solver.h"
#include "options_kit.h"
#include "traces/base/util.h"

enum { MOST_WORDS = 40 };

static void try_own(int argc, char **argv)
{
	struct tried_options target = { 0 };
	char *words[MOST_WORDS + 1];
	int count;

	memcpy(words, argv, sizeof(words));
	if (!options_parse(&tried_help, tried_specs, &target, argc, words, &count) &&
	    (target.count < 1 || target.count > 10 || !(target.factor >= 0 && target.factor <= 2) ||
	     (strcmp(target.word, "one") && strcmp(target.word, "two")) || !*target.column ||
	     count >= argc))
		abort();
}

/* A solver's options, and its configuration of them, there and back. */
static void try_solver(const char *solver, int argc, char **argv)
{
	size_t bytes;
	const struct option_spec *of_solver = solver_options(solver, &bytes);
	char *words[MOST_WORDS + 1], *config;
	void *params;
	int count;

	if (!of_solver)
		return;
	params = xcalloc(1, bytes);
	memcpy(words, argv, sizeof(words));
	if (!options_parse(&tried_help, of_solver, params, argc, words, &count)) {
		config = solver_config_of(solver, params, 1);
		free(config);
	}
	free(params);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const families[] = { "rbsor",   "lmsor", "mlssor", "poisson", "shape",
						"patches", "bfs",   "jacobi", "micro" };
	char *text = malloc(size + 1), *rest = text, *word;
	char *argv[MOST_WORDS + 1] = { (char *)"try" };
	int argc = 1;

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = 0;
	while (argc < MOST_WORDS && (word = strsep(&rest, "\n")))
		if (strcmp(word, "--help")) /* which prints on standard output */
			argv[argc++] = word;
	try_own(argc, argv);
	try_solver(families[(size ? data[0] : 0) % (sizeof(families) / sizeof(families[0]))], argc,
		   argv);
	free(text);
	return 0;
}
