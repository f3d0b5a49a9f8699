/* SPDX-License-Identifier: MIT
 * Hardware counters of a launch by CUPTI's range profiler: one user range around the launch, one
 * pass. Metrics that one pass cannot hold are divided here, so that every pass stands alone and
 * passes of different launch shapes may alternate. Or, for kernels that are launched too few times
 * for that (`replays`): all passes of one launch, which CUPTI repeats with its memory put back
 * between them. The caches are not, so that is for what cannot be had otherwise.
 */
#include "recorder_profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What one user range of one kernel needs. */
enum { RANGES = 1, LEVELS = 1 };

static int open_host(struct profile *profile, struct profile_device *device,
		     const uint8_t *available, CUpti_Profiler_Host_Object **host)
{
	struct host_initialize open = { .size = sizeof(open),
					.type = HOST_RANGE_PROFILER,
					.chip = device->chip,
					.available = available };

	if (!PROFILE_CALL(profile, cuptiProfilerHostInitialize, &open))
		return -1;
	*host = open.host;
	return 0;
}

/* Makes the configuration of a pass. Returns how many passes its metrics need, -1 when the chip
 * does not have them. */
static int configure(struct profile *profile, struct profile_device *device,
		     const uint8_t *available, struct profile_pass *pass)
{
	struct host_add_metrics add = { .size = sizeof(add),
					.names = pass->name,
					.count = pass->count };
	struct host_config_size size = { .size = sizeof(size) };
	struct host_config image = { .size = sizeof(image) };
	struct host_passes passes = { .size = sizeof(passes) };
	struct host_object close = { .size = sizeof(close) };
	CUptiResult result;
	int count = -1;

	free(pass->config);
	pass->config = NULL;
	if (open_host(profile, device, available, &close.host))
		return -1;
	add.host = size.host = image.host = close.host;
	result = profile->calls.cuptiProfilerHostConfigAddMetrics(&add);
	if (result != CUPTI_SUCCESS) {
		if (profile->verbose)
			fprintf(stderr, "warpreel profile: %s on %s: %s\n",
				pass->name[pass->count - 1], device->chip,
				cupti_text(&recorder.cupti, result));
		goto out;
	}
	if (!PROFILE_CALL(profile, cuptiProfilerHostGetConfigImageSize, &size))
		goto out;
	pass->config = calloc(1, size.bytes);
	passes.bytes = image.bytes = pass->config_bytes = size.bytes;
	passes.image = image.image = pass->config;
	if (!pass->config || !PROFILE_CALL(profile, cuptiProfilerHostGetConfigImage, &image))
		goto out;
	if (PROFILE_CALL(profile, cuptiProfilerHostGetNumOfPasses, &passes))
		count = (int)passes.passes;
out:
	PROFILE_CALL(profile, cuptiProfilerHostDeinitialize, &close);
	return count;
}

/* Whether a range can hold what needs so many passes. */
static bool holds(const struct profile *profile, int passes)
{
	return profile->replays ? passes >= 1 : passes == 1;
}

/* Adds a metric to the last pass, or to a new one. */
static void place(struct profile *profile, struct profile_device *device, const uint8_t *available,
		  unsigned metric)
{
	const char *names[2] = { profile_metric_names[metric].name,
				 profile_metric_names[metric].other };
	char detail[160];
	int passes = -1;

	for (int i = 0; i < 2 && names[i]; i++) {
		struct profile_pass *last =
			device->passes ? &device->pass[device->passes - 1] : NULL;
		struct profile_pass alone = { .metric = { metric },
					      .name = { names[i] },
					      .count = 1 };

		passes = configure(profile, device, available, &alone);
		if (!holds(profile, passes)) {
			free(alone.config);
			continue;
		}
		if (last && last->count < PROFILE_METRICS_MAX &&
		    (!profile->group || last->count < profile->group)) {
			last->metric[last->count] = metric;
			last->name[last->count++] = names[i];
			if (holds(profile, configure(profile, device, available, last))) {
				free(alone.config);
				return;
			}
			last->count--;
			if (!holds(profile, configure(profile, device, available, last)))
				device->passes--;
		}
		if (device->passes < PROFILE_PASSES_MAX) {
			device->pass[device->passes++] = alone;
			return;
		}
		free(alone.config);
	}
	snprintf(detail, sizeof(detail),
		 passes > 1 ? "%s needs several passes on %s" : "there is no %s on %s", names[0],
		 device->chip);
	writer_loss(&recorder.writer, "not-measured", 1, detail);
}

static int prepare(struct profile *profile, struct profile_device *device, CUcontext context)
{
	CUpti_Profiler_GetCounterAvailability_Params ask = {
		.structSize = CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE,
		.ctx = context
	};
	uint8_t *available = NULL;

	if (!PROFILE_CALL(profile, cuptiProfilerGetCounterAvailability, &ask))
		return -1;
	available = calloc(1, ask.counterAvailabilityImageSize);
	ask.pCounterAvailabilityImage = available;
	if (!available || !PROFILE_CALL(profile, cuptiProfilerGetCounterAvailability, &ask)) {
		free(available);
		return -1;
	}
	for (unsigned i = 0; i < profile_metric_count; i++)
		if (!profile_metric_names[i].sass)
			place(profile, device, available, i);
	if (profile->verbose)
		fprintf(stderr, "warpreel profile: %s: counters in %u passes\n", device->chip,
			device->passes);
	/* Evaluation needs a host object that stays, and the image it was opened with. */
	if (!device->passes || open_host(profile, device, available, &device->host)) {
		free(available);
		return -1;
	}
	return 0;
}

/* How far `begin` came, to be undone from there. */
enum { NOTHING, ENABLED, STARTED, PUSHED };

static bool pop(struct profile *profile, struct profile_device *device)
{
	CUpti_RangeProfiler_PopRange_Params params = {
		.structSize = CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE,
		.pRangeProfilerObject = device->range
	};
	return PROFILE_CALL(profile, cuptiRangeProfilerPopRange, &params);
}

static bool stop(struct profile *profile, struct profile_device *device)
{
	CUpti_RangeProfiler_Stop_Params params = {
		.structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE,
		.pRangeProfilerObject = device->range
	};
	return PROFILE_CALL(profile, cuptiRangeProfilerStop, &params);
}

static int undo(struct profile *profile, struct profile_device *device)
{
	CUpti_RangeProfiler_Disable_Params disable = {
		.structSize = CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE,
		.pRangeProfilerObject = device->range
	};

	if (device->stage >= PUSHED)
		pop(profile, device);
	if (device->stage >= STARTED)
		stop(profile, device);
	if (device->stage >= ENABLED)
		PROFILE_CALL(profile, cuptiRangeProfilerDisable, &disable);
	free(device->data);
	device->data = NULL;
	device->stage = NOTHING;
	return -1;
}

static int make_data(struct profile *profile, struct profile_device *device,
		     struct profile_pass *pass)
{
	CUpti_RangeProfiler_GetCounterDataSize_Params size = {
		.structSize = CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE,
		.pRangeProfilerObject = device->range,
		.pMetricNames = pass->name,
		.numMetrics = pass->count,
		.maxNumOfRanges = RANGES,
		.maxNumRangeTreeNodes = RANGES
	};
	CUpti_RangeProfiler_CounterDataImage_Initialize_Params clear = {
		.structSize = CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE,
		.pRangeProfilerObject = device->range
	};
	CUpti_RangeProfiler_SetConfig_Params set = {
		.structSize = CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE,
		.pRangeProfilerObject = device->range,
		.configSize = pass->config_bytes,
		.pConfig = pass->config,
		.range = profile->replays ? CUPTI_AutoRange : CUPTI_UserRange,
		.replayMode = profile->replays ? CUPTI_KernelReplay : CUPTI_UserReplay,
		.maxRangesPerPass = RANGES,
		.numNestingLevels = LEVELS,
		.minNestingLevel = LEVELS,
		.passIndex = 0,
		.targetNestingLevel = LEVELS
	};

	if (!PROFILE_CALL(profile, cuptiRangeProfilerGetCounterDataSize, &size))
		return -1;
	device->data_bytes = size.counterDataSize;
	device->data = calloc(1, device->data_bytes);
	if (!device->data)
		return -1;
	clear.counterDataSize = set.counterDataImageSize = device->data_bytes;
	clear.pCounterData = set.pCounterDataImage = device->data;
	if (!PROFILE_CALL(profile, cuptiRangeProfilerCounterDataImageInitialize, &clear))
		return -1;
	return PROFILE_CALL(profile, cuptiRangeProfilerSetConfig, &set) ? 0 : -1;
}

static int begin(struct profile *profile, struct profile_device *device, CUcontext context,
		 unsigned pass)
{
	CUpti_RangeProfiler_Enable_Params enable = {
		.structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE, .ctx = context
	};
	CUpti_RangeProfiler_Start_Params start = {
		.structSize = CUpti_RangeProfiler_Start_Params_STRUCT_SIZE
	};
	CUpti_RangeProfiler_PushRange_Params push = {
		.structSize = CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE,
		.pRangeName = "launch"
	};

	device->stage = NOTHING;
	if (!PROFILE_CALL(profile, cuptiRangeProfilerEnable, &enable))
		return -1;
	device->stage = ENABLED;
	device->range = start.pRangeProfilerObject = push.pRangeProfilerObject =
		enable.pRangeProfilerObject;
	if (make_data(profile, device, &device->pass[pass]))
		return undo(profile, device);
	if (!PROFILE_CALL(profile, cuptiRangeProfilerStart, &start))
		return undo(profile, device);
	device->stage = STARTED;
	if (profile->replays) /* every launch is a range */
		return 0;
	if (!PROFILE_CALL(profile, cuptiRangeProfilerPushRange, &push))
		return undo(profile, device);
	device->stage = PUSHED;
	return 0;
}

static int write_values(struct profile *profile, struct profile_device *device, unsigned pass,
			uint32_t shape)
{
	struct profile_pass *metrics = &device->pass[pass];
	double value[PROFILE_METRICS_MAX];
	struct host_evaluate evaluate = { .size = sizeof(evaluate),
					  .host = device->host,
					  .data = device->data,
					  .data_bytes = device->data_bytes,
					  .range = 0,
					  .names = metrics->name,
					  .count = metrics->count,
					  .values = value };
	uint64_t seen = 0;

	for (unsigned i = 0; i < PROFILE_METRICS_MAX; i++)
		value[i] = NAN;
	if (!PROFILE_CALL(profile, cuptiProfilerHostEvaluateToGpuValues, &evaluate))
		return -1;
	for (unsigned i = 0; i < metrics->count; i++) {
		struct spool_profile_counter out = { .type = SPOOL_TYPE_profile_counter,
						     .size = sizeof(out),
						     .shape = shape,
						     .metric = metrics->metric[i] };

		if (profile->verbose)
			fprintf(stderr, "warpreel profile: shape %u: %s = %g\n", shape,
				metrics->name[i], value[i]);
		if (!(value[i] >= 0 && value[i] < 9e18))
			continue;
		out.value = (uint64_t)(value[i] + 0.5);
		seen |= 1ull << metrics->metric[i];
		writer_append(&recorder.writer, SPOOL_RECORDS, &out, sizeof(out), NULL, 0);
	}
	profile_write_pass(device, pass, shape, seen);
	return 0;
}

static int end(struct profile *profile, struct profile_device *device, CUcontext context,
	       unsigned pass, uint32_t shape)
{
	CUpti_RangeProfiler_DecodeData_Params decode = {
		.structSize = CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE,
		.pRangeProfilerObject = device->range
	};
	int result = -1;

	(void)context;
	device->stage = STARTED;
	if (!profile->replays && !pop(profile, device))
		return undo(profile, device);
	device->stage = ENABLED;
	if (!stop(profile, device))
		return undo(profile, device);
	if (!PROFILE_CALL(profile, cuptiRangeProfilerDecodeData, &decode))
		return undo(profile, device);
	if (decode.numOfRangeDropped)
		writer_loss(&recorder.writer, "dropped-counts", decode.numOfRangeDropped,
			    "CUPTI dropped the counters of a launch");
	else
		result = write_values(profile, device, pass, shape);
	undo(profile, device);
	return result;
}

const struct profile_collector profile_counters = { "counters", CUPTI_PROFILER_RANGE_PROFILING,
						    prepare,	begin,
						    end,	NULL };
