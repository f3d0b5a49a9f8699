/* SPDX-License-Identifier: MIT */
#include "transfer_law.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "traces/base/util.h"

const char *const transfer_method_name[TRANSFER_METHOD_COUNT] = {
#define TRANSFER(id, name, what) [TRANSFER_##id] = name,
	TRANSFER_METHODS(TRANSFER)
#undef TRANSFER
};

/* Of a weighted line y = a + b x. */
struct sums {
	double w, x, y, xx, xy;
};

static void take(struct sums *s, double x, double y, double weight)
{
	s->w += weight;
	s->x += weight * x;
	s->y += weight * y;
	s->xx += weight * x * x;
	s->xy += weight * x * y;
}

static int solve(const struct sums *s, double *a, double *b)
{
	const double determinant = s->w * s->xx - s->x * s->x;
	if (!(determinant > 1e-12 * s->w * s->xx))
		return -1;
	*b = (s->w * s->xy - s->x * s->y) / determinant;
	*a = (s->y - *b * s->x) / s->w;
	return 0;
}

static int fit_line(struct transfer_law *law, const struct transfer_sample *sample, size_t count)
{
	const bool relative = law->method == TRANSFER_RELATIVE;
	struct sums sums = { 0 };
	for (size_t k = 0; k < count; k++)
		if (sample[k].bytes > 0)
			take(&sums, sample[k].bytes / TRANSFER_WORD_BYTES, sample[k].ns,
			     relative ? 1 / (sample[k].ns * sample[k].ns) : 1);
	return solve(&sums, &law->startup_ns, &law->word_ns);
}

/* (6.3) */
static int fit_power(struct transfer_law *law, const struct transfer_sample *sample, size_t count)
{
	struct sums sums = { 0 };
	double log_factor;
	for (size_t k = 0; k < count; k++)
		if (sample[k].bytes > 0)
			take(&sums, log(sample[k].bytes), log(sample[k].ns), 1);
	if (solve(&sums, &log_factor, &law->exponent))
		return -1;
	law->factor_ns = exp(log_factor);
	return 0;
}

/* Appendix D.2.2. What it takes for the time of a word is the latency of a copy: nothing is gone
 * through there that moves a second word. */
static int fit_timer_reg(struct transfer_law *law, const struct transfer_sample *sample,
			 size_t count)
{
	double nothing = NAN, word = NAN;
	for (size_t k = 0; k < count; k++) {
		if (sample[k].bytes == 0)
			nothing = sample[k].ns;
		else if (sample[k].bytes <= TRANSFER_WORD_BYTES)
			word = sample[k].ns;
	}
	law->startup_ns = nothing;
	law->word_ns = word - nothing;
	return isnan(law->word_ns) ? -1 : 0;
}

int transfer_fit(struct transfer_law *law, enum transfer_method method,
		 const struct transfer_sample *sample, size_t count)
{
	*law = (struct transfer_law){ method, NAN, NAN, NAN, NAN };
	switch (method) {
	case TRANSFER_LINEAR:
	case TRANSFER_RELATIVE:
		return fit_line(law, sample, count);
	case TRANSFER_POWER:
		return fit_power(law, sample, count);
	default:
		return fit_timer_reg(law, sample, count);
	}
}

double transfer_ns(const struct transfer_law *law, double bytes)
{
	return law->method == TRANSFER_POWER
		       ? law->factor_ns * pow(bytes, law->exponent)
		       : law->startup_ns + bytes / TRANSFER_WORD_BYTES * law->word_ns;
}

struct transfer_errors transfer_errors(const struct transfer_law *law,
				       const struct transfer_sample *sample, size_t count)
{
	struct transfer_errors e = { 0, NAN, NAN, NAN, NAN };
	double *error = xcalloc(count + 1, sizeof(*error)), sum = 0;
	for (size_t k = 0; k < count; k++) {
		if (!(sample[k].bytes > 0))
			continue;
		const double off = fabs(transfer_ns(law, sample[k].bytes) / sample[k].ns - 1) * 100;
		if (!e.count || off > e.largest_pct) {
			e.largest_pct = off;
			e.worst_bytes = sample[k].bytes;
		}
		sum += off;
		error[e.count++] = off;
	}
	if (e.count) {
		e.mean_pct = sum / (double)e.count;
		e.median_pct = median_of(error, e.count);
	}
	free(error);
	return e;
}
