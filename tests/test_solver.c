/* SPDX-License-Identifier: MIT
 * The table of solver families: what each says of its configurations.
 */
#include "solver_kit.h"
#include "support.h"

static void columns_come_from_the_solver(void **state)
{
	static const struct {
		const char *solver, *config, *column, *text; /* NULL: the solver has none */
		uint32_t gpus;
	} asked[] = {
		{ "rbsor", "size=100x70 border=2", "rows", "100", 4 },
		{ "rbsor", "size=100x70 border=2", "columns", "70", 4 },
		{ "rbsor", "size=100x70 border=2", "border", "2", 4 },
		{ "rbsor", "size=100x70", "iterations", "100", 1 },
		{ "rbsor", "transport=host", "transport", "host", 2 },
		{ "rbsor", "size=100x70", "problem", NULL, 1 },
		{ "lmsor", "size=402", "rows", "402", 2 },
		{ "lmsor", "size=402", "columns", "402", 2 },
		{ "lmsor", "size=402 max-iterations=7", "iterations", "0", 2 },
		{ "lmsor", "size=402 iterations=9", "iterations", "9", 2 },
		{ "lmsor", "size=402", "transport", "peer", 2 },
		{ "micro", "kernel=copy8 size=4096", "rows", "4096", 1 },
		{ "micro", "kernel=copy8 size=4096", "transport", NULL, 1 },
		{ "mlssor", "size=258x130", "rows", "258", 1 },
		{ "mlssor", "size=258x130 transport=host", "transport", "host", 1 },
		{ "patches", "iterations=5", "iterations", "5", 1 },
		{ "patches", "patches=3x16 block=8.4.2", "count", "3", 1 },
		{ "patches", "patches=3x16 block=8.4.2", "side", "16", 1 },
		{ "patches", "patches=2.1.1*16", "side", "0", 1 },
		{ "patches", "patches=3x16 block=8.4.2", "block_cells", "64", 1 },
		{ "rbsor", "size=9 kernel=paper", "options",
		  "--size 9x9 --precision f32 --kernel paper --scheme exact --border 1 "
		  "--transport peer --iterations 100",
		  1 },
		{ "rbsor", "size=9 sync=graph iterations=7", "way",
		  "rbsor,gpus,size,precision=f32,kernel=tuned,scheme=exact,border,iterations,"
		  "sync=graph",
		  2 },
		{ "jacobi", "size=9", "way", "jacobi,size,precision=f32,border,iterations", 1 },
		{ "poisson", "steps=7", "iterations", "7", 1 },
		{ "shape", "steps=7", "rows", NULL, 1 },
		{ "jacobi", "size=64x50 partition=2x2", "columns", "50", 4 },
		{ "jacobi", "size=64x50 transport=host", "transport", "host", 4 },
	};
	(void)state;
	for (size_t k = 0; k < sizeof(asked) / sizeof(asked[0]); k++) {
		char *text = solver_column(asked[k].solver, asked[k].config, asked[k].gpus,
					   asked[k].column);
		if (!asked[k].text != !text || (text && strcmp(text, asked[k].text)))
			fail_msg("%s %s: %s is '%s', expected '%s'", asked[k].solver,
				 asked[k].config, asked[k].column, text ? text : "nothing",
				 asked[k].text ? asked[k].text : "nothing");
		free(text);
	}
}

static void a_column_of_no_solver_or_of_a_wrong_configuration_is_refused(void **state)
{
	struct said said;
	(void)state;
	said_begin(&said);
	assert_null(solver_column("multigrid", "size=64", 1, "rows"));
	assert_non_null(strstr(said_end(&said), "unknown solver 'multigrid'"));
	said_begin(&said);
	assert_null(solver_column("rbsor", "size=64 colour=red", 1, "rows"));
	assert_non_null(strstr(said_end(&said), "cannot read the configuration"));
}

/* A name that nobody asks for is a typing error. */
static void columns_have_names_that_are_asked_for(void **state)
{
	static const char known[] =
		" rows columns border iterations transport count side block_cells ";
	(void)state;
	for (int s = 0; solvers[s]; s++)
		for (const struct solver_column *at = solvers[s]->columns; at && at->name; at++) {
			char word[64];
			snprintf(word, sizeof(word), " %s ", at->name);
			if (!strstr(known, word))
				fail_msg("%s has a column %s", solvers[s]->name, at->name);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_come_from_the_solver),
		cmocka_unit_test(a_column_of_no_solver_or_of_a_wrong_configuration_is_refused),
		cmocka_unit_test(columns_have_names_that_are_asked_for),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
