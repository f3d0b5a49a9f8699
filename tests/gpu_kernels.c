/* SPDX-License-Identifier: MIT
 * Every CUDA kernel against its CPU implementation, bit for bit: random grids at awkward sizes,
 * partial row ranges, both parities of the first row, both colours. Rows outside reach and the
 * padding are NaN, and the whole buffer is compared: a kernel that reads or writes where it must
 * not shows.
 *
 *     gpu_kernels [ROWSxCOLUMNS...]      without arguments: a set of sizes
 */
#include "gpu_grid_kit.h"
#include "kernels/rbsor/rbsor.h"
#include "kernels/rbsor/rbsor_geometry.h"

struct sweep_kernel {
	const char *name;
	void (*cpu)(const void *args);
	size_t element;
	enum grid_layout layout;
};

struct pass_kernel {
	const char *name;
	void (*cpu)(const void *args);
	size_t element;
	int depth;
};

struct layout_kernel {
	const char *name;
	void (*cpu)(const void *args);
	size_t element;
	bool merge;
};

static const struct sweep_kernel sweep_kernels[] = {
	{ "rbsor_paper_f32", rbsor_rows_f32_cpu, 4, LAYOUT_ROWS },
	{ "rbsor_paper_f64", rbsor_rows_f64_cpu, 8, LAYOUT_ROWS },
	{ "rbsor_tuned_f32", rbsor_tuned_f32_cpu, 4, LAYOUT_SPLIT },
	{ "rbsor_tuned_f64", rbsor_tuned_f64_cpu, 8, LAYOUT_SPLIT },
};

static const struct pass_kernel pass_kernels[] = {
#define PASS(name, depth, ...)                                                                     \
	{ "rbsor_" #name "_f32", rbsor_pass_f32_cpu, 4, depth },                                   \
		{ "rbsor_" #name "_f64", rbsor_pass_f64_cpu, 8, depth },
#include "kernels/rbsor/rbsor_passes.def"
#include "kernels/rbsor/rbsor_trapezoids.def"
#undef PASS
};

static const struct layout_kernel layout_kernels[] = {
	{ "rbsor_split_f32", colour_split_f32_cpu, 4, false },
	{ "rbsor_split_f64", colour_split_f64_cpu, 8, false },
	{ "rbsor_merge_f32", colour_merge_f32_cpu, 4, true },
	{ "rbsor_merge_f64", colour_merge_f64_cpu, 8, true },
};

static const struct gpu_size
	standard_sizes[] = {
		{ 3, 3 },	{ 3, 4 },      { 4, 3 },     { 4, 5 },	    { 5, 7 },
		{ 6, 9 },	{ 7, 10 },     { 9, 17 },    { 8, 111 },    { 17, 112 },
		{ 17, 113 },	{ 10, 114 },   { 111, 113 }, { 5, 222 },    { 33, 257 },
		{ 66, 258 },	{ 129, 1000 }, { 64, 1026 }, { 1023, 257 }, { 601, 2051 },
		{ 1604, 4099 }, /* so large that the tuned kernels take several rows a thread */
	};

static int check_sweep(struct check *check, const struct sweep_kernel *kernel, int rows,
		       int columns, int begin, int end, int first_row, int colour, int64_t pitch)
{
	const struct machine_ops *ops = check->m->ops;
	char *host = ops->address(check->m, check->host);
	const size_t bytes = (size_t)(rows * pitch) * kernel->element;
	struct rbsor_sweep sweep = { .pitch = pitch,
				     .columns = columns,
				     .strip_rows = rows,
				     .row_begin = begin,
				     .row_end = end,
				     .first_row = first_row,
				     .colour = colour,
				     .omega = 1.2 + 0.7 * gpu_random(&check->kit) };
	struct trip trip = { check, kernel->name, &sweep, sizeof(sweep), (int64_t)bytes, 0 };
	struct machine_thread out;
	char what[160];

	fill(check, host, kernel->element, kernel->layout, pitch, columns, rows, first_row,
	     begin - 1, end + 1);
	memcpy(check->expected, host, bytes);
	sweep.grid = check->expected;
	kernel->cpu(&sweep);
	sweep.grid = device_grid(check, check->device, bytes);
	if (ops->run(check->m, 1, trip_body, &trip, &out))
		return -1;
	snprintf(what, sizeof(what), "%s %dx%d rows [%d,%d) first row %d colour %d pitch %lld",
		 kernel->name, rows, columns, begin, end, first_row, colour, (long long)pitch);
	gpu_compare(&check->kit, what, check->expected, host, bytes, kernel->element, pitch);
	return 0;
}

/* From the second grid to the first. */
static int check_pass(struct check *check, const struct pass_kernel *kernel, int rows, int columns,
		      int begin, int end, int first, int64_t pitch)
{
	const struct machine_ops *ops = check->m->ops;
	char *host = ops->address(check->m, check->host),
	     *from_host = ops->address(check->m, check->rows_host);
	const int reach = 2 * kernel->depth;
	const int low = begin > reach ? begin - reach : 0,
		  high = rows - end > reach ? end + reach : rows;
	const size_t bytes = (size_t)(rows * pitch) * kernel->element;
	struct rbsor_pass pass = { .pitch = pitch,
				   .columns = columns,
				   .strip_rows = rows,
				   .row_begin = begin,
				   .row_end = end,
				   .first = first,
				   .depth = kernel->depth,
				   .omega = 1.2 + 0.7 * gpu_random(&check->kit) };
	struct trip trip = { check,	   kernel->name,   &pass,
			     sizeof(pass), (int64_t)bytes, (int64_t)bytes };
	struct machine_thread out;
	char what[160];

	fill(check, from_host, kernel->element, LAYOUT_ROWS, pitch, columns, rows, 0, low, high);
	memset(host, 0xff, bytes);
	memset(check->expected, 0xff, bytes);
	pass.from = from_host;
	pass.to = check->expected;
	kernel->cpu(&pass);
	pass.from = device_grid(check, check->rows_device, bytes);
	pass.to = device_grid(check, check->device, bytes);
	if (ops->run(check->m, 1, trip_body, &trip, &out))
		return -1;
	snprintf(what, sizeof(what), "%s %dx%d rows [%d,%d) first %d pitch %lld", kernel->name,
		 rows, columns, begin, end, first, (long long)pitch);
	gpu_compare(&check->kit, what, check->expected, host, bytes, kernel->element, pitch);
	return 0;
}

/* All iterations of a whole grid; only its result is defined. */
static int check_loop(struct check *check, int rows, int columns, bool resident, bool f64,
		      int iterations)
{
	const struct machine_ops *ops = check->m->ops;
	const struct rbsor_persistent_kernel *kernel = rbsor_persistent_kernel_of(rows, columns);
	const size_t element = f64 ? 8 : 4;
	const int64_t pitch = round_up(columns, 64);
	char *host = ops->address(check->m, check->host),
	     *other = ops->address(check->m, check->rows_host);
	const size_t bytes = (size_t)(rows * pitch) * element,
		     flags = resident ? RESIDENT_FLAGS_BYTES : PERSISTENT_FLAGS_BYTES;
	const int result = rbsor_loop_result(iterations);
	struct rbsor_loop loop = { .pitch = pitch,
				   .columns = columns,
				   .rows = rows,
				   .iterations = iterations,
				   .omega = 1.2 + 0.7 * gpu_random(&check->kit) };
	struct trip trip = { check, NULL, &loop, sizeof(loop), 0, 0 };
	struct machine_thread out;
	char what[160];

	if (!kernel || !kernel->name[resident][f64])
		return 0;
	trip.kernel = kernel->name[resident][f64];
	fill(check, other, element, LAYOUT_ROWS, pitch, columns, rows, 0, 0, rows);
	memcpy(host, other, bytes);
	memcpy(check->expected, host, bytes);
	memcpy(check->expected_rows, host, bytes);
	loop.grid[0] = check->expected;
	loop.grid[1] = check->expected_rows;
	(f64 ? rbsor_loop_f64_cpu : rbsor_loop_f32_cpu)(&loop);
	/* The flags lie behind the second grid. */
	for (size_t k = 0; k < flags / 4; k++)
		((uint32_t *)(void *)(other + bytes))[k] = 7;
	trip.bytes = (int64_t)bytes;
	trip.rows_bytes = (int64_t)(bytes + flags);
	loop.grid[0] = device_grid(check, check->device, bytes);
	loop.grid[1] = device_grid(check, check->rows_device, bytes + flags);
	loop.flags = (char *)loop.grid[1] + bytes;
	if (ops->run(check->m, 1, trip_body, &trip, &out))
		return -1;
	snprintf(what, sizeof(what), "%s %dx%d iterations %d", trip.kernel, rows, columns,
		 iterations);
	gpu_compare(&check->kit, what, result ? check->expected_rows : check->expected,
		    result ? other : host, bytes, element, pitch);
	return 0;
}

static int check_layout(struct check *check, const struct layout_kernel *kernel, int rows,
			int columns, int first_row, int64_t pitch, int64_t rows_pitch)
{
	const struct machine_ops *ops = check->m->ops;
	char *host = ops->address(check->m, check->host),
	     *rows_host = ops->address(check->m, check->rows_host);
	const size_t bytes = (size_t)(rows * pitch) * kernel->element,
		     rows_bytes = (size_t)(rows * rows_pitch) * kernel->element;
	struct colour_layout_args args = { .rows_pitch = rows_pitch,
					   .pitch = pitch,
					   .columns = columns,
					   .strip_rows = rows,
					   .first_row = first_row };
	struct trip trip = { check,	   kernel->name,   &args,
			     sizeof(args), (int64_t)bytes, (int64_t)rows_bytes };
	struct machine_thread out;
	char what[160];

	fill(check, host, kernel->element, LAYOUT_SPLIT, pitch, columns, rows, first_row, 0,
	     kernel->merge ? rows : 0);
	fill(check, rows_host, kernel->element, LAYOUT_ROWS, rows_pitch, columns, rows, first_row,
	     0, kernel->merge ? 0 : rows);
	memcpy(check->expected, host, bytes);
	memcpy(check->expected_rows, rows_host, rows_bytes);
	args.grid = check->expected;
	args.rows_grid = check->expected_rows;
	kernel->cpu(&args);
	args.grid = device_grid(check, check->device, bytes);
	args.rows_grid = device_grid(check, check->rows_device, rows_bytes);
	if (ops->run(check->m, 1, trip_body, &trip, &out))
		return -1;
	snprintf(what, sizeof(what), "%s %dx%d first row %d", kernel->name, rows, columns,
		 first_row);
	gpu_compare(&check->kit, what, check->expected, host, bytes, kernel->element, pitch);
	gpu_compare(&check->kit, what, check->expected_rows, rows_host, rows_bytes, kernel->element,
		    rows_pitch);
	return 0;
}

static int check_size(struct check *check, int rows, int columns)
{
	const int64_t tight = round_up(columns, 64);
	const int64_t points = (int64_t)rows * columns;
	const bool large = points > 2000000; /* there for the tuned kernels alone: the others work
						the same at any size */
	const bool deep = points < 70000;    /* passes make many sweeps at once: on an emulated GPU
						 they take long enough */
	const size_t pass_step = points > 20000 ? 5 : 1;
	const size_t step = large	      ? 7
			    : points > 100000 ? 5
					      : 1; /* fewer ranges where each takes its time */
	int ranges[TRIP_RANGES][2];

	trip_ranges(rows, ranges);
	for (size_t k = 0; k < sizeof(sweep_kernels) / sizeof(sweep_kernels[0]); k++)
		for (size_t r = 0; r < TRIP_RANGES; r += step)
			for (int variant = 0; variant < 4; variant++) {
				const int begin = ranges[r][0], end = ranges[r][1];
				if (begin < 1 || end <= begin || end > rows - 1 ||
				    (large && sweep_kernels[k].layout == LAYOUT_ROWS))
					continue;
				if (check_sweep(check, &sweep_kernels[k], rows, columns, begin, end,
						6 + (variant & 1), variant >> 1,
						tight + (r & 1 ? 64 : 0)))
					return -1;
			}
	for (size_t k = 0; k < sizeof(pass_kernels) / sizeof(pass_kernels[0]) && deep; k++)
		for (size_t r = 0; r < TRIP_RANGES; r += pass_step) {
			const int begin = ranges[r][0], end = ranges[r][1];
			if (begin < 1 || end <= begin || end > rows - 1)
				continue;
			if (check_pass(check, &pass_kernels[k], rows, columns, begin, end,
				       6 + (int)((r + k / 2) & 1), tight + (r & 1 ? 64 : 0)))
				return -1;
		}
	for (int variant = 0; variant < 12 && deep; variant++)
		if (check_loop(check, rows, columns, variant / 6, variant & 1,
			       1 + variant % 6 / 2 * 4))
			return -1;
	for (size_t k = 0; k < sizeof(layout_kernels) / sizeof(layout_kernels[0]) && !large; k++)
		for (int first_row = 2; first_row < 4; first_row++)
			if (check_layout(check, &layout_kernels[k], rows, columns, first_row, tight,
					 first_row & 1 ? columns : tight + 64))
				return -1;
	return 0;
}

int main(int argc, char **argv)
{
	return check_main(argc, argv, standard_sizes,
			  sizeof(standard_sizes) / sizeof(standard_sizes[0]), check_size);
}
