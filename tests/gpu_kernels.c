/* SPDX-License-Identifier: MIT
 * Every CUDA kernel against its CPU implementation, bit for bit: random grids at awkward sizes,
 * partial row ranges, both parities of the first row, both colours. Rows outside reach and the
 * padding are NaN, and the whole buffer is compared: a kernel that reads or writes where it must
 * not shows.
 *
 *     gpu_kernels [ROWSxCOLUMNS...]      without arguments: a set of sizes
 */
#include "gpu_kit.h"
#include "kernels/kit/colour_layout.h"
#include "kernels/machine/machine.h"
#include "kernels/rbsor/rbsor.h"
#include "kernels/rbsor/rbsor_geometry.h"

struct sweep_kernel {
	const char *name;
	void (*cpu)(const void *args);
	size_t element;
	enum grid_layout layout;
};

struct area_kernel {
	const char *name;
	void (*cpu)(const void *args);
	size_t element;
	int colour;
	bool strips; /* parts that begin with the grid's first column */
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

static const struct area_kernel area_kernels[] = {
#define SWEEP(kernel, indices, name, strips)                                                       \
	{ "rbsor_" #name "_red_f32", rbsor_rows_f32_cpu, 4, 0, strips },                           \
		{ "rbsor_" #name "_black_f32", rbsor_rows_f32_cpu, 4, 1, strips },                 \
		{ "rbsor_" #name "_red_f64", rbsor_rows_f64_cpu, 8, 0, strips },                   \
		{ "rbsor_" #name "_black_f64", rbsor_rows_f64_cpu, 8, 1, strips },
#include "kernels/rbsor/rbsor_sweeps.def"
#undef SWEEP
};

static const struct pass_kernel pass_kernels[] = {
#define PASS(name, depth, ...)                                                                     \
	{ "rbsor_" #name "_f32", rbsor_pass_f32_cpu, 4, depth },                                   \
		{ "rbsor_" #name "_f64", rbsor_pass_f64_cpu, 8, depth },
#include "kernels/rbsor/rbsor_passes.def"
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

struct check {
	struct gpu_check kit;
	struct machine *m;
	uint32_t host, device, rows_host, rows_device, stream;
	int64_t bytes;
	char *expected, *expected_rows; /* what the CPU makes of the same input */
};

static void put(char *grid, size_t element, int64_t index, double value)
{
	if (element == 4)
		((float *)(void *)grid)[index] = (float)value;
	else
		((double *)(void *)grid)[index] = value;
}

/* NaN everywhere, then values in the columns of rows [from, to). */
static void fill(struct check *check, char *grid, size_t element, enum grid_layout layout,
		 int64_t pitch, int columns, int rows, int first_row, int from, int to)
{
	memset(grid, 0xff, (size_t)(rows * pitch) * element);
	for (int i = from; i < to; i++)
		for (int j = 0; j < columns; j++) {
			int64_t at = layout == LAYOUT_ROWS
					     ? j
					     : ((first_row + i + j) & 1) * (pitch / 2) + (j >> 1);
			put(grid, element, i * pitch + at, 2 * gpu_random(&check->kit) - 1);
		}
}

/* Uploads, launches, downloads; runs as the body of a one-thread run. */
struct trip {
	struct check *check;
	const char *kernel;
	const void *args;
	size_t args_bytes;
	int64_t bytes, rows_bytes; /* of the grid, and of the row-major side (0: none) */
};

/* Grids end where their device buffer ends, so that a memory checker sees a reach beyond. */
static void *device_grid(const struct check *check, uint32_t buffer, size_t bytes)
{
	return (char *)check->m->ops->address(check->m, buffer) + (check->bytes - (int64_t)bytes);
}

static int upload(struct machine_thread *t, const struct check *check, uint32_t host,
		  uint32_t device, int64_t bytes)
{
	const struct machine_copy c = { .source = host,
					.target = device,
					.target_offset_bytes = check->bytes - bytes,
					.row_bytes = bytes,
					.rows = 1 };

	return bytes ? t->machine->ops->copy(t, check->stream, &c) : 0;
}

static int download(struct machine_thread *t, const struct check *check, uint32_t device,
		    uint32_t host, int64_t bytes)
{
	const struct machine_copy c = { .source = device,
					.target = host,
					.source_offset_bytes = check->bytes - bytes,
					.row_bytes = bytes,
					.rows = 1 };

	return bytes ? t->machine->ops->copy(t, check->stream, &c) : 0;
}

static int trip_body(struct machine_thread *t, void *arg)
{
	const struct trip *trip = arg;
	const struct check *c = trip->check;
	const struct machine_launch launch = { .name = trip->kernel,
					       .cpu = gpu_never,
					       .args = trip->args,
					       .args_bytes = trip->args_bytes };

	if (upload(t, c, c->host, c->device, trip->bytes) ||
	    upload(t, c, c->rows_host, c->rows_device, trip->rows_bytes))
		return -1;
	if (t->machine->ops->launch(t, c->stream, &launch))
		return -1;
	if (download(t, c, c->device, c->host, trip->bytes) ||
	    download(t, c, c->rows_device, c->rows_host, trip->rows_bytes))
		return -1;
	return t->machine->ops->sync(t, c->stream);
}

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

/* A part that begins at any row and, in blocks, at any column of the grid. */
static int check_area(struct check *check, const struct area_kernel *kernel, int rows, int columns,
		      int begin, int end, int first_row, int first_column, int64_t pitch)
{
	const struct machine_ops *ops = check->m->ops;
	char *host = ops->address(check->m, check->host);
	const size_t bytes = (size_t)(rows * pitch) * kernel->element;
	struct rbsor_area area = { .sweep = { .pitch = pitch,
					      .columns = columns,
					      .strip_rows = rows,
					      .row_begin = begin,
					      .row_end = end,
					      .first_row = first_row + first_column,
					      .colour = kernel->colour,
					      .omega = 1.2 + 0.7 * gpu_random(&check->kit) },
				   .first_row = first_row,
				   .first_column = first_column };
	struct trip trip = { check, kernel->name, &area, sizeof(area), (int64_t)bytes, 0 };
	struct machine_thread out;
	char what[160];

	fill(check, host, kernel->element, LAYOUT_ROWS, pitch, columns, rows, 0, begin - 1,
	     end + 1);
	memcpy(check->expected, host, bytes);
	area.sweep.grid = check->expected;
	kernel->cpu(&area);
	area.sweep.grid = device_grid(check, check->device, bytes);
	if (ops->run(check->m, 1, trip_body, &trip, &out))
		return -1;
	snprintf(what, sizeof(what), "%s %dx%d rows [%d,%d) first %d,%d pitch %lld", kernel->name,
		 rows, columns, begin, end, first_row, first_column, (long long)pitch);
	gpu_compare(&check->kit, what, check->expected, host, bytes, kernel->element, pitch);
	return 0;
}

/* The rows go to a second grid: the first row of the part to its second row, the last to its last.
 */
static int check_edges(struct check *check, bool f64, int rows, int columns, int begin, int end,
		       int first_row, int colour, int neighbours, int64_t pitch)
{
	const struct machine_ops *ops = check->m->ops;
	const size_t element = f64 ? 8 : 4;
	char *host = ops->address(check->m, check->host),
	     *there = ops->address(check->m, check->rows_host);
	const size_t bytes = (size_t)(rows * pitch) * element, row_bytes = (size_t)pitch * element,
		     last = bytes - row_bytes;
	struct rbsor_rim edges = { .sweep = { .pitch = pitch,
					      .columns = columns,
					      .strip_rows = rows,
					      .row_begin = begin,
					      .row_end = end,
					      .first_row = first_row,
					      .colour = colour,
					      .omega = 1.2 + 0.7 * gpu_random(&check->kit) } };
	struct trip trip = { check,	     f64 ? "rbsor_rim_f64" : "rbsor_rim_f32",
			     &edges,	     sizeof(edges),
			     (int64_t)bytes, (int64_t)bytes };
	struct machine_thread out;
	char what[160];

	fill(check, host, element, LAYOUT_SPLIT, pitch, columns, rows, first_row, begin - 1,
	     end + 1);
	memset(there, 0xff, bytes);
	memcpy(check->expected, host, bytes);
	memcpy(check->expected_rows, there, bytes);
	edges.sweep.grid = check->expected;
	edges.north = neighbours & 1 ? check->expected_rows + row_bytes : NULL;
	edges.south = neighbours & 2 ? check->expected_rows + last : NULL;
	(f64 ? rbsor_rim_f64_cpu : rbsor_rim_f32_cpu)(&edges);
	edges.sweep.grid = device_grid(check, check->device, bytes);
	char *to = device_grid(check, check->rows_device, bytes);
	edges.north = neighbours & 1 ? to + row_bytes : NULL;
	edges.south = neighbours & 2 ? to + last : NULL;
	if (ops->run(check->m, 1, trip_body, &trip, &out))
		return -1;
	snprintf(what, sizeof(what), "%s %dx%d rows [%d,%d) first row %d colour %d neighbours %d",
		 trip.kernel, rows, columns, begin, end, first_row, colour, neighbours);
	gpu_compare(&check->kit, what, check->expected, host, bytes, element, pitch);
	gpu_compare(&check->kit, what, check->expected_rows, there, bytes, element, pitch);
	return 0;
}

static int64_t round_up(int64_t value, int64_t to)
{
	return (value + to - 1) / to * to;
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
static int check_loop(struct check *check, int rows, int columns, bool f64, int iterations)
{
	const struct machine_ops *ops = check->m->ops;
	const struct rbsor_persistent_kernel *kernel = rbsor_persistent_kernel_of(rows, columns);
	const size_t element = f64 ? 8 : 4;
	const int64_t pitch = round_up(columns, 64);
	char *host = ops->address(check->m, check->host),
	     *other = ops->address(check->m, check->rows_host);
	const size_t bytes = (size_t)(rows * pitch) * element, flags = 1024;
	const int result = rbsor_loop_result(iterations);
	struct rbsor_loop loop = { .pitch = pitch,
				   .columns = columns,
				   .rows = rows,
				   .iterations = iterations,
				   .omega = 1.2 + 0.7 * gpu_random(&check->kit) };
	struct trip trip = { check, NULL, &loop, sizeof(loop), 0, 0 };
	struct machine_thread out;
	char what[160];

	if (!kernel)
		return 0;
	trip.kernel = kernel->name[f64];
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
	/* all rows; without the outer ones; one row, at the top, in the middle, at the bottom; an
	 * odd start */
	const int ranges[][2] = { { 1, rows - 1 },
				  { 2, rows - 2 },
				  { 1, 2 },
				  { rows / 2, rows / 2 + 1 },
				  { rows - 2, rows - 1 },
				  { rows / 3 + 1, rows - 1 },
				  { 1, rows - 1 - rows / 4 } };

	for (size_t k = 0; k < sizeof(sweep_kernels) / sizeof(sweep_kernels[0]); k++)
		for (size_t r = 0; r < sizeof(ranges) / sizeof(ranges[0]); r += step)
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
	for (size_t k = 0; k < sizeof(area_kernels) / sizeof(area_kernels[0]) && !large; k++)
		for (size_t r = 0; r < sizeof(ranges) / sizeof(ranges[0]); r += step)
			for (int variant = 0; variant < (area_kernels[k].strips ? 2 : 4);
			     variant++) {
				const int begin = ranges[r][0], end = ranges[r][1];
				if (begin < 1 || end <= begin || end > rows - 1)
					continue;
				if (check_area(check, &area_kernels[k], rows, columns, begin, end,
					       6 + (variant & 1), variant >> 1,
					       tight + (r & 1 ? 64 : 0)))
					return -1;
			}
	for (size_t r = 0; r < sizeof(ranges) / sizeof(ranges[0]) && !large; r += step)
		for (int variant = 0; variant < 24; variant++) {
			const int begin = ranges[r][0], end = ranges[r][1];
			if (begin < 1 || end <= begin || end > rows - 1)
				continue;
			if (check_edges(check, variant & 1, rows, columns, begin, end,
					6 + (variant >> 1 & 1), variant >> 2 & 1, 1 + variant / 8,
					tight + (r & 1 ? 64 : 0)))
				return -1;
		}
	for (size_t k = 0; k < sizeof(pass_kernels) / sizeof(pass_kernels[0]) && deep; k++)
		for (size_t r = 0; r < sizeof(ranges) / sizeof(ranges[0]); r += pass_step) {
			const int begin = ranges[r][0], end = ranges[r][1];
			if (begin < 1 || end <= begin || end > rows - 1)
				continue;
			if (check_pass(check, &pass_kernels[k], rows, columns, begin, end,
				       6 + (int)((r + k / 2) & 1), tight + (r & 1 ? 64 : 0)))
				return -1;
		}
	for (int variant = 0; variant < 6 && deep; variant++)
		if (check_loop(check, rows, columns, variant & 1, 1 + variant / 2 * 4))
			return -1;
	for (size_t k = 0; k < sizeof(layout_kernels) / sizeof(layout_kernels[0]) && !large; k++)
		for (int first_row = 2; first_row < 4; first_row++)
			if (check_layout(check, &layout_kernels[k], rows, columns, first_row, tight,
					 first_row & 1 ? columns : tight + 64))
				return -1;
	return 0;
}

static int check_all(struct check *check, const struct gpu_size *sizes, size_t count)
{
	const struct machine_ops *ops = check->m->ops;

	for (size_t s = 0; s < count; s++) {
		int64_t bytes = sizes[s].rows * round_up(sizes[s].columns + 128, 64) * 8 + 1024;
		if (bytes > check->bytes)
			check->bytes = bytes;
	}
	if (ops->buffer(check->m, 0, SPACE_PINNED, check->bytes, &check->host) ||
	    ops->buffer(check->m, 0, SPACE_DEVICE, check->bytes, &check->device) ||
	    ops->buffer(check->m, 0, SPACE_PINNED, check->bytes, &check->rows_host) ||
	    ops->buffer(check->m, 0, SPACE_DEVICE, check->bytes, &check->rows_device) ||
	    ops->stream(check->m, 0, &check->stream))
		return -1;
	check->expected = xmalloc((size_t)check->bytes);
	check->expected_rows = xmalloc((size_t)check->bytes);
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
	free(check.expected);
	free(check.expected_rows);
	if (check.m)
		check.m->ops->free(check.m);
	return rc;
}
