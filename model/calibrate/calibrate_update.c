/* SPDX-License-Identifier: MIT
 * New measurements in an old platform file, and what of [sm] follows from other measurements.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/output.h"
#include "traces/base/util.h"
#include "calibrate_results.h"
#include "model/platform/platform_internal.h"

static char *section_of(const char *key)
{
	return xprintf("%.*s", (int)(strrchr(key, '.') - key), key);
}

static bool is_replaced(const struct results *results, const char *section)
{
	bool found = false;
	for (size_t i = 0; i < results->count && !found; i++) {
		char *own = section_of(results->item[i].key);
		found = !strcmp(own, section) && strcmp(own, "platform") && strcmp(own, "device");
		free(own);
	}
	return found;
}

static void write_new(const struct results *results, const char *section, const char *note,
		      FILE *out)
{
	fprintf(out, "[%s]\n%s", section, note);
	results_write_section(results, section, out);
	fputc('\n', out);
}

/* Sections of the results that the file does not have, in the order they were measured. */
static void write_missing(const struct results *results, const char *text, const char *note,
			  FILE *out)
{
	char *done = xstrdup("\n");
	for (size_t i = 0; i < results->count; i++) {
		char *section = section_of(results->item[i].key),
		     *head = xprintf("\n[%s]\n", section);
		bool first = !strncmp(text, head + 1, strlen(head) - 1);
		if (is_replaced(results, section) && !first && !strstr(text, head) &&
		    !strstr(done, head)) {
			char *longer = xprintf("%s%s", done, head);
			write_new(results, section, note, out);
			free(done);
			done = longer;
		}
		free(section);
		free(head);
	}
	free(done);
}

static void write_updated(const struct results *results, const char *text, const char *note,
			  FILE *out)
{
	bool skipping = false, added = false;
	for (const char *line = text, *next; *line; line = next) {
		size_t length = strcspn(line, "\n");
		next = line + length + (line[length] == '\n');
		if (*line == '[') {
			char *section = xprintf("%.*s", (int)strcspn(line + 1, "]\n"), line + 1);
			if (!added && !strcmp(section, "provenance")) {
				write_missing(results, text, note, out);
				added = true;
			}
			char *head = xprintf("\n[%s]\n", section);
			const char *first =
				strstr(text, head); /* its keys may stand in several places; the new
						       ones stand in the first */
			skipping = is_replaced(results, section);
			if (skipping && (!first || line <= first + 1))
				write_new(results, section, note, out);
			free(head);
			free(section);
		}
		if (!skipping)
			fwrite(line, 1, (size_t)(next - line), out);
	}
	if (!added) {
		fputc('\n', out);
		write_missing(results, text, note, out);
	}
}

/* The file's text; NULL after a message. It has been read as a platform before, so it is small. */
static char *text_of(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *text = xcalloc((1 << 20) + 1, 1);
	if (file && fread(text, 1, 1 << 20, file) > 0 && !ferror(file)) {
		fclose(file);
		return text;
	}
	report("cannot read '%s': %s", path, strerror(errno));
	if (file)
		fclose(file);
	free(text);
	return NULL;
}

int calibrate_update(const struct results *results, const char *path, const char *note)
{
	struct output output;
	struct platform platform;
	char *text = text_of(path);
	int rc = -1;
	if (!text)
		return -1;
	if (output_begin(&output, path)) {
		free(text);
		return -1;
	}
	FILE *file = output_open(&output);
	if (file) {
		write_updated(results, text, note, file);
		rc = ferror(file) ? -1 : 0;
		rc = fclose(file) ? -1 : rc;
	}
	free(text);
	if (rc)
		report("cannot write '%s': %s", path, strerror(errno));
	else
		rc = platform_read(&platform, output.part_path);
	if (rc) {
		output_abandon(&output);
		return -1;
	}
	platform_release(&platform);
	return output_commit(&output);
}

static double number(const struct results *results, const char *key, double otherwise)
{
	const struct result *item = results_find(results, key);
	return item && item->count ? item->values[0] : otherwise;
}

/*
 * The curve was taken with every thread in a loop, and what a round takes beyond the latency, issue
 * and loop, is no time in flight: what the quickest round takes more than the latency. Left in, it
 * makes the turn of the curve look soft.
 */
static void derive_knee(struct results *results, const char *level, double latency_ns)
{
	char *x = xprintf("sm.%s_inflight_bytes", level),
	     *y = xprintf("sm.%s_inflight_bytes_per_s", level);
	char *most = xprintf("sm.%s_read_bytes_per_s", level), *key = xprintf("sm.%s_knee", level);
	const struct result *bytes = results_find(results, x), *rate = results_find(results, y);
	double most_per_s = number(results, most, 0);
	if (!results_find(results, key) && bytes && rate && bytes->count == rate->count &&
	    latency_ns > 0 && most_per_s > 0) {
		double error, *flying = xcalloc(bytes->count, sizeof(*flying)), round_s = INFINITY;
		for (size_t k = 1; k < bytes->count; k++) /* the first has half warps */
			round_s = fmin(round_s, bytes->values[k] / rate->values[k]);
		double beside_s = fmax(round_s - 1e-9 * latency_ns, 0);
		for (size_t k = 0; k < bytes->count; k++)
			flying[k] = fmax(bytes->values[k] - beside_s * rate->values[k],
					 1e-9 * latency_ns * rate->values[k]);
		double knee = sm_knee_fit(flying, rate->values, bytes->count, latency_ns,
					  most_per_s, &error);
		char *how = xprintf("fitted to the curve of bytes in flight, with the latency and "
				    "the rate above (%.1f ns): %.1f %% rms off; "
				    "of a round, %.1f ns are not in flight",
				    latency_ns, 100 * error, 1e9 * beside_s);
		results_add(results, key, &knee, NULL, 1, how);
		free(how);
		free(flying);
	}
	free(x);
	free(y);
	free(most);
	free(key);
}

/* Variance of the waiting over its mean, where a level has all it can do. `least_ns`: what of a
 * read is no waiting; `other_ns2`: variance of that. */
static void derive_spread(struct results *results, const char *level, double clocks_ns,
			  double least_ns, double other_ns2)
{
	char *mean = xprintf("sm.%s_full_instrumented_latency_ns", level),
	     *variance = xprintf("sm.%s_full_instrumented_variance_ns2", level);
	char *key = xprintf("sm.%s_spread_ns", level),
	     *how = xprintf("%s over what %s has beyond %.1f ns", variance + 3, mean + 3,
			    clocks_ns + least_ns);
	double wait_ns = number(results, mean, 0) - clocks_ns - least_ns,
	       spread_ns = (number(results, variance, 0) - other_ns2) / wait_ns;
	if (wait_ns > 0 && spread_ns > 0)
		results_add(results, key, &spread_ns, NULL, 1, how);
	free(mean);
	free(variance);
	free(key);
	free(how);
}

/*
 * From what warps note: reads that are alone take dram_latency_ns, so what they note beyond it is
 * the clocks. Beside writes, what is left when the load has been taken out (L(X) = latency / (1 -
 * u^k)^(1/k) with u of the rate used) is waiting for writes, in the share of time that goes to
 * them.
 */
static void derive_reads(struct results *results)
{
	double latency_ns = number(results, "sm.dram_latency_ns", 0),
	       instrumented_ns = number(results, "sm.dram_instrumented_latency_ns", 0);
	double least_ns = number(results, "sm.dram_instrumented_least_ns", 0),
	       beside_ns = number(results, "sm.dram_copy_instrumented_latency_ns", 0);
	double rate = number(results, "sm.dram_copy_instrumented_bytes_per_s", 0),
	       copy = number(results, "sm.dram_copy_bytes_per_s", 0);
	double write = number(results, "sm.dram_write_bytes_per_s", 0),
	       knee = number(results, "sm.dram_knee", 0);
	if (!(latency_ns > 0 && instrumented_ns > 0 && least_ns > 0 && beside_ns > 0 && rate > 0 &&
	      write > 0 && knee > 0 && copy > 0) ||
	    results_find(results, "sm.dram_least_share"))
		return;
	if (2 * rate >= copy) {
		report_warning(
			"the instrumented copy is as fast as 'sm.dram_copy_bytes_per_s': nothing "
			"is known of how reads differ and wait for writes");
		return;
	}
	double clocks_ns = instrumented_ns - latency_ns,
	       share = fmin(fmax((least_ns - clocks_ns) / latency_ns, 0), 1);
	double waiting_ns =
		(beside_ns - clocks_ns) * pow(1 - pow(2 * rate / copy, knee), 1 / knee) -
		latency_ns;
	double wait_ns = fmax(waiting_ns / (rate / write), 0),
	       far_ns = number(results, "sm.l2_far_latency_ns", 0);
	char *how = xprintf("dram_instrumented_least_ns less what its clocks take (%.1f ns), of "
			    "dram_latency_ns",
			    clocks_ns);
	results_add(results, "sm.dram_least_share", &share, NULL, 1, how);
	free(how);
	how = xprintf(
		"dram_copy_instrumented_latency_ns less its clocks, unloaded by the knee, less "
		"dram_latency_ns, over the share of writes (%.3f)",
		rate / write);
	results_add(results, "sm.dram_write_wait_ns", &wait_ns, NULL, 1, how);
	free(how);
	derive_spread(results, "dram", clocks_ns, share * latency_ns, 0);
	derive_spread(results, "l2", clocks_ns, number(results, "sm.l2_latency_ns", 0) + far_ns / 2,
		      far_ns * far_ns / 4);
}

/* What the recorder gives for an empty kernel: the first of the period lists, if that is of no
 * bytes. NaN: not recorded. */
static double recorded_empty_ns(const struct results *results, const struct platform *platform)
{
	const struct result *bytes = results_find(results, "stream.period_bytes"),
			    *ns = results_find(results, "tracer.recorded_period_ns");
	if (bytes && ns && bytes->count && ns->count && bytes->values[0] == 0)
		return ns->values[0];
	return platform && platform->traced_period.count && platform->kernel_gap.x.count
		       ? platform->kernel_gap.x.value[0]
		       : -1;
}

void calibrate_sm_derive(struct results *results, const struct platform *platform)
{
	double near_ns = number(results, "sm.l2_latency_ns", 0),
	       period_ns = number(results, "sm.launch_period_ns", -1);
	derive_knee(results, "l2", near_ns + 0.5 * number(results, "sm.l2_far_latency_ns", 0));
	derive_knee(results, "dram", number(results, "sm.dram_latency_ns", 0));
	derive_reads(results);
	if (period_ns < 0 || results_find(results, "sm.launch_ns"))
		return;
	double ns = recorded_empty_ns(results, platform);
	if (ns >= 0) {
		results_add(results, "sm.launch_ns", &ns, NULL, 1,
			    "the recorder's duration of an empty kernel: tracer.recorded_period_ns "
			    "of no bytes");
		return;
	}
	report_warning("no recorder's duration of an empty kernel: 'sm.launch_ns' is the whole "
		       "period of such kernels");
	results_add(results, "sm.launch_ns", &period_ns, NULL, 1,
		    "launch_period_ns: no recorder told how much of it is the kernel");
}
