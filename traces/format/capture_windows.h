/* SPDX-License-Identifier: MIT
 * When a process captured a stream into a graph. It is a stream that is captured, whoever launches
 * into it (PyTorch's backward pass does from a thread of its own), and API records do not name
 * streams: any call of the process made meanwhile may have been.
 *
 * A capture that ends on another thread than it began on (a relaxed one may) is not seen.
 */
#ifndef WARPREEL_CAPTURE_WINDOWS_H
#define WARPREEL_CAPTURE_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture_window {
	int64_t process, from_ns, to_ns;
};
struct capture_windows {
	struct capture_window *window; /* after capture_windows_finish sorted, none overlapping
					  another of its process */
	size_t count, capacity;
	int64_t *open_ns; /* begins on this thread whose ends have not come */
	size_t opened, open_capacity;
};

/* Calls of a thread in the order of time, thread after thread; captures may lie within each other.
 * All zero is an empty list. */
void capture_windows_thread(struct capture_windows *list);
void capture_windows_begin(struct capture_windows *list, int64_t at_ns);
void capture_windows_end(struct capture_windows *list, int64_t process, int64_t at_ns);

void capture_windows_finish(struct capture_windows *list);
bool capture_windows_hold(const struct capture_windows *list, int64_t process, int64_t at_ns);
void capture_windows_release(struct capture_windows *list);

#endif
