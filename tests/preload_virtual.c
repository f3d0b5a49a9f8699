/* SPDX-License-Identifier: MIT
 * The hooks of libwarpreel-virtual.so in front of a runtime and a driver that stand in for CUDA's:
 * the test is a program of four GPUs which checks what it is answered.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/standin/standin_recorder.h"

extern char standin_log[];
extern int standin_contexts_left, standin_never_ends;
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
			       size_t shared_bytes, cudaStream_t stream);

static void launch(void)
{
	const dim3 one = { 1, 1, 1 };

	assert_int_equal(__cudaLaunchKernel(NULL, one, one, NULL, 0, NULL), cudaSuccess);
}

static void forget(void)
{
	launch(); /* whatever the device before was, its turn is over */
	memset(standin_log, 0, 4096);
}

static void as_many_devices_as_asked_for(void **state)
{
	int count = 0;

	(void)state;
	assert_int_equal(cudaGetDeviceCount(&count), cudaSuccess);
	assert_int_equal(count, 4);
}

static void the_device_set_is_the_device_got(void **state)
{
	int device = -1;

	(void)state;
	for (int i = 0; i < 3; i++) { /* contexts are numbered as they are made */
		assert_int_equal(cudaSetDevice(i), cudaSuccess);
		assert_int_equal(cudaGetDevice(&device), cudaSuccess);
		assert_int_equal(device, i);
	}
}

static void a_device_beyond_the_last_is_refused(void **state)
{
	int device = -1;

	(void)state;
	assert_int_equal(cudaSetDevice(1), cudaSuccess);
	assert_int_equal(cudaSetDevice(4), cudaErrorInvalidDevice);
	assert_int_equal(cudaSetDevice(-1), cudaErrorInvalidDevice);
	assert_int_equal(cudaGetDevice(&device), cudaSuccess);
	assert_int_equal(device, 1);
}

static void *first_device(void *device)
{
	cudaGetDevice(device);
	return NULL;
}

static void a_new_thread_has_device_0(void **state)
{
	pthread_t thread;
	int device = -1;

	(void)state;
	assert_int_equal(cudaSetDevice(2), cudaSuccess);
	assert_int_equal(pthread_create(&thread, NULL, first_device, &device), 0);
	pthread_join(thread, NULL);
	assert_int_equal(device, 0);
}

static void devices_differ_by_bus(void **state)
{
	struct cudaDeviceProp properties;
	char text[32];
	int device = -1;

	(void)state;
	assert_int_equal(cudaGetDeviceProperties(&properties, 2), cudaSuccess);
	assert_int_equal(properties.pciBusID, 0x1a);
	assert_int_equal(cudaDeviceGetPCIBusId(text, sizeof(text), 2), cudaSuccess);
	assert_string_equal(text, "0000:1a:00.0");
	assert_int_equal(cudaDeviceGetByPCIBusId(&device, text), cudaSuccess);
	assert_int_equal(device, 2);
	assert_int_equal(cudaDeviceGetByPCIBusId(&device, "0000:1c:00.0"), cudaErrorInvalidDevice);
}

static void peers_are_enabled_once(void **state)
{
	int can = -1;

	(void)state;
	assert_int_equal(cudaSetDevice(1), cudaSuccess);
	assert_int_equal(cudaDeviceCanAccessPeer(&can, 1, 2), cudaSuccess);
	assert_int_equal(can, 1);
	assert_int_equal(cudaDeviceCanAccessPeer(&can, 1, 1), cudaSuccess);
	assert_int_equal(can, 0);
	assert_int_equal(cudaDeviceEnablePeerAccess(2, 0), cudaSuccess);
	assert_int_equal(cudaDeviceEnablePeerAccess(2, 0), cudaErrorPeerAccessAlreadyEnabled);
	assert_int_equal(cudaDeviceEnablePeerAccess(1, 0), cudaErrorInvalidDevice);
	assert_int_equal(cudaDeviceDisablePeerAccess(2), cudaSuccess);
	assert_int_equal(cudaDeviceDisablePeerAccess(2), cudaErrorPeerAccessNotEnabled);
}

static void kernels_of_a_device_wait_for_those_of_the_one_before(void **state)
{
	(void)state;
	assert_int_equal(cudaSetDevice(0), cudaSuccess);
	forget();
	launch();
	launch();
	assert_string_equal(standin_log, "k1 k1 ");
	assert_int_equal(cudaSetDevice(1), cudaSuccess);
	launch();
	assert_string_equal(strchr(standin_log, 's'), "s1 k2 ");
	assert_int_equal(cudaSetDevice(0), cudaSuccess);
	assert_int_equal(cudaMemset(NULL, 0, 1), cudaSuccess);
	assert_string_equal(strchr(standin_log, 's'), "s1 k2 s2 z1 ");
}

static void nothing_waits_while_a_stream_is_captured(void **state)
{
	cudaGraph_t graph;

	(void)state;
	assert_int_equal(cudaSetDevice(0), cudaSuccess);
	forget();
	assert_int_equal(cudaStreamBeginCapture(NULL, 0), cudaSuccess);
	assert_int_equal(cudaSetDevice(1), cudaSuccess);
	launch();
	assert_null(strchr(standin_log, 's'));
	assert_int_equal(cudaStreamEndCapture(NULL, &graph), cudaSuccess);
	launch();
	assert_non_null(strchr(standin_log, 's'));
}

static void memory_is_of_the_device_that_allocated_it(void **state)
{
	struct cudaPointerAttributes attributes;
	void *plain, *pooled;

	(void)state;
	assert_int_equal(cudaSetDevice(2), cudaSuccess);
	assert_int_equal(cudaMalloc(&plain, 4096), cudaSuccess);
	assert_int_equal(cudaSetDevice(1), cudaSuccess);
	assert_int_equal(cudaMallocAsync(&pooled, 4096, NULL), cudaSuccess);
	assert_int_equal(cudaSetDevice(0), cudaSuccess);
	assert_int_equal(cudaPointerGetAttributes(&attributes, (char *)plain + 100), cudaSuccess);
	assert_int_equal(attributes.device, 2);
	assert_true(standin_notes[NOTE_MEMORY] > 1);
	assert_int_equal(cudaPointerGetAttributes(&attributes, (char *)pooled + 4095), cudaSuccess);
	assert_int_equal(attributes.device, 1);
	assert_int_equal(cudaFreeAsync(pooled, NULL), cudaSuccess);
	assert_int_equal(cudaPointerGetAttributes(&attributes, pooled), cudaSuccess);
	assert_int_equal(attributes.device, 0);
}

static void the_most_a_device_held_counts_boxes(void **state)
{
	const int notes = standin_notes[NOTE_MEMORY];
	struct cudaPitchedPtr box;

	(void)state;
	assert_int_equal(cudaSetDevice(2), cudaSuccess);
	assert_int_equal(cudaMalloc3D(&box, (struct cudaExtent){ 1 << 20, 3, 2 }), cudaSuccess);
	assert_int_equal(standin_notes[NOTE_MEMORY], notes + 1);
	assert_int_equal(standin_note_last.object, 2);
	assert_in_range(standin_note_last.value, 6 << 20, 7 << 20);
	assert_int_equal(cudaFree(box.ptr), cudaSuccess);
}

static void a_peer_copy_is_a_copy_of_the_one_device(void **state)
{
	(void)state;
	memset(standin_log, 0, 4096);
	assert_int_equal(cudaMemcpyPeerAsync(NULL, 2, NULL, 1, 8, NULL), cudaSuccess);
	assert_string_equal(standin_log, "m4 ");
	assert_int_equal(cudaMemcpyPeerAsync(NULL, 4, NULL, 1, 8, NULL), cudaErrorInvalidDevice);
	assert_string_equal(standin_log, "m4 ");
}

static void the_recorder_is_told_which_context_is_which_device(void **state)
{
	(void)state;
	assert_int_equal(standin_device_of[2], 1); /* 1 is the primary context */
	assert_int_equal(standin_device_of[3], 2);
}

static void a_copy_between_devices_is_noted_with_both(void **state)
{
	const int notes = standin_notes[NOTE_PEER_COPY];
	void *from, *to;

	(void)state;
	assert_int_equal(cudaSetDevice(2), cudaSuccess);
	assert_int_equal(cudaMalloc(&from, 64), cudaSuccess);
	assert_int_equal(cudaSetDevice(1), cudaSuccess);
	assert_int_equal(cudaMalloc(&to, 64), cudaSuccess);
	assert_int_equal(cudaMemcpyAsync(to, from, 64, cudaMemcpyDeviceToDevice, NULL),
			 cudaSuccess);
	assert_int_equal(standin_notes[NOTE_PEER_COPY], notes + 1);
	assert_int_equal(standin_note_last.object, 2 << 16 | 1);
	assert_int_equal(standin_note_last.value, 0);
	assert_int_equal(cudaMemcpyPeerAsync(from, 2, to, 1, 64, NULL), cudaSuccess);
	assert_int_equal(standin_note_last.object, 1 << 16 | 2);
	assert_int_equal(standin_note_last.value, 1);
	assert_int_equal(cudaMemcpyAsync(to, to, 64, cudaMemcpyDeviceToDevice, NULL), cudaSuccess);
	assert_int_equal(standin_notes[NOTE_PEER_COPY], notes + 2);
}

static void waiting_for_a_turn_is_hidden(void **state)
{
	int hidden;

	(void)state;
	assert_int_equal(cudaSetDevice(0), cudaSuccess);
	launch();
	hidden = standin_notes[NOTE_HIDDEN];
	launch();
	/* Its own hooks are, too, before the call and after it. */
	assert_int_equal(standin_notes[NOTE_HIDDEN], hidden + 2);
	assert_int_equal(cudaSetDevice(1), cudaSuccess);
	hidden = standin_notes[NOTE_HIDDEN];
	launch();
	/* A wait for the other device's work is written down at once: the thread may end here. */
	assert_int_equal(standin_notes[NOTE_HIDDEN], hidden + 3);
	hidden = standin_notes[NOTE_HIDDEN];
	warpreel_virtual_flush(); /* what came last */
	warpreel_virtual_flush();
	assert_int_equal(standin_notes[NOTE_HIDDEN], hidden + 1);
	assert_true(standin_hidden_last.end_ns > standin_hidden_last.start_ns);
}

static void a_barrier_is_noted(void **state)
{
	pthread_barrier_t barrier;
	const int notes = standin_notes[NOTE_BARRIER];

	(void)state;
	assert_int_equal(pthread_barrier_init(&barrier, NULL, 1), 0);
	pthread_barrier_wait(&barrier);
	assert_int_equal(standin_notes[NOTE_BARRIER], notes + 1);
	pthread_barrier_destroy(&barrier);
}

static void a_kernel_that_never_ends_ends_the_program(void **state)
{
	int status = 0;
	pid_t child = fork();

	(void)state;
	if (!child) {
		setenv("WARPREEL_STUCK_S", "1", 1);
		standin_never_ends = 1;
		cudaSetDevice(0);
		launch();
		cudaSetDevice(1);
		launch();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
}

static void a_hint_names_the_real_device(void **state)
{
	const struct cudaMemLocation place = { cudaMemLocationTypeDevice, 2 };

	(void)state;
	assert_int_equal(cudaMemPrefetchAsync(NULL, 8, place, 0, NULL), cudaSuccess);
}

static void a_reset_keeps_the_real_device(void **state)
{
	(void)state;
	assert_int_equal(cudaSetDevice(1), cudaSuccess);
	memset(standin_log, 0, 4096);
	assert_int_equal(cudaDeviceReset(), cudaSuccess);
	assert_null(strchr(standin_log, 'r'));
	assert_int_equal(cudaSetDevice(0), cudaSuccess);
	assert_int_equal(cudaDeviceReset(), cudaSuccess);
	assert_non_null(strchr(standin_log, 'r'));
}

static void what_does_not_fit_is_said(void **state)
{
	void *pointer;

	(void)state;
	assert_int_equal(cudaMalloc(&pointer, (size_t)1 << 41), cudaErrorMemoryAllocation);
}

static void other_ways_between_gpus_are_refused(void **state)
{
	int (*shmem)(unsigned, void *) = (int (*)(unsigned, void *))(uintptr_t)dlsym(
		RTLD_DEFAULT, "nvshmemx_hostlib_init_attr");
	int (*topology)(void *, void *, int *) = (int (*)(void *, void *, int *))(uintptr_t)dlsym(
		RTLD_DEFAULT, "nvmlDeviceGetTopologyCommonAncestor");
	int (*link)(void *, unsigned, int *) = (int (*)(void *, unsigned, int *))(uintptr_t)dlsym(
		RTLD_DEFAULT, "nvmlDeviceGetNvLinkState");

	(void)state;
	assert_non_null(shmem);
	assert_int_equal(shmem(0, NULL), 1);
	assert_non_null(topology);
	assert_int_equal(topology(NULL, NULL, NULL), 3);
	assert_non_null(link);
	assert_int_equal(link(NULL, 0, NULL), 3);
}

/* Of a library that a program opened itself, as Python's do. */
static void functions_looked_up_by_name_are_ours(void **state)
{
	void *library = dlopen("libnccl.so.2", RTLD_NOW), *found, *count;
	int (*all)(void **, int, const int *);
	void *comm[2];
	int ranks = 0;

	(void)state;
	assert_non_null(library);
	found = dlsym(library, "ncclCommInitAll");
	count = dlsym(library, "ncclCommCount");
	all = (int (*)(void **, int, const int *))(uintptr_t)found;
	assert_int_equal(all(comm, 2, NULL), 0);
	assert_int_equal(((int (*)(void *, int *))(uintptr_t)count)(comm[1], &ranks), 0);
	assert_int_equal(ranks, 2);
	assert_non_null(dlsym(library, "ncclGetVersion")); /* the library's own */
	assert_null(dlsym(library, "ncclNoSuchFunction"));
	assert_null(dlsym(library, "ncclCommGrow")); /* it is too old to have it */
}

static void symbols_are_found_as_before(void **state)
{
	(void)state;
	assert_ptr_equal(dlsym(RTLD_DEFAULT, "getpid"), getpid);
	assert_null(dlsym(RTLD_DEFAULT, "no_such_function_anywhere"));
	/* Next after the program, not after the library that asks for it. */
	assert_non_null(dlsym(RTLD_NEXT, "cudaSetDevice"));
	assert_ptr_equal(dlsym(RTLD_NEXT, "cudaSetDevice"), dlsym(RTLD_DEFAULT, "cudaSetDevice"));
}

/* Last: it takes the room away. */
static void a_device_without_room_is_refused(void **state)
{
	int device = -1;

	(void)state;
	standin_contexts_left = 0;
	assert_int_equal(cudaSetDevice(0), cudaSuccess);
	assert_int_equal(cudaSetDevice(3), cudaErrorMemoryAllocation);
	assert_int_equal(cudaGetDevice(&device), cudaSuccess);
	assert_int_equal(device, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		/* First: a fork has none of the threads that watch. */
		cmocka_unit_test(a_kernel_that_never_ends_ends_the_program),
		cmocka_unit_test(as_many_devices_as_asked_for),
		cmocka_unit_test(the_device_set_is_the_device_got),
		cmocka_unit_test(a_device_beyond_the_last_is_refused),
		cmocka_unit_test(a_new_thread_has_device_0),
		cmocka_unit_test(devices_differ_by_bus),
		cmocka_unit_test(peers_are_enabled_once),
		cmocka_unit_test(kernels_of_a_device_wait_for_those_of_the_one_before),
		cmocka_unit_test(nothing_waits_while_a_stream_is_captured),
		cmocka_unit_test(memory_is_of_the_device_that_allocated_it),
		cmocka_unit_test(the_most_a_device_held_counts_boxes),
		cmocka_unit_test(a_peer_copy_is_a_copy_of_the_one_device),
		cmocka_unit_test(the_recorder_is_told_which_context_is_which_device),
		cmocka_unit_test(a_copy_between_devices_is_noted_with_both),
		cmocka_unit_test(waiting_for_a_turn_is_hidden),
		cmocka_unit_test(a_barrier_is_noted),
		cmocka_unit_test(a_hint_names_the_real_device),
		cmocka_unit_test(a_reset_keeps_the_real_device),
		cmocka_unit_test(what_does_not_fit_is_said),
		cmocka_unit_test(other_ways_between_gpus_are_refused),
		cmocka_unit_test(functions_looked_up_by_name_are_ours),
		cmocka_unit_test(symbols_are_found_as_before),
		cmocka_unit_test(a_device_without_room_is_refused),
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
