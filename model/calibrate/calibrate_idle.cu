/* SPDX-License-Identifier: MIT
 * Copies as a host thread meets them when it waits for each: on an idle stream, and behind a kernel
 * it has just launched. A chain enqueued far ahead (calibrate_copy.cu) answers neither: there the
 * stream pays for switching engines twice a copy, and no call or wake-up is ever on the path.
 */
#include <stdio.h>

#include "calibrate_internal.h"

enum { REPEATS = 10, NOTE_REPEATS = 1000 };
#define KERNEL_NS 30000.0

struct idle_copy {
	enum copy_case_kind kind;
	size_t bytes;
	bool behind_kernel;
};

/* Return of the last enqueueing call to return of the synchronisation; behind a kernel, less the
 * same without the copy. */
static int idle_batch(struct member *member, void *arg, double *value)
{
	const struct idle_copy *form = static_cast<const struct idle_copy *>(arg);
	struct gpu_kit *kit = member->kit;
	double with_ns[REPEATS], without_ns[REPEATS];
	long long cycles = static_cast<long long>(KERNEL_NS * kit->cycles_per_ns);
	for (int i = 0; i < 2 * REPEATS; i++) {
		bool copies = i % 2 == 0 || !form->behind_kernel;
		CUDA_TRY(member->bench, cudaStreamSynchronize(kit->stream[0]));
		pause_ns(5000);
		int64_t begun_ns = 0;
		if (form->behind_kernel) {
			CUDA_TRY(member->bench,
				 static_cast<cudaError_t>(launch_spin(kit->stream[0], kit->flags,
								      ++kit->epoch, cycles)));
			begun_ns = monotonic_ns();
		}
		if (copies && copy_enqueue(member, 0, form->kind, form->bytes))
			return -1;
		if (!form->behind_kernel)
			begun_ns = monotonic_ns();
		CUDA_TRY(member->bench, cudaStreamSynchronize(kit->stream[0]));
		(copies ? with_ns : without_ns)[i / 2] =
			static_cast<double>(monotonic_ns() - begun_ns);
	}
	*value = median_of(with_ns, REPEATS) -
		 (form->behind_kernel ? median_of(without_ns, REPEATS) : 0);
	return 0;
}

static int idle_list(struct bench *bench, const char *section, enum copy_case_kind kind, int team,
		     bool behind_kernel)
{
	struct measured all[LOOP_SIZES];
	char key[64], suffix[16] = "";
	if (team > 1)
		snprintf(suffix, sizeof(suffix), "_%d", team);
	snprintf(key, sizeof(key), "%s.%s_ns%s", section, behind_kernel ? "behind_kernel" : "idle",
		 suffix);
	bench_progress(bench, key);
	for (int i = 0; i < LOOP_SIZES; i++) {
		struct idle_copy form = { kind, loop_sizes[i], behind_kernel };
		if (bench_measure(bench, team, key, static_cast<double>(loop_sizes[i]), idle_batch,
				  &form, &all[i]))
			return -1;
		all[i].value = fmax(all[i].value, 1);
	}
	bench_emit_measured(bench, key, all, LOOP_SIZES,
			    behind_kernel ? "pinned; a kernel of 30 us, the copy, synchronisation: "
					    "what the copy adds to the whole"
					  : "pinned; call's return to return of the "
					    "synchronisation, stream idle before");
	return 0;
}

/* What telling the recorder something costs the calling thread: only under the recorder. */
static int note_batch(struct member *member, void *arg, double *value)
{
	const struct warpreel_annotate *notes = member->bench->notes;
	static const struct note_footprint footprint = {
		"calibrate", 1, 1, 1, 1, 1, 2, {}, -1, -1
	};
	bool launch = *static_cast<bool *>(arg);
	int64_t begun_ns = monotonic_ns();
	for (int i = 0; i < NOTE_REPEATS; i++) {
		if (launch) {
			notes->footprint(&footprint);
		} else {
			uint64_t start_ns = notes->now_ns();
			notes->host_op(NOTE_POST, 0, 0, start_ns, notes->now_ns());
		}
	}
	*value = static_cast<double>(monotonic_ns() - begun_ns) / NOTE_REPEATS;
	return 0;
}

int calibrate_notes(struct bench *bench)
{
	static const char *const key[2] = { "stream.note_host_op_ns", "stream.note_footprint_ns" };
	for (int k = 0; k < 2 && bench->notes; k++) {
		bool launch = k == 1;
		struct measured cost;
		if (bench_measure(bench, 1, key[k], 0, note_batch, &launch, &cost))
			return -1;
		bench_emit_measured(bench, key[k], &cost, 1,
				    "telling the recorder about one operation");
	}
	return 0;
}

int calibrate_idle(struct bench *bench)
{
	static const struct {
		const char *section;
		enum copy_case_kind kind;
		bool peer;
	} cases[] = {
		{ "copy.h2d", CASE_H2D, false },
		{ "copy.d2h", CASE_D2H, false },
		{ "copy.peer", CASE_PEER, true },
	};
	double bytes[LOOP_SIZES];
	char key[64];
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		if (cases[c].peer && bench->gpus < 2)
			continue;
		for (int i = 0; i < LOOP_SIZES; i++)
			bytes[i] = static_cast<double>(loop_sizes[i]);
		snprintf(key, sizeof(key), "%s.idle_bytes", cases[c].section);
		bench_emit(bench, key, bytes, NULL, LOOP_SIZES,
			   "payload of one copy, for the idle and behind_kernel lists");
		for (int n = 0; n < bench->counts; n++)
			if (idle_list(bench, cases[c].section, cases[c].kind, bench->count[n],
				      false) ||
			    idle_list(bench, cases[c].section, cases[c].kind, bench->count[n],
				      true))
				return -1;
	}
	return 0;
}
