/* SPDX-License-Identifier: MIT
 * CUPTI as a table of functions, opened at run time. A target may bring a libcupti of its own (a
 * framework's wheel does): the one that is already there is used, and no library path of the target
 * is changed, which could move its other CUDA libraries too.
 */
#ifndef WARPREEL_RECORDER_CUPTI_H
#define WARPREEL_RECORDER_CUPTI_H

#include <stddef.h>
#include <stdint.h>
#include <cuda.h>
#include <cupti.h>

#pragma GCC visibility push(hidden)
/* clang-format off */
#define CUPTI_FUNCTIONS(X) \
	X(cuptiGetVersion) X(cuptiGetTimestamp) X(cuptiGetResultString) \
	X(cuptiGetCallbackName) X(cuptiSubscribe_v2) X(cuptiUnsubscribe) \
	X(cuptiEnableCallback) X(cuptiActivityRegisterCallbacks) X(cuptiActivityEnable) \
	X(cuptiActivityEnableRuntimeApi) X(cuptiActivityEnableDriverApi) \
	X(cuptiActivityEnableAllSyncRecords) \
	X(cuptiActivityEnableCudaEventDeviceTimestamps) X(cuptiActivitySetAttribute) \
	X(cuptiActivityGetNextRecord) X(cuptiActivityGetNumDroppedRecords) \
	X(cuptiActivityFlushAll) X(cuptiActivityFlushPeriod) X(cuptiSetThreadIdType) \
	X(cuptiGetContextId) X(cuptiGetStreamIdEx)
/* clang-format on */

struct cupti {
	void *library;
	uint32_t version;
#define CUPTI_MEMBER(name) __typeof__(name) *name;
	CUPTI_FUNCTIONS(CUPTI_MEMBER)
#undef CUPTI_MEMBER
};

/* Opens CUPTI and fills the table. Returns 0, or -1 with one sentence in `why`. */
int cupti_open(struct cupti *cupti, char *why, size_t why_bytes);
/* Any other symbol of the library; NULL when it has none of that name. */
void *cupti_symbol(const struct cupti *cupti, const char *name);
/* Subscribes, which is also how we learn that another tool holds CUPTI. Returns 0, or -1 with one
 * sentence in `why`. */
int cupti_subscribe(const struct cupti *cupti, CUpti_SubscriberHandle *subscriber,
		    CUpti_CallbackFunc callback, void *user, char *why, size_t why_bytes);
/* A result in words: "CUPTI_ERROR_NOT_COMPATIBLE". */
const char *cupti_text(const struct cupti *cupti, CUptiResult result);

#pragma GCC visibility pop
#endif
