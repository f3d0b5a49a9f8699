/* SPDX-License-Identifier: MIT
 * Numbers worked out by several processes.
 */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "../sim/processes.h"

enum { COUNT = 100 };

static double square(void *context, size_t k)
{
	(void)context;
	return (double)(k * k);
}

static void every_number_comes_to_its_place(void **state)
{
	(void)state;
	for (int processes = 1; processes <= 4; processes += 3) {
		double result[COUNT];
		processes_run(processes, COUNT, square, NULL, result);
		for (size_t k = 0; k < COUNT; k++)
			assert_true(result[k] == (double)(k * k));
	}
}

static double own_number(void *context, size_t k)
{
	const pid_t *here = context;
	usleep(1000);
	(void)k;
	return getpid() == *here ? 0 : (double)getpid();
}

static void the_work_is_shared_by_other_processes(void **state)
{
	(void)state;
	double result[COUNT];
	pid_t here = getpid();
	bool shared = false;
	processes_run(2, COUNT, own_number, &here, result);
	for (size_t k = 0; k < COUNT; k++) {
		assert_true(result[k] > 0);
		shared |= result[k] != result[0];
	}
	assert_true(shared);
}

static double ends_at_ten(void *context, size_t k)
{
	(void)context;
	if (k == 10)
		_exit(1);
	return 1;
}

static void what_a_process_did_not_come_to_say_is_nan(void **state)
{
	(void)state;
	double result[COUNT];
	processes_run(2, COUNT, ends_at_ten, NULL, result);
	for (size_t k = 0; k < COUNT; k++)
		assert_true(k == 10 ? isnan(result[k]) : result[k] == 1);
}

static double complains(void *context, size_t k)
{
	(void)context;
	(void)k;
	fputs("nobody hears this\n", stderr);
	return 1;
}

static void what_they_say_on_stderr_is_lost(void **state)
{
	(void)state;
	FILE *heard = tmpfile();
	double result[2];
	int before = dup(STDERR_FILENO);
	dup2(fileno(heard), STDERR_FILENO);
	processes_run(2, 2, complains, NULL, result);
	dup2(before, STDERR_FILENO);
	close(before);
	assert_int_equal(lseek(fileno(heard), 0, SEEK_END), 0);
	fclose(heard);
	assert_true(result[0] == 1 && result[1] == 1);
}

static void nothing_to_do_is_done(void **state)
{
	(void)state;
	double result[1] = { 5 };
	processes_run(2, 0, square, NULL, result);
	assert_true(result[0] == 5);
	assert_true(processes_most() >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_number_comes_to_its_place),
		cmocka_unit_test(the_work_is_shared_by_other_processes),
		cmocka_unit_test(what_a_process_did_not_come_to_say_is_nan),
		cmocka_unit_test(what_they_say_on_stderr_is_lost),
		cmocka_unit_test(nothing_to_do_is_done),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
