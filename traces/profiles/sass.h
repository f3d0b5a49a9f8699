/* SPDX-License-Identifier: MIT
 * SASS: the machine code of NVIDIA GPUs from Volta on (128-bit encoding), as far as timing needs
 * it: control bits, class, operands that matter. Layout of the control bits (bits 105..121 of the
 * encoding): Jia et al., "Dissecting the NVIDIA Volta GPU architecture via microbenchmarking",
 * 2018, section 2.1; Huerta et al., arXiv 2503.20481.
 */
#ifndef WARPREEL_SASS_H
#define WARPREEL_SASS_H

#include <stdbool.h>
#include <stdint.h>

/* Which pipe and which latency an instruction has: SASS_CLASS(enum suffix, "name", summary). */
enum sass_class {
#define SASS_CLASS(id, name, summary) SASS_##id,
#include "sass_classes.def"
#undef SASS_CLASS
	SASS_CLASS_COUNT
};
extern const char *const sass_class_name[SASS_CLASS_COUNT];

struct sass_control {
	uint8_t stall;	       /* cycles before the warp's next instruction, 0..15 */
	bool yield;	       /* prefer another warp next */
	uint8_t write_barrier; /* scoreboard raised until the result is written; 7 = none */
	uint8_t read_barrier;  /* scoreboard raised until the operands are read; 7 = none */
	uint8_t wait_mask;     /* scoreboards 0..5 to wait for before issue */
};

/* An operand that is read from a register. `pair`: and the one after it; `reuse`: it is kept for
 * the next instruction. */
struct sass_operand {
	int16_t reg /* -1: no operand */;
	bool pair, reuse;
};

#define SASS_TARGET_UNKNOWN UINT32_MAX
enum { SASS_CONSTANT_BYTES = 65536 }; /* of a bank */

struct sass_instruction {
	enum sass_class class;
	struct sass_control control;
	bool known; /* false: the decoder does not know the opcode; class is the slowest of what its
		       shape suggests */
	bool predicated;		     /* guarded by a predicate other than PT */
	bool is_exit, is_branch, is_barrier; /* is_branch: goes elsewhere, to `target`; is_barrier:
						waits for the block (BAR.ARV does not) */
	uint32_t target; /* bytes from the kernel's entry; for is_branch; SASS_TARGET_UNKNOWN: a
			    register knows (RET, BRX) */
	uint8_t access_bytes; /* memory: bytes a thread, from the width suffix, of a texture load
				 from its channels (4 bytes each); 0 otherwise */
	bool is_texture;      /* a load by the texture units: not by an address */
	int8_t depbar_scoreboard, depbar_count; /* DEPBAR.LE SBs, n; -1 none. Scoreboards in its
						   braces are in control.wait_mask */
	int32_t constant;    /* c[0x0][offset]: of launch dimensions and parameters; -1 none */
	int16_t destination; /* first destination register, -1 none */
	int16_t source[4];   /* source registers, -1 none: for machines without control bits */
	struct sass_operand operand[3]; /* what arithmetic reads, in the order of the text; a
					   register that is named twice is read once */
	uint8_t destination_count;	/* registers written from `destination` on */
};

/*
 * Decodes one instruction from its text and encoding. Never fails: what it does not know is marked.
 * `offset` is the instruction's own, for relative targets.
 */
void sass_decode(struct sass_instruction *instruction, const char *text, const uint64_t code[2],
		 uint32_t offset);
/* The opcode without modifiers ("LDG"), into `opcode`. */
void sass_opcode(const char *text, char opcode[16]);

#endif
