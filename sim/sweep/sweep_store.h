/* SPDX-License-Identifier: MIT
 * The answers of a sweep so far, in a file (SQLite) that survives whatever stops the program: a row
 * is there whole or not at all, and once.
 */
#ifndef WARPREEL_SWEEP_STORE_H
#define WARPREEL_SWEEP_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What is known of one point. Times in us, of the core loop; NaN where there is no answer. */
struct sweep_row {
	uint64_t point;
	bool answered;
	double core_us, core_lo_us, core_hi_us, total_us;
	double kernel_us, transfer_us, sync_us, host_us; /* mean over the GPUs */
	double mkt_ms, mst_ms, mtt_ms, mct_ms, et_s;	 /* the thesis' (Spampinato, 6.2.1) */
	int64_t iterations, rows, columns, border;	 /* 0: the solver has no such thing */
	uint32_t gpus;
	bool extrapolated, hypothetical;
	char solver[32], platform[512], set[512], config[2048], kernel_model[16];
	char note[512]; /* why there is no answer */
};

struct sweep_shard {
	int index, of; /* from 1; 1 of 1: the whole */
};

/* Points that it has of `points`. */
uint64_t sweep_shard_points(uint64_t points, struct sweep_shard shard);

struct sweep_store;

/*
 * Opens or makes `path` for the sweep that `definition` describes. One that holds another sweep, or
 * another shard, is begun anew where that one had been answered in full, and its table written;
 * else it is refused. NULL after a message.
 */
struct sweep_store *sweep_store_open(const char *path, const char *definition, uint64_t points,
				     struct sweep_shard shard);
/* Opens one as it is, for reading. NULL after a message. */
struct sweep_store *sweep_store_read(const char *path);
void sweep_store_close(struct sweep_store *store);

const char *sweep_store_definition(const struct sweep_store *store);
struct sweep_shard sweep_store_shard(const struct sweep_store *store);
uint64_t sweep_store_points(const struct sweep_store *store); /* of the whole sweep */

/* Rows between begin and commit are on disk together. -1 after a message. */
int sweep_store_begin(struct sweep_store *store);
int sweep_store_put(struct sweep_store *store, const struct sweep_row *row);
int sweep_store_commit(struct sweep_store *store);

/* Marks in done[points] what has a row; returns how many have, -1 after a message. */
int64_t sweep_store_done(struct sweep_store *store, bool *done);
/* Calls take(arg, row) for each row by point; -1 after a message, or when `take` gives it. */
int sweep_store_each(struct sweep_store *store, int (*take)(void *arg, const struct sweep_row *row),
		     void *arg);

/* The table that a sweep gives: a header, a row a point. */
void sweep_row_header(FILE *out);
void sweep_row_print(FILE *out, const struct sweep_row *row);

#endif
