/* SPDX-License-Identifier: MIT
 * A CUDA call that must succeed: else a line that names the program and the call, and exit code 1.
 */
#ifndef WARPREEL_TESTS_CUDA_TRY_H
#define WARPREEL_TESTS_CUDA_TRY_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define TRY(call)                                                                                  \
	do {                                                                                       \
		cudaError_t error_ = (call);                                                       \
		if (error_) {                                                                      \
			fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, #call,      \
				cudaGetErrorString(error_));                                       \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

#endif
