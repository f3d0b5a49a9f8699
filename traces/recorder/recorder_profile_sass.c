/* SPDX-License-Identifier: MIT
 * Counts of every instruction by CUPTI's SASS metrics: CUPTI patches the function's code when it is
 * launched. All launches from the first measured one on run patched code. The configuration is set
 * once and stays: CUPTI 13.0 refuses every further one with "out of memory", also after the first
 * was unset.
 */
#include "recorder_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static CUptiResult set_config(struct profile *profile, const struct profile_device *device,
			      const struct profile_pass *pass)
{
	CUpti_SassMetrics_Config config[PROFILE_METRICS_MAX];
	CUpti_SassMetricsSetConfig_Params set = {
		.structSize = CUpti_SassMetricsSetConfig_Params_STRUCT_SIZE,
		.numOfMetricConfig = pass->count,
		.pConfigs = config,
		.deviceIndex = device->index
	};

	memset(config, 0, sizeof(config));
	for (unsigned i = 0; i < pass->count; i++) {
		config[i].metricId = pass->id[i];
		config[i].outputGranularity = CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU;
	}
	return profile->calls.cuptiSassMetricsSetConfig(&set);
}

/* The chip's own name of a metric. */
static bool find_metric(struct profile *profile, const struct profile_device *device,
			unsigned metric, uint64_t *id)
{
	const char *names[2] = { profile_metric_names[metric].name,
				 profile_metric_names[metric].other };
	char detail[160];

	for (int i = 0; i < 2 && names[i]; i++) {
		CUpti_SassMetrics_GetProperties_Params ask = {
			.structSize = CUpti_SassMetrics_GetProperties_Params_STRUCT_SIZE,
			.pChipName = device->chip,
			.pMetricName = names[i]
		};
		CUptiResult result = profile->calls.cuptiSassMetricsGetProperties(&ask);

		if (result == CUPTI_SUCCESS) {
			*id = ask.metric.metricId;
			return true;
		}
		if (profile->verbose)
			fprintf(stderr, "warpreel profile: %s on %s: %s\n", names[i], device->chip,
				cupti_text(&recorder.cupti, result));
	}
	snprintf(detail, sizeof(detail), "%s has no metric %s", device->chip, names[0]);
	writer_loss(&recorder.writer, "not-measured", 1, detail);
	return false;
}

/* The part of all metrics that is this run's. */
static void take_part(struct profile_pass *out, const struct profile_pass *all, unsigned part,
		      unsigned size)
{
	memset(out, 0, sizeof(*out));
	for (unsigned i = part * size; i < all->count && i < (part + 1) * size; i++) {
		out->metric[out->count] = all->metric[i];
		out->id[out->count++] = all->id[i];
	}
}

/* Says how many runs it takes, so that the wrapper makes the others. */
static void say_parts(const struct profile *profile, unsigned size, unsigned parts)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", parts);
	writer_meta(&recorder.writer, "sass_runs", number);
	snprintf(number, sizeof(number), "%u", size);
	writer_meta(&recorder.writer, "sass_metrics_a_run", number);
	if (profile->part >= parts)
		writer_loss(&recorder.writer, "not-measured", 1,
			    "WARPREEL_PROFILE_PART is past the last part of the metrics");
}

static int prepare(struct profile *profile, struct profile_device *device, CUcontext context)
{
	struct profile_pass all = { .count = 0 }, *pass = &device->pass[0];
	CUptiResult result;
	unsigned size, parts;

	(void)context;
	for (unsigned i = 0; i < profile_metric_count; i++)
		if (profile_metric_names[i].sass &&
		    find_metric(profile, device, i, &all.id[all.count]))
			all.metric[all.count++] = i;
	if (!all.count)
		return -1;
	size = profile->group && profile->group < all.count ? profile->group : all.count;
	for (;;) {
		take_part(pass, &all, profile->part, size);
		parts = (all.count + size - 1) / size;
		if (!pass->count) {
			say_parts(profile, size, parts);
			return -1;
		}
		result = set_config(profile, device, pass);
		if (result == CUPTI_SUCCESS || size == 1)
			break;
		if (profile->verbose)
			fprintf(stderr,
				"warpreel profile: cuptiSassMetricsSetConfig, %u metrics: %s\n",
				pass->count, cupti_text(&recorder.cupti, result));
		size = (size + 1) / 2;
	}
	if (!profile_did(profile, result, "cuptiSassMetricsSetConfig"))
		return -1;
	profile->group = size; /* what one GPU took, the next is not asked to exceed */
	device->passes = 1;
	say_parts(profile, size, parts);
	if (profile->verbose)
		fprintf(stderr,
			"warpreel profile: %s: %u of %u SASS metrics in this run, part %u of %u\n",
			device->chip, pass->count, all.count, profile->part + 1, parts);
	return 0;
}

static int metric_of(const struct profile_pass *pass, uint64_t id)
{
	for (unsigned i = 0; i < pass->count; i++)
		if (pass->id[i] == id)
			return (int)i;
	return -1;
}

/* The counts that are not 0, as records; returns which metrics of the pass appeared. */
static uint64_t write_counts(const struct profile_pass *pass, const CUpti_SassMetrics_Data *data,
			     size_t records, size_t instances, uint32_t shape)
{
	enum { CHUNK = 1024 };
	struct spool_profile_instruction *out = calloc(CHUNK, sizeof(*out));
	uint64_t seen = 0;
	size_t count = 0;

	for (size_t i = 0; out && i < records; i++) {
		uint32_t function = writer_string(&recorder.writer, data[i].functionName);

		for (size_t j = 0; j < instances; j++) {
			const CUpti_SassMetrics_InstanceValue *value = &data[i].pInstanceValues[j];
			int metric = metric_of(pass, value->metricId);

			if (metric < 0)
				continue;
			seen |= 1ull << pass->metric[metric];
			if (!value->value)
				continue;
			out[count++] = (struct spool_profile_instruction){
				.type = SPOOL_TYPE_profile_instruction,
				.size = sizeof(*out),
				.shape = shape,
				.function = function,
				.metric = pass->metric[metric],
				.cubin_crc = data[i].cubinCrc,
				.offset = data[i].pcOffset,
				.value = value->value
			};
			if (count == CHUNK) {
				writer_append(&recorder.writer, SPOOL_RECORDS, out,
					      count * sizeof(*out), NULL, 0);
				count = 0;
			}
		}
	}
	if (count)
		writer_append(&recorder.writer, SPOOL_RECORDS, out, count * sizeof(*out), NULL, 0);
	free(out);
	return seen;
}

/* Takes what CUPTI counted; `discard`: and throws it away. */
static int flush(struct profile *profile, const struct profile_device *device, CUcontext context,
		 unsigned pass, uint32_t shape, bool discard)
{
	const struct profile_pass *metrics = &device->pass[pass];
	CUpti_SassMetricsGetDataProperties_Params properties = {
		.structSize = CUpti_SassMetricsGetDataProperties_Params_STRUCT_SIZE, .ctx = context
	};
	CUpti_SassMetricsFlushData_Params take = {
		.structSize = CUpti_SassMetricsFlushData_Params_STRUCT_SIZE, .ctx = context
	};
	CUpti_SassMetrics_InstanceValue *value;
	CUpti_SassMetrics_Data *data;
	size_t records, room;
	uint64_t seen;
	int result = -1;

	if (!PROFILE_CALL(profile, cuptiSassMetricsGetDataProperties, &properties))
		return -1;
	records = properties.numOfPatchedInstructionRecords;
	/* Whether `instances` counts one metric's or all metrics' is not said: there is room for
	 * both. */
	room = properties.numOfInstances * metrics->count;
	if (discard && (!records || !room))
		return 0;
	if (profile->verbose)
		fprintf(stderr,
			"warpreel profile: shape %u pass %u: %zu records of %zu instances\n", shape,
			pass, records, properties.numOfInstances);
	if (!records || !room) {
		writer_loss(&recorder.writer, "not-measured", 1,
			    "CUPTI patched no instruction of a launch");
		return -1;
	}
	data = calloc(records, sizeof(*data));
	value = malloc(records * room * sizeof(*value));
	if (data && value) {
		memset(value, 0xff, records * room * sizeof(*value));
		for (size_t i = 0; i < records; i++) {
			data[i].structSize = sizeof(data[i]);
			data[i].pInstanceValues = value + i * room;
		}
		take.numOfPatchedInstructionRecords = records;
		take.numOfInstances = properties.numOfInstances;
		take.pMetricsData = data;
		if (PROFILE_CALL(profile, cuptiSassMetricsFlushData, &take)) {
			if (!discard) {
				seen = write_counts(metrics, data, records, room, shape);
				profile_write_pass(device, pass, shape, seen);
			}
			result = 0;
			for (size_t i = 0; i < records; i++)
				free((void *)(uintptr_t)data[i].functionName);
		}
	}
	free(value);
	free(data);
	return result;
}

/*
 * Patched once and for good: CUPTI 13.0 patches nothing after the first Disable. So launches that
 * are not measured are counted too, and what has piled up is thrown away before one that is; but
 * only then: a flush with nothing to give ends the counting.
 */
static int begin(struct profile *profile, struct profile_device *device, CUcontext context,
		 unsigned pass)
{
	CUpti_SassMetricsEnable_Params enable = {
		.structSize = CUpti_SassMetricsEnable_Params_STRUCT_SIZE,
		.ctx = context,
		.enableLazyPatching = profile->lazy
	};

	if (device->context == context) {
		bool stray = profile->stray;

		profile->stray = false;
		return stray ? flush(profile, device, context, pass, 0, true) : 0;
	}
	if (!PROFILE_CALL(profile, cuptiSassMetricsEnable, &enable))
		return -1;
	device->context = context;
	return 0;
}

static int end(struct profile *profile, struct profile_device *device, CUcontext context,
	       unsigned pass, uint32_t shape)
{
	return flush(profile, device, context, pass, shape, false);
}

const struct profile_collector profile_sass = { "sass",	 CUPTI_PROFILER_SASS_METRICS,
						prepare, begin,
						end,	 NULL };
