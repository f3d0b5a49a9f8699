/* SPDX-License-Identifier: MIT
 * A forward analysis: of each register and predicate, before each instruction, whether warps of a
 * block may differ in it. States meet where ways do; it is repeated until nothing changes.
 */
#include "sass_uniform.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

/* R0 to R254, then P0 to P6, UR0 to UR62, UP0 to UP6. */
enum {
	REGISTERS = 256,
	UNIFORM = REGISTERS + 8,
	PLACES = UNIFORM + 64 + 8,
	WORDS = PLACES / 64 + 1
};
enum { NAMED_MOST = 12 };

struct differs {
	uint64_t bit[WORDS];
};

/* What an instruction reads and writes. */
struct use {
	int16_t guard; /* -1: none */
	int16_t source[NAMED_MOST], destination[NAMED_MOST];
	uint8_t sources, destinations;
	bool own;		       /* what it makes is the warp's, or the thread's */
	bool elsewhere, always, calls; /* goes to another place; never goes on to the next */
};

static bool get(const struct differs *d, int place)
{
	return d->bit[place / 64] >> place % 64 & 1;
}

static void set(struct differs *d, int place, bool value)
{
	const uint64_t one = (uint64_t)1 << place % 64;
	d->bit[place / 64] = value ? d->bit[place / 64] | one : d->bit[place / 64] & ~one;
}

/* At "R12", "UP3", "PT": its place, -1 for those that are constant; *length of the name, 0 where
 * there is none. */
static int place_at(const char *text, size_t *length)
{
	const bool uniform = text[0] == 'U';
	const char kind = text[uniform];
	char *after;
	*length = 0;
	if (kind != 'R' && kind != 'P')
		return -1;
	if (text[uniform + 1] == (kind == 'R' ? 'Z' : 'T') &&
	    !isalnum((unsigned char)text[uniform + 2])) {
		*length = (size_t)uniform + 2;
		return -1;
	}
	if (!isdigit((unsigned char)text[uniform + 1]))
		return -1;
	const long number = strtol(text + uniform + 1, &after, 10);
	if (isalnum((unsigned char)*after) || *after == '_' ||
	    number >= (kind == 'P' ? 8
		       : uniform   ? 64
				   : REGISTERS))
		return -1;
	*length = (size_t)(after - text);
	return (uniform	      ? kind == 'P' ? UNIFORM + 64 : UNIFORM
		: kind == 'P' ? REGISTERS
			      : 0) +
	       (int)number;
}

static void add(int16_t *list, uint8_t *count, int place)
{
	if (place >= 0 && *count < NAMED_MOST)
		list[(*count)++] = (int16_t)place;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Opcodes whose result is more than what they read: memory, other lanes, clocks. Constants are the
 * launch's. */
static bool is_own(const char *opcode)
{
	static const char *const own[] = {
		"LD",  "ATOM", "SHFL",	"VOTE", "MATCH", "REDUX", "TLD",
		"TEX", "SULD", "ELECT", "CS2R", "B2R",	 "LEPC",  "P2R"
	};
	if (begins(opcode, "LDC") || begins(opcode, "LDGDEPBAR"))
		return false;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (begins(opcode, own[i]))
			return true;
	return false;
}

/* So many registers more than the one that is named are made or read. */
static int more_of(const char *opcode, size_t length)
{
	char word[48];
	const size_t n = length < sizeof(word) - 1 ? length : sizeof(word) - 1;
	memcpy(word, opcode, n);
	word[n] = 0;
	return strstr(word, ".128")						? 3
	       : strstr(word, ".64") || strstr(word, ".WIDE") || word[0] == 'D' ? 1
										: 0;
}

static struct use use_of(const char *text, bool branch)
{
	struct use u = { .guard = -1 };
	size_t length;
	text += strspn(text, " \t{");
	if (*text == '@') {
		text += 1 + (text[1] == '!');
		u.guard = (int16_t)place_at(text, &length);
		text += strcspn(text, " \t");
		text += strspn(text, " \t");
	}
	const char *opcode = text, *at = text + strcspn(text, " \t;");
	const int more = more_of(opcode, (size_t)(at - opcode));
	const bool compares = strstr(opcode, "SETP") && strstr(opcode, "SETP") < at,
		   logic = begins(opcode, "PLOP3") || begins(opcode, "UPLOP3");
	bool made = branch || begins(opcode, "ST") || begins(opcode, "RED") ||
		    begins(opcode, "BAR"),
	     first = true;
	int predicates = 0;

	u.own = is_own(opcode) || strstr(text, "SR_TID") || strstr(text, "SR_LANE") ||
		strstr(text, "SR_VIRTID") || strstr(text, "SR_CLOCK") ||
		strstr(text, "SR_SMEMSZ") || begins(opcode, "R2P");
	u.elsewhere = branch;
	u.calls = begins(opcode, "CALL");
	u.always = u.guard < 0 && (begins(opcode, "EXIT") || begins(opcode, "RET") ||
				   (begins(opcode, "BRA") && !begins(opcode, "BRA.DIV")));
	while (*at && *at != ';') {
		const int place = place_at(at, &length);
		if (!length || isalnum((unsigned char)at[-1]) || at[-1] == '_' || at[-1] == '.') {
			if (*at == '[' || *at == '0' || *at == 'c' || *at == '`')
				made = true; /* no more results are named behind these */
			at++;
			continue;
		}
		const bool predicate = at[at[0] == 'U'] == 'P';
		const bool result = !made &&
				    (predicate ? predicates < 2 && at[-1] != '!' : first) &&
				    !((compares || logic) && !predicate);
		for (int k = 0; k <= (predicate ? 0 : more); k++)
			add(result ? u.destination : u.source,
			    result ? &u.destinations : &u.sources, place < 0 ? -1 : place + k);
		predicates += predicate;
		first &= predicate;
		/* a register behind the first, or a third predicate, is read */
		made |= !result;
		at += length;
	}
	return u;
}

/* Places that only some warps come to, behind a branch that is theirs: up to its target, and to
 * where those who did not jump go from there. */
static void mark_apart(bool *apart, const struct use *use, const size_t *target, size_t count,
		       size_t branch)
{
	size_t from = branch + 1, to = target[branch];
	if (to >= count)
		return;
	if (to <= branch) {
		from = to;
		to = branch + 1;
	}
	for (size_t k = from; k < to; k++) {
		apart[k] = true;
		if (use[k].elsewhere && target[k] < count && target[k] > to)
			to = target[k];
	}
}

static bool join(struct differs *to, const struct differs *from)
{
	bool changed = false;
	for (int w = 0; w < WORDS; w++) {
		changed |= (from->bit[w] & ~to->bit[w]) != 0;
		to->bit[w] |= from->bit[w];
	}
	return changed;
}

/* What is so behind the instruction. *guard: its own guard, and what else it decides by, differs.
 */
static void step(struct differs *d, const struct use *u, bool apart, bool *guard)
{
	bool any = u->own || apart;
	*guard = u->guard >= 0 && get(d, u->guard);
	for (int k = 0; k < u->sources; k++)
		any |= get(d, u->source[k]);
	if (u->elsewhere)
		*guard |= any && u->sources;
	for (int k = 0; k < u->destinations; k++)
		set(d, u->destination[k],
		    any || *guard || (u->guard >= 0 && get(d, u->destination[k])));
}

void sass_uniform(const char *const *text, const size_t *target, size_t count, bool *alike)
{
	struct differs *before = xcalloc(count + 1, sizeof(*before));
	struct use *use = xcalloc(count + 1, sizeof(*use));
	bool *apart = xcalloc(count + 1, sizeof(*apart)),
	     *marked = xcalloc(count + 1, sizeof(*marked)), again = true;

	memset(alike, 0, count * sizeof(*alike));
	memset(&before[0], 0xff, sizeof(before[0])); /* nobody has set them */
	for (size_t k = 0; k < count; k++) {
		use[k] = use_of(text[k], target[k] != SIZE_MAX);
		again &= !use[k].calls; /* what a function leaves in registers is not followed */
	}
	while (again) {
		again = false;
		for (size_t k = 0; k < count; k++) {
			struct differs d = before[k];
			bool guard;
			step(&d, &use[k], apart[k], &guard);
			alike[k] = (use[k].guard >= 0) && !guard;
			if (guard && use[k].elsewhere && !marked[k]) {
				mark_apart(apart, use, target, count, k);
				marked[k] = again = true;
			}
			if (use[k].elsewhere && target[k] < count)
				again |= join(&before[target[k]], &d) && target[k] <= k;
			if (!use[k].always && k + 1 < count)
				join(&before[k + 1], &d);
		}
	}
	free(before);
	free(use);
	free(apart);
	free(marked);
}
