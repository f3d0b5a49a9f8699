/* SPDX-License-Identifier: MIT
 * What a spool of virtual GPUs says in contexts and notes, said in devices and copies, as a spool
 * of several GPUs does. Nothing of it happens to any other spool.
 */
#ifndef WARPREEL_SPOOL_VIRTUAL_H
#define WARPREEL_SPOOL_VIRTUAL_H

#include "spool_read.h"

/* Devices of records, what each held, and calls left out: before the calls are made. */
void spool_virtual_prepare(struct trace *trace, struct spool *spool);
/* What each device of `gpus` held goes to the trace's facts, out of the notes. */
void spool_virtual_memory(struct trace *trace, struct spool *spool, uint32_t gpus);
/* Copies between devices, by the calls that asked for them. */
void spool_virtual_copies(struct trace *trace, struct spool *spool, struct spool_calls *calls);

#endif
