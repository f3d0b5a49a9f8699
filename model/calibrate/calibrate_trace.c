/* SPDX-License-Identifier: MIT
 * The trace pass: the calls and chains of the calibration once more, under the recorder. The
 * untraced period, the traced period and what the recorder wrote down of the same loop together say
 * what the tracer adds and what its records leave out.
 *
 * The measuring process tells the recorder which loop it is in ("phase=host.launch_ns x=4"), so
 * records are found by time.
 */
#include "calibrate_results.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "traces/format/trace.h"
#include "traces/base/util.h"
#include "model/platform/platform.h"

/* Which API record belongs to which cost; names without their version suffix. */
static const struct {
	int cost;
	const char *call;
} recorded_calls[] = {
	{ HOST_LAUNCH, "cudaLaunchKernel" },	     { HOST_LAUNCH_IDLE, "cudaLaunchKernel" },
	{ HOST_RECORD, "cudaEventRecord" },	     { HOST_WAIT, "cudaStreamWaitEvent" },
	{ HOST_COPY_H2D, "cudaMemcpyAsync" },	     { HOST_COPY_D2H, "cudaMemcpyAsync" },
	{ HOST_COPY_PEER, "cudaMemcpyPeerAsync" },   { HOST_COPY_D2D, "cudaMemcpyAsync" },
	{ HOST_MEMSET, "cudaMemsetAsync" },	     { HOST_SYNC_IDLE, "cudaStreamSynchronize" },
	{ HOST_SYNC_WAKE, "cudaStreamSynchronize" },
};

struct durations {
	double *ns;
	size_t count, capacity;
};

static void durations_add(struct durations *durations, int64_t start_ns, int64_t end_ns)
{
	if (start_ns < 0 || end_ns < start_ns)
		return;
	GROW(durations->ns, durations->count, durations->capacity);
	durations->ns[durations->count++] = (double)(end_ns - start_ns);
}

/* The window of a phase; NULL when the recorder was not told. */
static const struct trace_run *find_window(const struct trace *trace, const char *phase, double x)
{
	char *config = xprintf("phase=%s x=%.17g", phase, x);
	const struct trace_run *found = NULL;
	for (size_t i = 0; i < trace->run_count && !found; i++)
		if (!strcmp(trace_text(trace, trace->run[i].config), config) &&
		    trace->run[i].end_ns >= 0)
			found = &trace->run[i];
	free(config);
	return found;
}

/* Median and MAD of a phase's durations; NaN when there are none. */
static double summarise(struct durations *durations, double *spread)
{
	double value = durations->count ? median_of(durations->ns, durations->count) : NAN;
	*spread = durations->count ? mad_of(durations->ns, durations->count) : NAN;
	free(durations->ns);
	*durations = (struct durations){ 0 };
	return value;
}

static bool is_call(const struct trace *trace, const struct trace_api *row, const char *call)
{
	const char *name = trace_text(trace, row->name);
	size_t length = strlen(call);
	return !strncmp(name, call, length) && (!name[length] || !strncmp(name + length, "_v", 2) ||
						!strncmp(name + length, "_ptsz", 5));
}

static double api_duration(const struct trace *trace, const struct trace_run *window,
			   const char *call, double *spread)
{
	struct durations durations = { 0 };
	for (size_t i = 0; i < trace->api_count; i++) {
		const struct trace_api *row = &trace->api[i];
		if (row->start_ns >= window->start_ns && row->end_ns <= window->end_ns &&
		    is_call(trace, row, call))
			durations_add(&durations, row->start_ns, row->end_ns);
	}
	return summarise(&durations, spread);
}

static double kernel_duration(const struct trace *trace, const struct trace_run *window,
			      double *spread)
{
	struct durations durations = { 0 };
	for (size_t i = 0; i < trace->kernel_count; i++) {
		const struct trace_kernel *row = &trace->kernel[i];
		if (row->start_ns >= window->start_ns && row->end_ns <= window->end_ns &&
		    strstr(trace_text(trace, row->demangled_name), "calibrate_period"))
			durations_add(&durations, row->start_ns, row->end_ns);
	}
	return summarise(&durations, spread);
}

/* tracer.api_*: for every cost that is one CUDA call, over the numbers of threads. */
static int add_api_durations(struct results *results, const struct trace *trace)
{
	const struct result *threads = results_find(results, "host.threads");
	for (size_t c = 0; c < sizeof(recorded_calls) / sizeof(recorded_calls[0]); c++) {
		const char *cost = host_cost_key[recorded_calls[c].cost];
		char *phase = xprintf("host.%s", cost), *key = xprintf("tracer.api_%s", cost);
		double values[64], spread[64];
		int rc = 0;
		for (size_t n = 0;
		     results_find(results, phase) && n < threads->count && n < 64 && !rc; n++) {
			const struct trace_run *window =
				find_window(trace, phase, threads->values[n]);
			values[n] = window ? api_duration(trace, window, recorded_calls[c].call,
							  &spread[n])
					   : NAN;
			if (isnan(values[n]))
				rc = report("trace pass: no record of %s in the loop of %s with %g "
					    "threads",
					    recorded_calls[c].call, phase, threads->values[n]);
		}
		if (!rc && results_find(results, phase))
			results_add(results, key, values, spread, threads->count,
				    "median duration of the call's records in that loop");
		free(phase);
		free(key);
		if (rc)
			return -1;
	}
	return 0;
}

struct gap {
	double duration_ns, gap_ns, spread_ns;
};

static int compare_gaps(const void *a, const void *b)
{
	const struct gap *x = a, *y = b;
	return (x->duration_ns > y->duration_ns) - (x->duration_ns < y->duration_ns);
}

/* The curve needs ascending durations; sizes too small to tell apart are one point. */
static void add_gaps(struct results *results, const double *duration_ns, const double *spread_ns,
		     const char *how)
{
	const struct result *period = results_find(results, "stream.period_ns");
	struct gap gap[64];
	double x[64], y[64], spread[64];
	size_t count = period->count < 64 ? period->count : 64, points = 0;
	for (size_t i = 0; i < count; i++)
		gap[i] = (struct gap){ duration_ns[i], period->values[i] - duration_ns[i],
				       period->spread[i] + spread_ns[i] };
	qsort(gap, count, sizeof(gap[0]), compare_gaps);
	for (size_t i = 0, next; i < count; i = next) {
		double sum_x = 0, sum_y = 0, widest = 0;
		for (next = i;
		     next < count && gap[next].duration_ns <= gap[i].duration_ns * 1.005 + 1;
		     next++) {
			sum_x += gap[next].duration_ns;
			sum_y += gap[next].gap_ns;
			widest = fmax(widest, gap[next].spread_ns);
		}
		x[points] = fmax(sum_x / (double)(next - i), 1);
		y[points] = sum_y / (double)(next - i);
		spread[points++] = widest;
	}
	results_add(results, "stream.kernel_gap_duration_ns", x, NULL, points, how);
	results_add(results, "stream.kernel_gap_ns", y, spread, points,
		    "untraced stream.period_ns less that duration");
}

static int add_recorded_periods(struct results *results, const struct trace *trace)
{
	const struct result *bytes = results_find(results, "stream.period_bytes");
	double values[64], spread[64];
	for (size_t i = 0; i < bytes->count && i < 64; i++) {
		const struct trace_run *window =
			find_window(trace, "stream.period_ns", bytes->values[i]);
		values[i] = window ? kernel_duration(trace, window, &spread[i]) : NAN;
		if (isnan(values[i]))
			return report("trace pass: no record of the kernels of stream.period_ns "
				      "with %.0f bytes",
				      bytes->values[i]);
	}
	results_add(results, "tracer.recorded_period_ns", values, spread, bytes->count,
		    "median duration in the kernels' records");
	add_gaps(results, values, spread,
		 "durations the recorder gave the kernels of stream.period_ns");
	return 0;
}

static int compare_calls(const void *a, const void *b)
{
	const struct trace_api *x = a, *y = b;
	return (x->correlation > y->correlation) - (x->correlation < y->correlation);
}

/* Launch call's end to kernel's begin in the loop of stream.start_latency_ns: what its flag through
 * host memory cannot show. */
static void add_recorded_start(struct results *results, const struct trace *trace)
{
	const struct trace_run *window = find_window(trace, "stream.start_latency_ns", 1);
	struct trace_api *call = xmalloc((trace->api_count + 1) * sizeof(*call));
	size_t calls = 0;
	struct durations durations = { 0 };
	for (size_t i = 0; window && i < trace->api_count; i++)
		if (trace->api[i].start_ns >= window->start_ns &&
		    trace->api[i].end_ns <= window->end_ns)
			call[calls++] = trace->api[i];
	qsort(call, calls, sizeof(*call), compare_calls);
	for (size_t i = 0; window && i < trace->kernel_count; i++) {
		const struct trace_api wanted = { .correlation = trace->kernel[i].correlation };
		const struct trace_api *found =
			bsearch(&wanted, call, calls, sizeof(*call), compare_calls);
		if (found)
			durations_add(&durations, found->end_ns, trace->kernel[i].start_ns);
	}
	double spread, value = summarise(&durations, &spread);
	if (!isnan(value))
		results_add(results, "tracer.recorded_start_latency_ns", &value, &spread, 1,
			    "launches on an idle stream, as recorded");
	free(call);
}

/* In the same loop, such a kernel's end to the return of the synchronisation that waited for it. */
static void add_recorded_wake(struct results *results, const struct trace *trace)
{
	const struct trace_run *window = find_window(trace, "stream.start_latency_ns", 1);
	struct durations durations = { 0 };
	for (size_t i = 0; window && i < trace->api_count; i++) {
		const struct trace_api *wait = &trace->api[i];
		if (wait->start_ns < window->start_ns || wait->end_ns > window->end_ns ||
		    !is_call(trace, wait, "cudaStreamSynchronize"))
			continue;
		for (size_t k = 0; k < trace->kernel_count; k++) {
			const int64_t end_ns = trace->kernel[k].end_ns;
			if (end_ns > wait->start_ns && end_ns < wait->end_ns)
				durations_add(&durations, end_ns, wait->end_ns);
		}
	}
	double spread, value = summarise(&durations, &spread);
	if (!isnan(value))
		results_add(results, "tracer.recorded_wake_ns", &value, &spread, 1,
			    "kernels on an idle stream that were waited for, as recorded");
}

void calibrate_gap_from_events(struct results *results)
{
	const struct result *duration = results_find(results, "stream.event_duration_ns");
	if (duration && results_find(results, "stream.period_ns"))
		add_gaps(results, duration->values, duration->spread,
			 "NOT from the recorder, which did not run: durations between events "
			 "around one kernel");
}

/* host.X -> tracer.traced_X, stream.X -> tracer.stream_X, for what the table knows. */
static void add_traced_periods(struct results *results, const struct results *traced)
{
	static const char *const streams[] = { "start_latency_ns", "copy_start_latency_ns",
					       "record_ns",	   "wait_ns",
					       "event_same_ns",	   "event_peer_ns",
					       "period_ns" };
	for (int kind = 0; kind < HOST_COST_COUNT + (int)(sizeof(streams) / sizeof(streams[0]));
	     kind++) {
		bool host = kind < HOST_COST_COUNT;
		const char *name = host ? host_cost_key[kind] : streams[kind - HOST_COST_COUNT];
		char *key = xprintf("%s.%s", host ? "host" : "stream", name);
		char *traced_key = xprintf("tracer.%s_%s", host ? "traced" : "stream", name);
		const struct result *found = results_find(traced, key);
		if (found && results_find(results, key) &&
		    found->count == results_find(results, key)->count)
			results_add(results, traced_key, found->values, found->spread, found->count,
				    "the same loop under the recorder");
		free(key);
		free(traced_key);
	}
}

/* tracer.traced_query_ns and tracer.api_query_ns: of calls without rows; the next call of their
 * thread says what they took. */
static void add_queries(struct results *results, const struct results *traced,
			const struct trace *trace)
{
	const struct result *period = results_find(traced, "host.query_ns");
	const struct trace_run *window = find_window(trace, "host.query_ns", 0);
	struct durations durations = { 0 };
	for (size_t i = 0; window && i < trace->api_count; i++) {
		const struct trace_api *row = &trace->api[i];
		if (row->start_ns >= window->start_ns && row->end_ns <= window->end_ns &&
		    row->queries)
			durations_add(&durations, 0, row->queries_ns / row->queries);
	}
	double spread, value = summarise(&durations, &spread);
	if (!period || isnan(value) || !results_find(results, "host.query_ns"))
		return;
	results_add(results, "tracer.traced_query_ns", period->values, period->spread,
		    period->count, "the same loop under the recorder");
	results_add(results, "tracer.api_query_ns", &value, &spread, 1,
		    "mean duration of the calls' records of a batch, median of the batches");
}

/* tracer.block_ns: of a turn of blocks, what it takes more under the recorder. */
static void add_block(struct results *results, const struct results *traced)
{
	const struct result *plain = results_find(results, "stream.turn_ns"),
			    *found = results_find(traced, "stream.turn_ns");
	double *more, value, spread = 0;
	if (!plain || !found || plain->count != found->count || !plain->count)
		return;
	more = xmalloc(plain->count * sizeof(*more));
	for (size_t i = 0; i < plain->count; i++)
		more[i] = found->values[i] - plain->values[i];
	value = quantile_of(more, plain->count, 0.5);
	for (size_t i = 0; i < plain->count; i++)
		more[i] = fabs(more[i] - value);
	spread = quantile_of(more, plain->count, 0.5);
	if (value > 0)
		results_add(results, "tracer.block_ns", &value, &spread, 1,
			    "stream.turn_ns under the recorder less untraced, median of its "
			    "kernels");
	free(more);
}

/* What only the recorder's presence costs. */
static void add_note_costs(struct results *results, const struct results *traced)
{
	static const char *const name[] = { "note_host_op_ns", "note_footprint_ns" };
	for (size_t k = 0; k < sizeof(name) / sizeof(name[0]); k++) {
		char *key = xprintf("stream.%s", name[k]),
		     *traced_key = xprintf("tracer.stream_%s", name[k]);
		const struct result *found = results_find(traced, key);
		if (found)
			results_add(results, traced_key, found->values, found->spread, found->count,
				    "telling the recorder about one operation");
		free(key);
		free(traced_key);
	}
}

/* Runs argv to its end, or for limit_s at most; its output goes nowhere, its messages to ours. */
static int run_child(char *const argv[], double limit_s)
{
	extern char **environ;
	posix_spawn_file_actions_t actions;
	pid_t child;
	int status = 0;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	int error = posix_spawn(&child, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error)
		return report("cannot run '%s': %s", argv[0], strerror(error));
	int64_t until_ns = monotonic_ns() + (int64_t)(1e9 * limit_s);
	for (;;) {
		pid_t done = waitpid(child, &status, WNOHANG);
		if (done == child)
			break;
		if (done < 0 && errno != EINTR)
			return report("cannot wait for '%s': %s", argv[0], strerror(errno));
		if (monotonic_ns() > until_ns) {
			kill(child, SIGTERM);
			nanosleep(&(struct timespec){ .tv_sec = 2 }, NULL);
			kill(child, SIGKILL);
			waitpid(child, &status, 0);
			return report("trace pass: not done after %.0f s", limit_s);
		}
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return report("trace pass: '%s %s' failed (%s %d)", argv[0], argv[1],
			      WIFEXITED(status) ? "exit code" : "signal",
			      WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	return 0;
}

static int add_pass(struct results *results, const char *raw_path, const char *trace_path)
{
	struct results traced = { 0 };
	struct trace trace;
	int rc = results_read_raw(&traced, raw_path);
	if (rc)
		goto out;
	trace_init(&trace);
	rc = trace_read(&trace, trace_path, 0);
	if (rc) {
		trace_release(&trace);
		goto out;
	}
	size_t before = results->count;
	add_traced_periods(results, &traced);
	add_note_costs(results, &traced);
	add_block(results, &traced);
	add_queries(results, &traced, &trace);
	add_recorded_start(results, &trace);
	add_recorded_wake(results, &trace);
	rc = add_api_durations(results, &trace) || add_recorded_periods(results, &trace) ? -1 : 0;
	if (!rc)
		calibrate_add_parts(results, &traced);
	trace_release(&trace);
	/* All of it or nothing: half a [tracer] section would mislead. */
	while (rc && results->count > before) {
		struct results last = { results->item + results->count - 1, 1, 0 };
		struct result *item = last.item;
		free(item->key);
		free(item->values);
		free(item->spread);
		free(item->how);
		results->count--;
	}
out:
	results_release(&traced);
	return rc;
}

int calibrate_trace_pass(struct results *results, const char *program_path, const char *scratch,
			 int gpus, double budget_s)
{
	char *trace_path = xprintf("%s.trace-%ld.sqlite", scratch, (long)getpid());
	char *raw_path = xprintf("%s.raw-%ld.tsv", scratch, (long)getpid());
	char *gpus_text = xprintf("%d", gpus), *budget_text = xprintf("%.0f", fmax(budget_s, 1)),
	     *program = xstrdup(program_path);
	int trace_slot = util_remember_path(trace_path), raw_slot = util_remember_path(raw_path);
	char *const argv[] = { program,	      "record",	  "-o",	       trace_path,
			       "--",	      program,	  "calibrate", "--parts",
			       "host,stream", "--raw",	  raw_path,    "--gpus",
			       gpus_text,     "--budget", budget_text, NULL };
	int rc = run_child(argv, 3 * budget_s + 180);
	if (!rc)
		rc = add_pass(results, raw_path, trace_path);
	unlink(trace_path);
	unlink(raw_path);
	util_forget_path(trace_slot);
	util_forget_path(raw_slot);
	free(trace_path);
	free(raw_path);
	free(gpus_text);
	free(budget_text);
	free(program);
	return rc;
}
