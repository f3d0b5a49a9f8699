/* SPDX-License-Identifier: MIT
 * The CUDA kernels of local modified SOR against their CPU implementations, bit for bit: u and
 * stored terms random, awkward sizes, parts of a strip, both parities of the first row, after 1, 2
 * and 100 iterations; the norms, and that a sweep after the end does nothing; the kernel of all
 * iterations with every number of rows a band and with checks that end it. What no kernel may touch
 * is NaN, and whole buffers are compared. Whole runs are gpu_lmsor_runs.c's.
 *
 *     gpu_lmsor [ROWSxCOLUMNS...]      without arguments: a set of sizes
 */
#include <float.h>
#include <math.h>

#include "gpu_kit.h"
#include "kernels/lmsor/lmsor_geometry.h"
#include "kernels/lmsor/lmsor_params.h"

enum { MOST_ITERATIONS = 100, SLOTS = MOST_ITERATIONS + 1 + SCOREBOARD_COUNTS };
static const uint64_t never = UINT64_MAX;

struct kernel {
	const char *name[2];
	void (*cpu)(const void *args);
	enum lmsor_stored stored;
};

static const struct kernel kernels[] = {
	{ { "lmsor_1", "lmsor_1_norm" }, lmsor_all_cpu, STORED_ALL },
	{ { "lmsor_2", "lmsor_2_norm" }, lmsor_two_cpu, STORED_TWO },
	{ { "lmsor_3", "lmsor_3_norm" }, lmsor_none_cpu, STORED_NONE },
	{ { "lmsor_tuned1", "lmsor_tuned1_norm" }, lmsor_all_cpu, STORED_ALL },
	{ { "lmsor_tuned2", "lmsor_tuned2_norm" }, lmsor_two_cpu, STORED_TWO },
	{ { "lmsor_tuned3", "lmsor_tuned3_norm" }, lmsor_none_cpu, STORED_NONE },
	{ { "lmsor_tuned4", "lmsor_tuned4_norm" }, lmsor_omega_cpu, STORED_OMEGA },
};
enum { KERNELS = sizeof(kernels) / sizeof(kernels[0]) };

static const struct gpu_size standard_sizes[] = {
	{ 3, 3 },      { 3, 4 },       { 4, 3 },       { 4, 5 },      { 5, 7 },
	{ 6, 9 },      { 9, 17 },      { 8, 131 },     { 17, 130 },   { 33, 257 },
	{ 66, 258 },   { 67, 515 },    { 129, 1000 },  { 301, 1027 }, { 402, 402 },
	{ 603, 602 },  { 1002, 1002 }, { 1058, 1024 }, /* lmsor_persistent from four rows a band to
							  all it can hold */
	{ 603, 2050 }, { 1604, 4099 }, /* so large that the tuned kernels take two and four rows a
					  thread */
};

struct check {
	struct gpu_check kit;
	struct machine *m;
	uint32_t stream, host, device, host_terms, device_terms, host_norm, device_norm, mailboxes;
	int64_t bytes;
	double *grid, *terms; /* of the CPU */
	uint64_t norm[SLOTS];
};

static void *address(const struct check *check, uint32_t buffer)
{
	return check->m->ops->address(check->m, buffer);
}

static int copy(struct machine_thread *t, const struct check *check, uint32_t from, uint32_t to,
		int64_t bytes)
{
	const struct machine_copy c = {
		.source = from, .target = to, .row_bytes = bytes, .rows = 1
	};
	return bytes ? t->machine->ops->copy(t, check->stream, &c) : 0;
}

/* Iterations of one kernel on the GPU: as the body of a one-thread run. */
struct trip {
	struct check *check;
	const struct kernel *kernel;
	struct lmsor_sweep sweep; /* with device addresses; colour and norm set here */
	int iterations;
	bool norm;
	int64_t bytes, terms_bytes;
};

static int sweep_all(const struct trip *trip, struct machine_thread *t, struct lmsor_sweep sweep,
		     uint64_t *norm)
{
	for (int k = 0; k < trip->iterations; k++)
		for (sweep.colour = 0; sweep.colour < 2; sweep.colour++) {
			sweep.norm = trip->norm ? norm + k + 1 : NULL;
			const struct machine_launch launch = {
				.name = trip->kernel->name[trip->norm],
				.cpu = gpu_never,
				.args = &sweep,
				.args_bytes = sizeof(sweep)
			};
			if (!t)
				trip->kernel->cpu(&sweep);
			else if (t->machine->ops->launch(t, trip->check->stream, &launch))
				return -1;
		}
	return 0;
}

static int trip_body(struct machine_thread *t, void *arg)
{
	const struct trip *trip = arg;
	const struct check *c = trip->check;
	if (copy(t, c, c->host, c->device, trip->bytes) ||
	    copy(t, c, c->host_terms, c->device_terms, trip->terms_bytes) ||
	    copy(t, c, c->host_norm, c->device_norm, SLOTS * 8) ||
	    sweep_all(trip, t, trip->sweep, address(c, c->device_norm)) ||
	    copy(t, c, c->device, c->host, trip->bytes) ||
	    copy(t, c, c->device_norm, c->host_norm, SLOTS * 8))
		return -1;
	return t->machine->ops->sync(t, c->stream);
}

/* Weak drift, or, for few iterations, a strong one too, which lets values grow where the mesh is
 * wider than the unit square. */
static struct lmsor_problem random_problem(struct check *check, enum lmsor_omega variant,
					   int problem, bool few)
{
	const double h = 1 / (50 + 1000 * gpu_random(&check->kit));
	return (struct lmsor_problem){
		.re = gpu_random(&check->kit) < 0.5 || !few ? gpu_random(&check->kit) / 1000
							    : 1e4 * (1 + gpu_random(&check->kit)),
		.h = h,
		.far = cos(M_PI * h),
		.near = cos(M_PI * (1 - h) / 2),
		.omega = 1.5,
		.problem = problem,
		.variant = (int32_t)variant,
	};
}

/* Random u in the rows a sweep of [begin, end) reads, NaN in all others; zero norms. */
static void fill(struct check *check, int rows, int columns, int begin, int end, int first_row)
{
	const int pitch = (columns + 2 + 127) / 128 * 128;
	double *grid = address(check, check->host);
	memset(grid, 0xff, (size_t)rows * (size_t)pitch * 8);
	for (int i = begin - 1; i <= end; i++)
		for (int j = 0; j < columns; j++)
			grid[(int64_t)i * pitch + ((first_row + i + j) & 1) * (pitch / 2) + j / 2] =
				2 * gpu_random(&check->kit) - 1;
	memset(address(check, check->host_norm), 0, SLOTS * 8);
}

static int check_sweeps(struct check *check, const struct kernel *kernel, int rows, int columns,
			int begin, int end, int first_row, int iterations, bool norm,
			double tolerance, int turn)
{
	const int pitch = (columns + 2 + 127) / 128 * 128, arrays = lmsor_arrays(kernel->stored);
	const int64_t cells = (int64_t)rows * pitch;
	double *grid = address(check, check->host), *terms = address(check, check->host_terms);
	uint64_t *norms = address(check, check->host_norm);
	struct trip trip = { .check = check,
			     .kernel = kernel,
			     .iterations = iterations,
			     .norm = norm,
			     .bytes = cells * 8,
			     .terms_bytes = cells * 8 * arrays };
	struct machine_thread thread;
	char what[200];
	fill(check, rows, columns, begin, end, first_row);
	memset(terms, 0xff, (size_t)trip.terms_bytes);
	/* omega in (0, 1), the others so that no value grows; NaN stays in halves no point of the
	 * sweep has */
	for (int64_t k = 0; k < cells * arrays; k++)
		terms[k] = 0.25 * gpu_random(&check->kit);
	const double before = DBL_MAX;
	memcpy(&norms[0], &before, 8);
	trip.sweep =
		(struct lmsor_sweep){ .pitch = pitch,
				      .columns = columns,
				      .strip_rows = rows,
				      .row_begin = begin,
				      .row_end = end,
				      .first_row = first_row,
				      .stop_at = never,
				      .problem = random_problem(check, (enum lmsor_omega)(turn % 5),
								1 + turn % 3, iterations <= 2) };
	if (tolerance > 0)
		memcpy(&trip.sweep.stop_at, &tolerance, 8);
	memcpy(check->grid, grid, (size_t)trip.bytes);
	memcpy(check->terms, terms, (size_t)trip.terms_bytes);
	memcpy(check->norm, norms, sizeof(check->norm));
	struct lmsor_sweep here = trip.sweep;
	here.grid = check->grid;
	here.terms = arrays ? check->terms : NULL;
	sweep_all(&trip, NULL, here, check->norm);
	for (int k = 0; k < SLOTS; k++)
		if (check->norm[k] >= 0x7ff0000000000000u) /* the two sides need not agree on the
							      bits of what is no number */
			return report("%s: the test's own input makes values that are not finite",
				      kernel->name[norm]);
	trip.sweep.grid = address(check, check->device);
	trip.sweep.terms = arrays ? address(check, check->device_terms) : NULL;
	if (check->m->ops->run(check->m, 1, trip_body, &trip, &thread))
		return -1;
	snprintf(what, sizeof(what),
		 "%s %dx%d rows [%d,%d) first row %d, %d iterations, tolerance %g, problem %d, "
		 "omega %d",
		 kernel->name[norm], rows, columns, begin, end, first_row, iterations, tolerance,
		 trip.sweep.problem.problem, trip.sweep.problem.variant);
	gpu_compare(&check->kit, what, check->grid, grid, (size_t)trip.bytes, 8, pitch);
	gpu_compare(&check->kit, what, check->norm, norms, sizeof(check->norm), 8, SLOTS);
	return 0;
}

/* All iterations in one launch. */
struct loop_trip {
	struct check *check;
	struct lmsor_loop loop; /* with device addresses */
	int64_t bytes;
};

static int loop_body(struct machine_thread *t, void *arg)
{
	const struct loop_trip *trip = arg;
	const struct check *c = trip->check;
	const struct machine_launch launch = { .name = "lmsor_persistent",
					       .cpu = gpu_never,
					       .args = &trip->loop,
					       .args_bytes = sizeof(trip->loop) };
	return copy(t, c, c->host, c->device, trip->bytes) ||
			       copy(t, c, c->host_norm, c->device_norm, SLOTS * 8) ||
			       t->machine->ops->launch(t, c->stream, &launch) ||
			       copy(t, c, c->device, c->host, trip->bytes) ||
			       copy(t, c, c->device_norm, c->host_norm, SLOTS * 8) ||
			       t->machine->ops->sync(t, c->stream)
		       ? -1
		       : 0;
}

/* The mailboxes hold what earlier checks left there. */
static int check_loop(struct check *check, int rows, int columns, int begin, int end, int bands,
		      int iterations, int every, double tolerance, int turn)
{
	const int pitch = (columns + 2 + 127) / 128 * 128;
	struct loop_trip trip = {
		.check = check,
		.loop = { .stop_at = never,
			  .pitch = pitch,
			  .columns = columns,
			  .row_begin = begin,
			  .row_end = end,
			  .first_row = 6 + (turn & 1),
			  .iterations = iterations,
			  .check_every = every,
			  .bands = bands,
			  .problem = random_problem(check, (enum lmsor_omega)(turn % 5),
						    1 + turn % 3, iterations <= 2) },
		.bytes = (int64_t)rows * pitch * 8,
	};
	struct machine_thread thread;
	char what[240];
	if (tolerance > 0)
		memcpy(&trip.loop.stop_at, &tolerance, 8);
	fill(check, rows, columns, begin, end, trip.loop.first_row);
	double *grid = address(check, check->host);
	for (int i = begin - 1; i <= end && tolerance > 0; i++)
		for (int j = 0; j < columns; j++)
			if (i == begin - 1 || i == end || j == 0 || j == columns - 1)
				grid[(int64_t)i * pitch +
				     ((trip.loop.first_row + i + j) & 1) * (pitch / 2) + j / 2] = 0;
	memcpy(check->grid, grid, (size_t)trip.bytes);
	memset(check->norm, 0, sizeof(check->norm));
	struct lmsor_loop here = trip.loop;
	here.grid = check->grid;
	here.scoreboard = check->norm;
	lmsor_persistent_cpu(&here);
	trip.loop.grid = address(check, check->device);
	trip.loop.scoreboard = address(check, check->device_norm);
	trip.loop.mailboxes = address(check, check->mailboxes);
	if (check->m->ops->run(check->m, 1, loop_body, &trip, &thread))
		return -1;
	snprintf(what, sizeof(what),
		 "lmsor_persistent %dx%d rows [%d,%d) first row %d in %d bands, %d iterations, a "
		 "check every %d, tolerance %g, problem %d, omega %d",
		 rows, columns, begin, end, trip.loop.first_row, bands, iterations, every,
		 tolerance, trip.loop.problem.problem, trip.loop.problem.variant);
	gpu_compare(&check->kit, what, check->grid, address(check, check->host), (size_t)trip.bytes,
		    8, pitch);
	gpu_compare(&check->kit, what, check->norm, address(check, check->host_norm),
		    SCOREBOARD_COUNTS * 8, 8, SCOREBOARD_COUNTS);
	return 0;
}

/* A tolerance that is met somewhere on the way, since all goes to the zeros of the border; then
 * with as many iterations as that takes, or a few more: checks that are still open when the last
 * one is made. */
static int check_end(struct check *check, int rows, int columns, int begin, int bands, int turn)
{
	const uint64_t drawn = check->kit.drawn;
	if (check_loop(check, rows, columns, begin, rows - 1, bands, MOST_ITERATIONS, 1 + turn % 4,
		       0.05, turn))
		return -1;
	const int more = (int)check->norm[SCOREBOARD_DONE] + turn / 2 % (LMSOR_LAG + 2);
	check->kit.drawn = drawn;
	return check_loop(check, rows, columns, begin, rows - 1, bands,
			  more < MOST_ITERATIONS ? more : MOST_ITERATIONS, 1 + turn % 4, 0.05,
			  turn);
}

static int check_loops(struct check *check, int rows, int columns)
{
	static const int counts[] = { 1, 2, MOST_ITERATIONS };
	const int64_t points = (int64_t)rows * columns;
	int turn = columns;
	if (columns > 2 * LMSOR_LOOP_THREADS)
		return 0;
	for (int begin = 1; begin <= 2 && begin < rows - 1; begin++)
		for (int each = 1; each <= LMSOR_BAND_ROWS; each++)
			for (int c = 0; c < 3; c++, turn++) {
				const int own = rows - 1 - begin, bands = (own + each - 1) / each;
				if (bands > LMSOR_BANDS ||
				    (points > 20000 && bands > lmsor_bands(own)))
					continue;
				if (check_loop(check, rows, columns, begin, rows - 1, bands,
					       counts[c], 1 + turn % 4, 0, turn) ||
				    (c == 2 && check_end(check, rows, columns, begin, bands, turn)))
					return -1;
			}
	return 0;
}

struct terms_trip {
	struct check *check;
	struct lmsor_setup setup;
	int64_t bytes;
};

static int terms_body(struct machine_thread *t, void *arg)
{
	const struct terms_trip *trip = arg;
	const struct check *c = trip->check;
	const struct machine_launch launch = { .name = "lmsor_terms",
					       .cpu = gpu_never,
					       .args = &trip->setup,
					       .args_bytes = sizeof(trip->setup) };
	return t->machine->ops->launch(t, c->stream, &launch) ||
			       copy(t, c, c->device_terms, c->host_terms, trip->bytes) ||
			       t->machine->ops->sync(t, c->stream)
		       ? -1
		       : 0;
}

static int check_terms(struct check *check, int rows, int columns, int turn)
{
	static const enum lmsor_stored kinds[] = { STORED_ALL, STORED_TWO, STORED_OMEGA };
	const int pitch = (columns + 2 + 127) / 128 * 128;
	struct machine_thread thread;
	for (int k = 0; k < 3; k++) {
		struct terms_trip trip = {
			.check = check,
			.setup = { .terms = check->terms,
				   .pitch = pitch,
				   .strip_rows = rows,
				   .first_row = turn,
				   .stored = (int32_t)kinds[k],
				   .problem = random_problem(check, (enum lmsor_omega)(turn % 5),
							     1 + turn % 3, true) },
			.bytes = (int64_t)rows * pitch * 8 * lmsor_arrays(kinds[k]),
		};
		char what[120];
		lmsor_terms_cpu(&trip.setup);
		trip.setup.terms = address(check, check->device_terms);
		if (check->m->ops->run(check->m, 1, terms_body, &trip, &thread))
			return -1;
		snprintf(what, sizeof(what),
			 "lmsor_terms %dx%d first row %d, storage %d, re %g h %g", rows, columns,
			 turn, (int)kinds[k], trip.setup.problem.re, trip.setup.problem.h);
		gpu_compare(&check->kit, what, check->terms, address(check, check->host_terms),
			    (size_t)trip.bytes, 8, pitch);
	}
	return 0;
}

static int check_size(struct check *check, int rows, int columns)
{
	const int64_t points = (int64_t)rows * columns;
	const int counts[] = { 1, 2, MOST_ITERATIONS };
	/* all rows; without the outer ones; one row; an odd start */
	const int ranges[][2] = { { 1, rows - 1 },
				  { 2, rows - 2 },
				  { rows / 2, rows / 2 + 1 },
				  { rows / 3 + 1, rows - 1 } };
	int turn = rows;
	for (int k = 0; k < KERNELS; k++)
		for (size_t r = 0; r < (points > 100000 ? 1 : sizeof(ranges) / sizeof(ranges[0]));
		     r++)
			for (int c = 0; c < (points > 20000 ? 1 : points > 2000 ? 2 : 3); c++)
				for (int norm = 0; norm < 2; norm++, turn++) {
					const int begin = ranges[r][0], end = ranges[r][1];
					if (begin >= 1 && end > begin && end <= rows - 1 &&
					    check_sweeps(check, &kernels[k], rows, columns, begin,
							 end, 6 + (turn & 1), counts[c], norm, 0,
							 turn))
						return -1;
				}
	/* A tolerance that is met somewhere on the way. */
	for (int k = 0; k < KERNELS && points < 2000; k++, turn++)
		if (check_sweeps(check, &kernels[k], rows, columns, 1, rows - 1, 6, MOST_ITERATIONS,
				 true, 0.05, turn))
			return -1;
	if (check_loops(check, rows, columns))
		return -1;
	for (int k = 0; k < (points > 100000 ? 1 : 5); k++)
		if (check_terms(check, rows, columns, k))
			return -1;
	return 0;
}

static int check_all(struct check *check, const struct gpu_size *sizes, size_t count)
{
	struct machine *m = check->m;
	const struct machine_ops *ops = m->ops;
	for (size_t s = 0; s < count; s++) {
		int64_t bytes = (int64_t)sizes[s].rows * (sizes[s].columns + 130) * 8;
		check->bytes = bytes > check->bytes ? bytes : check->bytes;
	}
	if (ops->buffer(m, 0, SPACE_PINNED, check->bytes, &check->host) ||
	    ops->buffer(m, 0, SPACE_DEVICE, check->bytes, &check->device) ||
	    ops->buffer(m, 0, SPACE_PINNED, 5 * check->bytes, &check->host_terms) ||
	    ops->buffer(m, 0, SPACE_DEVICE, 5 * check->bytes, &check->device_terms) ||
	    ops->buffer(m, 0, SPACE_PINNED, SLOTS * 8, &check->host_norm) ||
	    ops->buffer(m, 0, SPACE_DEVICE, SLOTS * 8, &check->device_norm) ||
	    ops->buffer(m, 0, SPACE_DEVICE, 8 * lmsor_mailbox_words(LMSOR_BANDS),
			&check->mailboxes) ||
	    ops->stream(m, 0, &check->stream))
		return -1;
	check->grid = xmalloc((size_t)check->bytes);
	check->terms = xmalloc((size_t)check->bytes * 5);
	for (size_t s = 0; s < count; s++) {
		if (check_size(check, sizes[s].rows, sizes[s].columns))
			return -1;
		gpu_count_part(&check->kit, "%dx%d", sizes[s].rows, sizes[s].columns);
	}
	return 0;
}

int main(int argc, char **argv)
{
	size_t count = sizeof(standard_sizes) / sizeof(standard_sizes[0]);
	struct gpu_size *sizes = gpu_sizes(argc, argv, standard_sizes, &count);
	struct check check = { 0 };
	int rc = EXIT_BAD;

	if (!sizes)
		return EXIT_USAGE;
	check.m = machine_cuda_new(1);
	if (check.m && !check_all(&check, sizes, count))
		rc = gpu_count_all(&check.kit);
	free(sizes);
	free(check.grid);
	free(check.terms);
	if (check.m)
		check.m->ops->free(check.m);
	return rc;
}
