/* SPDX-License-Identifier: MIT */
#include "bfs_graph.h"

#include <stdlib.h>

#include "traces/base/util.h"

/* splitmix64 (Steele, Lea, Flood 2014), to below `limit`. */
static int32_t draw(uint64_t *state, int limit)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	x ^= x >> 31;
	return (int32_t)((x >> 32) * (uint64_t)limit >> 32);
}

void bfs_graph_make(struct bfs_graph *g, int vertices, int edges, uint64_t number)
{
	*g = (struct bfs_graph){ .vertices = vertices, .edges = edges };
	g->offset = xcalloc((size_t)vertices + 1, sizeof(*g->offset));
	g->neighbour = xcalloc(2 * (size_t)edges, sizeof(*g->neighbour));
	int32_t *end = xcalloc(2 * (size_t)edges, sizeof(*end)),
		*at = xcalloc((size_t)vertices + 1, sizeof(*at));
	for (int k = 0; k < 2 * edges; k++) {
		end[k] = draw(&number, vertices);
		g->offset[end[k] + 1]++;
	}
	for (int v = 0; v < vertices; v++)
		at[v + 1] = g->offset[v + 1] += g->offset[v];
	for (int k = 0; k < 2 * edges; k++)
		g->neighbour[at[end[k]]++] = end[k ^ 1];
	free(end);
	free(at);
}

void bfs_graph_release(struct bfs_graph *g)
{
	free(g->offset);
	free(g->neighbour);
	*g = (struct bfs_graph){ 0 };
}

int bfs_reference(const struct bfs_graph *g, int32_t *count)
{
	int32_t *queue = xcalloc((size_t)g->vertices, sizeof(*queue));
	int first = 0, last = 0, levels = 0;
	for (int v = 0; v < g->vertices; v++)
		count[v] = -1;
	count[0] = 0;
	queue[last++] = 0;
	while (first < last) {
		const int32_t v = queue[first++];
		levels = count[v] + 1;
		for (int k = g->offset[v]; k < g->offset[v + 1]; k++)
			if (count[g->neighbour[k]] < 0) {
				count[g->neighbour[k]] = count[v] + 1;
				queue[last++] = g->neighbour[k];
			}
	}
	free(queue);
	return levels;
}
