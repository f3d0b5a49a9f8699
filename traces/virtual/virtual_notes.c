/* SPDX-License-Identifier: MIT
 * What the recorder is told. It is in the process once the driver has been initialised.
 */
#include "virtual.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include "traces/format/annotate.h"

/* NULL: nobody records, or not yet. */
static const struct warpreel_annotate *recorder_table(void)
{
	static _Atomic(const struct warpreel_annotate *) known;
	const struct warpreel_annotate *table = atomic_load_explicit(&known, memory_order_acquire);
	const char *path;
	void *library;

	if (table)
		return table;
	path = getenv("CUDA_INJECTION64_PATH");
	library = path && *path ? dlopen(path, RTLD_NOLOAD | RTLD_LAZY) : NULL;
	table = library ? real_symbol(library, "warpreel_annotate_table") : NULL;
	if (!table || table->abi != WARPREEL_ANNOTATE_ABI)
		return NULL;
	atomic_store_explicit(&known, table, memory_order_release);
	return table;
}

uint64_t notes_now_ns(void)
{
	const struct warpreel_annotate *table = recorder_table();

	return table ? table->now_ns() : 0;
}

static void note(enum note_host_kind kind, uint32_t object, int64_t value, uint64_t start_ns)
{
	const struct warpreel_annotate *table = start_ns ? recorder_table() : NULL;

	if (table)
		table->host_op(kind, object, value, start_ns, table->now_ns());
}

static _Thread_local bool muted;

/* What this thread hid last. It is written down when it hides something again: that takes time,
 * which is hidden then. */
static _Thread_local struct stretch {
	uint64_t start_ns, end_ns; /* start_ns 0: nothing */
} last;
static pthread_key_t last_key;
static pthread_once_t last_once = PTHREAD_ONCE_INIT;

static void write_last(void *of)
{
	struct stretch *stretch = of;
	const struct warpreel_annotate *table = stretch->start_ns ? recorder_table() : NULL;

	if (table)
		table->host_op(NOTE_HIDDEN, 0, 0, stretch->start_ns, stretch->end_ns);
	stretch->start_ns = 0;
}

static void make_key(void)
{
	pthread_key_create(&last_key, write_last);
}

void notes_hidden(uint64_t start_ns)
{
	const struct warpreel_annotate *table = start_ns ? recorder_table() : NULL;

	if (muted || !table)
		return;
	pthread_once(&last_once, make_key);
	if (last.start_ns)
		write_last(&last);
	else
		pthread_setspecific(last_key, &last); /* for when the thread ends */
	last.start_ns = start_ns;
	last.end_ns = table->now_ns();
}

void notes_hidden_calls(uint64_t start_ns)
{
	notes_hidden(start_ns);
	if (last.start_ns) {
		start_ns = last.end_ns;
		write_last(&last);
		notes_hidden(start_ns);
	}
}

/* The recorder asks for it when the process ends. */
HOOK void warpreel_virtual_flush(void);
HOOK void warpreel_virtual_flush(void)
{
	write_last(&last);
}

void notes_mute(bool on)
{
	muted = on;
}

void notes_collective(const struct note_collective *of)
{
	const struct warpreel_annotate *table = recorder_table();

	if (table)
		table->collective(of);
}

void notes_peer_copy(int source, int target, bool as_peer, uint64_t start_ns)
{
	note(NOTE_PEER_COPY, (uint32_t)gpus_number(source) << 16 | (uint32_t)gpus_number(target),
	     as_peer, start_ns);
}

void notes_memory(int device, size_t bytes)
{
	note(NOTE_MEMORY, (uint32_t)gpus_number(device), (int64_t)bytes, notes_now_ns());
}

void notes_barrier(uint32_t object, uint64_t start_ns)
{
	note(NOTE_BARRIER, object, 0, start_ns);
}

void notes_barrier_of_processes(int64_t number, uint64_t start_ns)
{
	note(NOTE_BARRIER, NOTE_BARRIER_OF_PROCESSES, number, start_ns);
}

void notes_context(CUcontext context, int device)
{
	const struct warpreel_annotate *table = recorder_table();

	if (table)
		table->virtual_device(context, (uint32_t)device);
}

void notes_say(bool *once, const char *format, ...)
{
	va_list arguments;

	if (*once)
		return;
	*once = true;
	fprintf(stderr, "warpreel virtual GPUs: ");
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

HOOK const char *warpreel_virtual_problem(void);
HOOK const char *warpreel_virtual_problem(void)
{
	if (gpus_count() < 1 || real_runtime_major())
		return NULL;
	return "virtual GPUs need a shared CUDA runtime, and this process has none: a statically "
	       "linked "
	       "one is relinked with nvcc -cudart shared; a program that calls the driver alone "
	       "cannot "
	       "be answered";
}
