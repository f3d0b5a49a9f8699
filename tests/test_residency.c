/* SPDX-License-Identifier: MIT
 * What launches find in L2, on schedules of a few launches.
 */
#include "support.h"

#include <math.h>

#include "sim/gpu/residency.h"

enum { MB = 1000000 };

/* Everything up to 40 MB is kept, nothing beyond 60 MB. */
static double keeps[] = { 40 * MB, 60 * MB }, shares[] = { 1, 0 };
static struct sm_device device_of_50_mb(void)
{
	struct sm_device d = { .present = true };
	d.l2_reuse_bytes.value = keeps;
	d.l2_reuse_hits.value = shares;
	d.l2_reuse_bytes.count = d.l2_reuse_hits.count = 2;
	return d;
}

static uint32_t add_shape(struct schedule *s, const char *name, int64_t dram_bytes,
			  const struct schedule_access *access, uint32_t count)
{
	const struct schedule_shape shape = { .kernel = schedule_add_kernel(s, name),
					      .rows = 1,
					      .columns = 1,
					      .dram_bytes = dram_bytes };
	return schedule_add_shape(s, &shape, access, count);
}

static void rounds(struct schedule *s, const uint32_t *shape, int shapes, int rounds_)
{
	schedule_add_thread(s, "host", 0);
	schedule_add_stream(s, 0, 0);
	for (int k = 0; k < rounds_ * shapes; k++)
		schedule_add_op(s, OP_LAUNCH, 0, shape[k % shapes]);
}

static void a_small_array_stays(void **state)
{
	(void)state;
	struct schedule s;
	struct residency r;
	struct sm_device d = device_of_50_mb();
	schedule_init(&s);
	const struct schedule_access copy[] = { { 0, ACCESS_READ, 0, 10 * MB },
						{ 1, ACCESS_WRITE, 0, 10 * MB } };
	uint32_t shape = add_shape(&s, "copy", 20 * MB, copy, 2);
	rounds(&s, &shape, 1, 4);
	residency_build(&r, &s, &d);
	assert_true(r.shape[shape].read_miss_bytes == 0 && r.shape[shape].write_miss_bytes == 0);
	assert_true(fabs(r.shape[shape].distance_bytes - 20 * MB) < 1);
	residency_release(&r);
	schedule_release(&s);
}

static void a_large_array_is_gone_when_it_comes_round(void **state)
{
	(void)state;
	struct schedule s;
	struct residency r;
	struct sm_device d = device_of_50_mb();
	schedule_init(&s);
	const struct schedule_access copy[] = { { 0, ACCESS_READ, 0, 40 * MB },
						{ 1, ACCESS_WRITE, 0, 40 * MB } };
	uint32_t shape = add_shape(&s, "copy", 80 * MB, copy, 2);
	rounds(&s, &shape, 1, 4);
	residency_build(&r, &s, &d);
	assert_true(fabs(r.shape[shape].read_miss_bytes - 40 * MB) < 1 &&
		    fabs(r.shape[shape].write_miss_bytes - 40 * MB) < 1);
	residency_release(&r);
	schedule_release(&s);
}

/* What another launch touches in between counts, what it touches again does not count twice. */
static void a_launch_in_between_pushes_out(void **state)
{
	(void)state;
	struct schedule s;
	struct residency r;
	struct sm_device d = device_of_50_mb();
	schedule_init(&s);
	const struct schedule_access small = { 0, ACCESS_READ, 0, 10 * MB },
				     other = { 1, ACCESS_READ, 0, 40 * MB };
	const struct schedule_access twice[] = { { 0, ACCESS_READ, 0, 10 * MB },
						 { 0, ACCESS_WRITE, 0, 10 * MB } };
	uint32_t shape[] = { add_shape(&s, "read", 10 * MB, &small, 1),
			     add_shape(&s, "push", 40 * MB, &other, 1) };
	rounds(&s, shape, 2, 5);
	residency_build(&r, &s, &d);
	assert_true(fabs(r.shape[shape[0]].distance_bytes - 50 * MB) < 1);
	assert_true(fabs(r.shape[shape[0]].read_miss_bytes - 5 * MB) <
		    1); /* half way between kept and gone */
	residency_release(&r);
	schedule_release(&s);

	schedule_init(&s);
	uint32_t update = add_shape(&s, "update", 20 * MB, twice, 2);
	rounds(&s, &update, 1, 5);
	residency_build(&r, &s, &d);
	assert_true(fabs(r.shape[update].distance_bytes - 10 * MB) < 1);
	residency_release(&r);
	schedule_release(&s);
}

/* What launches find that go to and fro over 60 MB: down, up. */
static void to_and_fro(const struct sm_device *d, struct residency_shape found[2])
{
	struct schedule s;
	struct residency r;
	schedule_init(&s);
	const struct schedule_access down = { 0, ACCESS_READ, 0, 60 * MB },
				     up = { 0, ACCESS_READ | ACCESS_BACKWARD, 0, 60 * MB };
	uint32_t shape[] = { add_shape(&s, "down", 60 * MB, &down, 1),
			     add_shape(&s, "up", 60 * MB, &up, 1) };
	rounds(&s, shape, 2, 5);
	residency_build(&r, &s, d);
	for (int k = 0; k < 2; k++)
		found[k] = r.shape[shape[k]];
	residency_release(&r);
	schedule_release(&s);
}

/* After s of the launch, s of the 60 MB were touched since; all is there up to 40 MB, and ever less
 * up to 60. */
static void a_launch_that_turns_finds_its_begin(void **state)
{
	(void)state;
	struct sm_device d = device_of_50_mb();
	struct residency_shape m[2];
	to_and_fro(&d, m);
	for (int k = 0; k < 2; k++) {
		assert_true(m[k].reversed == 1);
		assert_true(m[k].read_miss[0] == 0 && m[k].read_miss[RESIDENCY_SLICES / 2] == 0 &&
			    m[k].read_miss[RESIDENCY_SLICES - 1] == 1);
		assert_true(fabs(m[k].read_miss_bytes - 10 * MB) <
			    1.1 * MB); /* a slice is 1.9 MB */
	}
}

/* The same where the device keeps 21 MB of what is met on the way back: 11 slices and a fifth of
 * the next, and nothing for longer than that. */
static void what_is_kept_for_the_way_back_is_less(void **state)
{
	(void)state;
	struct sm_device d = device_of_50_mb();
	struct residency_shape m[2];
	d.l2_reversed_bytes = 21 * MB;
	to_and_fro(&d, m);
	for (int k = 0; k < 2; k++) {
		assert_true(m[k].read_miss[0] == 0 && m[k].read_miss[10] == 0 &&
			    fabs(m[k].read_miss[11] - 0.8) < 1e-6 && m[k].read_miss[12] == 1);
		assert_true(fabs(m[k].read_miss_bytes - 39 * MB) < 100);
	}
}

static struct residency_shape steady(const struct schedule_access *access, uint32_t count,
				     int64_t dram_bytes)
{
	struct schedule s;
	struct residency r;
	struct sm_device d = device_of_50_mb();
	schedule_init(&s);
	uint32_t shape = add_shape(&s, "update", dram_bytes, access, count);
	rounds(&s, &shape, 1, 6);
	residency_build(&r, &s, &d);
	struct residency_shape steady = r.shape[shape];
	residency_release(&r);
	schedule_release(&s);
	return steady;
}

/* Half of the range is written by each launch, so a byte waits through two rounds of 50 MB, each of
 * which half of it survives. */
static void what_is_written_every_other_time_has_to_stay_twice(void **state)
{
	const struct schedule_access all[] = { { 0, ACCESS_READ, 0, 50 * MB },
					       { 0, ACCESS_WRITE, 0, 50 * MB } };
	(void)state;
	struct residency_shape each = steady(all, 2, 100 * MB), other = steady(all, 2, 75 * MB);
	assert_true(each.write_bytes == 50 * MB && other.write_bytes == 25 * MB);
	assert_true(fabs(each.write_miss_bytes - 25 * MB) < 100 &&
		    fabs(other.write_miss_bytes - 0.75 * 25 * MB) < 100);
	assert_true(each.reversed == 0 && fabs(each.read_miss_bytes - 25 * MB) < 100);
}

static void writes_in_place_are_told_from_writes_elsewhere(void **state)
{
	const struct schedule_access copy[] = { { 0, ACCESS_READ, 0, 4 * MB },
						{ 1, ACCESS_WRITE, 0, 4 * MB } };
	const struct schedule_access sweep[] = { { 0, ACCESS_READ, 0, 6 * MB },
						 { 0, ACCESS_WRITE, 1 * MB, 4 * MB } };
	const struct schedule_access both[] = { { 0, ACCESS_READ, 0, 3 * MB },
						{ 0, ACCESS_WRITE, 0, 4 * MB } };
	const struct schedule_access at_once[] = { { 0, ACCESS_READ | ACCESS_WRITE, 0, 4 * MB } };
	(void)state;
	assert_true(steady(copy, 2, 8 * MB).updated == 0);
	assert_true(steady(sweep, 2, 10 * MB).updated == 1);
	assert_true(steady(both, 2, 7 * MB).updated == 0.75);
	assert_true(steady(at_once, 1, 8 * MB).updated == 1);
}

/* 20 MB go round, 15 of them near, in one order or to and fro. */
static void wide_is_what_goes_round_beyond_the_near_bytes(void **state)
{
	const uint32_t backward[] = { 0, ACCESS_BACKWARD };
	(void)state;
	for (int turns = 0; turns < 2; turns++) {
		struct schedule s;
		struct residency r;
		struct sm_device d = device_of_50_mb();
		d.l2_near_bytes = 15 * MB;
		schedule_init(&s);
		const struct schedule_access there = { 0, ACCESS_READ | ACCESS_WRITE, 0, 20 * MB };
		const struct schedule_access back = { 0,
						      ACCESS_READ | ACCESS_WRITE | backward[turns],
						      0, 20 * MB };
		uint32_t shape[] = { add_shape(&s, "there", 40 * MB, &there, 1),
				     add_shape(&s, "back", 40 * MB, &back, 1) };
		rounds(&s, shape, 2, 5);
		residency_build(&r, &s, &d);
		for (int k = 0; k < 2; k++)
			assert_true(r.shape[shape[k]].written == 1 &&
				    r.shape[shape[k]].wide == 0.25);
		residency_release(&r);
		schedule_release(&s);
	}
}

static void what_was_written_in_l2_is_told_from_what_was_only_read(void **state)
{
	(void)state;
	struct schedule s;
	struct residency r;
	struct sm_device d = device_of_50_mb();
	schedule_init(&s);
	const struct schedule_access copy[] = { { 0, ACCESS_READ, 0, 4 * MB },
						{ 1, ACCESS_WRITE, 0, 4 * MB } };
	const struct schedule_access update[] = { { 2, ACCESS_READ | ACCESS_WRITE, 0, 4 * MB } };
	const struct schedule_access sum[] = { { 0, ACCESS_READ, 0, 3 * MB },
					       { 1, ACCESS_READ, 0, 1 * MB } };
	uint32_t shape[] = { add_shape(&s, "copy", 8 * MB, copy, 2),
			     add_shape(&s, "update", 8 * MB, update, 1),
			     add_shape(&s, "sum", 4 * MB, sum, 2) };
	rounds(&s, shape, 3, 4);
	residency_build(&r, &s, &d);
	assert_true(r.shape[shape[0]].written == 0);
	assert_true(r.shape[shape[1]].written == 1);
	assert_true(r.shape[shape[2]].written == 0.25);
	assert_true(r.shape[shape[1]].wide == 0); /* of such a device nothing is known */
	residency_release(&r);

	/* 12 MB go round. */
	const double near_bytes[] = { 11 * MB, 13 * MB };
	for (int k = 0; k < 2; k++) {
		d.l2_near_bytes = near_bytes[k];
		residency_build(&r, &s, &d);
		assert_true(fabs(r.shape[shape[1]].wide - (k ? 0 : 1.0 / 12)) < 1e-3);
		assert_true(r.shape[shape[0]].wide == 0); /* what nobody wrote is as near as ever */
		residency_release(&r);
	}
	schedule_release(&s);
}

/* However the accesses of a launch are listed; of a range of which it writes a part, that part. */
static void what_the_last_launch_wrote_is_dirty(void **state)
{
	(void)state;
	struct schedule s;
	struct residency r;
	struct sm_device d = device_of_50_mb();
	schedule_init(&s);
	const struct schedule_access update[] = { { 0, ACCESS_WRITE, 0, 4 * MB },
						  { 0, ACCESS_READ, 0, 4 * MB } };
	const struct schedule_access sum[] = { { 0, ACCESS_READ, 0, 4 * MB },
					       { 1, ACCESS_READ, 0, 4 * MB } };
	const struct schedule_access again[] = { { 0, ACCESS_READ, 0, 4 * MB } };
	const struct schedule_access half[] = { { 2, ACCESS_READ, 0, 4 * MB },
						{ 2, ACCESS_WRITE, 0, 4 * MB } };
	uint32_t shape[] = { add_shape(&s, "update", 8 * MB, update, 2),
			     add_shape(&s, "sum", 8 * MB, sum, 2),
			     add_shape(&s, "again", 4 * MB, again, 1),
			     add_shape(&s, "half", 6 * MB, half, 2) };
	rounds(&s, shape, 4, 4);
	residency_build(&r, &s, &d);
	assert_true(r.shape[shape[0]].dirty == 0);   /* `again` read it last */
	assert_true(r.shape[shape[1]].dirty == 0.5); /* one array of two */
	assert_true(r.shape[shape[2]].dirty == 0 && r.shape[shape[2]].written == 1);
	assert_true(r.shape[shape[3]].dirty == 0.5); /* by itself, every other byte */
	residency_release(&r);
	schedule_release(&s);
}

static void what_was_never_touched_is_not_there(void **state)
{
	(void)state;
	struct schedule s;
	struct residency r;
	struct sm_device d = device_of_50_mb();
	schedule_init(&s);
	const struct schedule_access once = { 0, ACCESS_READ, 0, 1 * MB };
	uint32_t shape = add_shape(&s, "once", 1 * MB, &once, 1);
	rounds(&s, &shape, 1, 1);
	residency_build(&r, &s, &d);
	assert_true(fabs(r.shape[shape].read_miss_bytes - 1 * MB) < 1 &&
		    r.shape[shape].distance_bytes == -1);
	residency_release(&r);
	schedule_release(&s);
}

/* GPU 1 launches the same as GPU 0 on buffers of its own, which is worked out once; GPU 2 reads
 * what it wrote, and GPU 3 what it wrote of other bytes. */
static void gpus_that_launch_the_same_find_the_same(void **state)
{
	(void)state;
	struct schedule s;
	struct residency r;
	struct sm_device d = device_of_50_mb();
	uint32_t shape[4][2];
	schedule_init(&s);
	for (uint16_t gpu = 0; gpu < 4; gpu++) {
		const uint32_t from = 2 * gpu, to = gpu == 2 ? from : from + 1;
		const int64_t at = gpu == 3 ? 5 * MB : 0;
		const struct schedule_access write[] = { { from, ACCESS_READ, 0, 30 * MB },
							 { to, ACCESS_WRITE, 0, 30 * MB } },
					     read[] = { { to, ACCESS_READ, at, 30 * MB } };
		char name[16];
		snprintf(name, sizeof(name), "write%d", gpu);
		shape[gpu][0] = add_shape(&s, name, 60 * MB, write, 2);
		snprintf(name, sizeof(name), "read%d", gpu);
		shape[gpu][1] = add_shape(&s, name, 30 * MB, read, 1);
		const uint16_t stream = schedule_add_stream(&s, gpu, gpu);
		schedule_add_thread(&s, "host", gpu);
		for (int k = 0; k < 8; k++)
			schedule_add_op(&s, OP_LAUNCH, stream, shape[gpu][k % 2]);
	}
	residency_build(&r, &s, &d);
	for (int k = 0; k < 2; k++) {
		const struct residency_shape *first = &r.shape[shape[0][k]];
		assert_true(first->read_bytes == 30 * MB && first->distance_bytes > 0);
		assert_memory_equal(first, &r.shape[shape[1][k]], sizeof(*first));
	}
	assert_true(r.shape[shape[0][0]].read_miss_bytes > 29 * MB);
	assert_true(r.shape[shape[2][0]].read_miss_bytes == 0);
	assert_true(r.shape[shape[3][1]].distance_bytes != r.shape[shape[0][1]].distance_bytes);
	residency_release(&r);
	schedule_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_small_array_stays),
		cmocka_unit_test(a_large_array_is_gone_when_it_comes_round),
		cmocka_unit_test(a_launch_in_between_pushes_out),
		cmocka_unit_test(a_launch_that_turns_finds_its_begin),
		cmocka_unit_test(what_is_kept_for_the_way_back_is_less),
		cmocka_unit_test(writes_in_place_are_told_from_writes_elsewhere),
		cmocka_unit_test(wide_is_what_goes_round_beyond_the_near_bytes),
		cmocka_unit_test(what_is_written_every_other_time_has_to_stay_twice),
		cmocka_unit_test(what_was_written_in_l2_is_told_from_what_was_only_read),
		cmocka_unit_test(what_the_last_launch_wrote_is_dirty),
		cmocka_unit_test(what_was_never_touched_is_not_there),
		cmocka_unit_test(gpus_that_launch_the_same_find_the_same),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
