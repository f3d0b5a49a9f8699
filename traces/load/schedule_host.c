/* SPDX-License-Identifier: MIT
 * What the host threads say to each other: counters, barriers, marks. Their numbers start again
 * with each run, so a counter of the schedule is a counter of one run. A barrier is met once by
 * every thread: the k-th time of each is the same one.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/format/annotate.h"
#include "schedule_load.h"
#include "traces/base/util.h"

enum { RUN_SHIFT = 40 };

/* The run an instant lies in, counted from 1; 0 outside. Runs are few. */
static int64_t run_at(const struct trace *trace, int64_t at_ns)
{
	int64_t found = 0;

	for (size_t i = 0; i < trace->run_count; i++)
		if (trace->run[i].start_ns <= at_ns &&
		    (trace->run[i].end_ns == -1 || at_ns <= trace->run[i].end_ns))
			found = (int64_t)i + 1;
	return found;
}

void load_host_op(struct load *load, const struct trace_host_op *op, struct map *met,
		  int64_t before_ps)
{
	int64_t place = run_at(load->trace, op->start_ns) << RUN_SHIFT ^ process_of(op->global_tid);
	struct schedule *schedule = load->schedule;
	struct schedule_op *added;
	uint32_t object, turn;
	const bool of_all = op->kind == NOTE_BARRIER && op->object >= NOTE_BARRIER_OF_PROCESSES;

	switch (op->kind) {
	case NOTE_POST:
	case NOTE_AWAIT_BLOCK:
	case NOTE_AWAIT_SPIN:
		object = map_intern(&load->counter, place, op->object, schedule->counter_count);
		if (object == schedule->counter_count)
			schedule->counter_count++;
		added = schedule_add_op(schedule, op->kind == NOTE_POST ? OP_POST : OP_AWAIT,
					0xffff, object);
		added->value = op->value;
		if (op->kind == NOTE_AWAIT_SPIN) {
			added->flags = OP_SPIN;
			map_put(&load->spins, object, 0, 1);
		}
		break;
	case NOTE_BARRIER:
		turn = map_get(met, place, op->object);
		turn = of_all ? (uint32_t)op->value : turn == MAP_NONE ? 0 : turn;
		map_put(met, place, op->object, turn + 1);
		object = map_intern(&load->barrier, of_all ? 0 : place,
				    (int64_t)op->object << 31 ^ turn, schedule->barrier_count);
		if (object == schedule->barrier_count)
			schedule->barrier_count++;
		added = schedule_add_op(schedule, OP_BARRIER, 0xffff, object);
		break;
	case NOTE_MARK:
		if (op->object < MARK_COUNT) {
			added = schedule_add_op(schedule, OP_MARK, 0xffff, op->object);
			added->before_ps = before_ps;
			return;
		}
		/* fall through */
	default:
		added = schedule_add_op(schedule, OP_HOST, 0xffff, 0);
	}
	added->before_ps = before_ps;
	added->duration_ps = to_ps(
		op->end_ns -
		op->start_ns); /* dropped by load_host_finish where the simulator decides it */
}

/* What cannot be resolved keeps the time it took. */
static void make_host_work(struct schedule_op *op)
{
	op->kind = OP_HOST;
	op->flags = 0;
	op->object = 0;
	op->value = 0;
}

void load_host_finish(struct load *load)
{
	struct schedule *schedule = load->schedule;
	int64_t *posted = xcalloc(schedule->counter_count + 1, sizeof(*posted));
	uint32_t *threads = xcalloc(schedule->barrier_count + 1, sizeof(*threads));

	for (int64_t i = 0; i < schedule->op_count; i++) {
		struct schedule_op *op = &schedule->op[i];

		if (op->kind == OP_POST && op->value > posted[op->object])
			posted[op->object] = op->value;
		else if (op->kind == OP_BARRIER)
			threads[op->object]++; /* a thread meets each barrier once, by construction
						*/
	}
	for (int64_t i = 0; i < schedule->op_count; i++) {
		struct schedule_op *op = &schedule->op[i];

		if (op->kind == OP_AWAIT && op->value > posted[op->object]) {
			load->anomaly[ANOMALY_AWAIT]++;
			make_host_work(op);
		} else if (op->kind == OP_BARRIER &&
			   threads[op->object] != schedule->thread_count) {
			load->anomaly[ANOMALY_BARRIER]++;
			make_host_work(op);
		} else if (op->kind == OP_POST &&
			   map_get(&load->spins, op->object, 0) != MAP_NONE) {
			op->flags |= OP_SPIN; /* both sides of a counter use one policy */
		}
		if (op->kind == OP_POST || op->kind == OP_AWAIT || op->kind == OP_BARRIER)
			op->duration_ps = -1;
	}
	free(posted);
	free(threads);
}

void load_host_release(struct load *load)
{
	map_release(&load->counter);
	map_release(&load->barrier);
	map_release(&load->spins);
	map_release(&load->turns);
}
