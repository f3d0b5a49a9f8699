/* SPDX-License-Identifier: MIT */
#include "util.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "text_escape.h"

enum { MESSAGE_BYTES = 2048 };

static void vreport(const char *prefix, const char *format, va_list arguments)
{
	char text[MESSAGE_BYTES], safe[MESSAGE_BYTES * TEXT_SHOW_BYTES];
	vsnprintf(text, sizeof(text), format, arguments);
	/* Names out of other people's files are in it; lines and tabs are our own. */
	text_escape(safe, text, "\n\t\\");
	fflush(stdout);
	fprintf(stderr, "warpreel: %s%s\n", prefix, safe);
}

int report(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vreport("", format, arguments);
	va_end(arguments);
	return -1;
}

void report_warning(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vreport("warning: ", format, arguments);
	va_end(arguments);
}

static void *need(void *memory)
{
	if (!memory) {
		report("out of memory");
		quick_exit(EXIT_BAD); /* what is half-written goes (util_install_signal_handlers);
					 nothing else is run, for it may need memory */
	}
	return memory;
}

void *xmalloc(size_t bytes)
{
	return need(malloc(bytes ? bytes : 1));
}

void *xcalloc(size_t count, size_t bytes)
{
	return need(calloc(count ? count : 1, bytes ? bytes : 1));
}

void *xrealloc(void *memory, size_t count, size_t bytes)
{
	size_t total;
	if (__builtin_mul_overflow(count, bytes, &total))
		total = SIZE_MAX;
	return need(realloc(memory, total ? total : 1));
}

char *xstrdup(const char *text)
{
	return need(strdup(text));
}

char *xvprintf(const char *format, va_list arguments)
{
	char *text = NULL;
	int length = vasprintf(&text, format, arguments);
	return need(length < 0 ? NULL : text);
}

char *xprintf(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *text = xvprintf(format, arguments);
	va_end(arguments);
	return text;
}

void *grow(void *array, size_t count, size_t *capacity, size_t element_bytes)
{
	if (count < *capacity)
		return array;
	*capacity = *capacity ? *capacity * 2 : 16;
	return xrealloc(array, *capacity, element_bytes);
}

int parse_i64(const char *text, int64_t *value)
{
	char *end;
	errno = 0;
	long long number = strtoll(text, &end, 10);
	if (end == text || *end || errno)
		return -1;
	*value = number;
	return 0;
}

int parse_double(const char *text, double *value)
{
	char *end;
	errno = 0;
	double number = strtod(text, &end);
	if (end == text || *end || isnan(number))
		return -1;
	*value = number;
	return 0;
}

const char *ini_section_fault(const char *line)
{
	const char *end = strchr(line, ']');
	if (!end)
		return "begins a section and has no ']'";
	end += 1 + strspn(end + 1, " \t\r\n");
	return !*end || *end == '#' || *end == ';' ? NULL : "has more behind the section's ']'";
}

/* Paths to unlink when a signal ends the process that remembered them: fixed storage, since a
 * handler may not allocate. */
static struct {
	volatile sig_atomic_t owner; /* its process; 0: free */
	char path[PATH_MAX];
} remembered[16];

int util_remember_path(const char *path)
{
	for (int i = 0; i < 16; i++) {
		if (remembered[i].owner || strlen(path) >= PATH_MAX)
			continue;
		strcpy(remembered[i].path, path);
		remembered[i].owner = (sig_atomic_t)getpid();
		return i;
	}
	return -1;
}

void util_forget_path(int slot)
{
	if (slot >= 0)
		remembered[slot].owner = 0;
}

static void remove_remembered(void)
{
	const sig_atomic_t here = (sig_atomic_t)getpid();
	for (int i = 0; i < 16; i++)
		if (remembered[i].owner == here)
			unlink(remembered[i].path);
}

static void on_signal(int number)
{
	remove_remembered();
	signal(number, SIG_DFL);
	raise(number);
}

void util_act_on(int number, const struct sigaction *action, struct sigaction *before)
{
	if (sigaction(number, NULL, before) == 0 && before->sa_handler != SIG_IGN)
		sigaction(number, action, NULL);
}

void util_install_signal_handlers(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGPIPE, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal }, before;
	at_quick_exit(remove_remembered);
	for (size_t k = 0; k < sizeof(ends) / sizeof(ends[0]); k++)
		util_act_on(ends[k], &action, &before);
}

int64_t monotonic_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void progress_begin(struct progress *progress, const char *what)
{
	*progress = (struct progress){ .what = what,
				       .started_ns = monotonic_ns(),
				       .terminal = isatty(2) };
}

void progress_at(struct progress *progress, int64_t done, int64_t total)
{
	int64_t now = progress->terminal ? monotonic_ns() : 0;
	if (!progress->terminal || now - progress->started_ns < 2000000000 ||
	    now - progress->printed_ns < 200000000)
		return;
	progress->printed_ns = now;
	progress->shown = true;
	fprintf(stderr, "\r%s: %lld of %lld ", progress->what, (long long)done, (long long)total);
}

void progress_end(struct progress *progress)
{
	if (progress->shown)
		fprintf(stderr, "\r\033[K");
}

const char *util_root(void)
{
	static char root[PATH_MAX];
	if (root[0])
		return root;
	const char *given = getenv("WARPREEL_ROOT");
	if (given && *given && strlen(given) < sizeof(root))
		return strcpy(root, given);
	char program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	if (length < 0)
		return strcpy(root, ".");
	program[length] = 0;
	/* The program sits in build/, build/asan/, or tests of those: go up until the shipped
	 * platforms appear. */
	for (char *slash = strrchr(program, '/'); slash; slash = strrchr(program, '/')) {
		*slash = 0;
		char probe[PATH_MAX + 32];
		snprintf(probe, sizeof(probe), "%s/model/platforms", program);
		if (access(probe, R_OK) == 0)
			return strcpy(root, program);
		snprintf(probe, sizeof(probe), "%s/share/warpreel/model/platforms", program);
		if (access(probe, R_OK) == 0) {
			snprintf(root, sizeof(root), "%.*s/share/warpreel", PATH_MAX - 32, program);
			return root;
		}
	}
	return strcpy(root, ".");
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double quantile_of(const double *values, size_t count, double p)
{
	double *sorted = xmalloc(count * sizeof(*sorted));
	memcpy(sorted, values, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_doubles);
	double at = p * (double)(count - 1);
	size_t low = (size_t)at, high = low + 1 < count ? low + 1 : low;
	double value = sorted[low] + (at - (double)low) * (sorted[high] - sorted[low]);
	free(sorted);
	return value;
}

double median_of(const double *values, size_t count)
{
	return quantile_of(values, count, 0.5);
}

double mean_between(const double *values, size_t count, double from, double to)
{
	double low = quantile_of(values, count, from), high = quantile_of(values, count, to),
	       sum = 0;
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		if (values[i] < low || values[i] > high)
			continue;
		sum += values[i];
		kept++;
	}
	return kept ? sum / (double)kept : quantile_of(values, count, (from + to) / 2);
}

double trimmed_mean_of(const double *values, size_t count)
{
	return mean_between(values, count, 0.05, 0.95);
}

double mad_of(const double *values, size_t count)
{
	double centre = median_of(values, count);
	double *distance = xmalloc(count * sizeof(*distance));
	for (size_t i = 0; i < count; i++)
		distance[i] = fabs(values[i] - centre);
	double mad = median_of(distance, count);
	free(distance);
	return mad;
}

/* One row of the usual table. */
size_t text_edits(const char *a, const char *b)
{
	size_t row[128], length = strlen(b);
	if (length >= sizeof(row) / sizeof(row[0]))
		return SIZE_MAX;
	for (size_t j = 0; j <= length; j++)
		row[j] = j;
	for (size_t i = 1; *a; i++, a++) {
		size_t corner = row[0];
		row[0] = i;
		for (size_t j = 1; j <= length; j++) {
			size_t change = corner + (*a != b[j - 1]), drop = row[j] + 1,
			       add = row[j - 1] + 1;
			corner = row[j];
			row[j] = change < drop ? change : drop;
			row[j] = add < row[j] ? add : row[j];
		}
	}
	return row[length];
}

const char *text_near(const char *name, const char *best, const char *other)
{
	size_t most = strlen(name) < 3 ? 0 : strlen(name) < 6 ? 1 : 2, by = text_edits(name, other);
	return by <= most && (!best || by < text_edits(name, best)) ? other : best;
}

int split_tabs(char *line, char *field[], int most)
{
	int count = 0;
	line[strcspn(line, "\r\n")] = 0;
	for (char *at = line; at && count < most; count++) {
		field[count] = at;
		at = strchr(at, '\t');
		if (at)
			*at++ = 0;
	}
	return count;
}
