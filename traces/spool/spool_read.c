/* SPDX-License-Identifier: MIT
 * Reads a spool: the row of chunks as far as it goes, each checked, then the records in them by
 * type. A target may have been killed in the middle of a write, or its disk may have filled up, so
 * every length is doubted.
 */
#include "spool_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "spool_crc.h"
#include "traces/base/util.h"

enum { STRINGS_MAX = 1 << 22 };

struct reader {
	struct spool *spool;
	const unsigned char *data;
	size_t bytes;
	struct spool_crc crc;
	uint32_t next_serial;
};

static void read_strings(struct spool *spool, const unsigned char *at, size_t bytes)
{
	while (bytes) {
		uint32_t head[2];

		if (bytes < sizeof(head)) {
			spool->bad_records++;
			return;
		}
		memcpy(head, at, sizeof(head));
		at += sizeof(head);
		bytes -= sizeof(head);
		if (head[1] > bytes || head[0] >= STRINGS_MAX) {
			spool->bad_records++;
			return;
		}
		if (head[0] >= spool->string_count) {
			size_t count = (size_t)head[0] * 2 + 64;

			spool->string = xrealloc(spool->string, count, sizeof(*spool->string));
			memset(spool->string + spool->string_count, 0,
			       (count - spool->string_count) * sizeof(*spool->string));
			spool->string_count = count;
		}
		if (!spool->string[head[0]])
			spool->string[head[0]] = xprintf("%.*s", (int)head[1], (const char *)at);
		at += head[1];
		bytes -= head[1];
	}
}

static void read_cubin(struct spool *spool, const unsigned char *at, size_t bytes)
{
	struct spool_cubin *cubin;

	if (bytes < sizeof(cubin->crc)) {
		spool->bad_records++;
		return;
	}
	GROW(spool->cubin, spool->cubin_count, spool->cubin_capacity);
	cubin = &spool->cubin[spool->cubin_count++];
	memcpy(&cubin->crc, at, sizeof(cubin->crc));
	cubin->bytes = bytes - sizeof(cubin->crc);
	cubin->data = xmalloc(cubin->bytes + 1);
	memcpy(cubin->data, at + sizeof(cubin->crc), cubin->bytes);
}

/* One line a record type: how to keep it. */
#define KEEP(name, number)                                                                         \
	static void keep_##name(struct spool *spool, const void *record)                           \
	{                                                                                          \
		GROW(spool->name, spool->name##_count, spool->name##_capacity);                    \
		memcpy(&spool->name[spool->name##_count++], record, sizeof(*spool->name));         \
	}
SPOOL_TYPES(KEEP)
#undef KEEP
static const struct {
	void (*keep)(struct spool *spool, const void *record);
	size_t bytes;
} keeper[SPOOL_TYPE_LIMIT] = {
#define KEEPER(name, number) [number] = { keep_##name, sizeof(struct spool_##name) },
	SPOOL_TYPES(KEEPER)
#undef KEEPER
};

static void read_records(struct spool *spool, const unsigned char *at, size_t bytes)
{
	while (bytes) {
		struct spool_record head;

		if (bytes < sizeof(head)) {
			spool->bad_records++;
			return;
		}
		memcpy(&head, at, sizeof(head));
		if (head.size < sizeof(head) ||
		    head.size > bytes) { /* where the next one begins is unknown */
			spool->bad_records++;
			return;
		}
		if (!head.type || head.type >= SPOOL_TYPE_LIMIT)
			spool->unknown_records++;
		else if (head.size < keeper[head.type].bytes)
			spool->bad_records++;
		else {
			if (head.type == SPOOL_TYPE_footprint) {
				GROW(spool->first_access, spool->footprint_count,
				     spool->first_access_capacity);
				spool->first_access[spool->footprint_count] =
					(uint32_t)spool->access_count;
			}
			keeper[head.type].keep(spool, at);
		}
		at += head.size;
		bytes -= head.size;
	}
}

/* Is there a whole, sound chunk at `offset`? 1 yes, 0 its checksum does not fit, -1 no chunk begins
 * here or it is cut off. */
static int check_chunk(const struct reader *reader, size_t offset, struct spool_chunk *head)
{
	struct spool_chunk bare;
	uint32_t crc;

	if (reader->bytes - offset < sizeof(*head))
		return -1;
	memcpy(head, reader->data + offset, sizeof(*head));
	if (head->magic != SPOOL_MAGIC || head->version != SPOOL_VERSION ||
	    head->bytes > SPOOL_CHUNK_MAX_BYTES ||
	    head->bytes > reader->bytes - offset - sizeof(*head))
		return -1;
	bare = *head;
	bare.crc32 = 0;
	crc = spool_crc_add(&reader->crc, 0, &bare, sizeof(bare));
	return spool_crc_add(&reader->crc, crc, reader->data + offset + sizeof(*head),
			     head->bytes) == head->crc32;
}

/* The next sound chunk after `offset`, or the end of the file. */
static size_t resume(const struct reader *reader, size_t offset)
{
	const uint32_t magic = SPOOL_MAGIC;
	struct spool_chunk head;

	while (offset < reader->bytes) {
		const void *found = memmem(reader->data + offset, reader->bytes - offset, &magic,
					   sizeof(magic));

		if (!found)
			return reader->bytes;
		offset = (size_t)((const unsigned char *)found - reader->data);
		if (check_chunk(reader, offset, &head) == 1)
			return offset;
		offset++;
	}
	return reader->bytes;
}

static void read_chunk(struct reader *reader, size_t offset, const struct spool_chunk *head)
{
	struct spool *spool = reader->spool;
	const unsigned char *payload = reader->data + offset + sizeof(*head);

	if (head->serial > reader->next_serial)
		spool->missing_chunks += head->serial - reader->next_serial;
	reader->next_serial = head->serial + 1;
	spool->pid = head->pid;
	spool->chunk_count++;
	if (head->kind == SPOOL_STRINGS)
		read_strings(spool, payload, head->bytes);
	else if (head->kind == SPOOL_RECORDS)
		read_records(spool, payload, head->bytes);
	else if (head->kind == SPOOL_CUBIN)
		read_cubin(spool, payload, head->bytes);
	else if (head->kind == SPOOL_END)
		spool->ended = true;
	else
		spool->unknown_records++;
}

int spool_read_bytes(struct spool *spool, const void *data, size_t bytes, const char *path)
{
	struct reader reader = { .spool = spool, .data = data, .bytes = bytes };
	struct spool_chunk head;
	size_t offset = 0;

	memset(spool, 0, sizeof(*spool));
	spool->bytes = bytes;
	spool_crc_init(&reader.crc);
	if (bytes >= sizeof(head)) {
		memcpy(&head, data, sizeof(head));
		if (head.magic == SPOOL_MAGIC && head.version != SPOOL_VERSION)
			return report("%s: a spool of version %u; this program reads version %u",
				      path, head.version, SPOOL_VERSION);
	}
	while (offset < bytes) {
		int state = check_chunk(&reader, offset, &head);

		if (state == 1) {
			read_chunk(&reader, offset, &head);
			offset += sizeof(head) + head.bytes;
		} else {
			size_t next = resume(&reader, offset + 1);

			if (state == 0)
				spool->damaged_chunks++;
			else if (next == bytes)
				spool->truncated_bytes += bytes - offset;
			else
				spool->skipped_bytes += next - offset;
			offset = next;
		}
	}
	if (!spool->chunk_count)
		return report("%s: no chunk of a spool in it (%zu bytes)", path, bytes);
	return 0;
}

int spool_read(struct spool *spool, const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK),
	    result; /* a pipe shall not wait for who writes to it */
	struct stat status;
	void *data = NULL;

	memset(spool, 0, sizeof(*spool));
	if (file < 0 || fstat(file, &status)) {
		if (file >= 0)
			close(file);
		return report("%s: %s", path, strerror(errno));
	}
	if (!S_ISREG(status.st_mode)) {
		close(file);
		return report("%s: not a file", path);
	}
	if (status.st_size)
		data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	close(file);
	if (data == MAP_FAILED)
		return report("%s: %s", path, strerror(errno));
	result = spool_read_bytes(spool, data ? data : "", (size_t)status.st_size, path);
	if (data)
		munmap(data, (size_t)status.st_size);
	return result;
}

void spool_release(struct spool *spool)
{
	for (size_t i = 0; i < spool->string_count; i++)
		free(spool->string[i]);
	free(spool->string);
	for (size_t i = 0; i < spool->cubin_count; i++)
		free(spool->cubin[i].data);
	free(spool->cubin);
	free(spool->first_access);
#define RELEASE(name, number) free(spool->name);
	SPOOL_TYPES(RELEASE)
#undef RELEASE
	memset(spool, 0, sizeof(*spool));
}

const char *spool_text(const struct spool *spool, uint32_t id)
{
	return id < spool->string_count && spool->string[id] ? spool->string[id] : "";
}
