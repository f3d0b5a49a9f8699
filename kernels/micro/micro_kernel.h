/* SPDX-License-Identifier: MIT
 * How the files of twins say what they have.
 */
#ifndef WARPREEL_MICRO_KERNEL_H
#define WARPREEL_MICRO_KERNEL_H

#include "micro.h"

#define MICRO_KERNEL(name_, cpu_, geometry_, buffers_, dimensions_, standard_, low_, high_,        \
		     tolerance_)                                                                   \
	extern const struct micro_kernel micro_##name_##_kernel;                                   \
	const struct micro_kernel micro_##name_##_kernel = {                                       \
		#name_,	     "micro_" #name_, cpu_, geometry_, buffers_,                           \
		dimensions_, standard_,	      low_, high_,     tolerance_                          \
	};

#endif
