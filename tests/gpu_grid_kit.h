/* SPDX-License-Identifier: MIT
 * What the programs that compare kernels of red-black SOR on a grid share: buffers with random
 * values where a kernel may read and NaN elsewhere, and the way up, through a launch, and down.
 */
#ifndef WARPREEL_GPU_GRID_KIT_H
#define WARPREEL_GPU_GRID_KIT_H

#include "gpu_kit.h"
#include "kernels/kit/colour_layout.h"
#include "kernels/machine/machine.h"

struct check {
	struct gpu_check kit;
	struct machine *m;
	uint32_t host, device, rows_host, rows_device, stream;
	int64_t bytes;
	char *expected, *expected_rows; /* what the CPU makes of the same input */
};

enum { TRIP_RANGES = 7 };

/* Rows from the first to before the second that a launch works on: all; without the outer ones; one
 * row, at the top, in the middle, at the bottom; an odd start; without the last quarter. */
static inline void trip_ranges(int rows, int (*range)[2])
{
	const int of[TRIP_RANGES][2] = { { 1, rows - 1 },
					 { 2, rows - 2 },
					 { 1, 2 },
					 { rows / 2, rows / 2 + 1 },
					 { rows - 2, rows - 1 },
					 { rows / 3 + 1, rows - 1 },
					 { 1, rows - 1 - rows / 4 } };

	memcpy(range, of, sizeof(of));
}

static inline void put(char *grid, size_t element, int64_t index, double value)
{
	if (element == 4)
		((float *)(void *)grid)[index] = (float)value;
	else
		((double *)(void *)grid)[index] = value;
}

/* NaN everywhere, then values in the columns of rows [from, to). */
static inline void fill(struct check *check, char *grid, size_t element, enum grid_layout layout,
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
static inline void *device_grid(const struct check *check, uint32_t buffer, size_t bytes)
{
	return (char *)check->m->ops->address(check->m, buffer) + (check->bytes - (int64_t)bytes);
}

static inline int upload(struct machine_thread *t, const struct check *check, uint32_t host,
			 uint32_t device, int64_t bytes)
{
	const struct machine_copy c = { .source = host,
					.target = device,
					.target_offset_bytes = check->bytes - bytes,
					.row_bytes = bytes,
					.rows = 1 };

	return bytes ? t->machine->ops->copy(t, check->stream, &c) : 0;
}

static inline int download(struct machine_thread *t, const struct check *check, uint32_t device,
			   uint32_t host, int64_t bytes)
{
	const struct machine_copy c = { .source = device,
					.target = host,
					.source_offset_bytes = check->bytes - bytes,
					.row_bytes = bytes,
					.rows = 1 };

	return bytes ? t->machine->ops->copy(t, check->stream, &c) : 0;
}

static inline int trip_body(struct machine_thread *t, void *arg)
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

static inline int64_t round_up(int64_t value, int64_t to)
{
	return (value + to - 1) / to * to;
}

static inline int make_buffers(struct check *check, const struct gpu_size *sizes, size_t count)
{
	const struct machine_ops *ops = check->m->ops;

	for (size_t s = 0; s < count; s++) {
		int64_t bytes = sizes[s].rows * round_up(sizes[s].columns + 128, 64) * 8 +
				(1 << 18); /* flags */
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
	return 0;
}

/* Each size by check_size, and a line on it. */
static inline int check_all(struct check *check, const struct gpu_size *sizes, size_t count,
			    int (*check_size)(struct check *check, int rows, int columns))
{
	if (make_buffers(check, sizes, count))
		return -1;
	for (size_t s = 0; s < count; s++) {
		if (check_size(check, sizes[s].rows, sizes[s].columns))
			return -1;
		gpu_count_part(&check->kit, "%dx%d", sizes[s].rows, sizes[s].columns);
	}
	return 0;
}

/* The whole of a program; its exit code. */
static inline int check_main(int argc, char **argv, const struct gpu_size *standard, size_t count,
			     int (*check_size)(struct check *check, int rows, int columns))
{
	struct gpu_size *sizes = gpu_sizes(argc, argv, standard, &count);
	struct check check = { 0 };
	int rc = EXIT_BAD;

	if (!sizes)
		return EXIT_USAGE;
	check.m = machine_cuda_new(1);
	if (check.m && !check_all(&check, sizes, count, check_size))
		rc = gpu_count_all(&check.kit);
	free(sizes);
	free(check.expected);
	free(check.expected_rows);
	if (check.m)
		check.m->ops->free(check.m);
	return rc;
}

#endif
