/* SPDX-License-Identifier: MIT
 * The ELF of a cubin, as `readelf` and `cuobjdump -elf` show it: a function NAME is section
 * .text.NAME, its shared memory .nv.shared.NAME. Registers lie in .nv.info, as pairs of a symbol's
 * number and a count; in older modules in the upper byte of .text.NAME's sh_info.
 */
#include "cubin.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

/*
 * .nv.info is a list of attributes: a format, a name, and either two bytes of value or the length
 * of the value that follows. Names as `cuobjdump -elf` prints them.
 */
enum { FORMAT_SIZED = 4, ATTRIBUTE_REGCOUNT = 0x2f, ATTRIBUTE_BYTES = 4 };
/* Compute capability 8.0 and later: each block holds so much for the system (CUDA's
 * cudaDevAttrReservedSharedMemoryPerBlock). */
enum { RESERVED_SHARED_BYTES = 1024, REGISTERS_MAX = 255 };

struct cubin {
	const unsigned char *data;
	size_t bytes;
	Elf64_Ehdr header;
};
struct part {
	const unsigned char *data;
	size_t bytes;
}; /* of the file */

static bool section_at(const struct cubin *cubin, size_t index, Elf64_Shdr *section)
{
	if (index >= cubin->header.e_shnum)
		return false;
	memcpy(section, cubin->data + cubin->header.e_shoff + index * sizeof(*section),
	       sizeof(*section));
	return true;
}

/* Empty when the section does not lie within the file. */
static struct part contents(const struct cubin *cubin, const Elf64_Shdr *section)
{
	if (section->sh_type == SHT_NOBITS || section->sh_offset > cubin->bytes ||
	    section->sh_size > cubin->bytes - section->sh_offset)
		return (struct part){ NULL, 0 };
	return (struct part){ cubin->data + section->sh_offset, (size_t)section->sh_size };
}

static bool text_is(struct part table, size_t at, const char *text)
{
	size_t length = strlen(text) + 1;

	return at < table.bytes && length <= table.bytes - at &&
	       !memcmp(table.data + at, text, length);
}

/* PREFIX followed by NAME; NAME NULL: nothing more. */
static bool name_is(struct part names, const Elf64_Shdr *section, const char *prefix,
		    const char *name)
{
	size_t length = strlen(prefix), at = section->sh_name;

	if (!name)
		return text_is(names, at, prefix);
	return at < names.bytes && length < names.bytes - at &&
	       !memcmp(names.data + at, prefix, length) && text_is(names, at + length, name);
}

static bool open_cubin(struct cubin *cubin, const void *data, size_t bytes)
{
	*cubin = (struct cubin){ .data = data, .bytes = bytes };
	if (bytes < sizeof(cubin->header))
		return false;
	memcpy(&cubin->header, data, sizeof(cubin->header));
	return !memcmp(cubin->header.e_ident, ELFMAG, SELFMAG) &&
	       cubin->header.e_ident[EI_CLASS] == ELFCLASS64 &&
	       cubin->header.e_ident[EI_DATA] == ELFDATA2LSB &&
	       cubin->header.e_shentsize == sizeof(Elf64_Shdr) && cubin->header.e_shoff <= bytes &&
	       cubin->header.e_shnum <= (bytes - cubin->header.e_shoff) / sizeof(Elf64_Shdr);
}

static bool find_section(const struct cubin *cubin, const char *prefix, const char *name,
			 Elf64_Shdr *section)
{
	struct part names;

	if (!section_at(cubin, cubin->header.e_shstrndx, section))
		return false;
	names = contents(cubin, section);
	for (size_t i = 0; section_at(cubin, i, section); i++)
		if (name_is(names, section, prefix, name))
			return true;
	return false;
}

/* The number of a symbol; -1: there is none. */
static int64_t find_symbol(const struct cubin *cubin, const char *name)
{
	Elf64_Shdr section;
	struct part symbols, names;
	Elf64_Sym symbol;

	if (!find_section(cubin, ".symtab", NULL, &section))
		return -1;
	symbols = contents(cubin, &section);
	if (!section_at(cubin, section.sh_link, &section))
		return -1;
	names = contents(cubin, &section);
	for (size_t i = 0; i < symbols.bytes / sizeof(symbol); i++) {
		memcpy(&symbol, symbols.data + i * sizeof(symbol), sizeof(symbol));
		if (text_is(names, symbol.st_name, name))
			return (int64_t)i;
	}
	return -1;
}

/* 0: it does not say. */
static uint32_t find_registers(const struct cubin *cubin, int64_t symbol)
{
	Elf64_Shdr section;
	struct part info;

	if (symbol < 0 || !find_section(cubin, ".nv.info", NULL, &section))
		return 0;
	info = contents(cubin, &section);
	for (size_t at = 0; info.bytes - at >= ATTRIBUTE_BYTES;) {
		const unsigned char *attribute = info.data + at;
		uint16_t length;
		uint32_t value[2];

		memcpy(&length, attribute + 2, sizeof(length));
		at += ATTRIBUTE_BYTES;
		if (attribute[0] != FORMAT_SIZED)
			continue;
		if (length > info.bytes - at)
			return 0;
		if (attribute[1] == ATTRIBUTE_REGCOUNT && length == sizeof(value)) {
			memcpy(value, info.data + at, sizeof(value));
			if (value[0] == symbol)
				return value[1];
		}
		at += length;
	}
	return 0;
}

int cubin_find(const void *data, size_t bytes, const char *symbol,
	       struct cubin_resources *resources)
{
	Elf64_Shdr code, shared;
	struct cubin cubin;

	if (!open_cubin(&cubin, data, bytes) || !find_section(&cubin, ".text.", symbol, &code))
		return -1;
	*resources = (struct cubin_resources){ .registers = find_registers(
						       &cubin, find_symbol(&cubin, symbol)) };
	if (!resources->registers)
		resources->registers = code.sh_info >> 24;
	if (!resources->registers || resources->registers > REGISTERS_MAX)
		return -1;
	if (!find_section(&cubin, ".nv.shared.", symbol, &shared))
		return 0;
	if (shared.sh_size > UINT32_MAX)
		return -1;
	resources->static_shared_bytes = (uint32_t)shared.sh_size;
	/* Where the compiler lays out the reserved part too, it names it. */
	if (shared.sh_size >= RESERVED_SHARED_BYTES &&
	    find_symbol(&cubin, ".nv.reservedSmem.offset0") >= 0)
		resources->static_shared_bytes -= RESERVED_SHARED_BYTES;
	return 0;
}
