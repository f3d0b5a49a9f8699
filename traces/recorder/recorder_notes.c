/* SPDX-License-Identifier: MIT
 * What the program itself tells the recorder (annotate.h): posts, awaits, marks, data footprints.
 * The fast path writes slots of a ring that belongs to the calling thread: no lock, no system call.
 * The housekeeping thread empties the rings every few milliseconds; a thread that outruns it
 * empties its own.
 */
#include "recorder.h"

#include <string.h>
#include <sys/mman.h>
#include "traces/format/annotate.h"
#include "recorder_profile.h"

_Static_assert((NOTE_SLOTS & (NOTE_SLOTS - 1)) == 0, "a power of two");

static struct {
	_Atomic(struct note_ring *) rings; /* only ever grows */
	pthread_key_t key;		   /* gives the ring back when its thread ends */
	bool key_made;
	_Atomic uint64_t refused, stalls;
} notes;
static _Thread_local struct note_ring *my_ring;

static void drain(struct note_ring *ring)
{
	uint64_t tail, head, first, wrapped;

	pthread_mutex_lock(&ring->drain_lock);
	tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
	head = atomic_load_explicit(&ring->head, memory_order_acquire);
	if (head > tail) {
		first = NOTE_SLOTS - tail % NOTE_SLOTS;
		if (first > head - tail)
			first = head - tail;
		wrapped = head - tail - first;
		writer_append(&recorder.writer, SPOOL_RECORDS, &ring->slot[tail % NOTE_SLOTS],
			      first * SPOOL_NOTE_BYTES, ring->slot, wrapped * SPOOL_NOTE_BYTES);
		atomic_fetch_add(&recorder.writer.record_count, head - tail);
		atomic_store_explicit(&ring->tail, head, memory_order_release);
	}
	pthread_mutex_unlock(&ring->drain_lock);
}

void notes_drain(void)
{
	for (struct note_ring *ring = atomic_load(&notes.rings); ring; ring = ring->next)
		drain(ring);
}

/* The next thread may have the ring; what is still in it says which thread wrote it. */
static void thread_ended(void *ring)
{
	atomic_store(&((struct note_ring *)ring)->owned, false);
}

void notes_start(void)
{
	notes.key_made = pthread_key_create(&notes.key, thread_ended) == 0;
}

static struct note_ring *ring_of_thread(void)
{
	struct note_ring *ring;
	char name[32];

	for (ring = atomic_load(&notes.rings); ring; ring = ring->next)
		if (!atomic_exchange(&ring->owned, true))
			break;
	if (!ring) {
		ring = mmap(NULL, sizeof(*ring), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		if (ring == MAP_FAILED)
			return NULL;
		pthread_mutex_init(&ring->drain_lock, NULL);
		atomic_store(&ring->owned, true);
		ring->next = atomic_load(&notes.rings);
		while (!atomic_compare_exchange_weak(&notes.rings, &ring->next, ring))
			;
	}
	ring->tid = recorder_tid();
	if (notes.key_made)
		pthread_setspecific(notes.key, ring);
	if (pthread_getname_np(pthread_self(), name, sizeof(name)) == 0)
		identity_write_thread(ring->tid, name);
	my_ring = ring;
	return ring;
}

/* Room for `slots` notes in a row (at most NOTE_SLOTS); `*at` is the first. NULL: there is no
 * recorder, or no memory. */
static struct note_ring *reserve(uint32_t slots, uint64_t *at)
{
	struct note_ring *ring = my_ring;

	if (!atomic_load_explicit(&recorder.active, memory_order_relaxed))
		return NULL;
	if (!ring && !(ring = ring_of_thread())) {
		atomic_fetch_add(&notes.refused, 1);
		return NULL;
	}
	*at = atomic_load_explicit(&ring->head, memory_order_relaxed);
	if (*at + slots - atomic_load_explicit(&ring->tail, memory_order_acquire) > NOTE_SLOTS) {
		atomic_fetch_add(&notes.stalls, 1);
		drain(ring);
	}
	return ring;
}

static void publish(struct note_ring *ring, uint64_t head)
{
	atomic_store_explicit(&ring->head, head, memory_order_release);
}

static void note_host_op(enum note_host_kind kind, uint32_t object, int64_t value,
			 uint64_t start_ns, uint64_t end_ns)
{
	struct spool_host_op note = { .type = SPOOL_TYPE_host_op,
				      .size = sizeof(note),
				      .kind = kind,
				      .start_ns = start_ns,
				      .end_ns = end_ns,
				      .value = value,
				      .object = object };
	uint64_t at;
	struct note_ring *ring = reserve(1, &at);

	if (!ring)
		return;
	note.tid = ring->tid;
	memcpy(&ring->slot[at % NOTE_SLOTS], &note, sizeof(note));
	publish(ring, at + 1);
}

/* The string of a kernel's name; a thread launches few kernels in turn, so the last few are kept at
 * hand. */
static uint32_t kernel_string(const char *name)
{
	static __thread struct {
		char name[32];
		uint32_t string;
	} known[4];
	static __thread unsigned next;

	for (unsigned i = 0; i < 4; i++)
		if (known[i].string && !strncmp(known[i].name, name, sizeof(known[i].name)))
			return known[i].string;
	unsigned at = next++ % 4;
	memcpy(known[at].name, name, sizeof(known[at].name));
	known[at].name[sizeof(known[at].name) - 1] = 0;
	known[at].string = writer_string(&recorder.writer, known[at].name);
	return known[at].string;
}

static void note_footprint(const struct note_footprint *footprint)
{
	uint32_t count = footprint->access_count < 8 ? footprint->access_count : 8;
	struct spool_footprint note = { .type = SPOOL_TYPE_footprint,
					.size = sizeof(note),
					.access_count = count,
					.rows = footprint->rows,
					.columns = footprint->columns,
					.points = footprint->points,
					.dram_bytes = footprint->dram_bytes,
					.resident_bytes = footprint->resident_bytes };
	uint64_t at;
	struct note_ring *ring;

	if (profile_runs()) {
		profile_footprint(footprint);
		return;
	}
	ring = reserve(1 + (count + 1) / 2, &at);
	if (!ring)
		return;
	note.kernel = kernel_string(footprint->kernel);
	note.at_ns = recorder_now_ns();
	note.tid = ring->tid;
	memcpy(&ring->slot[at++ % NOTE_SLOTS], &note, sizeof(note));
	for (uint32_t i = 0; i < count; i += 2) {
		struct spool_access access = { .type = SPOOL_TYPE_access,
					       .size = sizeof(access),
					       .count = count - i > 1 ? 2 : 1,
					       .path_plus_one = (uint32_t)footprint->path + 1,
					       .steps_plus_one = (uint32_t)footprint->steps + 1 };

		for (uint32_t j = 0; j < access.count; j++) {
			access.access[j].buffer = footprint->access[i + j].buffer;
			access.access[j].mode = footprint->access[i + j].mode;
			access.access[j].offset_bytes = footprint->access[i + j].offset_bytes;
			access.access[j].bytes = footprint->access[i + j].bytes;
		}
		memcpy(&ring->slot[at++ % NOTE_SLOTS], &access, sizeof(access));
	}
	publish(ring, at);
}

/* Rare, so written at once. */
static void note_run(const char *solver, const char *config, uint32_t gpus)
{
	struct spool_run note = { .type = SPOOL_TYPE_run,
				  .size = sizeof(note),
				  .gpus = gpus,
				  .at_ns = recorder_now_ns() };

	if (!atomic_load(&recorder.active))
		return;
	note.solver = writer_string(&recorder.writer, solver);
	note.config = writer_string(&recorder.writer, config);
	writer_append(&recorder.writer, SPOOL_RECORDS, &note, sizeof(note), NULL, 0);
}

/* After a run, so written at once. */
static void note_blocks(const struct note_blocks *blocks)
{
	enum { BATCH = 1024 };
	static _Atomic uint32_t launches;
	struct spool_blocks note = { .type = SPOOL_TYPE_blocks,
				     .size = sizeof(note),
				     .device = blocks->device,
				     .grid = blocks->grid,
				     .grid_blocks = blocks->grid_blocks };
	struct spool_block batch[BATCH];
	size_t filled = 0;

	if (!atomic_load(&recorder.active))
		return;
	note.launch = atomic_fetch_add(&launches, 1);
	note.kernel = kernel_string(blocks->kernel);
	writer_append(&recorder.writer, SPOOL_RECORDS, &note, sizeof(note), NULL, 0);
	for (size_t i = 0; i < blocks->count; i++) {
		const struct note_block *block = &blocks->block[i];

		batch[filled++] = (struct spool_block){ .type = SPOOL_TYPE_block,
							.size = sizeof(*batch),
							.launch = note.launch,
							.block = block->block,
							.sm = block->sm,
							.begin_ns = block->begin_ns,
							.end_ns = block->end_ns,
							.begin_clock = block->begin_clock,
							.end_clock = block->end_clock };
		if (filled == BATCH || i + 1 == blocks->count) {
			writer_append(&recorder.writer, SPOOL_RECORDS, batch,
				      filled * sizeof(*batch), NULL, 0);
			filled = 0;
		}
	}
}

/* Once a device, so written at once. */
static void note_virtual_device(void *context, uint32_t device)
{
	struct spool_virtual_gpu note = { .type = SPOOL_TYPE_virtual_gpu,
					  .size = sizeof(note),
					  .device = device };

	if (!atomic_load(&recorder.active))
		return;
	if (recorder.cupti.cuptiGetContextId(context, &note.context) != CUPTI_SUCCESS) {
		writer_loss(&recorder.writer, "virtual-devices", 1,
			    "CUPTI does not number the context of a virtual device");
		return;
	}
	writer_append(&recorder.writer, SPOOL_RECORDS, &note, sizeof(note), NULL, 0);
}

static void note_collective(const struct note_collective *of)
{
	struct spool_collective note = { .type = SPOOL_TYPE_collective,
					 .size = sizeof(note),
					 .kind = of->kind,
					 .start_ns = of->start_ns,
					 .end_ns = of->end_ns,
					 .bytes = of->bytes,
					 .communicator = (int64_t)of->communicator,
					 .call = of->call,
					 .peer = of->peer,
					 .ranks = (uint16_t)of->ranks,
					 .rank = (uint16_t)of->rank };
	uint64_t at;
	struct note_ring *ring = reserve(1, &at);

	if (!ring)
		return;
	if (recorder.cupti.cuptiGetContextId(of->context, &note.context) != CUPTI_SUCCESS ||
	    recorder.cupti.cuptiGetStreamIdEx(of->context, of->stream, 0, &note.stream) !=
		    CUPTI_SUCCESS) {
		writer_loss(&recorder.writer, "collectives", 1,
			    "CUPTI does not number the stream of an operation of several GPUs");
		return;
	}
	note.tid = ring->tid;
	memcpy(&ring->slot[at % NOTE_SLOTS], &note, sizeof(note));
	publish(ring, at + 1);
}

static void note_message(const struct note_message *of)
{
	struct spool_message note = { .type = SPOOL_TYPE_message,
				      .size = sizeof(note),
				      .kind = of->kind,
				      .start_ns = of->start_ns,
				      .end_ns = of->end_ns,
				      .communicator = (int64_t)of->communicator,
				      .bytes = of->bytes,
				      .number = of->number,
				      .tag = of->tag,
				      .peer = of->peer,
				      .rank = (uint32_t)of->rank,
				      .phase = (uint32_t)of->phase };
	uint64_t at;
	struct note_ring *ring = reserve(1, &at);

	if (!ring)
		return;
	note.tid = ring->tid;
	memcpy(&ring->slot[at % NOTE_SLOTS], &note, sizeof(note));
	publish(ring, at + 1);
}

void notes_report(void)
{
	uint64_t refused = atomic_load(&notes.refused);

	if (refused)
		writer_loss(&recorder.writer, "dropped-notes", refused,
			    "no memory for a ring of notes");
}

/* What a recorded program looks up (annotate.h). */
extern const struct warpreel_annotate warpreel_annotate_table;
const struct warpreel_annotate warpreel_annotate_table __attribute__((visibility("default"))) = {
	.abi = WARPREEL_ANNOTATE_ABI,
	.now_ns = recorder_now_ns,
	.host_op = note_host_op,
	.footprint = note_footprint,
	.run = note_run,
	.blocks = note_blocks,
	.virtual_device = note_virtual_device,
	.collective = note_collective,
	.message = note_message,
};
