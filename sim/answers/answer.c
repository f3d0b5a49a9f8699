/* SPDX-License-Identifier: MIT
 * What replay and predict say of a schedule: the answer in words, as a table, and as a trace.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/output.h"
#include "traces/base/text_show.h"
#include "traces/base/util.h"
#include "bound.h"
#include "collectives.h"
#include "predict.h"
#include "range_list.h"
#include "unused_options.h"

/* What of the machine nobody measured, "-" where all was; owned by the caller. */
static char *hypothetical_text(const struct schedule *schedule, const struct predictor *p,
			       const struct prediction *r)
{
	const char *edits = p->hypothetical.text,
		   *zero = strcmp(r->kernel_model, "zero") ? NULL : "kernels that take no time";
	char *gpus = r->more_gpus ? xprintf("%u GPUs", schedule->gpu_count) : NULL,
	     *text = xprintf("%s%s%s%s%s", edits ? edits : "", edits && zero ? ", " : "",
			     zero ? zero : "", gpus && (edits || zero) ? ", " : "",
			     gpus	     ? gpus
			     : edits || zero ? ""
					     : "-");
	free(gpus);
	return text;
}

static bool has_messages(const struct schedule *schedule)
{
	for (int64_t k = 0; k < schedule->op_count; k++)
		if (schedule->op[k].flags & OP_MESSAGE)
			return true;
	return false;
}

/* Of processes that were joined, and of kernels that wait for others. */
static void print_collectives(const struct schedule *schedule, const struct platform *platform)
{
	const uint32_t rings = collectives_of_rings(schedule);

	if (schedule->processes > 1)
		printf("  note: %u processes on one clock; of what they wait for from each other "
		       "only collectives%s are known\n",
		       schedule->processes, has_messages(schedule) ? " and MPI's messages" : "");
	if (schedule->processes > 1 && schedule_shared_gpus(schedule))
		printf("  note: GPUs on which several processes ran kernels: %u. Without MPS they "
		       "take "
		       "turns there, and wait for each other's; no model has that\n",
		       schedule_shared_gpus(schedule));
	if (rings)
		printf("  note: %u operations of NCCL, timed as rings over the links%s; not known: "
		       "the algorithm NCCL would choose, the SMs it takes%s\n",
		       rings,
		       collectives_are_calibrated(platform)
			       ? ""
			       : " (uncalibrated: nccl.least_ns or the least copy, and for each "
				 "further step stream.event_peer_ns)",
		       platform->nccl_call_ns > 0 ? "" : ", its time on the host");
	if (schedule->collective_count > rings)
		printf("  note: %u collectives, in which kernels wait for their partners and end "
		       "with them; their bytes were not recorded: on other links what they last "
		       "beyond nccl.least_ns is taken for bytes\n",
		       schedule->collective_count - rings);
	if (schedule->without_partners)
		printf("  note: %lld kernels of NCCL met no partner in the recording: they last as "
		       "they did, waiting and all (record -o FOLDER/ has all processes)\n",
		       (long long)schedule->without_partners);
}

/* What recorded kernels owe to the L2 that all virtual GPUs had together. */
static void print_shared_l2(const struct schedule *schedule)
{
	const double mib = 1.0 / (1 << 20), l2 = (double)schedule->virtual_l2_bytes * mib;
	double most = 0, all = 0;
	for (uint32_t g = 0; schedule->virtual_bytes && g < schedule->virtual_gpus; g++) {
		const double held = (double)schedule->virtual_bytes[g] * mib;
		most = held > most ? held : most;
		all += held;
	}
	if (!(all > 0) || l2 <= 0)
		printf("  note: not known is what a GPU's L2 would have held for it alone\n");
	else if (schedule->shared_l2_kernels)
		printf("  note: each GPU held %.1f MiB at most, all %.1f, and share one L2 (%.1f "
		       "MiB): %.1f us were taken off %lld kernels for what others had left of it; "
		       "as if each touched all that its GPU held\n",
		       most, all, l2, (double)schedule->shared_l2_ps * 1e-6,
		       (long long)schedule->shared_l2_kernels);
	else if (most <= l2)
		printf("  note: what all GPUs held (%.1f MiB) fits the one L2 (%.1f MiB): sharing "
		       "it costs little\n",
		       all, l2);
	else
		printf("  note: a GPU held up to %.1f MiB, more than its L2 (%.1f MiB): how much "
		       "of "
		       "it L2 would have kept for that GPU alone is not known\n",
		       most, l2);
}

/* Core loop, total, and where the time went on each GPU. */
static void print_times(const struct schedule *schedule, const struct predictor *p,
			const struct prediction *r, struct text_show *show)
{
	const struct simulation_result *d = &r->detail;
	printf("%s on %u GPU%s of %s%s%s\n",
	       text_show(show, schedule->solver ? schedule->solver : "program"),
	       schedule->gpu_count, schedule->gpu_count == 1 ? "" : "s", p->platform.name,
	       schedule->config ? ": " : "",
	       text_show(show, schedule->config ? schedule->config : ""));
	printf("  core loop  %12.1f us   ", r->core_us);
	if (isnan(r->core_lo_us))
		printf("no interval");
	else
		printf("90 %% interval %.1f to %.1f", r->core_lo_us, r->core_hi_us);
	printf("%s%s\n",
	       r->bounded	 ? "   LOWER BOUND"
	       : r->extrapolated ? "   EXTRAPOLATED"
				 : "",
	       r->hypothetical ? "   HYPOTHETICAL" : "");
	printf("  total      %12.1f us   kernel model %s, %lld operations\n", r->total_us,
	       prediction_model_name(r), (long long)d->operations);
	printf("  core loop by GPU:   kernels  transfers       sync       host   (us)\n");
	for (uint32_t g = 0; g < d->gpu_count; g++)
		printf("    GPU %-2u         %10.1f %10.1f %10.1f %10.1f\n", g,
		       (double)d->gpu[g].kernel_ps * 1e-6, (double)d->gpu[g].transfer_ps * 1e-6,
		       (double)d->gpu[g].sync_ps * 1e-6, (double)d->gpu[g].host_ps * 1e-6);
}

/* What was measured of kernels of this run and moves the answer. */
static void note_timed(const struct schedule *schedule, const struct predictor *p,
		       const struct prediction *r)
{
	uint32_t timed = 0;
	if (strcmp(r->kernel_model, "warps") != 0)
		return;
	for (uint32_t k = 0; k < schedule->kernel_count; k++)
		timed += timed_launches_have(&p->timed, schedule->kernel[k]);
	if (timed)
		printf("  note: %u of %u kernels are scaled by launches of theirs that were timed "
		       "alone on this device (--timed none: as played)\n",
		       timed, schedule->kernel_count);
}

/* Which machine was asked about, and where the width of the interval comes from. */
static void note_interval(const struct predictor *p, const struct prediction *r)
{
	if (p->platform.from_datasheet)
		printf("  note: platform '%s' is not all measured (source = %s)\n",
		       p->platform.name, platform_text(&p->platform, "platform.source"));
	if (p->same_device && !strcmp(r->kernel_model, "warps"))
		printf("  note: kernel profiles of '%s', counted on the same device ('data = %s' "
		       "in [platform] takes what was timed there, too)\n",
		       p->same_device, p->same_device);
	if (p->same_code && !strcmp(r->kernel_model, "warps"))
		printf("  note: kernel profiles of '%s', another device that runs the same code "
		       "(%s)\n",
		       p->same_code, platform_text(&p->platform, "sm.isa"));
	if (isnan(r->core_lo_us))
		printf("  note: kernels are as long as on the device that recorded them; how long "
		       "they are on '%s' is not known, so there is no interval\n",
		       p->platform.name);
	if (!strcmp(r->kernel_model, "roofline"))
		printf("  note: a roofline bounds kernels from below: the interval is as wide as "
		       "such answers err where all was measured\n");
	if (!p->intervals.count && p->platform.interval_runs > 0)
		printf("  note: the interval is what %.0f runs on the machine itself gave "
		       "(calibrate --verify)\n",
		       p->platform.interval_runs);
	else if (p->other_device && !isnan(r->core_lo_us))
		printf("  note: nothing measured on this device widened or narrowed the interval: "
		       "15 %% each way is assumed\n");
	else if (!p->intervals.count && !p->platform.from_datasheet)
		printf("  note: no run was held against platform '%s': 15 %% each way is assumed "
		       "(calibrate --verify earns it)\n",
		       p->platform.name);
	if (r->unfamiliar)
		printf("  note: no measured run with these choices sets the width of intervals, so "
		       "it is that of all such runs\n");
}

/* What a recorded program's core loop is, and what of it is not as it was recorded. */
static void note_recording(const struct schedule *schedule, const struct predictor *p,
			   const struct prediction *r, struct text_show *show)
{
	if (schedule->range && schedule->range_threads == 1)
		printf("  note: the core loop is %lld of '%s', from the first's begin to the "
		       "last's end: %.1f us each\n",
		       (long long)schedule->ranges, text_show(show, schedule->range),
		       r->core_us / (double)schedule->ranges);
	else if (schedule->range)
		printf("  note: the core loop is %lld of '%s' in %lld threads, from the first's "
		       "begin to the last's end\n",
		       (long long)schedule->ranges, text_show(show, schedule->range),
		       (long long)schedule->range_threads);
	if (schedule->virtual_gpus)
		printf("  note: recorded on one GPU as if there were %u: waits, copies between "
		       "GPUs and the pauses between them are the model's; loads and stores of "
		       "kernels in other GPUs' memory cost what their own memory does\n",
		       schedule->virtual_gpus);
	if (schedule->virtual_gpus > schedule->gpu_count)
		printf("  note: the program used %u of these %u GPUs\n", schedule->gpu_count,
		       schedule->virtual_gpus);
	if (schedule->virtual_gpus > 1 && !strcmp(r->kernel_model, "recorded"))
		print_shared_l2(schedule);
	print_collectives(schedule, &p->platform);
	if (!schedule->config && schedule->recorded_shared >= 0)
		printf("  note: recorded calls were %.0f %% as on cores that another thread uses, "
		       "too; answered for %.0f %%, as %s\n",
		       100 * schedule->recorded_shared, 100 * schedule->answered_shared,
		       platform_text(&p->platform, "host.shared_cores")
			       ? "asked"
			       : "the host was (host.shared_cores)");
	if (!schedule->solver)
		printf("  note: %sthe interval's width is that of the solvers here\n",
		       schedule->range ? ""
				       : "no marks say where a core loop begins, so it is the "
					 "whole (--range NAME takes NVTX ranges); ");
}

/* What was not played, not calibrated or never measured, and what stands for it. */
static void note_missing(const struct planned_run *run, const struct predictor *p,
			 const struct prediction *r, struct text_show *show)
{
	const struct schedule *schedule = &run->schedule;
	const struct simulation_result *d = &r->detail;
	if (run->skips)
		printf("  note: %lld of %lld %s played, the others at their pace: at most %.3f %% "
		       "off what all of them give (--no-skip plays all)\n",
		       (long long)run->played, (long long)run->iterations,
		       run->recorded.op_count ? "repeats" : "iterations", 100 * r->error);
	if (schedule->unmeasured)
		printf("  note: not calibrated: %s\n", schedule->unmeasured);
	if (d->waits_never_recorded)
		printf("  note: %lld waits on events nothing had recorded\n",
		       (long long)d->waits_never_recorded);
	if (r->hypothetical) {
		char *what = hypothetical_text(schedule, p, r);
		printf("  note: never measured so: %s%s\n", text_show(show, what),
		       r->hypothetical & ~(1u << PART_OF_ABOUT)
			       ? "; the interval is as wide as answers err for machines that were "
				 "left out of the model"
			       : "");
		free(what);
	}
	const char *derived = p->warps && !strcmp(r->kernel_model, "warps")
				      ? warps_derived(p->warps, schedule)
				      : NULL;
	if (derived)
		printf("  note: kernel '%s' has a profile derived from its machine code, which no "
		       "GPU has counted\n",
		       derived);
	if (r->by_bounds && !r->bounded)
		printf("  note: kernel '%s' has no profile: bounds of launch, L2 and DRAM stand "
		       "for it, and %.3g times as long, as nine of ten kernels are at most, the "
		       "run would take %.1f us\n",
		       r->by_bounds, bounds_most(&p->left_out), r->longer_us);
	if (r->bounded)
		printf("  note: kernel '%s' has no profile, so the time is at least this: bounds "
		       "of launch, L2 and DRAM stand for it (warpreel profile counts what it "
		       "does)\n",
		       r->bounded);
	if (p->chosen)
		printf("  note: %s\n", text_show(show, p->chosen));
}

static void print_text(const struct planned_run *run, const struct predictor *p,
		       const struct prediction *r)
{
	struct text_show show = { 0 };
	print_times(&run->schedule, p, r, &show);
	note_interval(p, r);
	note_timed(&run->schedule, p, r);
	note_recording(&run->schedule, p, r, &show);
	note_missing(run, p, r, &show);
	text_show_release(&show);
}

/* The last line. */
static void print_bound(const struct prediction *r)
{
	const struct bound bound = bound_of(&r->detail);
	char *by = bound_text(&bound);
	printf("  bound by %s\n", by);
	free(by);
}

static void print_tsv(const struct schedule *schedule, const struct predictor *p,
		      const struct prediction *r)
{
	const struct simulation_result *d = &r->detail;
	struct text_show show = { 0 };
	const struct bound bound = bound_of(d);
	char *hypothetical = hypothetical_text(schedule, p, r);
	printf("solver\tconfig\tgpus\tcore_us\tcore_lo_us\tcore_hi_us\ttotal_us\tkernel_"
	       "model\toperations\tkernel_us\ttransfer_us\tsync_us\thost_us\textrapolated\t"
	       "hypothetical\tplatform\tbound_by\n");
	char low[32] = "-", high[32] = "-";
	if (!isnan(r->core_lo_us)) {
		snprintf(low, sizeof(low), "%.3f", r->core_lo_us);
		snprintf(high, sizeof(high), "%.3f", r->core_hi_us);
	}
	printf("%s\t%s\t%u\t%.3f\t%s\t%s\t%.3f\t%s\t%lld\t%.3f\t%.3f\t%.3f\t%.3f\t"
	       "%d\t%s\t%s\t%s\n",
	       text_show(&show, schedule->solver ? schedule->solver : "-"),
	       text_show(&show, schedule->config ? schedule->config : "-"), schedule->gpu_count,
	       r->core_us, low, high, r->total_us, prediction_model_name(r),
	       (long long)d->operations, bound.us[BOUND_KERNEL], bound.us[BOUND_LINK],
	       bound.us[BOUND_SYNC], bound.us[BOUND_HOST], r->extrapolated,
	       text_show(&show, hypothetical), text_show(&show, p->platform.name),
	       bound_name[bound.by]);
	free(hypothetical);
	text_show_release(&show);
}

static void add_answers(struct trace *trace, const struct prediction *r)
{
	const struct {
		const char *key;
		double value;
	} answer[] = {
		{ "core_us", r->core_us },
		{ "core_lo_us", r->core_lo_us },
		{ "core_hi_us", r->core_hi_us },
		{ "total_us", r->total_us },
	};
	for (size_t k = 0; k < sizeof(answer) / sizeof(answer[0]); k++) {
		if (!isfinite(answer[k].value)) /* a bound has no upper end */
			continue;
		struct trace_prediction *row = trace_add_prediction(trace);
		row->key = trace_string(trace, answer[k].key);
		row->value = answer[k].value;
		row->unit = trace_string(trace, "us");
	}
}

static int tell(const struct predictor_options *o, const struct planned_run *run,
		const struct predictor *p, const struct prediction *prediction,
		struct trace *timeline)
{
	const struct schedule *schedule = &run->schedule;
	if (o->output) {
		add_answers(timeline, prediction);
		trace_set_meta(timeline, "kernel_model", prediction_model_name(prediction));
		trace_set_meta(timeline, "platform_source",
			       platform_text(&p->platform, "platform.source"));
		trace_set_meta(timeline, "extrapolated", prediction->extrapolated ? "yes" : "no");
		char *hypothetical = hypothetical_text(schedule, p, prediction);
		trace_set_meta(timeline, "hypothetical", hypothetical);
		free(hypothetical);
		if (trace_write(timeline, o->output))
			return -1;
	}
	const bool text = strcmp(o->format, "tsv") != 0;
	if (text)
		print_text(run, p, prediction);
	if (text)
		range_list_text(schedule, prediction, o->ranges);
	else if (o->ranges)
		range_list_tsv(schedule, prediction);
	else
		print_tsv(schedule, p, prediction);
	if (text)
		print_bound(prediction);
	return fflush(stdout) ? report("cannot write the answer: %s", strerror(errno)) : 0;
}

int predictor_check_output(const struct predictor_options *options, const char *input)
{
	const char *const inputs[] = {
		input,	       options->profile, options->kernel_profiles, options->platform,
		options->host, options->link,	 options->device
	};
	if (!options->output)
		return 0;
	for (size_t k = 0; k < sizeof(inputs) / sizeof(inputs[0]); k++)
		if (output_differs(options->output, inputs[k]))
			return -1;
	return trace_check_output(options->output);
}

int predictor_answer(struct predictor *predictor, struct planned_run *run,
		     const struct predictor_options *options, const char *kernel_model,
		     const char *set, const struct profile *own)
{
	const struct schedule *schedule = &run->schedule;
	struct prediction prediction;
	struct trace timeline;
	bool bounds = false;
	trace_init(&timeline);
	if (!options->kernel_model && !options->ideal.count &&
	    (!strcmp(kernel_model, "scaled") ||
	     (!strcmp(kernel_model, "warps") && strcmp(set, "replay") != 0)))
		kernel_model = predictor_planned_model(predictor, schedule, &bounds);
	if (kernel_model && !options->kernel_model && !strcmp(kernel_model, "recorded"))
		kernel_model = predictor_replayed_model(predictor, schedule);
	if (!kernel_model) {
		trace_release(&timeline);
		return -1;
	}
	unused_tell(options, schedule, kernel_model);
	unused_tell_links(options, predictor, schedule, kernel_model);
	struct predictor_request request = { .kernel_model = kernel_model,
					     .set = set,
					     .own = own,
					     .allow_extrapolation = options->allow_extrapolation,
					     .bounds = bounds,
					     .timeline = options->output ? &timeline : NULL };
	int rc = predictor_run_planned(predictor, run, &request, &prediction);
	if (!rc) {
		rc = tell(options, run, predictor, &prediction, &timeline);
		prediction_release(&prediction);
	}
	trace_release(&timeline);
	return rc;
}
