/* SPDX-License-Identifier: MIT
 * Files that appear whole or not at all.
 *
 * An output is written under another name in the folder it is to be in, "<name>.part-" and 16
 * random hex digits (a long name cut short), and renamed by commit. That file is made anew, never
 * opened through a link, and locked while its program lives: the next output of the same name
 * removes those that nobody holds. When SIGINT, SIGTERM, SIGHUP, SIGPIPE or want of memory ends the
 * program, its own are removed at once (util_install_signal_handlers); a signal ignored from the
 * start stays so. At most 16 at once.
 *
 * A symbolic link stays one, and what it leads to is replaced, unless somebody else put it into a
 * folder all may write to. What is no file (a pipe, a device), and a descriptor (/dev/stdout,
 * /dev/fd/N) whatever it is open to, is written in place.
 */
#ifndef WARPREEL_OUTPUT_H
#define WARPREEL_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

struct output {
	char *path;	 /* final name, links followed; owned */
	char *part_path; /* name while incomplete; owned */
	bool in_place;	 /* part_path is path, and nothing appears whole */
	int slot;
	int lock;	    /* descriptor that holds the part; -1: none */
	int problem;	    /* errno of why there is no part; 0: there is */
	bool was_there;	    /* something had the final name already, */
	struct stat before; /* namely this */
};

/* Always 0: what went wrong is said by open or commit. */
int output_begin(struct output *output, const char *path);
/* To write to; NULL with errno set. Close it, then commit or abandon. */
FILE *output_open(const struct output *output);
/* Whether a file could be begun there now: -1 after a message that says why not. For before the
 * work rather than after. */
int output_check(const char *path);
/* 0 when writing to `path` would not replace the file `input` itself, by whatever name; else -1
 * after a message. A NULL input is none. */
int output_differs(const char *path, const char *input);
/* 0 when two outputs are two files, whether there or not yet; else -1 after a message. Either may
 * be NULL. */
int outputs_differ(const char *path, const char *other);
/* Renames and frees; -1 after a message. Warns when another program wrote the file meanwhile. */
int output_commit(struct output *output);
void output_abandon(struct output *output); /* remove the part; frees; safe on a zeroed struct */

#endif
