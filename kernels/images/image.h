/* SPDX-License-Identifier: MIT
 * Pictures of 8 bits a channel, grey or red-green-blue: PNG through libpng, and the PNM family (P2,
 * P3, P5, P6). What has another depth, a palette, or see-through pixels is refused rather than
 * changed without a word.
 */
#ifndef WARPREEL_IMAGE_H
#define WARPREEL_IMAGE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { IMAGE_MOST_SIDE = 16384, IMAGE_MOST_PIXELS = 1 << 26 };

struct image {
	int32_t columns, rows, channels; /* 1: grey, 3: red, green, blue */
	uint8_t *pixel;			 /* [rows][columns][channels]; owned */
};

/* -1 after a message that names the file; then there is nothing to release. */
int image_read(struct image *image, const char *path);
/* The ending of the name (.png, .ppm, .pgm) says which format; image_check_name is for before the
 * work. -1 after a message. */
int image_write(const struct image *image, const char *path);
int image_check_name(const char *path);

/* All of one value. */
void image_make(struct image *image, int32_t columns, int32_t rows, int32_t channels,
		uint8_t value);
/* Another number of channels: grey thrice; or luma by Rec. 601. */
void image_to_channels(struct image *image, int32_t channels);
void image_release(struct image *image); /* safe on a zeroed struct */

static inline uint8_t *image_at(const struct image *image, int32_t row, int32_t column)
{
	return image->pixel +
	       ((size_t)row * (size_t)image->columns + (size_t)column) * (size_t)image->channels;
}

/* -1 after a message when no picture of this size may be made. */
int image_check_size(const char *path, int64_t columns, int64_t rows);

/* image_png.c: `file` is open at the begin; image_write checked the name. */
int image_png_read(struct image *image, const char *path, FILE *file);
int image_png_write(const struct image *image, const char *path, FILE *file);

#endif
