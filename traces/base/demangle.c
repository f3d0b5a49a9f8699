/* SPDX-License-Identifier: MIT */
#include "demangle.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "mangled.h"
#include "util.h"

typedef char *demangle_fn(const char *mangled, char *buffer, size_t *bytes, int *status);

static demangle_fn *find_demangler(void)
{
	void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL),
	     *symbol = library ? dlsym(library, "__cxa_demangle") : NULL;
	demangle_fn *found = NULL;

	memcpy(&found, &symbol, sizeof(found));
	return found;
}

char *demangle(const char *symbol)
{
	static demangle_fn *library;
	static bool looked;
	int status = -1;
	char *full = NULL;

	if (!strncmp(symbol, "_Z", 2)) {
		if (!looked)
			library = find_demangler();
		looked = true;
		full = library ? library(symbol, NULL, NULL, &status) : NULL;
	}
	return full ? full : xstrdup(symbol);
}

char *kernel_plain_name(const char *demangled)
{
	static const char unnamed[] = "(anonymous namespace)";
	const char *end = strchr(demangled, '('), *angle = strchr(demangled, '<');

	while (end && !strncmp(end, unnamed, sizeof(unnamed) - 1))
		end = strchr(end + sizeof(unnamed) - 1, '(');
	if (!end || end == demangled || (angle && angle < end))
		return xstrdup(demangled);
	if (strncmp(demangled, "void ", 5) == 0)
		demangled += 5;
	return xprintf("%.*s", (int)(end - demangled), demangled);
}

char *kernel_bare_name(const char *symbol)
{
	size_t length;
	const char *last = mangled_last(symbol, &length);

	return last ? xprintf("%.*s", (int)length, last) : xstrdup(symbol);
}
