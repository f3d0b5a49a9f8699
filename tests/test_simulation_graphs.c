/* SPDX-License-Identifier: MIT
 * What graphs cost: one call for all they hold, pauses and copies as recorded.
 */
#include "simulation_bench.h"

/* Two kernels of 1 us: launched one by one the host bounds them, in a graph the device does, with
 * the pauses that were recorded. */
static void what_a_graph_holds_costs_one_call(void **state)
{
	(void)state;
	for (int graph = 0; graph < 2; graph++) {
		struct bench b;
		make(&b, 1);
		say(&b, "host.launch_ns=5000");
		say(&b, "host.launch_idle_ns=5000");
		schedule_add_thread(&b.schedule, "host", 0);
		for (int k = 0; k < 2; k++) {
			add_launch(&b.schedule, 0, 1000);
			struct schedule_op *op = &b.schedule.op[b.schedule.op_count - 1];
			op->flags = graph && k ? OP_IN_GRAPH : 0;
			op->value = graph && k ? 70000 * k : 0;
		}
		NEAR(end_ns(&b.schedule, &b.platform),
		     graph ? 5000 + 1000 + 70 + 1000 : 2 * 5000 + 1000);
		drop(&b);
	}
}

/* A kernel of 1 us and a copy that was recorded 2 us long after a pause of 300 ns, where the
 * platform's own copies take 50 us: on the device it was recorded on, not on another. */
static void a_copy_in_a_graph_is_as_long_as_recorded(void **state)
{
	(void)state;
	for (int other = 0; other < 2; other++) {
		struct bench b;
		make(&b, 1);
		say(&b, "copy.d2h.ns=50000");
		say(&b, "device.name=this");
		b.schedule.device = xstrdup(other ? "another" : "this");
		schedule_add_thread(&b.schedule, "host", 0);
		add_launch(&b.schedule, 0, 1000);
		struct schedule_op *op = add_copy(&b.schedule, 0, COPY_D2H, 0, 0xffff, 8);
		op->flags = OP_IN_GRAPH;
		op->value = 300000;
		op->duration_ps = 2000000;
		NEAR(end_ns(&b.schedule, &b.platform), 1000 + 300 + (other ? 50000 : 2000));
		drop(&b);
	}
}

/* A memset, a kernel and a copy of a recorded graph, where the platform says what launching graphs
 * costs: the first is on its way at once, the call goes on for the two others, and a pause next to
 * a memset or copy is shorter than recorded. A solver's plan, or a platform that says nothing, is
 * played as ever. */
static void launching_a_graph_costs_what_was_measured_of_graphs(void **state)
{
	(void)state;
	for (int priced = 0; priced < 2; priced++) {
		struct bench b;
		make(&b, 1);
		say(&b, "host.launch_ns=5000");
		say(&b, "host.launch_idle_ns=5000");
		say(&b, "host.memset_ns=7000");
		say(&b, "device.name=this");
		b.schedule.device = xstrdup("this");
		if (priced) {
			say(&b, "host.graph_ns=1000");
			say(&b, "host.graph_turn_ns=500");
			say(&b, "host.graph_copy_turn_ns=2000");
			say(&b, "tracer.graph_pause_ns=200");
		}
		schedule_add_thread(&b.schedule, "host", 0);
		struct schedule_op *op = add_copy(&b.schedule, 0, COPY_MEMSET, 0, 0xffff, 8);
		op->kind = OP_MEMSET;
		op->duration_ps = 600000;
		add_launch(&b.schedule, 0, 10000);
		op = &b.schedule.op[b.schedule.op_count - 1];
		op->flags = OP_IN_GRAPH;
		op->value = 900000;
		op = add_copy(&b.schedule, 0, COPY_D2H, 0, 0xffff, 8);
		op->flags = OP_IN_GRAPH;
		op->value = 3000000;
		op->duration_ps = 1400000;
		if (priced)
			NEAR(end_ns(&b.schedule, &b.platform),
			     1000 + 600 + 700 + 10000 + 2800 + 1400);
		else
			assert_true(end_ns(&b.schedule, &b.platform) > 7000 + 10000 + 3000 + 1400);
		drop(&b);
	}
}

/* A graph of one kernel is launched and waited for at the price of graphs; so is what ends as the
 * recorder's clock says, but not a copy by itself, nor what a plan has. */
static void what_ends_as_recorded_is_waited_for_by_that_clock(void **state)
{
	static const struct {
		enum op_kind kind;
		uint8_t flags;
		bool plan;
		int64_t end_ns;
	} cases[] = {
		{ OP_LAUNCH, 0, false, 5000 + 10000 + 2000 },
		{ OP_LAUNCH, OP_GRAPH, false, 1000 + 10000 + 2000 },
		{ OP_LAUNCH, 0, true, 5000 + 10000 + 3000 },
		{ OP_COPY, 0, false, 4000 + 50000 + 3000 },
		{ OP_COPY, OP_GRAPH, false, 1000 + 7000 + 2000 },
	};
	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct bench b;
		make(&b, 1);
		say(&b, "device.name=this");
		b.schedule.device = xstrdup("this");
		b.schedule.config = cases[k].plan ? xstrdup("a plan") : NULL;
		say(&b, "host.launch_ns=5000");
		say(&b, "host.launch_idle_ns=5000");
		say(&b, "host.copy_d2h_ns=4000");
		say(&b, "copy.d2h.ns=50000");
		say(&b, "host.sync_wake_ns=3000");
		say(&b, "host.graph_ns=1000");
		say(&b, "tracer.recorded_wake_ns=2000");
		schedule_add_thread(&b.schedule, "host", 0);
		if (cases[k].kind == OP_LAUNCH) {
			add_launch(&b.schedule, 0, 10000);
		} else {
			add_copy(&b.schedule, 0, COPY_D2H, 0, 0xffff, 8);
		}
		struct schedule_op *op = &b.schedule.op[b.schedule.op_count - 1];
		op->flags = cases[k].flags;
		op->duration_ps = cases[k].kind == OP_LAUNCH ? op->duration_ps : 7000000;
		add(&b, OP_SYNC, 0, 0);
		NEAR(end_ns(&b.schedule, &b.platform), (double)cases[k].end_ns);
		drop(&b);
	}
}

/* A graph whose first node copies up from pageable memory: the host has copied 80 us after the
 * call, as recorded, and nothing waits before that. */
static void a_graph_begins_when_the_host_has_copied(void **state)
{
	(void)state;
	for (int pageable = 0; pageable < 2; pageable++) {
		struct bench b;
		make(&b, 1);
		say(&b, "device.name=this");
		b.schedule.device = xstrdup("this");
		say(&b, "host.graph_ns=1000");
		schedule_add_thread(&b.schedule, "host", 0);
		struct schedule_op *op = add_copy(&b.schedule, 0, COPY_H2D, 0xffff, 0, 8);
		op->flags = OP_GRAPH;
		op->value = pageable ? 80000000 : 0;
		op->duration_ps = 7000000;
		NEAR(end_ns(&b.schedule, &b.platform), (pageable ? 80000 : 1000) + 7000);
		drop(&b);
	}
}

/* Behind a memset a kernel begins after the recorded pause, less what the recorder adds to it, or
 * sooner. */
static void a_recorded_pause_behind_a_memset_bounds(void **state)
{
	static const int64_t pause_ns[] = { 0, 900, 100, 90000 },
			     left_ns[] = { 5000, 700, 0, 5000 };
	(void)state;
	for (int k = 0; k < 4; k++) {
		struct bench b;
		make(&b, 1);
		say(&b, "device.name=this");
		b.schedule.device = xstrdup("this");
		say(&b, "host.graph_ns=1");
		say(&b, "tracer.graph_pause_ns=200");
		say(&b, "stream.kernel_gap_ns=5000");
		schedule_add_thread(&b.schedule, "host", 0);
		add_launch(&b.schedule, 0, 1000);
		struct schedule_op *op = add_copy(&b.schedule, 0, COPY_MEMSET, 0, 0xffff, 8);
		op->kind = OP_MEMSET;
		op->duration_ps = 600000;
		const double without_ns = end_ns(&b.schedule, &b.platform);
		add_launch(&b.schedule, 0, 10000);
		b.schedule.op[b.schedule.op_count - 1].value = 1000 * pause_ns[k];
		NEAR(end_ns(&b.schedule, &b.platform), without_ns + (double)left_ns[k] + 10000);
		drop(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_graph_holds_costs_one_call),
		cmocka_unit_test(a_copy_in_a_graph_is_as_long_as_recorded),
		cmocka_unit_test(launching_a_graph_costs_what_was_measured_of_graphs),
		cmocka_unit_test(what_ends_as_recorded_is_waited_for_by_that_clock),
		cmocka_unit_test(a_graph_begins_when_the_host_has_copied),
		cmocka_unit_test(a_recorded_pause_behind_a_memset_bounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
