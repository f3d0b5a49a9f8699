/* SPDX-License-Identifier: MIT
 * Breadth-first search by one block of threads, level by level (paper 003, Figs. 1 and 2; after
 * Harish and Narayanan 2007): how much it costs that the host is the barrier between levels.
 *
 * Fig. 1 as printed never ends, since `Finish = false` stands outside of its if; here it stands
 * inside. Vertices lie as offsets into one array of neighbours; a launch loads the offsets into
 * shared memory, as the paper has it, "to add its reloading overhead".
 */
#ifndef WARPREEL_BFS_H
#define WARPREEL_BFS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct launch_geometry;

enum { BFS_THREADS = 512, BFS_MOST_VERTICES = 11264 /* offsets in 44 KiB */ };
enum bfs_mark { BFS_UNVISITED, BFS_NEXT, BFS_CURRENT, BFS_VISITED };

struct bfs_launch {
	const int32_t *offset;	  /* [vertices + 1] */
	const int32_t *neighbour; /* both ways */
	int32_t *mark, *count;	  /* [vertices]: enum bfs_mark; edges from the source */
	int32_t *status;	  /* levels searched; whether the last one found a vertex */
	int32_t vertices, level;  /* that is searched from; of bfs_block the first */
};
enum { BFS_STATUS_LEVELS, BFS_STATUS_FOUND, BFS_STATUS_WORDS };

/* Neighbours of the current level become the next one; then that the current one; or both, over and
 * over, until nothing is found. */
void bfs_mark_cpu(const void *args);
void bfs_settle_cpu(const void *args);
void bfs_block_cpu(const void *args);
void bfs_geometry(const void *args, struct launch_geometry *geometry);

#ifdef __cplusplus
}
#endif
#endif
