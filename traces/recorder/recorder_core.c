/* SPDX-License-Identifier: MIT
 * How much of their cores threads get. A thread of the program measures its own where it asks for
 * a buffer anyway; the housekeeping thread looks at all the cores there are, for that is what
 * another process of the program would find.
 */
#include "recorder.h"

#include "traces/base/core_share.h"

enum { NOTE_NS = 20000000, CORES_MAX = 64 };

static struct spool_core record_of(uint32_t additions)
{
	return (struct spool_core){ .type = SPOOL_TYPE_core,
				    .size = sizeof(struct spool_core),
				    .at_ns = recorder_now_ns(),
				    .tid = recorder_tid(),
				    .additions = additions };
}

void core_note(bool at_once)
{
	static _Atomic uint64_t next_ns;
	const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	uint64_t due_ns = atomic_load(&next_ns);
	struct spool_core out;

	if ((!at_once && now_ns < due_ns) ||
	    !atomic_compare_exchange_strong(&next_ns, &due_ns, now_ns + NOTE_NS))
		return;
	out = record_of(core_additions());
	writer_append(&recorder.writer, SPOOL_RECORDS, &out, sizeof(out), NULL, 0);
}

void core_scan(void)
{
	uint32_t additions[CORES_MAX];
	struct spool_core out[CORES_MAX];
	const int count = core_additions_of_host(additions, CORES_MAX);

	for (int i = 0; i < count; i++)
		out[i] = record_of(additions[i]);
	if (count)
		writer_append(&recorder.writer, SPOOL_RECORDS, out, (size_t)count * sizeof(*out),
			      NULL, 0);
}
