/* SPDX-License-Identifier: MIT
 * One configuration measured, for commands of other rooms (struct program).
 */
#ifndef WARPREEL_MEASURE_RUN_H
#define WARPREEL_MEASURE_RUN_H

#include <stdint.h>

/* Median of ten runs of `config` on `gpus` GPUs, after a short warm-up; -1 after a message, also
 * where a run did not converge. `backend`: of MACHINE_BACKENDS. */
int measure_run(const char *backend, const char *solver, const char *config, uint32_t gpus,
		double *core_us);

#endif
