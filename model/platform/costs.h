/* SPDX-License-Identifier: MIT
 * The costs that models read, from the values a platform file has and what was set: one pure
 * function, so that a file's edit and --set are one thing.
 *
 * Some costs were measured twice: a plain value (host.launch_ns, copy.h2d.ns, nvlink.bytes_per_s)
 * and finer lists of the same thing in more places (host.loop_launch_ns, copy.h2d.idle_ns). A file
 * keeps the plain value the finer lists were measured beside under [base.*]; without it, that is
 * the file's own. Whatever makes the plain value another one, an edit or --set, moves the finer
 * lists from the base to it: host calls in proportion, copies and exchanges by the difference.
 * So a value that is set to itself changes nothing.
 */
#ifndef WARPREEL_COSTS_H
#define WARPREEL_COSTS_H

#include "platform_internal.h"

/* Fills every member of `platform` from its entries, each of which was accepted before, and makes
 * platform->base: the same as the file has it, with its plain values as [base.*] says. */
void costs_derive(struct platform *platform);

/* A note for every plain value that the file has otherwise than its [base.*], with both lines. */
void costs_tell_moved(const struct platform *platform);

/* Releases the values of a platform, not what makes it a file. */
void costs_release(struct platform *platform);

#endif
