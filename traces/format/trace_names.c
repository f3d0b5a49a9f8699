/* SPDX-License-Identifier: MIT */
#include "trace.h"

#include <string.h>

#include "traces/base/util.h"

char *trace_kernel_name(const struct trace *trace, const struct trace_kernel *kernel)
{
	const char *demangled = trace_text(trace, kernel->demangled_name),
		   *brief = trace_text(trace, kernel->short_name);
	const char *end = strchr(demangled, '('), *angle = strchr(demangled, '<');

	if (!*demangled)
		return xstrdup(*brief ? brief : "(unnamed kernel)");
	if (!end || end == demangled || (angle && angle < end))
		return xstrdup(demangled);
	if (strncmp(demangled, "void ", 5) == 0)
		demangled += 5;
	return xprintf("%.*s", (int)(end - demangled), demangled);
}

const char *trace_copy_kind_name(int32_t copy_kind)
{
	static const char *const names[] = { "unknown",	     "HtoD",	    "DtoH", "HtoA",
					     "AtoH",	     "AtoA",	    "AtoD", "DtoA",
					     "DtoD",	     "HtoH",	    "PtoP", "managed HtoD",
					     "managed DtoH", "managed DtoD" };

	return copy_kind > 0 && (size_t)copy_kind < sizeof(names) / sizeof(names[0])
		       ? names[copy_kind]
		       : names[0];
}
