/* SPDX-License-Identifier: MIT
 * Grids in files: their values row by row and nothing else, as the generator of D. Spampinato's
 * thesis writes them (appendix D.1), mapped into memory. And as a picture.
 */
#ifndef WARPREEL_GRID_FILE_H
#define WARPREEL_GRID_FILE_H

#include "grid.h"

/* Writes a grid whose boundary has one value, and zero inside; whole or not at all. -1 after a
 * message. */
int grid_file_make(const char *path, int64_t rows, int64_t columns, bool f64, double boundary);
/* Fills a grid from a file; -1 after a message: another size, a value that is not finite. */
int grid_file_read(const char *path, const struct grid *grid);
int grid_file_write(const char *path, const struct grid *grid);

/* From the least value, black, to the greatest, white: a grey PGM of at most so many pixels a side,
 * each the mean of its points. */
enum { GRID_PICTURE_MOST = 1024 };
int grid_file_check_picture(const char *path); /* that it ends so; -1 after a message */
int grid_file_picture(const char *path, const struct grid *grid);

#endif
