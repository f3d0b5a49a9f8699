/* SPDX-License-Identifier: MIT */
#include "traffic.h"

#include <math.h>

double traffic_share(double part, double whole)
{
	return whole <= 0 || part <= 0 ? 0 : part < whole ? part / whole : 1;
}

/*
 * BYTES_BY_POINTS. Blocks cover more than there is to do, and how much more depends on the size:
 * warps beyond the edge move nothing. So bytes follow the points, not the warps, where both
 * launches know theirs.
 */
static double work_scale(const struct sm_device *device, const struct traffic_launch *l)
{
	if (!mechanism_on(&device->mechanisms, MECHANISM_BYTES_BY_POINTS) ||
	    l->profile->points <= 0 || l->shape->points <= 0)
		return 1;
	return (double)l->shape->points / l->warps /
	       ((double)l->profile->points / (double)profile_warps(l->profile));
}

/*
 * OVER_FETCH. How many more bytes go between L2 and DRAM than the launch touches: scattered
 * accesses fetch the same lines again, since L2 did not keep them that long, and more of a line
 * than they want; and a footprint is a range, which may have holes. The profile has counted them;
 * it tells where its own launch, so many times as large, went through more than L2 holds by itself:
 * what L2 wrote back in a smaller one's time was there before.
 */
static double over_fetch(const struct sm_device *device, const struct traffic_launch *l,
			 double touched_bytes, int64_t counted_bytes, double scale)
{
	const double own = l->memory->read_bytes + l->memory->write_bytes,
		     distance = fmin(l->memory->distance_bytes, own) * scale;
	double missing = 1 - residency_hits(l->counted_on, distance),
	       expected = touched_bytes * scale * missing;
	if (!mechanism_on(&device->mechanisms, MECHANISM_OVER_FETCH) || counted_bytes <= 0 ||
	    distance <= 0 || missing < 0.5 || expected <= 0 ||
	    l->memory->reversed > 0) /* its mean distance says little about a reversed sweep */
		return 1;
	return (double)counted_bytes / expected;
}

/* ATOMIC_SLICES. Atomics read and write in place. */
static double atomic_lines(const struct traffic_launch *l)
{
	double lines = 0;
	for (uint32_t k = 0; k < l->shape->access_count && l->program->atomics > 0; k++) {
		const struct schedule_access *a = &l->schedule->access[l->shape->first_access + k];
		if ((a->mode & ~(uint32_t)ACCESS_BACKWARD) == (ACCESS_READ | ACCESS_WRITE))
			lines += fmax((double)a->bytes / 128, 1);
	}
	return lines;
}

/* How many times as large the counted launch was. */
static double counted_scale(const struct traffic_launch *l)
{
	const double a_warp = l->program->l2_read_bytes + l->program->l2_write_bytes,
		     warps = (double)profile_warps(l->counted) / l->warps;
	/* warps of another block may do more each */
	return a_warp > 0 ? warps * (l->counted_warp_bytes / a_warp) : warps;
}

static double over(double moved, double asked)
{
	return moved > asked && asked > 0 ? moved / asked : 1;
}

/* What L2 lacks, by what earlier launches touched (L2_REUSE). */
static void misses_by_residency(struct traffic *t, const struct sm_device *device,
				const struct traffic_launch *l)
{
	const struct residency_shape *m = l->memory;
	const struct kernel_profile *counted = l->counted;
	const double scale = counted_scale(l);
	double from = m->read_miss_bytes *
		      over_fetch(device, l, m->read_bytes, counted->dram_read_bytes, scale);
	double to = m->write_miss_bytes *
		    over_fetch(device, l, m->write_bytes, counted->dram_write_bytes, scale);
	t->l2_miss_share = traffic_share(from, t->l2_read_bytes);
	t->dram_write_share = traffic_share(to, t->l2_write_bytes);
	t->over_read = over(from, t->l2_read_bytes);
	t->over_write = over(to, t->l2_write_bytes);
}

/* No footprint: as in the profiled launch. */
static void misses_as_counted(struct traffic *t, const struct kernel_profile *counted)
{
	t->l2_miss_share = traffic_share((double)counted->dram_read_bytes,
					 32 * (double)counted->l2_read_sectors);
	t->dram_write_share = traffic_share((double)counted->dram_write_bytes,
					    32 * (double)counted->l2_write_sectors);
	t->unknown = counted->dram_read_bytes < 0 || counted->dram_write_bytes < 0;
}

struct traffic traffic_of_launch(const struct sm_device *device, const struct traffic_launch *l)
{
	const struct residency_shape *m = l->memory;
	struct traffic t = {
		.over_read = 1,
		.over_write = 1,
		.work_scale = work_scale(device, l),
		.l1_scale = l->l1_scale > 0 ? l->l1_scale : 1,
		.written = m->written,
		.wide = m->wide,
		.dirty = m->dirty,
		.reversed = m->reversed,
		.updated = m->updated,
		.strips = l->program->strips,
		.atomic_lines = atomic_lines(l),
	};
	t.l2_read_bytes = l->warps * l->program->l2_read_bytes * t.work_scale * t.l1_scale;
	t.l2_write_bytes = l->warps * l->program->l2_write_bytes * t.work_scale;
	if (m->read_bytes + m->write_bytes > 0)
		misses_by_residency(&t, device, l);
	else
		misses_as_counted(&t, l->counted);
	return t;
}

static double to_step(double value, double steps)
{
	return round(value * steps) / steps;
}

/* To seven binary digits behind the first. */
static double to_bits(double value)
{
	int exponent;
	const double half = frexp(value, &exponent);
	return ldexp(round(half * 256) / 256, exponent);
}

struct traffic traffic_rounded(const struct traffic *t)
{
	const double fine = 64, coarse = 16;
	struct traffic r = *t;
	r.l2_miss_share = to_step(t->l2_miss_share, fine);
	r.dram_write_share = to_step(t->dram_write_share, fine);
	r.over_read = to_bits(t->over_read);
	r.over_write = to_bits(t->over_write);
	r.work_scale = to_bits(t->work_scale);
	r.l1_scale = to_bits(t->l1_scale);
	r.written = to_step(t->written, coarse);
	r.wide = to_step(t->wide, coarse);
	r.dirty = to_step(t->dirty, coarse);
	r.reversed = to_step(t->reversed, coarse);
	r.updated = to_step(t->updated, coarse);
	return r;
}

double traffic_dram_read_bytes(const struct traffic *t)
{
	return t->l2_read_bytes * t->l2_miss_share * t->over_read;
}

double traffic_dram_write_bytes(const struct traffic *t)
{
	return t->l2_write_bytes * t->dram_write_share * t->over_write;
}
