/* SPDX-License-Identifier: MIT
 * warpreel sweep: answers for every point of a grid of configurations. It goes on where it was
 * stopped, works in all cores, and splits into shards that share nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

#include "traces/base/processes.h"
#include "sweep_best.h"
#include "sweep_merge.h"
#include "sweep_work.h"
#include "model/platform/platform_default.h"
#include "traces/base/output.h"
#include "traces/base/util.h"

struct sweep_options {
	struct predictor_options common;
	const char *shard, *best, *output, *draw, *picture, *by;
	struct text_list merge;
	int jobs;
};

#define AT(field) offsetof(struct sweep_options, field)
static const struct option_spec options[] = {
	{ "o", OPTION_TEXT, AT(output), NULL, 0, 0, "FILE",
	  "the table (default: the sweep's name with .tsv); its answers so far are in FILE.sweep" },
	{ "platform", OPTION_TEXT, AT(common.platform), PLATFORM_DEFAULT, 0, 0, "NAME|FILE",
	  "platform of sweeps whose file names none" },
	{ "kernel-model", OPTION_CHOICE, AT(common.kernel_model), NULL, 0, 0,
	  "scaled|warps|roofline|zero", "where kernel times come from (warpreel predict --help)" },
	{ "allow-extrapolation", OPTION_FLAG, AT(common.allow_extrapolation), NULL, 0, 0, NULL,
	  "answer outside the calibrated range too, and say so" },
	{ "shard", OPTION_TEXT, AT(shard), NULL, 0, 0, "I/N",
	  "only every Nth point, from the Ith on" },
	{ "merge", OPTION_LIST, AT(merge), NULL, 0, 0, "FILE.sweep",
	  "join the answers of shards; once for each of them" },
	{ "best", OPTION_TEXT, AT(best), NULL, 0, 0, "COLUMN[,COLUMN]",
	  "print the best configuration for each value of these columns; 'all': of all" },
	{ "draw", OPTION_TEXT, AT(draw), NULL, 0, 0, "X,Y[,Z]",
	  "draw column Y over X, or Z over both as colours (needs gnuplot)" },
	{ "by", OPTION_TEXT, AT(by), "gpus", 0, 0, "COLUMN",
	  "--draw: a curve for each of its values" },
	{ "picture", OPTION_TEXT, AT(picture), NULL, 0, 0, "FILE",
	  "where --draw draws, .svg or .png (default: the table's name with .svg)" },
	{ "jobs", OPTION_INT, AT(jobs), "0", 0, PROCESSES_MOST, "N",
	  "work in so many processes (0: one for each core)" },
	{ 0 },
};

static int parse_shard(const char *text, struct sweep_shard *shard)
{
	char extra;
	*shard = (struct sweep_shard){ 1, 1 };
	if (text && (sscanf(text, "%d/%d%c", &shard->index, &shard->of, &extra) != 2 ||
		     shard->of < 1 || shard->index < 1 || shard->index > shard->of)) {
		report("--shard is I/N with I from 1 to N, not '%s'", text);
		return EXIT_USAGE;
	}
	return 0;
}

struct table {
	FILE *out;
	int64_t rows, answered;
	char note[512]; /* of the first point without an answer */
	uint64_t point;
	uint64_t *run; /* [rows] what each point asks for, as a hash; owned */
	size_t runs, run_capacity;
};

static uint64_t mixed(uint64_t hash, const char *text) /* FNV-1a, the end of the text included */
{
	const char *at = text;
	do
		hash = (hash ^ (unsigned char)*at) * 0x100000001b3;
	while (*at++);
	return hash;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* Points that ask for what another one asks for. */
static int64_t repeated(struct table *t)
{
	int64_t count = 0;
	if (t->runs)
		qsort(t->run, t->runs, sizeof(*t->run), by_value);
	for (size_t k = 1; k < t->runs; k++)
		count += t->run[k] == t->run[k - 1];
	return count;
}

static int print_row(void *arg, const struct sweep_row *row)
{
	struct table *t = arg;
	if (!row->answered && t->rows == t->answered) {
		t->point = row->point;
		snprintf(t->note, sizeof(t->note), "%s", row->note);
	}
	if (row->answered) {
		GROW(t->run, t->runs, t->run_capacity);
		const uint64_t machine = mixed(mixed(0xcbf29ce484222325, row->platform), row->set);
		t->run[t->runs++] =
			mixed(mixed(machine + (uint64_t)row->gpus, row->solver), row->config);
	}
	t->rows++;
	t->answered += row->answered;
	sweep_row_print(t->out, row);
	return ferror(t->out) ? -1 : 0;
}

static int write_table(struct sweep_store *store, const char *path, struct table *t)
{
	struct output output;
	if (output_begin(&output, path))
		return -1;
	t->out = output_open(&output);
	int rc = t->out ? 0 : report("cannot write '%s': %s", path, strerror(errno));
	if (!rc) {
		sweep_row_header(t->out);
		rc = sweep_store_each(store, print_row, t);
		if ((ferror(t->out) | fclose(t->out)) && !rc)
			rc = report("cannot write '%s': %s", path, strerror(errno));
	}
	if (!rc)
		return output_commit(&output);
	output_abandon(&output);
	return -1;
}

extern char **environ;

/* Has plots/sweep.sh draw the table. */
static int draw(const struct sweep_options *o, const char *table)
{
	char *script = xprintf("%s/plots/sweep.sh", util_root());
	char *picture = o->picture ? xstrdup(o->picture) : xprintf("%s.svg", table);
	const char *argv[] = { "sh", script, table, o->draw, picture, o->by, NULL };
	pid_t child;
	int status = 0, error = posix_spawnp(&child, "sh", NULL, NULL, (char **)argv, environ);
	if (!error && waitpid(child, &status, 0) < 0)
		error = errno;
	int rc = error	  ? report("cannot run %s: %s", script, strerror(error))
		 : status ? report("'%s' was not drawn", picture)
			  : 0;
	free(picture);
	free(script);
	return rc;
}

/* The table, what is to be said of it, the best, and a picture. */
static int finish(struct sweep_store *store, const char *path, const struct sweep_options *o)
{
	struct table t = { 0 };
	const int written = write_table(store, path, &t);
	const int64_t again = written ? 0 : repeated(&t);
	free(t.run);
	if (written)
		return -1;
	if (again)
		report_warning("%lld of %lld points ask for the same run as another: a value that "
			       "stands twice, or an option that the run does not depend on",
			       (long long)again, (long long)t.rows);
	if (t.answered < t.rows)
		report_warning("%lld of %lld points have no answer (column note); the first, point "
			       "%llu: %s",
			       (long long)(t.rows - t.answered), (long long)t.rows,
			       (unsigned long long)t.point, t.note);
	if (!t.answered)
		return report("no point of the sweep has an answer");
	if (o->best && sweep_best_print(store, o->best, stdout))
		return -1;
	return o->draw ? draw(o, path) : 0;
}

static int run(const struct program *program, const struct sweep_options *o, const char *file,
	       struct sweep_shard shard)
{
	struct sweep sweep;
	struct sweep_store *store = NULL;
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
	const char *dot = strrchr(base, '.');
	char *table =
		o->output ? xstrdup(o->output)
			  : xprintf("%.*s.tsv", (int)(dot ? dot - base : (long)strlen(base)), base);
	char *path = xprintf("%s.sweep", table), *definition = NULL;
	bool *done = NULL;
	int rc = -1;
	if (sweep_read(&sweep, program, file, o->common.platform) || output_differs(table, file) ||
	    output_check(table))
		goto out;
	for (size_t k = 0; k < sweep.platform.count; k++)
		if (output_differs(table, sweep.platform.value[k]))
			goto out;
	definition = sweep_definition(&sweep);
	store = sweep_store_open(path, definition, sweep.points, shard);
	done = xcalloc(sweep.points, sizeof(*done));
	if (!store || sweep_store_done(store, done) < 0)
		goto out;
	const struct sweep_work work = {
		.program = program,
		.sweep = &sweep,
		.options = &o->common,
		.store = store,
		.done = done,
		.shard = shard,
		.processes = o->jobs ? o->jobs : processes_most(),
	};
	if (!sweep_work_run(&work))
		rc = finish(store, table, o);
out:
	sweep_store_close(store);
	sweep_release(&sweep);
	free(done);
	free(definition);
	free(path);
	free(table);
	return rc;
}

static int merge(const struct sweep_options *o)
{
	char *path = xprintf("%s.sweep", o->output);
	struct sweep_store *store = NULL;
	int rc = -1;
	if (!output_check(o->output))
		store = sweep_merge(&o->merge, path);
	if (store)
		rc = finish(store, o->output, o);
	sweep_store_close(store);
	free(path);
	return rc;
}

int cmd_sweep(const struct program *program, int argc, char **argv)
{
	const struct command_help help = { "sweep", "sweep FILE.ini [options]",
					   "Predicts every point of a grid of configurations." };
	struct sweep_options o = { 0 };
	struct sweep_shard shard;
	int words, rc = options_parse(&help, options, &o, argc, argv, &words);
	if (rc)
		return rc > EXIT_USAGE ? EXIT_OK : rc;
	if (words != (o.merge.count ? 0 : 1)) {
		report(o.merge.count ? "--merge takes no sweep file" : "name one sweep file");
		return EXIT_USAGE;
	}
	if (o.merge.count && !o.output) {
		report("--merge needs -o FILE");
		return EXIT_USAGE;
	}
	if (parse_shard(o.shard, &shard) || (o.best && sweep_best_check(o.best)))
		return EXIT_USAGE;
	rc = o.merge.count ? merge(&o) : run(program, &o, argv[1], shard);
	return rc ? EXIT_BAD : EXIT_OK;
}
