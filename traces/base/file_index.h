/* SPDX-License-Identifier: MIT
 * index.tsv beside files: a table of what is in them. Each row names its file with its seal
 * (file_seal.h). An index that does not fit all files asked for serves for none.
 */
#ifndef WARPREEL_FILE_INDEX_H
#define WARPREEL_FILE_INDEX_H

#include <stdbool.h>
#include <stddef.h>

struct file_index {
	char *path;	    /* owned; NULL: there is none, or a file has no seal */
	char *const *files; /* borrowed */
	struct file_seal *seal;
	bool *has; /* rows, by file */
	size_t count;
	bool fits; /* so far */
};

void file_index_open(struct file_index *index, char *const *files, size_t count);
void file_index_release(struct file_index *index);
/* A row's columns: 1 and the number of its file; 0: the index does not fit; -1: no number of bytes.
 */
int file_index_row(struct file_index *index, const char *name, const char *bytes, const char *sum,
		   size_t *file);
/* After all rows: whether each file is as the index says, and has rows. */
bool file_index_serves(const struct file_index *index);
/* Whether a name can be a column; -1 after a message that names the file. */
int file_index_column(const char *path, const char *kernel);

#endif
