/* SPDX-License-Identifier: MIT
 * The domain of a stencil solver: its grid on the host, cut into parts on GPUs, with the way up and
 * down. Colours of red-black solvers are split on the way up and merged on the way down.
 *
 * In three dimensions rows are planes and columns their lines (parts.h), with `line` points each.
 */
#ifndef WARPREEL_DOMAIN_H
#define WARPREEL_DOMAIN_H

#include "colour_layout.h"
#include "grid.h"
#include "parts.h"
#include "solver.h"

struct domain {
	/* By the caller. */
	int64_t rows, columns, halo;
	int64_t line;	 /* points of a column: 0 and 1 mean one */
	uint32_t across; /* blocks side by side; 0: strips */
	int buffers;	 /* grids on each GPU: 0 and 1 mean one */
	bool f64, peer;
	bool pageable;		 /* the grid on the host: not page-locked */
	enum grid_layout layout; /* on the GPU; split: strips only */
	int64_t pitch;		 /* elements of a row on the GPU; 0: in whole 128 elements */
	bool free_order, pageable_staging; /* struct parts */
	bool one_thread;		   /* drives all GPUs (struct solver_work) */
	bool workers, messages;		   /* struct parts */
	enum machine_channel channel;
	bool random; /* the host has only some rows of random values, uploaded again and again: for
			timing kernels of a grid that need not fit on the host */
	/* By domain_make. */
	struct parts parts;
	struct grid grid;   /* on the host; no memory on machines that do not compute */
	uint32_t host_grid; /* its buffer */
	uint32_t *upload;   /* [gpus] row-major staging of the split layout */
	int *current;	    /* [gpus] the buffer that has the grid: 0 after domain_up; whoever puts
			       launches on a stream that write another one says so here */
	int64_t host_row_bytes;
};

/* -1 after a message; release in either case. */
int domain_make(struct domain *domain, struct machine *m, uint32_t gpus);
void domain_release(struct domain *domain);

/* Inside a thread, on its GPU's stream: the host's values to all buffers, buffer `which` back to
 * the host. */
int domain_up(struct domain *domain, struct machine_thread *t);
int domain_down(struct domain *domain, struct machine_thread *t, int which);

/*
 * What a family's work begins with when a domain is all it has, and its callbacks then: random
 * start values, checksum and residual of the Laplace equation.
 */
struct domain_work {
	struct solver_work base; /* first */
	struct domain domain;
	int graph_cycles; /* of one thread: cycles of a graph, an even number; 0: no graphs */
};
void domain_work_end(struct solver_work *work);
uint32_t domain_work_stream(const struct solver_work *work, uint32_t gpu);
void domain_work_fill(struct solver_work *work, uint64_t seed);
const struct grid *domain_work_grid(struct solver_work *work);
int domain_work_restart(struct solver_work *work);
int domain_work_up(struct solver_work *work, struct machine_thread *t);
int domain_work_down(struct solver_work *work, struct machine_thread *t);
int domain_work_check(struct solver_work *work, struct solver_result *result);
/* What a helper of domain_work_cycles does: the exchanges of its border (parts_help). */
int domain_work_help(struct solver_work *work, struct machine_thread *t);
/* For core(): all iterations, in cycles of work->cycle of them with an exchange of borders between;
 * launches(work, t, count) puts those of a cycle on the stream. */
int domain_work_cycles(struct solver_work *work, struct machine_thread *t,
		       int (*launches)(struct domain_work *work, struct machine_thread *t,
				       int count));
#define DOMAIN_WORK_CALLBACKS /* but for up, to which families add */                              \
	.end = domain_work_end, .restart = domain_work_restart, DOMAIN_WORK_PLAIN_CALLBACKS
#define DOMAIN_WORK_PLAIN_CALLBACKS /* to which none does */                                       \
	.stream = domain_work_stream, .fill = domain_work_fill, .grid = domain_work_grid,          \
	.down = domain_work_down, .check = domain_work_check, .help = domain_work_help

#endif
