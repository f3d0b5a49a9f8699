/* SPDX-License-Identifier: MIT
 * A clone of a function for each vector width, chosen when the program is loaded. The choice is
 * made before a sanitizer has begun, which ends such a program: with one, and where the compiler
 * knows no clones, there is the plain function.
 */
#ifndef WARPREEL_VECTOR_CLONES_H
#define WARPREEL_VECTOR_CLONES_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
	!defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* Use: VECTOR_CLONES("avx2", "default") void f(void); the last name is "default". */
#define VECTOR_CLONES(...) __attribute__((target_clones(__VA_ARGS__)))
#else
#define VECTOR_CLONES(...)
#endif

#endif
