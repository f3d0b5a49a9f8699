/* SPDX-License-Identifier: MIT
 * What single requests to memory take: the mean that the load gives, and chance about it.
 */
#include "support.h"

#include <math.h>
#include <stdlib.h>

#include "sim/gpu/sm_memory.h"

enum { READS = 16384, LINE = 128 };

/* 1 GHz: a cycle is a nanosecond. Rates that nothing here comes near, unless a test says so. */
static struct sm_device memory_of_500_ns(void)
{
	struct sm_device d = { .clock_mhz = 1000, .atomic_rate_per_s = 1e12 };
	d.l2 = (struct sm_memory_level){
		.latency_ns = 200, .read_bytes_per_s = 1e15, .write_bytes_per_s = 1e15, .knee = 3
	};
	d.dram = (struct sm_memory_level){ .latency_ns = 500,
					   .read_bytes_per_s = 1e15,
					   .write_bytes_per_s = 1e15,
					   .knee = 3,
					   .least_share = 0.7 };
	return d;
}

struct statistics {
	double mean, variance, least,
		correlation /* of the first reads of a block with its fifth */;
};

/* `reads` of each block at once, blocks far apart; latencies of all. */
static struct statistics read_alone(const struct sm_device *d, int blocks, int reads)
{
	struct sm_memory memory;
	const struct sm_memory_setup setup = { .sharers = 1, .dram_read_share = 1 };
	struct statistics s = { .least = INFINITY };
	double accepted, *took = xcalloc((size_t)(blocks * reads), sizeof(*took)), together = 0;
	sm_memory_init(&memory, d, &setup);
	for (int b = 0; b < blocks; b++) {
		struct sm_chance chance = { .block = (uint32_t)b, .warps = (uint32_t)reads };
		for (int k = 0; k < reads; k++) {
			double at = 1e5 * b, *t = &took[b * reads + k];
			*t = sm_memory_read(&memory, &chance, at, LINE, 1, 1, &accepted) - at;
			s.mean += *t / (blocks * reads);
			s.least = *t < s.least ? *t : s.least;
		}
	}
	for (int k = 0; k < blocks * reads; k++)
		s.variance += (took[k] - s.mean) * (took[k] - s.mean) / (blocks * reads);
	for (int b = 0; b < blocks && reads > 4; b++)
		together += (took[b * reads] - s.mean) * (took[b * reads + 4] - s.mean) / blocks;
	s.correlation = together / s.variance;
	sm_memory_release(&memory);
	free(took);
	return s;
}

static void reads_take_the_latency_on_average(void **state)
{
	(void)state;
	struct sm_device d = memory_of_500_ns();
	struct statistics s = read_alone(&d, READS / 8, 8);
	assert_true(fabs(s.mean - 500) < 3);
	assert_true(s.least >= 350 && s.least < 360);
	/* Gamma(2) of mean 150: its variance is half the square. */
	assert_true(fabs(s.variance / (150 * 150 / 2.0) - 1) < 0.1);
	assert_true(fabs(s.correlation - 0.5) < 0.07);
}

static void without_chance_all_take_the_same(void **state)
{
	(void)state;
	struct sm_device d = memory_of_500_ns();
	d.dram.least_share = 0; /* not known: all of the latency */
	struct statistics s = read_alone(&d, 100, 8);
	assert_true(fabs(s.mean - 500) < 1e-3 && s.variance < 1e-6);
}

/* A block's reads are its own: whatever others do and whenever it comes, chance is the same. */
static void chance_belongs_to_the_block(void **state)
{
	(void)state;
	struct sm_device d = memory_of_500_ns();
	const struct sm_memory_setup setup = { .sharers = 1, .dram_read_share = 1 };
	double first[2], accepted;
	for (int run = 0; run < 2; run++) {
		struct sm_memory memory;
		struct sm_chance other = { .block = 6, .warps = 4 },
				 chance = { .block = 7, .warps = 4 };
		sm_memory_init(&memory, &d, &setup);
		for (int k = 0; k < 3 * run; k++)
			sm_memory_read(&memory, &other, 10 * k, LINE, 1, 1, &accepted);
		first[run] = sm_memory_read(&memory, &chance, 1e6, LINE, 1, 1, &accepted);
		sm_memory_release(&memory);
	}
	assert_true(first[0] == first[1]);
}

/* Where very much waits, what it waits is the sum of many waits: the variance grows with the mean,
 * not with its square. */
static void queues_are_steadier_than_chance(void **state)
{
	(void)state;
	struct sm_device d = memory_of_500_ns();
	d.dram.read_bytes_per_s = LINE * 1e9 / 100; /* a line in 100 ns */
	d.dram.spread_ns = 200;
	d.dram.least_share = 1;
	const struct sm_memory_setup setup = { .sharers = 1, .dram_read_share = 1 };
	struct sm_memory memory;
	double accepted, mean = 0, squares = 0;
	int n = 4096;
	sm_memory_init(&memory, &d, &setup);
	for (int k = 0; k < n; k++) { /* each waits 80 lines longer than the latency, whose order of
					 service is kept */
		struct sm_chance chance = { .block = (uint32_t)k, .warps = 1 };
		double at = 100.0 * k - 8000,
		       done = sm_memory_read(&memory, &chance, at > 0 ? at : 0, LINE, 1, 1,
					     &accepted),
		       off;
		if (k < 200)
			continue;
		off = done - at - 500;
		mean += off / (n - 200);
		squares += off * off / (n - 200);
	}
	assert_true(mean > 7000);
	assert_true(fabs((squares - mean * mean) / mean / 200 - 1) < 0.2);
	sm_memory_release(&memory);
}

/* Ten lines that memory needs 1000 ns for, and after a rest of 5000 ten more. In step, all rest
 * together and then wait for each other. Apart by all of what was served, others ask meanwhile. */
static void what_one_leaves_others_take_and_give_back(void **state)
{
	(void)state;
	struct sm_device d = memory_of_500_ns();
	d.dram.read_bytes_per_s = LINE * 1e9 / 100; /* a line in 100 ns */
	d.dram.least_share = 1;
	double last[2], behind[2];
	for (int apart = 0; apart < 2; apart++) {
		const struct sm_memory_setup setup = { .sharers = 1,
						       .dram_read_share = 1,
						       .skew = apart };
		struct sm_memory memory;
		struct sm_chance chance = { .block = 7, .warps = 4 };
		double accepted;
		sm_memory_init(&memory, &d, &setup);
		for (int k = 0; k < 20; k++)
			last[apart] = sm_memory_read(&memory, &chance, k < 10 ? 0 : 6000, LINE, 1,
						     1, &accepted);
		behind[apart] = sm_memory_behind(&memory, last[apart]);
		sm_memory_release(&memory);
	}
	assert_true(fabs(last[0] - 7500) < 1);		/* 1000 and the latency */
	assert_true(last[1] >= 6500 && last[1] < 6700); /* little but the latency */
	assert_true(behind[0] == 0);
	assert_true(fabs(behind[1] - 1000 * (1 - 2000 / last[1])) < 1);
}

static void reads_wait_for_writes_in_their_share_of_time(void **state)
{
	(void)state;
	struct sm_device d = memory_of_500_ns();
	d.dram.write_wait_ns = 400;
	d.dram.least_share = 1;
	d.dram.knee = 20; /* nothing but the writes */
	d.dram.read_bytes_per_s = d.dram.write_bytes_per_s = LINE * 1e9 / 40;
	const struct sm_memory_setup setup = { .sharers = 1, .dram_read_share = 0.5 };
	struct sm_memory memory;
	double accepted, mean = 0;
	int n = 2000;
	sm_memory_init(&memory, &d, &setup);
	for (int k = 0; k < n; k++) { /* a line of 40 ns written every 160: a quarter of the time */
		struct sm_chance chance = { .block = (uint32_t)k, .warps = 1 };
		double at = 160.0 * k;
		sm_memory_write(&memory, at, LINE, 1, 1, &accepted);
		double took =
			sm_memory_read(&memory, &chance, at + 80, 1e-3, 1, 1, &accepted) - at - 80;
		mean += k < 100 ? 0 : took / (n - 100);
	}
	/* Gamma(2) about a mean that is 100 above the latency */
	assert_true(fabs(mean - 600) < 15);
	sm_memory_release(&memory);
}

/* A byte that L2 has holds up the writes for as long as its kind says, and what is read comes
 * behind them. */
static void what_was_written_in_l2_is_slower(void **state)
{
	(void)state;
	const struct {
		double written, wide, byte_ns;
	} kinds[] = { { 0, 0, 1 }, { 1, 0, 2 }, { 1, 1, 4 }, { 0.75, 0.25, 2.25 } };
	struct sm_device d = memory_of_500_ns();
	d.l2.turnaround_s = 1e-9;
	d.l2_updated_turnaround_s = 2e-9;
	d.l2_wide_turnaround_s = 4e-9;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		const struct sm_memory_setup setup = { .sharers = 1,
						       .traffic.written = kinds[k].written,
						       .traffic.wide = kinds[k].wide };
		struct sm_chance chance = { .warps = 1 };
		struct sm_memory memory;
		double accepted;
		sm_memory_init(&memory, &d, &setup);
		assert_true(fabs(sm_memory_read(&memory, &chance, 0, LINE, 1, 0, &accepted) -
				 (200 + LINE * kinds[k].byte_ns)) < 1e-3);
		sm_memory_release(&memory);
	}
}

/* A quarter of dirty lines is longer on the way; a read of several waits for the last of them. */
static void dirty_lines_come_from_the_other_half(void **state)
{
	(void)state;
	const struct {
		double dirty, lines, mean;
	} kinds[] = { { 0, 1, 200 },
		      { 1, 1, 220 },
		      { 0.5, 1, 210 },
		      { 1, 2, 200 + 80 * (1 - 0.75 * 0.75) } };
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		struct sm_device d = memory_of_500_ns();
		struct sm_memory memory;
		double accepted, mean = 0, most = 0;
		int n = 1600;
		d.l2_far_dirty_share = 0.25;
		d.l2_far_dirty_latency_ns = 80;
		const struct sm_memory_setup setup = { .sharers = 1,
						       .traffic.dirty = kinds[k].dirty };
		sm_memory_init(&memory, &d, &setup);
		for (int j = 0; j < n; j++) {
			struct sm_chance chance = { .block = (uint32_t)j, .warps = 1 };
			double took =
				sm_memory_read(&memory, &chance, 1e4 * j, LINE * kinds[k].lines,
					       kinds[k].lines, 0, &accepted) -
				1e4 * j;
			mean += took / n;
			most = took > most ? took : most;
		}
		assert_true(fabs(mean - kinds[k].mean) < 0.5);
		assert_true(fabs(most - (kinds[k].dirty > 0 ? 280 : 200)) < 1e-3);
		sm_memory_release(&memory);
	}
}

/* A launch ends when its last atomic is where it belongs, though nobody waits for the result. */
static void the_last_atomic_has_to_arrive(void **state)
{
	(void)state;
	struct sm_device d = memory_of_500_ns();
	struct sm_memory memory;
	const struct sm_memory_setup setup = { .sharers = 1 };
	double accepted;
	sm_memory_init(&memory, &d, &setup);
	assert_true(sm_memory_drained(&memory) == 0);
	const double back = sm_memory_atomic(&memory, 1000, 1, 1, &accepted);
	assert_true(fabs(back - 1200) < 1 && sm_memory_drained(&memory) == back);
	sm_memory_release(&memory);
}

/* So many reads from DRAM at once, of 100 cycles each, then so many atomics on one word, of 10, or
 * 15 beside: when the last is done. */
static double counted_beside(double slice_share, int reads, int atomics)
{
	struct sm_device d = memory_of_500_ns();
	struct sm_memory memory;
	const struct sm_memory_setup setup = { .sharers = 1,
					       .dram_read_share = 1,
					       .traffic.atomic_lines = 1 };
	double accepted, done = 0;
	d.dram.read_bytes_per_s = 1.28e9;
	d.atomic_same_interval_ns = 10;
	d.atomic_beside_interval_ns = 15;
	d.dram_slice_share = slice_share;
	sm_memory_init(&memory, &d, &setup);
	for (int k = 0; k < reads; k++)
		sm_memory_read(&memory, &(struct sm_chance){ .block = (uint32_t)k, .warps = 1 }, 0,
			       LINE, 1, 1, &accepted);
	for (int k = 0; k < atomics; k++)
		done = sm_memory_atomic(&memory, 0, 1, 1, &accepted);
	sm_memory_release(&memory);
	return done;
}

/* So many reads of what L2 has, of 100 cycles each, then 100 atomics of 10. */
static double counted_beside_hits(int reads)
{
	struct sm_device d = memory_of_500_ns();
	struct sm_memory memory;
	const struct sm_memory_setup setup = { .sharers = 1, .traffic.atomic_lines = 1 };
	double accepted, done = 0;
	d.l2.read_bytes_per_s = 1.28e9;
	d.atomic_same_interval_ns = 10;
	d.dram_slice_share = 0.5;
	sm_memory_init(&memory, &d, &setup);
	for (int k = 0; k < reads; k++)
		sm_memory_read(&memory, &(struct sm_chance){ .block = (uint32_t)k, .warps = 1 }, 0,
			       LINE, 1, 0, &accepted);
	for (int k = 0; k < 100; k++)
		done = sm_memory_atomic(&memory, 0, 1, 1, &accepted);
	sm_memory_release(&memory);
	return done;
}

static void atomics_wait_for_what_their_slice_moves(void **state)
{
	(void)state;
	assert_true(fabs(counted_beside(0, 100, 100) - (100 * 10 + 200)) < 1); /* nothing known */
	assert_true(fabs(counted_beside(0.5, 0, 100) - (100 * 10 + 200)) <
		    1); /* nothing in the way */
	assert_true(fabs(counted_beside(0.5, 100, 100) - (0.5 * 10000 + 100 * 15 + 200)) < 1);
	assert_true(fabs(counted_beside(0.5, 1, 100) - (0.5 * 100 + 100 * 10 + 100 + 200)) <
		    1); /* in the way for as long as it moves */
	assert_true(fabs(counted_beside_hits(7) - (7 * 100 + 100 * 10 + 200)) < 1);
}

/* Of sixteen slices one has the word: of sixteen reads of a line one is behind 1000 atomics there,
 * 10 us, the others come after 500 ns and what those before them move. */
static void one_line_of_a_slice_waits_for_its_atomics(void **state)
{
	(void)state;
	struct sm_device d = memory_of_500_ns();
	struct sm_memory memory;
	const struct sm_memory_setup setup = { .sharers = 1,
					       .dram_read_share = 1,
					       .traffic.atomic_lines = 1 };
	double accepted;
	int late = 0;
	d.atomic_same_interval_ns = 10;
	d.atomic_beside_interval_ns = 10;
	d.atomic_rate_per_s = 16e8;
	d.dram_slice_share = 0.5;
	sm_memory_init(&memory, &d, &setup);
	for (int k = 0; k < 1000; k++)
		sm_memory_atomic(&memory, 0, 1, 1, &accepted);
	for (int k = 0; k < 32; k++)
		late += sm_memory_read(&memory,
				       &(struct sm_chance){ .block = (uint32_t)k, .warps = 1 }, 0,
				       LINE, 1, 1, &accepted) >= 10000;
	assert_int_equal(late, 2);
	sm_memory_release(&memory);
}

/* Sixteen slices of 10 ns an atomic: on 64 lines the fullest has about 4 + sqrt(2 * 4 * ln 16)
 * = 8.71 of them, on 6400 about 447; on one, one. */
static void atomics_go_at_the_pace_of_the_fullest_slice(void **state)
{
	static const struct {
		double lines, each_ns;
	} cases[] = {
		{ 0, 10 / 16.0 },	  { 1, 10 },
		{ 64, 10 * 8.7096 / 64 }, { 6400, 10 * 447.096 / 6400 },
		{ 1e9, 10 / 16.0 },
	};
	enum { ATOMICS = 1000 };
	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct sm_device d = memory_of_500_ns();
		struct sm_memory memory;
		const struct sm_memory_setup setup = { .sharers = 1,
						       .traffic.atomic_lines = cases[k].lines };
		double accepted, done = 0;
		d.atomic_same_interval_ns = 10;
		d.atomic_rate_per_s = 1.6e9;
		sm_memory_init(&memory, &d, &setup);
		for (int j = 0; j < ATOMICS; j++)
			done = sm_memory_atomic(&memory, 0, 1, 1, &accepted);
		if (fabs((done - 200) / ATOMICS - cases[k].each_ns) > 0.002 * cases[k].each_ns)
			fail_msg("on %g lines %g ns each, not %g", cases[k].lines,
				 (done - 200) / ATOMICS, cases[k].each_ns);
		sm_memory_release(&memory);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_take_the_latency_on_average),
		cmocka_unit_test(without_chance_all_take_the_same),
		cmocka_unit_test(chance_belongs_to_the_block),
		cmocka_unit_test(queues_are_steadier_than_chance),
		cmocka_unit_test(what_one_leaves_others_take_and_give_back),
		cmocka_unit_test(reads_wait_for_writes_in_their_share_of_time),
		cmocka_unit_test(what_was_written_in_l2_is_slower),
		cmocka_unit_test(dirty_lines_come_from_the_other_half),
		cmocka_unit_test(the_last_atomic_has_to_arrive),
		cmocka_unit_test(atomics_go_at_the_pace_of_the_fullest_slice),
		cmocka_unit_test(atomics_wait_for_what_their_slice_moves),
		cmocka_unit_test(one_line_of_a_slice_waits_for_its_atomics),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
