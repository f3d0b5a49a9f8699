/* SPDX-License-Identifier: MIT
 * Pictures in and out. What is malformed is in tests/bad, for tests/cases/bad-inputs.sh.
 */
#include "support.h"

#include "kernels/images/image.h"

static void written_and_read(const char *ending, int32_t channels)
{
	char path[64];
	struct image image, back;
	snprintf(path, sizeof(path), "/tmp/warpreel-image-%d%s", (int)getpid(), ending);
	image_make(&image, 13, 7, channels, 0);
	for (int k = 0; k < 13 * 7 * channels; k++)
		image.pixel[k] = (uint8_t)(k * 37);
	assert_int_equal(image_write(&image, path), 0);
	assert_int_equal(image_read(&back, path), 0);
	assert_int_equal(back.columns, 13);
	assert_int_equal(back.rows, 7);
	assert_int_equal(back.channels, channels);
	assert_memory_equal(back.pixel, image.pixel, (size_t)(13 * 7 * channels));
	image_release(&image);
	image_release(&back);
	unlink(path);
}

static void what_is_written_is_what_is_read(void **state)
{
	(void)state;
	written_and_read(".png", 1);
	written_and_read(".png", 3);
	written_and_read(".pgm", 1);
	written_and_read(".PPM", 3);
}

static void a_name_decides_whether_a_picture_is_grey(void **state)
{
	(void)state;
	char path[64];
	struct image image, back;
	snprintf(path, sizeof(path), "/tmp/warpreel-image-%d.ppm", (int)getpid());
	image_make(&image, 2, 1, 1, 100);
	assert_int_equal(image_write(&image, path), 0);
	assert_int_equal(image_read(&back, path), 0);
	assert_int_equal(back.channels, 3);
	assert_int_equal(back.pixel[5], 100);
	image_to_channels(&back, 1);
	assert_int_equal(back.pixel[1], 100); /* grey has the luma it had */
	image_release(&image);
	image_release(&back);
	unlink(path);
}

static void comments_and_blanks_in_a_header_are_passed_over(void **state)
{
	(void)state;
	char path[64];
	struct image image;
	snprintf(path, sizeof(path), "/tmp/warpreel-image-%d.pgm", (int)getpid());
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs("P2 # grey\n# two\n  2\t1 # wide\n255\n7\n 9", file);
	fclose(file);
	assert_int_equal(image_read(&image, path), 0);
	assert_int_equal(image.pixel[0], 7);
	assert_int_equal(image.pixel[1], 9);
	image_release(&image);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_what_is_read),
		cmocka_unit_test(a_name_decides_whether_a_picture_is_grey),
		cmocka_unit_test(comments_and_blanks_in_a_header_are_passed_over),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
