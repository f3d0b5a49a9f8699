/* SPDX-License-Identifier: MIT
 * From what profiling leaves in spools to the profile tables: passes of two runs joined, counts put
 * where they belong, what is missing counted. No GPU, and no disassembler: the modules here are
 * listings.
 */
#include <stdlib.h>

#include "traces/profiles/profile_merge.h"
#include "support.h"

enum { SHAPE = 7, SYMBOL = 1, KERNEL, PART, OTHER, COMPILED };
enum {
	WARPS,
	THREADS,
	SECTORS,
	L1_LOADS = 8,
	L1_HITS,
	LOCAL_LOADS,
	LOCAL_HITS,
	DRAM_READ = 20
}; /* the order of profile_metrics.def */
#define BIT(metric) (1ull << (metric))

static const char listing[] = "\t.section\t.text._Z1kPf,\"ax\",@progbits\n"
			      "        /*0000*/ NOP ; /* 0x0000000000007918 */\n"
			      "                       /* 0x000fc00000000000 */\n"
			      "$_Z1kPf$f:\n"
			      "        /*0010*/ NOP ; /* 0x0000000000007918 */\n"
			      "                       /* 0x000fc00000000000 */\n"
			      "        /*0020*/ EXIT ; /* 0x000000000000794d */\n"
			      "                       /* 0x800fea0003800000 */\n";

static int read_listing(struct disassembly *code, const char *tool, const void *cubin, size_t bytes)
{
	char *text = xprintf("%.*s", (int)bytes, (const char *)cubin);
	int result = disassembly_read(code, text, tool);

	free(text);
	return result;
}

/* A spool as spool_read leaves it. */
#define ADD(spool, name, ...)                                                                      \
	do {                                                                                       \
		GROW((spool)->name, (spool)->name##_count, (spool)->name##_capacity);              \
		(spool)->name[(spool)->name##_count++] = (struct spool_##name){ __VA_ARGS__ };     \
	} while (0)

static void begin(struct spool *spool)
{
	static const char *const text[] = { "",		 "_Z1kPf",    "our_kernel",
					    "$_Z1kPf$f", "_Z5otherv", "k" };

	memset(spool, 0, sizeof(*spool));
	spool->string_count = sizeof(text) / sizeof(text[0]);
	spool->string = xcalloc(spool->string_count, sizeof(*spool->string));
	for (size_t i = 0; i < spool->string_count; i++)
		spool->string[i] = xstrdup(text[i]);
	spool->ended = true;
}

static void add_shape(struct spool *spool, uint32_t number, uint32_t grid)
{
	ADD(spool, profile_shape, .shape = number, .symbol = SYMBOL, .kernel = KERNEL,
	    .grid = { grid, 1, 1 }, .block = { 32, 1, 1 }, .registers = 24,
	    .static_shared_bytes = 128, .path = -1, .compute_major = 9, .rows = 10, .columns = 20,
	    .points = 200);
}

static void add_module(struct spool *spool)
{
	GROW(spool->cubin, spool->cubin_count, spool->cubin_capacity);
	spool->cubin[spool->cubin_count++] =
		(struct spool_cubin){ 99, sizeof(listing) - 1, (unsigned char *)xstrdup(listing) };
}

/* One launch shape, with its code. */
static void begin_shape(struct spool *spool)
{
	begin(spool);
	add_shape(spool, SHAPE, 4);
	add_module(spool);
}

static void count(struct spool *spool, uint32_t function, uint32_t metric, uint32_t offset,
		  uint64_t value)
{
	ADD(spool, profile_instruction, .shape = SHAPE, .function = function, .metric = metric,
	    .cubin_crc = 99, .offset = offset, .value = value);
}

/* Joins spools and writes the tables; the caller releases the trace. */
static void join(struct trace *trace, struct spool *spools, size_t spool_count)
{
	struct profile_merge merge;

	trace_init(trace);
	profile_merge_init(&merge, trace);
	for (size_t i = 0; i < spool_count; i++) {
		profile_merge_add(&merge, &spools[i]);
		spool_release(&spools[i]);
	}
	assert_int_equal(profile_merge_write(&merge, "listing", read_listing), 0);
	profile_merge_release(&merge);
}

static void loops_of_other_lengths_are_other_profiles(void **state)
{
	struct spool spool;
	struct trace trace;

	(void)state;
	begin(&spool);
	for (uint32_t k = 0; k < 4; k++) { /* the first is of a recorder that knew no steps */
		add_shape(&spool, k, 4);
		spool.profile_shape[k].steps_plus_one = k < 3 ? k : 2;
		ADD(&spool, profile_pass, .shape = k, .metrics = BIT(WARPS), .passes = 1);
	}
	add_module(&spool);
	join(&trace, &spool, 1);
	assert_int_equal(trace.profile_count, 3);
	for (int32_t k = 0; k < 3; k++)
		assert_int_equal(trace.profile[k].steps, k - 1);
	trace_release(&trace);
}

static void two_runs_become_one_profile(void **state)
{
	struct spool spool[2];
	struct trace trace;

	(void)state;
	begin_shape(&spool[0]);
	count(&spool[0], SYMBOL, WARPS, 0, 4);
	count(&spool[0], SYMBOL, WARPS, 0x20, 4);
	count(&spool[0], PART, WARPS, 0, 3);
	ADD(&spool[0], profile_pass, .shape = SHAPE, .metrics = BIT(WARPS), .pass = 0, .passes = 2);
	count(&spool[0], SYMBOL, THREADS, 0, 100);
	ADD(&spool[0], profile_pass, .shape = SHAPE, .metrics = BIT(THREADS), .pass = 1,
	    .passes = 2);
	begin(&spool[1]);
	add_shape(&spool[1], 0, 4);
	add_module(&spool[1]);
	ADD(&spool[1], profile_counter, .shape = 0, .metric = DRAM_READ, .value = 5000000000);
	ADD(&spool[1], profile_counter, .shape = 0, .metric = L1_LOADS, .value = 30);
	ADD(&spool[1], profile_counter, .shape = 0, .metric = LOCAL_LOADS, .value = 12);
	ADD(&spool[1], profile_counter, .shape = 0, .metric = L1_HITS, .value = 9);
	ADD(&spool[1], profile_pass, .shape = 0,
	    .metrics = BIT(DRAM_READ) | BIT(L1_LOADS) | BIT(LOCAL_LOADS) | BIT(L1_HITS),
	    .passes = 1);
	join(&trace, spool, 2);

	assert_int_equal(trace.profile_count, 1);
	assert_string_equal(trace_text(&trace, trace.profile[0].kernel), "our_kernel");
	assert_string_equal(trace_text(&trace, trace.profile[0].symbol), "_Z1kPf");
	assert_string_equal(trace_text(&trace, trace.profile[0].isa), "sm_90");
	assert_int_equal(trace.profile[0].registers, 24);
	assert_int_equal(trace.profile[0].points, 200);
	assert_true(trace.profile[0].dram_read_bytes == 5000000000);
	assert_int_equal(trace.profile[0].l1_load_sectors, 42);
	assert_int_equal(trace.profile[0].l1_load_hits, -1); /* half of the sum is unknown */
	assert_int_equal(trace.profile[0].l2_read_sectors, -1);
	assert_int_equal(trace.profile_code_count, 3);
	assert_true(trace.profile_code[2].code_high == (int64_t)0x800fea0003800000);
	assert_string_equal(trace_text(&trace, trace.profile_code[2].text), "EXIT");
	assert_int_equal(trace.profile_instruction_count, 3);
	assert_int_equal(trace.profile_instruction[0].warps, 4);
	assert_int_equal(trace.profile_instruction[0].threads, 100);
	assert_int_equal(trace.profile_instruction[0].sectors_global, -1);
	assert_int_equal(trace.profile_instruction[1].offset_bytes, 0x10);
	assert_int_equal(trace.profile_instruction[1].warps, 3);
	assert_int_equal(trace.profile_instruction[1].threads, 0);
	assert_int_equal(trace.loss_count, 0);
	trace_release(&trace);
}

static void a_shape_launched_too_few_times_is_incomplete(void **state)
{
	struct spool spool;
	struct trace trace;

	(void)state;
	begin(&spool);
	add_shape(&spool, SHAPE, 4);
	add_shape(&spool, SHAPE + 1, 5);
	add_module(&spool);
	count(&spool, SYMBOL, WARPS, 0, 4);
	ADD(&spool, profile_pass, .shape = SHAPE, .metrics = BIT(WARPS), .pass = 0, .passes = 1);
	join(&trace, &spool, 1);
	assert_int_equal(trace.profile_count, 2);
	assert_int_equal(trace.profile_code_count, 3); /* once for both */
	assert_int_equal(trace.profile_instruction_count, 1);
	assert_int_equal(trace_losses(&trace, "incomplete-profiles"), 1);
	trace_release(&trace);
}

/* The process was killed before the pass was whole. */
static void counts_without_their_pass_do_not_count(void **state)
{
	struct spool spool;
	struct trace trace;

	(void)state;
	begin_shape(&spool);
	count(&spool, SYMBOL, WARPS, 0, 4);
	spool.ended = false;
	join(&trace, &spool, 1);
	assert_int_equal(trace.profile_count, 1);
	assert_int_equal(trace.profile_instruction_count, 0);
	assert_int_equal(trace_losses(&trace, "no-end"), 1);
	trace_release(&trace);
}

static void what_one_process_measured_another_does_not_add_to(void **state)
{
	struct spool spool[2];
	struct trace trace;

	(void)state;
	for (int i = 0; i < 2; i++) {
		begin_shape(&spool[i]);
		count(&spool[i], SYMBOL, WARPS, 0, 4);
		ADD(&spool[i], profile_pass, .shape = SHAPE, .metrics = BIT(WARPS), .passes = 1);
	}
	join(&trace, spool, 2);
	assert_int_equal(trace.profile_count, 1);
	assert_int_equal(trace.profile_instruction[0].warps, 4);
	trace_release(&trace);
}

static void counts_that_belong_nowhere_are_counted(void **state)
{
	struct spool spool;
	struct trace trace;

	(void)state;
	begin_shape(&spool);
	count(&spool, SYMBOL, WARPS, 0x30, 1); /* after the end */
	count(&spool, SYMBOL, WARPS, 0x8, 1);  /* between two */
	count(&spool, SYMBOL, WARPS, UINT32_MAX, 1);
	count(&spool, PART, WARPS, 0x20, 1); /* after the end, from its part */
	count(&spool, OTHER, WARPS, 0, 1);   /* another function */
	count(&spool, SYMBOL, 63, 0, 1);     /* no metric */
	count(&spool, SYMBOL, UINT32_MAX, 0, 1);
	count(&spool, SYMBOL, DRAM_READ, 0, 1); /* a metric of the launch */
	ADD(&spool, profile_instruction, .shape = 1234, .function = SYMBOL,
	    .value = 1); /* no launch */
	ADD(&spool, profile_counter, .shape = SHAPE, .metric = 64, .value = 1);
	ADD(&spool, profile_counter, .shape = SHAPE, .metric = L1_LOADS, .value = UINT64_MAX);
	ADD(&spool, profile_pass, .shape = SHAPE, .metrics = UINT64_MAX, .passes = 1);
	join(&trace, &spool, 1);
	assert_int_equal(trace.profile_instruction_count, 0);
	assert_int_equal(trace_losses(&trace, "counts-outside"), 5);
	assert_int_equal(trace_losses(&trace, "lost-counts"), 6);
	trace_release(&trace);
}

static void a_profile_without_code_says_so(void **state)
{
	struct spool spool;
	struct trace trace;

	(void)state;
	begin(&spool);
	add_shape(&spool, SHAPE, 4);
	join(&trace, &spool, 1);
	assert_int_equal(trace.profile_count, 1);
	assert_int_equal(trace.profile_code_count, 0);
	assert_int_equal(trace_losses(&trace, "no-code"), 1);
	trace_release(&trace);
}

static unsigned char *read_whole(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "rb");
	unsigned char *data = xcalloc(1, 1 << 16);

	assert_non_null(file);
	*bytes = fread(data, 1, (1 << 16) - 1, file);
	fclose(file);
	return data;
}

static int read_stored_listing(struct disassembly *code, const char *tool, const void *cubin,
			       size_t bytes)
{
	size_t length;
	char *text = (char *)read_whole("tests/corpus/module.nvdisasm", &length);
	int result = disassembly_read(code, text, tool);

	(void)cubin;
	(void)bytes;
	free(text);
	return result;
}

static void what_the_driver_did_not_say_the_module_does(void **state)
{
	struct profile_merge merge;
	struct trace trace;

	(void)state;
	trace_init(&trace);
	profile_merge_init(&merge, &trace);
	for (int with_module = 0; with_module < 2; with_module++) {
		struct spool spool;

		begin(&spool);
		ADD(&spool, profile_shape, .shape = SHAPE, .symbol = with_module ? COMPILED : OTHER,
		    .grid = { 1, 1, 1 }, .block = { 32, 1, 1 }, .registers = SPOOL_NONE,
		    .static_shared_bytes = SPOOL_NONE, .path = -1, .compute_major = 9);
		if (with_module) {
			GROW(spool.cubin, spool.cubin_count, spool.cubin_capacity);
			spool.cubin[0] = (struct spool_cubin){ .crc = 1 };
			spool.cubin[spool.cubin_count++].data =
				read_whole("tests/corpus/module.cubin", &spool.cubin[0].bytes);
		}
		profile_merge_add(&merge, &spool);
		spool_release(&spool);
	}
	assert_int_equal(profile_merge_write(&merge, "listing", read_stored_listing), 0);
	assert_int_equal(trace.profile_count, 2);
	assert_int_equal(trace.profile[1].registers, 10);
	assert_int_equal(trace.profile[1].static_shared_bytes, 128);
	assert_int_equal(trace_losses(&trace, "unknown-resources"), 1);
	assert_int_equal(trace_losses(&trace, "no-code"), 1);
	profile_merge_release(&merge);
	trace_release(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loops_of_other_lengths_are_other_profiles),
		cmocka_unit_test(two_runs_become_one_profile),
		cmocka_unit_test(a_shape_launched_too_few_times_is_incomplete),
		cmocka_unit_test(counts_without_their_pass_do_not_count),
		cmocka_unit_test(what_one_process_measured_another_does_not_add_to),
		cmocka_unit_test(counts_that_belong_nowhere_are_counted),
		cmocka_unit_test(a_profile_without_code_says_so),
		cmocka_unit_test(what_the_driver_did_not_say_the_module_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
