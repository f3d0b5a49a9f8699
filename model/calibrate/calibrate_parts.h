/* SPDX-License-Identifier: MIT
 * What a calibration measures, by the names of --parts and --only, and which sections of a platform
 * file come of it.
 */
#ifndef WARPREEL_CALIBRATE_PARTS_H
#define WARPREEL_CALIBRATE_PARTS_H

#include "calibrate.h"
#include "calibrate_results.h"

enum {
	ALL_PARTS = CALIBRATE_HOST | CALIBRATE_STREAM | CALIBRATE_COPY | CALIBRATE_DOORBELL |
		    CALIBRATE_MEMORY | CALIBRATE_LINKS | CALIBRATE_SM | CALIBRATE_POLL |
		    CALIBRATE_PEER_EXCHANGE,
	WHOLE_SECTIONS = CALIBRATE_DOORBELL | CALIBRATE_POLL | CALIBRATE_PEER_EXCHANGE |
			 CALIBRATE_MEMORY | CALIBRATE_SM
}; /* a part gives all keys of its sections */

/* Names with commas between to bits; -1 after a message naming the option. */
int parts_parse(const char *option, const char *list, unsigned *bits);

/* Leaves the sections of the parts asked for, and [platform] and [device]. -1 after a message when
 * no file, of those that `files` names, has any of a part's. */
int parts_keep(struct results *merged, unsigned bits, const char *files);

#endif
