/* SPDX-License-Identifier: MIT
 * Run times of solvers that exchange borders, in closed form: D. Spampinato, "Modeling
 * Communication on Multi-GPU Systems", NTNU 2009. Nothing waits in them but for the slowest GPU.
 */
#ifndef WARPREEL_CLOSED_TIME_H
#define WARPREEL_CLOSED_TIME_H

#include "transfer_law.h"

/* (3.3): k messages of so many words. */
double closed_flow_ns(const struct transfer_law *law, double k, double words);
/* (3.14), (3.15): from GPU to GPU through the host, whose own time comes on top. */
double closed_pair_ns(const struct transfer_law *down, const struct transfer_law *up, double k,
		      double words, double host_host_ns);
/* (5.1): k rows of n words each way with each of so many neighbours, row after row: lateral strips
 * have one, those in the middle two. */
double closed_strip_ns(const struct transfer_law *law, double n, double k, int neighbours);
/* (5.2): two by two blocks of a grid of n x n. */
double closed_block_ns(const struct transfer_law *law, double n, double k);
/* (5.5), (5.6): blocks take longer than strips where startup / word is beyond this; (5.7) is 2 k.
 */
double closed_block_margin(double n, double k, int neighbours);

struct closed_part {
	double kernel_ns, exchange_ns; /* of one GPU */
};
/* (6.1), and with one part and no node (3.1). */
double closed_run_ns(double node_ns, const struct closed_part *part, int gpus);

#endif
