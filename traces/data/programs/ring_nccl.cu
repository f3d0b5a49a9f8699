/* SPDX-License-Identifier: MIT
 * Processes, a GPU each, that send to their neighbours by NCCL alone, so that each waits for two
 * others and for nobody else:
 *
 *     mpirun -n RANKS ring_nccl ring|chain COUNT WORK_US [SPREAD_US]
 *
 * A step is a kernel that spins WORK_US, and in each step and rank something else up to SPREAD_US
 * more, and one ncclGroup of sends and receives of COUNT floats with both neighbours (ring: the
 * last one's neighbour is the first). Twelve segments of 20 steps, marked as NVTX ranges; rank 0
 * prints the median of the slowest rank. nvcc -O3 -arch=sm_90 -cudart shared -lnccl, with MPI's
 * flags.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mpi.h>
#include <cuda_runtime.h>
#include <nccl.h>
#include <nvtx3/nvToolsExt.h>

#define MUST(call)                                                                                 \
	do {                                                                                       \
		const int error_ = static_cast<int>(call);                                         \
		if (error_) {                                                                      \
			fprintf(stderr, "ring_nccl: %s is %d\n", #call, error_);                   \
			MPI_Abort(MPI_COMM_WORLD, 1);                                              \
		}                                                                                  \
	} while (0)

__global__ void spin(long long ns)
{
	unsigned long long begin, now;

	asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
	do
		asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
	while (static_cast<long long>(now - begin) < ns);
}

int main(int argc, char **argv)
{
	enum { SEGMENTS = 12, STEPS = 20 };
	int rank, ranks, gpus;
	double us[SEGMENTS], slowest[SEGMENTS];
	float *d_out, *d_in;
	ncclUniqueId id;
	ncclComm_t comm;
	cudaStream_t stream;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (argc < 4) {
		fprintf(stderr, "usage: ring_nccl ring|chain COUNT WORK_US [SPREAD_US]\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	const bool ring = !strcmp(argv[1], "ring");
	const size_t count = strtoul(argv[2], NULL, 10);
	const long long work_ns = 1000 * atoll(argv[3]),
			spread_ns = argc > 4 ? 1000 * atoll(argv[4]) : 0;
	const int up = rank   ? rank - 1
		       : ring ? ranks - 1
			      : -1,
		  down = rank + 1 < ranks ? rank + 1
			 : ring		  ? 0
					  : -1;
	unsigned random = 12345u + 7919u * static_cast<unsigned>(rank);

	MUST(cudaGetDeviceCount(&gpus));
	MUST(cudaSetDevice(rank % gpus));
	if (!rank)
		MUST(ncclGetUniqueId(&id));
	MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
	MUST(ncclCommInitRank(&comm, ranks, id, rank));
	MUST(cudaMalloc(&d_out, 2 * count * sizeof(float)));
	MUST(cudaMalloc(&d_in, 2 * count * sizeof(float)));
	MUST(cudaMemset(d_out, 0, 2 * count * sizeof(float)));
	MUST(cudaStreamCreate(&stream));
	for (int s = -1; s < SEGMENTS; s++) {
		MUST(cudaDeviceSynchronize());
		MPI_Barrier(MPI_COMM_WORLD);
		if (s >= 0)
			nvtxRangePushA("segment");
		const double start = MPI_Wtime();
		for (int i = 0; i < STEPS; i++) {
			random = random * 1664525u + 1013904223u;
			spin<<<1, 32, 0, stream>>>(work_ns +
						   (spread_ns ? (random >> 8) % spread_ns : 0));
			MUST(ncclGroupStart());
			if (up >= 0) {
				MUST(ncclRecv(d_in, count, ncclFloat, up, comm, stream));
				MUST(ncclSend(d_out, count, ncclFloat, up, comm, stream));
			}
			if (down >= 0) {
				MUST(ncclRecv(d_in + count, count, ncclFloat, down, comm, stream));
				MUST(ncclSend(d_out + count, count, ncclFloat, down, comm, stream));
			}
			MUST(ncclGroupEnd());
		}
		MUST(cudaDeviceSynchronize());
		if (s < 0)
			continue;
		us[s] = 1e6 * (MPI_Wtime() - start);
		nvtxRangePop();
	}
	MPI_Reduce(us, slowest, SEGMENTS, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	std::sort(slowest, slowest + SEGMENTS);
	if (!rank)
		printf("SEG us: median %.1f min %.1f max %.1f n %d\n",
		       (slowest[SEGMENTS / 2 - 1] + slowest[SEGMENTS / 2]) / 2, slowest[0],
		       slowest[SEGMENTS - 1], SEGMENTS);
	ncclCommDestroy(comm);
	MPI_Finalize();
	return 0;
}
