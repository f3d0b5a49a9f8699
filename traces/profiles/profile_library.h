/* SPDX-License-Identifier: MIT
 * Kernel profiles of a folder of traces, loaded when a kernel is asked for.
 *
 * Where the folder has an index that fits its files (profile_index.h), what is not asked for is not
 * read. Without one all is read at once, and every answer is the same.
 */
#ifndef WARPREEL_PROFILE_LIBRARY_H
#define WARPREEL_PROFILE_LIBRARY_H

#include "kernel_profile.h"
#include "profile_index.h"

struct profile_library {
	struct kernel_profiles loaded; /* stay where they are; `source` names all files */
	char **file;
	size_t file_count;
	struct profile_index index; /* no rows: all is loaded */
	bool *here;		    /* by row of the index: its symbol is loaded */
};				    /* owned; all zero = empty */

/* All files of a list, or one that is named. -1 after a message. */
int profile_library_open(struct profile_library *library, char *const *files, size_t count);
int profile_library_open_file(struct profile_library *library, const char *file);
void profile_library_release(struct profile_library *library);

/* Whether there are profiles of a kernel of this name. */
bool profile_library_has(const struct profile_library *library, const char *kernel);
/* Loads what there is under these names, be they kernels' or symbols', each file opened once. -1
 * after a message. */
int profile_library_need(struct profile_library *library, char *const *kernels, size_t count);

#endif
