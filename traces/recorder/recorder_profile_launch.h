/* SPDX-License-Identifier: MIT
 * What a launch call asks for, read from its arguments (structs of cupti.h).
 */
#ifndef WARPREEL_RECORDER_PROFILE_LAUNCH_H
#define WARPREEL_RECORDER_PROFILE_LAUNCH_H

#include "recorder_cupti.h"

#pragma GCC visibility push(hidden)

struct launch_call {
	uint32_t grid[3], block[3];
	uint64_t dynamic_shared_bytes;
	CUstream stream;
	CUfunction function; /* NULL: a call of the runtime, which does not name it */
};
/* Every call that launches a kernel or a graph, so that it can be watched: ids end with domain
 * CUPTI_CB_DOMAIN_INVALID. */
struct launch_id {
	CUpti_CallbackDomain domain;
	CUpti_CallbackId id;
	void (*read)(const void *parameters, struct launch_call *call);
};
extern const struct launch_id launch_ids[];
const struct launch_id *launch_find(CUpti_CallbackDomain domain, CUpti_CallbackId id);

#pragma GCC visibility pop
#endif
