/* SPDX-License-Identifier: MIT
 * Kernel names. CUPTI gives them as the compiler mangled them; the C++ library, if the machine has
 * one, reads them. Without it the full name stays mangled, and the short one is still found.
 */
#include "spool_read.h"

#include "traces/base/demangle.h"

void spool_name(const char *mangled, char **demangled, char **brief)
{
	*demangled = demangle(mangled);
	*brief = kernel_bare_name(mangled);
}
