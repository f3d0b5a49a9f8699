/* SPDX-License-Identifier: MIT */
#include "profile_law.h"

#include <math.h>
#include <string.h>

double law_warps(const uint32_t block[3])
{
	return ceil((double)block[0] * block[1] * block[2] / LAW_WARP);
}

struct law_terms law_terms_of(const struct launch_geometry *g)
{
	double warps = law_warps(g->block);

	return (struct law_terms){ { warps, warps * g->steps, 1 } };
}

/* Of the terms named. Where these are integers it is exact. */
static double determinant(const struct law_terms base[], const int term[], int count)
{
	double d = 0;

	if (count == 1)
		return base[0].term[term[0]];
	for (int k = 0; k < count; k++) { /* along the last term */
		struct law_terms rest[LAW_TERMS];

		for (int j = 0, at = 0; j < count; j++)
			if (j != k)
				rest[at++] = base[j];
		d += ((k + count) % 2 ? 1 : -1) * base[k].term[term[count - 1]] *
		     determinant(rest, term, count - 1);
	}
	return d;
}

double law_determinant(const struct law_terms base[])
{
	static const int all[LAW_TERMS] = { 0, 1, 2 };

	return determinant(base, all, LAW_TERMS);
}

/* The first terms that tell the bases apart; false where none do. */
static bool choose_terms(const struct law_terms base[], int count, int term[LAW_TERMS])
{
	static const int choices[LAW_TERMS][LAW_TERMS][LAW_TERMS] = {
		{ { 0 }, { 1 }, { 2 } },
		{ { 0, 1 }, { 0, 2 }, { 1, 2 } },
		{ { 0, 1, 2 }, { 0, 1, 2 }, { 0, 1, 2 } },
	};

	for (int k = 0; k < LAW_TERMS; k++)
		if (determinant(base, choices[count - 1][k], count) != 0) {
			memcpy(term, choices[count - 1][k], sizeof(choices[0][0]));
			return true;
		}
	return false;
}

bool law_independent(const struct law_terms base[], int count)
{
	int term[LAW_TERMS];

	return choose_terms(base, count, term);
}

bool law_weigh(const struct law_terms base[], int count, const struct law_terms *wanted,
	       double weight[])
{
	int term[LAW_TERMS];
	bool all = true;

	if (!choose_terms(base, count, term))
		return false;
	for (int k = 0; k < count; k++) { /* Cramer's rule */
		struct law_terms with[LAW_TERMS];

		memcpy(with, base, (size_t)count * sizeof(*base));
		with[k] = *wanted;
		weight[k] = determinant(with, term, count) / determinant(base, term, count);
	}
	for (int t = 0; t < LAW_TERMS; t++) {
		double sum = 0, size = fabs(wanted->term[t]);

		for (int k = 0; k < count; k++) {
			sum += weight[k] * base[k].term[t];
			size += fabs(weight[k] * base[k].term[t]);
		}
		all &= fabs(sum - wanted->term[t]) <= 1e-9 * size;
	}
	return all;
}
