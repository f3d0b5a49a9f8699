/* SPDX-License-Identifier: MIT
 * How sweeps of multi-layer SSOR are cut: every point of every layer, in the order of the kernels.
 */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/mlssor/mlssor_tiles.h"
#include "traces/base/util.h"

/* Side and layers of subdomains, how many, tiles: what an axis can be. */
static const struct {
	int32_t width, layers, count, parts, step;
} cuts[] = {
	{ 2, 1, 1, 2, 0 },  { 2, 1, 5, 2, 0 },	{ 3, 1, 4, 2, 0 },   { 4, 2, 1, 2, 0 },
	{ 4, 2, 4, 2, 0 },  { 4, 1, 3, 2, 0 },	{ 5, 2, 4, 2, 0 },   { 6, 3, 3, 2, 0 },
	{ 7, 3, 4, 2, 0 },  { 7, 3, 4, 3, 4 },	{ 8, 4, 4, 2, 0 },   { 8, 4, 3, 3, 3 },
	{ 8, 3, 3, 5, 2 },  { 9, 4, 2, 8, 1 },	{ 9, 4, 3, 2, 0 },   { 16, 8, 3, 2, 0 },
	{ 16, 8, 2, 3, 7 }, { 17, 8, 2, 2, 0 }, { 32, 16, 3, 2, 0 },
};
enum { CUTS = sizeof(cuts) / sizeof(cuts[0]) };

/* PLANES: of forward sweeps, of backward ones, of both as (6) is printed. */
enum { FORWARD, BACKWARD, PRINTED, PLANES };
static struct mlssor_axis axis_of(size_t cut, int32_t planes)
{
	return (struct mlssor_axis){ cuts[cut].width * cuts[cut].count,
				     cuts[cut].width,
				     cuts[cut].count,
				     cuts[cut].layers,
				     planes == PRINTED ? 0 : mlssor_shift(cuts[cut].layers, planes),
				     cuts[cut].parts,
				     cuts[cut].step };
}

static void tiles_follow_one_another_without_a_gap(void **state)
{
	(void)state;
	for (size_t c = 0; c < CUTS; c++)
		for (int32_t planes = 0; planes < PLANES; planes++) {
			const struct mlssor_axis axis = axis_of(c, planes);
			for (int32_t q = 0; q < axis.layers; q++) {
				int32_t next = 1;
				for (int32_t s = 0; s < axis.count; s++)
					for (int32_t part = 0; part < axis.parts; part++) {
						const struct mlssor_range tile =
							mlssor_tile(&axis, s, part, q);
						assert_true(tile.begin <= tile.end);
						if (tile.begin == tile.end)
							continue;
						assert_int_equal(tile.begin, next);
						next = tile.end;
					}
				assert_int_equal(next, axis.points + 1);
			}
		}
}

/* Half a row a layer: the drift of an even number of layers has no middle. */
static void border_subdomains_have_as_many_points_as_the_others(void **state)
{
	(void)state;
	for (size_t c = 0; c < CUTS; c++)
		for (int32_t planes = 0; planes < PRINTED; planes++) {
			const struct mlssor_axis axis = axis_of(c, planes);
			for (int32_t s = 0; s < axis.count; s++) {
				int32_t points = 0, border = 0;
				for (int32_t q = 0; q < axis.layers; q++) {
					const struct mlssor_range all = mlssor_subdomain(&axis, s,
											 q),
								  tile = mlssor_tile(&axis, s,
										     axis.parts - 1,
										     q);
					points += all.end - all.begin;
					border += tile.end - tile.begin;
				}
				assert_true(2 * abs(points - axis.layers * axis.width) <=
					    axis.layers);
				assert_true(2 * abs(border - axis.layers * axis.layers) <=
					    axis.layers);
			}
		}
}

static void a_backward_sweep_has_the_planes_of_the_forward_sweep_before(void **state)
{
	(void)state;
	for (size_t c = 0; c < CUTS; c++) {
		const struct mlssor_axis forward = axis_of(c, FORWARD),
					 backward = axis_of(c, BACKWARD);
		for (int32_t q = 0; q < forward.layers; q++)
			for (int32_t s = 0; s < forward.count; s++) {
				const struct mlssor_range one = mlssor_subdomain(&forward, s,
										 forward.layers -
											 1 - q),
							  other = mlssor_subdomain(
								  &backward, forward.count - 1 - s,
								  q);
				assert_int_equal(one.begin, forward.points + 1 - (other.end - 1));
				assert_int_equal(one.end - 1, forward.points + 1 - other.begin);
			}
	}
}

/* Section IV-C: "T11 is chosen to have (n-1) x (n-1) at the bottom layer". */
static void the_first_tile_is_as_large_as_it_can_be(void **state)
{
	(void)state;
	for (int32_t n = 2; n <= 33; n++) {
		const struct mlssor_axis axis = {
			3 * n, n, 3, n / 2, mlssor_shift(n / 2, 0), 2, 0
		};
		for (int32_t q = 0; q < axis.layers; q++) {
			const struct mlssor_range first = mlssor_tile(&axis, 1, 0, q),
						  border = mlssor_tile(&axis, 1, 1, q);
			assert_int_equal(first.end - first.begin, n - 1 - 2 * q);
			assert_int_equal(border.end - border.begin, 1 + 2 * q);
			if (q > 0) { /* (9) and Figure 3: cut on both sides, a point a layer */
				const struct mlssor_range below = mlssor_tile(&axis, 1, 0, q - 1);
				assert_int_equal(first.begin, below.begin + 1);
				assert_int_equal(first.end, below.end - 1);
			}
		}
	}
}

static void every_tile_fits_its_box(void **state)
{
	(void)state;
	for (size_t c = 0; c < CUTS; c++)
		for (int32_t planes = 0; planes < PLANES; planes++) {
			const struct mlssor_axis axis = axis_of(c, planes);
			for (int32_t s = 0; s < axis.count; s++)
				for (int32_t part = 0; part < axis.parts; part++) {
					const int32_t box = mlssor_box(&axis, s, part),
						      points = mlssor_box_points(&axis, part);
					for (int32_t q = 0; q < axis.layers; q++) {
						const struct mlssor_range t =
							mlssor_tile(&axis, s, part, q);
						if (t.begin == t.end)
							continue;
						assert_true(t.begin - 1 >= box);
						assert_true(t.end <= box + points - 1);
					}
					assert_true(points <= axis.width + 1);
				}
		}
}

/* What is known of a point while a sweep is played. */
struct point {
	int32_t layers;	      /* it has had in this sweep */
	int32_t subdomain;    /* whose tile updated it last */
	int32_t kernel, tile; /* when and by which */
};

struct mesh {
	struct mlssor_axis rows, columns;
	struct point *point;
	int32_t pitch;
};

static struct point *at(const struct mesh *m, int32_t i, int32_t j)
{
	return &m->point[i * m->pitch + j];
}

/*
 * A neighbour with the layer that the point is about to get, or the one before, but always what
 * sequential order has when both are in one subdomain: `later` neighbours are updated after the
 * point there. And no other tile of this kernel may have written it.
 */
static void look_at_neighbour(const struct mesh *m, int32_t i, int32_t j, int32_t q, bool later,
			      const struct point *self, int32_t owner)
{
	const struct point *p = at(m, i, j);
	if (i < 1 || j < 1 || i > m->rows.points || j > m->columns.points)
		return;
	assert_true(p->layers == q || p->layers == q + 1);
	if (owner == self->subdomain)
		assert_int_equal(p->layers, later ? q : q + 1);
	assert_false(p->kernel == self->kernel && p->tile != self->tile);
}

/* The subdomain along an axis that has a point at a layer. */
static int32_t subdomain_of(const struct mlssor_axis *axis, int32_t point, int32_t q)
{
	int32_t s = 0;
	while (mlssor_subdomain(axis, s, q).end <= point)
		s++;
	return s;
}

static int32_t owner_of(const struct mesh *m, int32_t i, int32_t j, int32_t q)
{
	if (i < 1 || j < 1 || i > m->rows.points || j > m->columns.points)
		return -1;
	return subdomain_of(&m->rows, i, q) * m->columns.count + subdomain_of(&m->columns, j, q);
}

static void update(struct mesh *m, int32_t i, int32_t j, int32_t q, struct point self)
{
	struct point *p = at(m, i, j);
	assert_int_equal(p->layers, q);
	assert_int_equal(owner_of(m, i, j, q), self.subdomain);
	/* A later neighbour is of the same subdomain if that had it a layer ago. */
	const int32_t before = q ? q - 1 : 0;
	look_at_neighbour(m, i - 1, j, q, false, &self, owner_of(m, i - 1, j, q));
	look_at_neighbour(m, i, j - 1, q, false, &self, owner_of(m, i, j - 1, q));
	look_at_neighbour(m, i + 1, j, q, true, &self, q ? owner_of(m, i + 1, j, before) : -1);
	look_at_neighbour(m, i, j + 1, q, true, &self, q ? owner_of(m, i, j + 1, before) : -1);
	self.layers = q + 1;
	*p = self;
}

static void play(struct mesh *m)
{
	const int32_t parts = m->rows.parts;
	for (int32_t kernel = 0; kernel < parts * parts; kernel++)
		for (int32_t s = 0; s < m->rows.count; s++)
			for (int32_t t = 0; t < m->columns.count; t++)
				for (int32_t q = 0; q < m->rows.layers; q++) {
					const int32_t tile = s * m->columns.count + t;
					const struct mlssor_range i = mlssor_tile(&m->rows, s,
										  kernel / parts,
										  q),
								  j = mlssor_tile(&m->columns, t,
										  kernel % parts,
										  q);
					for (int32_t row = i.begin; row < i.end; row++)
						for (int32_t column = j.begin; column < j.end;
						     column++)
							update(m, row, column, q,
							       (struct point){ 0, tile, kernel,
									       tile });
				}
}

static void every_point_of_every_layer_once_in_the_order_promised(void **state)
{
	(void)state;
	for (size_t a = 0; a < CUTS; a++)
		for (size_t b = 0; b < CUTS; b++)
			for (int32_t planes = 0; planes < PLANES; planes++) {
				struct mesh m = { axis_of(a, planes), axis_of(b, planes), NULL, 0 };
				if (m.rows.layers != m.columns.layers ||
				    m.rows.parts != m.columns.parts)
					continue;
				m.pitch = m.columns.points + 2;
				m.point = xcalloc((size_t)(m.rows.points + 2) * (size_t)m.pitch,
						  sizeof(*m.point));
				for (int32_t k = 0; k < (m.rows.points + 2) * m.pitch; k++)
					m.point[k].kernel = -1;
				play(&m);
				for (int32_t i = 1; i <= m.rows.points; i++)
					for (int32_t j = 1; j <= m.columns.points; j++)
						assert_int_equal(at(&m, i, j)->layers,
								 m.rows.layers);
				free(m.point);
			}
}

/* For plots/papers_000.gp: which kernel, 1 to 4, updates each point of each layer of a sweep over
 * 3x3 subdomains of 8x8. */
static int draw(void)
{
	const struct mlssor_axis axis = { 24, 8, 3, 4, 0, 2, 0 };
	puts("layer\trow\tcolumn\tkernel");
	for (int32_t q = 0; q < axis.layers; q++)
		for (int32_t tile = 0; tile < 36; tile++) {
			const int32_t s = tile / 12, t = tile / 4 % 3;
			const struct mlssor_range i = mlssor_tile(&axis, s, tile / 2 % 2, q),
						  j = mlssor_tile(&axis, t, tile % 2, q);
			for (int32_t row = i.begin; row < i.end; row++)
				for (int32_t column = j.begin; column < j.end; column++)
					printf("%d\t%d\t%d\t%d\n", q, row, column, 1 + tile % 4);
		}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--draw"))
		return draw();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tiles_follow_one_another_without_a_gap),
		cmocka_unit_test(border_subdomains_have_as_many_points_as_the_others),
		cmocka_unit_test(a_backward_sweep_has_the_planes_of_the_forward_sweep_before),
		cmocka_unit_test(the_first_tile_is_as_large_as_it_can_be),
		cmocka_unit_test(every_tile_fits_its_box),
		cmocka_unit_test(every_point_of_every_layer_once_in_the_order_promised),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
