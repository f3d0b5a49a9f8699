/* SPDX-License-Identifier: MIT
 * warpreel profile and the runs it makes: a script stands in for the program and leaves the spools
 * that a recorder would, another for the disassembler. No GPU and no CUPTI.
 */
#include <signal.h>

#include "spool_kit.h"
#include "trace_kit.h"

#include "traces/program/program.h"

enum { WARPS, L1_LOADS = 8, DRAM_READ = 20 }; /* the order of profile_metrics.def */
enum { SKIPPED = 20, TWO };

/* Two functions, as nvdisasm lists them; stands in for the module itself. */
#define FUNCTION(name)                                                                             \
	"\t.section\t.text." name ",\"ax\",@progbits\n"                                            \
	"        /*0000*/ NOP ; /* 0x0000000000007918 */\n"                                        \
	"                       /* 0x000fc00000000000 */\n"                                        \
	"        /*0010*/ EXIT ; /* 0x000000000000794d */\n"                                       \
	"                       /* 0x800fea0003800000 */\n"
static const char listing[] = FUNCTION("_ZN4rbsN5sweepIfEEvPT_") FUNCTION("plain_kernel");

static void save(const char *name, const void *data, size_t bytes, mode_t mode)
{
	char *path = in_directory(name);
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, bytes, file), bytes);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, mode), 0);
	free(path);
}

static void begin_profile(struct builder *builder)
{
	const uint64_t checksum = 99;

	begin(builder);
	put(builder, &checksum, sizeof(checksum));
	put(builder, listing, sizeof(listing) - 1);
	put_chunk(builder, SPOOL_CUBIN, builder->payload, builder->payload_bytes);
	builder->payload_bytes = 0;
}

static void put_shape(struct builder *builder, uint32_t number, uint32_t symbol)
{
	PUT(builder, profile_shape, .shape = number, .symbol = symbol, .grid = { 4, 1, 1 },
	    .block = { 32, 1, 1 }, .registers = 24, .path = -1, .compute_major = 9);
}

static void put_instructions(struct builder *builder, uint32_t number, uint32_t symbol)
{
	PUT(builder, profile_instruction, .shape = number, .function = symbol, .metric = WARPS,
	    .cubin_crc = 99, .value = 4);
	PUT(builder, profile_pass, .shape = number, .metrics = 1ull << WARPS, .passes = 1);
}

static const char both_kernels[] = "_ZN4rbsN5sweepIfEEvPT_\nplain_kernel";

/* The script finds it by what it is asked to count, and of which kernels. */
static void save_spool(struct builder *builder, const char *kind, const char *kernels)
{
	char *name = xprintf("%s-%s", kind, kernels);

	end_records(builder);
	end(builder);
	save(name, builder->data, builder->bytes, 0600);
	release(builder);
	free(name);
}

/* Both kernels are launched; of the instructions, those of one function a process are counted. */
static int make_program(void **state)
{
	static const char skipped[] = "skipped_grids", two[] = "2";
	const uint32_t first[2] = { SKIPPED, sizeof(skipped) - 1 },
		       second[2] = { TWO, sizeof(two) - 1 };
	static const char script[] =
		"#!/bin/sh\n"
		"cd \"${0%/*}\" || exit 9\n"
		"echo \"$WARPREEL_PROFILE ${WARPREEL_PROFILE_KERNELS-all} "
		"$WARPREEL_PROFILE_GRIDS\" >>log\n"
		"cp \"$WARPREEL_PROFILE-${WARPREEL_PROFILE_KERNELS-all}\" \"$WARPREEL_SPOOL.$$\"\n"
		". ./then\n";
	static const char disassembler[] = "#!/bin/sh\nfor file; do :; done\ncat \"$file\"\n";
	struct builder b;
	char *path;
	int rc;

	if (make_directory(state))
		return -1;
	begin_profile(&b);
	put_shape(&b, 0, KERNEL_A);
	put_shape(&b, 1, KERNEL_B);
	put_instructions(&b, 0, KERNEL_A);
	save_spool(&b, "sass", "all");
	begin_profile(&b);
	put_shape(&b, 0, KERNEL_A);
	put_instructions(&b, 0, KERNEL_A);
	save_spool(&b, "sass", "_ZN4rbsN5sweepIfEEvPT_");
	begin_profile(&b);
	put_shape(&b, 7, KERNEL_B);
	put_instructions(&b, 7, KERNEL_B);
	save_spool(&b, "sass", "plain_kernel");
	begin_profile(&b);
	put(&b, first, sizeof(first));
	put(&b, skipped, first[1]);
	put(&b, second, sizeof(second));
	put(&b, two, second[1]);
	put_chunk(&b, SPOOL_STRINGS, b.payload, b.payload_bytes);
	b.payload_bytes = 0;
	for (uint32_t k = 0; k < 2; k++) {
		put_shape(&b, k, k ? KERNEL_B : KERNEL_A);
		PUT(&b, profile_counter, .shape = k, .metric = DRAM_READ, .value = 1000);
		PUT(&b, profile_pass, .shape = k, .metrics = 1ull << DRAM_READ, .passes = 1);
	}
	PUT(&b, meta, .key = SKIPPED, .value = TWO);
	save_spool(&b, "counters", "all");
	for (int counted = 0; counted < 2; counted++) {
		begin_profile(&b);
		for (uint32_t k = 0; k < 2; k++) {
			put_shape(&b, k, k ? KERNEL_B : KERNEL_A);
			if (counted)
				PUT(&b, profile_counter, .shape = k, .metric = DRAM_READ,
				    .value = 7);
			PUT(&b, profile_pass, .shape = k,
			    .metrics = 1ull << (counted ? DRAM_READ : L1_LOADS),
			    .passes = counted ? 1 : 8);
		}
		save_spool(&b, "counters", counted ? both_kernels : "few");
	}
	save("program", script, sizeof(script) - 1, 0700);
	save("nvdisasm", disassembler, sizeof(disassembler) - 1, 0700);
	save("recorder", "", 0, 0600);
	path = xprintf("%s:%s", directory, getenv("PATH"));
	rc = setenv("PATH", path, 1);
	free(path);
	return rc;
}

#define NOTHING_MORE "true\n"

/*
 * Runs `warpreel profile` with the options, and at the end of each run of the program what `then`
 * says. Its exit code; what it says is the caller's, and so are the trace, where there is one, and
 * the log of the runs.
 */
struct outcome {
	int code;
	char *said, *log;
	struct trace trace;
};

static struct outcome profile(const char *then, int options, char **option)
{
	char *output = in_directory("out.wrt"), *recorder = in_directory("recorder"),
	     *command = in_directory("program"), *log = in_directory("log");
	char *argv[16] = { (char[]){ "profile" }, (char[]){ "-o" }, output,
			   (char[]){ "--recorder" }, recorder };
	struct outcome outcome = { 0 };
	int argc = 5;

	unlink(log);
	unlink(output);
	save("then", then, strlen(then), 0600);
	for (int i = 0; i < options; i++)
		argv[argc++] = option[i];
	argv[argc++] = (char[]){ "--" };
	argv[argc++] = command;
	hear();
	outcome.code = cmd_profile(NULL, argc, argv);
	outcome.said = heard();
	outcome.log = slurp(log);
	trace_init(&outcome.trace);
	if (!access(output, F_OK))
		assert_int_equal(trace_read(&outcome.trace, output, 0), 0);
	free(output);
	free(recorder);
	free(command);
	free(log);
	return outcome;
}
#define PROFILE(then, ...)                                                                         \
	profile((then), (int)(sizeof((char *[]){ __VA_ARGS__ }) / sizeof(char *)),                 \
		(char *[]){ __VA_ARGS__ })

static void release_outcome(struct outcome *outcome)
{
	free(outcome->said);
	free(outcome->log);
	trace_release(&outcome->trace);
}

/* How many instructions of the profile have a count. */
static int counted(const struct trace *trace, const char *symbol)
{
	int count = 0;

	for (size_t i = 0; i < trace->profile_count; i++)
		for (size_t k = 0; k < trace->profile_instruction_count; k++)
			count += trace->profile_instruction[k].profile == trace->profile[i].id &&
				 !strcmp(trace_text(trace, trace->profile[i].symbol), symbol);
	return count;
}

static void assert_said(const struct outcome *outcome, const char *part)
{
	if (!strstr(outcome->said, part))
		fail_msg("'%s' is not in the messages: %s", part, outcome->said);
}

/* Spools, and files that are not yet whole. */
static int left_behind(void)
{
	DIR *list = opendir(directory);
	int count = 0;

	for (struct dirent *entry; (entry = readdir(list));)
		count += strncmp(entry->d_name, "out.wrt.", 8) == 0;
	closedir(list);
	return count;
}

static void the_program_runs_once_for_each_kind_of_counters(void **state)
{
	struct outcome outcome = PROFILE(NOTHING_MORE, (char[]){ "--grids" }, (char[]){ "5" },
					 (char[]){ "--runs" }, (char[]){ "0" });

	(void)state;
	assert_int_equal(outcome.code, EXIT_OK);
	assert_string_equal(outcome.log, "sass all 5\ncounters all 5\n");
	assert_int_equal(outcome.trace.profile_count, 2);
	assert_int_equal(outcome.trace.profile[1].dram_read_bytes, 1000);
	assert_int_equal(counted(&outcome.trace, "_ZN4rbsN5sweepIfEEvPT_"), 1);
	assert_int_equal(counted(&outcome.trace, "plain_kernel"), 0);
	assert_int_equal(trace_losses(&outcome.trace, "incomplete-profiles"), 1);
	assert_said(&outcome, "no instructions counted: plain_kernel, grid");
	assert_said(&outcome, "--kernel 'plain_kernel' --runs 2 counts them");
	assert_said(&outcome, "of 2 launch shapes, 1 have counts of instructions; --runs (0 here)");
	assert_said(&outcome, "2 further grids were left out");
	assert_int_equal(left_behind(), 0);
	release_outcome(&outcome);
}

/* Nobody has to ask for it. */
static void a_launch_whose_instructions_were_not_counted_has_a_run_of_its_own(void **state)
{
	struct outcome outcome = PROFILE(NOTHING_MORE, (char[]){ "--grids" }, (char[]){ "5" });

	(void)state;
	assert_int_equal(outcome.code, EXIT_OK);
	assert_string_equal(outcome.log, "sass all 5\ncounters all 5\nsass plain_kernel 5\n");
	assert_int_equal(counted(&outcome.trace, "_ZN4rbsN5sweepIfEEvPT_"), 1);
	assert_int_equal(counted(&outcome.trace, "plain_kernel"), 1);
	assert_int_equal(trace_losses(&outcome.trace, "incomplete-profiles"), 0);
	assert_int_equal(left_behind(), 0);
	release_outcome(&outcome);
}

static void launches_of_which_no_run_made_all_passes_are_repeated_in_place(void **state)
{
	const char *then = "[ \"$WARPREEL_PROFILE${WARPREEL_PROFILE_REPLAY-}\" != counters ] || "
			   "cp counters-few \"$WARPREEL_SPOOL.$$\"\n";
	struct outcome outcome = PROFILE(then, (char[]){ "--passes-of=counters" });

	(void)state;
	assert_int_equal(outcome.code, EXIT_OK);
	assert_string_equal(outcome.log,
			    "counters all 3\ncounters _ZN4rbsN5sweepIfEEvPT_\nplain_kernel 3\n");
	assert_int_equal(outcome.trace.profile[0].dram_read_bytes, 7);
	assert_int_equal(outcome.trace.profile[1].dram_read_bytes, 7);
	assert_int_equal(trace_losses(&outcome.trace, "incomplete-profiles"), 0);
	release_outcome(&outcome);
}

static void launches_without_all_passes_are_not_said_to_be_whole(void **state)
{
	struct outcome outcome =
		PROFILE("[ $WARPREEL_PROFILE = sass ] || cp counters-few \"$WARPREEL_SPOOL.$$\"\n",
			(char[]){ "--runs=1" });

	(void)state;
	assert_int_equal(trace_losses(&outcome.trace, "incomplete-profiles"), 2);
	release_outcome(&outcome);
}

static void one_by_one_every_function_the_counters_saw_has_a_run(void **state)
{
	struct outcome outcome = PROFILE(NOTHING_MORE, (char[]){ "--one-by-one" });

	(void)state;
	assert_int_equal(outcome.code, EXIT_OK);
	assert_string_equal(outcome.log,
			    "counters all 3\nsass _ZN4rbsN5sweepIfEEvPT_ 3\nsass plain_kernel 3\n");
	assert_int_equal(outcome.trace.profile_count, 2);
	assert_int_equal(counted(&outcome.trace, "_ZN4rbsN5sweepIfEEvPT_"), 1);
	assert_int_equal(counted(&outcome.trace, "plain_kernel"), 1);
	assert_int_equal(outcome.trace.profile[1].dram_read_bytes, 1000);
	assert_int_equal(outcome.trace.loss_count, 0);
	assert_said(&outcome, "2 further grids were left out");
	assert_null(strstr(outcome.said, "--one-by-one"));
	assert_int_equal(left_behind(), 0);
	release_outcome(&outcome);
}

static void without_the_counters_every_named_kernel_has_a_run(void **state)
{
	struct outcome outcome = PROFILE(
		NOTHING_MORE, (char[]){ "--one-by-one" }, (char[]){ "--passes-of=sass" },
		(char[]){ "--kernel=plain_kernel" }, (char[]){ "--kernel=_ZN4rbsN5sweepIfEEvPT_" });

	(void)state;
	assert_int_equal(outcome.code, EXIT_OK);
	assert_string_equal(outcome.log, "sass plain_kernel 3\nsass _ZN4rbsN5sweepIfEEvPT_ 3\n");
	assert_int_equal(outcome.trace.profile_count, 2);
	assert_int_equal(counted(&outcome.trace, "plain_kernel"), 1);
	assert_int_equal(counted(&outcome.trace, "_ZN4rbsN5sweepIfEEvPT_"), 1);
	assert_int_equal(outcome.trace.profile[0].dram_read_bytes, -1);
	release_outcome(&outcome);
}

static void a_run_that_fails_keeps_no_other_kernel_from_its_own(void **state)
{
	struct outcome outcome = PROFILE("case $WARPREEL_PROFILE_KERNELS in *sweep*) rm "
					 "\"$WARPREEL_SPOOL.$$\"; exit 3 ;; esac\n",
					 (char[]){ "--one-by-one" });

	(void)state;
	assert_int_equal(outcome.code, EXIT_BAD);
	assert_said(&outcome, "exited with 3");
	assert_int_equal(counted(&outcome.trace, "_ZN4rbsN5sweepIfEEvPT_"), 0);
	assert_int_equal(counted(&outcome.trace, "plain_kernel"), 1);
	assert_int_equal(trace_losses(&outcome.trace, "incomplete-profiles"), 1);
	release_outcome(&outcome);
}

static void a_program_that_fails_is_not_run_for_each_kernel(void **state)
{
	struct outcome outcome = PROFILE("exit 3\n", (char[]){ "--one-by-one" });

	(void)state;
	assert_int_equal(outcome.code, EXIT_BAD);
	assert_string_equal(outcome.log, "counters all 3\n");
	assert_int_equal(outcome.trace.profile_count, 2);
	assert_int_equal(left_behind(), 0);
	release_outcome(&outcome);
}

/* Whatever the program makes of the signal. */
static void an_interrupt_ends_the_runs_and_leaves_whole_profiles(void **state)
{
	static const char *const after[] = {
		"[ $WARPREEL_PROFILE = counters ] || kill -INT $PPID\n",
		"[ $WARPREEL_PROFILE = counters ] || { kill -INT $PPID; exec sleep 5; }\n"
	};

	(void)state;
	for (int dies = 0; dies < 2; dies++) {
		struct outcome outcome = PROFILE(after[dies], (char[]){ "--one-by-one" });

		assert_int_equal(outcome.code, EXIT_BAD);
		assert_string_equal(outcome.log, "counters all 3\nsass _ZN4rbsN5sweepIfEEvPT_ 3\n");
		assert_said(&outcome,
			    "interrupted: the instructions of 1 of 2 kernels were not counted");
		assert_int_equal(outcome.trace.profile_count, 2);
		assert_int_equal(counted(&outcome.trace, "_ZN4rbsN5sweepIfEEvPT_"), 1);
		assert_int_equal(counted(&outcome.trace, "plain_kernel"), 0);
		assert_int_equal(left_behind(), 0);
		release_outcome(&outcome);
	}
}

static void an_interrupt_between_the_kinds_is_said(void **state)
{
	struct outcome outcome =
		PROFILE("trap : INT; kill -INT $PPID\n", (char[]){ "--keep-spool" });

	(void)state;
	assert_int_equal(outcome.code, EXIT_BAD);
	assert_string_equal(outcome.log, "sass all 3\n");
	assert_said(&outcome, "interrupted: not everything was counted");
	assert_int_equal(left_behind(), 1);
	release_outcome(&outcome);
}

int main(void)
{
	signal(SIGINT,
	       SIG_DFL); /* a shell's background job starts with it ignored, and then it stays so */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_program_runs_once_for_each_kind_of_counters),
		cmocka_unit_test(a_launch_whose_instructions_were_not_counted_has_a_run_of_its_own),
		cmocka_unit_test(launches_of_which_no_run_made_all_passes_are_repeated_in_place),
		cmocka_unit_test(launches_without_all_passes_are_not_said_to_be_whole),
		cmocka_unit_test(one_by_one_every_function_the_counters_saw_has_a_run),
		cmocka_unit_test(without_the_counters_every_named_kernel_has_a_run),
		cmocka_unit_test(a_run_that_fails_keeps_no_other_kernel_from_its_own),
		cmocka_unit_test(a_program_that_fails_is_not_run_for_each_kernel),
		cmocka_unit_test(an_interrupt_ends_the_runs_and_leaves_whole_profiles),
		cmocka_unit_test(an_interrupt_between_the_kinds_is_said),
	};

	return cmocka_run_group_tests(tests, make_program, remove_directory);
}
