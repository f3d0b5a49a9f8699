/* SPDX-License-Identifier: MIT
 * A key of a sweep with the values it takes.
 */
#ifndef WARPREEL_SWEEP_VALUES_H
#define WARPREEL_SWEEP_VALUES_H

#include <stddef.h>

struct sweep_key {
	char *name;
	char **value;
	size_t count, capacity;
	int line; /* of the file, for messages */
};

/* Appends a word of a list to a key: the word itself, or the numbers of a range (sweep_file.h). -1
 * after a message that begins with `where`. */
int sweep_values_add(struct sweep_key *key, const char *word, const char *where);
/* Appends one value as it is. */
void sweep_value_add(struct sweep_key *key, const char *text);

#endif
