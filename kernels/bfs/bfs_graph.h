/* SPDX-License-Identifier: MIT
 * Random graphs, and what a search must find in them.
 */
#ifndef WARPREEL_BFS_GRAPH_H
#define WARPREEL_BFS_GRAPH_H

#include <stdint.h>

struct bfs_graph {
	int32_t vertices, edges;
	int32_t *offset, *neighbour; /* owned: [vertices + 1], [2 edges] */
};

/* So many edges between vertices drawn at random, each of two; the same from the same number. */
void bfs_graph_make(struct bfs_graph *g, int vertices, int edges, uint64_t number);
void bfs_graph_release(struct bfs_graph *g);
/* Edges from vertex 0, -1 where it cannot be reached: with a queue, apart from the launches.
 * Returns how many levels have a vertex, that of the source with them. */
int bfs_reference(const struct bfs_graph *g, int32_t *count);

#endif
