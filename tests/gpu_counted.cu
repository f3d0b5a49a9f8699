// SPDX-License-Identifier: MIT
// A CUDA program to be killed under the recorder (tests/kill_anywhere.sh): it launches kernels,
// waits for them every 50, and keeps two counts of 8 bytes in FILE, mapped, which are there however
// it dies: launches made, and launches that were over 200 ms ago.
//
//     build/tests/gpu_counted FILE [LAUNCHES]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cuda_try.h"

enum { TOGETHER = 50, SLOTS = 64, SLOT_MS = 10, OLD_SLOTS = 20 };

__global__ void chain(float *out, int length)
{
	float a = threadIdx.x;
	for (int i = 0; i < length; i++)
		a = a * 1.0001f + 0.5f;
	if (a == -1.0f)
		*out = a;
}

static long long now_ms()
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	const long launches = argc > 2 ? atol(argv[2]) : 200000;
	uint64_t over[SLOTS] = { 0 }; /* at the end of each slot of 10 ms */
	long long slot = now_ms() / SLOT_MS;
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0644) : -1;
	volatile uint64_t *count;
	float *d_out;

	if (fd == -1 || ftruncate(fd, 16)) {
		perror("gpu_counted");
		return 1;
	}
	count = (volatile uint64_t *)mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (count == MAP_FAILED) {
		perror("gpu_counted");
		return 1;
	}
	TRY(cudaMalloc(&d_out, 4));
	for (long done = 0; done < launches; done += TOGETHER) {
		for (int i = 0; i < TOGETHER; i++) {
			chain<<<132, 256>>>(d_out, 1000);
			count[0] = count[0] + 1;
		}
		TRY(cudaDeviceSynchronize());
		for (long long now = now_ms() / SLOT_MS; slot < now; slot++)
			over[(slot + 1) % SLOTS] = over[slot % SLOTS];
		over[slot % SLOTS] = (uint64_t)(done + TOGETHER);
		count[1] = over[(slot - OLD_SLOTS) % SLOTS];
	}
	return 0;
}
