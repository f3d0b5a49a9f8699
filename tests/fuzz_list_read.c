/* SPDX-License-Identifier: MIT
 * Any bytes as a list of configurations, of pairs, and as a sweep; what a list names is what the
 * options of a solver make of it.
 */
#include "fuzz_kit.h"
#include "kernels/kit/solver.h"
#include "sim/sweep/sweep_file.h"
#include "sim/validate/pairs.h"
#include "traces/base/config_list.h"

static void try_lines(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *rest = text, *line;

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = 0;
	for (int number = 1; (line = strsep(&rest, "\n")); number++) {
		struct config_line out;

		if (config_line_parse(&out, line, "fuzz", number) == 1 &&
		    (!out.solver || !out.config || strlen(out.solver) + strlen(out.config) > size))
			abort();
	}
	free(text);
}

static void try_sweep(const char *path)
{
	static const struct program program = { .solver_options = solver_options,
						.planned_standards = solver_planned_standards,
						.solver_names = solver_names,
						.config_of = solver_config_of };
	struct sweep_point point;
	struct sweep sweep;

	if (!sweep_read(&sweep, &program, path, "h200x4")) {
		sweep_point_at(&sweep, 0, &point);
		sweep_point_at(&sweep, sweep.points - 1, &point);
		sweep_point_at(&sweep, sweep.points / 2, &point);
		if (strlen(point.config) >= sizeof(point.config) ||
		    sweep_machine_of(&sweep, sweep.points - 1) >=
			    sweep.platform.count * sweep.set.count)
			abort();
	}
	sweep_release(&sweep);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pairs pairs = { 0 };
	char path[32];
	int file = fuzz_file(data, size, path);

	try_lines(data, size);
	pairs_read(&pairs, path);
	pairs_release(&pairs);
	try_sweep(path);
	close(file);
	return 0;
}
