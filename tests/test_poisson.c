/* SPDX-License-Identifier: MIT
 * Seamless cloning: what a node asks for, against the equations written out, and solutions known
 * beforehand.
 */
#include "solver_kit.h"
#include "support.h"

#include "kernels/poisson/poisson.h"

/* Parameters of a configuration, its pictures and grid. */
struct made {
	struct poisson_params p;
	struct poisson_pictures pictures;
	struct weak_problem problem;
};

static void make(struct made *m, const char *config)
{
	assert_int_equal(params_of("poisson", &m->p, config), 0);
	assert_int_equal(poisson_read(&m->pictures, &m->p), 0);
	assert_int_equal(poisson_make(&m->problem, &m->pictures, &m->p), 0);
	weak_problem_measure(&m->problem);
}

static void release(struct made *m)
{
	weak_problem_release(&m->problem);
	poisson_release(&m->pictures);
}

static void solve(struct made *m, double tolerance)
{
	double change;
	weak_reference(&m->problem, m->problem.values, weak_best_omega(m->problem.factor), 100000,
		       tolerance, &change);
	assert_true(change <= tolerance);
}

static void what_is_added_is_harmonic_and_fits_the_border(void **state)
{
	(void)state;
	struct made m;
	make(&m, "size=51");
	solve(&m, 1e-7);
	/* The solution less the source has no Laplacian, and is target less source at the border.
	 */
	const int n = 51;
	double most = 0;
	for (int r = 1; r < n - 1; r++)
		for (int c = 1; c < n - 1; c++) {
			double sum = 0;
			static const int step[5][3] = {
				{ 0, 0, -4 }, { 1, 0, 1 }, { -1, 0, 1 }, { 0, 1, 1 }, { 0, -1, 1 }
			};
			for (int k = 0; k < 5; k++) {
				const int y = r + step[k][0], x = c + step[k][1];
				sum += step[k][2] * ((double)*weak_value(&m.problem, 0, 0, y, x) -
						     *image_at(&m.pictures.source, y, x));
			}
			most = fmax(most, fabs(sum));
		}
	assert_true(most < 1e-3);
	for (int k = 0; k < n; k++)
		assert_true((int)*weak_value(&m.problem, 0, 0, 0, k) ==
			    *image_at(&m.pictures.target, 0, k));
	release(&m);
}

/* A picture cloned into itself, darkened beforehand inside the mask, comes back. */
static void a_source_with_the_targets_border_replaces_it(void **state)
{
	(void)state;
	struct made m;
	make(&m, "size=40");
	image_release(&m.pictures.target);
	image_make(&m.pictures.target, 40, 40, 1, 0);
	memcpy(m.pictures.target.pixel, m.pictures.source.pixel, 1600);
	for (int r = 5; r < 30; r++)
		memset(image_at(&m.pictures.target, r, 7), 10, 20);
	weak_problem_release(&m.problem);
	assert_int_equal(poisson_make(&m.problem, &m.pictures, &m.p), 0);
	weak_problem_measure(&m.problem);
	solve(&m, 1e-5);
	struct image result;
	poisson_picture(&m.problem, &m.pictures, &result);
	assert_memory_equal(result.pixel, m.pictures.source.pixel, 1600);
	image_release(&result);
	release(&m);
}

static void mixed_gradients_keep_the_stronger_one(void **state)
{
	(void)state;
	struct made m;
	make(&m, "size=20 guide=mixed");
	/* Without a gradient in the source the target's are all kept: the target comes back. */
	memset(m.pictures.source.pixel, 90, 400);
	weak_problem_release(&m.problem);
	assert_int_equal(poisson_make(&m.problem, &m.pictures, &m.p), 0);
	assert_true(weak_residual(&m.problem) < 1e-4);
	release(&m);
}

static void an_offset_moves_what_is_cloned(void **state)
{
	(void)state;
	struct made m;
	make(&m, "size=30");
	memset(m.pictures.mask.pixel, 0, 900);
	*image_at(&m.pictures.mask, 4, 5) = 200;
	m.p.down = 3;
	m.p.right = -2;
	weak_problem_release(&m.problem);
	assert_int_equal(poisson_make(&m.problem, &m.pictures, &m.p), 0);
	weak_problem_measure(&m.problem);
	assert_int_equal(m.problem.free_nodes, 1);
	assert_int_equal(m.problem.rows, 3); /* the pixel and those around it */
	assert_int_equal(m.pictures.first_row, 6);
	assert_int_equal(m.pictures.first_column, 2);
	release(&m);
}

static void the_bound_of_jacobis_factor_is_that_of_the_box(void **state)
{
	(void)state;
	struct made m;
	make(&m, "size=42"); /* 40 x 40 free nodes */
	assert_true(fabs(m.problem.factor - cos(acos(-1.0) / 41)) < 1e-12);
	release(&m);
}

static void no_convergence_is_said(void **state)
{
	(void)state;
	struct solver_result result;
	struct machine *m = machine_cpu_new(1);
	assert_int_equal(run_config(m, "poisson", "size=60 max-steps=3", 1, 1, &result), 0);
	assert_true(result.unconverged);
	assert_int_equal(result.iterations, 3);
	assert_int_equal(run_config(m, "poisson", "size=60 steps=3", 1, 1, &result), 0);
	assert_false(result.unconverged);
	assert_true(result.residual > 0.1);
	m->ops->free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_added_is_harmonic_and_fits_the_border),
		cmocka_unit_test(a_source_with_the_targets_border_replaces_it),
		cmocka_unit_test(mixed_gradients_keep_the_stronger_one),
		cmocka_unit_test(an_offset_moves_what_is_cloned),
		cmocka_unit_test(the_bound_of_jacobis_factor_is_that_of_the_box),
		cmocka_unit_test(no_convergence_is_said),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
