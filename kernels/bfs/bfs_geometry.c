/* SPDX-License-Identifier: MIT */
#include "bfs.h"

#include "traces/schedule/schedule.h"

/* One block, whatever there is to do. */
void bfs_geometry(const void *args, struct launch_geometry *geometry)
{
	(void)args;
	*geometry = (struct launch_geometry){
		.grid = { 1, 1, 1 },
		.block = { BFS_THREADS, 1, 1 },
	};
}
