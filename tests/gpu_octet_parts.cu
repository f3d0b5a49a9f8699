/* SPDX-License-Identifier: MIT
 * The step by sine transforms taken apart: a launch is told which of its parts to do, and how many
 * blocks a multiprocessor has. What is not done is jumped over, so that registers and code are the
 * same (docs/lab/kernels.md).
 *
 *     gpu_octet_parts     a table: parts, blocks a multiprocessor, us of a launch on patches of
 * 64^3 that L2 holds, and on those of 800 MB by turns
 *
 * The residuals are written again here, since a part of them is left out by itself, and what ships
 * keeps its machine code.
 *
 * Parts: u the octet and the planes below and above, f the right side, y and x the neighbours that
 * no lane has, s shuffles and residuals, t transforms, v the new values. Of 96 launches in a graph
 * the median of nine replays.
 */
#include <algorithm>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

#include "cuda_try.h"
#include "graph_time.cuh"
#include "kernels/patches/patches_octet.cuh"

enum { U = 1, F = 2, Y = 4, X = 8, S = 16, T = 32, V = 64, ALL = 127 };
enum { SIDE = 64, PITCH = SIDE + 2, PLANE = PITCH * PITCH, TILES = 128, SMS = 132 };
enum { LAUNCHES = 96 };

struct octets {
	const double *u, *f;
	double *v;
	int first, parts; /* first patch */
	int64_t patch;	  /* doubles from one to the next */
};

__global__ void __launch_bounds__(128, 3) octets(const struct octets a)
{
	const int index = (int)blockIdx.x, warp = (int)threadIdx.x / 32,
		  lane = (int)threadIdx.x % 32, row = lane / 4, column = lane % 4 * 2,
		  tile = index % TILES;
	const int at[3] = { tile % 2 * 32 + warp * 8, tile / 2 % 8 * 8, tile / 16 * 8 };
	const int64_t patch = (int64_t)(a.first + index / TILES) * a.patch;
	const double *u = a.u + patch + PLANE + PITCH + 2 + (int64_t)at[2] * PLANE +
			  (at[1] + row) * PITCH + at[0] + column;
	const double *f = a.f + patch + at[2] * SIDE * SIDE + (at[1] + row) * SIDE + at[0] + column;
	const bool low_y = row == 0, high_y = row == 7, low_x = column == 0, high_x = column == 6;
	const double *beside_y = u + (low_y ? -PITCH : PITCH), *beside_x = u + (low_x ? -1 : 2);
	double centre[2][8], r[2][8];
	struct pair below = { { 1, 2 } }, above = { { 3, 4 } };

#pragma unroll
	for (int q = 0; q < 8; q++) {
		centre[0][q] = lane + q;
		centre[1][q] = lane - q;
		r[0][q] = r[1][q] = q;
	}
	if (a.parts & U) {
		below = load_pair<false>(u - PLANE);
#pragma unroll
		for (int q = 0; q < 8; q++) {
			const struct pair p = load_pair<false>(u + q * PLANE);

			centre[0][q] = p.at[0];
			centre[1][q] = p.at[1];
		}
		above = load_pair<false>(u + 8 * PLANE);
	}
	if (a.parts & F) {
#pragma unroll
		for (int q = 0; q < 8; q++) {
			const struct pair p = *(const struct pair *)(f + q * SIDE * SIDE);

			r[0][q] = p.at[0];
			r[1][q] = p.at[1];
		}
	}
#pragma unroll
	for (int from = 0; from < 8; from += AHEAD) {
		struct pair y[AHEAD];
		double x[AHEAD];

#pragma unroll
		for (int n = 0; n < AHEAD; n++) {
			y[n].at[0] = y[n].at[1] = x[n] = 0;
			if ((a.parts & Y) && (low_y || high_y))
				y[n] = load_pair<false>(beside_y + (from + n) * PLANE);
			if ((a.parts & X) && (low_x || high_x))
				x[n] = beside_x[(from + n) * PLANE];
		}
		__syncwarp();
		if (!(a.parts & S)) {
#pragma unroll
			for (int n = 0; n < AHEAD; n++) {
				r[0][from + n] += x[n] + y[n].at[0];
				r[1][from + n] += centre[0][from + n] + y[n].at[1];
			}
			continue;
		}
#pragma unroll
		for (int n = 0; n < AHEAD; n++) {
			const int q = from + n;
			double left = __shfl_sync(~0u, centre[1][q], lane - 1),
			       right = __shfl_sync(~0u, centre[0][q], lane + 1);

			left = low_x ? x[n] : left;
			right = high_x ? x[n] : right;
#pragma unroll
			for (int p = 0; p < 2; p++) {
				double front = __shfl_sync(~0u, centre[p][q], lane - 4),
				       back = __shfl_sync(~0u, centre[p][q], lane + 4),
				       value = r[p][q];

				front = low_y ? y[n].at[p] : front;
				back = high_y ? y[n].at[p] : back;
				value = fma(-1.0,
					    q < 7 ? centre[p][q < 7 ? q + 1 : 7] : above.at[p],
					    value);
				value = fma(-1.0, q ? centre[p][q ? q - 1 : 0] : below.at[p],
					    value);
				value = fma(-1.0, back, value);
				value = fma(-1.0, front, value);
				value = fma(-1.0, p ? right : centre[1][q], value);
				value = fma(-1.0, p ? centre[0][q] : left, value);
				r[p][q] = fma(6.0, centre[p][q], value);
			}
		}
	}
	if (a.parts & T) {
		const double along[2] = { 0.25 * (lane % 5), 0.125 * (lane % 3) };

		patches_transform<true>(r[0], 4, 8);
		patches_transform<true>(r[1], 4, 8);
#pragma unroll
		for (int q = 0; q < 8; q++) {
			double x[2] = { r[0][q], r[1][q] };

			patches_turn(x, along);
			patches_turn(x, along);
			x[0] *= 0.5 + lane;
			x[1] *= 0.5 + q;
			patches_turn(x, along);
			patches_turn(x, along);
			r[0][q] = x[0];
			r[1][q] = x[1];
		}
		patches_transform<true>(r[0], 4, 8);
		patches_transform<true>(r[1], 4, 8);
	}
	double sum = below.at[0] + above.at[1];
#pragma unroll
	for (int q = 0; q < 8; q++)
		sum += r[0][q] * centre[1][q] + r[1][q] * centre[0][q];
	double *v = a.v + patch + PLANE + PITCH + 2 + (int64_t)at[2] * PLANE +
		    (at[1] + row) * PITCH + at[0] + column;
	if (a.parts & V || sum == 12345) {
#pragma unroll
		for (int q = 0; q < 8; q++)
			give_pair<false>(v + q * PLANE, fma(0.8, r[0][q], centre[0][q]),
					 fma(0.8, r[1][q], centre[1][q]), true);
	}
}

static struct {
	struct octets a;
	int patches;
} d;

static double us_of(int parts, int blocks, bool apart)
{
	const int step = (blocks + TILES - 1) / TILES, turns = d.patches / step;

	return graph_us([&](cudaStream_t stream) {
		       for (int i = 0; i < LAUNCHES; i++) {
			       struct octets a = d.a;

			       a.parts = parts;
			       a.first = apart ? i % turns * step : 0;
			       octets<<<(unsigned)blocks, 128, 0, stream>>>(a);
		       }
	       }) /
	       LAUNCHES;
}

int main(void)
{
	(void)patches_kernel_launch; /* of the headers; this program launches its own */
	static const int kinds[] = { 0,
				     U,
				     F,
				     U | F,
				     U | F | Y,
				     U | F | X,
				     U | F | Y | X,
				     X,
				     Y,
				     V,
				     U | F | Y | X | V,
				     S,
				     T,
				     S | T,
				     S | T | V,
				     U | F | Y | X | S,
				     U | F | Y | X | S | T,
				     ALL };
	d.a.patch = (PLANE * (int64_t)PITCH + 4 + 31) / 32 * 32;
	d.patches = (int)(800000000 / (3 * 8 * d.a.patch));
	const size_t bytes = (size_t)d.patches * (size_t)d.a.patch * sizeof(double);
	void *at[3];
	for (void *&p : at) {
		TRY(cudaMalloc(&p, bytes));
		TRY(cudaMemset(p, 0, bytes));
	}
	d.a.u = (const double *)at[0];
	d.a.f = (const double *)at[1];
	d.a.v = (double *)at[2];
	printf("parts\tblocks\tin_L2_us\tapart_us\n");
	for (int parts : kinds)
		for (int blocks : { 1, 2, 3, 6, 12 }) {
			char name[8] = "", *end = name;
			for (int k = 0; k < 7; k++)
				if (parts >> k & 1)
					*end++ = "ufyxstv"[k];
			printf("%s\t%d\t%.3f\t%.3f\n", *name ? name : "-", blocks,
			       us_of(parts, blocks * SMS, false), us_of(parts, blocks * SMS, true));
		}
	return 0;
}
