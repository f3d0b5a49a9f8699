/* SPDX-License-Identifier: MIT
 * What a recorder that stands in for libwarpreel-recorder.so was told.
 */
#ifndef WARPREEL_STANDIN_RECORDER_H
#define WARPREEL_STANDIN_RECORDER_H

#include <stdint.h>
#include "traces/format/annotate.h"

struct standin_note {
	enum note_host_kind kind;
	uint32_t object;
	int64_t value;
	uint64_t start_ns, end_ns;
};
/* The last that was hidden, and the last of another kind. */
extern struct standin_note standin_note_last, standin_hidden_last;
extern struct note_collective standin_collective[64]; /* the last, numbered as they came */
extern int standin_collectives;
extern struct note_message standin_message[64]; /* the last, numbered as they came */
extern int standin_messages;
extern int standin_notes[16];	  /* by kind: how many */
extern int standin_device_of[16]; /* by number of the context; 0: none of the virtual ones */

/* The library's, which is preloaded: what a recorder asks for at its end. */
void warpreel_virtual_flush(void) __attribute__((weak));

#endif
