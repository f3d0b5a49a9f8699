/* SPDX-License-Identifier: MIT
 * CUPTI's profiler host API, as much of it as we call. Declared here because cupti_profiler_host.h
 * of CUDA 13.0 includes a header of C++ and cannot be read by a C compiler. Names and layouts are
 * CUPTI's; a size is that of the members up to the last.
 */
#ifndef WARPREEL_RECORDER_PROFILE_HOST_H
#define WARPREEL_RECORDER_PROFILE_HOST_H

#include <stddef.h>
#include <stdint.h>
#include <cupti_result.h>

typedef struct CUpti_Profiler_Host_Object CUpti_Profiler_Host_Object;
enum { HOST_RANGE_PROFILER = 0 }; /* CUPTI_PROFILER_TYPE_RANGE_PROFILER */

struct host_initialize {
	size_t size;
	void *priv;
	int type;
	const char *chip;
	const uint8_t *available;
	CUpti_Profiler_Host_Object *host; /* out */
};
struct host_object {
	size_t size;
	void *priv;
	CUpti_Profiler_Host_Object *host;
};
struct host_add_metrics {
	size_t size;
	void *priv;
	CUpti_Profiler_Host_Object *host;
	const char **names;
	size_t count;
};
struct host_config_size {
	size_t size;
	void *priv;
	CUpti_Profiler_Host_Object *host;
	size_t bytes; /* out */
};
struct host_config {
	size_t size;
	void *priv;
	CUpti_Profiler_Host_Object *host;
	size_t bytes;
	uint8_t *image;
};
struct host_passes {
	size_t size;
	void *priv;
	size_t bytes;
	uint8_t *image;
	size_t passes; /* out */
};
struct host_evaluate {
	size_t size;
	void *priv;
	CUpti_Profiler_Host_Object *host;
	const uint8_t *data;
	size_t data_bytes, range;
	const char **names;
	size_t count;
	double *values; /* out */
};

CUptiResult cuptiProfilerHostInitialize(struct host_initialize *);
CUptiResult cuptiProfilerHostDeinitialize(struct host_object *);
CUptiResult cuptiProfilerHostConfigAddMetrics(struct host_add_metrics *);
CUptiResult cuptiProfilerHostGetConfigImageSize(struct host_config_size *);
CUptiResult cuptiProfilerHostGetConfigImage(struct host_config *);
CUptiResult cuptiProfilerHostGetNumOfPasses(struct host_passes *);
CUptiResult cuptiProfilerHostEvaluateToGpuValues(struct host_evaluate *);

#endif
