/* SPDX-License-Identifier: MIT */
#include "timed_launches.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/output.h"
#include "traces/base/table_read.h"
#include "traces/base/util.h"

enum {
	COLUMN_KERNEL,
	COLUMN_PATH,
	COLUMN_BLOCK,
	COLUMN_POINTS,
	COLUMN_MEASURED,
	COLUMN_PLAYED,
	COLUMN_DEVICE,
	COLUMN_COUNT
};
static const char *const column_name[COLUMN_COUNT] = { "kernel", "path",	"block",
						       "points", "measured_ns", "played_ns",
						       "device" };

static const double OWN_WORD = 0.5; /* the model's own, in timed launches */
static const double ITSELF = 0.02;  /* logarithms that differ by less are of as many points */

void timed_launches_add(struct timed_launches *t, const struct timed_kind *kind, double measured_ns,
			double played_ns)
{
	GROW(t->row, t->count, t->capacity);
	struct timed_launch *row = &t->row[t->count++];
	*row = (struct timed_launch){ xstrdup(kind->kernel), *kind, measured_ns, played_ns };
	row->kind.kernel = row->kernel;
}

/* "32x8x1"; the sides of a block are known. */
static int read_block(const char *text, uint32_t block[3])
{
	int end = 0;
	return sscanf(text, "%5" SCNu32 "x%5" SCNu32 "x%5" SCNu32 "%n", &block[0], &block[1],
		      &block[2], &end) == 3 &&
			       !text[end] && block[0] && block[1] && block[2]
		       ? 0
		       : -1;
}

static int add_row(void *context, const struct table_row *row)
{
	struct timed_launches *t = context;
	char **of = row->of;
	struct timed_kind kind = { .kernel = of[COLUMN_KERNEL] };
	int64_t path;
	double measured_ns, played_ns;
	if (!*kind.kernel || parse_i64(of[COLUMN_PATH], &path) || path < -1 || path > INT32_MAX ||
	    read_block(of[COLUMN_BLOCK], kind.block) ||
	    parse_i64(of[COLUMN_POINTS], &kind.points) || kind.points < 1 ||
	    parse_double(of[COLUMN_MEASURED], &measured_ns) || !(measured_ns > 0) ||
	    parse_double(of[COLUMN_PLAYED], &played_ns) || !(played_ns > 0) ||
	    !isfinite(measured_ns / played_ns) || !(measured_ns / played_ns > 0) ||
	    (t->device && strcmp(t->device, of[COLUMN_DEVICE])))
		return -1;
	if (!t->device)
		t->device = xstrdup(of[COLUMN_DEVICE]);
	kind.path = (int32_t)path;
	timed_launches_add(t, &kind, measured_ns, played_ns);
	return 0;
}

char *timed_launches_shipped(const char *platform)
{
	return xprintf("%s/model/timed/%s.tsv", util_root(), platform);
}

int timed_launches_read(struct timed_launches *t, const char *name)
{
	static const struct table_format format = { column_name, COLUMN_COUNT, COLUMN_COUNT,
						    "a launch timed alone (all on one device)",
						    "launches timed alone" };
	*t = (struct timed_launches){ .path = strpbrk(name, "./") ? xstrdup(name)
								  : timed_launches_shipped(name) };
	int rc = table_read(t->path, &format, NULL, add_row, t);
	if (!rc && !t->count)
		rc = report("%s: no launches", t->path);
	if (rc)
		timed_launches_release(t);
	return rc;
}

void timed_launches_release(struct timed_launches *t)
{
	for (size_t k = 0; k < t->count; k++)
		free(t->row[k].kernel);
	free(t->row);
	free(t->path);
	free(t->device);
	*t = (struct timed_launches){ 0 };
}

int timed_launches_write(const struct timed_launches *t, const char *path)
{
	struct output output;
	output_begin(&output, path);
	FILE *out = output_open(&output);
	for (int k = 0; out && k < COLUMN_COUNT; k++)
		fprintf(out, "%s%c", column_name[k], k + 1 < COLUMN_COUNT ? '\t' : '\n');
	for (size_t k = 0; out && k < t->count; k++) {
		const struct timed_launch *l = &t->row[k];
		const struct timed_kind *kind = &l->kind;
		fprintf(out, "%s\t%d\t%ux%ux%u\t%" PRId64 "\t%.1f\t%.1f\t%s\n", kind->kernel,
			(int)kind->path, kind->block[0], kind->block[1], kind->block[2],
			kind->points, l->measured_ns, l->played_ns,
			t->device ? t->device : "unknown");
	}
	if (!out || (fflush(out) | ferror(out) | fclose(out))) {
		report("cannot write '%s': %s", path, strerror(errno));
		output_abandon(&output);
		return -1;
	}
	return output_commit(&output);
}

bool timed_launches_have(const struct timed_launches *t, const char *kernel)
{
	for (size_t k = 0; k < t->count; k++)
		if (!strcmp(t->row[k].kernel, kernel))
			return true;
	return false;
}

static bool is_known(const struct timed_kind *kind)
{
	return kind->points > 0 && kind->block[0] && kind->block[1] && kind->block[2];
}

/* Square of how far they are from each other, in standard deviations: of blocks. */
static double blocks_apart(const uint32_t a[3], const uint32_t b[3])
{
	double sum = 0;
	for (int k = 0; k < 3; k++)
		sum += a[k] == b[k] ? 0 : pow(log((double)a[k] / (double)b[k]), 2);
	return sum;
}

static bool same_path(const struct timed_kind *a, const struct timed_kind *b)
{
	return a->path == b->path || a->path < 0 || b->path < 0;
}

static bool path_is_timed(const struct timed_launches *t, const struct timed_kind *kind)
{
	for (size_t k = 0; k < t->count; k++)
		if (same_path(&t->row[k].kind, kind) && !strcmp(t->row[k].kernel, kind->kernel))
			return true;
	return false;
}

double timed_launches_ratio(const struct timed_launches *t, const struct timed_kind *kind,
			    bool but_itself)
{
	const bool any_path = !path_is_timed(t, kind);
	double weights = OWN_WORD, sum = 0;
	for (size_t k = 0; is_known(kind) && k < t->count; k++) {
		const struct timed_kind *of = &t->row[k].kind;
		const double away = log((double)of->points / (double)kind->points);
		if ((but_itself && fabs(away) <= ITSELF) || strcmp(of->kernel, kind->kernel) ||
		    (!any_path && !same_path(of, kind)))
			continue;
		const double weight =
			exp(-(away * away + blocks_apart(of->block, kind->block)) / 2);
		weights += weight;
		sum += weight * log(t->row[k].measured_ns / t->row[k].played_ns);
	}
	return exp(sum / weights);
}
