/* SPDX-License-Identifier: MIT
 * How many transfers a second links can share out between, without anything around them.
 */
#ifndef WARPREEL_BENCH_FLOWS_H
#define WARPREEL_BENCH_FLOWS_H

#include <stdbool.h>

#include "model/platform/platform.h"

/*
 * Keeps `flows` copies between random pairs of `gpus` GPUs under way for `seconds` of this thread's
 * own time, each followed by the next at once, and prints what was done. Every copy asks for all of
 * a link, so that all are held back where there are more flows than links.
 */
void bench_flows(const struct platform *platform, int flows, int gpus, double seconds, bool tsv);

#endif
