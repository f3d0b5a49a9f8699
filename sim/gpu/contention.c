/* SPDX-License-Identifier: MIT */
#include "contention.h"

#include <math.h>

#include "traces/base/util.h"

static const double NOTHING = 1e-9; /* of a call */
static const double TAIL_PACE =
	0.5; /* while the last blocks of the one before make room: half of it, on average */

/* What is left of a multiprocessor that holds so many blocks. */
static struct sm_device left_beside(const struct sm_device *device, const struct warp_program *p,
				    int blocks)
{
	struct sm_device left = *device;
	int warps = (int)((p->block_threads + 31) / 32) * blocks;
	int64_t a_warp = (int64_t)p->registers * 32,
		unit = device->register_unit > 0 ? device->register_unit : 1;
	int64_t shared = (int64_t)p->shared_bytes + device->shared_reserved_bytes,
		shared_unit = device->shared_unit > 0 ? device->shared_unit : 1;
	left.warp_slots -= warps;
	left.block_slots -= blocks;
	left.register_count -= (int)((a_warp + unit - 1) / unit * unit * warps);
	left.shared_bytes -= (int)((shared + shared_unit - 1) / shared_unit * shared_unit * blocks);
	return left;
}

/* Blocks of a launch on a multiprocessor. */
static int fits(const struct sm_device *device, int sm_count, const struct grid_launch *launch)
{
	const struct warp_program *p = launch->program;
	if (device->warp_slots <= 0 || device->block_slots <= 0 || device->register_count <= 0 ||
	    device->shared_bytes < 0)
		return 0;
	int most = sm_occupancy(device, p->block_threads, p->registers, p->shared_bytes, NULL);
	int64_t wanted = (launch->blocks + sm_count - 1) / sm_count;
	return wanted < most ? (int)wanted : most;
}

void contention_fit(const struct sm_device *device, int sm_count, const struct contender c[2],
		    int first, struct contention_mix *mix)
{
	*mix = (struct contention_mix){ .pace = { 1, 1 }, .room = true };
	if (!c[0].launch || !c[1].launch) /* a copy is not in the way of blocks */
		return;
	mix->resident[first] = fits(device, sm_count, c[first].launch);
	struct sm_device left = left_beside(device, c[first].launch->program, mix->resident[first]);
	mix->resident[!first] = fits(&left, sm_count, c[!first].launch);
	mix->room = mix->resident[!first] > 0;
}

double contention_share(double asked, double other_asked, double rate)
{
	return asked + other_asked > rate ? asked * rate / (asked + other_asked) : asked;
}

static int cycles_of(const struct sm_device *device, int sm_count, const struct grid_launch *launch,
		     double *cycles)
{
	struct grid_answer answer;
	int rc = grid_time(device, sm_count, launch, &answer);
	*cycles = answer.cycles;
	grid_answer_release(&answer);
	return rc;
}

static double pace_of(double alone, double mixed)
{
	return mixed > alone ? alone / mixed : 1;
}

static int two_kernels(const struct sm_device *device, int sm_count, const struct contender c[2],
		       const double alone[2], struct contention *answer)
{
	for (int first = 0; first < 2; first++) {
		struct contention_mix *mix = &answer->mix[first];
		if (!mix->room || answer->handing[first] > 0)
			continue;
		for (int k = 0; k < 2; k++) {
			struct grid_launch launch = *c[k].launch;
			double mixed;
			launch.resident_most = mix->resident[k];
			launch.beside = c[!k].launch;
			launch.beside_resident = mix->resident[!k];
			launch.beside_first = k != first;
			if (cycles_of(device, sm_count, &launch, &mixed))
				return -1;
			mix->pace[k] = pace_of(alone[k], mixed);
		}
	}
	return 0;
}

static double mixed_rate(const struct sm_device *device)
{
	return device->dram.copy_bytes_per_s > 0 ? device->dram.copy_bytes_per_s
						 : device->dram.read_bytes_per_s;
}

/* With a copy there is only DRAM to share. */
static int with_copy(const struct sm_device *device, int sm_count, const struct contender c[2],
		     const double alone[2], struct contention *answer)
{
	double rate = mixed_rate(device), asked[2], got[2];
	for (int k = 0; k < 2; k++)
		asked[k] = c[k].dram_bytes / c[k].busy_ns * 1e9;
	for (int k = 0; k < 2; k++) {
		got[k] = contention_share(asked[k], asked[!k], rate);
		answer->mix[0].pace[k] = asked[k] > 0 ? got[k] / asked[k] : 1;
	}
	for (int k = 0; k < 2; k++) {
		if (!c[k].launch)
			continue;
		struct grid_launch launch = *c[k].launch;
		double mixed;
		/* as the device's reads count it */
		launch.background_dram_bytes_per_s = got[!k] / rate * device->dram.read_bytes_per_s;
		if (cycles_of(device, sm_count, &launch, &mixed))
			return -1;
		answer->mix[0].pace[k] = pace_of(alone[k], mixed);
	}
	answer->mix[1] = answer->mix[0];
	return 0;
}

int contention_paces(const struct sm_device *device, int sm_count, const struct contender c[2],
		     struct contention *answer)
{
	double alone[2] = { 0 };
	*answer = (struct contention){ 0 };
	for (int first = 0; first < 2; first++)
		contention_fit(device, sm_count, c, first, &answer->mix[first]);
	for (int k = 0; k < 2; k++) {
		if (!c[k].launch)
			continue;
		int most = fits(device, sm_count, c[k].launch);
		double at_once = (double)most * sm_count, blocks = (double)c[k].launch->blocks;
		if (c[!k].launch) /* blocks are not in a copy's way */
			answer->handing[k] = blocks > at_once ? 1 - at_once / blocks : 0;
		if (cycles_of(device, sm_count, c[k].launch, &alone[k]))
			return -1;
	}
	return c[0].launch && c[1].launch ? two_kernels(device, sm_count, c, alone, answer)
					  : with_copy(device, sm_count, c, alone, answer);
}

/* One side of what is played below. */
struct player {
	double calls;	 /* left, the present one included */
	double left;	 /* of the present call's blocks, 1 at its begin */
	double ready_ns; /* when the present call has come to the device */
	bool runs;
};

/* Whether `other` has begun and still keeps this one from beginning. */
static bool kept_waiting(const struct contention *x, const struct player *other, int k)
{
	if (!other->runs)
		return false;
	if (x->handing[!k] > 0) /* large: until its last block is handed out */
		return other->left - (1 - x->handing[!k]) > NOTHING;
	return !x->mix[!k].room;
}

double contention_both_ns(const struct contender c[2], const struct contention *x)
{
	struct player p[2] = { { .calls = c[0].calls, .left = 1 },
			       { .calls = c[1].calls, .left = 1 } };
	double now = 0, end = 0;
	int first = 0;
	while (p[0].calls > 0 || p[1].calls > 0) {
		for (int n = 0; n < 2; n++) { /* who came first begins first */
			int k = p[1].ready_ns < p[0].ready_ns ? !n : n;
			if (p[k].calls > 0 && !p[k].runs && p[k].ready_ns <= now &&
			    !kept_waiting(x, &p[!k], k)) {
				p[k].runs = true;
				first = p[!k].runs ? !k : k;
			}
		}
		double rate[2], step = INFINITY;
		bool both = p[0].runs && p[1].runs;
		for (int k = 0; k < 2; k++) {
			double pace = !both		      ? 1
				      : x->handing[first] > 0 ? (k == first ? 1 : TAIL_PACE)
							      : x->mix[first].pace[k];
			rate[k] = p[k].runs ? pace / c[k].busy_ns : 0;
			if (p[k].runs) {
				double handed = p[k].left - (1 - x->handing[k]);
				step = fmin(step, p[k].left / rate[k]);
				if (handed > NOTHING && !both)
					step = fmin(step, handed / rate[k]);
			} else if (p[k].calls > 0 && p[k].ready_ns > now) {
				step = fmin(step, p[k].ready_ns - now);
			}
		}
		now += step;
		for (int k = 0; k < 2; k++) {
			if (!p[k].runs)
				continue;
			p[k].left -= rate[k] * step;
			if (p[k].left > NOTHING)
				continue;
			end = now + c[k].call_ns - c[k].busy_ns;
			p[k] = (struct player){ .calls = p[k].calls - 1,
						.left = 1,
						.ready_ns = end };
			first = !k;
		}
	}
	return end;
}
