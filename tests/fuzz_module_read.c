/* SPDX-License-Identifier: MIT
 * Any bytes as a module of machine code, and as a listing of one: what profiling reads of files and
 * tools that are not ours.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "traces/profiles/cubin.h"
#include "traces/profiles/disassembly.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_cubin(const uint8_t *data, size_t size)
{
	static const char *const symbols[] = {
		"k", "", "a_name_that_is_longer_than_the_files_are_cut_short"
	};

	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		struct cubin_resources resources;

		if (!cubin_find(data, size, symbols[i], &resources) &&
		    (!resources.registers || resources.registers > 255))
			abort();
	}
}

static void try_listing(const uint8_t *data, size_t size)
{
	struct disassembly disassembly;
	char *text = malloc(size + 1);

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = 0;
	if (!disassembly_read(&disassembly, text, "fuzz"))
		for (size_t i = 0; i < disassembly.function_count; i++) {
			const struct disassembled_function *function = &disassembly.function[i];

			if (!disassembly_find(&disassembly, function->name))
				abort();
			for (size_t j = 0; j < function->instruction_count; j++)
				if (function->instruction[j].offset != j * 16 ||
				    !function->instruction[j].text)
					abort();
		}
	disassembly_release(&disassembly);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_cubin(data, size);
	try_listing(data, size);
	return 0;
}
