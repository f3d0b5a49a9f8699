/* SPDX-License-Identifier: MIT
 * Answers worked out by several processes.
 */
#include "support.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "traces/base/processes.h"

enum { COUNT = 100 };

static void answer_all(int processes, size_t count,
		       void (*answer)(void *context, size_t k, void *answer), void *context,
		       double *answers)
{
	const struct process_work work = { .count = count,
					   .bytes = sizeof(*answers),
					   .answer = answer,
					   .context = context,
					   .what = "answered" };
	for (size_t k = 0; k < count; k++)
		answers[k] = NAN;
	processes_run(processes, &work, answers);
}

static void square(void *context, size_t k, void *answer)
{
	(void)context;
	*(double *)answer = (double)(k * k);
}

static void every_number_comes_to_its_place(void **state)
{
	(void)state;
	for (int processes = 1; processes <= 4; processes += 3) {
		double result[COUNT];
		answer_all(processes, COUNT, square, NULL, result);
		for (size_t k = 0; k < COUNT; k++)
			assert_true(result[k] == (double)(k * k));
	}
}

static void own_number(void *context, size_t k, void *answer)
{
	const pid_t *here = context;
	usleep(1000);
	(void)k;
	*(double *)answer = getpid() == *here ? 0 : (double)getpid();
}

static void the_work_is_shared_by_other_processes(void **state)
{
	(void)state;
	double result[COUNT];
	pid_t here = getpid();
	bool shared = false;
	answer_all(2, COUNT, own_number, &here, result);
	for (size_t k = 0; k < COUNT; k++) {
		assert_true(result[k] > 0);
		shared |= result[k] != result[0];
	}
	assert_true(shared);
}

static void ends_at_ten(void *context, size_t k, void *answer)
{
	(void)context;
	*(double *)answer = 1;
	if (k == 10) /* what it had by then does not count */
		_exit(1);
}

static void what_a_process_did_not_come_to_say_stays_as_it_was(void **state)
{
	(void)state;
	double result[COUNT];
	answer_all(2, COUNT, ends_at_ten, NULL, result);
	for (size_t k = 0; k < COUNT; k++)
		assert_true(k == 10 ? isnan(result[k]) : result[k] == 1);
}

static void complains_of_odd_ones(void *context, size_t k, void *answer)
{
	(void)context;
	if (k % 2)
		fputs("nobody hears this\n", stderr);
	*(double *)answer = 1;
}

static void what_something_is_said_of_is_left_to_others(void **state)
{
	(void)state;
	FILE *heard = tmpfile();
	double result[COUNT];
	int before = dup(STDERR_FILENO);
	dup2(fileno(heard), STDERR_FILENO);
	answer_all(2, COUNT, complains_of_odd_ones, NULL, result);
	dup2(before, STDERR_FILENO);
	close(before);
	assert_int_equal(lseek(fileno(heard), 0, SEEK_END), 0);
	fclose(heard);
	for (size_t k = 0; k < COUNT; k++)
		assert_true(k % 2 ? isnan(result[k]) : result[k] == 1);
}

struct wide {
	size_t number, square, cube;
};

static void cube(void *context, size_t k, void *answer)
{
	(void)context;
	*(struct wide *)answer = (struct wide){ k, k * k, k * k * k };
}

static void answers_are_as_wide_as_they_are(void **state)
{
	struct wide answers[COUNT] = { { 0 } };
	const struct process_work work = {
		.count = COUNT, .bytes = sizeof(*answers), .answer = cube, .what = "answered"
	};
	(void)state;
	processes_run(3, &work, answers);
	for (size_t k = 0; k < COUNT; k++)
		assert_true(answers[k].number == k && answers[k].square == k * k &&
			    answers[k].cube == k * k * k);
}

static void says_it_began(void *context, size_t k, void *answer)
{
	const int *pipe_to = context;
	(void)k;
	if (write(*pipe_to, "b", 1) == 1)
		sleep(60);
	*(double *)answer = 1;
}

/* They hold the pipe open as long as they live. */
static void they_end_with_the_process_that_asked(void **state)
{
	static const int signals[] = { SIGTERM, SIGKILL };
	(void)state;
	for (size_t s = 0; s < sizeof(signals) / sizeof(signals[0]); s++) {
		int ends[2];
		char said[8];
		assert_int_equal(pipe(ends), 0);
		pid_t child = fork();
		if (child == 0) {
			double result[2];
			close(ends[0]);
			answer_all(2, 2, says_it_began, &ends[1], result);
			_exit(0);
		}
		close(ends[1]);
		for (ssize_t began = 0, got; began < 2; began += got) {
			got = read(ends[0], said, sizeof(said));
			assert_true(got > 0);
		}
		kill(child, signals[s]);
		assert_true(waitpid(child, NULL, 0) == child);
		alarm(20);
		assert_int_equal(read(ends[0], said, sizeof(said)), 0);
		alarm(0);
		close(ends[0]);
	}
}

static void nothing_to_do_is_done(void **state)
{
	(void)state;
	double result[1] = { 5 };
	answer_all(2, 0, square, NULL, result);
	assert_true(result[0] == 5);
	assert_true(processes_most() >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_number_comes_to_its_place),
		cmocka_unit_test(the_work_is_shared_by_other_processes),
		cmocka_unit_test(what_a_process_did_not_come_to_say_stays_as_it_was),
		cmocka_unit_test(what_something_is_said_of_is_left_to_others),
		cmocka_unit_test(answers_are_as_wide_as_they_are),
		cmocka_unit_test(they_end_with_the_process_that_asked),
		cmocka_unit_test(nothing_to_do_is_done),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
