/* SPDX-License-Identifier: MIT
 * Appends chunks to the spool. A chunk is one writev: what the kernel has taken survives any death
 * of the process but the machine's.
 */
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* `warpreel record` waits for processes that hold this; a forked child does not inherit it. */
static void lock(int fd)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	fcntl(fd, F_SETLK, &whole); /* where a file system has no locks, nobody waits */
}

int writer_open(struct spool_writer *writer, const char *path, uint32_t pid)
{
	enum { OUT_OF_THE_WAY = 900 }; /* below the usual limit of 1024 */
	int high;

	writer->pid = pid;
	writer->bucket_count = 4096;
	free(writer->bucket);
	writer->bucket = calloc(writer->bucket_count, sizeof(*writer->bucket));
	if (!writer->bucket) {
		errno = ENOMEM;
		return -1;
	}
	spool_crc_init(&writer->crc);
	writer->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
	if (writer->fd < 0)
		return -1;
	high = fcntl(writer->fd, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);
	if (high >= 0) {
		close(writer->fd);
		writer->fd = high;
	}
	lock(writer->fd); /* last: closing any descriptor of the file gives the lock up */
	return fstat(writer->fd, &writer->file);
}

int writer_open_new(struct spool_writer *writer, const char *base, uint32_t pid)
{
	enum { MOST = 1000 };
	char path[PATH_MAX];

	for (int n = 1; n <= MOST; n++) {
		const int length = n == 1 ? snprintf(path, sizeof(path), "%s.%u", base, pid)
					  : snprintf(path, sizeof(path), "%s.%u-%d", base, pid, n);

		if (length >= (int)sizeof(path)) {
			errno = ENAMETOOLONG;
			return -1;
		}
		if (!writer_open(writer, path, pid))
			return 0;
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

/* A program may close every descriptor it finds and open files of its own under their numbers:
 * nothing is written into those. */
static bool still_ours(const struct spool_writer *writer)
{
	struct stat now;

	return !fstat(writer->fd, &now) && now.st_dev == writer->file.st_dev &&
	       now.st_ino == writer->file.st_ino;
}

static bool grow_bytes(void **memory, size_t wanted, size_t *capacity)
{
	size_t bytes = *capacity ? *capacity : 4096;
	void *moved;

	if (wanted <= *capacity)
		return true;
	while (bytes < wanted)
		bytes *= 2;
	moved = realloc(*memory, bytes);
	if (!moved)
		return false;
	*memory = moved;
	*capacity = bytes;
	return true;
}

static uint64_t hash_bytes(const char *text, size_t bytes)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
	return hash ^ hash >> 31;
}

/* A new string: remembered, and queued for the next strings chunk. Returns 0 when memory is out. */
static uint32_t add_string(struct spool_writer *writer, const char *text, size_t bytes,
			   uint64_t hash)
{
	uint32_t id = writer->text_count ? writer->text_count : 1,
		 *bucket = &writer->bucket[hash % writer->bucket_count];
	size_t capacity = writer->text_capacity * sizeof(*writer->text);
	uint32_t head[2] = { id, (uint32_t)bytes };
	void *table = writer->text, *pending = writer->pending;
	char *copy = strdup(text);

	if (!copy)
		return 0;
	if (!grow_bytes(&table, (id + 1) * sizeof(*writer->text), &capacity) ||
	    !grow_bytes(&pending, writer->pending_bytes + sizeof(head) + bytes,
			&writer->pending_capacity)) {
		writer->text = table;
		writer->text_capacity = (uint32_t)(capacity / sizeof(*writer->text));
		free(copy);
		return 0;
	}
	writer->text = table;
	writer->text_capacity = (uint32_t)(capacity / sizeof(*writer->text));
	writer->pending = pending;
	memcpy(writer->pending + writer->pending_bytes, head, sizeof(head));
	memcpy(writer->pending + writer->pending_bytes + sizeof(head), text, bytes);
	writer->pending_bytes += sizeof(head) + bytes;
	writer->text[id] = (struct spool_text){ .text = copy, .hash = hash, .next = *bucket };
	writer->text_count = id + 1;
	*bucket = id;
	return id;
}

uint32_t writer_string(struct spool_writer *writer, const char *text)
{
	enum { LONGEST = 65536 }; /* a hostile marker text is cut, not refused */
	uint32_t id;
	uint64_t hash;
	size_t bytes;

	if (!text || !*text || !writer->bucket)
		return 0;
	bytes = strnlen(text, LONGEST);
	hash = hash_bytes(text, bytes);
	pthread_mutex_lock(&writer->string_lock);
	for (id = writer->bucket[hash % writer->bucket_count]; id; id = writer->text[id].next)
		if (writer->text[id].hash == hash &&
		    strncmp(writer->text[id].text, text, LONGEST) == 0)
			break;
	if (!id)
		id = add_string(writer, text, bytes, hash);
	pthread_mutex_unlock(&writer->string_lock);
	return id;
}

/* The disk is full, or gone: say so once, keep what is there, let the program run on. */
static void give_up(struct spool_writer *writer, int error)
{
	if (!atomic_exchange(&writer->failed, true))
		fprintf(stderr,
			"warpreel recorder: cannot write the spool: %s; the rest of this run is "
			"not recorded\n",
			strerror(error));
}

static void write_all(struct spool_writer *writer, struct iovec *part, int parts)
{
	while (parts) {
		ssize_t result = writev(writer->fd, part, parts);
		size_t written = (size_t)result;

		if (result < 0 && errno == EINTR)
			continue;
		if (result <= 0) {
			give_up(writer, result < 0 ? errno : ENOSPC);
			return;
		}
		atomic_fetch_add(&writer->byte_count, written);
		while (parts && written >= part->iov_len) {
			written -= part->iov_len;
			part++;
			parts--;
		}
		if (parts) {
			part->iov_base = (char *)part->iov_base + written;
			part->iov_len -= written;
		}
	}
}

static void append(struct spool_writer *writer, enum spool_chunk_kind kind, const void *first,
		   size_t first_bytes, const void *second, size_t second_bytes)
{
	struct spool_chunk head = { .magic = SPOOL_MAGIC,
				    .version = SPOOL_VERSION,
				    .kind = (uint16_t)kind,
				    .bytes = (uint32_t)(first_bytes + second_bytes),
				    .pid = writer->pid,
				    .serial = writer->serial++ };
	struct iovec part[3] = { { &head, sizeof(head) },
				 { (void *)(uintptr_t)first, first_bytes },
				 { (void *)(uintptr_t)second, second_bytes } };
	uint32_t crc = spool_crc_add(&writer->crc, 0, &head, sizeof(head));

	crc = spool_crc_add(&writer->crc, crc, first, first_bytes);
	head.crc32 = spool_crc_add(&writer->crc, crc, second, second_bytes);
	write_all(writer, part, second_bytes ? 3 : first_bytes ? 2 : 1);
	atomic_fetch_add(&writer->chunk_count, 1);
}

static void append_pending_strings(struct spool_writer *writer)
{
	uint8_t *pending;
	size_t bytes;

	pthread_mutex_lock(&writer->string_lock);
	pending = writer->pending;
	bytes = writer->pending_bytes;
	writer->pending = NULL;
	writer->pending_bytes = writer->pending_capacity = 0;
	pthread_mutex_unlock(&writer->string_lock);
	if (bytes)
		append(writer, SPOOL_STRINGS, pending, bytes, NULL, 0);
	free(pending);
}

void writer_append(struct spool_writer *writer, enum spool_chunk_kind kind, const void *first,
		   size_t first_bytes, const void *second, size_t second_bytes)
{
	pthread_mutex_lock(&writer->file_lock);
	if (writer->fd >= 0 && !atomic_load(&writer->failed) && !still_ours(writer))
		give_up(writer, EBADF);
	if (writer->fd >= 0 && !atomic_load(&writer->failed)) {
		append_pending_strings(writer);
		append(writer, kind, first, first_bytes, second, second_bytes);
	}
	pthread_mutex_unlock(&writer->file_lock);
}

void writer_meta(struct spool_writer *writer, const char *key, const char *value)
{
	struct spool_meta record = { .type = SPOOL_TYPE_meta, .size = sizeof(record) };

	record.key = writer_string(writer, key);
	record.value = writer_string(writer, value);
	writer_append(writer, SPOOL_RECORDS, &record, sizeof(record), NULL, 0);
}

void writer_loss(struct spool_writer *writer, const char *kind, uint64_t count, const char *detail)
{
	struct spool_loss record = { .type = SPOOL_TYPE_loss,
				     .size = sizeof(record),
				     .count = count };

	record.kind = writer_string(writer, kind);
	record.detail = writer_string(writer, detail);
	writer_append(writer, SPOOL_RECORDS, &record, sizeof(record), NULL, 0);
}

void writer_close(struct spool_writer *writer)
{
	uint64_t totals[2] = { atomic_load(&writer->record_count),
			       atomic_load(&writer->byte_count) };

	writer_append(writer, SPOOL_END, totals, sizeof(totals), NULL, 0);
}
