/* SPDX-License-Identifier: MIT
 * Around every launch of the program: which shape it is, whether a pass of it is still to be
 * measured, and if so, a quiet GPU before it and what CUPTI counted after it. Launches take turns
 * while profiling, so that no count holds two kernels.
 */
#include "recorder_profile.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "recorder_profile_launch.h"

const struct profile_metric_name profile_metric_names[] = {
#define SASS_METRIC(field, name, other) { name, other, true },
#define COUNTER_METRIC(field, name, other) { name, other, false },
#include "traces/profiles/profile_metrics.def"
#undef SASS_METRIC
#undef COUNTER_METRIC
};
const unsigned profile_metric_count =
	sizeof(profile_metric_names) / sizeof(profile_metric_names[0]);
_Static_assert(sizeof(profile_metric_names) / sizeof(profile_metric_names[0]) <=
		       PROFILE_METRICS_MAX,
	       "metrics are bits of a mask");

enum { FAILURES_MAX = 2 };

static struct profile *running; /* the annotation table takes no argument to carry it */

/* What this thread said of its next launch, and the launch it is in. */
static _Thread_local struct {
	bool set;
	struct note_footprint note;
} next;
static _Thread_local struct {
	unsigned depth;
	bool locked, measuring;
	uint32_t shape;
	unsigned pass;
	struct profile_device *device;
	CUfunction function;
} now;

bool profile_runs(void)
{
	return running != NULL;
}

void profile_footprint(const struct note_footprint *footprint)
{
	next.note = *footprint;
	next.note.kernel[sizeof(next.note.kernel) - 1] = 0;
	next.set = true;
}

/* ---- what went wrong ---- */

static void end_profile(struct profile *profile, const char *why)
{
	if (!profile->broken) {
		fprintf(stderr, "warpreel recorder: %s; the program runs on, unprofiled\n", why);
		writer_meta(&recorder.writer, "error", why);
	}
	profile->broken = true;
}

bool profile_did(struct profile *profile, CUptiResult result, const char *call)
{
	char text[256];

	if (result == CUPTI_SUCCESS)
		return true;
	snprintf(text, sizeof(text), "%s: %s", call, cupti_text(&recorder.cupti, result));
	if (profile->verbose)
		fprintf(stderr, "warpreel profile: %s\n", text);
	writer_loss(&recorder.writer, "failed-call", 1, text);
	if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ||
	    result == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES) {
		end_profile(profile,
			    "no permission to read the GPU's counters (root has it; the driver's "
			    "option NVreg_RestrictProfilingToAdminUsers=0 gives it to all)");
	} else if (result == CUPTI_ERROR_HARDWARE_BUSY) {
		end_profile(profile, "the GPU's counters are in use by another profiler");
	} else if (++profile->failed >= 64) {
		snprintf(text, sizeof(text), "CUPTI keeps failing (%s: %s)", call,
			 cupti_text(&recorder.cupti, result));
		end_profile(profile, text);
	}
	return false;
}

/* ---- devices ---- */

static void initialize(struct profile *profile)
{
	CUpti_Profiler_Initialize_Params start = {
		.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE
	};

	if (profile->initialized)
		return;
	profile->initialized = PROFILE_CALL(profile, cuptiProfilerInitialize, &start);
}

static int compute(struct profile *profile, CUdevice_attribute name, uint32_t device)
{
	CUdevice handle;
	int value = 0;

	if (profile->calls.cuDeviceGet(&handle, (int)device) == CUDA_SUCCESS)
		profile->calls.cuDeviceGetAttribute(&value, name, handle);
	return value;
}

static void prepare_device(struct profile *profile, struct profile_device *device, uint32_t index,
			   CUcontext context)
{
	CUpti_Device_GetChipName_Params chip = {
		.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE, .deviceIndex = index
	};
	CUpti_Profiler_DeviceSupported_Params support = {
		.structSize = CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE,
		.cuDevice = (CUdevice)index,
		.api = profile->collector->api
	};

	device->prepared = true;
	device->index = index;
	device->compute_major =
		(uint32_t)compute(profile, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, index);
	device->compute_minor =
		(uint32_t)compute(profile, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, index);
	initialize(profile);
	if (!profile->initialized || !PROFILE_CALL(profile, cuptiDeviceGetChipName, &chip))
		return;
	device->chip = strdup(chip.pChipName);
	if (PROFILE_CALL(profile, cuptiProfilerDeviceSupported, &support) &&
	    support.isSupported != CUPTI_PROFILER_CONFIGURATION_SUPPORTED)
		writer_loss(
			&recorder.writer, "failed-call", 1,
			"cuptiProfilerDeviceSupported: CUPTI says that it cannot profile this GPU");
	device->usable = profile->collector->prepare(profile, device, context) == 0;
	if (!device->usable)
		end_profile(profile, "CUPTI takes none of the counters on this GPU");
}

static struct profile_device *device_of(struct profile *profile, CUcontext context)
{
	uint32_t index;

	if (!PROFILE_CALL(profile, cuptiGetDeviceId, context, &index) ||
	    index >= PROFILE_DEVICES_MAX)
		return NULL;
	if (!profile->device[index].prepared)
		prepare_device(profile, &profile->device[index], index, context);
	return profile->device[index].usable ? &profile->device[index] : NULL;
}

/* ---- launches ---- */

static bool capturing(struct profile *profile, CUstream stream)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

	return profile->calls.cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS &&
	       status != CU_STREAM_CAPTURE_STATUS_NONE;
}

/* Decides about this launch; when it is to be measured, counting has begun. */
static void decide(struct profile *profile, const struct launch_call *call,
		   const CUpti_CallbackData *data, const struct note_footprint *note)
{
	struct profile_shape *shape;
	struct profile_device *device;
	uint32_t number;

	if (!data->context || !data->symbolName) {
		atomic_fetch_add(&profile->early, 1);
		return;
	}
	number = profile_find_shape(profile, data->symbolName, call, note);
	if (number == SPOOL_NONE)
		return;
	shape = &profile->shape[number];
	if (shape->failures > FAILURES_MAX)
		return;
	if (capturing(profile, call->stream)) {
		atomic_fetch_add(&profile->capturing, 1);
		return;
	}
	device = device_of(profile, data->context);
	if (!device || shape->passes_done >= device->passes)
		return;
	if (profile->calls.cuCtxSynchronize() != CUDA_SUCCESS)
		return;
	if (profile->collector->begin(profile, device, data->context, shape->passes_done)) {
		shape->failures++;
		return;
	}
	now.measuring = true;
	now.shape = number;
	now.pass = shape->passes_done;
	now.device = device;
	now.function = call->function;
}

static void consider(struct profile *profile, const struct launch_call *call,
		     const CUpti_CallbackData *data, const struct note_footprint *note)
{
	decide(profile, call, data, note);
	profile->stray |= !now.measuring;
}

static void conclude(struct profile *profile, const CUpti_CallbackData *data)
{
	struct profile_shape *shape = &profile->shape[now.shape];

	now.measuring = false;
	profile_write_shape(profile, now.shape, now.device, now.function);
	profile->calls.cuCtxSynchronize();
	if (profile->collector->end(profile, now.device, data->context, now.pass, now.shape))
		shape->failures++;
	else
		shape->passes_done++;
}

static void on_launch(struct profile *profile, const struct launch_id *id,
		      const CUpti_CallbackData *data)
{
	struct launch_call call = { .function = NULL };

	if (data->callbackSite == CUPTI_API_ENTER) {
		if (id->read)
			id->read(data->functionParams, &call);
		if (now.depth++) { /* the driver's call within the runtime's: it knows the function
				    */
			if (now.measuring && call.function)
				now.function = call.function;
			return;
		}
		pthread_mutex_lock(&profile->lock);
		now.locked = true;
		if (!id->read)
			atomic_fetch_add(&profile->graphs, 1);
		else if (!profile->broken)
			consider(profile, &call, data, next.set ? &next.note : NULL);
		next.set = false;
		return;
	}
	if (!now.depth || --now.depth)
		return;
	if (now.measuring)
		conclude(profile, data);
	if (now.locked)
		pthread_mutex_unlock(&profile->lock);
	now.locked = false;
}

static void leave_context(struct profile *profile, CUcontext context)
{
	pthread_mutex_lock(&profile->lock);
	for (unsigned i = 0; profile->collector->leave && i < PROFILE_DEVICES_MAX; i++)
		if (profile->device[i].usable)
			profile->collector->leave(profile, &profile->device[i], context);
	pthread_mutex_unlock(&profile->lock);
}

static void CUPTIAPI on_callback(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
				 const void *data)
{
	struct profile *profile = user;
	const struct launch_id *launch;

	if (!running)
		return;
	if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
		const CUpti_ResourceData *resource = data;

		if (id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED)
			initialize(profile);
		else if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
			leave_context(profile, resource->context);
		else if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED)
			profile_keep_cubin(profile, resource->resourceDescriptor);
		return;
	}
	launch = launch_find(domain, id);
	if (launch)
		on_launch(profile, launch, data);
}

/* ---- begin and end ---- */

static void at_exit(void)
{
	struct profile *profile = running;
	unsigned skipped = 0;
	char number[16], others[2048];

	if (!profile)
		return;
	const struct {
		const char *kind;
		uint64_t count;
		const char *detail;
	} loss[] = {
		{ "unprofiled-launches", atomic_load(&profile->capturing),
		  "launches into a stream that was being captured" },
		{ "unprofiled-launches", atomic_load(&profile->graphs), "launches of graphs" },
		{ "unprofiled-launches", atomic_load(&profile->early),
		  "launches before there was a context" },
	};

	running = NULL;
	for (uint32_t i = 0; i < profile->shape_count; i++)
		skipped += profile->shape[i].skipped;
	snprintf(number, sizeof(number), "%u", skipped);
	writer_meta(&recorder.writer, "skipped_grids", number);
	profile_list_others(profile, others, sizeof(others));
	if (!profile->shape_count && *others)
		writer_meta(&recorder.writer, "other_kernels", others);
	for (size_t i = 0; i < sizeof(loss) / sizeof(loss[0]); i++)
		if (loss[i].count)
			writer_loss(&recorder.writer, loss[i].kind, loss[i].count, loss[i].detail);
	identity_write_time(SPOOL_TIME_END);
	writer_close(&recorder.writer);
}

static void in_child(void)
{
	running = NULL;
	recorder.writer.fd = -1;
}

static int find_functions(struct profile_calls *calls, char *why, size_t why_bytes)
{
	const struct {
		const char *name;
		void *slot;
		bool driver;
	} find[] = {
#define PROFILE_FIND(function) { #function, &calls->function, false },
		PROFILE_CUPTI_FUNCTIONS(PROFILE_FIND)
#undef PROFILE_FIND
#define PROFILE_FIND(function) { #function, &calls->function, true },
			PROFILE_DRIVER_FUNCTIONS(PROFILE_FIND)
#undef PROFILE_FIND
	};
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);

	if (!driver) {
		snprintf(why, why_bytes, "there is no NVIDIA driver on this machine");
		return -1;
	}
	for (size_t i = 0; i < sizeof(find) / sizeof(find[0]); i++) {
		void *symbol = find[i].driver ? dlsym(driver, find[i].name)
					      : cupti_symbol(&recorder.cupti, find[i].name);

		memcpy(find[i].slot, &symbol, sizeof(symbol));
		if (!symbol) {
			snprintf(why, why_bytes, "%s has no function %s",
				 find[i].driver ? "the driver" : "libcupti", find[i].name);
			return -1;
		}
	}
	return 0;
}

static int watch(struct profile *profile, char *why, size_t why_bytes)
{
	static const CUpti_CallbackId resources[] = { CUPTI_CBID_RESOURCE_CONTEXT_CREATED,
						      CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
						      CUPTI_CBID_RESOURCE_MODULE_LOADED };
	/* Where the launch is met: at the call of the runtime, or only at the driver's within it.
	 */
	const char *level = getenv("WARPREEL_PROFILE_LEVEL");
	bool runtime = !level || strcmp(level, "driver") != 0;

	if (cupti_subscribe(&recorder.cupti, &recorder.subscriber, on_callback, profile, why,
			    why_bytes))
		return -1;
	for (size_t i = 0; i < sizeof(resources) / sizeof(resources[0]); i++)
		profile_did(profile,
			    recorder.cupti.cuptiEnableCallback(
				    1, recorder.subscriber, CUPTI_CB_DOMAIN_RESOURCE, resources[i]),
			    "cuptiEnableCallback (resources)");
	for (const struct launch_id *at = launch_ids; at->domain != CUPTI_CB_DOMAIN_INVALID; at++)
		if (runtime || at->domain != CUPTI_CB_DOMAIN_RUNTIME_API)
			profile_did(profile,
				    recorder.cupti.cuptiEnableCallback(1, recorder.subscriber,
								       at->domain, at->id),
				    "cuptiEnableCallback (launches)");
	return 0;
}

/* "gx,gy,gz,bx,by,bz,shared" */
static void take_one_shape(struct profile *profile, const char *text)
{
	uint32_t *of = profile->only;

	profile->only_one = text && sscanf(text, "%u,%u,%u,%u,%u,%u,%u", &of[0], &of[1], &of[2],
					   &of[3], &of[4], &of[5], &of[6]) == 7;
}

void profile_start(const char *mode)
{
	static const struct profile_collector *const collectors[] = { &profile_sass,
								      &profile_counters };
	const char *kernels = getenv("WARPREEL_PROFILE_KERNELS");
	struct profile *profile = calloc(1, sizeof(*profile));
	char why[256] = "no memory";

	for (size_t i = 0; profile && i < sizeof(collectors) / sizeof(collectors[0]); i++)
		if (!strcmp(mode, collectors[i]->name))
			profile->collector = collectors[i];
	if (profile && !profile->collector)
		snprintf(why, sizeof(why), "WARPREEL_PROFILE is 'sass' or 'counters', not '%.40s'",
			 mode);
	if (profile && profile->collector && !find_functions(&profile->calls, why, sizeof(why))) {
		pthread_mutex_init(&profile->lock, NULL);
		pthread_mutex_init(&profile->cubin_lock, NULL);
		profile->kernels = kernels && *kernels ? strdup(kernels) : NULL;
		profile->verbose = environment_long("WARPREEL_PROFILE_VERBOSE", 0, 0, 1) != 0;
		profile->lazy = environment_long("WARPREEL_PROFILE_LAZY", 1, 0, 1) != 0;
		take_one_shape(profile, getenv("WARPREEL_PROFILE_SHAPE"));
		profile->replays = environment_long("WARPREEL_PROFILE_REPLAY", 0, 0, 1) != 0;
		profile->group = (unsigned)environment_long("WARPREEL_PROFILE_GROUP", 0, 0,
							    PROFILE_METRICS_MAX);
		profile->part = (unsigned)environment_long("WARPREEL_PROFILE_PART", 0, 0,
							   PROFILE_METRICS_MAX);
		profile->grids =
			(unsigned)environment_long("WARPREEL_PROFILE_GRIDS", 0, 0, 1 << 20);
		writer_meta(&recorder.writer, "profile", mode);
		if (!watch(profile, why, sizeof(why))) {
			pthread_atfork(NULL, NULL, in_child);
			running = profile;
			if (atexit(at_exit))
				writer_loss(&recorder.writer, "not-recorded", 1,
					    "no exit handler: the end will be missing");
			return;
		}
	}
	fprintf(stderr, "warpreel recorder: %s; the program runs unprofiled\n", why);
	writer_meta(&recorder.writer, "error", why);
	writer_close(&recorder.writer);
	free(profile);
}
