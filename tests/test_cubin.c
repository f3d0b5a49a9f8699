/* SPDX-License-Identifier: MIT
 * What a module says of its functions. tests/corpus/module.cubin is a kernel k with 32 floats of
 * shared memory, by nvcc 13.0 for sm_90; `cuobjdump -res-usage` calls that 10 registers and, with
 * what the system reserves, 1152 bytes.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "traces/profiles/cubin.h"
#include "traces/base/util.h"
#include "support.h"

struct module {
	unsigned char *data;
	size_t bytes;
};

static struct module load(void)
{
	FILE *file = fopen("tests/corpus/module.cubin", "rb");
	struct module module = { .data = xmalloc(1 << 16) };

	assert_non_null(file);
	module.bytes = fread(module.data, 1, 1 << 16, file);
	fclose(file);
	assert_true(module.bytes > sizeof(Elf64_Ehdr));
	return module;
}

static Elf64_Shdr *section(struct module *module, const char *name)
{
	Elf64_Ehdr *header = (Elf64_Ehdr *)(void *)module->data;
	Elf64_Shdr *sections = (Elf64_Shdr *)(void *)(module->data + header->e_shoff);

	for (unsigned i = 0; i < header->e_shnum; i++)
		if (!strcmp((char *)module->data + sections[header->e_shstrndx].sh_offset +
				    sections[i].sh_name,
			    name))
			return &sections[i];
	fail_msg("no section %s", name);
	return NULL;
}

static void registers_and_shared_memory_are_those_of_the_compiler(void **state)
{
	struct module module = load();
	struct cubin_resources resources;

	(void)state;
	assert_int_equal(cubin_find(module.data, module.bytes, "k", &resources), 0);
	assert_int_equal(resources.registers, 10);
	assert_int_equal(resources.static_shared_bytes, 128);
	free(module.data);
}

static void a_function_that_is_not_there_is_not_found(void **state)
{
	struct module module = load();
	struct cubin_resources resources;

	(void)state;
	assert_int_equal(cubin_find(module.data, module.bytes, "kk", &resources), -1);
	assert_int_equal(cubin_find(module.data, module.bytes, "", &resources), -1);
	assert_int_equal(cubin_find(NULL, 0, "k", &resources), -1);
	assert_int_equal(cubin_find("text", 4, "k", &resources), -1);
	free(module.data);
}

static void an_older_module_has_its_registers_in_the_section_header(void **state)
{
	struct module module = load();
	struct cubin_resources resources;

	(void)state;
	section(&module, ".nv.info")->sh_size = 0;
	assert_int_equal(cubin_find(module.data, module.bytes, "k", &resources), -1);
	section(&module, ".text.k")->sh_info |= 40u << 24;
	assert_int_equal(cubin_find(module.data, module.bytes, "k", &resources), 0);
	assert_int_equal(resources.registers, 40);
	free(module.data);
}

static void a_module_cut_off_anywhere_is_refused(void **state)
{
	struct module module = load();
	struct cubin_resources resources;
	size_t end = ((Elf64_Ehdr *)(void *)module.data)->e_shoff +
		     ((Elf64_Ehdr *)(void *)module.data)->e_shnum * sizeof(Elf64_Shdr);

	(void)state;
	for (size_t bytes = 0; bytes < end; bytes++) {
		unsigned char *cut =
			xmalloc(bytes ? bytes : 1); /* its own: reading past the end shows */

		memcpy(cut, module.data, bytes);
		assert_int_equal(cubin_find(cut, bytes, "k", &resources), -1);
		free(cut);
	}
	free(module.data);
}

static void a_section_outside_the_file_is_empty(void **state)
{
	struct module module = load();
	struct cubin_resources resources;

	(void)state;
	section(&module, ".nv.info")->sh_offset = UINT64_MAX - 8;
	assert_int_equal(cubin_find(module.data, module.bytes, "k", &resources), -1);
	free(module.data);
	module = load();
	section(&module, ".nv.shared.k")->sh_size = UINT64_MAX;
	assert_int_equal(cubin_find(module.data, module.bytes, "k", &resources), -1);
	free(module.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_and_shared_memory_are_those_of_the_compiler),
		cmocka_unit_test(a_function_that_is_not_there_is_not_found),
		cmocka_unit_test(an_older_module_has_its_registers_in_the_section_header),
		cmocka_unit_test(a_module_cut_off_anywhere_is_refused),
		cmocka_unit_test(a_section_outside_the_file_is_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
