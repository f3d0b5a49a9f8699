/* SPDX-License-Identifier: MIT
 * The recorder's other mode: kernels are counted instead of timed. The first launches of every
 * launch shape (function, grid, block, dynamic shared memory, and what the program says of it:
 * kernel, path, steps) are measured one after the other, one pass of counters each; every other
 * launch runs as it is. recorder_profile.c is around the launches, recorder_profile_shape.c tells
 * shapes apart, recorder_profile_cubin.c keeps their code, a collector knows one of CUPTI's two
 * counting APIs.
 */
#ifndef WARPREEL_RECORDER_PROFILE_H
#define WARPREEL_RECORDER_PROFILE_H

#include <cupti_pcsampling.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>
#include "traces/format/annotate.h"
#include "recorder.h"
#include "recorder_profile_host.h"

#pragma GCC visibility push(hidden)

/* clang-format off */
#define PROFILE_CUPTI_FUNCTIONS(X) \
	X(cuptiGetDeviceId) X(cuptiProfilerInitialize) X(cuptiProfilerDeviceSupported) \
	X(cuptiDeviceGetChipName) X(cuptiGetCubinCrc) X(cuptiSassMetricsGetProperties) \
	X(cuptiSassMetricsSetConfig) X(cuptiSassMetricsEnable) X(cuptiSassMetricsDisable) \
	X(cuptiSassMetricsGetDataProperties) X(cuptiSassMetricsFlushData) \
	X(cuptiProfilerGetCounterAvailability) X(cuptiProfilerHostInitialize) \
	X(cuptiProfilerHostDeinitialize) X(cuptiProfilerHostConfigAddMetrics) \
	X(cuptiProfilerHostGetConfigImageSize) X(cuptiProfilerHostGetConfigImage) \
	X(cuptiProfilerHostGetNumOfPasses) X(cuptiProfilerHostEvaluateToGpuValues) \
	X(cuptiRangeProfilerEnable) X(cuptiRangeProfilerDisable) \
	X(cuptiRangeProfilerSetConfig) X(cuptiRangeProfilerStart) X(cuptiRangeProfilerStop) \
	X(cuptiRangeProfilerPushRange) X(cuptiRangeProfilerPopRange) \
	X(cuptiRangeProfilerDecodeData) X(cuptiRangeProfilerGetCounterDataSize) \
	X(cuptiRangeProfilerCounterDataImageInitialize)
/* clang-format on */
/* clang-format off */
#define PROFILE_DRIVER_FUNCTIONS(X) \
	X(cuCtxSynchronize) X(cuFuncGetAttribute) X(cuStreamIsCapturing) X(cuDeviceGet) \
	X(cuDeviceGetAttribute)
/* clang-format on */

struct profile_calls {
#define PROFILE_MEMBER(name) __typeof__(name) *name;
	PROFILE_CUPTI_FUNCTIONS(PROFILE_MEMBER)
	PROFILE_DRIVER_FUNCTIONS(PROFILE_MEMBER)
#undef PROFILE_MEMBER
};

/* Numbered as in the spool: the order of profile_metrics.def. */
enum profile_metric {
#define SASS_METRIC(field, name, other) PROFILE_SASS_##field,
#define COUNTER_METRIC(field, name, other)
#include "traces/profiles/profile_metrics.def"
#undef SASS_METRIC
#undef COUNTER_METRIC
	PROFILE_SASS_METRICS
};
enum { PROFILE_METRICS_MAX = 32, PROFILE_PASSES_MAX = 32, PROFILE_DEVICES_MAX = 64 };
extern const struct profile_metric_name {
	const char *name, *other;
	bool sass;
} profile_metric_names[];
extern const unsigned profile_metric_count;

struct profile_shape {
	char *symbol;
	char kernel[32];
	uint32_t grid[3], block[3], dynamic_shared_bytes;
	int32_t path, steps;
	int64_t rows, columns, points;
	unsigned passes_done, failures;
	bool written, skipped;
};

struct profile_pass { /* which metrics, in one go */
	unsigned metric[PROFILE_METRICS_MAX], count;
	uint64_t id[PROFILE_METRICS_MAX]; /* SASS */
	const char *name[PROFILE_METRICS_MAX];
	uint8_t *config; /* counters: what is asked of the GPU */
	size_t config_bytes;
};
struct profile_device {
	bool prepared, usable;
	uint32_t index, compute_major, compute_minor;
	const char *chip;
	struct profile_pass pass[PROFILE_PASSES_MAX];
	unsigned passes;
	CUpti_Profiler_Host_Object *host;
	/* counters: of one launch; CUPTI 13.0 crashes when they are kept for the next */
	CUpti_RangeProfiler_Object *range;
	uint8_t *data;
	size_t data_bytes;
	int stage;
	CUcontext context; /* SASS: whose functions are patched; NULL = none yet */
};

struct profile;
struct profile_collector {
	const char *name;
	CUpti_Profiler_API api;
	/* Fills device->pass; -1 when nothing can be measured on it (said already). */
	int (*prepare)(struct profile *profile, struct profile_device *device, CUcontext context);
	/* Around one launch; the GPU is idle. Both undo what they did when they fail; `end` is
	 * called only after a good `begin`. */
	int (*begin)(struct profile *profile, struct profile_device *device, CUcontext context,
		     unsigned pass);
	int (*end)(struct profile *profile, struct profile_device *device, CUcontext context,
		   unsigned pass, uint32_t shape);
	/* The context is about to go; NULL: nothing to do. */
	void (*leave)(struct profile *profile, struct profile_device *device, CUcontext context);
};
extern const struct profile_collector profile_sass, profile_counters;

struct profile_cubin {
	struct profile_cubin *next;
	uint64_t crc;
	size_t bytes;
	bool written;
	char *data;
};

enum { PROFILE_OTHERS_MAX = 64 };
struct profile {
	struct profile_calls calls;
	const struct profile_collector *collector;
	struct profile_device device[PROFILE_DEVICES_MAX];
	struct profile_shape *shape;
	uint32_t shape_count, shape_capacity;
	struct profile_cubin *cubin;
	pthread_mutex_t lock; /* held from the begin to the end of every launch call: one launch at
				 a time */
	pthread_mutex_t
		cubin_lock; /* modules may be loaded within a launch, or by another thread */
	char *kernels;	    /* patterns, one a line; NULL: all */
	uint32_t only[7];   /* grid, block, dynamic shared memory of the one shape to measure */
	bool only_one;
	/* Some of the kernels that were launched and not asked for, by their bare names: owned. */
	char *other[PROFILE_OTHERS_MAX];
	uint32_t others;
	bool initialized, broken, verbose, lazy;
	bool replays;	/* counters: all passes of one launch */
	bool stray;	/* launches that are not measured ran since counts were last taken */
	unsigned group; /* metrics a pass at most; 0: as many as CUPTI takes */
	unsigned part;	/* which pass of SASS metrics is this run's */
	unsigned grids; /* of a function, block, kernel, path and steps, as many different grids are
			   measured; 0: all */
	_Atomic uint64_t capturing, graphs, early, failed;
};

/* From InitializeInjection; the spool is open. */
void profile_start(const char *mode);
bool profile_runs(void);
void profile_footprint(const struct note_footprint *footprint);

/* True when the call succeeded. Else its name and result go to the spool, once each, and the
 * profile may end there. */
bool profile_did(struct profile *profile, CUptiResult result, const char *call);
/* A module that was loaded; the lock need not be held. */
void profile_keep_cubin(struct profile *profile, const CUpti_ModuleResourceData *module);
/* The modules that have the function, each once. */
void profile_write_cubins(struct profile *profile, const char *symbol);

struct launch_call;
/* The number of the launch's shape, in profile->shape; SPOOL_NONE when it is not to be profiled.
 * `note` NULL: the program said nothing of it. */
uint32_t profile_find_shape(struct profile *profile, const char *symbol,
			    const struct launch_call *call, const struct note_footprint *note);
/* One of profile->other, as a program calls it: "others" of them, a line each, at most `bytes`. */
void profile_list_others(const struct profile *profile, char *lines, size_t bytes);
/* Records of the present launch: its shape, once, with its code, and one pass of its counts. */
void profile_write_shape(struct profile *profile, uint32_t number,
			 const struct profile_device *device, CUfunction function);
void profile_write_pass(const struct profile_device *device, unsigned pass, uint32_t shape,
			uint64_t metrics);
#define PROFILE_CALL(profile, function, ...)                                                       \
	profile_did((profile), (profile)->calls.function(__VA_ARGS__), #function)

#pragma GCC visibility pop
#endif
