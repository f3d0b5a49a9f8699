/* SPDX-License-Identifier: MIT
 * The command line of commands on one trace: options, and the file to read.
 */
#ifndef WARPREEL_TRACE_ARGUMENT_H
#define WARPREEL_TRACE_ARGUMENT_H

#include <stdbool.h>
#include "traces/base/options.h"
#include "traces/format/trace.h"

/*
 * Parses as options_parse does and reads the one trace named. True: go on, and release the trace.
 * False: there is nothing to release and *code is the exit code, after a message or the help.
 */
bool trace_argument(const struct command_help *help, const struct option_spec *specs, void *target,
		    int argc, char **argv, struct trace *trace, int *code);

#endif
