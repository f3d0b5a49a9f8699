/* SPDX-License-Identifier: MIT
 * A kernel profile made by hand: real instructions, invented counts. 8 blocks of 64 threads; a loop
 * of four rounds over shared memory.
 */
#ifndef WARPREEL_PROFILE_KIT_H
#define WARPREEL_PROFILE_KIT_H

#include "traces/format/trace.h"

static const struct {
	uint64_t low, high;
	const char *text;
	int64_t warps, threads;
} kit_code[] = {
	{ 0x0000000000067919, 0x000e220000002500, "S2R R6, SR_CTAID.X", 16, 512 },
	{ 0x000000060a087981, 0x000ea2000c1e1b00, "LDG.E.64 R8, desc[UR6][R10.64]", 16, 512 },
	{ 0x0000000a09007388, 0x0041e80000000a00, "STS.64 [R9], R10", 16, 512 },
	{ 0x0000000000007b1d, 0x000fec0000010000, "BAR.SYNC.DEFER_BLOCKING 0x0", 16, 512 },
	{ 0x00039000090c7984, 0x000fe20000000a00, "LDS.64 R12, [R9+0x390]", 64, 2048 },
	{ 0x0000000a070a7221, 0x001fc40000000000, "FADD R10, R7, R10", 64, 2048 },
	{ 0xfffffffc00d00947, 0x000fc0000383ffff, "@P0 BRA 0x40", 64, 1536 },
	{ 0x0000000802007986, 0x0041e2000c101b06, "@!P1 STG.E.64 desc[UR6][R2.64], R8", 16, 448 },
	{ 0x000000000000794d, 0x000fea0003800000, "EXIT", 16, 512 },
	{ 0xfffffffc00fc7947, 0x000fc0000383ffff, "BRA 0x90", 0, 0 },
};
enum { KIT_CODE = sizeof(kit_code) / sizeof(kit_code[0]) };

static inline void add_kit_code(struct trace *t, const char *symbol)
{
	for (uint32_t i = 0; i < KIT_CODE; i++)
		*trace_add_profile_code(t) =
			(struct trace_profile_code){ .symbol = trace_string(t, symbol),
						     .offset_bytes = 16 * i,
						     .code_low = (int64_t)kit_code[i].low,
						     .code_high = (int64_t)kit_code[i].high,
						     .text = trace_string(t, kit_code[i].text) };
}

static inline void add_kit_counts(struct trace *t, int64_t id)
{
	for (uint32_t i = 0; i < KIT_CODE; i++) {
		struct trace_profile_instruction *c;

		if (!kit_code[i].warps)
			continue;
		c = trace_add_profile_instruction(t);
		*c = (struct trace_profile_instruction){ .profile = id,
							 .offset_bytes = 16 * i,
							 .warps = kit_code[i].warps,
							 .threads = kit_code[i].threads };
		if (i == 1 || i == 7) {
			c->sectors_global = i == 1 ? 128 : 224;
			c->sectors_global_ideal = i == 1 ? 128 : 112;
			c->tags_global = 32;
		}
		if (i == 2 || i == 4) {
			c->wavefronts_shared = i == 2 ? 32 : 512;
			c->wavefronts_shared_ideal = i == 2 ? 32 : 128;
		}
	}
}

static inline struct trace_profile *add_kit_profile(struct trace *t, int64_t id, const char *kernel,
						    uint32_t blocks, uint32_t threads)
{
	struct trace_profile *p = trace_add_profile(t);

	*p = (struct trace_profile){ .id = id,
				     .version = WARPREEL_PROFILE_VERSION,
				     .kernel = trace_string(t, kernel),
				     .symbol = trace_string(t, "_Z4toysPf"),
				     .isa = trace_string(t, "sm_90"),
				     .path = -1,
				     .grid = { blocks, 1, 1 },
				     .block = { threads, 1, 1 },
				     .static_shared_bytes = 1024,
				     .registers = 20,
				     .rows = 8,
				     .columns = 64,
				     .points = 512,
				     .l1_load_sectors = 128,
				     .l1_load_hits = 32,
				     .l1_store_sectors = 224,
				     .l2_read_sectors = 96,
				     .l2_read_hits = 48,
				     .l2_write_sectors = 224,
				     .l2_write_hits = 200,
				     .l2_atomic_sectors = 0,
				     .dram_read_bytes = 1536,
				     .dram_write_bytes = -1 };
	return p;
}

/* One good profile. */
static inline void fill_profile(struct trace *t)
{
	add_kit_code(t, "_Z4toysPf");
	add_kit_profile(t, 3, "toy", 8, 64);
	add_kit_counts(t, 3);
}

#endif
