/* SPDX-License-Identifier: MIT */
#include "sm_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"
#include "refine.h"

static const double GROWTH_END =
	16; /* in units of rate x latency; beyond, latency is what is in flight over the rate */

/* Where reads and writes mix, turning around costs, put on the writes. */
static double write_rate(const struct sm_memory_level *of, double turnaround_s)
{
	if (isinf(of->read_bytes_per_s) || isinf(of->write_bytes_per_s))
		return of->write_bytes_per_s;
	return 1 / (1 / of->write_bytes_per_s + turnaround_s);
}

/* `on`: which of what a level knows beyond latency and rates. */
static void level_init(struct memory_level *level, const struct sm_memory_level *of,
		       const struct mechanism_set *on, double clock_hz,
		       const struct sm_memory_setup *setup, double background, double turnaround_s)
{
	const bool spread = mechanism_on(on, MECHANISM_READ_SPREAD),
		   loaded = mechanism_on(on, MECHANISM_LOADED_LATENCY);
	double left =
		of->read_bytes_per_s > background ? 1 - background / of->read_bytes_per_s : 0.01;
	const double sharers = setup->sharers;
	*level = (struct memory_level){
		.skew = setup->skew,
		.latency = of->latency_ns * 1e-9 * clock_hz,
		.read_cycles = sharers * clock_hz / (of->read_bytes_per_s * left),
		.write_cycles = sharers * clock_hz / (write_rate(of, turnaround_s) * left),
		.write_wait = mechanism_on(on, MECHANISM_DRAM_WRITE_WAIT)
				      ? of->write_wait_ns * 1e-9 * clock_hz
				      : 0,
		.spread = spread ? of->spread_ns * 1e-9 * clock_hz : 0,
		.least = spread && of->least_share > 0 ? of->least_share : 1,
	};
	level->last = level->latency;
	level->knee = !loaded ? 0 : of->knee > 0 ? of->knee : 1;
}

/* Worked out when it is asked for: a run meets few of them, and there are many runs. */
static double growth_at(struct memory_level *level, int k)
{
	double *growth = &level->growth[k], u = k * GROWTH_END / LEVEL_TABLE;
	if (*growth <= 0)
		*growth = level->knee > 0 ? pow(1 + pow(u, level->knee), 1 / level->knee)
					  : fmax(1, u);
	return *growth;
}

static double if_on(const struct mechanism_set *set, enum mechanism_id id, double value)
{
	return mechanism_on(set, id) ? value : 0;
}

void sm_memory_init(struct sm_memory *memory, const struct sm_device *device,
		    const struct sm_memory_setup *setup)
{
	double clock_hz = device->clock_mhz * 1e6;
	const struct mechanism_set *on = &device->mechanisms;
	const struct traffic *traffic = &setup->traffic;
	*memory = (struct sm_memory){
		.far = if_on(on, MECHANISM_L2_FAR, device->l2_far_latency_ns * 1e-9 * clock_hz),
		.dirty = device->l2_far_dirty_latency_ns * 1e-9 * clock_hz,
		.dirty_share = refine_l2_far_dirty(device, traffic),
		.limit_bytes = if_on(on, MECHANISM_L1_MISSES, device->l1_miss_bytes),
		.read_slot_bytes = if_on(on, MECHANISM_L2_SLOTS, device->l2_slot_bytes),
		.write_slot_bytes = if_on(on, MECHANISM_L2_SLOTS, device->l2_write_slot_bytes),
		.atomic_cycles = setup->sharers * clock_hz / refine_atomics_per_s(device, traffic),
		.slice_longer = refine_atomic_beside(device, traffic),
		.slice_dram = device->dram_slice_share,
		.slice_lines = refine_slice_lines(device),
		.far_lines = -1,
		.dirty_lines = -1,
	};
	level_init(&memory->l2, &device->l2, on, clock_hz, setup, 0, 0);
	memory->l2_write = memory->l2;
	memory->l2_write.read_cycles =
		memory->l2.read_cycles * refine_l2_beside_writes(device, traffic);
	level_init(&memory->dram, &device->dram, on, clock_hz, setup,
		   setup->background_dram_bytes_per_s,
		   refine_dram_turnaround_s(device, traffic, setup->dram_read_share));
	memory->dram.read_cycles *= traffic->over_read > 1 ? traffic->over_read : 1;
	memory->dram.write_cycles *= traffic->over_write > 1 ? traffic->over_write : 1;
}

void sm_memory_release(struct sm_memory *memory)
{
	free(memory->l2.ring);
	free(memory->l2_write.ring);
	free(memory->dram.ring);
	free(memory->heap);
}

static struct in_flight *copy_of(const struct in_flight *request, size_t count)
{
	struct in_flight *copy = xcalloc(count + 1, sizeof(*copy));
	if (count)
		memcpy(copy, request, count * sizeof(*copy));
	return copy;
}

struct sm_memory sm_memory_copy(const struct sm_memory *memory)
{
	struct sm_memory copy = *memory;
	copy.l2.ring = copy_of(memory->l2.ring, memory->l2.capacity);
	copy.l2_write.ring = copy_of(memory->l2_write.ring, memory->l2_write.capacity);
	copy.dram.ring = copy_of(memory->dram.ring, memory->dram.capacity);
	copy.heap = copy_of(memory->heap, memory->heap_capacity);
	return copy;
}

static void ring_push(struct memory_level *level, struct in_flight request)
{
	if (level->count == level->capacity) {
		size_t capacity = level->capacity ? 2 * level->capacity : 64;
		struct in_flight *ring = xcalloc(capacity, sizeof(*ring));
		for (size_t k = 0; k < level->count; k++)
			ring[k] = level->ring[(level->head + k) & (level->capacity - 1)];
		free(level->ring);
		level->ring = ring;
		level->head = 0;
		level->capacity = capacity;
	}
	level->ring[(level->head + level->count++) & (level->capacity - 1)] = request;
	level->in_flight += request.size;
	level->writes_in_flight += request.write ? request.size : 0;
}

static void ring_advance(struct memory_level *level, double at)
{
	while (level->count && level->ring[level->head].done <= at) {
		level->in_flight -= level->ring[level->head].size;
		level->writes_in_flight -=
			level->ring[level->head].write ? level->ring[level->head].size : 0;
		level->head = (level->head + 1) & (level->capacity - 1);
		level->count--;
	}
	if (!level->count)
		level->in_flight = level->writes_in_flight = 0;
}

/*
 * Mean latency with so many cycles of service in flight. Writes go in bursts, and a read that finds
 * one waits for its end: so long for the share of time that goes to writes, which is what of them
 * is in flight over how long that is (Little).
 */
static double loaded_latency(struct memory_level *level, double waiting)
{
	double writing = level->last > 0 ? level->writes_in_flight / level->last : 0;
	double latency = level->latency + level->write_wait * (writing < 1 ? writing : 1);
	if (latency <= 0)
		return waiting;
	double u = waiting / latency;
	if (u >= GROWTH_END)
		return waiting;
	double x = u * LEVEL_TABLE / GROWTH_END;
	int k = (int)x;
	const double below = growth_at(level, k);
	return latency * (below + (x - k) * (growth_at(level, k + 1) - below));
}

/* Cycles that multiprocessors are apart by now. */
static double apart(const struct memory_level *level)
{
	return level->skew * level->served;
}

/* Takes its turn at the server; returns when served. */
static double level_serve(struct memory_level *level, double at, double cycles)
{
	const double from = at - apart(level);
	level->busy = (level->busy > from ? level->busy : from) + cycles;
	level->served += cycles;
	return level->busy > at ? level->busy : at;
}

/* What others have in flight, each as much as this one has on average. */
static double usual_in_flight(struct memory_level *level, double at)
{
	const double over = apart(level);
	if (over <= 0)
		return level->in_flight;
	if (at > level->usual_at) {
		level->usual += (1 - exp((level->usual_at - at) / over)) *
				(level->in_flight - level->usual);
		level->usual_at = at;
	}
	return level->usual;
}

/*
 * A request of any kind: `cycles` at the server, and on the way as long as what is in flight lets
 * it; the mean of that. Writes are in flight too: they stand in the same queues, and a read behind
 * them waits as behind reads.
 */
static double level_request(struct memory_level *level, double at, double cycles, bool write)
{
	ring_advance(level, at);
	double served = level_serve(level, at, cycles) + level->latency;
	double loaded = at + loaded_latency(level, usual_in_flight(level, at) + cycles);
	double done = served > loaded ? served : loaded;
	if (level->count) { /* in order */
		double last =
			level->ring[(level->head + level->count - 1) & (level->capacity - 1)].done;
		done = done > last ? done : last;
	}
	level->last = done - at;
	ring_push(level, (struct in_flight){ .done = done, .size = cycles, .write = write });
	return done;
}

/* The k-th of numbers equally spread over 0 to 1, every STRATA of them one in each part of it, in
 * an order that looks like none. */
enum { STRATA = 64 };
static double spread_number(uint32_t k, uint32_t sequence)
{
	uint32_t round = (k / STRATA * 2 + sequence) * 2654435761u, stratum = k % STRATA,
		 jitter = (k * 2 + sequence + 1) * 2246822519u;
	round ^= round >> 15;
	round *= 2246822519u;
	round ^= round >> 13;
	jitter ^= jitter >> 15;
	jitter *= 3266489917u;
	stratum = (stratum * (2 * (round & 31) + 1) + (round >> 5)) % STRATA;
	stratum ^= stratum >> 3;
	stratum = (stratum * (2 * (round >> 11 & 31) + 1) + (round >> 16)) % STRATA;
	stratum ^= stratum >> 2;
	return (stratum + (jitter >> 8) * 0x1p-24) / STRATA;
}

static double exponential(uint32_t k, uint32_t sequence)
{
	return -log1p(-spread_number(k, sequence));
}

/*
 * What a single read takes, where `mean` is what they take on average: `least`, and two waits that
 * are exponential each, so that their sum is distributed as Gamma(2). One of them all that a block
 * asks for at about the same time has in common, the other two reads in a row. Where much waits it
 * is the sum of many waits, whose variance grows with their number: `spread` times the mean. Chance
 * belongs to the block and the read in it, so that what-ifs differ by what they change and not by
 * chance.
 */
static double one_read(struct sm_chance *chance, const struct memory_level *level, double at,
		       double mean)
{
	double least = level->least * level->latency, wait = mean - least,
	       varying = 2 * level->spread; /* up to this Gamma(2) */
	if (at >= chance->until) {
		chance->common = exponential(chance->block + STRATA * 61 * chance->bursts++, 0);
		chance->until = at + mean;
	}
	if (!(chance->reads & 1)) {
		uint32_t pair = chance->reads / 2;
		chance->own = exponential(chance->block * chance->warps + pair % chance->warps +
						  STRATA * 67 * (pair / chance->warps),
					  1);
	}
	chance->reads++;
	if (wait <= 0)
		return mean;
	varying = varying > level->latency - least ? varying : level->latency - least;
	varying = wait < varying ? wait : level->spread > 0 ? sqrt(varying * wait) : varying;
	return mean + varying * (0.5 * (chance->common + chance->own) - 1);
}

static void heap_push(struct sm_memory *m, struct in_flight request)
{
	if (m->heap_count == m->heap_capacity) {
		m->heap_capacity = m->heap_capacity ? 2 * m->heap_capacity : 256;
		m->heap = xrealloc(m->heap, m->heap_capacity, sizeof(*m->heap));
	}
	size_t k = m->heap_count++;
	for (; k && m->heap[(k - 1) / 2].done > request.done; k = (k - 1) / 2)
		m->heap[k] = m->heap[(k - 1) / 2];
	m->heap[k] = request;
	m->pending_bytes += request.size;
}

static void heap_pop(struct sm_memory *m)
{
	m->pending_bytes -= m->heap[0].size;
	struct in_flight last = m->heap[--m->heap_count];
	size_t k = 0;
	for (size_t child; (child = 2 * k + 1) < m->heap_count; k = child) {
		if (child + 1 < m->heap_count && m->heap[child + 1].done < m->heap[child].done)
			child++;
		if (m->heap[child].done >= last.done)
			break;
		m->heap[k] = m->heap[child];
	}
	m->heap[k] = last;
	if (!m->heap_count)
		m->pending_bytes = 0;
}

/* When there is room for `bytes` more in flight. */
static double admit(struct sm_memory *m, double at, double bytes)
{
	while (m->heap_count && m->heap[0].done <= at)
		heap_pop(m);
	while (m->limit_bytes > 0 && m->heap_count && m->pending_bytes + bytes > m->limit_bytes) {
		at = m->heap[0].done > at ? m->heap[0].done : at;
		heap_pop(m);
	}
	return at;
}

/* Of requests of which `share` are so, the next: as often as that, evenly. */
static bool takes_turn(double *turn, double share)
{
	*turn += share;
	if (*turn < 1)
		return false;
	(*turn)--;
	return true;
}

/* When the fullest slice has done `cycles` more; 0 where nobody asks. */
static double slice_serve(struct sm_memory *m, double at, double cycles)
{
	if (m->slice_longer <= 0)
		return 0;
	m->slice_busy = (m->slice_busy > at ? m->slice_busy : at) + cycles;
	return m->slice_busy + m->l2.latency;
}

/* The same of bytes that L2 has: each slice its part. Of all lines one in as many as there are
 * slices lies in this one, and waits. */
static double slice_has(struct sm_memory *m, double at, double lines, double cycles)
{
	const double served = slice_serve(m, at, cycles);
	return served > 0 && takes_turn(&m->slice_turn, lines * m->slice_lines) ? served : 0;
}

/* And of bytes that DRAM moves. For as long atomics take longer, too: what there is to stand in
 * their way. */
static double slice_moves(struct sm_memory *m, double at, double lines, double dram_cycles)
{
	m->slice_in_the_way += dram_cycles;
	return slice_has(m, at, lines, dram_cycles * m->slice_dram);
}

static double slice_counts(struct sm_memory *m, double at, double cycles)
{
	const double wanted = m->slice_longer > 1 ? cycles * (m->slice_longer - 1) : 0,
		     longer = wanted < m->slice_in_the_way ? wanted : m->slice_in_the_way;
	m->slice_in_the_way -= longer;
	return slice_serve(m, at, cycles + longer);
}

/* What a request costs L2: single sectors of many lines take more time than their bytes. */
static double slots(double bytes, double lines, double slot_bytes)
{
	double least = lines * slot_bytes;
	return bytes > least ? bytes : least;
}

/* Lines lie in either half as if at random, and a request has its data with the last of them. */
static bool has_far_lines(struct sm_memory *m, double lines)
{
	if (lines != m->far_lines) {
		m->far_lines = lines;
		m->far_lines_share = 1 - exp2(-(lines > 1 ? lines : 1));
	}
	return takes_turn(&m->far_turn, m->far_lines_share);
}

/* Lines that another multiprocessor has just written are in the one half that wrote them, and in
 * the other no more. */
static bool has_dirty_lines(struct sm_memory *m, double lines)
{
	if (m->dirty_share <= 0)
		return false;
	if (lines != m->dirty_lines) {
		m->dirty_lines = lines;
		m->dirty_lines_share = 1 - pow(1 - m->dirty_share, lines > 1 ? lines : 1);
	}
	return takes_turn(&m->dirty_turn, m->dirty_lines_share);
}

double sm_memory_read(struct sm_memory *m, struct sm_chance *chance, double at, double bytes,
		      double lines, double dram_share, double *accepted)
{
	at = admit(m, at, bytes);
	*accepted = at;
	double done, asked = slots(bytes, lines, m->read_slot_bytes),
		     l2_cycles = asked * m->l2.read_cycles;
	level_serve(&m->l2_write, at, asked * m->l2_write.read_cycles);
	const double moved = bytes * dram_share;
	if (moved > 0) {
		double through = level_serve(&m->l2, at, l2_cycles) + m->l2.latency;
		done = level_request(&m->dram, at, moved * m->dram.read_cycles, false) - at;
		done = at + one_read(chance, &m->dram, at, done);
		done = done > through ? done : through;
		const double taken =
			slice_moves(m, at, lines * dram_share, moved * m->dram.read_cycles);
		done = done > taken ? done : taken;
	} else {
		done = level_request(&m->l2, at, l2_cycles, false) - at;
		done = at + one_read(chance, &m->l2, at, done) +
		       (has_far_lines(m, lines) ? m->far : 0) +
		       (has_dirty_lines(m, lines) ? m->dirty : 0);
		const double taken = slice_has(m, at, lines, l2_cycles);
		done = done > taken ? done : taken;
	}
	double behind = m->l2_write.busy + m->l2.latency; /* slices take requests in order */
	done = behind > done ? behind : done;
	heap_push(m, (struct in_flight){ .done = done, .size = bytes });
	return done;
}

double sm_memory_write(struct sm_memory *m, double at, double bytes, double lines, bool dram,
		       double *accepted)
{
	at = admit(m, at, bytes);
	*accepted = at;
	const double l2_cycles = slots(bytes, lines, m->write_slot_bytes) * m->l2.write_cycles;
	double done = level_request(&m->l2_write, *accepted, l2_cycles, true);
	m->acknowledged = done > m->acknowledged ? done : m->acknowledged;
	if (dram) { /* later; but what waits for DRAM takes room */
		double written =
			level_request(&m->dram, *accepted, bytes * m->dram.write_cycles, true);
		done = written > done ? written : done;
		const double taken = slice_moves(m, *accepted, lines, bytes * m->dram.write_cycles);
		done = taken > done ? taken : done;
	} else {
		const double taken = slice_has(m, *accepted, lines, l2_cycles);
		done = taken > done ? taken : done;
	}
	heap_push(m, (struct in_flight){ .done = done, .size = bytes });
	return done;
}

double sm_memory_atomic(struct sm_memory *m, double at, double lanes, double sectors,
			double *accepted)
{
	at = admit(m, at, sectors * 32);
	*accepted = at;
	m->atomic_free = (m->atomic_free > at ? m->atomic_free : at) + lanes * m->atomic_cycles;
	double done = m->atomic_free + m->l2.latency;
	const double taken = slice_counts(m, at, lanes * m->atomic_cycles);
	done = taken > done ? taken : done;
	heap_push(m, (struct in_flight){ .done = done, .size = sectors * 32 });
	return done;
}

double sm_memory_behind(const struct sm_memory *m, double cycles)
{
	const struct memory_level *level = m->dram.served > m->l2.served ? &m->dram : &m->l2;
	/* spread evenly over so much, this one in the middle */
	return level->served < cycles ? apart(level) / 2 * (1 - level->served / cycles) : 0;
}

double sm_memory_drained(const struct sm_memory *m)
{
	double counted = m->atomic_free > 0 ? m->atomic_free + m->l2.latency : 0;
	return counted > m->acknowledged ? counted : m->acknowledged;
}
