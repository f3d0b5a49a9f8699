/* SPDX-License-Identifier: MIT
 * Messages between GPUs by what every machine has: copies into the peer's receive buffer, ordered
 * by events, where counters say that an event has been recorded. What machines without a library
 * for messages do.
 */
#ifndef WARPREEL_MACHINE_MESSAGES_H
#define WARPREEL_MACHINE_MESSAGES_H

#include "machine.h"

struct machine_pair_of_gpus;
struct machine_messages {
	uint32_t gpus;
	struct machine_pair_of_gpus *pair; /* [from * gpus + to] */
};

/* Begins as all zeros. Makes events and counters, once; -1 after a message. */
int machine_messages_make(struct machine_messages *messages, struct machine *m, uint32_t gpus);
void machine_messages_release(struct machine_messages *messages);
/* As struct machine_ops says, but that the thread waits until its peers have asked, too. */
int machine_messages_pass(struct machine_messages *messages, struct machine_thread *t,
			  uint32_t stream, const struct machine_message *message, uint32_t count);

#endif
