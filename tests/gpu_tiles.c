/* SPDX-License-Identifier: MIT
 * The thesis' tiles in all their variants (rbsor_sweeps.def), and rows stored into a neighbour's
 * memory, against their CPU implementations, as gpu_kernels.c has it for the others.
 *
 *     gpu_tiles [ROWSxCOLUMNS...]      without arguments: a set of sizes
 */
#include "gpu_grid_kit.h"
#include "kernels/rbsor/rbsor.h"

struct area_kernel {
	const char *name;
	void (*cpu)(const void *args);
	size_t element;
	int colour;
	bool strips; /* parts that begin with the grid's first column */
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

static const struct gpu_size standard_sizes[] = {
	{ 3, 3 },   { 3, 4 },	 { 4, 3 },    { 4, 5 },	     { 5, 7 },	  { 6, 9 },
	{ 9, 17 },  { 8, 111 },	 { 17, 112 }, { 17, 113 },   { 10, 114 }, { 111, 113 },
	{ 5, 222 }, { 33, 257 }, { 66, 258 }, { 129, 1000 },
};

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

static int check_size(struct check *check, int rows, int columns)
{
	const int64_t tight = round_up(columns, 64);
	const size_t step = (int64_t)rows * columns > 20000 ? 5 : 1;
	int ranges[TRIP_RANGES][2];

	trip_ranges(rows, ranges);
	for (size_t k = 0; k < sizeof(area_kernels) / sizeof(area_kernels[0]); k++)
		for (size_t r = 0; r < TRIP_RANGES; r += step)
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
	for (size_t r = 0; r < TRIP_RANGES; r += step)
		for (int variant = 0; variant < 24; variant++) {
			const int begin = ranges[r][0], end = ranges[r][1];
			if (begin < 1 || end <= begin || end > rows - 1)
				continue;
			if (check_edges(check, variant & 1, rows, columns, begin, end,
					6 + (variant >> 1 & 1), variant >> 2 & 1, 1 + variant / 8,
					tight + (r & 1 ? 64 : 0)))
				return -1;
		}
	return 0;
}

int main(int argc, char **argv)
{
	return check_main(argc, argv, standard_sizes,
			  sizeof(standard_sizes) / sizeof(standard_sizes[0]), check_size);
}
