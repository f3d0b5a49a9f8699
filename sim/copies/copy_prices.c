/* SPDX-License-Identifier: MIT
 * Copies by size, as calibrated in two places: on an idle stream and behind a kernel of 30 us
 * (model/calibrate/calibrate_idle.cu); where a platform has neither, as in a chain of copies.
 */
#include <math.h>

#include "copy_model.h"
#include "sim/host/host_cost.h"
#include "traces/base/util.h"

/* A copy of rows takes what one in a piece takes, where nothing else was measured. */
static int rows_or(const struct platform *p, const struct schedule_copy *copy, int rows, int piece)
{
	return copy->rows > 1 && p->copy[rows].x.count ? rows : piece;
}

static int copy_curve_of(const struct platform *p, const struct schedule_copy *copy)
{
	switch ((enum copy_kind)copy->kind) {
	case COPY_H2D:
		return copy->pageable ? COPY_CURVE_H2D_PAGEABLE
				      : rows_or(p, copy, COPY_CURVE_H2D_2D, COPY_CURVE_H2D);
	case COPY_D2H:
		return copy->pageable ? COPY_CURVE_D2H_PAGEABLE
				      : rows_or(p, copy, COPY_CURVE_D2H_2D, COPY_CURVE_D2H);
	case COPY_PEER:
		return COPY_CURVE_PEER;
	default:
		return COPY_CURVE_D2D;
	}
}

/* What rows take beyond their bytes: an engine fetches each by itself, and the host moves those of
 * pageable memory one by one. */
static double rows_ns(const struct platform *p, const struct schedule_copy *copy)
{
	const int kind = copy_curve_of(p, copy);

	if (copy->rows <= 1)
		return 0;
	return (double)copy->rows * p->row_ns[kind == COPY_CURVE_H2D_2D	  ? COPY_CURVE_H2D
					      : kind == COPY_CURVE_D2H_2D ? COPY_CURVE_D2H
									  : kind];
}

/* ns at `bytes`; beyond the last calibrated size it keeps the distance it has there from the
 * chain's curve. */
static double waited_for_ns(const struct curve *x_of, const struct number_list *ns,
			    const struct curve *chain, double bytes)
{
	const struct curve curve = { x_of->x, *ns };
	const double last = x_of->x.value[x_of->x.count - 1];
	if (bytes <= last)
		return curve_at(&curve, bytes);
	return curve_at(chain, bytes) + curve_at(&curve, last) - curve_at(chain, last);
}

static double first_rate(const struct curve *share)
{
	return share->x.count ? share->y.value[0] : 0;
}

/* What a copy's bytes take more on the links as set than on those the curves were measured on;
 * negative on faster ones. */
static double other_link_ns(const struct platform *p, const struct schedule_copy *copy)
{
	double was = 0, is = 0;
	if (copy->kind == COPY_PEER) {
		was = p->base->nvlink_bytes_per_s;
		is = p->nvlink_bytes_per_s;
	} else if (copy->kind == COPY_H2D || copy->kind == COPY_D2H) {
		const bool up = copy->kind == COPY_H2D;
		was = first_rate(up ? &p->base->share_h2d : &p->base->share_d2h);
		is = first_rate(up ? &p->share_h2d : &p->share_d2h);
	}
	return was > 0 && is > 0 && was != is ? (double)copy->bytes * 1e9 * (1 / is - 1 / was) : 0;
}

static sim_time ps_above(double ns, double least_ns)
{
	return ps_of_ns(ns > least_ns ? ns - least_ns : 0);
}

/* The curves of copies of pageable memory are of whole calls on an idle device: the call's own
 * time, up that in which it fills a buffer, and the return of who waits are in it, and charged by
 * themselves. */
static double of_the_stream_ns(const struct platform *p, int kind, double whole_ns)
{
	const int call = kind == COPY_CURVE_H2D_PAGEABLE ? HOST_COPY_H2D : HOST_COPY_D2H;
	const double own_ns = platform_host_ns(p->base, call, 1) +
			      platform_host_ns(p->base, HOST_SYNC_WAKE, 1) +
			      p->copy_start_latency_ns;

	if (kind != COPY_CURVE_H2D_PAGEABLE && kind != COPY_CURVE_D2H_PAGEABLE)
		return whole_ns;
	return whole_ns > own_ns ? whole_ns - own_ns : 0;
}

static struct copy_price price_of(const struct platform *p, const struct schedule_copy *copy)
{
	const int kind = copy_curve_of(p, copy);
	const struct curve *chain = &p->copy[kind], *idle = &p->idle[kind];
	const double bytes = copy->bytes > 0 ? (double)copy->bytes : 1,
		     wake_ns = platform_host_ns(p->base, HOST_SYNC_WAKE, 1), /* idle lists end so */
		link_ns = other_link_ns(p, copy), more_ns = link_ns + rows_ns(p, copy);
	const double chain_ns =
		chain->x.count ? of_the_stream_ns(p, kind, curve_at(chain, bytes)) : 0;
	double idle_ns = p->copy_start_latency_ns + chain_ns, behind_ns = chain_ns;
	if (chain->x.count && idle->x.count &&
	    mechanism_on(&p->mechanisms, MECHANISM_ENGINE_SWITCH)) {
		idle_ns = waited_for_ns(idle, &idle->y, chain, bytes) - wake_ns;
		behind_ns = waited_for_ns(idle, &p->behind[kind], chain, bytes);
	}
	double queued_ns = NAN;
	if (chain->x.count && idle->x.count && p->behind_copy[kind].count &&
	    mechanism_on(&p->mechanisms, MECHANISM_COPY_QUEUED))
		queued_ns = waited_for_ns(idle, &p->behind_copy[kind], chain, bytes);
	return (struct copy_price){
		.idle_ps = ps_above(idle_ns + more_ns, host_way_back_ns(p)),
		.behind_ps = ps_above(behind_ns + more_ns, 0),
		.link_ps = ps_of_ns(link_ns), /* one that was recorded has its rows */
		.queued_ps = isnan(queued_ns) ? -1 : ps_above(queued_ns + more_ns, 0),
		.after_ps = ps_above(chain_ns, behind_ns),
	};
}

struct copy_price *copy_prices(const struct platform *platform, const struct schedule *schedule,
			       bool say)
{
	struct copy_price *price = xcalloc(schedule->copy_count, sizeof(*price));
	for (uint32_t k = 0; k < schedule->copy_count; k++) {
		const struct schedule_copy *copy = &schedule->copy[k];
		const int kind = copy_curve_of(platform, copy);
		if (!platform->copy[kind].x.count && say)
			report_warning(
				"platform '%s' has no [%s]: such copies of %lld bytes cost nothing",
				platform->name, copy_curve_section[kind], (long long)copy->bytes);
		price[k] = price_of(platform, copy);
	}
	return price;
}
