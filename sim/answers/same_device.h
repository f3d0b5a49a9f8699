/* SPDX-License-Identifier: MIT
 * What a kernel does on a device is the same in every machine that has it: profiles that ship serve
 * a platform that was calibrated elsewhere, or a file under another name.
 */
#ifndef WARPREEL_SAME_DEVICE_H
#define WARPREEL_SAME_DEVICE_H

#include "model/platform/platform.h"

/* The shipped platform of the same device (device.name) that has kernel profiles, the first by
 * name; NULL: there is none. Owned by the caller. */
char *same_device(const struct platform *platform);

/* The same of one whose multiprocessors run the same code (sm.isa): what its kernels did is counted
 * alike, how long it takes is not. */
char *same_code(const struct platform *platform);

#endif
