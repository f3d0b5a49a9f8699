/* SPDX-License-Identifier: MIT
 * Kernel profiles that contradict themselves are refused by name, and counted.
 */
#include "traces/profiles/profile_derive.h"
#include "profile_kit.h"
#include "trace_kit.h"
#include "traces/check/trace_check.h"

static int64_t count_of(const struct trace *t, const char *kind)
{
	struct trace_anomaly anomaly[TRACE_ANOMALY_MAX];
	int64_t incomplete;
	int kinds = trace_check(t, anomaly, &incomplete);

	for (int i = 0; i < kinds; i++)
		if (strcmp(anomaly[i].kind, kind) == 0)
			return anomaly[i].count;
	fail_msg("no kind %s", kind);
	return -1;
}

static void break_version(struct trace *t)
{
	t->profile[0].version = 2;
}
static void break_isa(struct trace *t)
{
	t->profile[0].isa = trace_string(t, "sm_61");
}
static void break_isa_name(struct trace *t)
{
	t->profile[0].isa = trace_string(t, "gfx90a");
}
static void break_code(struct trace *t)
{
	t->profile_code_count = 0, t->profile_instruction_count = 0;
}
static void break_gap(struct trace *t)
{
	t->profile_code[9].offset_bytes += 16;
}
static void break_start(struct trace *t)
{
	for (size_t i = 0; i < t->profile_code_count; i++)
		t->profile_code[i].offset_bytes += 16;
}
static void break_code_twice(struct trace *t)
{
	struct trace_profile_code again = t->profile_code[2];

	*trace_add_profile_code(t) = again;
}
static void break_odd_offset(struct trace *t)
{
	t->profile_code[9].offset_bytes += 8;
}
static void break_instruction(struct trace *t)
{
	t->profile_instruction[0].offset_bytes = 16 * KIT_CODE;
}
static void break_lone_profile(struct trace *t)
{
	t->profile_instruction[0].profile = 4;
}
static void break_count_twice(struct trace *t)
{
	t->profile_instruction[1].offset_bytes = 0;
}
static void break_threads(struct trace *t)
{
	t->profile_instruction[1].threads = 16 * 32 + 1;
}
static void break_entry(struct trace *t)
{
	t->profile_instruction[0].warps = 17;
}
static void break_negative(struct trace *t)
{
	t->profile_instruction[3].tags_global = -2;
}
static void break_counter(struct trace *t)
{
	t->profile[0].l2_atomic_sectors = -7;
}
static void break_hits(struct trace *t)
{
	t->profile[0].l2_read_sectors = 100000, t->profile[0].l2_read_hits = 120000;
}
static void break_grid(struct trace *t)
{
	t->profile[0].grid[1] = 0;
}
static void break_deep_grid(struct trace *t)
{
	t->profile[0].grid[2] = 65536;
}
static void break_huge_grid(struct trace *t)
{
	t->profile[0].grid[0] = t->profile[0].grid[1] = t->profile[0].grid[2] = UINT32_MAX;
}
static void break_block(struct trace *t)
{
	t->profile[0].block[1] = 32;
}
static void break_registers(struct trace *t)
{
	t->profile[0].registers = 256;
}
static void break_id(struct trace *t)
{
	add_kit_profile(t, 3, "toy", 9, 64);
}
static void break_launch(struct trace *t)
{
	add_kit_profile(t, 4, "toy", 8, 64);
}

static void each_contradiction_is_refused_by_name_and_counted(void **state)
{
	static const struct {
		void (*break_it)(struct trace *t);
		const char *says, *kind;
	} cases[] = {
		{ break_version,
		  "x.wrt: kernel toy, WARPREEL_PROFILE, row 1: profile version 2; this program "
		  "reads 1",
		  "foreign-profiles" },
		{ break_isa, "code of 'sm_61'", "foreign-profiles" },
		{ break_isa_name, "code of 'gfx90a'", "foreign-profiles" },
		{ break_code, "no code of '_Z4toysPf'", "profile-code-gaps" },
		{ break_gap, "'_Z4toysPf' goes on at offset 160 instead of 144",
		  "profile-code-gaps" },
		{ break_start, "goes on at offset 16 instead of 0", "profile-code-gaps" },
		{ break_odd_offset, "goes on at offset 152 instead of 144", "profile-code-gaps" },
		{ break_code_twice,
		  "WARPREEL_PROFILE_CODE, row 11: '_Z4toysPf' has an instruction at offset 32 "
		  "twice",
		  "profile-code-gaps" },
		{ break_instruction,
		  "kernel toy, WARPREEL_PROFILE_COUNT, row 1: offset 160 is not in the code",
		  "orphan-profile-counts" },
		{ break_lone_profile, "WARPREEL_PROFILE_COUNT, row 1: there is no profile 4",
		  "orphan-profile-counts" },
		{ break_count_twice, "row 2: offset 0 is counted twice", "duplicate-profiles" },
		{ break_threads, "offset 16 ran in 16 warps with 513 threads",
		  "contradicting-profiles" },
		{ break_entry, "offset 0, the entry, ran in 17 warps; the grid has 16",
		  "contradicting-profiles" },
		{ break_negative, "offset 48 has a negative count", "contradicting-profiles" },
		{ break_counter, "a count is negative", "contradicting-profiles" },
		{ break_hits, "l2ReadHits is 120000 of 100000 sectors", "contradicting-profiles" },
		{ break_grid, "a grid of 8x0x1 blocks of 64x1x1 threads cannot be launched",
		  "contradicting-profiles" },
		{ break_deep_grid, "a grid of 8x1x65536 blocks", "contradicting-profiles" },
		{ break_huge_grid, "cannot be launched", "contradicting-profiles" },
		{ break_block, "blocks of 64x32x1 threads cannot be launched",
		  "contradicting-profiles" },
		{ break_registers, "256 registers a thread", "contradicting-profiles" },
		{ break_id, "row 2: a second profile 3", "duplicate-profiles" },
		{ break_launch, "rows 1 and 2 are of the same launch", "duplicate-profiles" },
	};
	struct trace t;

	(void)state;
	trace_init(&t);
	fill_profile(&t);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(count_of(&t, cases[i].kind), 0);
	trace_release(&t);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kernel_profiles all;
		char *said;

		trace_init(&t);
		fill_profile(&t);
		cases[i].break_it(&t);
		kernel_profiles_init(&all);
		hear();
		assert_int_equal(kernel_profiles_add_trace(&all, &t, "x.wrt"), -1);
		said = heard();
		if (!strstr(said, cases[i].says) || strchr(said, '\n') != strrchr(said, '\n'))
			fail_msg("'%s' is not said: %s", cases[i].says, said);
		if (count_of(&t, cases[i].kind) < 1)
			fail_msg("%s is not counted: %s", cases[i].kind, said);
		free(said);
		kernel_profiles_release(&all);
		trace_release(&t);
	}
}

static void counts_at_their_limits_are_accepted(void **state)
{
	struct kernel_profiles all;
	struct trace t;

	(void)state;
	trace_init(&t);
	fill_profile(&t);
	t.profile[0].grid[0] = 2147483647;
	t.profile[0].grid[1] = 65535;
	t.profile[0].grid[2] = 60;
	t.profile[0].block[0] = 1024;
	t.profile[0].registers = 255;
	t.profile[0].l2_read_hits = t.profile[0].l2_read_sectors + 50; /* another replay */
	t.profile_instruction[0].warps = 2147483647LL * 65535 * 60 * 32;
	t.profile_instruction[0].threads = t.profile_instruction[0].warps * 32;
	t.profile_instruction[4].warps = INT64_MAX; /* a loop may run for long */
	t.profile_instruction[4].threads = INT64_MAX;
	kernel_profiles_init(&all);
	assert_int_equal(kernel_profiles_add_trace(&all, &t, "x"), 0);
	assert_int_equal(profile_warps(&all.profile[0]), 2147483647LL * 65535 * 60 * 32);
	kernel_profiles_release(&all);
	trace_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_contradiction_is_refused_by_name_and_counted),
		cmocka_unit_test(counts_at_their_limits_are_accepted),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
