/* SPDX-License-Identifier: MIT
 * Which split a row of the validation belongs to (model/splits.tsv): `development`, of which
 * anything may be looked at; `interval`, which sets how wide intervals are; `blind`, which was
 * named and predicted before it was measured.
 */
#ifndef WARPREEL_SPLITS_H
#define WARPREEL_SPLITS_H

#include <stdbool.h>
#include <stddef.h>

enum split { SPLIT_DEVELOPMENT, SPLIT_INTERVAL, SPLIT_BLIND, SPLIT_COUNT };
extern const char *const split_name[SPLIT_COUNT];

/* One line; NULL and 0 stand for "*", anything. */
struct splits_row {
	char *platform, *set, *config; /* owned */
	int gpus;
	enum split split;
	bool counts_left_out;
};

struct splits {
	struct splits_row *row; /* owned */
	size_t count, capacity;
	char *platform; /* whose lines count; owned */
};

/*
 * The lines of one platform and of all. Sets are those of sets.h, wider ones too. -1 after a
 * message naming file and line.
 */
int splits_read(struct splits *splits, const char *path, const char *platform);
void splits_release(struct splits *splits);

/* The last line that a row matches says; development where none does. `config` may be NULL: the
 * lines of whole sets. */
enum split splits_find(const struct splits *splits, const char *set, int gpus, const char *config);
/* Whether the counts of this kernel's launch are left out where the validation asks what profiles
 * of other launches are worth. */
bool splits_counts_left_out(const struct splits *splits, const char *config);

#endif
