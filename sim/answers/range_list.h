/* SPDX-License-Identifier: MIT
 * The ranges of a replayed program, as recorded and as predicted: some of them for a reader, all of
 * them as a table.
 */
#ifndef WARPREEL_RANGE_LIST_H
#define WARPREEL_RANGE_LIST_H

#include "predict.h"

/* `whole`: all of them; else the first few of each name. Says nothing where there are none. */
void range_list_text(const struct schedule *schedule, const struct prediction *prediction,
		     bool whole);
/* A row an occurrence, in order of begins; a header also where there are none. */
void range_list_tsv(const struct schedule *schedule, const struct prediction *prediction);

#endif
