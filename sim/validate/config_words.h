/* SPDX-License-Identifier: MIT
 * A configuration string as the words it is made of: KEY=VALUE, separated by blanks. Which keys
 * there are is the solver's business.
 */
#ifndef WARPREEL_CONFIG_WORDS_H
#define WARPREEL_CONFIG_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* The value of a key into `value` (cut short where it is longer); false when it has none. */
bool config_value(const char *config, const char *key, char *value, size_t bytes);
/* The string without the words of `count` keys. Owned by the caller. */
char *config_without(const char *config, const char *const key[], size_t count);

#endif
