/* SPDX-License-Identifier: MIT
 * Grids cut into parts: strips and blocks, in two and three dimensions, through both transports,
 * against the same grid in one part. The stencil has diagonals, so that corners must be right.
 */
#include "solver_kit.h"
#include "support.h"

#include "kernels/kit/domain.h"

enum { SEED = 11, ITERATIONS = 9 };

struct shape {
	uint32_t gpus, across;
};

struct trial {
	struct domain domain;
	int steps; /* iterations between exchanges, of which each consumes one point of the halo */
	int which[8]; /* the buffer that each part exchanges */
};

/* Mean of the 3x3 or 3x3x3 neighbourhood, from buffer `from` to the other. */
static void sweep(const struct trial *trial, struct machine_thread *t, int from, int64_t extension)
{
	const struct domain *d = &trial->domain;
	const struct part *part = &d->parts.part[t->gpu];
	const int64_t line = d->line ? d->line : 1, row = d->pitch;
	const struct span *r = &part->rows, *c = &part->columns;
	const double *u = t->machine->ops->address(t->machine, part->buffer[from]);
	double *v = t->machine->ops->address(t->machine, part->buffer[1 - from]);
	const int64_t row_end = r->low + span_owned(r) + (r->has_high ? extension : 0),
		      column_end = c->low + span_owned(c) + (c->has_high ? extension : 0);
	for (int64_t i = r->low - (r->has_low ? extension : 0); i < row_end; i++)
		for (int64_t j = c->low - (c->has_low ? extension : 0); j < column_end; j++)
			for (int64_t k = line > 1; k < (line > 1 ? line - 1 : 1); k++) {
				double sum = 0;
				for (int64_t di = -1; di <= 1; di++)
					for (int64_t dj = -1; dj <= 1; dj++)
						for (int64_t dk = -(line > 1); dk <= (line > 1);
						     dk++)
							sum += u[(i + di) * row + (j + dj) * line +
								 k + dk];
				v[i * row + j * line + k] = sum / (line > 1 ? 27 : 9);
			}
}

static int body(struct machine_thread *t, void *arg)
{
	struct trial *trial = arg;
	if (t->index >= trial->domain.parts.gpus) /* asked for by their part's own thread */
		return parts_help(&trial->domain.parts, t, t->index - trial->domain.parts.gpus,
				  ITERATIONS / trial->steps, trial->which);
	if (domain_up(&trial->domain, t))
		return -1;
	for (int k = 0, cycle = 0; k < ITERATIONS; k++) {
		sweep(trial, t, k & 1, trial->steps - 1 - k % trial->steps);
		trial->which[t->gpu] = (k + 1) & 1;
		if ((k + 1) % trial->steps == 0 &&
		    parts_exchange(&trial->domain.parts, t, cycle++, (k + 1) & 1))
			return -1;
	}
	return domain_down(&trial->domain, t, ITERATIONS & 1);
}

static uint64_t checksum_of(struct domain domain, struct shape shape, int steps)
{
	struct machine_thread threads[24];
	struct trial trial = { domain, steps, { 0 } };
	struct domain *d = &trial.domain;
	struct machine *m = machine_cpu_new(shape.gpus);
	double residual;
	d->f64 = true;
	d->buffers = 2;
	d->halo = steps;
	d->across = shape.across;
	assert_int_equal(domain_make(d, m, shape.gpus), 0);
	grid_fill(&d->grid, SEED);
	assert_int_equal(parts_restart(&d->parts), 0);
	assert_int_equal(m->ops->run(m, shape.gpus + d->parts.helpers, body, &trial, threads), 0);
	const uint64_t checksum = grid_check(&d->grid, &residual);
	assert_true(residual < 1);
	domain_release(d);
	m->ops->free(m);
	return checksum;
}

static const struct shape shapes[] = { { 3, 1 }, { 3, 3 }, { 4, 1 }, { 4, 2 }, { 4, 4 }, { 6, 1 },
				       { 6, 2 }, { 6, 3 }, { 8, 1 }, { 8, 2 }, { 8, 4 }, { 8, 8 } };

static void holds_for_all(struct domain domain)
{
	for (int steps = 1; steps <= 3; steps++) {
		const uint64_t one = checksum_of(domain, (struct shape){ 1, 1 }, steps);
		for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++)
			for (int way = 0; way < 4; way++) {
				static const char *const name[] = { "host", "peer", "workers",
								    "messages" };
				domain.peer = way == 1 || way == 3;
				domain.workers = way == 2;
				domain.messages = way == 3;
				if (checksum_of(domain, shapes[s], steps) != one)
					fail_msg("%u parts, %u side by side, %s, %d steps: not as "
						 "one",
						 shapes[s].gpus, shapes[s].across, name[way],
						 steps);
			}
	}
}

static void strips_and_blocks_of_a_plane_are_one_part_to_the_last_bit(void **state)
{
	(void)state;
	holds_for_all((struct domain){ .rows = 37, .columns = 43 });
}

static void slabs_and_bars_of_a_volume_are_one_part_to_the_last_bit(void **state)
{
	(void)state;
	holds_for_all((struct domain){ .rows = 29, .columns = 31, .line = 7 });
}

static void a_span_of_every_part_goes_on_where_the_last_ended(void **state)
{
	(void)state;
	for (uint32_t parts = 1; parts <= 8; parts++) {
		int64_t at = 1;
		for (uint32_t k = 0; k < parts; k++) {
			const struct span span = span_of(101, 4, parts, k);
			assert_int_equal(span.begin, at);
			assert_int_equal(span.low, k ? 4 : 1);
			assert_int_equal(span.high, k + 1 < parts ? 4 : 1);
			assert_int_equal(span_stored(&span),
					 span_owned(&span) + span.low + span.high);
			at = span.end;
		}
		assert_int_equal(at, 100);
	}
}

static void a_part_thinner_than_its_halo_is_refused(void **state)
{
	struct said said;
	(void)state;
	said_begin(&said);
	assert_int_equal(
		parts_check(
			&(struct parts){
				.gpus = 8, .across = 4, .rows = 100, .columns = 13, .halo = 3 },
			"border 3"),
		-1);
	assert_non_null(strstr(said_end(&said), "border 3 needs 3 halo columns, more than the 2 "
						"columns of a block (100x13 on 8 GPUs)"));
	assert_int_equal(
		parts_check(
			&(struct parts){
				.gpus = 8, .across = 4, .rows = 100, .columns = 14, .halo = 3 },
			"border 3"),
		0);
}

static void a_partition_is_strips_or_as_many_blocks_as_gpus(void **state)
{
	static const struct {
		const char *text;
		uint32_t gpus, across; /* 0: refused */
		const char *because;
	} partitions[] = {
		{ "strips", 5, 1, NULL },
		{ "2x3", 6, 3, NULL },
		{ "4x1", 4, 1, NULL },
		{ "1x1", 1, 1, NULL },
		{ "2x2", 6, 0, "partition 2x2 makes 4 blocks, not one for each of 6 GPUs" },
		{ "0x4", 4, 0, "neither strips nor ROWSxCOLUMNS" },
		{ "2x", 2, 0, "neither strips nor ROWSxCOLUMNS" },
		{ "2x2x2", 8, 0, "neither strips nor ROWSxCOLUMNS" },
		{ "-2x-2", 4, 0, "neither strips nor ROWSxCOLUMNS" },
		{ "", 1, 0, "neither strips nor ROWSxCOLUMNS" },
	};
	(void)state;
	for (size_t k = 0; k < sizeof(partitions) / sizeof(partitions[0]); k++) {
		struct said said;
		uint32_t across = 99;
		said_begin(&said);
		const int rc = parts_partition(partitions[k].text, partitions[k].gpus, &across);
		const char *text = said_end(&said);
		if (!partitions[k].because) {
			assert_int_equal(rc, 0);
			assert_int_equal(across, partitions[k].across);
		} else if (!rc || !strstr(text, partitions[k].because)) {
			fail_msg("'%s': %d, %s", partitions[k].text, rc, text);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strips_and_blocks_of_a_plane_are_one_part_to_the_last_bit),
		cmocka_unit_test(slabs_and_bars_of_a_volume_are_one_part_to_the_last_bit),
		cmocka_unit_test(a_span_of_every_part_goes_on_where_the_last_ended),
		cmocka_unit_test(a_part_thinner_than_its_halo_is_refused),
		cmocka_unit_test(a_partition_is_strips_or_as_many_blocks_as_gpus),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
