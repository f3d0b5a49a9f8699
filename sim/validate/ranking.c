/* SPDX-License-Identifier: MIT */
#include "ranking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sets.h"
#include "traces/base/util.h"
#include "traces/program/program.h"

struct candidate {
	char *group; /* what it shares with the others; owned */
	struct ranking_member member;
};

static int sign_of(double value)
{
	return (value > 0) - (value < 0);
}

struct ranking_group ranking_of(const struct ranking_member *m, size_t count)
{
	size_t predicted = 0, measured = 0;
	double agree = 0, apart_measured = 0, apart_predicted = 0, sum = 0;
	for (size_t k = 0; k < count; k++) {
		predicted = m[k].predicted_us < m[predicted].predicted_us ? k : predicted;
		measured = m[k].measured_us < m[measured].measured_us ? k : measured;
		sum += m[k].measured_us;
		for (size_t j = 0; j < k; j++) {
			const int by_clock = sign_of(m[k].measured_us - m[j].measured_us),
				  by_model = sign_of(m[k].predicted_us - m[j].predicted_us);
			agree += by_clock * by_model;
			apart_measured += by_clock != 0;
			apart_predicted += by_model != 0;
		}
	}
	const double best = m[measured].measured_us;
	return (struct ranking_group){
		.right = m[predicted].measured_us <= best,
		.regret = m[predicted].measured_us / best - 1,
		.tau = agree / sqrt(apart_measured * apart_predicted),
		.by_chance = sum / (double)count / best - 1,
	};
}

static int by_group(const void *a, const void *b)
{
	return strcmp(((const struct candidate *)a)->group, ((const struct candidate *)b)->group);
}

/* NULL where the row has no such choice; choice NULL: any. The first of all is that of GPUs. */
static char *group_of(const struct program *program, const struct validation_row *row,
		      const char *choice)
{
	char *rest = program->but_for(row->config, (uint32_t)row->gpus, choice), *group = NULL;
	if (rest && choice && choice != program->choices[0])
		group = xprintf("%s %d %s", row->solver, row->gpus, rest);
	else if (rest)
		group = xprintf("%s %s", row->solver, rest);
	free(rest);
	return group;
}

static void write_choice(const struct validation *v, const char *choice, FILE *out)
{
	struct candidate *candidate = xmalloc((v->count + 1) * sizeof(*candidate));
	struct ranking_member *member = xmalloc((v->count + 1) * sizeof(*member));
	double *regret = xmalloc((v->count + 1) * sizeof(*regret));
	size_t count = 0, groups = 0, members = 0, right = 0, ordered = 0;
	double tau = 0, by_chance = 0, sum = 0, right_by_chance = 0, small = 0;
	for (size_t k = 0; k < v->count; k++) {
		const struct validation_row *row = &v->row[k];
		char *group = strcmp(row->model, "default") || !set_within(row->set, "planned")
				      ? NULL
				      : group_of(v->program, row, choice);
		if (group)
			candidate[count++] =
				(struct candidate){ group,
						    { row->measured_us, row->predicted_us } };
	}
	qsort(candidate, count, sizeof(*candidate), by_group);
	for (size_t first = 0, end; first < count; first = end) {
		for (end = first; end < count && !by_group(&candidate[first], &candidate[end]);
		     end++)
			member[end - first] = candidate[end].member;
		if (end - first < 2)
			continue;
		const struct ranking_group g = ranking_of(member, end - first);
		regret[groups++] = 100 * g.regret;
		members += end - first;
		right += g.right;
		right_by_chance += 1 / (double)(end - first);
		small += g.regret <= 0.02;
		sum += 100 * g.regret;
		by_chance += 100 * g.by_chance;
		tau += isfinite(g.tau) ? g.tau : 0;
		ordered += isfinite(g.tau) ? 1 : 0;
	}
	if (groups) {
		const double n = (double)groups;
		fprintf(out, "%s\t%zu\t%zu\t%.1f\t%.1f\t%.1f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.3f\n",
			choice ? choice : "any", groups, members, 100 * (double)right / n,
			100 * right_by_chance / n, 100 * small / n, sum / n,
			quantile_of(regret, groups, 0.9), quantile_of(regret, groups, 1),
			by_chance / n, quantile_of(regret, groups, 0.5),
			ordered ? tau / (double)ordered : 0);
	}
	for (size_t k = 0; k < count; k++)
		free(candidate[k].group);
	free(candidate);
	free(member);
	free(regret);
}

void ranking_write(const struct validation *v, FILE *out)
{
	fprintf(out, "choice\tgroups\truns\tright_pct\tright_by_chance_pct\tregret_to_2_pct\t"
		     "regret_mean_pct\tregret_p90_pct\tregret_max_pct\tregret_by_chance_pct\t"
		     "regret_p50_pct\ttau\n");
	for (const char *const *choice = v->program->choices; *choice; choice++)
		write_choice(v, *choice, out);
	write_choice(v, NULL, out);
}
