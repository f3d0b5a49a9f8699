/* SPDX-License-Identifier: MIT
 * Pictures: formats by what a file begins with, or by its name; PNM.
 */
#include "image.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/base/output.h"
#include "traces/base/util.h"

int image_check_size(const char *path, int64_t columns, int64_t rows)
{
	if (columns < 1 || rows < 1)
		return report("%s: a picture of %lld x %lld pixels", path, (long long)columns,
			      (long long)rows);
	if (columns > IMAGE_MOST_SIDE || rows > IMAGE_MOST_SIDE ||
	    columns * rows > IMAGE_MOST_PIXELS)
		return report("%s: %lld x %lld pixels are too many: at most %d a side and %d in "
			      "all",
			      path, (long long)columns, (long long)rows, IMAGE_MOST_SIDE,
			      IMAGE_MOST_PIXELS);
	return 0;
}

void image_make(struct image *image, int32_t columns, int32_t rows, int32_t channels, uint8_t value)
{
	const size_t bytes = (size_t)columns * (size_t)rows * (size_t)channels;
	*image = (struct image){ columns, rows, channels, xmalloc(bytes) };
	memset(image->pixel, value, bytes);
}

void image_to_channels(struct image *image, int32_t channels)
{
	struct image other;
	if (channels == image->channels)
		return;
	image_make(&other, image->columns, image->rows, channels, 0);
	const size_t pixels = (size_t)image->columns * (size_t)image->rows;
	for (size_t k = 0; k < pixels; k++) {
		const uint8_t *from = image->pixel + k * (size_t)image->channels;
		uint8_t *to = other.pixel + k * (size_t)channels;
		if (channels == 3)
			to[0] = to[1] = to[2] = from[0];
		else
			to[0] = (uint8_t)((299 * from[0] + 587 * from[1] + 114 * from[2] + 500) /
					  1000);
	}
	image_release(image);
	*image = other;
}

void image_release(struct image *image)
{
	free(image->pixel);
	image->pixel = NULL;
}

/* ---- PNM ---- */

/* The next number of a header or of a body in letters; -1 when there is none. */
static int next_number(FILE *file)
{
	int c = getc(file), value = 0;
	while (isspace(c) || c == '#') {
		while (c == '#' || (c != '\n' && c != EOF && !isspace(c)))
			do
				c = getc(file);
			while (c != '\n' && c != EOF);
		c = getc(file);
	}
	if (!isdigit(c))
		return -1;
	for (; isdigit(c); c = getc(file))
		if ((value = 10 * value + (c - '0')) > 1 << 24)
			return -1;
	return value; /* the one character behind is gone, as the format has it */
}

static int read_pnm(struct image *image, const char *path, FILE *file, int kind)
{
	const bool letters = kind == '2' || kind == '3';
	const int columns = next_number(file), rows = columns < 0 ? -1 : next_number(file),
		  most = rows < 0 ? -1 : next_number(file);
	if (most < 0)
		return report("%s: the header of a P%c picture is width, height and the greatest "
			      "value",
			      path, kind);
	if (most != 255)
		return report("%s: values up to %d; pictures of 8 bits a channel are read, up to "
			      "255",
			      path, most);
	if (image_check_size(path, columns, rows))
		return -1;
	image_make(image, columns, rows, kind == '3' || kind == '6' ? 3 : 1, 0);
	const size_t bytes = (size_t)columns * (size_t)rows * (size_t)image->channels;
	size_t got = 0;
	if (!letters)
		got = fread(image->pixel, 1, bytes, file);
	for (int value; letters && got < bytes && (value = next_number(file)) >= 0; got++) {
		if (value > 255)
			break;
		image->pixel[got] = (uint8_t)value;
	}
	if (got == bytes)
		return 0;
	image_release(image);
	return report("%s: ends, or is no number, at value %zu of %zu", path, got, bytes);
}

int image_read(struct image *image, const char *path)
{
	unsigned char begin[2] = { 0, 0 };
	struct stat status;
	/* Nobody may write to a pipe, and a picture is read twice. */
	const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
	int rc;
	*image = (struct image){ 0 };
	if (!file) {
		rc = report("%s: %s", path, strerror(errno));
		if (descriptor >= 0)
			close(descriptor);
		return rc;
	}
	if (fstat(descriptor, &status) || !S_ISREG(status.st_mode)) {
		fclose(file);
		return report("%s: not a regular file", path);
	}
	const size_t got = fread(begin, 1, 2, file);
	if (got == 2 && begin[0] == 0x89 && begin[1] == 'P') {
		rewind(file);
		rc = image_png_read(image, path, file);
	} else if (got == 2 && begin[0] == 'P' && begin[1] && strchr("2356", begin[1])) {
		rc = read_pnm(image, path, file, begin[1]);
	} else {
		rc = report("%s: neither a PNG nor a P2, P3, P5 or P6 picture", path);
	}
	fclose(file);
	return rc;
}

static bool ends_in(const char *path, const char *ending)
{
	const size_t length = strlen(path), of_ending = strlen(ending);
	return length > of_ending && !strcasecmp(path + length - of_ending, ending);
}

int image_check_name(const char *path)
{
	if (ends_in(path, ".png") || ends_in(path, ".ppm") || ends_in(path, ".pgm"))
		return output_check(path);
	return report("%s: the name of a picture to be written ends in .png, .ppm or .pgm", path);
}

static int write_pnm(const struct image *image, const char *path, FILE *file)
{
	const size_t bytes = (size_t)image->columns * (size_t)image->rows * (size_t)image->channels;
	fprintf(file, "P%c\n%d %d\n255\n", image->channels == 3 ? '6' : '5', image->columns,
		image->rows);
	return fwrite(image->pixel, 1, bytes, file) == bytes
		       ? 0
		       : report("%s: %s", path, strerror(errno));
}

int image_write(const struct image *image, const char *path)
{
	struct output output;
	struct image fitting = *image, copy = { 0 };
	int rc = -1;
	if (image_check_name(path))
		return -1;
	/* A grey picture in a .ppm is one of three channels, and the other way round. */
	const int32_t channels = ends_in(path, ".ppm")	 ? 3
				 : ends_in(path, ".pgm") ? 1
							 : image->channels;
	if (channels != image->channels) {
		image_make(&copy, image->columns, image->rows, image->channels, 0);
		memcpy(copy.pixel, image->pixel,
		       (size_t)image->columns * (size_t)image->rows * (size_t)image->channels);
		image_to_channels(&copy, channels);
		fitting = copy;
	}
	if (output_begin(&output, path))
		goto out;
	FILE *file = output_open(&output);
	if (!file) {
		report("%s: %s", path, strerror(errno));
		output_abandon(&output);
		goto out;
	}
	rc = (ends_in(path, ".png") ? image_png_write : write_pnm)(&fitting, path, file);
	if (fclose(file) && !rc)
		rc = report("%s: %s", path, strerror(errno));
	if (rc)
		output_abandon(&output);
	else
		rc = output_commit(&output);
out:
	image_release(&copy);
	return rc;
}
