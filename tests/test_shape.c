/* SPDX-License-Identifier: MIT
 * Shape from shading: the update against eq. (4) written out, normals and heights of a surface that
 * is known.
 */
#include "solver_kit.h"
#include "support.h"

#include "kernels/shape/shape.h"

static void make(struct weak_problem *problem, struct shape_pictures *pictures, const char *config)
{
	struct shape_params p;
	assert_int_equal(params_of("shape", &p, config), 0);
	assert_int_equal(shape_read(pictures, &p), 0);
	assert_int_equal(shape_make(problem, pictures, &p), 0);
}

/* R_s by the normal. */
static double reflectance(double f, double g, const struct weak_terms *terms)
{
	double n[3], lit = 0;
	shape_normal(f, g, n);
	for (int k = 0; k < 3; k++)
		lit += n[k] * (double)terms->light[k];
	return fmax(lit, 0);
}

static void the_update_is_that_of_the_equation(void **state)
{
	(void)state;
	const struct weak_terms terms = { 0.4f, { -0.3f, 0.2f, 0.93f } };
	for (int k = 0; k < 60; k++) {
		const double f = 1.2 * sin(k), g = 1.1 * cos(1.7 * k),
			     seen = 0.5 + 0.4 * sin(3 * k);
		const double d = 1e-5, r = reflectance(f, g, &terms);
		const double by_f = (reflectance(f + d, g, &terms) -
				     reflectance(f - d, g, &terms)) /
				    (2 * d),
			     by_g = (reflectance(f, g + d, &terms) -
				     reflectance(f, g - d, &terms)) /
				    (2 * d);
		const struct weak_pair own = { (float)f, (float)g }, sum = { 0.8f, -1.2f },
				       next = weak_shape_update(own, sum, (float)seen, 0.25f,
								&terms);
		const double wanted_f = 0.2 + (double)terms.pull * (seen - r) * by_f,
			     wanted_g = -0.3 + (double)terms.pull * (seen - r) * by_g;
		assert_true(fabs((double)next.f - wanted_f) < 1e-5);
		assert_true(fabs((double)next.g - wanted_g) < 1e-5);
	}
}

static void no_normal_turns_away_from_the_eye(void **state)
{
	(void)state;
	const struct weak_terms terms = { 1, { 0, 0, 1 } };
	const struct weak_pair own = { 0, 0 }, sum = { 30, 40 };
	const struct weak_pair next = weak_shape_update(own, sum, 1, 0.25f, &terms);
	assert_true(fabs((double)next.f - 1.2) < 1e-6 && fabs((double)next.g - 1.6) < 1e-6);
	const struct weak_pair kept = weak_shape_update(own, sum, 1, 0, &terms);
	assert_true(!(kept.f > 0) && !(kept.g > 0));
}

static void the_vases_normals_are_found(void **state)
{
	(void)state;
	struct weak_problem problem;
	struct shape_pictures pictures;
	double change, sum = 0;
	long count = 0;
	make(&problem, &pictures, "size=96");
	weak_reference(&problem, problem.values, 1, 20000, 1e-6, &change);
	assert_true(change <= 1e-6);
	for (int r = 0; r < 96; r++)
		for (int c = 0; c < 96; c++) {
			double is[3], found[3], dot = 0;
			if (!shape_scene_normal(96, r, c, is))
				continue;
			shape_normal((double)*weak_value(&problem, 0, 0, r, c),
				     (double)*weak_value(&problem, 1, 0, r, c), found);
			for (int k = 0; k < 3; k++)
				dot += is[k] * found[k];
			sum += acos(fmin(dot, 1)) * 180 / acos(-1.0);
			count++;
		}
	if (sum / (double)count > 12)
		fail_msg("normals are off by %.2f degrees on average", sum / (double)count);
	weak_problem_release(&problem);
	shape_release(&pictures);
}

/* Slopes of a known surface give it back. */
static void heights_fit_the_normals(void **state)
{
	(void)state;
	struct weak_problem problem;
	const int n = 40;
	weak_problem_make(&problem, WEAK_SHAPE, 1, n, n);
	for (int r = 0; r < n; r++)
		for (int c = 0; c < n; c++) {
			/* z = 10 + x y / 40 - y^2 / 60 */
			const double p = r / 40.0, q = c / 40.0 - r / 30.0,
				     root = 1 + sqrt(1 + p * p + q * q);
			*weak_value(&problem, 0, 0, r, c) = (float)(2 * p / root);
			*weak_value(&problem, 1, 0, r, c) = (float)(2 * q / root);
			*weak_weight(&problem, 0, r, c) = 0.25f;
		}
	double *z = shape_heights(&problem), low = INFINITY;
	for (int k = 0; k < n * n; k++)
		low = fmin(low, (k / n) * (k % n) / 40.0 - (k / n) * (k / n) / 60.0);
	for (int k = 0; k < n * n; k++)
		assert_true(fabs(z[k] + low -
				 ((k / n) * (k % n) / 40.0 - (k / n) * (k / n) / 60.0)) < 1e-3);
	free(z);
	weak_problem_release(&problem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_update_is_that_of_the_equation),
		cmocka_unit_test(no_normal_turns_away_from_the_eye),
		cmocka_unit_test(the_vases_normals_are_found),
		cmocka_unit_test(heights_fit_the_normals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
