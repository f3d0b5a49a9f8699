/* SPDX-License-Identifier: MIT
 * Looking values up. Between two points a curve is a power law, which sizes and rates follow over
 * many decades; where a value is zero, negative or infinite (an ideal component, a gap) it is a
 * straight line.
 */
#include "platform.h"

#include <math.h>

/* Index of the segment [i, i + 1] to use for x; curves of one point have none. */
static size_t segment(const struct number_list *x_list, double x)
{
	size_t low = 0, high = x_list->count - 1;
	while (high - low > 1) {
		size_t middle = (low + high) / 2;
		if (x_list->value[middle] <= x)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static double line(double x0, double y0, double x1, double y1, double x)
{
	return y0 == y1 ? y0 : y0 + (y1 - y0) * ((x - x0) / (x1 - x0));
}

double curve_at(const struct curve *curve, double x)
{
	if (!curve->x.count)
		return NAN;
	if (curve->x.count == 1)
		return curve->y.value[0];
	size_t i = segment(&curve->x, x);
	double x0 = curve->x.value[i], x1 = curve->x.value[i + 1], y0 = curve->y.value[i],
	       y1 = curve->y.value[i + 1];
	if (x == x0 || y0 == y1)
		return y0;
	if (x == x1)
		return y1;
	if (isinf(y0) || isinf(y1)) /* half ideal: the nearer point's word */
		return fabs(x - x0) < fabs(x1 - x) ? y0 : y1;
	if (x0 > 0 && x > 0 && y0 > 0 && y1 > 0)
		return exp(line(log(x0), log(y0), log(x1), log(y1), log(x)));
	return x < x0 ? y0 : x > x1 ? y1 : line(x0, y0, x1, y1, x);
}

double curve_at_linear(const struct curve *curve, double x)
{
	if (!curve->x.count)
		return NAN;
	size_t last = curve->x.count - 1;
	if (x <= curve->x.value[0])
		return curve->y.value[0];
	if (x >= curve->x.value[last])
		return curve->y.value[last];
	size_t i = segment(&curve->x, x);
	double y0 = curve->y.value[i], y1 = curve->y.value[i + 1];
	if (isinf(y0) || isinf(y1))
		return x - curve->x.value[i] < curve->x.value[i + 1] - x ? y0 : y1;
	return line(curve->x.value[i], y0, curve->x.value[i + 1], y1, x);
}

double platform_host_ns(const struct platform *platform, int kind, int threads)
{
	const struct curve cost = { platform->threads, platform->host[kind] };
	/* A platform of one GPU has no cost for copies to peers. */
	return cost.y.count ? curve_at_linear(&cost, threads) : NAN;
}

double platform_list_ns(const struct platform *platform, const struct number_list *list,
			int threads, double otherwise)
{
	const struct curve cost = { platform->threads, *list };
	return list->count ? curve_at_linear(&cost, threads) : otherwise;
}
