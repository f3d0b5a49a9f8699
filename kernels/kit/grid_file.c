/* SPDX-License-Identifier: MIT */
#include "grid_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/base/output.h"
#include "traces/base/util.h"

static size_t bytes_of(const struct grid *grid)
{
	return (size_t)grid->rows * (size_t)grid->columns * (grid->f64 ? 8 : 4);
}

/* Planes below each other. */
static struct grid flat(const struct grid *grid)
{
	struct grid g = *grid;
	g.rows *= g.planes ? g.planes : 1;
	g.planes = 0;
	return g;
}

static double value_at(const struct grid *grid, int64_t row, int64_t column)
{
	const size_t k = (size_t)row * (size_t)grid->columns + (size_t)column;
	return grid->f64 ? ((const double *)grid->h_cells)[k]
			 : (double)((const float *)grid->h_cells)[k];
}

static void set(const struct grid *grid, int64_t row, int64_t column, double value)
{
	const size_t k = (size_t)row * (size_t)grid->columns + (size_t)column;
	if (grid->f64)
		((double *)grid->h_cells)[k] = value;
	else
		((float *)grid->h_cells)[k] = (float)value;
}

/* A file of so many bytes, zeros until something is written to them; NULL after a message. */
static void *map_new(struct output *output, const char *path, size_t bytes)
{
	if (output_begin(output, path))
		return NULL;
	int file = output->in_place ? -1 : open(output->part_path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	void *memory = MAP_FAILED;
	if (file >= 0 && !ftruncate(file, (off_t)bytes))
		memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (memory == MAP_FAILED) {
		report("cannot write '%s': %s", path,
		       output->in_place ? "a grid is mapped, and this is no file"
					: strerror(errno));
		output_abandon(output);
		memory = NULL;
	}
	if (file >= 0)
		close(file);
	return memory;
}

static int commit(struct output *output, const char *path, void *memory, size_t bytes)
{
	if (msync(memory, bytes, MS_SYNC) | munmap(memory, bytes)) {
		report("cannot write '%s': %s", path, strerror(errno));
		output_abandon(output);
		return -1;
	}
	return output_commit(output);
}

int grid_file_make(const char *path, int64_t rows, int64_t columns, bool f64, double boundary)
{
	struct grid grid = { .rows = rows, .columns = columns, .f64 = f64 };
	struct output output;
	grid.h_cells = map_new(&output, path, bytes_of(&grid));
	if (!grid.h_cells)
		return -1;
	for (int64_t j = 0; j < columns; j++) {
		set(&grid, 0, j, boundary);
		set(&grid, rows - 1, j, boundary);
	}
	for (int64_t i = 0; i < rows; i++) {
		set(&grid, i, 0, boundary);
		set(&grid, i, columns - 1, boundary);
	}
	return commit(&output, path, grid.h_cells, bytes_of(&grid));
}

int grid_file_write(const char *path, const struct grid *whole)
{
	const struct grid g = flat(whole), *grid = &g;
	struct output output;
	void *memory = map_new(&output, path, bytes_of(grid));
	if (!memory)
		return -1;
	memcpy(memory, grid->h_cells, bytes_of(grid));
	return commit(&output, path, memory, bytes_of(grid));
}

static int check_finite(const char *path, const struct grid *grid)
{
	for (int64_t i = 0; i < grid->rows; i++)
		for (int64_t j = 0; j < grid->columns; j++)
			if (!isfinite(value_at(grid, i, j)))
				return report("%s: the value at row %lld, column %lld is not "
					      "finite: is it a grid of %s?",
					      path, (long long)i, (long long)j,
					      grid->f64 ? "f64" : "f32");
	return 0;
}

int grid_file_read(const char *path, const struct grid *whole)
{
	const struct grid g = flat(whole), *grid = &g;
	const size_t bytes = bytes_of(grid);
	struct stat status;
	int file = open(path, O_RDONLY | O_CLOEXEC), rc = 0;
	if (file < 0 || fstat(file, &status)) {
		rc = report("cannot open '%s': %s", path, strerror(errno));
	} else if (!S_ISREG(status.st_mode)) {
		rc = report("'%s' is no file: a grid is mapped", path);
	} else if ((uint64_t)status.st_size != bytes) {
		rc = report("%s: %lld bytes, but %lld x %lld points of %s are %zu", path,
			    (long long)status.st_size, (long long)grid->rows,
			    (long long)grid->columns, grid->f64 ? "f64" : "f32", bytes);
	} else {
		void *memory = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, 0);
		if (memory == MAP_FAILED) {
			rc = report("cannot map '%s': %s", path, strerror(errno));
		} else {
			memcpy(grid->h_cells, memory, bytes);
			munmap(memory, bytes);
			rc = check_finite(path, grid);
		}
	}
	if (file >= 0)
		close(file);
	return rc;
}

/* ---- pictures ---- */

int grid_file_check_picture(const char *path)
{
	const size_t length = strlen(path);
	return length > 4 && !strcmp(path + length - 4, ".pgm")
		       ? 0
		       : report("'%s': a picture of a grid ends in .pgm", path);
}

/* The mean of the points of a pixel. */
static double pixel(const struct grid *grid, int64_t at[2], const int64_t side[2])
{
	const int64_t top = at[0] * grid->rows / side[0],
		      bottom = (at[0] + 1) * grid->rows / side[0],
		      left = at[1] * grid->columns / side[1],
		      right = (at[1] + 1) * grid->columns / side[1];
	double sum = 0;
	for (int64_t i = top; i < bottom; i++)
		for (int64_t j = left; j < right; j++)
			sum += value_at(grid, i, j);
	return sum / (double)((bottom - top) * (right - left));
}

int grid_file_picture(const char *path, const struct grid *whole)
{
	const struct grid g = flat(whole), *grid = &g;
	const int64_t longer = grid->rows > grid->columns ? grid->rows : grid->columns,
		      most = longer > GRID_PICTURE_MOST ? GRID_PICTURE_MOST : longer;
	int64_t side[2] = { grid->rows * most / longer, grid->columns * most / longer }, at[2];
	side[0] = side[0] ? side[0] : 1;
	side[1] = side[1] ? side[1] : 1;
	double *value = xcalloc((size_t)(side[0] * side[1]), sizeof(*value)), low = INFINITY,
	       high = -INFINITY;
	size_t n = 0;
	for (at[0] = 0; at[0] < side[0]; at[0]++)
		for (at[1] = 0; at[1] < side[1]; at[1]++) {
			const double v = value[n++] = pixel(grid, at, side);
			low = v < low ? v : low;
			high = v > high ? v : high;
		}
	struct output output;
	int rc = output_begin(&output, path);
	FILE *out = rc ? NULL : output_open(&output);
	if (!rc && out) {
		fprintf(out, "P5\n%lld %lld\n255\n", (long long)side[1], (long long)side[0]);
		for (size_t k = 0; k < n; k++)
			fputc(high > low && isfinite(value[k])
				      ? (int)lround(255 * (value[k] - low) / (high - low))
				      : 0,
			      out);
	}
	if (!rc && (!out || ferror(out) | fclose(out))) {
		rc = report("cannot write '%s': %s", path, strerror(errno));
		output_abandon(&output);
	} else if (!rc) {
		rc = output_commit(&output);
	}
	free(value);
	return rc;
}
