/* SPDX-License-Identifier: MIT */
#include "machine_plan_messages.h"

#include <stdlib.h>

#include "traces/base/util.h"

/* What two GPUs sent each other so far: the k-th message of one meets the k-th of the other. */
struct plan_meeting {
	uint32_t *collective; /* of the schedule */
	size_t count, capacity;
	size_t asked[2]; /* by the lower GPU, by the other */
};

void plan_messages_make(struct plan_messages *messages, uint32_t gpus)
{
	plan_messages_release(messages);
	messages->gpus = gpus;
	messages->meeting = xcalloc((size_t)gpus * gpus, sizeof(*messages->meeting));
}

void plan_messages_release(struct plan_messages *messages)
{
	for (uint32_t k = 0; k < messages->gpus * messages->gpus; k++)
		free(messages->meeting[k].collective);
	free(messages->meeting);
	*messages = (struct plan_messages){ 0 };
}

/* The collective of a GPU's next message with a peer; new where the peer has not asked yet. */
static uint32_t meet(struct plan_messages *messages, struct schedule *s, uint32_t gpu,
		     const struct machine_message *message, uint32_t kernel)
{
	const bool lower = gpu < message->peer;
	struct plan_meeting *m = &messages->meeting[lower ? gpu * messages->gpus + message->peer
							  : message->peer * messages->gpus + gpu];
	const size_t number = m->asked[!lower]++;
	if (number == m->count) {
		GROW(m->collective, m->count, m->capacity);
		GROW(s->collective, s->collective_count, s->collective_capacity);
		s->collective[s->collective_count] =
			(struct schedule_collective){ .kernel = kernel,
						      .participants = 2,
						      .work_ps = -1,
						      .steps = 1,
						      .of_two = 1,
						      .link_bytes = message->bytes };
		m->collective[m->count++] = s->collective_count++;
	}
	return m->collective[number];
}

void plan_messages_launch(struct plan_messages *messages, struct schedule *schedule, uint32_t gpu,
			  uint16_t stream, const struct machine_message *message, uint32_t count)
{
	struct schedule *s = schedule;
	const struct schedule_shape shape = {
		.kernel = schedule_add_kernel(s, "ncclDevKernel_SendRecv"), .path = -1, .steps = -1
	};
	const uint32_t index = schedule_add_shape(s, &shape, NULL, 0);
	s->shape[index].meets = 1;
	schedule_add_op(s, OP_LAUNCH, stream, index)->flags |= OP_COLLECTIVE;
	for (uint32_t k = 0; k < count; k++) {
		const uint32_t which = meet(messages, s, gpu, &message[k], shape.kernel);
		GROW(s->participant, s->participant_count, s->participant_capacity);
		s->participant[s->participant_count++] =
			(struct schedule_participant){ s->op_count - 1, which };
	}
}
