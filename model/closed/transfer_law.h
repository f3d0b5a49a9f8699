/* SPDX-License-Identifier: MIT
 * Transfer times in closed form, and the laws fitted from measured ones: D. Spampinato, "Modeling
 * Communication on Multi-GPU Systems", NTNU 2009, equations (3.3), (6.2), (6.3) and appendix D.2.
 */
#ifndef WARPREEL_TRANSFER_LAW_H
#define WARPREEL_TRANSFER_LAW_H

#include <stddef.h>

/* TRANSFER(id, name, what it does) */
#define TRANSFER_METHODS(TRANSFER)                                                                 \
	TRANSFER(LINEAR, "linear", "least squares of startup + words * word")                      \
	TRANSFER(RELATIVE, "relative", "the same, of errors in per cent")                          \
	TRANSFER(POWER, "power", "least squares of logarithms: factor * bytes^exponent")           \
	TRANSFER(TIMER_REG, "timer-reg", "a copy of nothing, and one of a word less that")

enum transfer_method {
#define TRANSFER(id, name, what) TRANSFER_##id,
	TRANSFER_METHODS(TRANSFER)
#undef TRANSFER
		TRANSFER_METHOD_COUNT
};
extern const char *const transfer_method_name[TRANSFER_METHOD_COUNT];

enum { TRANSFER_WORD_BYTES = 4 };

/* One copy; 0 bytes: the call for nothing, which only timer-reg looks at. */
struct transfer_sample {
	double bytes, ns;
};

struct transfer_law {
	enum transfer_method method;
	double startup_ns, word_ns; /* NaN for a power law */
	double factor_ns, exponent; /* NaN for a line */
};

/* -1 without a message: too few sizes for it, or none that it needs. */
int transfer_fit(struct transfer_law *law, enum transfer_method method,
		 const struct transfer_sample *sample, size_t count);
double transfer_ns(const struct transfer_law *law, double bytes);

/* How far a law is off the samples with bytes, in per cent of these. */
struct transfer_errors {
	size_t count;
	double mean_pct, median_pct, largest_pct, worst_bytes; /* NaN where count is 0 */
};
struct transfer_errors transfer_errors(const struct transfer_law *law,
				       const struct transfer_sample *sample, size_t count);

#endif
