/* SPDX-License-Identifier: MIT
 * Kernel profiles by themselves: rows of any content, whatever a file would have had to get past
 * SQLite with. Joined, listed, measured, and counts of other launches derived from them.
 */
#include "fuzz_kit.h"
#include "model/device/kernel_metrics.h"
#include "traces/check/trace_check.h"
#include "traces/format/trace_schema.h"
#include "traces/profiles/profile_derive.h"
#include "traces/profiles/profile_listing.h"

enum { MOST_ROWS = 200 };

/* Real instructions, so that control flow is looked at. */
static const struct {
	uint64_t low, high;
	const char *text;
} code[] = {
	{ 0x0000000000067919, 0x000e220000002500, "S2R R6, SR_CTAID.X" },
	{ 0x000000060a087981, 0x000ea2000c1e1b00, "LDG.E.64 R8, desc[UR6][R10.64]" },
	{ 0x0000000000007b1d, 0x000fec0000010000, "BAR.SYNC.DEFER_BLOCKING 0x0" },
	{ 0x0000000a070a7221, 0x001fc40000000000, "FADD R10, R7, R10" },
	{ 0xfffffffc00d00947, 0x000fea000383ffff, "@P0 BRA 0x40" },
	{ 0x000000000000794d, 0x000fea0003800000, "EXIT" },
	{ 0x0000000000067fff, 0x000e220000002500, "QUUX.64 R6, [R2+0x10]" },
};

static void add_row(struct trace *trace, struct fuzz_bytes *b, const char *array)
{
	const struct schema_table *table = schema_tables;
	void *row;

	while (strcmp(table->array, array))
		table++;
	row = schema_add(trace, table);
	for (int i = 0; i < table->column_count; i++) {
		const struct schema_column *column = &table->column[i];

		if (!schema_is_data(column) || column->kind == COLUMN_REAL)
			continue;
		if (schema_is_text(column))
			schema_set(row, column, fuzz_byte(b) % (int64_t)trace->string_count);
		else
			schema_set(row, column, fuzz_number(b));
	}
}

static void add_code(struct trace *trace, struct fuzz_bytes *b)
{
	const uint8_t which = fuzz_byte(b) % (sizeof(code) / sizeof(code[0]));
	struct trace_profile_code *row = trace_add_profile_code(trace);

	row->symbol = fuzz_byte(b) % 4;
	row->offset_bytes = 16u * (fuzz_byte(b) & 31);
	row->code_low = (int64_t)code[which].low;
	row->code_high = (int64_t)code[which].high;
	row->text = trace_string(trace, code[which].text);
}

/* A profile that may pass: the fuzzer need not find the version. */
static void add_profile(struct trace *trace, struct fuzz_bytes *b)
{
	struct trace_profile *row;

	add_row(trace, b, "profile");
	row = &trace->profile[trace->profile_count - 1];
	row->version = WARPREEL_PROFILE_VERSION;
	row->isa = trace_string(trace, "sm_90");
	row->symbol = 1 + fuzz_byte(b) % 3;
}

static void use(const struct trace *trace, FILE *sink)
{
	struct trace_anomaly anomaly[TRACE_ANOMALY_MAX];
	struct kernel_profiles profiles;
	int64_t incomplete;

	trace_check(trace, anomaly, &incomplete);
	kernel_profiles_init(&profiles);
	if (!kernel_profiles_add_trace(&profiles, trace, "fuzz"))
		for (size_t i = 0; i < profiles.count; i++) {
			const struct kernel_profile *p = &profiles.profile[i], *nearest;
			struct launch_geometry launch = p->geometry;
			struct profile_derived derived;
			struct kernel_metrics metrics;
			bool exact;

			profile_list_text(p, sink);
			profile_list_tsv(p, sink);
			kernel_metrics(&metrics, p, NULL, 0);
			launch.block[0] = launch.block[0] == 64 ? 128 : 64;
			launch.steps = 7;
			nearest = kernel_profiles_find(&profiles, p->kernel, &launch, &exact);
			if (!nearest)
				continue;
			profile_derive(&profiles, nearest, &launch, &derived);
			profile_derived_release(&derived);
		}
	kernel_profiles_release(&profiles);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes b = { data, size };
	FILE *sink = fopen("/dev/null", "w");
	struct trace trace;

	if (!sink)
		abort();
	trace_init(&trace);
	trace_string(&trace, "toy");
	trace_string(&trace, "odd");
	trace_string(&trace, "third");
	for (int rows = 0; rows < MOST_ROWS && b.left; rows++)
		switch (fuzz_byte(&b) % 5) {
		case 0:
			add_profile(&trace, &b);
			break;
		case 1:
			add_row(&trace, &b, "profile_code");
			break;
		case 2:
			add_row(&trace, &b, "profile_instruction");
			break;
		default:
			add_code(&trace, &b);
		}
	use(&trace, sink);
	trace_release(&trace);
	fclose(sink);
	return 0;
}
