/* SPDX-License-Identifier: MIT */
#include "spool_rows.h"

#include <string.h>

static int64_t graph_node(uint64_t id)
{
	return id ? (int64_t)id : -1;
}

/* CUPTI counts memory kinds from 1 (0: unknown), Nsight Systems from 0. */
static int32_t memory_kind(uint32_t kind)
{
	return (int32_t)(kind - 1); /* 0: -1 */
}

static int64_t event_id(uint32_t id)
{
	return id == SPOOL_NONE ? -1 : (int64_t)id;
}

static uint32_t text(const struct spool_row_source *with, uint32_t string)
{
	return trace_string(with->trace, spool_text(with->spool, string));
}

/* One for each `how` of records.def. */
#define TAKE_SAME(type, field) row->field = (type)from->field;
#define TAKE_NS(type, field) row->field = spool_ns(from->field);
#define TAKE_ID(type, field) row->field = spool_id(from->field);
#define TAKE_NODE(type, field) row->field = graph_node(from->field);
#define TAKE_MEMORY(type, field) row->field = memory_kind(from->field);
#define TAKE_EVENT(type, field) row->field = event_id(from->field);
#define TAKE_CALL(type, field) row->field = spool_calls_correlation(with->calls, from->field);
#define TAKE_TEXT(type, field) row->field = text(with, from->field);
#define TAKE_HAND(type, field)

#define RECORDED(table, record, ...)                                                               \
	void spool_row_##record(struct trace_##table *row, const struct spool_##record *from,      \
				const struct spool_row_source *with)                               \
	{                                                                                          \
		(void)with;
#define BOTH(table, spooled, type, field, how, ...) TAKE_##how(type, field)
#define BOTH3(table, spooled, type, field, ...) memcpy(row->field, from->field, sizeof(row->field));
#define END_RECORDED(table) }
/* clang-format off */
#include "traces/format/records.def"
/* clang-format on */
