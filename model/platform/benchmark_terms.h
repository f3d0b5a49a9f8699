/* SPDX-License-Identifier: MIT
 * What some keys mean by their definition (docs/warpreel-platform.5): the benchmark that measures
 * one and the model that reads it have the number from here.
 */
#ifndef WARPREEL_BENCHMARK_TERMS_H
#define WARPREEL_BENCHMARK_TERMS_H

enum {
	/* host.slowest_call_ns is of one call in so many, those whose thread lost its core; the
	 * means and quantiles of calls leave them out. */
	TERM_SLOWEST_ONE_IN = 500,
	/* doorbell.*_exchange_ns are of exchanges of so many bytes:
	 * few enough that the wire's own time is small. */
	TERM_EXCHANGE_BYTES = 65536,
	/* host.call_quantiles: means of so many equal parts of the calls. */
	TERM_CALL_PARTS = 20,
};

/* The share of calls that are not among the slowest. */
#define TERM_CALLS_KEPT (1 - 1.0 / TERM_SLOWEST_ONE_IN)

#endif
