/* SPDX-License-Identifier: MIT
 * Any text as disassembly, a line an instruction: decoded without reading past its end, into an
 * instruction that an engine can use.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "traces/profiles/sass.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_line(const char *text, const uint64_t code[2], uint32_t offset)
{
	struct sass_instruction in;
	char opcode[16];

	sass_opcode(text, opcode);
	sass_decode(&in, text, code, offset);
	if (strlen(opcode) > 15 || (unsigned)in.class >= SASS_CLASS_COUNT || in.destination < -1 ||
	    in.destination > 254)
		abort();
	if (in.control.stall > 15 || in.control.write_barrier > 7 || in.control.read_barrier > 7 ||
	    in.control.wait_mask > 63)
		abort();
	if (in.access_bytes > 16 || in.depbar_scoreboard > 5 ||
	    (in.destination < 0) != (in.destination_count == 0))
		abort();
	for (int i = 0; i < 4; i++)
		if (in.source[i] < -1 || in.source[i] > 254)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t code[2] = { 0, 0 };

	memcpy(code, data, size < sizeof(code) ? size : sizeof(code));
	for (size_t from = 0; from < size;) {
		const uint8_t *end = memchr(data + from, '\n', size - from);
		size_t length = end ? (size_t)(end - data) - from : size - from;
		char *line = malloc(length + 1); /* its own: reading past the end shows */

		if (!line)
			abort();
		memcpy(line, data + from, length);
		line[length] = 0;
		try_line(line, code, (uint32_t)from);
		/* the corpus has three numbers of 40 characters before the text */
		if (length > 40)
			try_line(line + 40, code, (uint32_t)from);
		free(line);
		from += length + 1;
	}
	return 0;
}
