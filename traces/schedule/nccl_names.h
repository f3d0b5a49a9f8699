/* SPDX-License-Identifier: MIT
 * How NCCL's kernels are called.
 */
#ifndef WARPREEL_NCCL_NAMES_H
#define WARPREEL_NCCL_NAMES_H

/* What a kernel of NCCL is called besides, "AllReduce_Sum_f32_RING_LL" of ncclDevKernel_... (since
 * 2.19) or ncclKernel_... (before). NULL: it is none of NCCL's. Borrowed of the name. */
const char *nccl_kernel(const char *name);

#endif
