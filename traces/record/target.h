/* SPDX-License-Identifier: MIT
 * Running a program with the recorder inside it: what `record` and `profile` share. `tool` is the
 * name of the subcommand, for messages.
 */
#ifndef WARPREEL_TARGET_H
#define WARPREEL_TARGET_H

#include <glob.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Lines of an option table whose fields are `keep_spool` and `recorder`. */
/* clang-format off */
#define TARGET_OPTION_KEEP_SPOOL(at)                                                               \
	{ "keep-spool", OPTION_FLAG, at, NULL, 0, 0, NULL,                                         \
	  "keep what the recorder wrote, as FILE.spool-*" }
#define TARGET_OPTION_RECORDER(at)                                                                 \
	{ "recorder", OPTION_TEXT, at, NULL, 0, 0, "LIBRARY",                                      \
	  "libwarpreel-recorder.so to use (else $WARPREEL_RECORDER, else the one beside the "      \
	  "program)" }
/* clang-format on */

struct target_setting {
	const char *name;
	const char *value;
}; /* an environment variable of the recorder; value NULL: not set */

/* Where the command line's own words end: at "--". What follows is *command, which ends with NULL;
 * NULL itself where there is no "--". */
int target_split(int argc, char **argv, char ***command);
/* EXIT_OK where there is a command and no other word, which options_parse left in argv; else
 * EXIT_USAGE after a message. */
int target_check_command(const char *tool, int words, char **argv, char **command);
/* libwarpreel-recorder.so: `given`, else $WARPREEL_RECORDER, else near the program. An absolute
 * path, the caller's; NULL after a message. */
char *target_find_recorder(const char *tool, const char *given);
/* libwarpreel-virtual.so: $WARPREEL_VIRTUAL, else near the program; the same. */
char *target_find_virtual(const char *tool);
/* libwarpreel-messages.so: $WARPREEL_MESSAGES, else near the program; the same, without a message.
 */
char *target_find_messages(void);
/* The name that spools of this run begin with, absolute; the caller's. */
char *target_spool_base(const char *output);
/* Every spool that begins so, sorted. Nonzero when there is none. */
int target_find_spools(const char *base, glob_t *found);
/*
 * Waits for processes that still write spools of this base: those that the command started and did
 * not wait for. A signal ends the waiting, and they go on.
 */
void target_await(const char *tool, const char *base);
/* 0, or -1 after a message when another tool is set to load into CUDA programs. */
int target_check_free(const char *tool);

/* From here on SIGINT and SIGTERM end the command, not us: what it leaves is still to be written.
 */
void target_hold_signals(struct sigaction before[2]);
void target_release_signals(const struct sigaction before[2]);
/* Whether one came since they were held: who would run the command again does not. */
bool target_interrupted(void);
/*
 * Runs the command to its end; it gets the signals, we stay. -1 after a message when it could not
 * be started or waited for; else its wait status. Signals must be held meanwhile.
 */
int target_run(const char *tool, const char *recorder, const char *spool,
	       const struct target_setting *settings, size_t count, char **command, pid_t *pid);
/* The exit code for a wait status, after a message when the command failed; `what` it leaves:
 * "trace". */
int target_report_status(const char *tool, int status, const char *command, const char *what);

#endif
