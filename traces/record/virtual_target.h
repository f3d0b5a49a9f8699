/* SPDX-License-Identifier: MIT
 * Whether a program can be run on virtual GPUs, as far as its file says, and how.
 */
#ifndef WARPREEL_VIRTUAL_TARGET_H
#define WARPREEL_VIRTUAL_TARGET_H

enum { VIRTUAL_GPUS_MAX = 64, VIRTUAL_SERIES_MAX = 16 };

/* "1,2,4": into `gpus`. How many, or -1 after a message. */
int virtual_counts(const char *text, int gpus[VIRTUAL_SERIES_MAX]);
/* 0, or -1 after a message: `command`, looked for as execvp does, is a CUDA program without a
 * shared runtime. What is no ELF file (a script) or opens its CUDA later is fine; the recorder
 * looks again when CUDA starts. */
int virtual_check(const char *command);
/* A file in memory that the processes of a recording share (traces/virtual/ranks.h), and by what
 * name they open it, the caller's; as long as the descriptor is open. -1: there can be none. */
int virtual_share(char **name);
/* LD_PRELOAD with this library in front; the caller frees it. */
char *virtual_preload(const char *library);

#endif
