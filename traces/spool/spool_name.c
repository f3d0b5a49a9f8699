/* SPDX-License-Identifier: MIT
 * Kernel names. CUPTI gives them as the compiler mangled them; the C++ library, if the machine has
 * one, reads them. Without it the full name stays mangled, and the short one is still found, from
 * the lengths in the mangled name.
 */
#include "spool_read.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "traces/base/util.h"

typedef char *demangle_fn(const char *mangled, char *buffer, size_t *bytes, int *status);

static demangle_fn *find_demangler(void)
{
	void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL),
	     *symbol = library ? dlsym(library, "__cxa_demangle") : NULL;
	demangle_fn *demangle = NULL;

	memcpy(&demangle, &symbol, sizeof(demangle));
	return demangle;
}

/* "_ZN4rbsN5sweepIfEEvPT_" -> "sweep": the last name before arguments begin. */
static char *brief_of_mangled(const char *mangled)
{
	const char *at = mangled + 2, *last = NULL;
	size_t last_bytes = 0;

	if (*at == 'N')
		at += 1 + strspn(at + 1, "KVr");
	while (*at == 'L' && isdigit((unsigned char)at[1]))
		at++;
	while (isdigit((unsigned char)*at)) {
		char *text;
		unsigned long bytes = strtoul(at, &text, 10);

		if (!bytes || bytes > strlen(text))
			break;
		last = text;
		last_bytes = bytes;
		at = text + bytes;
		at += *at == 'L' && isdigit((unsigned char)at[1]);
	}
	return last ? xprintf("%.*s", (int)last_bytes, last) : NULL;
}

void spool_name(const char *mangled, char **demangled, char **brief)
{
	static demangle_fn *demangle;
	static bool looked;
	int status = -1;
	char *full = NULL;

	if (!looked) {
		demangle = find_demangler();
		looked = true;
	}
	*brief = NULL;
	if (!strncmp(mangled, "_Z", 2)) {
		full = demangle ? demangle(mangled, NULL, NULL, &status) : NULL;
		*brief = brief_of_mangled(mangled);
	}
	*demangled = full ? full : xstrdup(mangled);
	if (!*brief)
		*brief = xstrdup(mangled);
}
