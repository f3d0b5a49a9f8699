/* SPDX-License-Identifier: MIT */
#include "machine_messages.h"

#include <stdlib.h>

#include "traces/base/util.h"

/* From one GPU to another. */
struct machine_pair_of_gpus {
	uint32_t ready, sent; /* events: the receive buffer may be written; the bytes are there */
	uint32_t ready_count, sent_count; /* counters: messages whose event was recorded */
	int64_t messages;		  /* so far; of the sender's thread */
};

static struct machine_pair_of_gpus *pair_of(const struct machine_messages *messages, uint32_t from,
					    uint32_t to)
{
	return &messages->pair[from * messages->gpus + to];
}

int machine_messages_make(struct machine_messages *messages, struct machine *m, uint32_t gpus)
{
	if (messages->gpus == gpus)
		return 0;
	machine_messages_release(messages);
	messages->gpus = gpus;
	messages->pair = xcalloc((size_t)gpus * gpus, sizeof(*messages->pair));
	for (uint32_t from = 0; from < gpus; from++)
		for (uint32_t to = 0; to < gpus; to++) {
			struct machine_pair_of_gpus *p = pair_of(messages, from, to);
			if (from != to &&
			    (m->ops->event(m, to, &p->ready) || m->ops->event(m, from, &p->sent) ||
			     m->ops->counter(m, &p->ready_count) ||
			     m->ops->counter(m, &p->sent_count)))
				return -1;
		}
	return 0;
}

void machine_messages_release(struct machine_messages *messages)
{
	free(messages->pair);
	*messages = (struct machine_messages){ 0 };
}

static int begin(struct machine_messages *messages, struct machine_thread *t, uint32_t stream,
		 uint32_t peer)
{
	const struct machine_ops *ops = t->machine->ops;
	struct machine_pair_of_gpus *to_me = pair_of(messages, peer, t->gpu);
	const int64_t number = ++pair_of(messages, t->gpu, peer)->messages;
	return ops->record(t, stream, to_me->ready) ||
			       ops->post(t, to_me->ready_count, number, AWAIT_SPIN)
		       ? -1
		       : 0;
}

static int send(struct machine_messages *messages, struct machine_thread *t, uint32_t stream,
		const struct machine_message *message)
{
	const struct machine_ops *ops = t->machine->ops;
	const struct machine_pair_of_gpus *p = pair_of(messages, t->gpu, message->peer);
	const struct machine_copy copy = {
		.source = message->send,
		.target = message->there,
		.source_offset_bytes = message->send_offset_bytes,
		.target_offset_bytes = message->there_offset_bytes,
		.row_bytes = message->bytes,
		.rows = 1,
	};
	return ops->await(t, p->ready_count, p->messages, AWAIT_SPIN) ||
			       ops->wait(t, stream, p->ready) || ops->copy(t, stream, &copy)
		       ? -1
		       : 0;
}

static int end(struct machine_messages *messages, struct machine_thread *t, uint32_t stream,
	       uint32_t peer)
{
	const struct machine_ops *ops = t->machine->ops;
	const struct machine_pair_of_gpus *mine = pair_of(messages, t->gpu, peer);
	return ops->record(t, stream, mine->sent) ||
			       ops->post(t, mine->sent_count, mine->messages, AWAIT_SPIN)
		       ? -1
		       : 0;
}

static int receive(struct machine_messages *messages, struct machine_thread *t, uint32_t stream,
		   uint32_t peer)
{
	const struct machine_ops *ops = t->machine->ops;
	const struct machine_pair_of_gpus *theirs = pair_of(messages, peer, t->gpu);
	const int64_t number = pair_of(messages, t->gpu, peer)->messages;
	return ops->await(t, theirs->sent_count, number, AWAIT_SPIN) ||
			       ops->wait(t, stream, theirs->sent)
		       ? -1
		       : 0;
}

int machine_messages_pass(struct machine_messages *messages, struct machine_thread *t,
			  uint32_t stream, const struct machine_message *message, uint32_t count)
{
	int rc = 0;
	for (uint32_t k = 0; k < count && !rc; k++)
		rc = begin(messages, t, stream, message[k].peer);
	for (uint32_t k = 0; k < count && !rc; k++)
		rc = send(messages, t, stream, &message[k]);
	for (uint32_t k = 0; k < count && !rc; k++)
		rc = end(messages, t, stream, message[k].peer);
	for (uint32_t k = 0; k < count && !rc; k++)
		rc = receive(messages, t, stream, message[k].peer);
	return rc;
}
