/* SPDX-License-Identifier: MIT
 * What the files of the driver share: mlssor_driver.c (runs), mlssor_sweep.c (layers),
 * mlssor_launch.c (what the machine is asked for), mlssor_exchange.c (borders of strips).
 */
#ifndef WARPREEL_MLSSOR_WORK_H
#define WARPREEL_MLSSOR_WORK_H

#include "kernels/kit/domain.h"
#include "mlssor_params.h"
#include "mlssor_tiles.h"

/*
 * What goes from a strip to a neighbour. In a sweep's order of rows a strip has a neighbour before
 * it and one after it.
 *   TO_BEFORE  after K12: what K11 and K12 made of the strip's first rows, which the K21 and K22 of
 *              the one before reach into
 *   TO_AFTER   after K22: what these made of the next strip's first rows
 * layers + 1 rows at most, of which the last is read alone.
 */
enum border { TO_BEFORE, TO_AFTER, BORDERS };

/* One kind of border of one GPU in one direction of sweeps: two, since the host of a neighbour may
 * be a sweep behind. */
struct mlssor_sent {
	uint32_t event, count;	   /* it is on its way; how many sweeps have recorded that */
	uint32_t stage;		   /* pinned, on the way through host memory */
	uint32_t read, read_count; /* the neighbour has it from there */
};

struct mlssor_own {
	uint32_t norm, h_norm;	   /* [layers of a sweep]; with a tolerance */
	uint32_t copies;	   /* stream of the borders; several GPUs */
	uint32_t edge, edge_count; /* event: first rows of subdomains have their K11 and K12 */
	uint32_t low;		   /* event: K22 done */
	struct mlssor_sent sent[2][BORDERS]; /* [backward] */
};

struct mlssor_work {
	struct solver_work base; /* as in struct domain_work; iterations: layers, at most */
	struct domain domain;
	struct mlssor_own *own;
	/* by thread 0, of the last run */
	int made;      /* layers that were made */
	int converged; /* layers until no point changed by more than the tolerance; 0: never */
	float change;  /* the greatest of that layer, or of the last */
};

static inline const struct mlssor_params *mlssor_params_of(const struct mlssor_work *r)
{
	return r->base.params;
}

static inline const struct machine_ops *mlssor_ops(const struct mlssor_work *r)
{
	return r->base.m->ops;
}

/* Subdomain rows of a GPU's strip in the order of a sweep. */
struct mlssor_range mlssor_strip(const struct mlssor_work *r, uint32_t gpu, bool backward);

/* mlssor_launch.c. One kernel over subdomain rows [begin, end) of a sweep; nothing when there are
 * none. */
struct mlssor_launch {
	bool backward;
	int32_t tile_row, tile_column;
	int32_t begin, end;
	bool fused;
};
int mlssor_launch_tiles(struct mlssor_work *r, struct machine_thread *t,
			const struct mlssor_launch *launch);
int mlssor_launch_layer(struct mlssor_work *r, struct machine_thread *t, bool backward);
int mlssor_launch_colour(struct mlssor_work *r, struct machine_thread *t, int colour);

/* mlssor_sweep.c. Layers [layer, layer + those of a sweep), on the thread's GPU. */
int mlssor_make_layers(struct mlssor_work *r, struct machine_thread *t, int layer);

/*
 * mlssor_exchange.c. Makes what exchanges need; before every run; inside a thread, sweep `sweep`
 * (from 0): send to the neighbour, or have the stream wait for what the neighbour sent. A border
 * towards no neighbour is nothing to do. `edge` says that first rows have their K11 and K12.
 */
int mlssor_exchange_make(struct mlssor_work *r, uint32_t gpu);
int mlssor_exchange_restart(struct mlssor_work *r, uint32_t gpu);
int mlssor_edge(struct mlssor_work *r, struct machine_thread *t, bool backward, int64_t sweep);
int mlssor_send(struct mlssor_work *r, struct machine_thread *t, enum border border, bool backward,
		int64_t sweep);
int mlssor_receive(struct mlssor_work *r, struct machine_thread *t, enum border border,
		   bool backward, int64_t sweep);
bool mlssor_has(const struct mlssor_work *r, uint32_t gpu, enum border border, bool backward);

#endif
