/* SPDX-License-Identifier: MIT */
#include "profile_join.h"

#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"

static uint32_t same_string(struct trace *out, const struct trace *in, uint32_t string)
{
	return trace_string(out, trace_text(in, string));
}

static bool same_shape(const struct trace_profile *a, const struct trace_profile *b)
{
	return a->kernel == b->kernel && a->symbol == b->symbol && a->isa == b->isa &&
	       a->path == b->path && a->steps == b->steps &&
	       !memcmp(a->grid, b->grid, sizeof(a->grid)) &&
	       !memcmp(a->block, b->block, sizeof(a->block)) &&
	       a->dynamic_shared_bytes == b->dynamic_shared_bytes && a->rows == b->rows &&
	       a->columns == b->columns && a->points == b->points;
}

static void fill(int64_t *to, int64_t from)
{
	if (*to < 0)
		*to = from;
}

static void fill_counters(struct trace_profile *to, const struct trace_profile *from)
{
	fill(&to->l1_load_sectors, from->l1_load_sectors);
	fill(&to->l1_load_hits, from->l1_load_hits);
	fill(&to->l1_store_sectors, from->l1_store_sectors);
	fill(&to->l2_read_sectors, from->l2_read_sectors);
	fill(&to->l2_read_hits, from->l2_read_hits);
	fill(&to->l2_write_sectors, from->l2_write_sectors);
	fill(&to->l2_write_hits, from->l2_write_hits);
	fill(&to->l2_atomic_sectors, from->l2_atomic_sectors);
	fill(&to->dram_read_bytes, from->dram_read_bytes);
	fill(&to->dram_write_bytes, from->dram_write_bytes);
	if (!to->registers) {
		to->registers = from->registers;
		to->static_shared_bytes = from->static_shared_bytes;
	}
}

static bool counted(const struct trace *t, int64_t id)
{
	for (size_t k = 0; k < t->profile_instruction_count; k++)
		if (t->profile_instruction[k].profile == id)
			return true;
	return false;
}

static void add_counts(struct trace *out, int64_t id, const struct trace *in, int64_t from)
{
	for (size_t k = 0; k < in->profile_instruction_count; k++) {
		if (in->profile_instruction[k].profile != from)
			continue;
		struct trace_profile_instruction *row = trace_add_profile_instruction(out);
		*row = in->profile_instruction[k];
		row->profile = id;
	}
}

/* Left out by `trim --counted`: no instruction has no bits. */
static bool without_bits(const struct trace_profile_code *code)
{
	return !code->code_low && !code->code_high;
}

/* The code of a symbol, once, with what one file leaves out from the other; -1 when `out` has other
 * code under that name. */
static int add_code(struct trace *out, const struct trace *in, uint32_t symbol_in, const char *file)
{
	uint32_t symbol = same_string(out, in, symbol_in);
	size_t known = 0, here = 0, before = out->profile_code_count;
	for (size_t k = 0; k < before; k++)
		known += out->profile_code[k].symbol == symbol;
	for (size_t k = 0, at = 0; k < in->profile_code_count; k++) {
		const struct trace_profile_code *code = &in->profile_code[k];
		if (code->symbol != symbol_in)
			continue;
		here++;
		if (!known) {
			struct trace_profile_code row = *code;
			row.symbol = symbol;
			row.text = same_string(out, in, code->text);
			*trace_add_profile_code(out) = row;
			continue;
		}
		while (at < before && out->profile_code[at].symbol != symbol)
			at++;
		if (at < before && without_bits(&out->profile_code[at])) {
			out->profile_code[at].code_low = code->code_low;
			out->profile_code[at].code_high = code->code_high;
			out->profile_code[at].text = same_string(out, in, code->text);
		} else if (at == before || (!without_bits(code) &&
					    (out->profile_code[at].code_low != code->code_low ||
					     out->profile_code[at].code_high != code->code_high))) {
			return report("%s: symbol '%s' has other code than in the files before",
				      file, trace_text(in, symbol_in));
		}
		at++;
	}
	if (known && here != known)
		return report("%s: symbol '%s' has %zu instructions, %zu in the files before", file,
			      trace_text(in, symbol_in), here, known);
	return 0;
}

int profile_join(struct trace *out, const struct trace *in, const char *file)
{
	int64_t next = 0;
	for (size_t k = 0; k < out->profile_count; k++)
		next = out->profile[k].id >= next ? out->profile[k].id + 1 : next;
	for (size_t k = 0; k < in->profile_count; k++) {
		struct trace_profile row = in->profile[k];
		row.kernel = same_string(out, in, row.kernel);
		row.symbol = same_string(out, in, row.symbol);
		row.isa = same_string(out, in, row.isa);
		if (add_code(out, in, in->profile[k].symbol, file))
			return -1;
		size_t at = 0;
		while (at < out->profile_count && !same_shape(&out->profile[at], &row))
			at++;
		if (at == out->profile_count) {
			int64_t from = row.id;
			row.id = next++;
			*trace_add_profile(out) = row;
			add_counts(out, row.id, in, from);
			continue;
		}
		fill_counters(&out->profile[at], &row);
		if (!counted(out, out->profile[at].id))
			add_counts(out, out->profile[at].id, in, in->profile[k].id);
	}
	return 0;
}
