/* SPDX-License-Identifier: MIT
 * How wrong the answers are, and how often intervals are right, by stratum: number of GPUs, time of
 * an iteration, transport, solver.
 */
#ifndef WARPREEL_STRATA_H
#define WARPREEL_STRATA_H

#include "validation.h"

/*
 * The exact two-sided 95 % interval of a share of which `hits` of `n` > 0 were seen (Clopper and
 * Pearson 1934).
 */
void binomial_interval(int64_t hits, int64_t n, double *low, double *high);

/*
 * A line a set (replay; planned: size and gpus), split and stratum, of model `default`: errors, the
 * trivial baseline whose mean error on the same rows is least, coverage with its interval, and
 * whether that contains 90 %.
 */
void strata_write(const struct validation *validation, FILE *out);

#endif
