/* SPDX-License-Identifier: MIT
 * A recorder that keeps the last notes it was given, for tests of what takes notes.
 */
#include "standin_recorder.h"

#include <pthread.h>
#include <stdatomic.h>

struct standin_note standin_note_last, standin_hidden_last;
struct note_collective standin_collective[64];
int standin_collectives;
struct note_message standin_message[64];
int standin_messages;
int standin_notes[16], standin_device_of[16];

static uint64_t now_ns(void)
{
	static _Atomic uint64_t now;

	return atomic_fetch_add(&now, 10) + 10;
}

static void host_op(enum note_host_kind kind, uint32_t object, int64_t value, uint64_t start_ns,
		    uint64_t end_ns)
{
	const struct standin_note note = { kind, object, value, start_ns, end_ns };

	standin_notes[kind]++;
	if (kind == NOTE_HIDDEN)
		standin_hidden_last = note;
	else
		standin_note_last = note;
}

static void virtual_device(void *context, uint32_t device)
{
	standin_device_of[(uintptr_t)context >> 12 & 15] = (int)device;
}

static void collective(const struct note_collective *note)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&lock);
	standin_collective[standin_collectives++ % 64] = *note;
	pthread_mutex_unlock(&lock);
}

static void message(const struct note_message *note)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&lock);
	standin_message[standin_messages++ % 64] = *note;
	pthread_mutex_unlock(&lock);
}

extern const struct warpreel_annotate warpreel_annotate_table;
const struct warpreel_annotate warpreel_annotate_table = { .abi = WARPREEL_ANNOTATE_ABI,
							   .now_ns = now_ns,
							   .host_op = host_op,
							   .virtual_device = virtual_device,
							   .collective = collective,
							   .message = message };
