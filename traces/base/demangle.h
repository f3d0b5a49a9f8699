/* SPDX-License-Identifier: MIT
 * C++ symbols as people write them, by the C++ library where the machine has one.
 */
#ifndef WARPREEL_DEMANGLE_H
#define WARPREEL_DEMANGLE_H

/* With parameters: "sweep(float*)"; the symbol itself where nobody can read it. Owned by the
 * caller. */
char *demangle(const char *symbol);
/* Without its parameters, as a plan would call it: "sweep"; "void sweep<float>(float*)" keeps all.
 * Owned by the caller. */
char *kernel_plain_name(const char *demangled);
/* The bare name: "sweep" of all of these. Owned by the caller. */
char *kernel_bare_name(const char *symbol);

#endif
