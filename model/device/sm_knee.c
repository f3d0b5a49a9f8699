/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "sm_device.h"

static double squares(const double *x, const double *rate, size_t count, double latency_s,
		      double most, double knee)
{
	double sum = 0;
	for (size_t i = 0; i < count; i++) {
		/* log((a^k + b^k)^(1/k)), with the larger of the two taken out so that no power
		 * overflows. */
		double a = latency_s, b = x[i] / most, large = fmax(a, b), small = fmin(a, b);
		double off =
			log(large) + log1p(pow(small / large, knee)) / knee - log(x[i] / rate[i]);
		sum += off * off;
	}
	return sum;
}

double sm_knee_fit(const double *inflight_bytes, const double *bytes_per_s, size_t count,
		   double latency_ns, double most_bytes_per_s, double *error)
{
	double low = log(0.5), high = log(32), ratio = (sqrt(5) - 1) / 2,
	       latency_s = 1e-9 * latency_ns;
	/* One valley: golden section over the logarithm of the knee. */
	for (int step = 0; step < 60; step++) {
		double left = high - ratio * (high - low), right = low + ratio * (high - low);
		if (squares(inflight_bytes, bytes_per_s, count, latency_s, most_bytes_per_s,
			    exp(left)) <= squares(inflight_bytes, bytes_per_s, count, latency_s,
						  most_bytes_per_s, exp(right)))
			high = right;
		else
			low = left;
	}
	double knee = exp(0.5 * (low + high));
	*error = sqrt(
		squares(inflight_bytes, bytes_per_s, count, latency_s, most_bytes_per_s, knee) /
		(double)count);
	return knee;
}
