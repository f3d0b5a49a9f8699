/* SPDX-License-Identifier: MIT */
#include "row_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "traces/base/util.h"

static int cannot_write(const char *path)
{
	return report("cannot write '%s': %s", path, strerror(errno));
}

/* Rows that a killed run left keep: under the first number that is free. -1 after a message. */
static int put_aside(const char *so_far)
{
	enum { MOST = 1000 };
	const int file = open(so_far, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int rc = -1;
	if (file < 0)
		return cannot_write(so_far);
	if (flock(file, LOCK_EX | LOCK_NB)) {
		report("another run is writing '%s'", so_far);
		close(file);
		return -1;
	}
	for (int number = 1; rc && number < MOST; number++) {
		char *name = xprintf("%s.%d", so_far, number);
		rc = link(so_far, name);
		if (!rc)
			report_warning("the rows of a run that was killed are in '%s'", name);
		free(name);
		if (rc && errno != EEXIST)
			break;
	}
	rc = rc || unlink(so_far) ? cannot_write(so_far) : 0;
	close(file);
	return rc;
}

int row_file_begin(struct row_file *r, const char *path)
{
	*r = (struct row_file){ .path = path };
	if (output_begin(&r->output, path))
		return -1;
	if (r->output.problem || r->output.in_place) {
		r->file = output_open(&r->output);
		return r->file ? 0 : cannot_write(path);
	}
	r->so_far = xprintf("%s.so-far", r->output.path);
	enum { WANTED = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC };
	int file = open(r->so_far, WANTED, 0666);
	if (file < 0 && errno == EEXIST) {
		if (put_aside(r->so_far))
			return -1;
		file = open(r->so_far, WANTED, 0666);
	}
	if (file < 0)
		return cannot_write(r->so_far);
	flock(file, LOCK_EX | LOCK_NB); /* while we live */
	r->file = fdopen(file, "w+");
	return r->file ? 0 : cannot_write(r->so_far);
}

/* From the file of rows to the one that is to be. */
static int copy_rows(struct row_file *r)
{
	char bytes[1 << 14];
	size_t count;
	FILE *to = output_open(&r->output);
	if (!to)
		return -1;
	rewind(r->file);
	while ((count = fread(bytes, 1, sizeof(bytes), r->file)) > 0)
		if (fwrite(bytes, 1, count, to) != count)
			break;
	const int bad = ferror(to) | ferror(r->file);
	return fclose(to) || bad ? -1 : 0;
}

/* Whether there is a row behind the header. */
static bool has_rows(struct row_file *r)
{
	int lines = 0, c;
	rewind(r->file);
	while (lines < 2 && (c = getc(r->file)) != EOF)
		lines += c == '\n';
	fseek(r->file, 0, SEEK_END);
	return lines > 1;
}

int row_file_end(struct row_file *r, int failed)
{
	int rc = 0;
	if (!r->path)
		return 0;
	const bool any = r->file && (r->so_far ? has_rows(r) : ftell(r->file) > 0);
	failed = failed < 0 || (failed && !any);
	/* A row that did not fit is known to the stream, even where closing it goes well. */
	const int bad = r->file && (fflush(r->file) | ferror(r->file));
	if (!failed && r->file && (bad || (r->so_far && copy_rows(r))))
		rc = cannot_write(r->path);
	if (r->file && fclose(r->file) && !failed && !rc)
		rc = cannot_write(r->path);
	const bool whole = r->file && !failed && !rc;
	if (whole)
		rc = output_commit(&r->output);
	else
		output_abandon(&r->output);
	if (r->so_far && r->file && ((whole && !rc) || !any))
		unlink(r->so_far);
	else if (r->so_far && r->file)
		report_warning("the rows that there are stay in '%s'", r->so_far);
	free(r->so_far);
	return rc;
}
