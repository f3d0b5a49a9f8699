/* SPDX-License-Identifier: MIT
 * The recorder's parts, in the order data passes them: CUPTI's buffers (recorder.c) are packed into
 * records (recorder_encode.c), notes of the program itself gather in rings (recorder_notes.c), NVML
 * adds what CUPTI does not know (recorder_nvml.c), and all of it is appended to the spool
 * (recorder_spool.c).
 *
 * It lives inside somebody else's program: it fails nothing, prints at most a few lines, and counts
 * what it could not do.
 */
#ifndef WARPREEL_RECORDER_H
#define WARPREEL_RECORDER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "recorder_cupti.h"
#include "traces/spool/spool.h"
#include "traces/spool/spool_crc.h"

/* A target may export any name: ours stay inside. */
#pragma GCC visibility push(hidden)

/* The spool file and its strings. Two locks, taken in this order: file, then strings; no CUPTI call
 * is made under either. */
struct spool_writer {
	int fd;		  /* -1: closed, or given up */
	struct stat file; /* which file that was */
	uint32_t pid, serial;
	struct spool_crc crc;
	pthread_mutex_t file_lock;
	atomic_bool failed;
	_Atomic uint64_t record_count, chunk_count, byte_count;

	pthread_mutex_t string_lock;
	struct spool_text {
		char *text;
		uint64_t hash;
		uint32_t next;
	} * text; /* text[id], id from 1 */
	uint32_t text_count, text_capacity;
	uint32_t *bucket, bucket_count; /* id of the first text, 0 = none */
	uint8_t *pending;		/* payload of the next strings chunk */
	size_t pending_bytes, pending_capacity;
};

/* A new file; -1 with errno, EEXIST where there is one. */
int writer_open(struct spool_writer *writer, const char *path, uint32_t pid);
/* BASE.PID, or where a process of that id has been there (another name space, the same process
 * before it called exec), BASE.PID-2 and so on. */
int writer_open_new(struct spool_writer *writer, const char *base, uint32_t pid);
/* The id of `text`, which the file will hold before any chunk written from now on. NULL and "" are
 * 0. */
uint32_t writer_string(struct spool_writer *writer, const char *text);
/* Appends one chunk whose payload is `first` then `second` (may be empty). */
void writer_append(struct spool_writer *writer, enum spool_chunk_kind kind, const void *first,
		   size_t first_bytes, const void *second, size_t second_bytes);
void writer_meta(struct spool_writer *writer, const char *key, const char *value);
void writer_loss(struct spool_writer *writer, const char *kind, uint64_t count, const char *detail);
void writer_close(struct spool_writer *writer); /* writes SPOOL_END */

/* A thread's notes: one producer (the thread), one consumer at a time (drain_lock). */
enum { NOTE_SLOTS = 1 << 16 };
struct note_slot {
	_Alignas(8) unsigned char byte[SPOOL_NOTE_BYTES];
};
struct note_ring {
	struct note_ring *next;
	atomic_bool owned;
	_Atomic uint64_t head, tail; /* slots ever written, ever drained */
	pthread_mutex_t drain_lock;
	uint32_t tid;
	struct note_slot slot[NOTE_SLOTS];
};
void notes_start(void);
void notes_drain(void);
void notes_report(void); /* what could not be noted */

/* Activity buffers: handed to CUPTI zeroed and touched, so that the thread that asks does no work.
 */
struct buffer_pool {
	pthread_mutex_t lock;
	void *free_list; /* linked through the first word */
	size_t free_count, buffer_bytes;
	_Atomic uint64_t requested, refused;
};
/* Keeps `wanted` buffers ready, so that a launching thread never waits for the kernel to make
 * pages. */
void pool_fill(struct buffer_pool *pool, size_t wanted);
void CUPTIAPI pool_buffer_requested(uint8_t **buffer, size_t *bytes, size_t *most_records);
void CUPTIAPI pool_buffer_completed(CUcontext context, uint32_t stream, uint8_t *buffer,
				    size_t bytes, size_t valid_bytes);

/* What the calling thread's core gives it (core_share.h); not again within 20 ms, unless at once.
 */
void core_note(bool at_once);
/* What each core gives that the calling thread may run on, a record each: as busy is the host. The
 * thread goes from one to the next. */
void core_scan(void);

struct nvml;

struct recorder {
	struct cupti cupti;
	struct spool_writer writer;
	struct buffer_pool pool;
	CUpti_SubscriberHandle subscriber;
	const char **runtime_name, **driver_name; /* by callback id; CUPTI's own text */
	bool *runtime_queries; /* by callback id: changes nothing, and is quick */
	uint32_t *runtime_string, *driver_string; /* ids in the spool, 0 = not yet written */
	uint32_t runtime_count, driver_count;
	_Atomic(void *) scratch; /* one spare packing buffer */
	_Atomic uint64_t dropped, undecodable, unknown_kind;
	atomic_bool active; /* records are taken */
	bool system_tid;    /* CUPTI reports gettid(); else the low half of pthread_self() */

	pthread_t housekeeper;
	bool housekeeper_runs;
	pthread_mutex_t wake_lock;
	pthread_cond_t wake;
	bool stop;
	long flush_ms, clock_ms;
	struct nvml *nvml;
};
extern struct recorder recorder; /* CUPTI's buffer callbacks and the annotation table take no
				    argument to carry it */

/* The clock of the trace; 0 when CUPTI cannot say. */
uint64_t recorder_now_ns(void);
/* The calling thread as CUPTI names it. */
uint32_t recorder_tid(void);

/* Subscribes and enables everything; -1 with a sentence in `why` when nothing can be recorded. */
int enable_start(char *why, size_t why_bytes);

void identity_write(void);
void identity_write_time(uint32_t when); /* CUPTI's clock next to the system's */
void identity_write_thread(uint32_t tid, const char *name);
void identity_write_threads(void);
uint64_t clock_ns(clockid_t clock);
/* A setting from the environment; a value out of range is reported and `standard` is used. */
long environment_long(const char *name, long standard, long low, long high);

/* Whether one of CUPTI's names of calls (NULL: none) begins with one of these. */
static inline bool has_prefix(const char *name, const char *const *prefixes, size_t count)
{
	for (size_t i = 0; name && i < count; i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

/* Packs the records of one CUPTI buffer into the spool. */
void encode_start(void);
void encode_buffer(uint8_t *buffer, size_t valid_bytes);

/* NULL when there is no NVML; the reason is in the spool. */
struct nvml *nvml_open(void);
void nvml_write_facts(struct nvml *nvml);  /* every GPU and link of the machine, driver version */
void nvml_write_clocks(struct nvml *nvml); /* SM and memory clock of every GPU, now */

#pragma GCC visibility pop
#endif
