/* SPDX-License-Identifier: MIT
 * What the parts of the driver that stands in for CUDA's share.
 */
#ifndef WARPREEL_STANDIN_CONTEXT_H
#define WARPREEL_STANDIN_CONTEXT_H

#include <stdint.h>

uintptr_t standin_current(void); /* the calling thread's context */
void standin_finish_context(uintptr_t context);

#endif
