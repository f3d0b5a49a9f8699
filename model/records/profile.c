/* SPDX-License-Identifier: MIT */
#include "profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/views/launch_gaps.h"
#include "traces/base/util.h"

struct sample {		 /* one recorded launch */
	uint32_t kernel; /* string index */
	int64_t rows, columns;
	struct profile_form form;
	double duration_ns, gap_ns;
};

void profile_init(struct profile *profile)
{
	memset(profile, 0, sizeof(*profile));
	profile->source = xstrdup("");
}

void profile_release(struct profile *profile)
{
	for (size_t k = 0; k < profile->kernel_count; k++) {
		free(profile->kernel[k].name);
		free(profile->kernel[k].row);
	}
	free(profile->kernel);
	free(profile->source);
	memset(profile, 0, sizeof(*profile));
}

static struct profile_kernel *kernel_named(struct profile *profile, const char *name, bool make)
{
	for (size_t k = 0; k < profile->kernel_count; k++)
		if (!strcmp(profile->kernel[k].name, name))
			return &profile->kernel[k];
	if (!make)
		return NULL;
	GROW(profile->kernel, profile->kernel_count, profile->kernel_capacity);
	struct profile_kernel *kernel = &profile->kernel[profile->kernel_count++];
	*kernel = (struct profile_kernel){ .name = xstrdup(name) };
	return kernel;
}

static int compare_forms(const struct profile_form *a, const struct profile_form *b)
{
	if (a->threads != b->threads)
		return a->threads < b->threads ? -1 : 1;
	return (a->shared_bytes > b->shared_bytes) - (a->shared_bytes < b->shared_bytes);
}

static int compare_samples(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;
	if (x->kernel != y->kernel)
		return x->kernel < y->kernel ? -1 : 1;
	if (x->columns != y->columns)
		return x->columns < y->columns ? -1 : 1;
	if (x->rows != y->rows)
		return x->rows < y->rows ? -1 : 1;
	const int forms = compare_forms(&x->form, &y->form);
	if (forms)
		return forms;
	return (x->duration_ns > y->duration_ns) - (x->duration_ns < y->duration_ns);
}

static int compare_rows(const void *a, const void *b)
{
	const struct profile_row *x = a, *y = b;
	if (x->columns != y->columns)
		return x->columns < y->columns ? -1 : 1;
	if (x->rows != y->rows)
		return x->rows < y->rows ? -1 : 1;
	return compare_forms(&x->form, &y->form);
}

static int compare_footprints(const void *a, const void *b)
{
	const struct trace_footprint *x = a, *y = b;
	if (x->global_pid != y->global_pid)
		return x->global_pid < y->global_pid ? -1 : 1;
	return (x->correlation > y->correlation) - (x->correlation < y->correlation);
}

/* A launch counts when it happened within a run on few enough GPUs; the warm-up before it is left
 * out. */
static bool in_run(const struct trace *trace, int64_t start_ns, int most_gpus)
{
	size_t low = 0, high = trace->run_count; /* runs are in time order */
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (trace->run[middle].start_ns <= start_ns)
			low = middle + 1;
		else
			high = middle;
	}
	const struct trace_run *run = low ? &trace->run[low - 1] : NULL;
	return run && run->gpus <= most_gpus && (run->end_ns < 0 || start_ns <= run->end_ns);
}

static size_t collect_samples(const struct trace *trace, struct sample *sample, int most_gpus)
{
	int64_t *gap_ns = launch_gaps(trace);
	struct trace_footprint *sorted = xmalloc((trace->footprint_count + 1) * sizeof(*sorted));
	memcpy(sorted, trace->footprint, trace->footprint_count * sizeof(*sorted));
	qsort(sorted, trace->footprint_count, sizeof(*sorted), compare_footprints);
	size_t count = 0;
	for (size_t k = 0; k < trace->kernel_count; k++) {
		const struct trace_kernel *kernel = &trace->kernel[k];
		struct trace_footprint key = { .correlation = kernel->correlation,
					       .global_pid = kernel->global_pid };
		const struct trace_footprint *f = bsearch(&key, sorted, trace->footprint_count,
							  sizeof(*sorted), compare_footprints);
		if (!f || f->rows < 1 || f->columns < 1 || kernel->start_ns < 0 ||
		    kernel->end_ns <= kernel->start_ns ||
		    !in_run(trace, kernel->start_ns, most_gpus))
			continue;
		const struct profile_form form =
			profile_form_of(kernel->block, kernel->dynamic_shared_bytes);
		sample[count++] = (struct sample){ f->kernel,
						   f->rows,
						   f->columns,
						   form,
						   (double)(kernel->end_ns - kernel->start_ns),
						   (double)gap_ns[k] };
	}
	free(sorted);
	free(gap_ns);
	return count;
}

static double mean_of_two(double a, double a_weight, double b, double b_weight)
{
	return (a * a_weight + b * b_weight) / (a_weight + b_weight);
}

/* Two records as one, weighted by launches. */
static void merge(struct profile_row *into, const struct profile_row *row)
{
	const double had = (double)into->launches, more = (double)row->launches;
	into->duration_ns = mean_of_two(into->duration_ns, had, row->duration_ns, more);
	if (row->gap_ns >= 0)
		into->gap_ns = into->gap_ns < 0 ? row->gap_ns
						: mean_of_two(into->gap_ns, had, row->gap_ns, more);
	into->launches += row->launches;
}

/* A shape that several traces recorded: one row, so that rows differ and can be interpolated
 * between. */
static void merge_equal(struct profile_kernel *kernel)
{
	size_t kept = 0;
	for (size_t k = 0; k < kernel->row_count; k++) {
		const struct profile_row *row = &kernel->row[k];
		if (kept && !compare_rows(&kernel->row[kept - 1], row))
			merge(&kernel->row[kept - 1], row);
		else
			kernel->row[kept++] = *row;
	}
	kernel->row_count = kept;
}

void profile_add_row(struct profile *profile, const char *name, const struct profile_row *row)
{
	struct profile_kernel *kernel = kernel_named(profile, name, true);
	GROW(kernel->row, kernel->row_count, kernel->row_capacity);
	struct profile_row *added = &kernel->row[kernel->row_count++];
	*added = *row;
	added->log_points = log((double)row->rows * (double)row->columns);
}

static bool same_shape(const struct profile_row *a, const struct profile_row *b)
{
	return a->rows == b->rows && a->columns == b->columns;
}

static void tell_choices(struct profile_kernel *kernel)
{
	bool threads_differ = false, shared_differs = false;
	kernel->threads_follow = kernel->shared_follows = true;
	for (size_t k = 1; k < kernel->row_count; k++) {
		const struct profile_row *a = &kernel->row[k - 1], *b = &kernel->row[k];
		const bool threads = a->form.threads != b->form.threads,
			   shared = a->form.shared_bytes != b->form.shared_bytes;
		threads_differ |= threads;
		shared_differs |= shared;
		kernel->threads_follow &= !(same_shape(a, b) && threads);
		kernel->shared_follows &= !(same_shape(a, b) && shared && !threads);
	}
	kernel->threads_follow &= threads_differ;
	kernel->shared_follows &= shared_differs;
}

/* Of each kernel the rows in their order, each shape and form once. */
static void settle(struct profile *profile)
{
	for (size_t k = 0; k < profile->kernel_count; k++) {
		qsort(profile->kernel[k].row, profile->kernel[k].row_count,
		      sizeof(struct profile_row), compare_rows);
		merge_equal(&profile->kernel[k]);
		tell_choices(&profile->kernel[k]);
	}
}

void profile_end_file(struct profile *profile, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *source = xprintf("%s%s%s", profile->source, *profile->source ? "," : "",
			       slash ? slash + 1 : path);
	settle(profile);
	free(profile->source);
	profile->source = source;
}

/* How many launches were added. */
static size_t add_launches(struct profile *profile, const struct trace *trace, int most_gpus)
{
	if (!trace->footprint_count)
		return 0;
	struct sample *sample = xmalloc((trace->kernel_count + 1) * sizeof(*sample));
	size_t count = collect_samples(trace, sample, most_gpus);
	qsort(sample, count, sizeof(*sample), compare_samples);
	double *duration = xmalloc((count + 1) * sizeof(*duration)),
	       *gap = xmalloc((count + 1) * sizeof(*gap));
	for (size_t from = 0; from < count;) {
		size_t to = from, gaps = 0;
		while (to < count && sample[to].kernel == sample[from].kernel &&
		       sample[to].columns == sample[from].columns &&
		       sample[to].rows == sample[from].rows &&
		       !compare_forms(&sample[to].form, &sample[from].form)) {
			duration[to - from] = sample[to].duration_ns;
			if (sample[to].gap_ns >= 0)
				gap[gaps++] = sample[to].gap_ns;
			to++;
		}
		const struct profile_row row = {
			.rows = sample[from].rows,
			.columns = sample[from].columns,
			.form = sample[from].form,
			.launches = (int64_t)(to - from),
			.duration_ns = trimmed_mean_of(duration, to - from),
			.gap_ns = gaps ? trimmed_mean_of(gap, gaps) : -1,
		};
		profile_add_row(profile, trace_text(trace, sample[from].kernel), &row);
		from = to;
	}
	settle(profile);
	free(duration);
	free(gap);
	free(sample);
	return count;
}

int profile_add_trace(struct profile *profile, const struct trace *trace, int most_gpus)
{
	if (add_launches(profile, trace, most_gpus))
		return 0;
	return report("'%s' holds no one-GPU run with data footprints: it cannot serve as a "
		      "profile",
		      trace->path ? trace->path : "trace");
}

void profile_add_own(struct profile *profile, const struct trace *trace)
{
	add_launches(profile, trace, INT32_MAX);
}

int profile_add_file(struct profile *profile, const char *path)
{
	struct trace trace;
	trace_init(&trace);
	int rc = trace_read(&trace, path, 0);
	if (!rc)
		rc = profile_add_trace(profile, &trace, 1);
	if (!rc)
		profile_end_file(profile, path);
	trace_release(&trace);
	return rc;
}

/* Rows [from, to) have one column count, ascending in rows. Log-log in rows; *outside when beyond
 * the ends. */
static double along_rows(const struct profile_row *row, size_t from, size_t to, double rows,
			 bool *outside)
{
	*outside = rows < (double)row[from].rows * 0.999 || rows > (double)row[to - 1].rows * 1.001;
	if (to - from == 1)
		return row[from].duration_ns * (*outside && rows > (double)row[from].rows
							? rows / (double)row[from].rows
							: 1);
	size_t high = from + 1;
	while (high + 1 < to && (double)row[high].rows < rows)
		high++;
	const struct profile_row *a = &row[high - 1], *b = &row[high];
	double at = log(rows / (double)a->rows) / log((double)b->rows / (double)a->rows);
	if (at < 0)
		at = 0; /* below the smallest shape a kernel gets no cheaper than the smallest */
	return a->duration_ns * pow(b->duration_ns / a->duration_ns, at);
}

static bool fits(const struct profile_kernel *kernel, const struct profile_form *has,
		 const struct profile_form *wanted)
{
	if (!wanted->threads || !has->threads)
		return true;
	return (kernel->threads_follow || has->threads == wanted->threads) &&
	       (kernel->shared_follows || has->shared_bytes == wanted->shared_bytes);
}

/* Between the least and the most that followed from a shape. */
static bool within(const struct profile_kernel *kernel, const struct profile_form *wanted)
{
	struct profile_form least = kernel->row[0].form, most = least;
	for (size_t k = 1; k < kernel->row_count; k++) {
		const struct profile_form *f = &kernel->row[k].form;
		least.threads = f->threads < least.threads ? f->threads : least.threads;
		most.threads = f->threads > most.threads ? f->threads : most.threads;
		least.shared_bytes =
			f->shared_bytes < least.shared_bytes ? f->shared_bytes : least.shared_bytes;
		most.shared_bytes =
			f->shared_bytes > most.shared_bytes ? f->shared_bytes : most.shared_bytes;
	}
	return !wanted->threads || !least.threads ||
	       (wanted->threads >= least.threads && wanted->threads <= most.threads &&
		wanted->shared_bytes >= least.shared_bytes &&
		wanted->shared_bytes <= most.shared_bytes);
}

/* The rows of that form, of shapes that had several the mean; owned by the caller. */
static struct profile_row *rows_in_form(const struct profile_kernel *kernel,
					const struct profile_form *form, size_t *count)
{
	struct profile_row *row = xmalloc((kernel->row_count + 1) * sizeof(*row));
	*count = 0;
	if (form && !within(kernel, form))
		return row;
	for (size_t k = 0; k < kernel->row_count; k++) {
		if (form && !fits(kernel, &kernel->row[k].form, form))
			continue;
		if (*count && same_shape(&row[*count - 1], &kernel->row[k]))
			merge(&row[*count - 1], &kernel->row[k]);
		else
			row[(*count)++] = kernel->row[k];
	}
	return row;
}

/* Level by level (equal columns): the two levels around `columns`, each asked at the same number of
 * points. */
static double between(const struct profile_row *row, size_t count, int64_t rows, int64_t columns,
		      bool *outside)
{
	double points = (double)rows * (double)columns, low_ns = -1, high_ns = -1, low_columns = 0,
	       high_columns = 0;
	bool low_outside = true, high_outside = true;
	for (size_t from = 0, to; from < count; from = to) {
		to = from;
		while (to < count && row[to].columns == row[from].columns)
			to++;
		double level = (double)row[from].columns;
		bool beyond;
		double ns = along_rows(row, from, to, points / level, &beyond);
		if (level <= (double)columns) {
			low_ns = ns;
			low_columns = level;
			low_outside = beyond;
		}
		if (level >= (double)columns && high_ns < 0) {
			high_ns = ns;
			high_columns = level;
			high_outside = beyond;
		}
	}
	if (low_ns > 0 && high_ns > 0 && !(low_outside ^ high_outside)) {
		double at = high_columns > low_columns ? log((double)columns / low_columns) /
								 log(high_columns / low_columns)
						       : 0;
		*outside = low_outside;
		return low_ns * pow(high_ns / low_ns, at);
	}
	if (low_ns > 0 && (high_ns < 0 || !low_outside)) {
		*outside = low_outside || high_ns < 0;
		return low_ns;
	}
	*outside = high_outside || low_ns < 0;
	return high_ns;
}

bool profile_has(const struct profile *profile, const char *name, const struct profile_form *form)
{
	const struct profile_kernel *kernel = kernel_named((struct profile *)profile, name, false);
	bool any = false;
	if (!kernel || !kernel->row_count || !within(kernel, form))
		return false;
	for (size_t k = 0; k < kernel->row_count && !any; k++)
		any = fits(kernel, &kernel->row[k].form, form);
	return any;
}

int profile_lookup(const struct profile *profile, const char *name, int64_t rows, int64_t columns,
		   struct profile_form *form, double *duration_ns, bool *outside)
{
	const struct profile_kernel *kernel = kernel_named((struct profile *)profile, name, false);
	const bool any = kernel && kernel->row_count && rows >= 1 && columns >= 1;
	size_t count = 0;
	struct profile_row *row = any ? rows_in_form(kernel, form, &count) : NULL;
	if (count)
		*duration_ns = between(row, count, rows, columns, outside);
	else if (form)
		*form = any ? kernel->row[0].form : (struct profile_form){ -1, 0 };
	free(row);
	return count ? 0 : -1;
}

double profile_gap(const struct profile *profile, const char *name, int64_t rows, int64_t columns)
{
	const struct profile_kernel *kernel = kernel_named((struct profile *)profile, name, false);
	double best = INFINITY, gap_ns = -1, points = log((double)rows * (double)columns);
	for (size_t k = 0; kernel && k < kernel->row_count; k++) {
		const struct profile_row *row = &kernel->row[k];
		if (row->gap_ns < 0)
			continue;
		double far = fabs(row->log_points - points);
		if (!(far < best))
			continue;
		far += 0.01 * fabs(log((double)row->columns / (double)columns));
		if (far < best) {
			best = far;
			gap_ns = row->gap_ns;
		}
	}
	return gap_ns;
}
