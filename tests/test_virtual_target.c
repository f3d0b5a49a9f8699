/* SPDX-License-Identifier: MIT
 * Which programs can run on virtual GPUs, by files made here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/record/virtual_target.h"

struct program {
	Elf64_Ehdr head;
	Elf64_Phdr part[2];
	Elf64_Dyn entry[3];
	char text[256];
};

/* A program that needs a library, with some words in it. */
static struct program made(const char *needs, const char *words)
{
	struct program p = { 0 };

	memcpy(p.head.e_ident, ELFMAG, SELFMAG);
	p.head.e_ident[EI_CLASS] = ELFCLASS64;
	p.head.e_phoff = offsetof(struct program, part);
	p.head.e_phentsize = sizeof(Elf64_Phdr);
	p.head.e_phnum = 2;
	p.part[0] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_vaddr = 0x1000, .p_filesz = sizeof(p) };
	p.part[1] = (Elf64_Phdr){ .p_type = PT_DYNAMIC,
				  .p_offset = offsetof(struct program, entry),
				  .p_filesz = sizeof(p.entry) };
	p.entry[0] = (Elf64_Dyn){ .d_tag = DT_NEEDED, .d_un.d_val = 1 };
	p.entry[1] = (Elf64_Dyn){ .d_tag = DT_STRTAB,
				  .d_un.d_ptr = 0x1000 + offsetof(struct program, text) };
	snprintf(p.text + 1, 100, "%s", needs);
	snprintf(p.text + 120, 100, "%s", words);
	return p;
}

static int check(const void *bytes, size_t count)
{
	char path[] = "/tmp/warpreel-target-XXXXXX";
	int file = mkstemp(path), result;

	assert_true(file >= 0);
	assert_int_equal(write(file, bytes, count), (ssize_t)count);
	close(file);
	result = virtual_check(path);
	unlink(path);
	return result;
}

static int check_made(const char *needs, const char *words)
{
	struct program p = made(needs, words);

	return check(&p, sizeof(p));
}

static void a_shared_runtime_is_fine(void **state)
{
	(void)state;
	assert_int_equal(check_made("libcudart.so.13", "cudaGetDriverEntryPointByVersion"), 0);
}

static void a_runtime_that_is_linked_in_is_refused(void **state)
{
	(void)state;
	assert_int_equal(check_made("libc.so.6", "cudaGetDriverEntryPointByVersion"), -1);
}

static void a_program_of_the_driver_alone_is_refused(void **state)
{
	(void)state;
	assert_int_equal(check_made("libcuda.so.1", "cuMemcpy"), -1);
}

static void what_opens_cuda_later_is_fine(void **state)
{
	static const char script[] = "#!/bin/sh\nexec ./program\n";

	(void)state;
	assert_int_equal(check_made("libc.so.6", "anything"), 0);
	assert_int_equal(check(script, sizeof(script) - 1), 0);
	assert_int_equal(virtual_check("/no/such/program"), 0);
	assert_int_equal(virtual_check("no-such-program-anywhere"), 0);
}

static void a_file_cut_off_anywhere_is_read_within_its_bounds(void **state)
{
	struct program p = made("libcuda.so.1", "cudaGetDriverEntryPointByVersion");

	(void)state;
	for (size_t bytes = 0; bytes <= sizeof(p); bytes += 4)
		check(&p, bytes);
	for (size_t at = 0; at < offsetof(struct program, text); at++) {
		struct program wrong = p;

		((unsigned char *)&wrong)[at] ^= 0xff;
		check(&wrong, sizeof(wrong));
	}
}

static void numbers_of_gpus_are_taken_apart(void **state)
{
	int gpus[VIRTUAL_SERIES_MAX];

	(void)state;
	assert_int_equal(virtual_counts("8", gpus), 1);
	assert_int_equal(gpus[0], 8);
	assert_int_equal(virtual_counts("1,2,64", gpus), 3);
	assert_int_equal(gpus[2], 64);
	assert_int_equal(virtual_counts("", gpus), -1);
	assert_int_equal(virtual_counts("2,,4", gpus), -1);
	assert_int_equal(virtual_counts("2,2", gpus), -1);
	assert_int_equal(virtual_counts("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", gpus), -1);
}

static void a_library_goes_before_what_is_preloaded(void **state)
{
	char *text;

	(void)state;
	unsetenv("LD_PRELOAD");
	text = virtual_preload("/a.so");
	assert_string_equal(text, "/a.so");
	free(text);
	setenv("LD_PRELOAD", "/b.so", 1);
	text = virtual_preload("/a.so");
	assert_string_equal(text, "/a.so:/b.so");
	free(text);
	unsetenv("LD_PRELOAD");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_shared_runtime_is_fine),
		cmocka_unit_test(a_runtime_that_is_linked_in_is_refused),
		cmocka_unit_test(a_program_of_the_driver_alone_is_refused),
		cmocka_unit_test(what_opens_cuda_later_is_fine),
		cmocka_unit_test(a_file_cut_off_anywhere_is_read_within_its_bounds),
		cmocka_unit_test(numbers_of_gpus_are_taken_apart),
		cmocka_unit_test(a_library_goes_before_what_is_preloaded),
	};

	if (!freopen("/dev/null", "w", stderr))
		return 1; /* refusals are expected by the hundred */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
