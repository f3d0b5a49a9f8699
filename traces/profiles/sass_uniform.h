/* SPDX-License-Identifier: MIT
 * Which branches all warps of a block take alike: those whose condition comes from the block's
 * place, the launch's dimensions and its parameters alone. Where any of a thread's own place, of
 * memory or of what other lanes have goes into it, or it is set where only some warps are, they
 * are taken for each warp's own.
 */
#ifndef WARPREEL_SASS_UNIFORM_H
#define WARPREEL_SASS_UNIFORM_H

#include <stdbool.h>
#include <stddef.h>

/* text[k]: of the instruction 16 k bytes from the entry. target[k]: the instruction that a branch
 * goes to, SIZE_MAX for others. alike[k]: it is guarded, and the guard is the block's. */
void sass_uniform(const char *const *text, const size_t *target, size_t count, bool *alike);

#endif
