/* SPDX-License-Identifier: MIT
 * The plan machine writes down what the other machines do: its schedules are whole, and hold,
 * thread by thread, the very operations that the cpu machine is asked to execute.
 */
#include "solver_kit.h"
#include "support.h"

#include <stdlib.h>

enum { GPUS_MAX = 8, THREADS_MAX = 3 * GPUS_MAX };

/* The cpu machine with a tally at its door: one thread writes one row. */
static struct tally {
	const struct machine_ops *real;
	int64_t count[THREADS_MAX][OP_KIND_COUNT];
	int64_t copied_bytes[THREADS_MAX], posted[THREADS_MAX];
} tally;

static int count_launch(struct machine_thread *t, uint32_t stream,
			const struct machine_launch *launch)
{
	tally.count[t->index][OP_LAUNCH]++;
	return tally.real->launch(t, stream, launch);
}

static int count_copy(struct machine_thread *t, uint32_t stream, const struct machine_copy *copy)
{
	tally.count[t->index][OP_COPY]++;
	tally.copied_bytes[t->index] += copy->rows * copy->row_bytes;
	return tally.real->copy(t, stream, copy);
}

static int count_record(struct machine_thread *t, uint32_t stream, uint32_t event)
{
	tally.count[t->index][OP_RECORD]++;
	return tally.real->record(t, stream, event);
}

static int count_wait(struct machine_thread *t, uint32_t stream, uint32_t event)
{
	tally.count[t->index][OP_WAIT]++;
	return tally.real->wait(t, stream, event);
}

static int count_sync(struct machine_thread *t, uint32_t stream)
{
	tally.count[t->index][OP_SYNC]++;
	return tally.real->sync(t, stream);
}

static int count_post(struct machine_thread *t, uint32_t counter, int64_t value,
		      enum await_policy policy)
{
	tally.count[t->index][OP_POST]++;
	tally.posted[t->index] += value;
	return tally.real->post(t, counter, value, policy);
}

static int count_await(struct machine_thread *t, uint32_t counter, int64_t value,
		       enum await_policy policy)
{
	tally.count[t->index][OP_AWAIT]++;
	return tally.real->await(t, counter, value, policy);
}

static int count_barrier(struct machine_thread *t)
{
	tally.count[t->index][OP_BARRIER]++;
	return tally.real->barrier(t);
}

static int count_mark(struct machine_thread *t, enum mark mark)
{
	tally.count[t->index][OP_MARK]++;
	return tally.real->mark(t, mark);
}

static void execute(const char *config, uint32_t gpus)
{
	struct machine *m = machine_cpu_new(gpus);
	struct solver_result result;
	memset(&tally, 0, sizeof(tally));
	tally.real = m->ops;
	struct machine_ops counting = *m->ops;
	counting.launch = count_launch;
	counting.copy = count_copy;
	counting.record = count_record;
	counting.wait = count_wait;
	counting.sync = count_sync;
	counting.post = count_post;
	counting.await = count_await;
	counting.barrier = count_barrier;
	counting.mark = count_mark;
	m->ops = &counting;
	assert_int_equal(run_config(m, "rbsor", config, gpus, 1, &result), 0);
	m->ops = tally.real;
	m->ops->free(m);
}

static void a_plan_holds_what_the_cpu_machine_executes(void **state)
{
	static const char *const configs[] = {
		"size=131x67 iterations=9",
		"size=131x67 iterations=9 transport=host",
		"size=131x67 iterations=9 border=4 transport=host",
		"size=131x67 iterations=9 border=4 kernel=paper precision=f64",
		"size=131x67 iterations=9 border=3 scheme=thesis",
		"size=131x67 iterations=9 transport=host order=boss-worker",
		"size=131x67 iterations=9 kernel=store",
	};
	(void)state;
	for (size_t c = 0; c < sizeof(configs) / sizeof(configs[0]); c++) {
		for (uint32_t gpus = 1; gpus <= GPUS_MAX; gpus++) {
			const uint32_t between = gpus > 2 ? gpus - 2 : 0,
				       threads = strstr(configs[c], "boss-worker")
							 ? gpus + 2 * between
							 : gpus;
			struct schedule schedule;
			plan_of(&schedule, configs[c], gpus);
			execute(configs[c], gpus);
			assert_int_equal(schedule_validate(&schedule, "plan"), 0);
			assert_int_equal(schedule.thread_count, threads);
			for (uint32_t t = 0; t < threads; t++) {
				int64_t planned[OP_KIND_COUNT] = { 0 }, bytes = 0, posted = 0;
				for (int64_t k = 0; k < schedule.thread[t].op_count; k++) {
					const struct schedule_op *op =
						&schedule.op[schedule.thread[t].first_op + k];
					planned[op->kind]++;
					bytes += op->kind == OP_COPY
							 ? schedule.copy[op->object].bytes
							 : 0;
					posted += op->kind == OP_POST ? op->value : 0;
				}
				for (int kind = 0; kind < OP_KIND_COUNT; kind++)
					if (planned[kind] != tally.count[t][kind])
						fail_msg("%s, thread %u of %u, operation kind %d: "
							 "planned %lld, executed %lld",
							 configs[c], t, gpus, kind,
							 (long long)planned[kind],
							 (long long)tally.count[t][kind]);
				assert_true(bytes == tally.copied_bytes[t]);
				assert_true(posted == tally.posted[t]);
			}
			schedule_release(&schedule);
		}
	}
}

/* GPU 1 and 2 of four, north and south each; none has marks of its own, so that the others say when
 * the core loop ends. */
static void workers_are_threads_of_the_part_they_work_for(void **state)
{
	static const uint16_t gpu[] = { 0, 1, 2, 3, 1, 1, 2, 2 };
	struct schedule schedule;
	(void)state;
	plan_of(&schedule, "size=512 iterations=10 transport=host order=boss-worker", 4);
	assert_int_equal(schedule.thread_count, 8);
	for (uint32_t t = 0; t < 8; t++) {
		int64_t marks = 0;
		assert_int_equal(schedule.thread[t].gpu, gpu[t]);
		for (int64_t k = 0; k < schedule.thread[t].op_count; k++)
			marks += schedule.op[schedule.thread[t].first_op + k].kind == OP_MARK;
		assert_int_equal(marks, t < 4 ? MARK_COUNT : 0);
	}
	schedule_release(&schedule);
}

/* One launch for all messages of an exchange, which meets that of each neighbour. */
static void messages_are_planned_as_launches_that_meet(void **state)
{
	struct schedule schedule;
	int64_t launches = 0;
	(void)state;
	plan_of(&schedule, "size=512 iterations=10 sync=nccl", 4);
	assert_int_equal(schedule_validate(&schedule, "plan"), 0);
	for (int64_t k = 0; k < schedule.op_count; k++) {
		const struct schedule_op *op = &schedule.op[k];
		assert_false(op->kind == OP_WAIT || op->kind == OP_RECORD);
		launches += op->kind == OP_LAUNCH && op->flags & OP_COLLECTIVE;
	}
	assert_int_equal(launches, 9 * 4); /* nine exchanges of three pairs */
	assert_int_equal(schedule.collective_count, 9 * 3);
	assert_int_equal(schedule.participant_count, 9 * 6);
	for (uint32_t c = 0; c < schedule.collective_count; c++)
		assert_int_equal(schedule.collective[c].link_bytes, 2 * 640 * 4);
	schedule_release(&schedule);
}

/* Down to pageable memory: that call comes back when the copy is done. */
static void copies_down_to_pageable_memory_block(void **state)
{
	(void)state;
	for (int pageable = 0; pageable < 2; pageable++) {
		struct schedule schedule;
		int64_t blocking = 0;
		plan_of(&schedule,
			pageable ? "size=512 iterations=10 transport=host staging=pageable"
				 : "size=512 iterations=10 transport=host",
			2);
		for (int64_t k = 0; k < schedule.op_count; k++) {
			const struct schedule_op *op = &schedule.op[k];
			const bool blocks = op->kind == OP_COPY && op->flags & OP_BLOCKING;
			assert_true(!blocks || schedule.copy[op->object].kind == COPY_D2H);
			blocking += blocks;
		}
		assert_int_equal(blocking, pageable ? 9 * 2 : 0);
		schedule_release(&schedule);
	}
}

static void an_eight_gpu_plan_is_whole(void **state)
{
	struct schedule schedule;
	(void)state;
	plan_of(&schedule, "size=4096x4096 iterations=100 border=4 transport=peer", 8);
	assert_int_equal(schedule_validate(&schedule, "plan"), 0);
	assert_int_equal(schedule.gpu_count, 8);
	assert_string_equal(schedule.solver, "rbsor");
	assert_string_equal(schedule.config, "size=4096x4096 precision=f32 kernel=tuned "
					     "scheme=exact border=4 transport=peer iterations=100");
	int64_t sweeps = 0, points = 0;
	for (int64_t k = 0; k < schedule.op_count; k++) {
		if (schedule.op[k].kind != OP_LAUNCH ||
		    strcmp(schedule.kernel[schedule.shape[schedule.op[k].object].kernel],
			   "rbsor_tuned_f32"))
			continue;
		sweeps++;
		points += schedule.shape[schedule.op[k].object].rows;
	}
	assert_int_equal(sweeps, 8 * 2 * 100);
	assert_true(points > (int64_t)2 * 100 * 4094); /* the wide border updates some rows twice */
	schedule_release(&schedule);
}

static void equal_launches_share_one_shape(void **state)
{
	struct schedule few, many;
	(void)state;
	plan_of(&few, "size=512 iterations=10", 2);
	plan_of(&many, "size=512 iterations=1000", 2);
	assert_int_equal(few.shape_count, many.shape_count);
	assert_int_equal(few.copy_count, many.copy_count);
	assert_true(schedule_operations(&many) > 90 * schedule_operations(&few));
	schedule_release(&few);
	schedule_release(&many);
}

static void a_launch_carries_its_data_footprint(void **state)
{
	struct schedule schedule;
	int forward = 0, backward = 0; /* red goes down, black goes up */
	(void)state;
	plan_of(&schedule, "size=514x256 iterations=1 precision=f64", 1);
	for (uint32_t k = 0; k < schedule.shape_count; k++) {
		const struct schedule_shape *shape = &schedule.shape[k];
		if (strcmp(schedule.kernel[shape->kernel], "rbsor_tuned_f64"))
			continue;
		assert_int_equal(shape->rows, 512);
		assert_int_equal(shape->columns, 256);
		assert_int_equal(shape->dram_bytes, 512 * 256 * 8 * 3 / 2);
		assert_int_equal(shape->access_count, 2);
		assert_true(shape->footprint_bytes >= 514 * 256 * 8 &&
			    shape->footprint_bytes <= shape->resident_bytes);
		const struct schedule_access *read = &schedule.access[shape->first_access],
					     *written = read + 1;
		const uint32_t way = read->mode & ACCESS_BACKWARD;
		*(way ? &backward : &forward) += 1;
		assert_int_equal(read->mode, ACCESS_READ | way);
		assert_int_equal(written->mode, ACCESS_WRITE | way);
		assert_true(read->offset_bytes < written->offset_bytes &&
			    read->offset_bytes + read->bytes >
				    written->offset_bytes + written->bytes);
	}
	assert_true(forward == 1 && backward == 1);
	schedule_release(&schedule);
}

static void a_launch_carries_its_geometry(void **state)
{
	static const struct {
		const char *config, *kernel;
		uint32_t grid[3], block[3];
		int32_t path;
	} wanted[] = {
		{ "size=102x258 iterations=1", "rbsor_tuned_f32", { 2, 25, 1 }, { 32, 4, 1 }, 1 },
		{ "size=4098x4098 iterations=1",
		  "rbsor_tuned_f32",
		  { 9, 512, 1 },
		  { 64, 2, 1 },
		  4 },
		{ "size=2050x2050 iterations=1",
		  "rbsor_tuned_f32",
		  { 9, 256, 1 },
		  { 32, 4, 1 },
		  2 },
		{ "size=2050x2050 iterations=1 precision=f64",
		  "rbsor_tuned_f64",
		  { 9, 256, 1 },
		  { 64, 2, 1 },
		  4 },
		{ "size=303x223 iterations=1 kernel=paper",
		  "rbsor_paper_f32",
		  { 3, 151, 1 },
		  { 112, 1, 1 },
		  0 },
		{ "size=200003x8 iterations=1 kernel=paper",
		  "rbsor_paper_f32",
		  { 1, 65535, 2 },
		  { 112, 1, 1 },
		  0 },
		{ "size=70000x515 iterations=1",
		  "rbsor_split_f32",
		  { 2, 65535, 2 },
		  { 256, 1, 1 },
		  0 },
	};
	(void)state;
	for (size_t w = 0; w < sizeof(wanted) / sizeof(wanted[0]); w++) {
		struct schedule schedule;
		int found = 0;
		plan_of(&schedule, wanted[w].config, 1);
		for (uint32_t k = 0; k < schedule.shape_count; k++) {
			const struct schedule_shape *shape = &schedule.shape[k];
			if (strcmp(schedule.kernel[shape->kernel], wanted[w].kernel))
				continue;
			found++;
			for (int i = 0; i < 3; i++) {
				assert_int_equal(shape->grid[i], wanted[w].grid[i]);
				assert_int_equal(shape->block[i], wanted[w].block[i]);
			}
			assert_int_equal(shape->path, wanted[w].path);
			assert_int_equal(shape->registers, 0);
		}
		assert_int_equal(found, strstr(wanted[w].kernel, "tuned")
						? 2
						: 1); /* red and black go opposite ways */
		schedule_release(&schedule);
	}
}

static void what_the_solver_refuses_is_not_planned(void **state)
{
	static const struct {
		const char *config;
		uint32_t gpus;
		const char *message;
	} bad[] = {
		{ "size=20 border=5", 8, "border 5 needs 10 halo rows" },
		{ "size=2", 1, "outside 3 to" },
		{ "size=64 colour=red", 1, "cannot read the configuration" },
		{ "size=64 iterations=0", 1, "--iterations takes" },
	};
	(void)state;
	for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
		struct schedule schedule;
		struct said said;
		schedule_init(&schedule);
		said_begin(&said);
		assert_int_equal(solver_plan("rbsor", bad[k].config, bad[k].gpus, &schedule), -1);
		assert_says(&said, bad[k].message);
		schedule_release(&schedule);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plan_holds_what_the_cpu_machine_executes),
		cmocka_unit_test(workers_are_threads_of_the_part_they_work_for),
		cmocka_unit_test(messages_are_planned_as_launches_that_meet),
		cmocka_unit_test(copies_down_to_pageable_memory_block),
		cmocka_unit_test(an_eight_gpu_plan_is_whole),
		cmocka_unit_test(equal_launches_share_one_shape),
		cmocka_unit_test(a_launch_carries_its_data_footprint),
		cmocka_unit_test(a_launch_carries_its_geometry),
		cmocka_unit_test(what_the_solver_refuses_is_not_planned),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
