/* SPDX-License-Identifier: MIT
 * What the kernel model `warps` itself costs: the distinct launches of a list's configurations,
 * each priced once, on one core.
 */
#ifndef WARPREEL_BENCH_KERNELS_H
#define WARPREEL_BENCH_KERNELS_H

#include "traces/program/program.h"
#include "sim/answers/predict.h"

/*
 * Prints one line, or a table of one row. `list`: a file as of config_list.h; the launches are
 * those of a steady iteration on one GPU. The first launch of a kernel pays for the building of its
 * warps' program. -1 after a message.
 */
int bench_kernels(const struct program *program, struct predictor *predictor, const char *list,
		  bool tsv);

#endif
