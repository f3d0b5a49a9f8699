// SPDX-License-Identifier: MIT
// Reads a disassembler's listing line by line:
//
//	.section .text.NAME,"ax",@progbits      nvdisasm: a function begins       (cuobjdump:
//"Function : NAME") 	.L_x_2:                                 a label, of the next instruction
//	/*0280*/  @!P2 BRA `(.L_x_0) ;  /* 0x0000002000c8a947 */
//	                                /* 0x000fea0003800000 */     the other half of the 128 bits
#include "disassembly.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

enum { CODE_BYTES = 16, OFFSET_MAX = 1 << 28 };

struct listing {
	struct disassembly *out;
	struct disassembled_function *function; /* NULL: before the first */
	const char *source;
	size_t line;
	bool half; /* the second word of an encoding is due */
};

static int wrong(const struct listing *listing, const char *what)
{
	return report("%s: line %zu of the disassembly%s%s: %s", listing->source, listing->line,
		      listing->function ? ", function " : "",
		      listing->function ? listing->function->name : "", what);
}

static char *trimmed(char *text)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return text;
}

/* Takes a last comment that holds a 64-bit number off the line. 0, or -1 when there is none. */
static int take_code(char *line, uint64_t *code)
{
	char *open = NULL, *end;

	for (char *at = strstr(line, "/*"); at; at = strstr(at + 1, "/*"))
		open = at;
	if (!open)
		return -1;
	end = open + 2 + strspn(open + 2, " ");
	if (end[0] != '0' || end[1] != 'x' || strspn(end + 2, "0123456789abcdefABCDEF") != 16)
		return -1;
	*code = strtoull(end, &end, 16);
	end += strspn(end, " ");
	if (strncmp(end, "*/", 2) != 0)
		return -1;
	*open = '\0';
	return 0;
}

// "/*0280*/": the offset, and *rest after it.
static int take_offset(char *line, uint32_t *offset, char **rest)
{
	size_t digits = strspn(line + 2, "0123456789abcdefABCDEF");
	unsigned long value;

	if (digits < 4 || digits > 8 || strncmp(line + 2 + digits, "*/", 2) != 0)
		return -1;
	value = strtoul(line + 2, NULL, 16);
	if (value > OFFSET_MAX)
		return -1;
	*offset = (uint32_t)value;
	*rest = line + 4 + digits;
	return 0;
}

/* Comments of the disassembler out, runs of blanks to one, no semicolon at the end. */
static char *clean(const char *text)
{
	char *out = xmalloc(strlen(text) + 1), *at = out;

	while (*text) {
		const char *close = NULL;

		if (!strncmp(text, "(*\"", 3))
			close = strstr(text, "\"*)");
		else if (!strncmp(text, "/*", 2))
			close = strstr(text, "*/");
		if (close) {
			text = close + (*close == '"' ? 3 : 2);
		} else if (isspace((unsigned char)*text)) {
			if (at > out && at[-1] != ' ')
				*at++ = ' ';
			text++;
		} else {
			*at++ = *text++;
		}
	}
	while (at > out && (at[-1] == ' ' || at[-1] == ';'))
		at--;
	*at = '\0';
	return out;
}

static void begin_function(struct listing *listing, const char *name, size_t length)
{
	GROW(listing->out->function, listing->out->function_count, listing->out->function_capacity);
	listing->function = &listing->out->function[listing->out->function_count++];
	*listing->function =
		(struct disassembled_function){ .name = xprintf("%.*s", (int)length, name) };
}

static int add_instruction(struct listing *listing, char *line)
{
	struct disassembled_function *function = listing->function;
	struct disassembled *instruction;
	uint64_t code;
	uint32_t offset;
	char *rest;

	if (take_offset(line, &offset, &rest))
		return wrong(listing, "no offset where an instruction begins");
	if (!function)
		return wrong(listing, "an instruction before the first function");
	if (offset != function->instruction_count * CODE_BYTES)
		return wrong(listing, "instructions are not 16 bytes apart");
	if (take_code(rest, &code))
		return wrong(listing, "an instruction without its encoding");
	GROW(function->instruction, function->instruction_count, function->instruction_capacity);
	instruction = &function->instruction[function->instruction_count++];
	*instruction =
		(struct disassembled){ .offset = offset, .code = { code, 0 }, .text = clean(rest) };
	listing->half = true;
	if (!*instruction->text)
		return wrong(listing, "an instruction without text");
	return 0;
}

static void add_label(struct disassembled_function *function, const char *line, size_t length)
{
	struct disassembled_label *label;

	GROW(function->label, function->label_count, function->label_capacity);
	label = &function->label[function->label_count++];
	label->name = xprintf("%.*s", (int)length, line);
	label->offset = (uint32_t)(function->instruction_count * CODE_BYTES);
}

static int read_line(struct listing *listing, char *raw)
{
	bool indented = isspace((unsigned char)*raw);
	char *line = trimmed(raw);
	size_t length = strlen(line);

	if (listing->half) {
		struct disassembled_function *function = listing->function;

		if (take_code(line,
			      &function->instruction[function->instruction_count - 1].code[1]) ||
		    *trimmed(line))
			return wrong(listing, "half of an encoding is missing");
		listing->half = false;
		return 0;
	}
	if (!strncmp(line, "/*", 2))
		return add_instruction(listing, line);
	if (!strncmp(line, "Function : ", 11)) {
		begin_function(listing, line + 11, length - 11);
	} else if (!strncmp(line, ".section", 8)) {
		const char *name = trimmed(line + 8), *comma = strstr(name, ",\"");

		if (strncmp(name, ".text.", 6) || !comma)
			listing->function = NULL;
		else
			begin_function(listing, name + 6, (size_t)(comma - name) - 6);
	} else if (!indented && length > 1 && line[length - 1] == ':' && listing->function) {
		add_label(listing->function, line, length - 1);
	}
	return 0;
}

int64_t disassembled_part(const struct disassembled_function *function, const char *name)
{
	for (size_t i = 0; i < function->label_count; i++)
		if (!strcmp(function->label[i].name, name))
			return function->label[i].offset;
	return -1;
}

/* `(LABEL) -> 0x150. What is not in this function keeps its name. */
static void resolve(const struct disassembled_function *function, struct disassembled *instruction)
{
	char *open = strstr(instruction->text, "`("), *close, *text;
	int64_t offset;

	if (!open)
		return;
	close = strchr(open, ')');
	if (!close)
		return;
	*close = '\0';
	offset = disassembled_part(function, open + 2);
	*close = ')';
	if (offset < 0)
		return;
	text = xprintf("%.*s0x%llx%s", (int)(open - instruction->text), instruction->text,
		       (unsigned long long)offset, close + 1);
	free(instruction->text);
	instruction->text = text;
}

int disassembly_read(struct disassembly *disassembly, char *text, const char *source)
{
	struct listing listing = { .out = disassembly, .source = source };

	memset(disassembly, 0, sizeof(*disassembly));
	while (*text) {
		char *end = text + strcspn(text, "\n"), *next = end + (*end == '\n');

		*end = '\0';
		listing.line++;
		if (read_line(&listing, text))
			return -1;
		text = next;
	}
	if (listing.half)
		return wrong(&listing, "half of an encoding is missing");
	for (size_t i = 0; i < disassembly->function_count; i++)
		for (size_t j = 0; j < disassembly->function[i].instruction_count; j++)
			resolve(&disassembly->function[i],
				&disassembly->function[i].instruction[j]);
	return 0;
}

void disassembly_release(struct disassembly *disassembly)
{
	for (size_t i = 0; i < disassembly->function_count; i++) {
		struct disassembled_function *function = &disassembly->function[i];

		for (size_t j = 0; j < function->instruction_count; j++)
			free(function->instruction[j].text);
		for (size_t j = 0; j < function->label_count; j++)
			free(function->label[j].name);
		free(function->instruction);
		free(function->label);
		free(function->name);
	}
	free(disassembly->function);
	memset(disassembly, 0, sizeof(*disassembly));
}

const struct disassembled_function *disassembly_find(const struct disassembly *disassembly,
						     const char *name)
{
	for (size_t i = 0; i < disassembly->function_count; i++)
		if (!strcmp(disassembly->function[i].name, name))
			return &disassembly->function[i];
	return NULL;
}
