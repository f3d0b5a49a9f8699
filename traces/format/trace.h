/* SPDX-License-Identifier: MIT
 * A trace in memory. On disk it is SQLite in the tables and columns of the Nsight Systems SQLite
 * export (schema 3.16.1 as the base; later columns optional) plus our own tables under the prefix
 * WARPREEL_, optionally zstd-compressed (.zst). docs/warpreel-trace.5 is the data dictionary,
 * records.def has every field of every row.
 *
 * Times are int64 nanoseconds on the trace's clock (CUPTI's, zero = session start for exports).
 * Unknown is -1. Names are indices into `string`. All arrays are owned by the trace and freed by
 * trace_release.
 */
#ifndef WARPREEL_TRACE_H
#define WARPREEL_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "traces/schedule/schedule.h"

#define WARPREEL_TRACE_VERSION 1
#define WARPREEL_TRACE_COLUMNS_VERSION 2 /* of a trace by column, to older programs empty */
#define WARPREEL_TRACE_PARTS_VERSION 3	 /* where a table by column is in parts */
#define WARPREEL_PROFILE_VERSION                                                                   \
	1 /* trace_profile.version: what the counts of a kernel profile mean */
#define NSYS_SCHEMA_VERSION "3.16.1"

/* The rows: struct trace_kernel, trace_api, ... */
#define RECORDED(table, record, name, older, order) struct trace_##table {
#define TABLE(table, name, older, order) struct trace_##table {
#define BOTH(table, spooled, type, field, ...) type field;
#define BOTH3(table, spooled, type, field, ...) type field[3];
#define COLUMN_AT(table, type, field, ...) type field;
#define COLUMN(table, type, field, ...) type field;
#define COLUMN3(table, type, field, ...) type field[3];
#define END_RECORDED(table)                                                                        \
	}                                                                                          \
	;
#define END_TABLE(table)                                                                           \
	}                                                                                          \
	;
/* clang-format off */
#include "records.def"
/* clang-format on */

/* clang-format off */
#define TRACE_TABLES(X) \
	X(kernel) X(memcpy) X(memset) X(api) X(sync) X(event) X(overhead) X(nvtx) X(gpu) \
	X(thread) X(stream) X(meta) X(link) X(clock) X(host_op) X(footprint) X(run) X(loss) \
	X(prediction) X(profile) X(profile_code) X(profile_instruction) X(block) X(collective) \
	X(message) X(core)
/* clang-format on */

struct trace {
	char **string; /* index 0 is "" */
	size_t string_count, string_capacity;
#define TRACE_ARRAY(name)                                                                          \
	struct trace_##name *name;                                                                 \
	size_t name##_count, name##_capacity;
	TRACE_TABLES(TRACE_ARRAY)
#undef TRACE_ARRAY
	struct trace_string_index *index; /* private: lookup of strings */
	char *path;			  /* where it came from; owned; NULL = built in memory */
	int64_t altered_tables;		  /* as trace_seal_check found; 0 where nobody looked */
};

void trace_init(struct trace *trace);
void trace_release(struct trace *trace);
uint32_t trace_string(struct trace *trace, const char *text); /* interns; NULL -> 0 */
const char *trace_text(const struct trace *trace, uint32_t string);
/* Appends a zeroed row and returns it: struct trace_kernel *k = trace_add_kernel(t); */
#define TRACE_ADD(name) struct trace_##name *trace_add_##name(struct trace *trace);
TRACE_TABLES(TRACE_ADD)
#undef TRACE_ADD
/* The blocks of one more launch: launch and kernel are filled in here, the rest of each row is the
 * caller's. Returns the launch. */
int32_t trace_add_blocks(struct trace *trace, const char *kernel, const struct trace_block *block,
			 size_t count);
void trace_set_meta(struct trace *trace, const char *key, const char *value);
const char *trace_get_meta(const struct trace *trace, const char *key); /* NULL = absent */
/* As how many GPUs a program was recorded on one (docs/as-gpus.md); 0: it was not. */
uint32_t trace_virtual_gpus(const struct trace *trace);
int64_t trace_losses(const struct trace *trace,
		     const char *kind); /* how many of one kind; NULL: of all */

/*
 * Reads a trace, .zst or plain, ours or an Nsight Systems export. -1 after a message naming the
 * file (and table, record). Refuses: not SQLite, other major schema, a WARPREEL version that is not
 * ours, missing required columns (named), a zst that unpacks to more than `max_bytes` (0 = 4 GiB).
 * Into an initialised trace; the caller releases it either way.
 */
int trace_read(struct trace *trace, const char *path, int64_t max_bytes);
/*
 * Of a trace of ours the kernel profiles of the symbols that are wanted, with their code and
 * counts, and nothing else. Its pages are not checked: for a file whose content is known
 * (traces/profiles/profile_index.h). -1 after a message.
 */
typedef bool trace_wanted(void *context, const char *symbol);
int trace_read_profiles(struct trace *trace, const char *path, trace_wanted *wanted, void *context);
/* Writes whole or not at all; compressed when the name ends in .zst (level 19, from 2 MiB on level
 * 9). Rows are written in time order. A plain trace needs a file of its own: no pipe, no descriptor
 * such as /dev/stdout, of the devices only /dev/null. */
int trace_write(const struct trace *trace, const char *path);
/* The same with its large tables by column, a third of the size, which only this program reads;
 * always at level 19. */
int trace_write_columns(const struct trace *trace, const char *path);
/* Whether trace_write could begin there now: -1 after a message. */
int trace_check_output(const char *path);
/* Canonical text: one line a row, tables in TRACE_TABLES order, rows sorted by all columns; the
 * same for equal traces. */
int trace_dump(const struct trace *trace, FILE *out);

/* "scale(float*, int)" is called scale, as a plan calls it; "void scale<float>(float*)" keeps all
 * of it. Owned by the caller. */
char *trace_kernel_name(const struct trace *trace, const struct trace_kernel *kernel);

/* Between pinned memory of the host and another GPU than the one in whose context it was pinned:
 * CUPTI 13.5 calls that a copy between two GPUs, and the kinds of memory say what it is. */
int32_t trace_copy_kind_of(int32_t copy_kind, int32_t source_kind, int32_t target_kind);
/* Whether it is from memory of a GPU to memory of a GPU: also half of one by way of the host. */
bool trace_copy_is_between_gpus(int32_t copy_kind, int32_t source_kind, int32_t target_kind);
/* What a copy kind is called, e.g. "PtoP". */
const char *trace_copy_kind_name(int32_t copy_kind);
/* The process of a row is the upper part of its global id. */
static inline int64_t process_of(int64_t global_id)
{
	return global_id >> 24;
}

#endif
