/* SPDX-License-Identifier: MIT
 * Joins the passes of a launch shape, and writes the profile tables.
 */
#include "profile_merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cubin.h"
#include "traces/base/util.h"

static const struct {
	const char *name;
	bool sass;
	size_t field;
} metrics[] = {
#define SASS_METRIC(field, name, other)                                                            \
	{ name, true, offsetof(struct trace_profile_instruction, field) },
#define COUNTER_METRIC(field, name, other) { name, false, offsetof(struct trace_profile, field) },
#include "profile_metrics.def"
#undef SASS_METRIC
#undef COUNTER_METRIC
};
enum { METRIC_COUNT = sizeof(metrics) / sizeof(metrics[0]) };
_Static_assert(sizeof(metrics) / sizeof(metrics[0]) <= METRICS_MAX, "metrics are bits of a mask");

/* Bits of the metrics that are of instructions, or of the launch. */
static uint64_t metrics_of(bool of_instructions)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < METRIC_COUNT; i++)
		bits |= metrics[i].sass == of_instructions ? 1ull << i : 0;
	return bits;
}

uint64_t profile_merge_expected(const struct profile_merge *merge, bool of_instructions)
{
	const uint64_t kind = metrics_of(of_instructions);
	uint64_t any = 0;

	for (size_t i = 0; i < merge->shape_count; i++)
		any |= merge->shape[i].measured & kind;
	return merge->whole[of_instructions] || !merge->asked[of_instructions] ? any : kind;
}

void profile_merge_init(struct profile_merge *merge, struct trace *trace)
{
	*merge = (struct profile_merge){ .trace = trace };
}

void profile_merge_release(struct profile_merge *merge)
{
	for (size_t i = 0; i < merge->shape_count; i++)
		free(merge->shape[i].count);
	for (size_t i = 0; i < merge->module_count; i++) {
		disassembly_release(&merge->module[i].code);
		free(merge->module[i].data);
	}
	free(merge->shape);
	free(merge->module);
	memset(merge, 0, sizeof(*merge));
}

/* ---- in ---- */

static bool same_launch(const struct merged_shape *a, const struct merged_shape *b)
{
	return a->symbol == b->symbol && a->kernel == b->kernel &&
	       !memcmp(a->grid, b->grid, sizeof(a->grid)) &&
	       !memcmp(a->block, b->block, sizeof(a->block)) &&
	       a->dynamic_shared_bytes == b->dynamic_shared_bytes && a->path == b->path &&
	       a->steps == b->steps;
}

/* Index of the shape that a record of the spool belongs to. */
static size_t place_shape(struct profile_merge *merge, const struct spool *spool,
			  const struct spool_profile_shape *in)
{
	struct merged_shape shape = {
		.symbol = trace_string(merge->trace, spool_text(spool, in->symbol)),
		.kernel = trace_string(merge->trace, spool_text(spool, in->kernel)),
		.dynamic_shared_bytes = in->dynamic_shared_bytes,
		.static_shared_bytes = in->static_shared_bytes,
		.registers = in->registers,
		.path = in->path,
		.steps = (int32_t)(in->steps_plus_one - 1),
		.compute_major = in->compute_major,
		.compute_minor = in->compute_minor,
		.rows = in->rows,
		.columns = in->columns,
		.points = in->points
	};

	memcpy(shape.grid, in->grid, sizeof(shape.grid));
	memcpy(shape.block, in->block, sizeof(shape.block));
	for (size_t i = 0; i < merge->shape_count; i++)
		if (same_launch(&merge->shape[i], &shape))
			return i;
	GROW(merge->shape, merge->shape_count, merge->shape_capacity);
	merge->shape[merge->shape_count] = shape;
	return merge->shape_count++;
}

/* Of each shape of a spool: where it went, and which metrics this spool is the first to bring. */
struct placed {
	bool known;
	uint32_t number;
	size_t at;
	uint64_t added;
};

static int compare_placed(const void *a, const void *b)
{
	uint32_t x = ((const struct placed *)a)->number, y = ((const struct placed *)b)->number;

	return (x > y) - (x < y);
}

static const struct placed *find_placed(const struct placed *list, size_t count, uint32_t number)
{
	struct placed key = { .number = number };

	return count ? bsearch(&key, list, count, sizeof(*list), compare_placed) : NULL;
}

static void take_values(struct profile_merge *merge, const struct spool *spool,
			const struct placed *placed, size_t placed_count)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < spool->profile_instruction_count; i++) {
		const struct spool_profile_instruction *in = &spool->profile_instruction[i];
		const struct placed *place = find_placed(placed, placed_count, in->shape);
		struct merged_shape *shape;

		if (!place || in->metric >= METRIC_COUNT || !metrics[in->metric].sass) {
			lost++;
			continue;
		}
		if (!(place->added >> in->metric & 1))
			continue;
		shape = &merge->shape[place->at];
		GROW(shape->count, shape->count_count, shape->count_capacity);
		shape->count[shape->count_count++] =
			(struct merged_count){ trace_string(merge->trace,
							    spool_text(spool, in->function)),
					       in->metric, in->offset, in->cubin_crc, in->value };
	}
	for (size_t i = 0; i < spool->profile_counter_count; i++) {
		const struct spool_profile_counter *in = &spool->profile_counter[i];
		const struct placed *place = find_placed(placed, placed_count, in->shape);

		if (!place || in->metric >= METRIC_COUNT || metrics[in->metric].sass ||
		    in->value > INT64_MAX)
			lost++;
		else if (place->added >> in->metric & 1)
			merge->shape[place->at].counter[in->metric] = (int64_t)in->value;
	}
	spool_lose(merge->trace, "lost-counts", lost, "counts of no known launch or metric");
}

static void take_modules(struct profile_merge *merge, struct spool *spool)
{
	for (size_t i = 0; i < spool->cubin_count; i++) {
		struct spool_cubin *in = &spool->cubin[i];
		bool known = false;

		for (size_t j = 0; j < merge->module_count && !known; j++)
			known = merge->module[j].bytes == in->bytes &&
				!memcmp(merge->module[j].data, in->data, in->bytes);
		if (known)
			continue;
		GROW(merge->module, merge->module_count, merge->module_capacity);
		merge->module[merge->module_count++] = (struct merged_module){ .crc = in->crc,
									       .bytes = in->bytes,
									       .data = in->data };
		in->data = NULL;
	}
}

/* What is missing in the spool itself. */
static void take_losses(struct trace *trace, const struct spool *spool)
{
	for (size_t i = 0; i < spool->meta_count; i++)
		trace_set_meta(trace, spool_text(spool, spool->meta[i].key),
			       spool_text(spool, spool->meta[i].value));
	for (size_t i = 0; i < spool->loss_count; i++)
		spool_lose(trace, spool_text(spool, spool->loss[i].kind), spool->loss[i].count,
			   spool_text(spool, spool->loss[i].detail));
	spool_lose_damage(trace, spool);
}

/* Whether each pass that the spool's run needed was made of some launch. */
static void note_passes(struct profile_merge *merge, const struct spool *spool)
{
	const uint64_t sass = metrics_of(true);
	uint64_t made[2] = { 0 }, needed[2] = { 0 };

	for (size_t i = 0; i < spool->profile_pass_count; i++) {
		const struct spool_profile_pass *pass = &spool->profile_pass[i];
		const bool of_instructions = (pass->metrics & sass) != 0;

		if (!pass->metrics || !pass->passes || pass->passes > METRICS_MAX ||
		    pass->pass >= pass->passes)
			continue;
		made[of_instructions] |= 1ull << pass->pass;
		needed[of_instructions] |= ~0ull >> (METRICS_MAX - pass->passes);
	}
	for (int kind = 0; kind < 2; kind++)
		merge->whole[kind] |= needed[kind] && made[kind] == needed[kind];
}

void profile_merge_add(struct profile_merge *merge, struct spool *spool)
{
	struct placed *placed = xcalloc(spool->profile_shape_count + 1, sizeof(*placed));
	size_t count = spool->profile_shape_count;

	for (size_t i = 0; i < count; i++)
		placed[i] = (struct placed){ .known = true,
					     .number = spool->profile_shape[i].shape,
					     .at = place_shape(merge, spool,
							       &spool->profile_shape[i]) };
	qsort(placed, count, sizeof(*placed), compare_placed);
	for (size_t i = 0; i < spool->profile_pass_count; i++) {
		const struct spool_profile_pass *pass = &spool->profile_pass[i];
		struct placed *place =
			(struct placed *)(uintptr_t)find_placed(placed, count, pass->shape);
		struct merged_shape *shape = place ? &merge->shape[place->at] : NULL;

		if (!shape)
			continue;
		place->added |= pass->metrics & ~shape->measured;
		shape->measured |= pass->metrics;
	}
	note_passes(merge, spool);
	take_values(merge, spool, placed, count);
	take_modules(merge, spool);
	take_losses(merge->trace, spool);
	free(placed);
}

/* ---- out ---- */

static const char *shape_name(const struct profile_merge *merge, const struct merged_shape *shape)
{
	return trace_text(merge->trace, shape->kernel ? shape->kernel : shape->symbol);
}

/* The code of a symbol, and the module it is in: the one that CUPTI counted in. NULL: there is
 * none. */
static const struct disassembled_function *code_of(struct profile_merge *merge,
						   const struct merged_shape *shape,
						   const struct merged_module **module)
{
	const struct disassembled_function *best = NULL;

	for (size_t i = 0; i < merge->module_count; i++) {
		const struct disassembled_function *function = disassembly_find(
			&merge->module[i].code, trace_text(merge->trace, shape->symbol));
		bool counted = shape->count_count && (uint32_t)shape->count[0].cubin_crc ==
							     (uint32_t)merge->module[i].crc;

		if (function && (!best || counted)) {
			best = function;
			*module = &merge->module[i];
		}
	}
	return best;
}

/* What the driver did not say, the module does. */
static void find_resources(struct profile_merge *merge, struct merged_shape *shape,
			   const struct merged_module *module)
{
	struct cubin_resources resources;

	if ((shape->registers != SPOOL_NONE && shape->static_shared_bytes != SPOOL_NONE) ||
	    cubin_find(module->data, module->bytes, trace_text(merge->trace, shape->symbol),
		       &resources))
		return;
	if (shape->registers == SPOOL_NONE)
		shape->registers = resources.registers;
	if (shape->static_shared_bytes == SPOOL_NONE)
		shape->static_shared_bytes = resources.static_shared_bytes;
}

/* A sum of metrics is known when each of them is. */
static void write_counters(const struct merged_shape *shape, struct trace_profile *out)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (!metrics[i].sass)
			*(int64_t *)((char *)out + metrics[i].field) = 0;
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		int64_t *field = (int64_t *)((char *)out + metrics[i].field);

		if (metrics[i].sass || *field < 0)
			continue;
		if (!(shape->measured >> i & 1) || *field > INT64_MAX - shape->counter[i])
			*field = -1;
		else
			*field += shape->counter[i];
	}
}

/* Counts of a part of the function that has a name of its own lie at that part. -1: nowhere in the
 * code. */
static int64_t offset_in(const struct profile_merge *merge,
			 const struct disassembled_function *code, const struct merged_count *count,
			 uint32_t symbol)
{
	int64_t base = count->function == symbol
			       ? 0
			       : disassembled_part(code, trace_text(merge->trace, count->function));
	int64_t offset = base + count->offset;

	if (base < 0 || offset % 16 || (uint64_t)offset / 16 >= code->instruction_count)
		return -1;
	return offset;
}

static void write_counts(struct profile_merge *merge, const struct merged_shape *shape,
			 const struct disassembled_function *code, int64_t id)
{
	struct trace_profile_instruction *row = xcalloc(code->instruction_count + 1, sizeof(*row));
	bool *ran = xcalloc(code->instruction_count + 1, sizeof(*ran));
	uint64_t outside = 0;

	for (size_t i = 0; i < code->instruction_count; i++) {
		row[i].profile = id;
		row[i].offset_bytes = (uint32_t)(i * 16);
		for (unsigned m = 0; m < METRIC_COUNT; m++)
			if (metrics[m].sass && !(shape->measured >> m & 1))
				*(int64_t *)((char *)&row[i] + metrics[m].field) = -1;
	}
	for (size_t i = 0; i < shape->count_count; i++) {
		const struct merged_count *count = &shape->count[i];
		int64_t offset = offset_in(merge, code, count, shape->symbol), *field;

		if (offset < 0) {
			outside++;
			continue;
		}
		field = (int64_t *)((char *)&row[offset / 16] + metrics[count->metric].field);
		if (*field >= 0 && count->value <= (uint64_t)(INT64_MAX - *field)) {
			*field += (int64_t)count->value;
			ran[offset / 16] = true;
		}
	}
	for (size_t i = 0; i < code->instruction_count; i++)
		if (ran[i])
			*trace_add_profile_instruction(merge->trace) = row[i];
	spool_lose(merge->trace, "counts-outside", outside,
		   "counts of instructions that the code of their function does not have");
	free(row);
	free(ran);
}

static void write_code(struct profile_merge *merge, uint32_t symbol,
		       const struct disassembled_function *code)
{
	for (size_t i = 0; i < code->instruction_count; i++) {
		struct trace_profile_code *row = trace_add_profile_code(merge->trace);

		row->symbol = symbol;
		row->offset_bytes = code->instruction[i].offset;
		row->code_low = (int64_t)code->instruction[i].code[0];
		row->code_high = (int64_t)code->instruction[i].code[1];
		row->text = trace_string(merge->trace, code->instruction[i].text);
	}
}

static bool code_written(const struct profile_merge *merge, size_t before)
{
	for (size_t i = 0; i < before; i++)
		if (merge->shape[i].symbol == merge->shape[before].symbol)
			return true;
	return false;
}

static void write_shape(struct profile_merge *merge, size_t at)
{
	struct merged_shape *shape = &merge->shape[at];
	const struct merged_module *module = NULL;
	const struct disassembled_function *code = code_of(merge, shape, &module);
	struct trace_profile *out = trace_add_profile(merge->trace);
	int64_t id = (int64_t)merge->trace->profile_count;
	char *isa = xprintf("sm_%u%u", shape->compute_major, shape->compute_minor);

	if (module)
		find_resources(merge, shape, module);
	*out = (struct trace_profile){
		.id = id,
		.version = WARPREEL_PROFILE_VERSION,
		.kernel = shape->kernel ? shape->kernel : shape->symbol,
		.symbol = shape->symbol,
		.isa = trace_string(merge->trace, isa),
		.path = shape->path,
		.steps = shape->steps,
		.static_shared_bytes =
			shape->static_shared_bytes == SPOOL_NONE ? 0 : shape->static_shared_bytes,
		.dynamic_shared_bytes = shape->dynamic_shared_bytes,
		.registers = shape->registers == SPOOL_NONE ? 0 : shape->registers,
		.rows = shape->rows,
		.columns = shape->columns,
		.points = shape->points
	};
	memcpy(out->grid, shape->grid, sizeof(out->grid));
	memcpy(out->block, shape->block, sizeof(out->block));
	write_counters(shape, out);
	if (!code) {
		spool_lose(merge->trace, "no-code", 1, shape_name(merge, shape));
	} else {
		if (!code_written(merge, at))
			write_code(merge, shape->symbol, code);
		write_counts(merge, shape, code, id);
	}
	free(isa);
}

/* How many metrics of one kind every shape lacks. */
static void account(struct profile_merge *merge)
{
	uint64_t shapes = 0, resources = 0;
	const char *first = NULL;
	char *detail;

	for (size_t i = 0; i < merge->shape_count; i++) {
		const struct merged_shape *shape = &merge->shape[i];

		resources +=
			shape->registers == SPOOL_NONE || shape->static_shared_bytes == SPOOL_NONE;
		if (!(shape->expected & ~shape->measured))
			continue;
		shapes++;
		if (!first)
			first = shape_name(merge, shape);
	}
	spool_lose(
		merge->trace, "unknown-resources", resources,
		"kernels whose registers and static shared memory neither driver nor module says");
	if (!shapes)
		return;
	detail = xprintf("launch shapes not measured whole, launched too few times or measured in "
			 "vain: %s first",
			 first);
	spool_lose(merge->trace, "incomplete-profiles", shapes, detail);
	free(detail);
}

static void expect(struct profile_merge *merge)
{
	const uint64_t expected =
		profile_merge_expected(merge, true) | profile_merge_expected(merge, false);

	for (size_t i = 0; i < merge->shape_count; i++)
		merge->shape[i].expected = expected;
}

int profile_merge_write(struct profile_merge *merge, const char *tool, disassemble_fn *disassemble)
{
	for (size_t i = 0; i < merge->module_count; i++)
		if (disassemble(&merge->module[i].code, tool, merge->module[i].data,
				merge->module[i].bytes))
			return -1;
	expect(merge);
	for (size_t i = 0; i < merge->shape_count; i++)
		write_shape(merge, i);
	account(merge);
	return 0;
}
