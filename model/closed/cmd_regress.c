/* SPDX-License-Identifier: MIT
 * warpreel regress: laws of transfer time fitted from measured transfers, and how well each answers
 * for sizes and machines that it was not fitted from.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/options.h"
#include "traces/base/util.h"
#include "traces/program/program.h"
#include "transfer_samples.h"

struct regress_options {
	const char *copy, *method, *format;
	struct text_list test;
	int hold_out;
};

#define AT(field) offsetof(struct regress_options, field)
static const struct option_spec options[] = {
	{ "copy", OPTION_CHOICE, AT(copy), "h2d", 0, 0, TRANSFER_KINDS, "which copies" },
	{ "method", OPTION_CHOICE, AT(method), "all", 0, 0, "all|linear|relative|power|timer-reg",
	  "how the law is fitted" },
	{ "test", OPTION_LIST, AT(test), NULL, 0, 0, "SOURCE",
	  "test it on these transfers as well; may be repeated" },
	{ "hold-out", OPTION_INT, AT(hold_out), "0", 0, 1000, "N",
	  "fit without every Nth size, and test on those (0: fit all)" },
	{ "format", OPTION_CHOICE, AT(format), "text", 0, 0, "text|tsv", "output" },
	{ 0 },
};

/* Moves every Nth sample with bytes from one list to another. */
static void hold_out(struct transfer_samples *from, struct transfer_samples *held, int every)
{
	size_t kept = 0;
	int seen = 0;
	*held = (struct transfer_samples){ 0 };
	for (size_t k = 0; k < from->count; k++) {
		const struct transfer_sample sample = from->at[k];
		if (every && sample.bytes > TRANSFER_WORD_BYTES && ++seen % every == 0) {
			GROW(held->at, held->count, held->capacity);
			held->at[held->count++] = sample;
		} else {
			from->at[kept++] = sample;
		}
	}
	from->count = kept;
}

static void print_number(double value, int digits, bool tsv, int width)
{
	char text[32];
	if (isnan(value))
		snprintf(text, sizeof(text), "-");
	else
		snprintf(text, sizeof(text), "%.*g", digits, fabs(value) < 1e-9 ? 0 : value);
	if (tsv)
		printf("\t%s", text);
	else
		printf(" %*s", width, text);
}

static void print_text(const char *text, bool tsv, bool first)
{
	if (tsv)
		printf("%s%s", first ? "" : "\t", text);
	else
		printf("%-10s", text);
}

/* One law on one set of transfers. */
static void print_row(const struct transfer_law *law, const char *tested,
		      const struct transfer_samples *samples, bool tsv)
{
	const struct transfer_errors e = transfer_errors(law, samples->at, samples->count);
	const double number[] = { law->startup_ns * 1e-3, law->word_ns, law->exponent };
	print_text(transfer_method_name[law->method], tsv, true);
	for (size_t k = 0; k < sizeof(number) / sizeof(number[0]); k++) {
		if (tsv)
			print_number(number[k], 6, true, 0);
		else
			print_number(number[k], 4, false, 11);
	}
	if (tsv) {
		printf("\t%s\t%zu", tested, e.count);
		print_number(e.mean_pct, 4, true, 0);
		print_number(e.median_pct, 4, true, 0);
		print_number(e.largest_pct, 4, true, 0);
		print_number(e.worst_bytes, 12, true, 0);
		printf("\n");
		return;
	}
	printf(" %6zu", e.count);
	print_number(e.mean_pct, 3, false, 10);
	print_number(e.median_pct, 3, false, 10);
	print_number(e.largest_pct, 3, false, 10);
	print_number(e.worst_bytes, 9, false, 10);
	printf("  %s\n", tested);
}

static void print_header(bool tsv)
{
	if (tsv)
		printf("method\tstartup_us\tword_ns\texponent\ttested_on\tcopies\tmean_pct\tmedian_"
		       "pct\tlargest_pct\tworst_bytes\n");
	else
		printf("%-10s %11s %11s %11s %6s %10s %10s %10s %10s  %s\n", "method", "startup us",
		       "word ns", "exponent", "copies", "mean %", "median %", "largest %",
		       "at bytes", "tested on");
}

struct sets {
	struct transfer_samples fitted, held, *test; /* test: [o->test.count] */
};

static int fit_and_test(const struct regress_options *o, const struct sets *sets,
			const char *source)
{
	const bool all = !strcmp(o->method, "all"), tsv = !strcmp(o->format, "tsv");
	int fitted = 0;
	for (int m = 0; m < TRANSFER_METHOD_COUNT; m++) {
		struct transfer_law law;
		if (!all && strcmp(o->method, transfer_method_name[m]))
			continue;
		if (transfer_fit(&law, (enum transfer_method)m, sets->fitted.at,
				 sets->fitted.count)) {
			if (all)
				continue;
			return m == TRANSFER_TIMER_REG
				       ? report("'%s': timer-reg needs a copy of nothing and one "
						"of a word",
						source)
				       : report("'%s': copies of one size have no law", source);
		}
		if (!fitted++)
			print_header(tsv);
		print_row(&law, "fitted", &sets->fitted, tsv);
		if (o->hold_out)
			print_row(&law, "held-out", &sets->held, tsv);
		for (int t = 0; t < o->test.count; t++)
			print_row(&law, o->test.text[t], &sets->test[t], tsv);
	}
	return fitted ? 0 : report("'%s': copies of one size have no law", source);
}

int cmd_regress(const struct program *program, int argc, char **argv)
{
	const struct command_help help = {
		"regress", "regress SOURCE [options]",
		"Fits laws of transfer time to measured transfers: those "
		"of a platform, of a trace, or of a table with columns "
		"bytes and ns."
	};
	struct regress_options o = { 0 };
	struct sets sets = { 0 };
	int words, rc = options_parse(&help, options, &o, argc, argv, &words);
	(void)program;
	if (rc)
		return rc > EXIT_USAGE ? EXIT_OK : rc;
	if (words != 1) {
		report("name one source of transfers: warpreel regress h200x4 [options]");
		return EXIT_USAGE;
	}
	sets.test = xcalloc((size_t)o.test.count + 1, sizeof(*sets.test));
	rc = transfer_samples_read(&sets.fitted, argv[1], o.copy);
	hold_out(&sets.fitted, &sets.held, o.hold_out);
	if (!rc && o.hold_out && !sets.held.count)
		rc = report("'%s': --hold-out %d leaves nothing to test on", argv[1], o.hold_out);
	for (int t = 0; !rc && t < o.test.count; t++)
		rc = transfer_samples_read(&sets.test[t], o.test.text[t], o.copy);
	if (!rc)
		rc = fit_and_test(&o, &sets, argv[1]);
	for (int t = 0; t < o.test.count; t++)
		transfer_samples_release(&sets.test[t]);
	transfer_samples_release(&sets.held);
	transfer_samples_release(&sets.fitted);
	free(sets.test);
	return rc ? EXIT_BAD : EXIT_OK;
}
