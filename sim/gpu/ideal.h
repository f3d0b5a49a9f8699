/* SPDX-License-Identifier: MIT
 * A device with one of its parts made ideal: no latency, no limit. What that buys is what the part
 * costs.
 */
#ifndef WARPREEL_IDEAL_H
#define WARPREEL_IDEAL_H

#include "model/device/sm_device.h"

struct ideal_part {
	const char *name, *summary;
	void (*lift)(struct sm_device *device); /* borrowed lists stay borrowed */
};
extern const struct ideal_part ideal_parts[]; /* ends with a NULL name */

#endif
