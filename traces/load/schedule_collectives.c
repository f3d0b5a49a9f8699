/* SPDX-License-Identifier: MIT
 * Kernels of a communication library (NCCL) that belong together: one on each of several GPUs, of
 * one process or of several whose traces were joined.
 *
 * Nothing in a recording says which kernels are one collective. What is known: a kernel cannot end
 * before its partners have begun, and partners end together, as each needs the last data of the
 * others. So partners are kernels of one name on different GPUs that run at the same time and whose
 * ends are no further apart than half the shorter one lasts. Each kernel, in order of their
 * begins, takes from each other GPU the first such that is still free.
 *
 * The shortest of them is that of the GPU that came last, which waited for nobody: that is the
 * collective's work, and no clock of one GPU is held against another's for it.
 *
 * Sends and receives are another case: a rank of a ring waits for its two neighbours, and a kernel
 * may be done before one two ranks away has begun. So where each of three or more GPUs has as many
 * of them, the k-th of all belong together, and two GPUs that were ever seen not to wait for each
 * other are no neighbours. Those that may be have a collective of their own, for two. Where nobody
 * was seen not to wait, all are taken to wait for all.
 *
 * Where that is wrong: two groups of GPUs that do the same at the same instant are taken for one
 * group, and a kernel that sends without waiting to be received (a small broadcast) finds nobody
 * and lasts as recorded.
 */
#include <stdlib.h>
#include <string.h>

#include "schedule_load.h"
#include "traces/base/util.h"
#include "traces/schedule/nccl_names.h"

struct candidate {
	int64_t start_ns, end_ns;
	uint32_t row, place; /* place: a GPU, as numbered here */
	bool taken;
};

/* Those of one GPU, in order of their begins, which are their ends' order, too, in a stream. */
struct place {
	struct candidate **of;
	size_t count, next, capacity; /* next: those before are taken or over */
};

static bool is_communication(const struct trace *trace, const struct trace_kernel *kernel)
{
	return nccl_kernel(trace_text(trace, kernel->demangled_name)) != NULL;
}

static int by_begin(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

static int64_t length(const struct candidate *c)
{
	return c->end_ns - c->start_ns;
}

static bool belong_together(const struct load *load, const struct candidate *a,
			    const struct candidate *b)
{
	const int64_t apart = a->end_ns > b->end_ns ? a->end_ns - b->end_ns : b->end_ns - a->end_ns,
		      shorter = length(a) < length(b) ? length(a) : length(b);

	return load->trace->kernel[a->row].demangled_name ==
		       load->trace->kernel[b->row].demangled_name &&
	       a->start_ns <= b->end_ns && b->start_ns <= a->end_ns && apart <= shorter / 2;
}

/* The first of a GPU's that is free and belongs to this one; NULL. */
static struct candidate *partner(const struct load *load, struct place *place,
				 const struct candidate *with)
{
	while (place->next < place->count &&
	       (place->of[place->next]->taken || place->of[place->next]->end_ns < with->start_ns))
		place->next++;
	for (size_t i = place->next; i < place->count && place->of[i]->start_ns <= with->end_ns;
	     i++)
		if (!place->of[i]->taken && belong_together(load, with, place->of[i]))
			return place->of[i];
	return NULL;
}

static int by_row(const void *left, const void *right)
{
	const struct collective_part *a = left, *b = right;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return a->collective < b->collective ? -1 : a->collective > b->collective;
}

static void add_collective(struct load *load, struct candidate **member, uint32_t count,
			   int64_t work_ns)
{
	struct schedule *s = load->schedule;

	GROW(s->collective, s->collective_count, s->collective_capacity);
	s->collective[s->collective_count++] = (struct schedule_collective){
		.kernel = load_kernel(load, &load->trace->kernel[member[0]->row]),
		.participants = count,
		.blocks = load->trace->kernel[member[0]->row].grid[0],
		.work_ps = to_ps(work_ns),
		.steps = -1
	};
	for (uint32_t i = 0; i < count; i++) {
		member[i]->taken = true;
		GROW(load->collective_part, load->collective_parts, load->collective_part_capacity);
		load->collective_part[load->collective_parts++] =
			(struct collective_part){ member[i]->row, s->collective_count - 1 };
	}
}

/* The last to come waited for nobody. */
static int64_t shortest(struct candidate *const *member, uint32_t count)
{
	int64_t work_ns = INT64_MAX;

	for (uint32_t i = 0; i < count; i++)
		work_ns = length(member[i]) < work_ns ? length(member[i]) : work_ns;
	return work_ns;
}

/* ---- sends and receives ---- */

static bool sends_and_receives(const struct load *load, const struct candidate *c)
{
	const char *name =
		nccl_kernel(trace_text(load->trace, load->trace->kernel[c->row].demangled_name));

	return name && !strncmp(name, "SendRecv", strlen("SendRecv"));
}

/* Those of a place, in order; the caller frees. */
static struct candidate **sends_of(const struct load *load, const struct place *place,
				   size_t *count)
{
	struct candidate **of = xmalloc((place->count + 1) * sizeof(struct candidate *));

	*count = 0;
	for (size_t i = 0; i < place->count; i++)
		if (sends_and_receives(load, place->of[i]))
			of[(*count)++] = place->of[i];
	return of;
}

/* Whether two places may have waited for each other each time. */
static bool may_be_neighbours(struct candidate *const *a, struct candidate *const *b, size_t count)
{
	for (size_t k = 0; k < count; k++)
		if (a[k]->end_ns < b[k]->start_ns || b[k]->end_ns < a[k]->start_ns)
			return false;
	return true;
}

/* Pairs of places that may be neighbours, by their numbers, of those that have sends; true: not all
 * are, and nobody is alone. */
static bool find_neighbours(struct candidate **const *of, const uint32_t *at, uint32_t sending,
			    size_t count, bool *neighbours)
{
	bool all = true, alone = false;

	for (uint32_t i = 0; i < sending; i++) {
		bool has = false;

		for (uint32_t j = 0; j < sending; j++) {
			bool *is = &neighbours[i * sending + j];

			*is = i != j && may_be_neighbours(of[at[i]], of[at[j]], count);
			has |= *is;
			all &= *is || i == j;
		}
		alone |= !has;
	}
	return !all && !alone;
}

static void match_sends(struct load *load, const struct place *place, uint32_t places)
{
	struct candidate ***of = xcalloc(places + 1, sizeof(*of)),
			 **all = xmalloc((places + 1) * sizeof(struct candidate *));
	uint32_t *at = xmalloc((places + 1) * sizeof(*at)), sending = 0;
	size_t most = 0, count = 0;
	bool equal = true;

	for (uint32_t p = 0; p < places; p++) {
		of[p] = sends_of(load, &place[p], &count);
		if (!count)
			continue;
		equal &= !most || count == most;
		most = count;
		at[sending++] = p;
	}
	bool *neighbours = xcalloc((size_t)sending * sending + 1, sizeof(*neighbours));

	if (sending > 2 && equal && find_neighbours(of, at, sending, most, neighbours))
		for (size_t k = 0; k < most; k++) {
			for (uint32_t i = 0; i < sending; i++)
				all[i] = of[at[i]][k];
			const int64_t work_ns = shortest(all, sending);

			for (uint32_t i = 0; i < sending; i++)
				for (uint32_t j = i + 1; j < sending; j++) {
					struct candidate *pair[] = { all[i], all[j] };

					if (neighbours[i * sending + j])
						add_collective(load, pair, 2, work_ns);
				}
		}
	for (uint32_t p = 0; p < places; p++)
		free(of[p]);
	free(of);
	free(all);
	free(at);
	free(neighbours);
}

static void match(struct load *load, struct candidate *candidate, size_t count, struct place *place,
		  uint32_t places)
{
	struct candidate **member = xmalloc((places + 1) * sizeof(struct candidate *));

	for (size_t i = 0; i < count; i++) {
		uint32_t members = 1;

		if (candidate[i].taken)
			continue;
		member[0] = &candidate[i];
		for (uint32_t p = 0; p < places; p++) {
			struct candidate *other = p == candidate[i].place
							  ? NULL
							  : partner(load, &place[p], &candidate[i]);

			if (other)
				member[members++] = other;
		}
		if (members > 1)
			add_collective(load, member, members, shortest(member, members));
		else
			load->schedule->without_partners++;
	}
	free(member);
}

static size_t collect(const struct load *load, struct candidate *candidate, uint32_t *places)
{
	const struct trace *t = load->trace;
	struct map place = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < t->kernel_count; i++) {
		const struct trace_kernel *k = &t->kernel[i];

		if (k->start_ns == -1 || k->end_ns == -1 || !is_communication(t, k))
			continue;
		candidate[count++] =
			(struct candidate){ .start_ns = k->start_ns,
					    .end_ns = k->end_ns,
					    .row = (uint32_t)i,
					    .place = map_intern(&place, process_of(k->global_pid),
								k->device, (uint32_t)place.used) };
	}
	*places = (uint32_t)place.used;
	map_release(&place);
	return count;
}

void load_collectives(struct load *load)
{
	struct candidate *candidate = xmalloc((load->trace->kernel_count + 1) * sizeof(*candidate));
	uint32_t places;
	const size_t count = collect(load, candidate, &places);
	struct place *place = xcalloc(places + 1, sizeof(*place));

	load->collective_of = xcalloc(load->trace->kernel_count + 1, sizeof(*load->collective_of));
	qsort(candidate, count, sizeof(*candidate), by_begin);
	for (size_t i = 0; i < count; i++) {
		struct place *at = &place[candidate[i].place];

		GROW(at->of, at->count, at->capacity);
		at->of[at->count++] = &candidate[i];
	}
	match_sends(load, place, places);
	match(load, candidate, count, place, places);
	if (load->collective_parts)
		qsort(load->collective_part, load->collective_parts, sizeof(*load->collective_part),
		      by_row);
	for (size_t k = load->collective_parts; k-- > 0;)
		load->collective_of[load->collective_part[k].row] = (uint32_t)k + 1;
	for (uint32_t p = 0; p < places; p++)
		free(place[p].of);
	free(place);
	free(candidate);
}

void load_collective_met(struct load *load, uint32_t row)
{
	struct schedule *s = load->schedule;

	if (!load->collective_of || !load->collective_of[row])
		return;
	s->op[s->op_count - 1].flags |= OP_COLLECTIVE;
	for (size_t k = load->collective_of[row] - 1;
	     k < load->collective_parts && load->collective_part[k].row == row; k++) {
		GROW(s->participant, s->participant_count, s->participant_capacity);
		s->participant[s->participant_count++] =
			(struct schedule_participant){ s->op_count - 1,
						       load->collective_part[k].collective };
	}
}

/* Of launches that no call asked for there is no operation: what is left of their collective then
 * is one of fewer, or none. */
void load_collectives_finish(struct load *load)
{
	struct schedule *s = load->schedule;
	uint32_t *met = xcalloc(s->collective_count + 1, sizeof(*met)),
		 *number = xcalloc(s->collective_count + 1, sizeof(*number)), collectives = 0;
	size_t kept = 0;

	for (size_t k = 0; k < s->participant_count; k++)
		met[s->participant[k].collective]++;
	for (uint32_t c = 0; c < s->collective_count; c++) {
		s->collective[c].participants = met[c];
		number[c] = collectives;
		if (met[c] > 1 || (met[c] && s->collective[c].steps >= 0))
			s->collective[collectives++] = s->collective[c];
		else
			s->without_partners += met[c];
	}
	for (size_t k = 0; k < s->participant_count; k++) {
		const struct schedule_participant *participant = &s->participant[k];

		s->op[participant->op].flags &= (uint8_t)~OP_COLLECTIVE;
		if (met[participant->collective] > 1 ||
		    s->collective[participant->collective].steps >= 0)
			s->participant[kept++] =
				(struct schedule_participant){ participant->op,
							       number[participant->collective] };
	}
	for (size_t k = 0; k < kept; k++)
		s->op[s->participant[k].op].flags |= OP_COLLECTIVE;
	s->collective_count = collectives;
	s->participant_count = kept;
	free(met);
	free(number);
}
