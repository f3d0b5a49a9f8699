/* SPDX-License-Identifier: MIT */
#include "trace.h"

#include "traces/base/demangle.h"
#include "traces/base/util.h"

char *trace_kernel_name(const struct trace *trace, const struct trace_kernel *kernel)
{
	const char *demangled = trace_text(trace, kernel->demangled_name),
		   *brief = trace_text(trace, kernel->short_name);

	if (!*demangled)
		return xstrdup(*brief ? brief : "(unnamed kernel)");
	return kernel_plain_name(demangled);
}

int32_t trace_copy_kind_of(int32_t copy_kind, int32_t source_kind, int32_t target_kind)
{
	enum { HTOD = 1, DTOH = 2, HTOH = 9, PTOP = 10, PAGEABLE = 0, PINNED = 1 };
	const bool from_host = source_kind == PAGEABLE || source_kind == PINNED,
		   to_host = target_kind == PAGEABLE || target_kind == PINNED;

	if (copy_kind != PTOP || (!from_host && !to_host))
		return copy_kind;
	return from_host && to_host ? HTOH : from_host ? HTOD : DTOH;
}

bool trace_copy_is_between_gpus(int32_t copy_kind, int32_t source_kind, int32_t target_kind)
{
	enum { DTOD = 8, PTOP = 10, DEVICE = 2, ARRAY = 3 };
	const int32_t kind = trace_copy_kind_of(copy_kind, source_kind, target_kind);

	return kind == DTOD || kind == PTOP ||
	       ((source_kind == DEVICE || source_kind == ARRAY) &&
		(target_kind == DEVICE || target_kind == ARRAY));
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
