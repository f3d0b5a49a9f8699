/* SPDX-License-Identifier: MIT
 * Processes of MPI that wait for each other, a GPU each, data through the host's memory:
 *
 *     mpirun -n RANKS halo_mpi KIND SIDE [STEPS]
 *
 * halo: a grid in strips, a kernel, borders down, MPI_Sendrecv with both neighbours, borders up.
 * requests: the same by MPI_Irecv, MPI_Isend and MPI_Waitall, and rank 0 works three times as much.
 * reduce: a kernel, its sum down, MPI_Allreduce.
 * pingpong: ranks 2k and 2k + 1 send each other SIDE floats and back.
 * master: rank 0 sends each other rank its part and gathers what comes of it.
 *
 * Each rank times twelve segments of STEPS steps, marked as NVTX ranges; rank 0 prints the medians
 * of the slowest rank. nvcc -O3 -arch=sm_90 -cudart shared, with MPI's flags.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <mpi.h>
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

#define TRY(call)                                                                                  \
	do {                                                                                       \
		cudaError_t error_ = (call);                                                       \
		if (error_ != cudaSuccess) {                                                       \
			fprintf(stderr, "halo_mpi: %s: %s\n", #call, cudaGetErrorString(error_));  \
			MPI_Abort(MPI_COMM_WORLD, 1);                                              \
		}                                                                                  \
	} while (0)

__global__ void relax(const float *in, float *out, int columns, int rows)
{
	const int x = blockIdx.x * blockDim.x + threadIdx.x + 1,
		  y = blockIdx.y * blockDim.y + threadIdx.y + 1;

	if (x < columns - 1 && y < rows + 1)
		out[y * columns + x] =
			0.25f * (in[y * columns + x - 1] + in[y * columns + x + 1] +
				 in[(y - 1) * columns + x] + in[(y + 1) * columns + x]);
}

__global__ void add_up(const float *in, int count, float *sum)
{
	float own = 0;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
		own += in[i];
	for (int d = 16; d; d /= 2)
		own += __shfl_down_sync(~0u, own, d);
	if (threadIdx.x % 32 == 0)
		atomicAdd(sum, own);
}

struct world {
	int rank, ranks, columns, rows, steps;
	float *d_in, *d_out, *d_sum, *h_up, *h_down, *h_from_up, *h_from_down, *h_all;
	cudaStream_t stream;
};

static void compute(world &w, int times)
{
	const dim3 block(32, 8), grid((w.columns + 29) / 32, (w.rows + 7) / 8);

	for (int i = 0; i < times; i++) {
		relax<<<grid, block, 0, w.stream>>>(w.d_in, w.d_out, w.columns, w.rows);
		std::swap(w.d_in, w.d_out);
	}
}

static void borders_down(world &w)
{
	const size_t bytes = w.columns * sizeof(float);

	TRY(cudaMemcpyAsync(w.h_up, w.d_in + w.columns, bytes, cudaMemcpyDeviceToHost, w.stream));
	TRY(cudaMemcpyAsync(w.h_down, w.d_in + w.rows * w.columns, bytes, cudaMemcpyDeviceToHost,
			    w.stream));
	TRY(cudaStreamSynchronize(w.stream));
}

static void borders_up(world &w)
{
	const size_t bytes = w.columns * sizeof(float);

	TRY(cudaMemcpyAsync(w.d_in, w.h_from_up, bytes, cudaMemcpyHostToDevice, w.stream));
	TRY(cudaMemcpyAsync(w.d_in + (w.rows + 1) * w.columns, w.h_from_down, bytes,
			    cudaMemcpyHostToDevice, w.stream));
}

static void step_halo(world &w)
{
	const int up = (w.rank + w.ranks - 1) % w.ranks, down = (w.rank + 1) % w.ranks;

	compute(w, 1);
	borders_down(w);
	MPI_Sendrecv(w.h_up, w.columns, MPI_FLOAT, up, 0, w.h_from_down, w.columns, MPI_FLOAT, down,
		     0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(w.h_down, w.columns, MPI_FLOAT, down, 0, w.h_from_up, w.columns, MPI_FLOAT, up,
		     0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	borders_up(w);
}

static void step_requests(world &w)
{
	const int up = w.rank ? w.rank - 1 : MPI_PROC_NULL,
		  down = w.rank + 1 < w.ranks ? w.rank + 1 : MPI_PROC_NULL;
	MPI_Request request[4];

	MPI_Irecv(w.h_from_up, w.columns, MPI_FLOAT, up, 1, MPI_COMM_WORLD, &request[0]);
	MPI_Irecv(w.h_from_down, w.columns, MPI_FLOAT, down, 2, MPI_COMM_WORLD, &request[1]);
	compute(w, w.rank ? 1 : 3);
	borders_down(w);
	MPI_Isend(w.h_up, w.columns, MPI_FLOAT, up, 2, MPI_COMM_WORLD, &request[2]);
	MPI_Isend(w.h_down, w.columns, MPI_FLOAT, down, 1, MPI_COMM_WORLD, &request[3]);
	MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
	borders_up(w);
}

static void step_reduce(world &w)
{
	float all;

	compute(w, 1);
	TRY(cudaMemsetAsync(w.d_sum, 0, sizeof(float), w.stream));
	add_up<<<264, 256, 0, w.stream>>>(w.d_in, w.columns * w.rows, w.d_sum);
	TRY(cudaMemcpyAsync(w.h_up, w.d_sum, sizeof(float), cudaMemcpyDeviceToHost, w.stream));
	TRY(cudaStreamSynchronize(w.stream));
	MPI_Allreduce(w.h_up, &all, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static void step_pingpong(world &w)
{
	const int other = w.rank ^ 1;
	const size_t bytes = w.columns * sizeof(float);

	if (other >= w.ranks)
		return;
	if (w.rank % 2 == 0) {
		TRY(cudaMemcpy(w.h_up, w.d_in, bytes, cudaMemcpyDeviceToHost));
		MPI_Send(w.h_up, w.columns, MPI_FLOAT, other, 3, MPI_COMM_WORLD);
		MPI_Recv(w.h_up, w.columns, MPI_FLOAT, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		TRY(cudaMemcpy(w.d_in, w.h_up, bytes, cudaMemcpyHostToDevice));
	} else {
		MPI_Recv(w.h_up, w.columns, MPI_FLOAT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		TRY(cudaMemcpy(w.d_in, w.h_up, bytes, cudaMemcpyHostToDevice));
		TRY(cudaMemcpy(w.h_up, w.d_in, bytes, cudaMemcpyDeviceToHost));
		MPI_Send(w.h_up, w.columns, MPI_FLOAT, other, 3, MPI_COMM_WORLD);
	}
}

static void step_master(world &w)
{
	const size_t bytes = w.columns * sizeof(float);

	MPI_Scatter(w.h_all, w.columns, MPI_FLOAT, w.h_up, w.columns, MPI_FLOAT, 0, MPI_COMM_WORLD);
	TRY(cudaMemcpyAsync(w.d_in, w.h_up, bytes, cudaMemcpyHostToDevice, w.stream));
	compute(w, 1 + w.rank);
	TRY(cudaMemcpyAsync(w.h_down, w.d_in, bytes, cudaMemcpyDeviceToHost, w.stream));
	TRY(cudaStreamSynchronize(w.stream));
	MPI_Gather(w.h_down, w.columns, MPI_FLOAT, w.h_all, w.columns, MPI_FLOAT, 0,
		   MPI_COMM_WORLD);
}

static const struct {
	const char *name;
	void (*step)(world &);
} kinds[] = { { "halo", step_halo },
	      { "requests", step_requests },
	      { "reduce", step_reduce },
	      { "pingpong", step_pingpong },
	      { "master", step_master } };

static void begin(world &w, int side)
{
	int gpus = 0;
	const size_t border = static_cast<size_t>(side) * sizeof(float);

	TRY(cudaGetDeviceCount(&gpus));
	TRY(cudaSetDevice(w.rank % gpus));
	w.columns = side;
	w.rows = side / w.ranks > 8 ? side / w.ranks : 8;
	const size_t bytes = border * (w.rows + 2);
	TRY(cudaMalloc(&w.d_in, bytes));
	TRY(cudaMalloc(&w.d_out, bytes));
	TRY(cudaMalloc(&w.d_sum, sizeof(float)));
	TRY(cudaMemset(w.d_in, 0, bytes));
	TRY(cudaMemset(w.d_out, 0, bytes));
	TRY(cudaStreamCreate(&w.stream));
	for (float **h : { &w.h_up, &w.h_down, &w.h_from_up, &w.h_from_down }) {
		TRY(cudaMallocHost(h, border));
		memset(*h, 0, border);
	}
	TRY(cudaMallocHost(&w.h_all, border * w.ranks));
	memset(w.h_all, 0, border * w.ranks);
}

int main(int argc, char **argv)
{
	enum { SEGMENTS = 12 };
	world w = {};
	void (*step)(world &) = NULL;
	double us[SEGMENTS], slowest[SEGMENTS];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &w.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &w.ranks);
	for (const auto &kind : kinds)
		if (argc > 2 && !strcmp(argv[1], kind.name))
			step = kind.step;
	if (!step) {
		fprintf(stderr,
			"usage: halo_mpi halo|requests|reduce|pingpong|master SIDE [STEPS]\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	w.steps = argc > 3 ? atoi(argv[3]) : 20;
	begin(w, atoi(argv[2]));
	for (int i = 0; i < 20; i++)
		step(w);
	for (int s = 0; s < SEGMENTS; s++) {
		TRY(cudaDeviceSynchronize());
		MPI_Barrier(MPI_COMM_WORLD);
		nvtxRangePushA("segment");
		const double start = MPI_Wtime();
		for (int i = 0; i < w.steps; i++)
			step(w);
		TRY(cudaDeviceSynchronize());
		us[s] = 1e6 * (MPI_Wtime() - start);
		nvtxRangePop();
	}
	MPI_Reduce(us, slowest, SEGMENTS, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	std::sort(slowest, slowest + SEGMENTS);
	if (!w.rank)
		printf("SEG us: median %.1f min %.1f max %.1f n %d\n",
		       (slowest[SEGMENTS / 2 - 1] + slowest[SEGMENTS / 2]) / 2, slowest[0],
		       slowest[SEGMENTS - 1], SEGMENTS);
	MPI_Finalize();
	return 0;
}
