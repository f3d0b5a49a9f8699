/* SPDX-License-Identifier: MIT
 * Operations of several GPUs that a program on virtual ones called for (trace_collective): which
 * rows are one operation, and a launch for each rank and call.
 *
 * The k-th operation of all that a rank calls is the same for all ranks of its communicator; the
 * k-th send of a rank to another meets the k-th receive of that from it. All of one rank in one
 * call (a group) is one launch, as NCCL makes one kernel of them.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "schedule_load.h"
#include "traces/base/util.h"

static bool is_of_two(int32_t kind)
{
	return kind == COLLECTIVE_SEND || kind == COLLECTIVE_RECEIVE;
}

/* Steps of the ring, one after the other, and bytes that each rank puts on its link. Patarasu and
 * Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations, J. Parallel Distrib.
 * Comput. 69 (2009), section 3; the other collectives are its halves, or pass the data on. */
static int32_t steps_of(const struct trace_collective *row)
{
	const int32_t others = row->ranks - 1;

	if (is_of_two(row->kind))
		return row->peer == row->rank ? 0 : 1;
	return row->kind == COLLECTIVE_ALL_REDUCE ? 2 * others : others;
}

static int64_t link_bytes(const struct trace_collective *row)
{
	const int64_t others = row->ranks - 1;

	if (is_of_two(row->kind))
		return row->peer == row->rank ? 0 : row->bytes;
	switch (row->kind) {
	case COLLECTIVE_ALL_REDUCE: /* rounded up */
		return others ? (2 * others * row->bytes + row->ranks - 1) / row->ranks : 0;
	case COLLECTIVE_ALL_GATHER:
	case COLLECTIVE_REDUCE_SCATTER:
		return others * row->bytes;
	default:
		return others ? row->bytes : 0;
	}
}

/* ---- which rows meet ---- */

static int by_time(const void *left, const void *right, void *context)
{
	const struct trace *t = context;
	const uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;

	if (t->collective[x].start_ns != t->collective[y].start_ns)
		return t->collective[x].start_ns < t->collective[y].start_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int by_call(const void *left, const void *right, void *context)
{
	const struct trace *t = context;
	const struct trace_collective *a = &t->collective[*(const uint32_t *)left],
				      *b = &t->collective[*(const uint32_t *)right];

	if (a->global_tid != b->global_tid)
		return a->global_tid < b->global_tid ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	if (a->call != b->call)
		return a->call < b->call ? -1 : 1;
	return by_time(left, right, context);
}

enum { SENDS = 1, RECEIVES = 2, OF_ALL = 3 };

/* A number for what a rank counts, or for what two do. */
static int64_t pair_key(int64_t sort, int64_t a, int64_t b)
{
	return sort << 48 | a << 24 | b;
}

/* The schedule's collective of a row; `counted`: how many each rank called of a sort so far;
 * `grouped`: how many it sent another in one call. */
static uint32_t collective_of_row(struct load *load, const struct trace_collective *row,
				  struct map *counted, struct map *places, struct map *met,
				  struct map *grouped)
{
	struct schedule *s = load->schedule;
	const bool sends = row->kind == COLLECTIVE_SEND;
	const int64_t of_rank = is_of_two(row->kind)
					? pair_key(sends ? SENDS : RECEIVES, row->rank, row->peer)
					: pair_key(OF_ALL, row->rank, 0),
		      of_both = !is_of_two(row->kind) ? pair_key(OF_ALL, 0, 0)
				: sends		      ? pair_key(SENDS, row->rank, row->peer)
						      : pair_key(SENDS, row->peer, row->rank);
	const uint32_t before = map_get(counted, row->communicator, of_rank),
		       number = before == MAP_NONE ? 0 : before,
		       place = map_intern(places, row->communicator, of_both,
					  (uint32_t)places->used),
		       known = map_intern(met, place, number, s->collective_count);

	map_put(counted, row->communicator, of_rank, number + 1);
	if (known == s->collective_count) {
		load->collective_wanted[known] = !is_of_two(row->kind)	  ? (uint32_t)row->ranks
						 : row->peer == row->rank ? 1
									  : 2;
		GROW(s->collective, s->collective_count, s->collective_capacity);
		s->collective[s->collective_count++] =
			(struct schedule_collective){ .steps = steps_of(row),
						      .of_two = is_of_two(row->kind) };
	}
	if (sends && row->peer != row->rank) {
		const uint32_t sent = map_get(grouped, place, row->start_ns),
			       which = sent == MAP_NONE ? 1 : sent + 1;

		map_put(grouped, place, row->start_ns, which);
		s->collective[known].steps = (int32_t)which;
	}
	return known;
}

static int check_row(const struct load *load, size_t row)
{
	const struct trace_collective *c = &load->trace->collective[row];
	const bool has_peer = is_of_two(c->kind) || c->kind == COLLECTIVE_BROADCAST ||
			      c->kind == COLLECTIVE_REDUCE;

	if (c->kind < 0 || c->kind >= COLLECTIVE_KIND_COUNT)
		return report("%s: collective row %zu is of kind %" PRId32, load->path, row + 1,
			      c->kind);
	if (c->ranks < 1 || c->ranks > LOAD_MAX_GPUS || c->rank < 0 || c->rank >= c->ranks ||
	    (has_peer && (c->peer < 0 || c->peer >= c->ranks)))
		return report("%s: collective row %zu is of rank %" PRId32 " of %" PRId32
			      " with peer %" PRId32,
			      load->path, row + 1, c->rank, c->ranks, c->peer);
	if (c->bytes < 0 || c->bytes > INT64_MAX / (4 * LOAD_MAX_GPUS))
		return report("%s: collective row %zu moves %" PRId64 " bytes", load->path, row + 1,
			      c->bytes);
	return 0;
}

int load_nccl(struct load *load)
{
	const struct trace *t = load->trace;
	struct map counted = { 0 }, places = { 0 }, met = { 0 }, grouped = { 0 };

	for (size_t i = 0; i < t->collective_count; i++)
		if (t->collective[i].correlation == -1 && check_row(load, i) < 0)
			return -1;

	load->collective_row = xmalloc((t->collective_count + 1) * sizeof(uint32_t));
	load->collective_wanted = xcalloc(t->collective_count + 1, sizeof(uint32_t));
	load->collective_met = xcalloc(t->collective_count + 1, sizeof(uint32_t));
	for (size_t i = 0; i < t->collective_count; i++)
		if (t->collective[i].correlation == -1)
			load->collective_row[load->collective_rows++] = (uint32_t)i;
	qsort_r(load->collective_row, load->collective_rows, sizeof(uint32_t), by_time, (void *)t);
	for (uint32_t i = 0; i < load->collective_rows; i++) {
		const uint32_t row = load->collective_row[i];

		load->collective_met[row] = collective_of_row(load, &t->collective[row], &counted,
							      &places, &met, &grouped);
	}
	qsort_r(load->collective_row, load->collective_rows, sizeof(uint32_t), by_call, (void *)t);
	map_release(&counted);
	map_release(&places);
	map_release(&met);
	map_release(&grouped);
	return 0;
}

uint32_t load_nccl_call(const struct load *load, uint32_t at)
{
	const struct trace_collective *all = load->trace->collective;
	const struct trace_collective *first = &all[load->collective_row[at]];
	uint32_t end = at + 1;

	while (end < load->collective_rows &&
	       all[load->collective_row[end]].global_tid == first->global_tid &&
	       all[load->collective_row[end]].start_ns == first->start_ns &&
	       all[load->collective_row[end]].call == first->call)
		end++;
	return end - at;
}

/* ---- launches ---- */

static bool is_of_rank(const struct trace_collective *a, const struct trace_collective *b)
{
	return a->communicator == b->communicator && a->rank == b->rank;
}

/* As NCCL calls the kernels, but for what we do not know of them. */
static const char *kernel_of(const struct load *load, const uint32_t *row, uint32_t rows)
{
	static const char *const name[COLLECTIVE_KIND_COUNT] = {
		[COLLECTIVE_SEND] = "NCCL SendRecv",
		[COLLECTIVE_RECEIVE] = "NCCL SendRecv",
		[COLLECTIVE_ALL_REDUCE] = "NCCL AllReduce",
		[COLLECTIVE_ALL_GATHER] = "NCCL AllGather",
		[COLLECTIVE_REDUCE_SCATTER] = "NCCL ReduceScatter",
		[COLLECTIVE_BROADCAST] = "NCCL Broadcast",
		[COLLECTIVE_REDUCE] = "NCCL Reduce",
	};
	const struct trace_collective *all = load->trace->collective, *first = &all[row[0]];

	for (uint32_t i = 1; i < rows; i++)
		if (is_of_rank(first, &all[row[i]]) && name[all[row[i]].kind] != name[first->kind])
			return "NCCL Generic";
	return name[first->kind];
}

/* The launch of one rank, whose first row is row[0]; -1 after a message. */
static int add_launch(struct load *load, const uint32_t *row, uint32_t rows, int64_t before_ps)
{
	struct schedule *s = load->schedule;
	const struct trace_collective *all = load->trace->collective, *first = &all[row[0]];
	const uint32_t kernel = schedule_add_kernel(s, kernel_of(load, row, rows));
	const int stream = load_stream(load, process_of(first->global_tid), first->device,
				       first->context, first->stream, "collective", row[0]);
	const size_t before = s->participant_count;
	int64_t out_bytes = 0, in_bytes = 0;
	struct schedule_op *op;

	if (stream < 0)
		return -1;
	op = schedule_add_op(
		s, OP_LAUNCH, (uint16_t)stream,
		schedule_add_shape(
			s, &(struct schedule_shape){ .kernel = kernel, .path = -1, .steps = -1 },
			NULL, 0));
	op->flags = OP_COLLECTIVE;
	op->before_ps = before_ps;
	for (uint32_t i = 0; i < rows; i++) {
		const struct trace_collective *part = &all[row[i]];
		const uint32_t collective = load->collective_met[row[i]];
		bool there = false;

		if (!is_of_rank(first, part))
			continue;
		if (part->kind != COLLECTIVE_RECEIVE)
			out_bytes += link_bytes(part);
		if (part->kind != COLLECTIVE_SEND)
			in_bytes += link_bytes(part);
		for (size_t m = before; m < s->participant_count; m++)
			there |= s->participant[m].collective == collective;
		if (there) /* what it sends to itself */
			continue;
		GROW(s->participant, s->participant_count, s->participant_capacity);
		s->participant[s->participant_count++] =
			(struct schedule_participant){ s->op_count - 1, collective };
		s->collective[collective].kernel = kernel;
	}
	for (size_t m = before; m < s->participant_count; m++) {
		int64_t *most = &s->collective[s->participant[m].collective].link_bytes;

		*most = out_bytes > *most ? out_bytes : *most;
		*most = in_bytes > *most ? in_bytes : *most;
	}
	return 0;
}

/* The ranks of one thread go last to first: in a group NCCL puts each communicator before those of
 * its kin that came earlier (ncclGroupCommJoin, src/include/group.h), and recordings show it. */
int load_nccl_launches(struct load *load, uint32_t at, int64_t before_ps)
{
	const struct trace_collective *all = load->trace->collective;
	const uint32_t *row = &load->collective_row[at];
	const uint32_t rows = load_nccl_call(load, at);

	for (uint32_t i = rows; i-- > 0;) {
		bool came_before = false;

		for (uint32_t j = 0; j < i; j++)
			came_before |= is_of_rank(&all[row[j]], &all[row[i]]);
		if (came_before)
			continue;
		if (add_launch(load, &row[i], rows - i, before_ps) < 0)
			return -1;
		before_ps = 0;
	}
	return 0;
}

void load_nccl_finish(struct load *load)
{
	const struct schedule *s = load->schedule;
	uint32_t *met = xcalloc(s->collective_count + 1, sizeof(*met));

	for (size_t m = 0; m < s->participant_count; m++)
		met[s->participant[m].collective]++;
	for (uint32_t c = 0; c < s->collective_count; c++)
		load->anomaly[ANOMALY_COLLECTIVE] += s->collective[c].steps >= 0 && met[c] &&
						     met[c] < load->collective_wanted[c];
	free(met);
}

void load_nccl_release(struct load *load)
{
	free(load->collective_wanted);
	free(load->collective_row);
	free(load->collective_met);
}
