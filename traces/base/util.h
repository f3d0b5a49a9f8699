/* SPDX-License-Identifier: MIT
 * The few things every room needs: messages, memory that is there or ends the program, files that
 * appear whole or not at all, progress.
 *
 * Conventions used everywhere in warpreel:
 *   - functions that can fail on input return 0, or -1 after ONE message at the place that knows
 * file and record;
 *   - programming errors are assert()ed; out of memory ends the program with a message and
 * EXIT_BAD;
 *   - commands return the process exit code: EXIT_OK, EXIT_BAD (input, machine, data), EXIT_USAGE.
 */
#ifndef WARPREEL_UTIL_H
#define WARPREEL_UTIL_H

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { EXIT_OK = 0, EXIT_BAD = 1, EXIT_USAGE = 2, EXIT_NOT_CONVERGED = 3 };

/* Prints "warpreel: <message>\n" to stderr; returns -1 so that callers can `return report(...)`. */
int report(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same with "warning: "; returns nothing and fails nothing. */
void report_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Allocation that ends the program with a message when there is no memory; half-written outputs go.
 * Free with free(). */
void *xmalloc(size_t bytes);
/* Cuts a line at its tabs, in place, and its line end off. At most `most` fields; returns how many.
 */
int split_tabs(char *line, char *field[], int most);

void *xcalloc(size_t count, size_t bytes);
void *xrealloc(void *memory, size_t count, size_t bytes);
char *xstrdup(const char *text);
char *xvprintf(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));
char *xprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Makes room for one more element in a growing array; returns the (moved) array. */
void *grow(void *array, size_t count, size_t *capacity, size_t element_bytes);
#define GROW(array, count, capacity)                                                               \
	((array) = grow((array), (count), &(capacity), sizeof(*(array))))

/* Text to number, whole text, no overflow. Return 0, or -1 without a message (the caller knows the
 * context). */
int parse_i64(const char *text, int64_t *value);
int parse_double(const char *text, double *value);
/* What is wrong with a line of an .ini file that begins with '[', in words that go on "line N ";
 * NULL: nothing. The parser would read on as if that line were not there, or without its end. */
const char *ini_section_fault(const char *line);

/* Interrupted, hung up or out of memory, the program removes what it remembered (output.h). */
void util_install_signal_handlers(void);
/* Takes a signal, unless it was ignored when the program was started: as nohup and a shell's
 * background jobs have it, who mean it. */
void util_act_on(int number, const struct sigaction *action, struct sigaction *before);
/* Registers a path to be unlinked when a signal as above ends this process, not one it forks;
 * returns a slot for util_forget_path, or -1 when all are taken. */
int util_remember_path(const char *path);
void util_forget_path(int slot);

/* Progress on stderr, only when it is a terminal and only after two seconds. `done` of `total`. */
struct progress {
	const char *what;
	int64_t started_ns, printed_ns;
	bool terminal, shown;
};
void progress_begin(struct progress *progress, const char *what);
void progress_at(struct progress *progress, int64_t done, int64_t total);
void progress_end(struct progress *progress);

/* CLOCK_MONOTONIC in nanoseconds: the host clock of every measurement. */
int64_t monotonic_ns(void);

/* Directory holding shipped files (model/, traces/): $WARPREEL_ROOT, else found beside or above the
 * program. Static storage. */
const char *util_root(void);

/* How many letters are put in, taken out or changed between two texts; SIZE_MAX when b is long. */
size_t text_edits(const char *a, const char *b);
/* What may have been meant by `name`: `other` where it is as good as the same and nearer than
 * `best` (NULL: nothing yet), else `best`. */
const char *text_near(const char *name, const char *best, const char *other);

/* Medians on a scratch copy; values must be finite, count > 0. quantile p in [0,1], linear between
 * order statistics. */
double median_of(const double *values, size_t count);
/* For a maximum in which a NaN shows, wherever it stood. */
static inline double larger_or_nan(double a, double b)
{
	return a >= b || a != a ? a : b;
}
double quantile_of(const double *values, size_t count, double p);
/* Mean of what lies between two quantiles; the quantile in their middle when nothing does. */
double mean_between(const double *values, size_t count, double from, double to);
/* Mean of what lies between the 5 % and the 95 % quantile: for costs that add up, whose outliers
 * are not theirs. */
double trimmed_mean_of(const double *values, size_t count);
double mad_of(const double *values, size_t count); /* median absolute deviation, not scaled */

#endif
