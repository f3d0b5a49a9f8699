/* SPDX-License-Identifier: MIT
 * PNG in and out by libpng. Its errors leave by longjmp; their text is kept for the one message
 * that names the file.
 */
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "traces/base/util.h"

struct trouble {
	jmp_buf back;
	char text[120];
};

static void on_error(png_structp png, png_const_charp text)
{
	struct trouble *trouble = png_get_error_ptr(png);
	snprintf(trouble->text, sizeof(trouble->text), "%s", text);
	longjmp(trouble->back, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
	(void)png;
	(void)text; /* what libpng can live with, so can we */
}

/* What is refused before a pixel is read. */
static int check_kind(const char *path, png_structp png, png_infop info)
{
	const int depth = png_get_bit_depth(png, info), kind = png_get_color_type(png, info);
	if (kind == PNG_COLOR_TYPE_PALETTE)
		return report("%s: a PNG with a palette: make it red-green-blue or grey", path);
	if (depth != 8)
		return report("%s: %d bits a channel, of which 8 are read: make it 8", path, depth);
	return image_check_size(path, png_get_image_width(png, info),
				png_get_image_height(png, info));
}

/* Pixels as they come have `stride` bytes, the last of which says how solid they are. */
static int drop_alpha(struct image *image, const char *path, const uint8_t *pixel, size_t stride)
{
	const size_t pixels = (size_t)image->columns * (size_t)image->rows;
	for (size_t k = 0; k < pixels; k++) {
		if (pixel[k * stride + stride - 1] != 255)
			return report("%s: row %zu column %zu lets something through: flatten the "
				      "picture first",
				      path, k / (size_t)image->columns, k % (size_t)image->columns);
		memcpy(image->pixel + k * (stride - 1), pixel + k * stride, stride - 1);
	}
	return 0;
}

int image_png_read(struct image *image, const char *path, FILE *file)
{
	struct trouble trouble = { .text = "" };
	uint8_t *volatile pixel = NULL;
	png_bytep *volatile row = NULL;
	volatile int rc = -1;
	png_structp png =
		png_create_read_struct(PNG_LIBPNG_VER_STRING, &trouble, on_error, on_warning);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	if (!info) {
		report("%s: libpng does not begin", path);
		goto out;
	}
	if (setjmp(trouble.back)) {
		report("%s: not a PNG that can be read: %s", path, trouble.text);
		rc = -1;
		image_release(image);
		goto out;
	}
	/* Our own message says what is too big, so libpng shall not be the first. */
	png_set_user_limits(png, 0x7fffffff, 0x7fffffff);
	png_init_io(png, file);
	png_read_info(png, info);
	if (check_kind(path, png, info))
		goto out;
	const int32_t columns = (int32_t)png_get_image_width(png, info),
		      rows = (int32_t)png_get_image_height(png, info);
	const size_t stride = png_get_channels(png, info);
	png_set_interlace_handling(png);
	png_read_update_info(png, info);
	pixel = xmalloc((size_t)columns * (size_t)rows * stride);
	row = xcalloc((size_t)rows, sizeof(*row));
	for (int32_t r = 0; r < rows; r++)
		row[r] = pixel + (size_t)r * (size_t)columns * stride;
	png_read_image(png, row);
	png_read_end(png, NULL);
	if (stride == 2 || stride == 4) {
		image_make(image, columns, rows, (int32_t)stride - 1, 0);
		if (drop_alpha(image, path, pixel, stride)) {
			image_release(image);
			goto out;
		}
	} else {
		*image = (struct image){ columns, rows, (int32_t)stride, pixel };
		pixel = NULL;
	}
	rc = 0;
out:
	png_destroy_read_struct(png ? &png : NULL, info ? &info : NULL, NULL);
	free(pixel);
	free(row);
	return rc;
}

int image_png_write(const struct image *image, const char *path, FILE *file)
{
	struct trouble trouble = { .text = "" };
	volatile int rc = -1;
	png_structp png =
		png_create_write_struct(PNG_LIBPNG_VER_STRING, &trouble, on_error, on_warning);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	if (!info) {
		report("%s: libpng does not begin", path);
		goto out;
	}
	if (setjmp(trouble.back)) {
		report("%s: cannot be written: %s", path, trouble.text);
		rc = -1;
		goto out;
	}
	png_init_io(png, file);
	png_set_IHDR(png, info, (png_uint_32)image->columns, (png_uint_32)image->rows, 8,
		     image->channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY,
		     PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	png_write_info(png, info);
	for (int32_t r = 0; r < image->rows; r++)
		png_write_row(png, image_at(image, r, 0));
	png_write_end(png, NULL);
	rc = 0;
out:
	png_destroy_write_struct(png ? &png : NULL, info ? &info : NULL);
	return rc;
}
