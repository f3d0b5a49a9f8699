/* SPDX-License-Identifier: MIT
 * What the files of the cpu machine share. A thread's `state` is NULL, or counts its launches and
 * copies while machine_cpu_time.c times them.
 */
#ifndef WARPREEL_MACHINE_CPU_H
#define WARPREEL_MACHINE_CPU_H

#include "machine_timing.h"

extern const struct machine_timing_ops machine_cpu_timing;

int machine_cpu_event(struct machine *m, uint32_t gpu, uint32_t *event);
int machine_cpu_elapsed(struct machine *m, uint32_t first, uint32_t second, double *ns);

#endif
