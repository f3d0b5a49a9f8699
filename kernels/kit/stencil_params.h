/* SPDX-License-Identifier: MIT
 * What stencil solvers on a grid are asked alike: options, columns, checks, configuration string.
 * A family's params begin with struct stencil_params, its options list those below that it has.
 */
#ifndef WARPREEL_STENCIL_PARAMS_H
#define WARPREEL_STENCIL_PARAMS_H

#include "domain.h"

struct stencil_params {
	/* as given */
	const char *size, *precision, *transport, *partition;
	int border, iterations;
	/* by stencil_prepare */
	int64_t rows, columns;
	uint32_t across; /* blocks side by side */
	bool f64, peer;
};

#define STENCIL_AT(field) offsetof(struct stencil_params, field)
#define STENCIL_SIZE                                                                               \
	{                                                                                          \
		"size", OPTION_TEXT, STENCIL_AT(size), "1024", 0, 0, "N|ROWSxCOLUMNS",             \
			"grid points, boundary included"                                           \
	}
#define STENCIL_PRECISION                                                                          \
	{                                                                                          \
		"precision", OPTION_CHOICE, STENCIL_AT(precision), "f32", 0, 0, "f32|f64",         \
			"floating point format"                                                    \
	}
#define STENCIL_BORDER                                                                             \
	{                                                                                          \
		"border", OPTION_INT, STENCIL_AT(border), "1", 1, 1 << 20, "B",                    \
			"iterations between border exchanges"                                      \
	}
#define STENCIL_TRANSPORT                                                                          \
	{                                                                                          \
		"transport", OPTION_CHOICE, STENCIL_AT(transport), "peer", 0, 0, "host|peer",      \
			"borders through host memory, or GPU to GPU"                               \
	}
#define STENCIL_PARTITION                                                                          \
	{                                                                                          \
		"partition", OPTION_TEXT, STENCIL_AT(partition), "strips", 0, 0,                   \
			"strips|ROWSxCOLUMNS", "a strip of rows a GPU, or so many blocks"          \
	}
#define STENCIL_ITERATIONS(what)                                                                   \
	{                                                                                          \
		"iterations", OPTION_INT, STENCIL_AT(iterations), "100", 1, 1 << 30, "I", what     \
	}

/* What tables and classes of runs ask of a configuration: they never read its string. */
extern const struct solver_column stencil_columns[];

/* Reads size, partition, precision and transport; -1 after a message. */
int stencil_prepare(struct stencil_params *p, uint32_t gpus);
/* Whether every part is thick enough for `halo` points of its neighbours; -1 after a message. */
int stencil_check_halo(const struct stencil_params *p, uint32_t gpus, int64_t halo);
/* size, precision, border, transport, iterations; partition where it is not strips, as keys that
 * came later are left out where they have their default. */
void stencil_config(const struct stencil_params *p, char text[CONFIG_BYTES]);
/* Sets what begin() must of work->base, a cycle being `border` iterations, and of work->domain:
 * strips or blocks with `halo` points of the neighbours, rows as they are, one buffer. */
void stencil_begin(struct domain_work *work, const struct stencil_params *p, int64_t halo);

#endif
