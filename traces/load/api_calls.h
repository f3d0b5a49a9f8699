/* SPDX-License-Identifier: MIT
 * What recorded API calls ask for, by their names.
 */
#ifndef WARPREEL_API_CALLS_H
#define WARPREEL_API_CALLS_H

#include "traces/format/trace.h"

/* What a call asks for; CALL_OTHER is host time only. */
enum call_kind {
	CALL_OTHER,
	CALL_LAUNCH,
	CALL_GRAPH, /* launches a graph */
	CALL_COPY,
	CALL_MEMSET,
	CALL_RECORD,
	CALL_WAIT,
	CALL_SYNC,
	CALL_SYNC_EVENT,
	CALL_SYNC_GPU,
	CALL_QUERY,   /* asks whether an event is done; host time, too */
	CALL_UNSEEN,  /* puts work into a stream that no recorder has a row of */
	CALL_CAPTURE, /* begins to capture a stream into a graph; host time, too */
	CALL_CAPTURE_END
};
struct call {
	enum call_kind kind;
	bool blocking; /* copies: returns only when done */
};
struct call call_of_name(const char *name);
/* By API row: made while its process captured a stream. Owned by the caller. */
bool *captured_calls(const struct trace *trace);

#endif
