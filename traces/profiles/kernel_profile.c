/* SPDX-License-Identifier: MIT */
#include "kernel_profile.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "profile_faults.h"
#include "sass.h"
#include "traces/base/trace_map.h"
#include "traces/base/demangle.h"
#include "traces/base/util.h"

enum { INSTRUCTION_BYTES = 16, INSTRUCTIONS_MAX = 4000000 };

void kernel_profiles_init(struct kernel_profiles *profiles)
{
	memset(profiles, 0, sizeof(*profiles));
}

static void release_profile(struct kernel_profile *profile)
{
	free(profile->kernel);
	free(profile->symbol);
	free(profile->isa);
	free(profile->instruction);
}

void kernel_profiles_release(struct kernel_profiles *profiles)
{
	for (size_t i = 0; i < profiles->count; i++)
		release_profile(&profiles->profile[i]);
	for (size_t i = 0; i < profiles->text_count; i++)
		free(profiles->text[i]);
	free(profiles->profile);
	free(profiles->text);
	free(profiles->source);
	memset(profiles, 0, sizeof(*profiles));
}

/* ---- from a trace ---- */

struct loading {
	struct kernel_profiles *profiles;
	const struct trace *t;
	char *first_fault;
	size_t fault_count;
	uint32_t *texts; /* string of the trace -> index in profiles->text, MAP_NONE = not there yet
			  */
	struct map code; /* (symbol, place) -> row of WARPREEL_PROFILE_CODE */
	struct map lengths; /* symbol -> instructions */
	struct map ids;	    /* profile id -> index in profiles->profile */
};

static void keep_first(void *context, enum profile_fault kind, const char *what)
{
	struct loading *l = context;

	(void)kind;
	if (l->fault_count++ == 0)
		l->first_fault = xstrdup(what);
}

static const char *keep_text(struct loading *l, uint32_t string)
{
	struct kernel_profiles *all = l->profiles;
	uint32_t at = l->texts[string];

	if (at == MAP_NONE) {
		at = l->texts[string] = (uint32_t)all->text_count;
		GROW(all->text, all->text_count, all->text_capacity);
		all->text[all->text_count++] = xstrdup(trace_text(l->t, string));
	}
	return all->text[at];
}

/* The code was found without gaps, so that an offset is a place. */
static void index_code(struct loading *l)
{
	for (size_t i = 0; i < l->t->profile_code_count; i++) {
		const struct trace_profile_code *code = &l->t->profile_code[i];
		uint32_t length = map_intern(&l->lengths, code->symbol, 0, 0);

		map_put(&l->lengths, code->symbol, 0, length + 1);
		map_put(&l->code, code->symbol, code->offset_bytes / INSTRUCTION_BYTES,
			(uint32_t)i);
	}
}

static void load_code(struct loading *l, struct kernel_profile *profile, uint32_t symbol)
{
	profile->instruction_count = map_get(&l->lengths, symbol, 0);
	profile->instruction = xcalloc(profile->instruction_count, sizeof(*profile->instruction));
	for (size_t i = 0; i < profile->instruction_count; i++) {
		const struct trace_profile_code *code =
			&l->t->profile_code[map_get(&l->code, symbol, (int64_t)i)];

		profile->instruction[i] = (struct profile_instruction){
			.offset = code->offset_bytes,
			.code = { (uint64_t)code->code_low, (uint64_t)code->code_high },
			.text = keep_text(l, code->text),
			.warps = -1,
			.threads = -1,
			.sectors_global = -1,
			.sectors_global_ideal = -1,
			.tags_global = -1,
			.sectors_local = -1,
			.wavefronts_shared = -1,
			.wavefronts_shared_ideal = -1,
		};
	}
}

/* An instruction that has no counts did not run, if any of its profile has some. */
static void load_counts(struct loading *l)
{
	const struct trace *t = l->t;
	struct kernel_profiles *all = l->profiles;
	bool *counted = xcalloc(all->count + 1, sizeof(*counted));

	for (size_t i = 0; i < t->profile_instruction_count; i++) {
		const struct trace_profile_instruction *from = &t->profile_instruction[i];
		uint32_t at = i && from->profile == from[-1].profile
				      ? MAP_NONE
				      : map_get(&l->ids, from->profile, 0);

		if (at == MAP_NONE || counted[at])
			continue;
		counted[at] = true;
		for (size_t k = 0; k < all->profile[at].instruction_count; k++) {
			struct profile_instruction *to = &all->profile[at].instruction[k];

			to->warps = to->threads = to->sectors_global = to->sectors_global_ideal =
				to->tags_global = to->sectors_local = to->wavefronts_shared =
					to->wavefronts_shared_ideal = 0;
		}
	}
	free(counted);
	uint32_t at = MAP_NONE;
	for (size_t i = 0; i < t->profile_instruction_count; i++) {
		const struct trace_profile_instruction *from = &t->profile_instruction[i];

		if (!i || from->profile != from[-1].profile)
			at = map_get(&l->ids, from->profile, 0);
		struct profile_instruction *to =
			&all->profile[at].instruction[from->offset_bytes / INSTRUCTION_BYTES];
		to->warps = from->warps;
		to->threads = from->threads;
		to->sectors_global = from->sectors_global;
		to->sectors_global_ideal = from->sectors_global_ideal;
		to->tags_global = from->tags_global;
		to->sectors_local = from->sectors_local;
		to->wavefronts_shared = from->wavefronts_shared;
		to->wavefronts_shared_ideal = from->wavefronts_shared_ideal;
	}
}

/* What a program's own kernels are called is in their symbols. */
static char *name_of(const struct trace *t, const struct trace_profile *row)
{
	if (row->kernel && row->kernel != row->symbol)
		return xstrdup(trace_text(t, row->kernel));
	char *full = demangle(trace_text(t, row->symbol)), *name = kernel_plain_name(full);

	free(full);
	return name;
}

static void load_profile(struct loading *l, const struct trace_profile *row)
{
	struct kernel_profiles *all = l->profiles;
	struct kernel_profile *profile;

	GROW(all->profile, all->count, all->capacity);
	profile = &all->profile[all->count++];
	*profile = (struct kernel_profile){
		.kernel = name_of(l->t, row),
		.symbol = xstrdup(trace_text(l->t, row->symbol)),
		.isa = xstrdup(trace_text(l->t, row->isa)),
		.derived = trace_get_meta(l->t, "derived") != NULL,
		.geometry = { .shared_bytes = row->dynamic_shared_bytes,
			      .path = row->path,
			      .steps = row->steps },
		.rows = row->rows,
		.columns = row->columns,
		.points = row->points,
		.static_shared_bytes = row->static_shared_bytes,
		.registers = row->registers,
		.l1_load_sectors = row->l1_load_sectors,
		.l1_load_hits = row->l1_load_hits,
		.l1_store_sectors = row->l1_store_sectors,
		.l2_read_sectors = row->l2_read_sectors,
		.l2_read_hits = row->l2_read_hits,
		.l2_write_sectors = row->l2_write_sectors,
		.l2_write_hits = row->l2_write_hits,
		.l2_atomic_sectors = row->l2_atomic_sectors,
		.dram_read_bytes = row->dram_read_bytes,
		.dram_write_bytes = row->dram_write_bytes,
	};
	memcpy(profile->geometry.grid, row->grid, sizeof(row->grid));
	memcpy(profile->geometry.block, row->block, sizeof(row->block));
	map_put(&l->ids, row->id, 0, (uint32_t)(all->count - 1));
	load_code(l, profile, row->symbol);
}

/* Profiles of two files: of one instruction set, each launch once. */
static int check_against(const struct kernel_profiles *all, size_t known, const char *file)
{
	for (size_t i = known; i < all->count; i++) {
		const struct kernel_profile *p = &all->profile[i];

		if (strcmp(p->isa, all->profile[0].isa) != 0)
			return report("%s: kernel %s: code of %s, but the profiles of %s are of %s",
				      file, p->kernel, p->isa, all->source ? all->source : file,
				      all->profile[0].isa);
		for (size_t k = 0; k < known; k++) {
			const struct kernel_profile *q = &all->profile[k];

			if (strcmp(p->kernel, q->kernel) == 0 &&
			    strcmp(p->symbol, q->symbol) == 0 &&
			    memcmp(&p->geometry, &q->geometry, sizeof(p->geometry)) == 0 &&
			    p->rows == q->rows && p->columns == q->columns &&
			    p->points == q->points)
				return report("%s: kernel %s: a launch that %s has, too", file,
					      p->kernel, all->source);
		}
	}
	return 0;
}

/* Code is stored once a symbol and held once a profile: a small file could ask for a lot of memory.
 */
static int check_size(const struct loading *l, const char *file)
{
	size_t instructions = 0;

	for (size_t i = 0; i < l->t->profile_count; i++) {
		instructions += map_get(&l->lengths, l->t->profile[i].symbol, 0);
		if (instructions > INSTRUCTIONS_MAX)
			return report("%s: more than %d instructions in its kernel profiles", file,
				      INSTRUCTIONS_MAX);
	}
	return 0;
}

static int load_all(struct loading *l, const char *file)
{
	struct kernel_profiles *all = l->profiles;
	size_t known = all->count;

	profile_faults(l->t, keep_first, l);
	if (l->fault_count == 1)
		return report("%s: %s", file, l->first_fault);
	if (l->fault_count)
		return report("%s: %s (and %zu more faults; 'warpreel check' counts them)", file,
			      l->first_fault, l->fault_count - 1);
	index_code(l);
	if (check_size(l, file) < 0)
		return -1;
	for (size_t i = 0; i < l->t->profile_count; i++)
		load_profile(l, &l->t->profile[i]);
	load_counts(l);
	for (size_t i = known; i < all->count; i++)
		kernel_profile_mend_sectors(&all->profile[i]);
	return check_against(all, known, file);
}

int kernel_profiles_add_part(struct kernel_profiles *profiles, const struct trace *trace,
			     const char *file)
{
	struct loading l = { .profiles = profiles,
			     .t = trace,
			     .texts = xmalloc((trace->string_count + 1) * sizeof(*l.texts)) };
	memset(l.texts, 0xff, trace->string_count * sizeof(*l.texts)); /* every one MAP_NONE */
	int rc = load_all(&l, file);

	free(l.first_fault);
	free(l.texts);
	map_release(&l.code);
	map_release(&l.lengths);
	map_release(&l.ids);
	return rc;
}

int kernel_profiles_add_trace(struct kernel_profiles *profiles, const struct trace *trace,
			      const char *file)
{
	char *source;

	if (kernel_profiles_add_part(profiles, trace, file) < 0)
		return -1;
	source = profiles->source ? xprintf("%s,%s", profiles->source, file) : xstrdup(file);
	free(profiles->source);
	profiles->source = source;
	return 0;
}

int kernel_profiles_add_file(struct kernel_profiles *profiles, const char *path)
{
	struct trace trace;
	int rc;

	trace_init(&trace);
	rc = trace_read(&trace, path, 0);
	if (rc == 0 && trace.profile_count == 0)
		rc = report("%s: holds no kernel profiles", path);
	if (rc == 0)
		rc = kernel_profiles_add_trace(profiles, &trace, path);
	trace_release(&trace);
	return rc;
}

void kernel_profiles_drop(struct kernel_profiles *profiles, const char *kernel,
			  const struct launch_geometry *geometry)
{
	size_t kept = 0;

	for (size_t i = 0; i < profiles->count; i++) {
		struct kernel_profile *p = &profiles->profile[i];

		if (strcmp(p->kernel, kernel) == 0 &&
		    memcmp(p->geometry.grid, geometry->grid, sizeof(geometry->grid)) == 0 &&
		    memcmp(p->geometry.block, geometry->block, sizeof(geometry->block)) == 0 &&
		    p->geometry.path == geometry->path && p->geometry.steps == geometry->steps)
			release_profile(p);
		else
			profiles->profile[kept++] = *p;
	}
	profiles->count = kept;
}

/* ---- questions ---- */

int64_t profile_block_threads(const struct kernel_profile *profile)
{
	const uint32_t *block = profile->geometry.block;

	return (int64_t)block[0] * block[1] * block[2];
}

int64_t profile_warps(const struct kernel_profile *profile)
{
	return profile_grid_warps(profile->geometry.grid, profile->geometry.block);
}

int profile_unknown_opcodes(const struct kernel_profile *profile, char **names, int64_t *executed)
{
	char *list = NULL;
	int count = 0;

	*executed = 0;
	for (size_t i = 0; i < profile->instruction_count; i++) {
		const struct profile_instruction *at = &profile->instruction[i];
		struct sass_instruction decoded;
		char opcode[16], *longer;
		bool seen = false;

		sass_decode(&decoded, at->text, at->code, at->offset);
		if (decoded.known || at->warps == 0)
			continue;
		*executed += at->warps > 0 ? at->warps : 0;
		sass_opcode(at->text, opcode);
		for (const char *name = list; name && !seen;
		     name = strstr(name, ", ") ? strstr(name, ", ") + 2 : NULL)
			seen = strncmp(name, opcode, strlen(opcode)) == 0 &&
			       strchr(",", name[strlen(opcode)]);
		if (seen)
			continue;
		longer = list ? xprintf("%s, %s", list, opcode)
			      : xstrdup(*opcode ? opcode : "(no text)");
		free(list);
		list = longer;
		count++;
	}
	*names = list;
	return count;
}
