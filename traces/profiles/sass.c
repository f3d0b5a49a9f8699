/* SPDX-License-Identifier: MIT */
#include "sass.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const char *const sass_class_name[SASS_CLASS_COUNT] = {
#define SASS_CLASS(id, name, summary) [SASS_##id] = name,
#include "sass_classes.def"
#undef SASS_CLASS
};

enum destination { NONE = 0, ONE = 1, PAIR = 2, QUAD = 4, WIDTH = -1 };
enum role { PLAIN, MEMORY, BRANCH, INDIRECT, EXIT, MEETS, DEPBAR };

struct opcode {
	const char *name;
	enum sass_class class;
	enum destination destination;
	enum role role;
};

static const struct opcode opcodes[] = {
#define SASS_OPCODE(name, class, destination, role) { name, SASS_##class, destination, role },
#include "sass_opcodes.def"
#undef SASS_OPCODE
};

enum { WORD_MAX = 64, RZ = 255, SCOREBOARDS = 6 };

/* ---- text ---- */

static const char *skip_space(const char *text)
{
	return text + strspn(text, " \t{");
}

/* Past the guard, if there is one: "@!P0 ". *guarded: by a predicate other than PT. */
static const char *skip_guard(const char *text, bool *guarded)
{
	text = skip_space(text);
	*guarded = false;
	if (*text != '@')
		return text;
	text += 1 + (text[1] == '!');
	*guarded = strncmp(text, "PT", 2) != 0 && strncmp(text, "UPT", 3) != 0;
	return skip_space(text + strcspn(text, " \t"));
}

/* Where the operands end: before ";", a comment, or scheduling notes that some disassemblers add
 * ("&req={0}", "?WAIT5"). */
static const char *end_of(const char *text)
{
	return text + strcspn(text, ";&?/}\n");
}

void sass_opcode(const char *text, char opcode[16])
{
	bool guarded;
	size_t length = 0;

	text = skip_guard(text, &guarded);
	for (; (isalnum((unsigned char)*text) || *text == '_') && length < 15; text++)
		opcode[length++] = *text;
	opcode[length] = 0;
}

/* Does the opcode word (up to the first space) have the modifier? "LDG.E.LTC128B.64" has "64", not
 * "128". */
static bool has_modifier(const char *word, const char *modifier)
{
	size_t length = strlen(modifier);

	for (; *word && !isspace((unsigned char)*word) && *word != ';'; word++)
		if (*word == '.' && strncmp(word + 1, modifier, length) == 0 &&
		    !isalnum((unsigned char)word[1 + length]))
			return true;
	return false;
}

static uint8_t access_bytes(const char *word)
{
	static const struct {
		const char *modifier;
		uint8_t bytes;
	} widths[] = {
		{ "128", 16 }, { "64", 8 },    { "F64", 8 },   { "U64", 8 },
		{ "S64", 8 },  { "F32x2", 8 }, { "32x4", 16 }, { "U8", 1 },
		{ "S8", 1 },   { "U16", 2 },   { "S16", 2 },   { "96", 12 },
	};

	if (has_modifier(word, "M88") ||
	    has_modifier(word, "MT88")) /* 8x8 matrices of 16-bit elements: a register each */
		return has_modifier(word, "4") ? 16 : has_modifier(word, "2") ? 8 : 4;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
		if (has_modifier(word, widths[i].modifier))
			return widths[i].bytes;
	return 4;
}

static bool is_texture(const struct opcode *known)
{
	return known->class == SASS_GLOBAL_LOAD && known->destination == PAIR;
}

/* A texture load names its channels last: "TLD.LZ RZ, R4, R4, UR4, 0x0, 1D, 0x3" has two. Of each
 * it makes a register, so a channel has at most 4 bytes. */
static uint8_t texel_bytes(const char *start, const char *end)
{
	const char *last = start, *comma;
	uint8_t bytes = 0;

	while ((comma = memchr(last, ',', (size_t)(end - last))))
		last = comma + 1;
	last = skip_space(last);
	for (unsigned long mask = strncmp(last, "0x", 2) ? 0 : strtoul(last, NULL, 16) & 15; mask;
	     mask &= mask - 1)
		bytes += 4;
	return bytes ? bytes : 4;
}

/* ---- registers ---- */

/* At "R12": its number, and *end past it; -1 when there is none, RZ, or another kind of register.
 */
static int register_at(const char *start, const char *text, const char **end)
{
	char *after;
	long number;

	if (*text != 'R' || (text > start && (isalnum((unsigned char)text[-1]) || text[-1] == '_')))
		return -1;
	if (!isdigit((unsigned char)text[1]))
		return -1;
	number = strtol(text + 1, &after, 10);
	if (isalnum((unsigned char)*after) || *after == '_' || number >= RZ)
		return -1;
	*end = after;
	return (int)number;
}

/* Operands that come before the destination: predicates the instruction sets too ("SHFL.IDX PT, R6,
 * ..."). */
static const char *skip_predicates(const char *text, const char *end)
{
	for (;;) {
		const char *at = skip_space(text);

		at += *at == 'U';
		if (*at != 'P' || !(at[1] == 'T' || isdigit((unsigned char)at[1])))
			return skip_space(text);
		at += strcspn(at, ",");
		if (at >= end)
			return end;
		text = at + 1;
	}
}

/* A conversion names what it makes first, and may leave it out when that is 32 bits. */
static const char *const wide_results[] = {
	"F2F.F64", "F2F.FTZ.F64", "I2F.F64",	 "I2F.RP.F64",	"I2F.RM.F64", "I2F.RZ.F64",
	"F2I.S64", "F2I.U64",	  "F2I.FTZ.S64", "F2I.FTZ.U64", "FRND.F64",   "FRND.FTZ.F64"
};

static uint8_t registers_written(const struct opcode *known, const char *word, uint8_t bytes)
{
	if (known->destination == WIDTH)
		return bytes > 4 ? (uint8_t)(bytes / 4) : 1;
	if (known->destination == PAIR)
		return has_modifier(word, "32") ? 1 : 2;
	if (known->destination != ONE)
		return (uint8_t)known->destination;
	if (has_modifier(word, "WIDE") || has_modifier(word, "64"))
		return 2;
	for (size_t i = 0; i < sizeof(wide_results) / sizeof(wide_results[0]); i++)
		if (strncmp(word, wide_results[i], strlen(wide_results[i])) == 0)
			return 2;
	return 1;
}

static void find_registers(struct sass_instruction *in, const struct opcode *known,
			   const char *word, const char *start, const char *end)
{
	const char *at = start, *after;
	int sources = 0, pairs[4], pair_count = 0;

	if (known->destination != NONE) {
		int first;

		at = skip_predicates(at, end);
		if (is_texture(known) && strncmp(at, "RZ,", 3) == 0)
			at = skip_space(at + 3); /* a texture has two destinations, and the first
						    was not asked for */
		first = at < end ? register_at(start, at, &after) : -1;
		if (first >= 0) {
			in->destination = (int16_t)first;
			in->destination_count = registers_written(known, word, in->access_bytes);
		}
		at += strcspn(at, ","); /* RZ, UR4 and the like write no register */
	}
	for (; at < end; at++) {
		int number = register_at(start, at, &after);
		bool repeated = false;

		if (number < 0)
			continue;
		for (int i = 0; i < sources; i++)
			repeated |= in->source[i] == number;
		if (!repeated && sources < 3)
			in->operand[sources] =
				(struct sass_operand){ .reg = (int16_t)number,
						       .pair = known->class == SASS_FP64,
						       .reuse = strncmp(after + (*after == '|'),
									".reuse", 6) == 0 };
		if (!repeated && sources < 4)
			in->source[sources++] = (int16_t)number;
		if (!repeated && pair_count < 4 &&
		    (strncmp(after, ".64", 3) == 0 || known->class == SASS_FP64))
			pairs[pair_count++] = number + 1;
		at = after - 1;
	}
	for (int i = 0; i < pair_count && sources < 4; i++)
		if (pairs[i] < RZ)
			in->source[sources++] = (int16_t)pairs[i];
}

/* ---- branches and scoreboards ---- */

/*
 * The target a branch names: its last operand. A disassembler that knows labels writes those
 * instead of addresses; then from the encoding, as sm_90 has it: words of 4 bytes from the next
 * instruction on, the low 8 bits at bit 16, the others at bit 34.
 */
static uint32_t branch_target(const char *start, const char *end, const uint64_t code[2],
			      uint32_t offset)
{
	const char *operand = start, *comma;
	char *after;
	unsigned long long value;
	int64_t words;

	while ((comma = memchr(operand, ',', (size_t)(end - operand))))
		operand = comma + 1;
	operand = skip_space(operand);
	if (operand < end && isdigit((unsigned char)*operand)) {
		value = strtoull(operand, &after, 0);
		return value < SASS_TARGET_UNKNOWN ? (uint32_t)value : SASS_TARGET_UNKNOWN;
	}
	if (operand >= end || *operand != '`')
		return SASS_TARGET_UNKNOWN;
	words = (int64_t)((code[1] & 0x3ffff) << 46 | code[0] >> 34 << 16) >>
		16; /* bits 34..81, sign extended */
	words = words * 256 + (int64_t)(code[0] >> 16 & 255);
	words = (int64_t)offset + 16 + words * 4;
	return words >= 0 && words < SASS_TARGET_UNKNOWN ? (uint32_t)words : SASS_TARGET_UNKNOWN;
}

/* "DEPBAR.LE SB0, 0x1, {4,3}": scoreboard 0 down to one, those in braces down to none. */
static void decode_depbar(struct sass_instruction *in, const char *start)
{
	const char *scoreboard = strstr(start, "SB"), *comma, *brace = strchr(start, '{');

	if (scoreboard && scoreboard[2] >= '0' && scoreboard[2] < '0' + SCOREBOARDS) {
		in->depbar_scoreboard = (int8_t)(scoreboard[2] - '0');
		comma = strchr(scoreboard, ',');
		in->depbar_count = (int8_t)(comma ? strtoul(comma + 1, NULL, 0) & 63 : 0);
	}
	for (; brace && *brace && *brace != '}'; brace++)
		if (*brace >= '0' && *brace < '0' + SCOREBOARDS)
			in->control.wait_mask |= (uint8_t)(1 << (*brace - '0'));
}

static void decode_control(struct sass_control *control, uint64_t high)
{
	*control = (struct sass_control){
		.stall = high >> 41 & 15,
		.yield = !(high >> 45 & 1), /* the bit says: stay with this warp */
		.write_barrier = high >> 46 & 7,
		.read_barrier = high >> 49 & 7,
		.wait_mask = high >> 52 & 63,
	};
}

/* "c[0x0][0x210]" anywhere, but not "desc[UR4]", nor another bank, nor an offset a register knows.
 */
static int32_t constant_of(const char *start, const char *end)
{
	static const char bank[] = "c[0x0][0x";
	const char *at = strstr(start, bank);

	if (!at || at >= end)
		return -1;
	return (int32_t)(strtoul(at + strlen(bank), NULL, 16) & (SASS_CONSTANT_BYTES - 1));
}

/* ---- opcodes ---- */

static const struct opcode *find_opcode(const char *name)
{
	for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++)
		if (opcodes[i].name[0] == *name && strcmp(opcodes[i].name, name) == 0)
			return &opcodes[i];
	return NULL;
}

/* An opcode nobody knows takes the slowest class that its name and operands allow. */
static struct opcode guess(const char *name, const char *start, const char *end)
{
	struct shape {
		const char *begins;
		struct opcode like;
	};
	static const struct shape shapes[] = {
		{ "ATOMS", { "", SASS_SHARED_ATOMIC, WIDTH, MEMORY } },
		{ "LDS", { "", SASS_SHARED_LOAD, WIDTH, MEMORY } },
		{ "STS", { "", SASS_SHARED_STORE, NONE, MEMORY } },
		{ "LDG", { "", SASS_GLOBAL_LOAD, WIDTH, MEMORY } },
		{ "LDL", { "", SASS_GLOBAL_LOAD, WIDTH, MEMORY } },
		{ "LD", { "", SASS_ATOMIC, WIDTH, MEMORY } },
		{ "ST", { "", SASS_GLOBAL_STORE, NONE, MEMORY } },
		{ "RED", { "", SASS_ATOMIC, NONE, MEMORY } },
		{ "U", { "", SASS_ASYNC_COPY, NONE, PLAIN } },
		{ "", { "", SASS_ATOMIC, WIDTH, MEMORY } },
	};
	static const struct shape registers[] = {
		{ "BAR", { "", SASS_BARRIER, NONE, PLAIN } },
		{ "U", { "", SASS_UNIFORM, NONE, PLAIN } },
		{ "D", { "", SASS_FP64, PAIR, PLAIN } },
		{ "H", { "", SASS_HALF, ONE, PLAIN } },
		{ "", { "", SASS_SPECIAL, ONE, PLAIN } },
	};
	bool memory = false;
	size_t count;

	for (const char *at = start; at < end && !memory;
	     at++) /* "[R2]", "desc[UR4][R2.64]", but not "c[0x0][0x210]" */
		memory = *at == '[' && at > start &&
			 (at[-1] == ' ' || (at[-1] == 'c' && at - start > 1 && at[-2] == 's'));
	count = memory ? sizeof(shapes) / sizeof(shapes[0])
		       : sizeof(registers) / sizeof(registers[0]);

	if (strstr(name, "MMA"))
		return (struct opcode){ "", SASS_TENSOR, QUAD, PLAIN };
	for (size_t i = 0; i < count; i++) {
		const char *begins = memory ? shapes[i].begins : registers[i].begins;

		if (strncmp(name, begins, strlen(begins)) == 0)
			return memory ? shapes[i].like : registers[i].like;
	}
	return registers[count - 1].like;
}

void sass_decode(struct sass_instruction *instruction, const char *text, const uint64_t code[2],
		 uint32_t offset)
{
	struct sass_instruction in = { .destination = -1,
				       .source = { -1, -1, -1, -1 },
				       .operand = { { .reg = -1 }, { .reg = -1 }, { .reg = -1 } },
				       .depbar_scoreboard = -1,
				       .depbar_count = -1 };
	const char *word = skip_guard(text, &in.predicated), *start = word + strcspn(word, " \t;"),
		   *end = end_of(start);
	const struct opcode *found;
	struct opcode known;
	char name[16];

	sass_opcode(text, name);
	found = find_opcode(name);
	in.known = found != NULL;
	known = found ? *found : guess(name, start, end);
	in.class = known.class;
	decode_control(&in.control, code[1]);
	in.is_texture = is_texture(&known);
	in.access_bytes = in.is_texture		 ? texel_bytes(start, end)
			  : known.role == MEMORY ? access_bytes(word)
						 : 0;
	in.is_exit = known.role == EXIT;
	in.is_branch = known.role == BRANCH || known.role == INDIRECT;
	in.is_barrier = known.role == MEETS && !has_modifier(word, "ARV");
	if (in.is_branch)
		in.target = known.role == BRANCH ? branch_target(start, end, code, offset)
						 : SASS_TARGET_UNKNOWN;
	if (known.role == DEPBAR)
		decode_depbar(&in, start);
	in.constant = constant_of(start, end);
	find_registers(&in, &known, word, start, end);
	*instruction = in;
}
