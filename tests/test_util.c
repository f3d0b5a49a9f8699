/* SPDX-License-Identifier: MIT
 * Numbers from text, order statistics, growing arrays, and files that appear whole or not at all.
 */
#include "support.h"
#include "traces/base/output.h"

#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void quantiles_interpolate_between_order_statistics(void **state)
{
	const double values[] = { 4, 1, 3, 2 };
	(void)state;
	assert_true(quantile_of(values, 4, 0) == 1);
	assert_true(quantile_of(values, 4, 1) == 4);
	assert_true(median_of(values, 4) == 2.5);
	assert_true(fabs(quantile_of(values, 4, 0.9) - 3.7) < 1e-12);
	assert_true(median_of(values, 3) == 3);
	assert_true(median_of(values, 1) == 4);
	assert_true(values[0] == 4 && values[3] == 2); /* the caller's order stays */
}

static void the_median_deviation_ignores_one_wild_value(void **state)
{
	const double values[] = { 10, 11, 9, 10, 1000 }, even[] = { 1, 2, 3, 4 };
	(void)state;
	assert_true(mad_of(values, 5) == 1);
	assert_true(mad_of(even, 4) == 1);
	assert_true(mad_of(values, 1) == 0);
}

static void numbers_are_read_whole_or_refused(void **state)
{
	static const char *const no_integer[] = { "",	  " ",	 "1x",
						  "0x10", "1.5", "99999999999999999999",
						  "-",	  "1 2" };
	static const char *const no_real[] = { "", "x", "1e", "1..2", "nan", "1,5" };
	int64_t integer = 7;
	double real = 7;
	(void)state;
	for (size_t k = 0; k < sizeof(no_integer) / sizeof(no_integer[0]); k++)
		if (!parse_i64(no_integer[k], &integer))
			fail_msg("'%s' was read as %lld", no_integer[k], (long long)integer);
	for (size_t k = 0; k < sizeof(no_real) / sizeof(no_real[0]); k++)
		if (!parse_double(no_real[k], &real))
			fail_msg("'%s' was read as %g", no_real[k], real);
	assert_int_equal(parse_i64("-12", &integer), 0);
	assert_true(integer == -12);
	assert_int_equal(parse_double("1.5e3", &real), 0);
	assert_true(real == 1500);
}

static void arrays_grow_and_keep_what_they_hold(void **state)
{
	int *numbers = NULL;
	size_t count = 0, capacity = 0;
	(void)state;
	for (int k = 0; k < 1000; k++) {
		GROW(numbers, count, capacity);
		numbers[count++] = k;
	}
	for (int k = 0; k < 1000; k++)
		assert_int_equal(numbers[k], k);
	assert_true(capacity >= 1000);
	free(numbers);
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static bool holds(const char *path, const char *text)
{
	char found[64] = "";
	FILE *file = fopen(path, "r");
	if (!file)
		return false;
	found[fread(found, 1, sizeof(found) - 1, file)] = 0;
	fclose(file);
	return !strcmp(found, text);
}

static char folder[] = "/tmp/warpreel-test-util-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) && !chdir(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink("out");
	unlink("pipe");
	return chdir("/") || rmdir(folder); /* fails when a test left something behind */
}

static void an_output_appears_under_its_name_when_committed(void **state)
{
	struct output output;
	(void)state;
	put("out", "old");
	output_begin(&output, "out");
	put(output.part_path, "new");
	assert_true(holds("out", "old"));
	assert_int_equal(output_commit(&output), 0);
	assert_true(holds("out", "new"));
}

static void an_abandoned_output_leaves_what_was_there(void **state)
{
	struct output output, never = { 0 };
	(void)state;
	put("out", "old");
	output_begin(&output, "out");
	put(output.part_path, "half");
	output_abandon(&output);
	output_abandon(&never);
	assert_true(holds("out", "old"));
}

static void an_output_that_cannot_be_committed_says_so_and_is_gone(void **state)
{
	struct output output;
	struct said said;
	(void)state;
	output_begin(&output, "no-such-folder/out");
	said_begin(&said);
	assert_int_equal(output_commit(&output), -1);
	assert_says(&said, "cannot write 'no-such-folder/out'");
}

static void a_pipe_is_written_in_place_and_never_replaced(void **state)
{
	struct output output;
	struct stat status;
	char text[8] = "";
	(void)state;
	assert_int_equal(mkfifo("pipe", 0600), 0);
	int reader = open("pipe", O_RDONLY | O_NONBLOCK);
	output_begin(&output, "pipe");
	put(output.part_path, "through");
	assert_int_equal(output_commit(&output), 0);
	assert_int_equal(read(reader, text, sizeof(text) - 1), 7);
	assert_string_equal(text, "through");
	close(reader);
	output_begin(&output, "pipe");
	output_abandon(&output);
	assert_int_equal(stat("pipe", &status), 0);
	assert_true(S_ISFIFO(status.st_mode));
}

/* As a user whom the folder keeps out: root would not be. */
static void an_output_is_refused_before_the_work_with_the_reason(void **state)
{
	struct said said;
	const uid_t before = geteuid();
	(void)state;
	put("out", "old");
	assert_int_equal(output_check("out"), 0);
	assert_true(holds("out", "old"));
	said_begin(&said);
	assert_int_equal(output_check("no-such-folder/out"), -1);
	assert_says(&said, "cannot write 'no-such-folder/out': No such file or directory\n");
	said_begin(&said);
	assert_int_equal(output_check("/"), -1);
	assert_says(&said, "cannot write '/': Is a directory\n");
	assert_int_equal(chmod(".", 0555), 0);
	if (!before)
		assert_int_equal(seteuid(65534), 0);
	said_begin(&said);
	int rc = output_check("out"), rc_trace[2];
	struct trace trace;
	trace_init(&trace);
	rc_trace[0] = trace_write(&trace, "out.wrt");
	rc_trace[1] = trace_write(&trace, "out.wrt.zst");
	trace_release(&trace);
	if (!before)
		assert_int_equal(seteuid(before), 0);
	chmod(".", 0755);
	assert_string_equal(said_end(&said),
			    "warpreel: cannot write 'out': Permission denied\n"
			    "warpreel: cannot write 'out.wrt': Permission denied\n"
			    "warpreel: cannot write 'out.wrt.zst': Permission denied\n");
	assert_true(rc == -1 && rc_trace[0] == -1 && rc_trace[1] == -1);
}

static void a_signal_removes_what_is_half_written(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	(void)state;
	for (size_t k = 0; k < sizeof(signals) / sizeof(signals[0]); k++) {
		int status;
		pid_t child = fork();
		if (child == 0) {
			struct output one, two, done;
			signal(signals[k], SIG_DFL); /* under nohup, say, one is ignored */
			util_install_signal_handlers();
			output_begin(&done, "out");
			put(done.part_path, "whole");
			output_commit(&done);
			output_begin(&one, "one");
			put(one.part_path, "half");
			output_begin(&two, "two");
			put(two.part_path, "half");
			raise(signals[k]);
			_exit(0);
		}
		assert_true(waitpid(child, &status, 0) == child);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signals[k]);
		assert_true(holds("out",
				  "whole")); /* and the folder is empty otherwise: remove_folder */
	}
}

static void a_signal_to_a_child_leaves_its_parents_files(void **state)
{
	struct output output;
	int status;
	(void)state;
	output_begin(&output, "out");
	put(output.part_path, "new");
	pid_t child = fork();
	if (child == 0) {
		util_install_signal_handlers();
		raise(SIGTERM);
		_exit(0);
	}
	assert_true(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
	assert_int_equal(output_commit(&output), 0);
	assert_true(holds("out", "new"));
}

static void a_hangup_that_is_ignored_stays_so(void **state)
{
	int status;
	(void)state;
	pid_t child = fork();
	if (child == 0) {
		signal(SIGHUP, SIG_IGN);
		util_install_signal_handlers();
		raise(SIGHUP);
		_exit(7);
	}
	assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status) &&
		    WEXITSTATUS(status) == 7);
}

/* Else the address sanitizer ends the program itself. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void want_of_memory_is_said_and_leaves_nothing_half_written(void **state)
{
	struct said said;
	int status;
	(void)state;
	said_begin(&said);
	pid_t child = fork();
	if (child == 0) {
		struct output output;
		util_install_signal_handlers();
		output_begin(&output, "one");
		put(output.part_path, "half");
		free(xmalloc(SIZE_MAX / 2));
		_exit(7);
	}
	assert_true(waitpid(child, &status, 0) == child);
	assert_non_null(strstr(said_end(&said), "warpreel: out of memory\n"));
	assert_true(WIFEXITED(status) &&
		    WEXITSTATUS(status) == EXIT_BAD); /* and the folder is empty: remove_folder */
}

/* The name is one that could be guessed once: the process's number stood in it. */
static void a_link_planted_under_a_name_that_can_be_guessed_is_not_followed(void **state)
{
	struct output output;
	struct stat status;
	char planted[64];
	(void)state;
	put("victim", "precious");
	snprintf(planted, sizeof(planted), "out.part-%ld", (long)getpid());
	assert_int_equal(symlink("victim", planted), 0);
	output_begin(&output, "out");
	put(output.part_path, "new");
	assert_int_equal(output_commit(&output), 0);
	assert_true(holds("victim", "precious"));
	assert_true(holds("out", "new"));
	assert_true(lstat("out", &status) == 0 && S_ISREG(status.st_mode));
	unlink(planted);
	unlink("victim");
}

static void a_part_exchanged_for_a_link_is_not_written(void **state)
{
	struct output output;
	(void)state;
	put("victim", "precious");
	output_begin(&output, "out");
	assert_int_equal(unlink(output.part_path), 0);
	assert_int_equal(symlink("victim", output.part_path), 0);
	assert_null(output_open(&output));
	output_abandon(&output);
	assert_true(holds("victim", "precious"));
	unlink("victim");
}

/* Somebody else's link in a folder like /tmp: only root can make one here. */
static void a_strangers_link_in_a_folder_of_all_is_not_followed(void **state)
{
	struct said said;
	(void)state;
	if (geteuid())
		skip();
	put("victim", "precious");
	assert_int_equal(mkdir("all", 0700), 0);
	assert_int_equal(chmod("all", 01777), 0);
	assert_int_equal(symlink("../victim", "all/out"), 0);
	assert_int_equal(lchown("all/out", 65534, 65534), 0);
	said_begin(&said);
	assert_int_equal(output_check("all/out"), -1);
	assert_says(&said, "cannot write 'all/out': Permission denied\n");
	assert_int_equal(lchown("all/out", 0, 0), 0);
	assert_int_equal(output_check("all/out"), 0);
	unlink("all/out");
	unlink("victim");
	rmdir("all");
}

static void what_a_killed_program_left_is_removed_by_the_next(void **state)
{
	struct output output;
	int status;
	(void)state;
	pid_t child = fork();
	if (child == 0) {
		output_begin(&output, "out");
		put(output.part_path, "half");
		raise(SIGKILL);
	}
	assert_true(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
	put("out.part-of-something-else", "kept");
	output_begin(&output, "out");
	output_abandon(&output);
	assert_true(holds("out.part-of-something-else", "kept"));
	unlink("out.part-of-something-else");
	glob_t found;
	assert_int_equal(glob("out.part-*", 0, NULL, &found), GLOB_NOMATCH);
}

static void two_writers_end_with_one_whole_file_and_a_word(void **state)
{
	struct output one, two;
	struct said said;
	(void)state;
	put("out", "old");
	output_begin(&one, "out");
	put(one.part_path, "of the first");
	output_begin(&two, "out");
	put(two.part_path, "of the second");
	said_begin(&said);
	assert_int_equal(output_commit(&two), 0);
	assert_string_equal(said_end(&said), "");
	assert_true(holds("out", "of the second"));
	said_begin(&said);
	assert_int_equal(output_commit(&one), 0);
	assert_says(&said, "warning: 'out' was written by another program meanwhile");
	assert_true(holds("out", "of the first"));
}

static void messages_carry_the_program_name_and_end_the_line(void **state)
{
	struct said said;
	(void)state;
	said_begin(&said);
	assert_int_equal(report("cannot open '%s'", "x"), -1);
	report_warning("%d things", 3);
	assert_string_equal(said_end(&said),
			    "warpreel: cannot open 'x'\nwarpreel: warning: 3 things\n");
}

static void messages_show_what_a_terminal_would_obey(void **state)
{
	struct said said;
	(void)state;
	said_begin(&said);
	report("no kernel '%s'", "a\033]0;b\007\r\x7f\xc2\x9b"
				 "2J");
	report_warning("%s", "\xc3\xbc and \xc2\xb5s stay");
	assert_string_equal(said_end(&said),
			    "warpreel: no kernel 'a\\x1b]0;b\\x07\\x0d\\x7f\\xc2\\x9b2J'\n"
			    "warpreel: warning: \xc3\xbc and \xc2\xb5s stay\n");
}

static void what_was_meant_is_the_nearest_name_if_it_is_near(void **state)
{
	(void)state;
	assert_int_equal(text_edits("size", "size"), 0);
	assert_int_equal(text_edits("sise", "size"), 1);
	assert_int_equal(text_edits("", "gpus"), 4);
	assert_int_equal(text_edits("gpus", ""), 4);
	assert_string_equal(text_near("sise", NULL, "size"), "size");
	assert_string_equal(text_near("precison", "precise", "precision"), "precision");
	assert_string_equal(text_near("gpu", "gpus", "cpu-list"), "gpus");
	assert_null(text_near("frobnicate", NULL, "format"));
	assert_null(text_near("o", NULL, "p"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_meant_is_the_nearest_name_if_it_is_near),
		cmocka_unit_test(quantiles_interpolate_between_order_statistics),
		cmocka_unit_test(the_median_deviation_ignores_one_wild_value),
		cmocka_unit_test(numbers_are_read_whole_or_refused),
		cmocka_unit_test(arrays_grow_and_keep_what_they_hold),
		cmocka_unit_test(an_output_appears_under_its_name_when_committed),
		cmocka_unit_test(an_abandoned_output_leaves_what_was_there),
		cmocka_unit_test(an_output_that_cannot_be_committed_says_so_and_is_gone),
		cmocka_unit_test(a_pipe_is_written_in_place_and_never_replaced),
		cmocka_unit_test(an_output_is_refused_before_the_work_with_the_reason),
		cmocka_unit_test(a_signal_removes_what_is_half_written),
		cmocka_unit_test(a_signal_to_a_child_leaves_its_parents_files),
		cmocka_unit_test(a_hangup_that_is_ignored_stays_so),
		cmocka_unit_test(want_of_memory_is_said_and_leaves_nothing_half_written),
		cmocka_unit_test(a_link_planted_under_a_name_that_can_be_guessed_is_not_followed),
		cmocka_unit_test(a_part_exchanged_for_a_link_is_not_written),
		cmocka_unit_test(a_strangers_link_in_a_folder_of_all_is_not_followed),
		cmocka_unit_test(what_a_killed_program_left_is_removed_by_the_next),
		cmocka_unit_test(two_writers_end_with_one_whole_file_and_a_word),
		cmocka_unit_test(messages_show_what_a_terminal_would_obey),
		cmocka_unit_test(messages_carry_the_program_name_and_end_the_line),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
