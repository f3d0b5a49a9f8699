/* SPDX-License-Identifier: MIT
 * The two kinds of context that a virtual device may have, in front of a driver that stands in for
 * CUDA's. A process has one kind, so each test is a process of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/standin/standin_recorder.h"

extern char standin_log[];
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
			       size_t shared_bytes, cudaStream_t stream);
void __cudaRegisterVar(void **module, char *host, char *address, const char *name, int is_external,
		       size_t bytes, int is_constant, int is_global);

static int launch(int device)
{
	const dim3 one = { 1, 1, 1 };
	const cudaError_t set = cudaSetDevice(device);

	return set || __cudaLaunchKernel(NULL, one, one, NULL, 0, NULL);
}

/* What a program finds on a machine; 0: all as it should. Its line tells where not. */
#define WRONG_UNLESS(holds)                                                                        \
	do {                                                                                       \
		if (!(holds))                                                                      \
			return __LINE__ & 0xff ? __LINE__ & 0xff : 1;                              \
	} while (0)

static int uses_devices(const char *log)
{
	struct cudaPointerAttributes attributes;
	struct cudaPitchedPtr box;
	void *of_2;
	int device = -1;

	WRONG_UNLESS(!launch(0) && !launch(2));
	WRONG_UNLESS(!cudaMalloc(&of_2, 64));
	WRONG_UNLESS(!launch(1) && !launch(0));
	WRONG_UNLESS(!strcmp(standin_log, log));
	WRONG_UNLESS(!cudaSetDevice(2) && !cudaGetDevice(&device) && device == 2);
	WRONG_UNLESS(!cudaPointerGetAttributes(&attributes, of_2) && attributes.device == 2);
	WRONG_UNLESS(!cudaMalloc3D(&box, (struct cudaExtent){ 100, 3, 2 }) && !cudaSetDevice(0));
	WRONG_UNLESS(!cudaPointerGetAttributes(&attributes, (char *)box.ptr + 512 * 6 - 1) &&
		     attributes.device == 2);
	WRONG_UNLESS(standin_device_of[2] == 2 && standin_device_of[3] == 1);
	return 0;
}

static int green(void)
{
	const int wrong = uses_devices("k1 g2 s1 k2 g3 s2 k3 s3 k1 ");

	WRONG_UNLESS(!cudaSetDevice(0) && !cudaDeviceReset());
	WRONG_UNLESS(!strchr(standin_log, 'r')); /* the others would go with it */
	return wrong;
}

static int variables_before(void)
{
	__cudaRegisterVar(NULL, NULL, NULL, "counter", 0, 4, 0, 0);
	return uses_devices("v4 k1 c2 s1 k2 c3 s2 k3 s3 k1 ");
}

static int variables_after(void)
{
	const int wrong = uses_devices("k1 g2 s1 k2 g3 s2 k3 s3 k1 ");

	__cudaRegisterVar(NULL, NULL, NULL, "counter", 0, 4, 0, 0);
	return wrong;
}

static int own(void)
{
	const int wrong = uses_devices("k1 c2 s1 k2 c3 s2 k3 s3 k1 ");

	WRONG_UNLESS(!cudaSetDevice(0) && !cudaDeviceReset());
	WRONG_UNLESS(strchr(standin_log, 'r'));
	return wrong;
}

/* In a process of its own; what it says goes into `said`. */
static int run(int (*program)(void), const char *has_green, const char *kind, char said[1024])
{
	int ends[2], status = -1;
	size_t length = 0;
	ssize_t more;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (!child) {
		dup2(ends[1], 2);
		close(ends[1]);
		if (has_green)
			setenv("WARPREEL_STANDIN_GREEN", has_green, 1);
		if (kind)
			setenv("WARPREEL_VIRTUAL_CONTEXTS", kind, 1);
		_exit(program());
	}
	close(ends[1]);
	while (length < 1023 && (more = read(ends[0], said + length, 1023 - length)) > 0)
		length += (size_t)more;
	said[length] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void green_contexts_where_the_driver_has_them(void **state)
{
	char said[1024];

	(void)state;
	assert_int_equal(run(green, "1", NULL, said), 0);
	assert_string_equal(said, "");
}

static void contexts_of_their_own_where_it_has_none(void **state)
{
	char said[1024];

	(void)state;
	assert_int_equal(run(own, NULL, NULL, said), 0);
	assert_int_equal(run(own, NULL, "green", said), 0);
	assert_string_equal(said, "");
}

static void contexts_of_their_own_where_asked_for(void **state)
{
	char said[1024];

	(void)state;
	assert_int_equal(run(own, "1", "own", said), 0);
}

static void variables_want_contexts_of_their_own(void **state)
{
	char said[1024];

	(void)state;
	assert_int_equal(run(variables_before, "1", NULL, said), 0);
	assert_string_equal(said, "");
}

static void variables_that_come_too_late_are_said(void **state)
{
	char said[1024];

	(void)state;
	assert_int_equal(run(variables_after, "1", NULL, said), 0);
	assert_non_null(strstr(said, "(counter)"));
	assert_non_null(strstr(said, "WARPREEL_VIRTUAL_CONTEXTS=own"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(green_contexts_where_the_driver_has_them),
		cmocka_unit_test(contexts_of_their_own_where_it_has_none),
		cmocka_unit_test(contexts_of_their_own_where_asked_for),
		cmocka_unit_test(variables_want_contexts_of_their_own),
		cmocka_unit_test(variables_that_come_too_late_are_said),
	};

	(void)argc;
	if (!getenv("LD_PRELOAD")) {
		setenv("LD_PRELOAD", VIRTUAL_LIBRARY, 1);
		setenv("WARPREEL_AS_GPUS", "4", 1);
		setenv("CUDA_INJECTION64_PATH", RECORDER_LIBRARY, 1);
		execv(argv[0], argv);
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
