/* SPDX-License-Identifier: MIT
 * What a module of machine code (a cubin: ELF) says a function takes of the machine. Nothing in it
 * is trusted.
 */
#ifndef WARPREEL_CUBIN_H
#define WARPREEL_CUBIN_H

#include <stddef.h>
#include <stdint.h>

struct cubin_resources {
	uint32_t registers;	      /* a thread */
	uint32_t static_shared_bytes; /* a block; without what the system reserves */
};

/* 0; -1 when the module does not have the function or cannot be read (no message: it is one source
 * of several). */
int cubin_find(const void *cubin, size_t bytes, const char *symbol,
	       struct cubin_resources *resources);

#endif
