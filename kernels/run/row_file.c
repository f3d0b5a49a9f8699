/* SPDX-License-Identifier: MIT */
#include "row_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/base/util.h"

static int cannot_write(const char *path)
{
	return report("cannot write '%s': %s", path, strerror(errno));
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
	const int file = open(r->so_far, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (file < 0 && errno == EEXIST)
		report("'%s' has the rows of a run that was killed, or of one that goes on: keep "
		       "them under another name, or remove it",
		       r->so_far);
	else if (file < 0)
		cannot_write(r->so_far);
	r->file = file < 0 ? NULL : fdopen(file, "w+");
	return r->file ? 0 : -1;
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

int row_file_end(struct row_file *r, int failed)
{
	int rc = 0;
	if (!r->path)
		return 0;
	const bool any = r->file && ftell(r->file) > 0;
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
