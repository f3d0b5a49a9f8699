/* SPDX-License-Identifier: MIT
 * Kernels that nobody who builds a model of kernel time looks at before the model is done: their
 * errors are the model's honest ones.
 */
#ifndef WARPREEL_UNSEEN_H
#define WARPREEL_UNSEEN_H

#include "micro.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { UNSEEN_A_PLANES = 16, UNSEEN_D_SIDE = 32 };

void unseen_a_geometry(const void *args, struct launch_geometry *geometry);
void unseen_b_geometry(const void *args, struct launch_geometry *geometry);
void unseen_c_geometry(const void *args, struct launch_geometry *geometry);
void unseen_d_geometry(const void *args, struct launch_geometry *geometry);

#ifdef __cplusplus
}
#endif
#endif
