/* SPDX-License-Identifier: MIT
 * The listing of a module's machine code, as NVIDIA's disassemblers print it, read into functions.
 * Branch targets become byte offsets from the entry of the function: "@P0 BRA 0x150".
 */
#ifndef WARPREEL_DISASSEMBLY_H
#define WARPREEL_DISASSEMBLY_H

#include <stddef.h>
#include <stdint.h>

struct disassembled {
	uint32_t offset;
	uint64_t code[2];
	char *text;
};
struct disassembled_label {
	char *name;
	uint32_t offset;
};
struct disassembled_function {
	char *name;			  /* mangled */
	struct disassembled *instruction; /* 16 bytes apart from 0 */
	size_t instruction_count, instruction_capacity;
	struct disassembled_label *label;
	size_t label_count, label_capacity;
};
struct disassembly {
	struct disassembled_function *function;
	size_t function_count, function_capacity;
};

/*
 * Reads the output of `nvdisasm -c -hex` or `cuobjdump -sass`. -1 after a message that names
 * `source` and the line; the caller releases either way. `text` is changed while it is read.
 */
int disassembly_read(struct disassembly *disassembly, char *text, const char *source);
void disassembly_release(struct disassembly *disassembly);
const struct disassembled_function *disassembly_find(const struct disassembly *disassembly,
						     const char *name);
/* Where a part of the function begins that has a name of its own; -1 when it has none of that name.
 */
int64_t disassembled_part(const struct disassembled_function *function, const char *name);

/* A disassembler on this machine: nvdisasm or cuobjdump in PATH, $CUDA_HOME/bin or
 * /usr/local/cuda/bin. Path, the caller's; NULL: none. */
char *disassembler_find(void);
/* Runs it over a module. -1 after a message. */
int disassembler_run(struct disassembly *disassembly, const char *tool, const void *cubin,
		     size_t bytes);

#endif
