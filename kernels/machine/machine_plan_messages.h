/* SPDX-License-Identifier: MIT
 * Messages as a plan has them: one launch of NCCL's for all that a call asks for, which meets those
 * of the peers. What it takes is the platform's to say (sim/copies/ring_price.h).
 */
#ifndef WARPREEL_MACHINE_PLAN_MESSAGES_H
#define WARPREEL_MACHINE_PLAN_MESSAGES_H

#include "machine.h"

struct plan_meeting;
struct plan_messages {
	uint32_t gpus;
	struct plan_meeting *meeting; /* [gpus * gpus], of two GPUs: the lower one first */
};

/* Begins as all zeros. */
void plan_messages_make(struct plan_messages *messages, uint32_t gpus);
void plan_messages_release(struct plan_messages *messages);
void plan_messages_launch(struct plan_messages *messages, struct schedule *schedule, uint32_t gpu,
			  uint16_t stream, const struct machine_message *message, uint32_t count);

#endif
