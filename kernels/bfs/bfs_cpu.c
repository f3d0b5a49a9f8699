/* SPDX-License-Identifier: MIT
 * The launches on the CPU.
 */
#include "bfs.h"

static void mark(const struct bfs_launch *l, int level)
{
	for (int v = 0; v < l->vertices; v++)
		for (int k = l->offset[v]; k < l->offset[v + 1] && l->mark[v] == BFS_CURRENT; k++) {
			const int to = l->neighbour[k];
			if (l->mark[to] != BFS_UNVISITED)
				continue;
			l->mark[to] = BFS_NEXT;
			l->count[to] = level + 1;
		}
}

static int settle(const struct bfs_launch *l)
{
	int found = 0;
	for (int v = 0; v < l->vertices; v++) {
		found |= l->mark[v] == BFS_NEXT;
		l->mark[v] = l->mark[v] == BFS_CURRENT ? BFS_VISITED
			     : l->mark[v] == BFS_NEXT  ? BFS_CURRENT
						       : l->mark[v];
	}
	return found;
}

void bfs_mark_cpu(const void *args)
{
	const struct bfs_launch *l = args;
	mark(l, l->level);
	l->status[BFS_STATUS_FOUND] = 0;
}

void bfs_settle_cpu(const void *args)
{
	const struct bfs_launch *l = args;
	l->status[BFS_STATUS_FOUND] |= settle(l);
	l->status[BFS_STATUS_LEVELS] = l->level + 1;
}

void bfs_block_cpu(const void *args)
{
	const struct bfs_launch *l = args;
	int level = l->level;
	do
		mark(l, level++);
	while (settle(l));
	l->status[BFS_STATUS_LEVELS] = level;
	l->status[BFS_STATUS_FOUND] = 0;
}
