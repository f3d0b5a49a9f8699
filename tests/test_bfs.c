/* SPDX-License-Identifier: MIT
 * Breadth-first search of paper 003: levels by launches against a queue.
 */
#include "solver_kit.h"
#include "support.h"

#include "kernels/bfs/bfs_graph.h"

static void a_path_has_as_many_levels_as_vertices(void **state)
{
	int32_t offset[] = { 0, 1, 3, 5, 7, 8 }, neighbour[] = { 1, 0, 2, 1, 3, 2, 4, 3 }, count[5];
	const struct bfs_graph path = {
		.vertices = 5, .edges = 4, .offset = offset, .neighbour = neighbour
	};
	(void)state;
	assert_int_equal(bfs_reference(&path, count), 5);
	for (int v = 0; v < 5; v++)
		assert_int_equal(count[v], v);
}

static void what_no_edge_leads_to_is_not_reached(void **state)
{
	int32_t offset[] = { 0, 1, 2, 2 }, neighbour[] = { 1, 0 }, count[3];
	const struct bfs_graph apart = {
		.vertices = 3, .edges = 1, .offset = offset, .neighbour = neighbour
	};
	(void)state;
	assert_int_equal(bfs_reference(&apart, count), 2);
	assert_int_equal(count[2], -1);
}

static void an_edge_leads_both_ways(void **state)
{
	struct bfs_graph g;
	long ends = 0;
	(void)state;
	bfs_graph_make(&g, 40, 60, 7);
	assert_int_equal(g.offset[40], 120);
	for (int v = 0; v < 40; v++)
		for (int k = g.offset[v]; k < g.offset[v + 1]; k++) {
			int back = 0;
			const int to = g.neighbour[k];
			for (int j = g.offset[to]; j < g.offset[to + 1]; j++)
				back += g.neighbour[j] == v;
			assert_true(back > 0);
			ends++;
		}
	assert_int_equal(ends, 120);
	bfs_graph_release(&g);
}

static void both_barriers_find_what_a_queue_finds(void **state)
{
	(void)state;
	struct machine *m = machine_cpu_new(1);
	for (int edges = 30; edges < 1000; edges *= 2) {
		struct solver_result by[2];
		for (int k = 0; k < 2; k++) {
			char config[128];
			snprintf(config, sizeof(config), "vertices=100 edges=%d barrier=%s", edges,
				 k ? "block" : "host");
			assert_int_equal(run_config(m, "bfs", config, 1, 1, &by[k]), 0);
			m->ops->reset(m);
			assert_true(by[k].residual < 0.5);
		}
		assert_int_equal(by[0].iterations, by[1].iterations);
		assert_true(by[0].checksum == by[1].checksum);
	}
	m->ops->free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_has_as_many_levels_as_vertices),
		cmocka_unit_test(what_no_edge_leads_to_is_not_reached),
		cmocka_unit_test(an_edge_leads_both_ways),
		cmocka_unit_test(both_barriers_find_what_a_queue_finds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
