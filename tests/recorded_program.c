/* SPDX-License-Identifier: MIT
 * A program that is recorded without a GPU: it packs calls and kernels that a CUPTI of its own
 * gives it through the recorder's encoder and writer into the spool that `warpreel record` named.
 *
 *   recorded_program NOTE MS: a buffer of 64 launches each millisecond; how many kernels the system
 *   has taken stands in the file NOTE, 8 bytes, written after each buffer.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/standin/standin_activities.h"
#include "traces/recorder/recorder.h"

struct recorder recorder;

/* A buffer holds launches and kernels in turn. */
enum { LAUNCHES = 64 };

static void fill(union activity *activity, uint32_t first)
{
	memset(activity, 0, 2 * LAUNCHES * sizeof(*activity));
	for (uint32_t k = 0; k < LAUNCHES; k++) {
		const uint64_t at = 1000000 + 10000 * (uint64_t)(first + k);
		activity[2 * k].call = (CUpti_ActivityAPI){ .kind = CUPTI_ACTIVITY_KIND_RUNTIME,
							    .cbid = LAUNCH,
							    .threadId = 5,
							    .start = at,
							    .end = at + 3000,
							    .correlationId = first + k + 1 };
		CUpti_ActivityKernel10 *kernel = &activity[2 * k + 1].kernel;
		kernel->kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
		kernel->name = "kernel";
		kernel->start = at + 5000;
		kernel->end = at + 9000;
		kernel->gridX = kernel->gridY = kernel->gridZ = 1;
		kernel->blockX = kernel->blockY = kernel->blockZ = 1;
		kernel->contextId = kernel->streamId = 1;
		kernel->correlationId = first + k + 1;
	}
}

int main(int argc, char **argv)
{
	const char *base = getenv("WARPREEL_SPOOL");
	char path[4096];
	union activity *activity = calloc(2 * LAUNCHES, sizeof(*activity));
	int note = argc == 3 ? open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;

	if (!base || note < 0 || !activity)
		return 2;
	snprintf(path, sizeof(path), "%s.%ld", base, (long)getpid());
	pthread_mutex_init(&recorder.writer.file_lock, NULL);
	pthread_mutex_init(&recorder.writer.string_lock, NULL);
	recorder.cupti.cuptiGetCallbackName = name_of;
	recorder.cupti.cuptiActivityGetNextRecord = next_of;
	recorder.pool.buffer_bytes = 1 << 16;
	if (writer_open(&recorder.writer, path, (uint32_t)getpid()))
		return 1;
	encode_start();
	for (int ms = 0; ms < atoi(argv[2]); ms++) {
		const uint64_t written = LAUNCHES * ((uint64_t)ms + 1);
		fill(activity, LAUNCHES * (uint32_t)ms);
		encode_buffer((uint8_t *)activity, 2 * LAUNCHES * sizeof(*activity));
		if (pwrite(note, &written, sizeof(written), 0) != (ssize_t)sizeof(written))
			return 1;
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	writer_close(&recorder.writer);
	return 0;
}
