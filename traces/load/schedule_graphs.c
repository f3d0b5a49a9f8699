/* SPDX-License-Identifier: MIT
 * The nodes of a graph that was launched: which wait for which.
 *
 * A recording has a row a node, each in a stream: branches that may run beside each other are in
 * several, and so are the turns of a WHILE node. Within a stream they follow each other. Between
 * streams a node is taken to wait for all that had ended when it began, of each other stream the
 * last: more than the graph may say, but nothing that did not happen. Those that nothing was before
 * wait for what the launch found in its stream, taken to be that of the first node; what comes
 * behind the launch there waits for all of them. A record and a wait of a private event say so;
 * they take no time (OP_IN_GRAPH and OP_INFERRED).
 */
#include <stdlib.h>

#include "schedule_load.h"
#include "traces/base/util.h"

enum { NOT_YET = -1 };

struct node {
	uint32_t branch;
	int64_t start_ns, end_ns, pause_ns;
	uint32_t event; /* recorded behind it; EVENT_NONE: nobody waits */
	int64_t next;	/* of its branch; NOT_YET: none */
	bool turn;	/* the body of a WHILE node begins once more */
	size_t first_wait, waits;
};
struct branch {
	uint16_t stream;
	/* Nodes: the last; the last that had ended when the node began that is looked at; the one
	 * behind it. NOT_YET: none. */
	int64_t last, ended, next;
};
struct graph {
	struct node *node;
	uint32_t count;
	struct branch *branch;
	uint32_t branches;
	/* Of each branch (row), the last node of each other (column) that it has waited for. */
	int64_t *known;
	/* Events that nodes wait for, and what waits for the branches at the end. */
	uint32_t *wait;
	size_t wait_count, wait_capacity, first_last;
	uint32_t begin_event; /* EVENT_NONE: every node has one before it */
};

/* From this many streams on a graph has no branches here: it would take their square. */
enum { BRANCHES_MOST = 256 };

static uint32_t branch_of(struct graph *graph, uint16_t stream)
{
	for (uint32_t b = 0; b < graph->branches; b++)
		if (graph->branch[b].stream == stream)
			return b;
	graph->branch[graph->branches] = (struct branch){ stream, NOT_YET, NOT_YET, NOT_YET };
	return graph->branches++;
}

static void add_wait(struct graph *graph, uint32_t event)
{
	GROW(graph->wait, graph->wait_count, graph->wait_capacity);
	graph->wait[graph->wait_count++] = event;
}

static uint32_t event_behind(struct load *load, struct node *node)
{
	if (node->event == EVENT_NONE)
		node->event = load->schedule->event_count++;
	return node->event;
}

/* What node `i` waits for in other branches, and the pause before it. */
static void find_waits(struct load *load, struct graph *graph, uint32_t i)
{
	struct node *node = &graph->node[i];
	int64_t *known = graph->known + (size_t)node->branch * graph->branches;
	int64_t before_ns = graph->branch[node->branch].last == NOT_YET
				    ? -1
				    : graph->node[graph->branch[node->branch].last].end_ns;

	node->first_wait = graph->wait_count;
	for (uint32_t b = 0; b < graph->branches; b++) {
		struct branch *other = &graph->branch[b];

		if (b == node->branch || other->last == NOT_YET)
			continue;
		while (other->next != NOT_YET &&
		       graph->node[other->next].end_ns <= node->start_ns) {
			other->ended = other->next;
			other->next = graph->node[other->ended].next;
		}
		if (other->ended == NOT_YET || other->ended <= known[b])
			continue;
		known[b] = other->ended;
		add_wait(graph, event_behind(load, &graph->node[other->ended]));
		if (graph->node[other->ended].end_ns > before_ns)
			before_ns = graph->node[other->ended].end_ns;
	}
	node->waits = graph->wait_count - node->first_wait;
	if (i && before_ns == -1) {
		if (graph->begin_event == EVENT_NONE)
			graph->begin_event = load->schedule->event_count++;
		add_wait(graph, graph->begin_event);
		node->waits++;
		before_ns = graph->node[0].start_ns;
	}
	node->pause_ns = before_ns == -1 ? 0 : node->start_ns - before_ns;
	struct branch *branch = &graph->branch[node->branch];

	node->next = NOT_YET;
	if (branch->last != NOT_YET)
		graph->node[branch->last].next = i;
	if (branch->next == NOT_YET)
		branch->next = i;
	branch->last = i;
}

/* What the first node's stream has not waited for when all have ended. */
static void find_ends(struct load *load, struct graph *graph)
{
	graph->first_last = graph->wait_count;
	for (uint32_t b = 1; b < graph->branches; b++)
		if (graph->branch[b].last > graph->known[b])
			add_wait(graph, event_behind(load, &graph->node[graph->branch[b].last]));
}

/* A node that has run in this launch runs again: the first to do so is where its body begins. */
static void find_turns(const struct load *load, struct graph *graph, uint32_t at)
{
	struct map ran = { 0 };
	int64_t first = -1;

	for (uint32_t i = 0; i < graph->count; i++) {
		const struct work *w = &load->joins->work[at + i];
		const int64_t id =
			w->kind == WORK_KERNEL ? load->trace->kernel[w->row].graph_node : -1;

		if (id == -1)
			continue;
		if (map_put(&ran, id, 0, 1) != MAP_NONE && (first == -1 || first == id)) {
			first = id;
			graph->node[i].turn = true;
		}
	}
	map_release(&ran);
}

int load_graph(struct load *load, uint32_t at, uint32_t count, struct graph **made)
{
	struct graph *graph;

	*made = NULL;
	if (count == 1)
		return 0;
	*made = graph = xcalloc(1, sizeof(*graph));
	graph->count = count;
	graph->begin_event = EVENT_NONE;
	graph->node = xcalloc(count, sizeof(*graph->node));
	graph->branch = xcalloc(count, sizeof(*graph->branch));
	for (uint32_t i = 0; i < count; i++) {
		struct node *node = &graph->node[i];
		const int stream = load_work_stream(load, &load->joins->work[at + i]);

		if (stream < 0) {
			load_graph_end(load, graph);
			return -1;
		}
		*node = (struct node){ .branch = graph->branches < BRANCHES_MOST
							 ? branch_of(graph, (uint16_t)stream)
							 : 0,
				       .start_ns = load->joins->work[at + i].start_ns,
				       .end_ns = load_work_end(load, &load->joins->work[at + i]),
				       .event = EVENT_NONE };
		if (i && node[-1].end_ns != -1)
			node->pause_ns = node->start_ns - node[-1].end_ns;
	}
	find_turns(load, graph, at);
	if (graph->branches == 1 || graph->branches == BRANCHES_MOST)
		return 0;
	graph->known = xmalloc((size_t)graph->branches * graph->branches * sizeof(*graph->known));
	for (size_t k = 0; k < (size_t)graph->branches * graph->branches; k++)
		graph->known[k] = NOT_YET;
	for (uint32_t i = 0; i < count; i++)
		find_waits(load, graph, i);
	find_ends(load, graph);
	return 0;
}

static void add(struct load *load, enum op_kind kind, uint16_t stream, uint32_t event,
		uint8_t flags)
{
	schedule_add_op(load->schedule, kind, stream, event)->flags = flags;
}

void load_graph_begin(struct load *load, const struct graph *graph)
{
	if (graph && graph->begin_event != EVENT_NONE)
		add(load, OP_RECORD, graph->branch[0].stream, graph->begin_event, OP_INFERRED);
}

void load_graph_node(struct load *load, const struct graph *graph, uint32_t row)
{
	const struct node *node = graph ? &graph->node[row] : NULL;

	for (size_t k = 0; node && k < node->waits; k++)
		add(load, OP_WAIT, graph->branch[node->branch].stream,
		    graph->wait[node->first_wait + k], OP_IN_GRAPH | OP_INFERRED);
}

void load_graph_node_end(struct load *load, const struct graph *graph, uint32_t row)
{
	const struct node *node = graph ? &graph->node[row] : NULL;

	if (node && node->event != EVENT_NONE)
		add(load, OP_RECORD, graph->branch[node->branch].stream, node->event,
		    OP_IN_GRAPH | OP_INFERRED);
}

void load_graph_end(struct load *load, struct graph *graph)
{
	if (!graph)
		return;
	for (size_t k = graph->known ? graph->first_last : 0; graph->known && k < graph->wait_count;
	     k++)
		add(load, OP_WAIT, graph->branch[0].stream, graph->wait[k],
		    OP_IN_GRAPH | OP_INFERRED);
	free(graph->node);
	free(graph->branch);
	free(graph->known);
	free(graph->wait);
	free(graph);
}

bool load_graph_turns(const struct graph *graph, uint32_t row)
{
	return graph && graph->node[row].turn;
}

int64_t load_graph_pause_ps(const struct graph *graph, uint32_t row)
{
	return graph ? to_ps(graph->node[row].pause_ns) : 0;
}

int64_t load_handed_over_ps(const struct load *load, const struct schedule_op *op, uint32_t row,
			    int64_t called_ns)
{
	const struct schedule_copy *copy = &load->schedule->copy[op->object];

	return copy->kind == COPY_H2D && copy->pageable
		       ? to_ps(load->trace->memcpy[row].start_ns - called_ns)
		       : 0;
}
