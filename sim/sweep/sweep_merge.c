/* SPDX-License-Identifier: MIT */
#include "sweep_merge.h"

#include <stdlib.h>
#include <string.h>

#include "sweep_work.h"
#include "traces/base/output.h"
#include "traces/base/util.h"

struct merging {
	struct sweep_store *whole;
	const char *definition, *first; /* of the first, and its path */
	uint64_t points;
	int of;
	bool *given; /* [of] */
	uint64_t rows;
};

static int take(void *arg, const struct sweep_row *row)
{
	struct merging *m = arg;
	m->rows++;
	return sweep_store_put(m->whole, row);
}

static int add(struct merging *m, const char *path, struct sweep_store *part)
{
	const struct sweep_shard shard = sweep_store_shard(part);
	if (strcmp(sweep_store_definition(part), m->definition))
		return report("'%s' and '%s' are of different sweeps", m->first, path);
	if (shard.of != m->of)
		return report("'%s' is one of %d shards, '%s' one of %d", m->first, m->of, path,
			      shard.of);
	if (m->given[shard.index - 1])
		return report("'%s': shard %d/%d is given twice", path, shard.index, shard.of);
	m->given[shard.index - 1] = true;
	m->rows = 0;
	if (sweep_store_each(part, take, m))
		return -1;
	const uint64_t wanted = sweep_shard_points(m->points, shard);
	if (m->rows != wanted)
		return report("'%s': shard %d/%d has %llu of %llu points; run it again, it goes on",
			      path, shard.index, shard.of, (unsigned long long)m->rows,
			      (unsigned long long)wanted);
	return 0;
}

static int add_all(struct merging *m, const struct text_list *paths)
{
	for (int k = 0; k < paths->count; k++) {
		struct sweep_store *part = sweep_store_read(paths->text[k]);
		int rc = part ? add(m, paths->text[k], part) : -1;
		sweep_store_close(part);
		if (rc)
			return -1;
	}
	for (int k = 0; k < m->of; k++)
		if (!m->given[k])
			return report("shard %d/%d is missing", k + 1, m->of);
	return 0;
}

struct sweep_store *sweep_merge(const struct text_list *paths, const char *path)
{
	struct sweep_store *first = sweep_store_read(paths->text[0]);
	if (!first)
		return NULL;
	for (int k = 0; k < paths->count; k++)
		if (output_differs(path, paths->text[k])) {
			sweep_store_close(first);
			return NULL;
		}
	struct merging m = { .definition = sweep_store_definition(first),
			     .first = paths->text[0],
			     .points = sweep_store_points(first),
			     .of = sweep_store_shard(first).of };
	struct output output;
	m.given = xcalloc((size_t)m.of, sizeof(*m.given));
	if (!output_begin(&output, path)) {
		m.whole = sweep_store_open(output.part_path, m.definition, m.points,
					   (struct sweep_shard){ 1, 1 });
		const bool good = m.whole && !sweep_store_begin(m.whole) && !add_all(&m, paths) &&
				  !sweep_store_commit(m.whole);
		sweep_store_close(m.whole);
		m.whole = NULL;
		if (!good)
			output_abandon(&output);
		else if (!output_commit(&output))
			m.whole = sweep_store_read(path);
	}
	sweep_store_close(first);
	free(m.given);
	return m.whole;
}
