/* SPDX-License-Identifier: MIT */
#include "time_pairs.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "traces/base/lines.h"
#include "traces/base/util.h"
#include "kernels/kit/solver.h"
#include "kernels/machine/machine_timing.h"

static const struct copy_way {
	const char *name;
	enum machine_space source, target;
} copy_ways[] = {
	{ "d2d", SPACE_DEVICE, SPACE_DEVICE },
	{ "h2d", SPACE_PINNED, SPACE_DEVICE },
	{ "d2h", SPACE_DEVICE, SPACE_PINNED },
};

/* One of the two: launches of a solver's steady state, or a copy. */
struct side {
	const struct solver *solver; /* NULL: a copy */
	void *params;
	struct solver_steady steady;
	const struct copy_way *way;
	struct machine_copy copy;
	uint32_t stream;
	char text[CONFIG_BYTES];
};

struct pair_run {
	struct side side[2];
	struct machine_pair pair;
};

static char *trimmed(char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	for (char *end = text + strlen(text); end > text && isspace((unsigned char)end[-1]); end--)
		end[-1] = 0;
	return text;
}

static int parse_copy(struct side *side, const char *text)
{
	char name[8];
	long long bytes;
	int length = 0;
	if (sscanf(text, "copy=%7s %lld%n", name, &bytes, &length) != 2 || text[length] ||
	    bytes < 1)
		return report("'%s' is no copy: copy=d2d|h2d|d2h BYTES", text);
	for (size_t k = 0; k < sizeof(copy_ways) / sizeof(copy_ways[0]); k++)
		if (!strcmp(copy_ways[k].name, name))
			side->way = &copy_ways[k];
	if (!side->way)
		return report("'%s': a copy goes d2d, h2d or d2h", text);
	side->copy = (struct machine_copy){ .row_bytes = bytes, .rows = 1 };
	snprintf(side->text, sizeof(side->text), "copy=%s %lld", name, bytes);
	return 0;
}

static int parse_side(struct side *side, const char *given)
{
	char *copy = xstrdup(given), *text = trimmed(copy);
	int rc = -1;
	if (!strncmp(text, "copy=", 5)) {
		rc = parse_copy(side, text);
		free(copy);
		return rc;
	}
	char *config = text + strcspn(text, " \t");
	if (*config)
		*config++ = 0;
	const struct solver *solver = solver_find(text);
	if (!solver) {
		free(copy);
		return -1;
	}
	side->solver = solver;
	side->params = solver_params(solver, trimmed(config), 1);
	if (side->params) {
		char canonical[CONFIG_BYTES];
		solver->config(side->params, canonical);
		rc = snprintf(side->text, sizeof(side->text), "%s %s", solver->name, canonical) <
				     CONFIG_BYTES
			     ? 0
			     : report("the configuration '%s' is too long", canonical);
	}
	free(copy);
	return rc;
}

static int side_body(struct machine_thread *t, void *arg)
{
	struct side *side = arg;
	return side->solver ? solver_steady_iterate(t, &side->steady)
			    : t->machine->ops->copy(t, side->stream, &side->copy);
}

static int side_begin(struct side *side, struct machine *m)
{
	if (side->solver) {
		int rc = solver_steady_begin(&side->steady, side->solver, side->params, m);
		side->stream = side->steady.stream;
		return rc;
	}
	return m->ops->buffer(m, 0, side->way->source, side->copy.row_bytes, &side->copy.source) ||
			       m->ops->buffer(m, 0, side->way->target, side->copy.row_bytes,
					      &side->copy.target) ||
			       m->ops->stream(m, 0, &side->stream)
		       ? -1
		       : 0;
}

static void side_release(struct side *side)
{
	solver_steady_end(&side->steady);
	free(side->params);
}

static int pair_body(struct machine_thread *t, void *arg)
{
	struct pair_run *run = arg;
	return t->machine->timing->pair(t, &run->pair);
}

static void print_row(const struct time_pairs *o, const char *backend, const char *name,
		      const struct pair_run *run, FILE *out)
{
	const struct machine_pair *p = &run->pair;
	const time_t now = time(NULL);
	struct tm utc;
	char date[32];
	gmtime_r(&now, &utc);
	strftime(date, sizeof(date), "%Y-%m-%d", &utc);
	fprintf(out, "%s\t%s\t%s\t", name, run->side[0].text, run->side[1].text);
	for (int k = 0; k < 2; k++)
		fprintf(out, "%lld\t%lld\t%.1f\t%.1f\t", (long long)p->calls[k],
			(long long)p->alone[k].launches, p->alone[k].median_ns, p->alone[k].mad_ns);
	fprintf(out, "%.1f\t%.1f\t%d\t%.0f\t%s\t%s\t%s\n", p->both.median_ns, p->both.mad_ns,
		p->repeats, time_sm_mhz(o->backend), o->visit, date, backend);
	fflush(out);
}

static int time_pair(const struct time_pairs *o, struct machine *m, FILE *out, const char *name,
		     const char *const text[2], int warm_up_ms)
{
	struct pair_run run = { .pair = { .repeats = o->repeat, .warm_up_ms = warm_up_ms } };
	struct machine_thread thread;
	int rc = 0;
	for (int k = 0; !rc && k < 2; k++)
		rc = parse_side(&run.side[k], text[k]) || side_begin(&run.side[k], m) ? -1 : 0;
	for (int k = 0; k < 2; k++)
		run.pair.branch[k] = (struct machine_branch){ .stream = run.side[k].stream,
							      .body = side_body,
							      .arg = &run.side[k] };
	if (!rc)
		rc = m->ops->run(m, 1, pair_body, &run, &thread);
	if (!rc)
		print_row(o, m->ops->name, name, &run, out);
	side_release(&run.side[0]);
	side_release(&run.side[1]);
	m->ops->reset(m);
	return rc;
}

/* Returns 1 when the line names a pair, 0 when blank, -1 after a message. */
static int parse_line(char *line, const char *file, int number, const char **name,
		      const char *text[2])
{
	line[strcspn(line, "#")] = 0;
	char *head = trimmed(line), *colon = strchr(head, ':'),
	     *bar = colon ? strchr(colon, '|') : NULL, *save;
	if (!*head)
		return 0;
	if (!bar)
		return report("%s:%d: not NAME: SIDE | SIDE", file, number);
	*colon = *bar = 0;
	*name = strtok_r(head, " \t", &save);
	if (!*name || strtok_r(NULL, " \t", &save))
		return report("%s:%d: before the colon comes a name, one word", file, number);
	text[0] = colon + 1;
	text[1] = bar + 1;
	return 1;
}

int time_pairs(const struct time_pairs *o, struct machine *m, FILE *out)
{
	const char *text[2] = { o->pair, o->with }, *name = NULL;
	int warm_up_ms = 100 * o->warm_up_ms, bad = 0; /* clocks come up */
	fprintf(out, "pair\ta\tb\ta_calls\ta_launches\ta_alone_ns\ta_mad_ns\tb_calls\tb_"
		     "launches\tb_alone_ns\tb_mad_ns\tboth_ns\tboth_mad_ns\t"
		     "repeats\tsm_mhz\tvisit\tdate\tbackend\n");
	if (!o->list)
		return time_pair(o, m, out, "-", text, warm_up_ms) ? 1 : 0;
	struct lines list;
	if (lines_open(&list, o->list))
		return 1;
	int more;
	struct progress progress;
	progress_begin(&progress, "time: line");
	while ((more = lines_next(&list)) > 0) {
		int kind = parse_line(list.text, o->list, list.number, &name, text);
		if (kind > 0) {
			kind = time_pair(o, m, out, name, text, warm_up_ms);
			if (kind)
				report_warning("%s:%d: not timed: %s", o->list, list.number, name);
			else
				warm_up_ms = o->warm_up_ms;
		}
		bad += kind < 0;
		progress_at(&progress, list.number, 0);
	}
	progress_end(&progress);
	lines_close(&list);
	return bad + (more < 0);
}
