/* SPDX-License-Identifier: MIT
 * Kernels of a graph that were not launched with it but within it.
 */
#ifndef WARPREEL_GRAPH_ROWS_H
#define WARPREEL_GRAPH_ROWS_H

#include "trace.h"

/*
 * CUPTI gives the kernels in the body of a conditional node (IF, WHILE) correlation 0: nobody
 * called for each turn of a loop. Such a row gets that of the launch of its graph that was last
 * seen to begin before it; where the graph has no node outside of bodies, that of the last call
 * that launched a graph and left nothing else. Changes the trace's kernel rows, and takes them out
 * of the losses that were counted; how many.
 */
size_t trace_join_graph_rows(struct trace *trace);

#endif
