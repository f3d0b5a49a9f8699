/* SPDX-License-Identifier: MIT
 * [copy.*] behind_copy_ns: what a copy adds to a chain of copies, where no engine is switched and
 * no latency is on the path. How many channels streams share (device.copy_channels) a recording of
 * many streams shows; that one copy holds up another does not (visit CA2: none of 32 streams was).
 */
#include <stdio.h>

#include "calibrate_internal.h"

enum { CHAIN = 9 };

struct many_copies {
	enum copy_case_kind kind;
	size_t bytes;
};

static int enqueue_copy(struct member *member, int stream, int i, void *arg)
{
	const struct many_copies *copies = static_cast<const struct many_copies *>(arg);
	(void)i;
	return copy_enqueue(member, stream, copies->kind, copies->bytes);
}

static int behind_batch(struct member *member, void *arg, double *value)
{
	const struct chain chain = { enqueue_copy, arg };
	double many_ns[KIT_STREAMS], one_ns[KIT_STREAMS];
	if (chains_run(member, &chain, 1, CHAIN, many_ns) ||
	    chains_run(member, &chain, 1, 1, one_ns))
		return -1;
	*value = (many_ns[0] - one_ns[0]) / (CHAIN - 1);
	return 0;
}

static int behind_list(struct bench *bench, const char *section, enum copy_case_kind kind)
{
	struct measured all[LOOP_SIZES];
	char key[64];
	snprintf(key, sizeof(key), "%s.behind_copy_ns", section);
	bench_progress(bench, key);
	for (int i = 0; i < LOOP_SIZES; i++) {
		struct many_copies copies = { kind, loop_sizes[i] };
		if (bench_measure(bench, 1, key, static_cast<double>(loop_sizes[i]), behind_batch,
				  &copies, &all[i]))
			return -1;
		all[i].value = fmax(all[i].value, 1);
	}
	bench_emit_measured(bench, key, all, LOOP_SIZES,
			    "pinned; a chain of nine such copies less a chain of one, per copy");
	return 0;
}

int calibrate_channels(struct bench *bench)
{
	return behind_list(bench, "copy.h2d", CASE_H2D) || behind_list(bench, "copy.d2h", CASE_D2H)
		       ? -1
		       : 0;
}
