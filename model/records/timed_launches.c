/* SPDX-License-Identifier: MIT */
#include "timed_launches.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/output.h"
#include "traces/base/util.h"

enum { KERNEL_BYTES = 256 };
#define DEVICE "# device: "
#define COLUMNS "kernel\tpoints\tmeasured_ns\tplayed_ns"

/* A factor of two in points is one standard deviation. */
static const double WIDTH = 0.69314718055994531;

void timed_launches_add(struct timed_launches *t, const char *kernel, int64_t points,
			double measured_ns, double played_ns)
{
	GROW(t->row, t->count, t->capacity);
	t->row[t->count++] = (struct timed_launch){ .kernel = xstrdup(kernel),
						    .points = points,
						    .measured_ns = measured_ns,
						    .played_ns = played_ns };
}

/* Whether the line is a launch. */
static bool add_line(struct timed_launches *t, const char *line)
{
	char kernel[KERNEL_BYTES];
	int64_t points;
	double measured_ns, played_ns;
	int end = 0;
	if (sscanf(line, "%255[^\t\n]\t%" SCNd64 "\t%lf\t%lf%n", kernel, &points, &measured_ns,
		   &played_ns, &end) != 4 ||
	    strcspn(line + end, "\r\n") || points < 1 || !(measured_ns > 0) || !(played_ns > 0) ||
	    !isfinite(measured_ns) || !isfinite(played_ns))
		return false;
	timed_launches_add(t, kernel, points, measured_ns, played_ns);
	return true;
}

static void take_device(struct timed_launches *t, const char *line)
{
	if (strncmp(line, DEVICE, sizeof(DEVICE) - 1))
		return;
	line += sizeof(DEVICE) - 1;
	free(t->device);
	t->device = xprintf("%.*s", (int)strcspn(line, "\r\n"), line);
}

static int read_lines(struct timed_launches *t, FILE *file)
{
	char line[2 * KERNEL_BYTES];
	bool header = false;
	for (int number = 1; fgets(line, sizeof(line), file); number++) {
		if (line[0] == '#') {
			take_device(t, line);
			continue;
		}
		if (!header && strncmp(line, COLUMNS, sizeof(COLUMNS) - 1))
			return report(
				"%s:%d: not the columns kernel, points, measured_ns, played_ns",
				t->path, number);
		if (header && !add_line(t, line))
			return report("%s:%d: not a launch: kernel, points and its two times in ns",
				      t->path, number);
		header = true;
	}
	if (ferror(file))
		return report("cannot read '%s': %s", t->path, strerror(errno));
	return t->count ? 0 : report("%s: no launches", t->path);
}

int timed_launches_read(struct timed_launches *t, const char *name)
{
	*t = (struct timed_launches){ .path = xstrdup(name) };
	FILE *file = strpbrk(name, "./") ? fopen(name, "r") : NULL;
	if (!strpbrk(name, "./")) {
		free(t->path);
		t->path = xprintf("%s/model/timed/%s.tsv", util_root(), name);
		file = fopen(t->path, "r");
	}
	int rc = file ? read_lines(t, file)
		      : report("cannot read '%s': %s", t->path, strerror(errno));
	if (file)
		fclose(file);
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
	if (out)
		fprintf(out, "%s%s%s%s\n", t->device ? DEVICE : "", t->device ? t->device : "",
			t->device ? "\n" : "", COLUMNS);
	for (size_t k = 0; out && k < t->count; k++) {
		const struct timed_launch *l = &t->row[k];
		fprintf(out, "%s\t%" PRId64 "\t%.1f\t%.1f\n", l->kernel, l->points, l->measured_ns,
			l->played_ns);
	}
	if (!out || (fflush(out) | ferror(out) | fclose(out))) {
		report("cannot write '%s': %s", path, strerror(errno));
		output_abandon(&output);
		return -1;
	}
	return output_commit(&output);
}

double timed_launches_ratio(const struct timed_launches *t, const char *kernel, int64_t points,
			    bool but_itself)
{
	double weights = 1, sum = 0;
	for (size_t k = 0; points > 0 && k < t->count; k++) {
		const struct timed_launch *l = &t->row[k];
		if ((but_itself && l->points == points) || strcmp(l->kernel, kernel))
			continue;
		const double away = log((double)l->points / (double)points) / WIDTH,
			     weight = exp(-away * away / 2);
		weights += weight;
		sum += weight * log(l->measured_ns / l->played_ns);
	}
	return exp(sum / weights);
}
