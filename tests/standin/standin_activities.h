/* SPDX-License-Identifier: MIT
 * Buffers of activities as CUPTI hands them over: of launches and kernels, all of one length.
 */
#ifndef WARPREEL_STANDIN_ACTIVITIES_H
#define WARPREEL_STANDIN_ACTIVITIES_H

#include <cupti.h>
#include <stdint.h>

enum { LAUNCH = 1 }; /* the number of the one call there is */

static inline CUptiResult CUPTIAPI name_of(CUpti_CallbackDomain domain, uint32_t id,
					   const char **name)
{
	(void)domain;
	*name = "cudaLaunchKernel_v7000";
	return id == LAUNCH ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

union activity {
	CUpti_ActivityAPI call;
	CUpti_ActivityKernel10 kernel;
};

static inline CUptiResult CUPTIAPI next_of(uint8_t *buffer, size_t valid_bytes,
					   CUpti_Activity **record)
{
	uint8_t *next = *record ? (uint8_t *)*record + sizeof(union activity) : buffer;

	if (next >= buffer + valid_bytes)
		return CUPTI_ERROR_MAX_LIMIT_REACHED;
	*record = (CUpti_Activity *)(void *)next;
	return CUPTI_SUCCESS;
}

#endif
