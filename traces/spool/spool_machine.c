/* SPDX-License-Identifier: MIT
 * The machine a spool comes from: GPUs as CUPTI and NVML describe them (joined by UUID), links,
 * clocks.
 */
#include "spool_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "traces/base/trace_map.h"
#include "traces/base/util.h"

static const struct spool_gpu *gpu_of_device(const struct spool *spool,
					     const struct spool_device *device)
{
	for (size_t i = 0; i < spool->gpu_count; i++)
		if (!memcmp(spool->gpu[i].uuid, device->uuid, sizeof(device->uuid)))
			return &spool->gpu[i];
	return NULL;
}

/* The CUDA number of an NVML index; -1: the program could not see that GPU. */
static int32_t device_of_index(const struct spool *spool, uint32_t index)
{
	for (size_t i = 0; i < spool->gpu_count; i++)
		for (size_t j = 0; spool->gpu[i].index == index && j < spool->device_count; j++)
			if (!memcmp(spool->gpu[i].uuid, spool->device[j].uuid,
				    sizeof(spool->gpu[i].uuid)))
				return (int32_t)spool->device[j].device;
	return -1;
}

static void convert_gpus(struct trace *trace, const struct spool *spool)
{
	const struct spool_row_source with = { trace, spool, NULL };

	for (size_t i = 0; i < spool->device_count; i++) {
		const struct spool_device *device = &spool->device[i];
		const struct spool_gpu *gpu = gpu_of_device(spool, device);
		struct trace_gpu *out = NULL;

		for (size_t j = 0; j < trace->gpu_count && !out; j++) /* CUPTI may say it twice */
			if (trace->gpu[j].device == (int32_t)device->device)
				out = &trace->gpu[j];
		if (!out)
			out = trace_add_gpu(trace);
		spool_row_device(out, device, &with);
		out->bus_location = trace_string(trace, gpu ? spool_text(spool, gpu->bus) : "");
		out->memory_clock_khz =
			gpu && gpu->max_memory_mhz ? (int64_t)gpu->max_memory_mhz * 1000 : -1;
	}
}

static void add_link(struct trace *trace, int32_t from, int32_t to, const char *kind,
		     int64_t bytes_per_s)
{
	struct trace_link *out = trace_add_link(trace);

	out->from_device = from;
	out->to_device = to;
	out->kind = trace_string(trace, kind);
	out->bytes_per_s = bytes_per_s;
}

static void convert_links(struct trace *trace, const struct spool *spool)
{
	/* Payload of one PCIe lane after its line code (8b/10b, then 128b/130b), MB/s; generation 1
	 * first. */
	static const double lane_megabytes_per_s[] = { 250, 500, 984.6, 1969.2, 3938.5, 7877 };
	char kind[64];

	for (size_t i = 0; i < spool->link_count; i++) {
		const struct spool_link *link = &spool->link[i];
		int32_t from = device_of_index(spool, link->from),
			to = device_of_index(spool, link->to);

		if (from < 0 || to < 0)
			continue;
		snprintf(kind, sizeof(kind), "%s x%u", spool_text(spool, link->kind), link->links);
		add_link(trace, from, to, kind,
			 link->megabytes_per_s
				 ? (int64_t)link->megabytes_per_s * 1000000 * link->links
				 : -1);
	}
	for (size_t i = 0; i < spool->gpu_count; i++) {
		const struct spool_gpu *gpu = &spool->gpu[i];
		size_t known = sizeof(lane_megabytes_per_s) / sizeof(lane_megabytes_per_s[0]);
		int32_t device = device_of_index(spool, gpu->index);
		int64_t speed = -1;

		if (device < 0 || !gpu->pcie_generation || !gpu->pcie_width)
			continue;
		if (gpu->pcie_generation <= known)
			speed = (int64_t)(lane_megabytes_per_s[gpu->pcie_generation - 1] * 1e6 *
					  gpu->pcie_width);
		snprintf(kind, sizeof(kind), "pcie gen%u x%u", gpu->pcie_generation,
			 gpu->pcie_width);
		add_link(trace, -1, device, kind, speed);
		add_link(trace, device, -1, kind, speed);
	}
}

static void convert_clocks(struct trace *trace, const struct spool *spool)
{
	const struct spool_row_source with = { trace, spool, NULL };

	for (size_t i = 0; i < spool->clock_count; i++) {
		int32_t device = device_of_index(spool, spool->clock[i].index);
		struct trace_clock *out;

		if (device < 0)
			continue;
		out = trace_add_clock(trace);
		spool_row_clock(out, &spool->clock[i], &with);
		out->device = device;
		out->sm_khz = (int64_t)spool->clock[i].sm_mhz * 1000;
		out->memory_khz = (int64_t)spool->clock[i].memory_mhz * 1000;
		out->skew_ns = -1;
	}
}

/* How far two times lie from each other; those of a broken file may be further than a time holds.
 */
static int64_t apart_ns(int64_t a, int64_t b)
{
	const uint64_t apart = a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;

	return apart > INT64_MAX ? INT64_MAX : (int64_t)apart;
}

/* How CUPTI's clock lies against the host's, at the start and at the end; and whether somebody set
 * the clock in between. */
static void convert_times(struct trace *trace, const struct spool *spool)
{
	enum { STEP_NS = 1000000 };
	static const char *const name[] = { "start", "during", "end" };
	int64_t first_ns = 0, step_ns = 0;
	bool any = false;

	for (size_t i = 0; i < spool->time_count; i++) {
		const struct spool_time *time = &spool->time[i];
		int64_t offset_ns = (int64_t)(time->cupti_ns - time->monotonic_ns), moved_ns;
		char key[64], *text;

		if (!time->cupti_ns)
			continue;
		if (!any)
			first_ns = offset_ns;
		any = true;
		moved_ns = apart_ns(offset_ns, first_ns);
		step_ns = moved_ns > step_ns ? moved_ns : step_ns;
		if (time->when == SPOOL_TIME_DURING || time->when > SPOOL_TIME_END)
			continue;
		text = xprintf("trace %llu ns = monotonic %llu ns = realtime %llu ns",
			       (unsigned long long)time->cupti_ns,
			       (unsigned long long)time->monotonic_ns,
			       (unsigned long long)time->realtime_ns);
		snprintf(key, sizeof(key), "clock_%s", name[time->when]);
		trace_set_meta(trace, key, text);
		free(text);
	}
	spool_lose(trace, "clock-step", step_ns > STEP_NS,
		   "the system clock moved against the monotonic clock by over a millisecond");
}

/* Each once, and of each context its legacy default stream, which not every CUPTI tells of. */
static void convert_streams(struct trace *trace, const struct spool *spool)
{
	enum { LEGACY = 3 };
	const struct spool_row_source with = { trace, spool, NULL };
	struct map known = { 0 };

	for (size_t i = 0; i < spool->context_count; i++) {
		const struct spool_context *context = &spool->context[i];

		if (!context->null_stream || context->null_stream == SPOOL_NONE ||
		    map_put(&known, context->context, context->null_stream, 1) != MAP_NONE)
			continue;
		*trace_add_stream(trace) =
			(struct trace_stream){ .stream = spool_id(context->null_stream),
					       .context = spool_id(context->context),
					       .flag = LEGACY,
					       .process = spool->pid };
	}
	for (size_t i = 0; i < spool->stream_count; i++) {
		const struct spool_stream *stream = &spool->stream[i];
		struct trace_stream *out;

		if (map_put(&known, stream->context, stream->stream, 1) != MAP_NONE)
			continue;
		out = trace_add_stream(trace);
		spool_row_stream(out, stream, &with);
		out->process = spool->pid;
	}
	map_release(&known);
}

void spool_convert_machine(struct trace *trace, const struct spool *spool)
{
	convert_gpus(trace, spool);
	convert_links(trace, spool);
	convert_streams(trace, spool);
	convert_clocks(trace, spool);
	convert_times(trace, spool);
}
