/* SPDX-License-Identifier: MIT
 * A database that somebody else may have written: it holds rows, and no programs.
 */
#ifndef WARPREEL_SQLITE_DISTRUST_H
#define WARPREEL_SQLITE_DISTRUST_H

struct sqlite3;

/* Views and triggers are not run, nor functions with side effects; the schema cannot be edited. */
void sqlite_distrust(struct sqlite3 *db);

#endif
