/* SPDX-License-Identifier: MIT
 * Ghost values, after every step over all patches (section 2): within a GPU by one launch, between
 * GPUs packed, sent and unpacked. A GPU sends each neighbour one message, on its own stream, into
 * the neighbour's memory. Averages of finer patches come first, as a phase of their own.
 */
#include <stdlib.h>
#include <string.h>

#include "patches_geometry.h"
#include "patches_link.h"
#include "patches_work.h"
#include "traces/base/util.h"

enum { PHASES = 2 };

static void add(struct patches_links *links, int phase, const struct patches_ghost *link)
{
	const int32_t cells = link->count_a * link->count_b;
	GROW(links->link, links->count, links->capacity);
	links->link[links->count++] = *link;
	links->most[phase] = cells > links->most[phase] ? cells : links->most[phase];
	links->cells[phase] += cells;
}

static struct patches_ghost ghost_of(const struct patch_set *set, const struct patch_link *link)
{
	return patches_ghost_of(link, set->patch[link->target].origin,
				set->patch[link->source].origin);
}

/* What the sender writes for the receiver: the values, or of coarser cells each once. */
static void add_message(struct patches_message *message, int phase,
			const struct patches_ghost *link)
{
	struct patches_ghost pack = *link, unpack = *link;
	if (link->kind == LINK_COARSE) {
		pack.count_a = (link->count_a + link->odd_a + 1) / 2;
		pack.count_b = (link->count_b + link->odd_b + 1) / 2;
	}
	pack.kind = link->kind == LINK_AVERAGE ? LINK_AVERAGE : LINK_COPY;
	unpack.kind = link->kind == LINK_COARSE ? LINK_COARSE : LINK_COPY;
	pack.target = unpack.source = message->pack.cells[0] + message->pack.cells[1];
	pack.target_a = unpack.source_a = 1;
	pack.target_b = unpack.source_b = pack.count_a;
	add(&message->pack, phase, &pack);
	add(&message->unpack, phase, &unpack);
}

static int make_mailbox(struct patches_work *w, uint32_t g, uint32_t peer)
{
	struct machine *m = w->base.m;
	const struct machine_ops *ops = m->ops;
	struct patches_message *message = &w->gpu[g].to[peer];
	const int64_t bytes = 8 * (message->pack.cells[0] + message->pack.cells[1]);
	if (!bytes)
		return 0;
	return ops->buffer(m, g, SPACE_DEVICE, bytes, &message->send) ||
			       ops->buffer(m, peer, SPACE_DEVICE, bytes, &message->receive) ||
			       ops->event(m, g, &message->packed) ||
			       ops->event(m, peer, &message->taken) || ops->peer_access(m, g, peer)
		       ? -1
		       : 0;
}

/* All lists that GPU g's kernels read, in one table. */
static int make_table(struct patches_work *w, uint32_t g)
{
	struct machine *m = w->base.m;
	const struct machine_ops *ops = m->ops;
	struct patches_gpu *gpu = &w->gpu[g];
	size_t count = gpu->own.count;
	for (uint32_t peer = 0; peer < w->base.gpus; peer++)
		count += gpu->to[peer].pack.count + w->gpu[peer].to[g].unpack.count;
	gpu->link_count = (int64_t)count;
	if (!count)
		return 0;
	const int64_t bytes = (int64_t)(count * sizeof(struct patches_ghost));
	if (ops->buffer(m, g, SPACE_DEVICE, bytes, &gpu->links) ||
	    ops->buffer(m, g, SPACE_PINNED, bytes, &gpu->h_links))
		return -1;
	struct patches_ghost *table = ops->address(m, gpu->h_links);
	int32_t at = 0;
	struct patches_links *lists[2 * 64 + 1];
	int many = 0;
	lists[many++] = &gpu->own;
	for (uint32_t peer = 0; peer < w->base.gpus; peer++) {
		lists[many++] = &gpu->to[peer].pack;
		lists[many++] = &w->gpu[peer].to[g].unpack;
	}
	for (int k = 0; k < many; k++) {
		struct patches_links *l = lists[k];
		const int32_t middle = l->first[1]; /* links of the first phase, counted */
		l->first[0] = at;
		l->first[1] = at + middle;
		if (table && l->count)
			memcpy(table + at, l->link, l->count * sizeof(*table));
		at += (int32_t)l->count;
		l->first[2] = at;
	}
	return 0;
}

int patches_exchange_make(struct patches_work *w)
{
	const struct patch_set *set = &w->set;
	for (uint32_t g = 0; g < w->base.gpus; g++)
		w->gpu[g].to = xcalloc(w->base.gpus, sizeof(*w->gpu[g].to));
	for (int phase = 0; phase < PHASES; phase++) {
		for (int64_t k = 0; k < set->links; k++) {
			const struct patch_link *link = &set->link[k];
			const uint32_t to = set->patch[link->target].gpu,
				       from = set->patch[link->source].gpu;
			const struct patches_ghost ghost = ghost_of(set, link);
			if (link->phase != phase)
				continue;
			if (to == from)
				add(&w->gpu[to].own, phase, &ghost);
			else
				add_message(&w->gpu[from].to[to], phase, &ghost);
		}
		for (uint32_t g = 0; g < w->base.gpus && phase == 0; g++) {
			w->gpu[g].own.first[1] = (int32_t)w->gpu[g].own.count;
			for (uint32_t peer = 0; peer < w->base.gpus; peer++) {
				struct patches_message *message = &w->gpu[g].to[peer];
				message->pack.first[1] = message->unpack.first[1] =
					(int32_t)message->pack.count;
				message->from[1] = message->pack.cells[0];
			}
		}
	}
	for (uint32_t g = 0; g < w->base.gpus; g++)
		for (uint32_t peer = 0; peer < w->base.gpus; peer++) {
			struct patches_message *message = &w->gpu[g].to[peer];
			message->from[2] = message->pack.cells[0] + message->pack.cells[1];
			if (make_mailbox(w, g, peer))
				return -1;
		}
	for (uint32_t g = 0; g < w->base.gpus; g++)
		if (make_table(w, g))
			return -1;
	return 0;
}

void patches_exchange_release(struct patches_work *w)
{
	for (uint32_t g = 0; w->gpu && g < w->base.gpus; g++) {
		free(w->gpu[g].own.link);
		for (uint32_t peer = 0; w->gpu[g].to && peer < w->base.gpus; peer++) {
			free(w->gpu[g].to[peer].pack.link);
			free(w->gpu[g].to[peer].unpack.link);
		}
		free(w->gpu[g].to);
	}
}

int patches_exchange_restart(struct patches_work *w)
{
	const struct machine_ops *ops = patches_ops(w);
	for (uint32_t g = 0; g < w->base.gpus; g++)
		for (uint32_t peer = 0; peer < w->base.gpus; peer++) {
			struct patches_message *message = &w->gpu[g].to[peer];
			if (message->from[2] && (ops->counter(w->base.m, &message->packed_count) ||
						 ops->counter(w->base.m, &message->taken_count)))
				return -1;
		}
	return 0;
}

static int launch(struct patches_work *w, struct machine_thread *t,
		  const struct patches_links *links, int phase, uint32_t target, uint32_t source)
{
	const struct machine_ops *ops = patches_ops(w);
	const struct patches_gpu *gpu = &w->gpu[t->gpu];
	const struct patches_ghost_list args = {
		.link = ops->address(w->base.m, gpu->links),
		.target = ops->address(w->base.m, target),
		.source = ops->address(w->base.m, source),
		.first = links->first[phase],
		.count = links->first[phase + 1] - links->first[phase],
		.cells_most = links->most[phase],
	};
	const int64_t cells = links->cells[phase];
	if (!args.count)
		return 0;
	const struct machine_launch launch = {
		.name = "patches_ghosts",
		.cpu = patches_ghosts_cpu,
		.args = &args,
		.args_bytes = sizeof(args),
		.geometry = patches_ghosts_geometry,
		.points = cells,
		.dram_bytes = 16 * cells,
		.resident_bytes = 16 * cells,
		.access_count = 1,
		.access = { { gpu->links, ACCESS_READ,
			      args.first * (int64_t)sizeof(struct patches_ghost),
			      args.count * (int64_t)sizeof(struct patches_ghost) } },
	};
	return ops->launch(t, gpu->stream, &launch);
}

int patches_exchange(struct patches_work *w, struct machine_thread *t, bool second, int64_t k)
{
	const struct machine_ops *ops = patches_ops(w);
	const uint32_t me = t->gpu, gpus = w->base.gpus;
	struct patches_gpu *gpu = &w->gpu[me];
	const uint32_t values = second ? gpu->v : gpu->u;
	for (int phase = 0; phase < PHASES; phase++) {
		const int64_t number = PHASES * k + phase;
		for (uint32_t peer = 0; peer < gpus; peer++) {
			struct patches_message *message = &gpu->to[peer];
			const int64_t cells = message->from[phase + 1] - message->from[phase];
			if (!cells)
				continue;
			const struct machine_copy copy = { .source = message->send,
							   .target = message->receive,
							   .source_offset_bytes =
								   8 * message->from[phase],
							   .target_offset_bytes =
								   8 * message->from[phase],
							   .row_bytes = 8 * cells,
							   .rows = 1 };
			if (launch(w, t, &message->pack, phase, message->send, values) ||
			    (k && (ops->await(t, message->taken_count, number - PHASES + 1,
					      AWAIT_SPIN) ||
				   ops->wait(t, gpu->stream, message->taken))) ||
			    ops->copy(t, gpu->stream, &copy) ||
			    ops->record(t, gpu->stream, message->packed) ||
			    ops->post(t, message->packed_count, number + 1, AWAIT_SPIN))
				return -1;
		}
		if (gpu->link_count && launch(w, t, &gpu->own, phase, values, values))
			return -1;
		for (uint32_t peer = 0; peer < gpus; peer++) {
			struct patches_message *message = &w->gpu[peer].to[me];
			if (message->from[phase + 1] == message->from[phase])
				continue;
			if (ops->await(t, message->packed_count, number + 1, AWAIT_SPIN) ||
			    ops->wait(t, gpu->stream, message->packed) ||
			    launch(w, t, &message->unpack, phase, values, message->receive) ||
			    ops->record(t, gpu->stream, message->taken) ||
			    ops->post(t, message->taken_count, number + 1, AWAIT_SPIN))
				return -1;
		}
	}
	return 0;
}
