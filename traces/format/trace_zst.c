/* SPDX-License-Identifier: MIT */
#include "trace_zst.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "traces/base/util.h"

enum { INPUT_BYTES = 1 << 17, FIRST_BYTES = 1 << 20 };

bool zst_begins(const unsigned char *bytes, size_t count)
{
	static const unsigned char magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };

	return count >= sizeof(magic) && memcmp(bytes, magic, sizeof(magic)) == 0;
}

/* What grows while unpacking. */
struct unpacking {
	unsigned char *bytes;
	size_t count, capacity, limit;
	bool head_seen;
};

/* Room for more output, at most one byte over the limit: that byte is how too much is noticed. */
static void make_room(struct unpacking *u)
{
	size_t capacity = u->capacity ? u->capacity * 2 : FIRST_BYTES;

	if (u->count < u->capacity)
		return;
	if (u->head_seen && u->limit < SIZE_MAX / 2 && capacity > u->limit + 1)
		capacity = u->limit + 1;
	u->bytes = xrealloc(u->bytes, capacity, 1);
	u->capacity = capacity;
}

static int check_head(struct unpacking *u, const char *path,
		      int64_t (*expect)(const unsigned char *, const char *))
{
	int64_t expected;

	if (u->head_seen || u->count < ZST_HEAD_BYTES)
		return 0;
	u->head_seen = true;
	expected = expect(u->bytes, path);
	if (expected < 0)
		return -1;
	if (expected > 0 && (uint64_t)expected > u->limit)
		return report("%s: unpacks to %" PRId64 " bytes, more than the limit of %zu", path,
			      expected, u->limit);
	if (expected > 0)
		u->limit = (size_t)expected;
	return 0;
}

int64_t zst_read(FILE *file, const char *path, int64_t max_bytes,
		 int64_t (*expect)(const unsigned char *head, const char *path),
		 unsigned char **bytes)
{
	struct unpacking u = { .limit = (size_t)max_bytes };
	ZSTD_DCtx *context = ZSTD_createDCtx();
	unsigned char *input = xmalloc(INPUT_BYTES);
	size_t left = 1, got = 0;
	int64_t result = -1;

	if (!context) {
		report("%s: out of memory for zstd", path);
		goto out;
	}
	while ((got = fread(input, 1, INPUT_BYTES, file)) > 0) {
		ZSTD_inBuffer in = { input, got, 0 };
		bool more = true;

		while (in.pos < in.size || more) {
			ZSTD_outBuffer out;

			make_room(&u);
			out = (ZSTD_outBuffer){ u.bytes, u.capacity, u.count };
			left = ZSTD_decompressStream(context, &out, &in);
			if (ZSTD_isError(left)) {
				report("%s: damaged zstd data: %s", path, ZSTD_getErrorName(left));
				goto out;
			}
			more = out.pos == out.size; /* zstd may hold output back */
			u.count = out.pos;
			if (check_head(&u, path, expect) < 0)
				goto out;
			if (u.count > u.limit) {
				report("%s: unpacks to more than %zu bytes", path, u.limit);
				goto out;
			}
			if (left == 0 && in.pos == in.size)
				break;
		}
	}
	if (ferror(file)) {
		report("%s: cannot read: %s", path, strerror(errno));
		goto out;
	}
	if (left != 0) {
		report("%s: truncated: the zstd data ends in the middle", path);
		goto out;
	}
	if (!u.head_seen) {
		report("%s: holds %zu bytes, not a database", path, u.count);
		goto out;
	}
	*bytes = u.bytes;
	u.bytes = NULL;
	result = (int64_t)u.count;
out:
	ZSTD_freeDCtx(context);
	free(input);
	free(u.bytes);
	return result;
}

int zst_write(const char *target, const char *path, const unsigned char *bytes, size_t count,
	      int level)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	unsigned char *output = xmalloc(INPUT_BYTES);
	ZSTD_inBuffer in = { bytes, count, 0 };
	struct progress progress;
	FILE *file;
	size_t left = 1;
	int rc = -1;

	progress_begin(&progress, "compressing");
	file = fopen(target, "wb");
	if (!file || !context) {
		report("%s: cannot write: %s", path,
		       file ? "out of memory for zstd" : strerror(errno));
		goto out;
	}
	ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_setPledgedSrcSize(context, count);
	while (left != 0) {
		ZSTD_outBuffer out = { output, INPUT_BYTES, 0 };

		left = ZSTD_compressStream2(context, &out, &in, ZSTD_e_end);
		if (ZSTD_isError(left)) {
			report("%s: cannot compress: %s", path, ZSTD_getErrorName(left));
			goto out;
		}
		if (fwrite(output, 1, out.pos, file) != out.pos) {
			report("%s: cannot write: %s", path, strerror(errno));
			goto out;
		}
		progress_at(&progress, (int64_t)in.pos, (int64_t)count);
	}
	rc = 0;
out:
	if (file && fclose(file) != 0 && rc == 0)
		rc = report("%s: cannot write: %s", path, strerror(errno));
	progress_end(&progress);
	ZSTD_freeCCtx(context);
	free(output);
	return rc;
}
