/* SPDX-License-Identifier: MIT */
#include "mlssor_params.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kit/grid.h"
#include "kernels/kit/parts.h"
#include "traces/base/util.h"
#include "mlssor_geometry.h"

enum { MOST_SIDE = 256 };

#define AT(field) offsetof(struct mlssor_params, field)
const struct option_spec mlssor_options[] = {
	{ "size", OPTION_TEXT, AT(size), "1026", 0, 0, "N|ROWSxCOLUMNS",
	  "grid points, boundary included" },
	{ "subdomain", OPTION_TEXT, AT(subdomain), "8", 0, 0, "N|ROWSxCOLUMNS",
	  "points of a subdomain in a layer; the mesh without its boundary is a whole number of "
	  "them" },
	{ "layers", OPTION_INT, AT(layers), "0", 0, MOST_SIDE, "K",
	  "layers of a sweep, at most half a subdomain's side; 0 takes that" },
	{ "sweeps", OPTION_CHOICE, AT(sweeps), "alternating", 0, 0, "alternating|forward|backward",
	  "forward and backward in turn, or one of them alone" },
	{ "planes", OPTION_CHOICE, AT(planes), "printed", 0, 0, "printed|centred",
	  "where subdomains are cut\n"
	  "printed: by the paper's equation (6)\n"
	  "centred: moved, so that border subdomains are as large as others and backward sweeps "
	  "have the cuts of forward ones" },
	{ "kernel", OPTION_CHOICE, AT(kernel), "tuned", 0, 0,
	  "full|rows|tuned|ahead|staged|chunked|wavefront|redblack|sequential|ssor",
	  "full, rows: the paper's, with whole tiles in shared memory, or three rows of them\n"
	  "tuned: tiles in registers, for subdomains of 4, 8 and 16\n"
	  "ahead: the same with more loads under way\n"
	  "staged: tiles copied into shared memory asynchronously\n"
	  "chunked: the same for subdomains of 16, four words at a time\n"
	  "wavefront: as chunked, with K12 and K21 of one launch in registers; borders between "
	  "GPUs are chunked's\n"
	  "redblack: red-black SOR\n"
	  "sequential, ssor: multi-layer SSOR on the CPU, and with one layer a sweep" },
	{ "form", OPTION_CHOICE, AT(form), "coalesced", 0, 0, "plain|coalesced|unrolled|both",
	  "of the kernels full and rows; unrolled: subdomains 4x4 and 8x8, rows 16x16 and 32x32 "
	  "too" },
	{ "tile", OPTION_INT, AT(tile), "0", 0, MOST_SIDE, "M",
	  "side of full tiles (8), for subdomains of more than 2x2 tiles; 0: 2x2 tiles" },
	{ "launches", OPTION_INT, AT(launches), "4", 3, 4, "L",
	  "kernels a sweep; 3: K12 and K21 in one" },
	{ "points", OPTION_TEXT, AT(points), "1x1", 0, 0, "ROWSxCOLUMNS",
	  "points a thread, of red-black SOR" },
	{ "threads", OPTION_INT, AT(threads), "64", 1, MLSSOR_MOST_THREADS, "T",
	  "threads a block; each has a tile" },
	{ "transport", OPTION_CHOICE, AT(transport), "peer", 0, 0, "host|peer",
	  "borders through host memory, or GPU to GPU" },
	{ "input", OPTION_CHOICE, AT(input), "1", 0, 0, "1|2|3",
	  "start values, the boundary 0: uniform in [-1, 1); means of two such; other uniform "
	  "ones" },
	{ "omega", OPTION_REAL, AT(omega), "1.25", 0, 2, "W", "relaxation factor" },
	{ "iterations", OPTION_INT, AT(iterations), "96", 1, 1 << 30, "I",
	  "layers, whole sweeps of them; with a tolerance at most so many" },
	{ "tolerance", OPTION_REAL, AT(tolerance), "0", 0, 1e30, "T",
	  "end after the sweep with the layer in which no point changes by more; 0: never. CPU "
	  "only" },
	{ 0 },
};

/* A size counts the boundary, the mesh does not. */
/* clang-format off */
const struct solver_column mlssor_said[] = {
	{ "rows", COLUMN_INT64, AT(rows), 2 },
	{ "columns", COLUMN_INT64, AT(columns), 2 },
	{ "iterations", COLUMN_INT, AT(iterations), 0 },
	{ "transport", COLUMN_TEXT, AT(transport), 0 },
	{ 0 },
};
/* clang-format on */

static const char *const sweeps_names[] = { "alternating", "forward", "backward", NULL };
static const char *const planes_names[] = { "centred", "printed", NULL };
static const char *const transport_names[] = { "host", "peer", NULL };
static const char *const input_names[] = { "1", "2", "3", NULL };

#define NAMES(stem)                                                                                \
	{                                                                                          \
		stem "_11", stem "_12", stem "_21", stem "_22", stem "_1221"                       \
	}
#define NAMES_0(kernel, form) NAMES("mlssor_" #kernel "_" #form)
#define NAMES_4(kernel, form) NAMES("mlssor_" #kernel "_" #form "4")
#define NAMES_8(kernel, form) NAMES("mlssor_" #kernel "_" #form "8")
#define NAMES_16(kernel, form) NAMES("mlssor_" #kernel "_" #form "16")
#define NAMES_32(kernel, form) NAMES("mlssor_" #kernel "_" #form "32")
static const struct mlssor_method methods[] = {
#define MLSSOR_FORM(kernel, form, side, rows_only, coalesced)                                      \
	{ #kernel,                                                                                 \
	  #form,                                                                                   \
	  side,                                                                                    \
	  rows_only,                                                                               \
	  PROGRAM_TILES,                                                                           \
	  NAMES_##side(kernel, form),                                                              \
	  mlssor_tiles_cpu,                                                                        \
	  rows_only ? mlssor_rows_geometry : mlssor_full_geometry,                                 \
	  NULL },
#include "mlssor_forms.def"
#undef MLSSOR_FORM
	{ "tuned", NULL, 4, false, PROGRAM_TILES, NAMES("mlssor_tuned4"), mlssor_tiles_cpu,
	  mlssor_tuned_geometry, NULL },
	{ "tuned", NULL, 8, false, PROGRAM_TILES, NAMES("mlssor_tuned8"), mlssor_tiles_cpu,
	  mlssor_tuned_geometry, NULL },
	{ "tuned", NULL, 16, false, PROGRAM_TILES, NAMES("mlssor_tuned16"), mlssor_tiles_cpu,
	  mlssor_tuned_geometry, NULL },
	{ "ahead", NULL, 4, false, PROGRAM_TILES, NAMES("mlssor_ahead4"), mlssor_tiles_cpu,
	  mlssor_tuned_geometry, NULL },
	{ "ahead", NULL, 8, false, PROGRAM_TILES, NAMES("mlssor_ahead8"), mlssor_tiles_cpu,
	  mlssor_tuned_geometry, NULL },
	{ "ahead", NULL, 16, false, PROGRAM_TILES, NAMES("mlssor_ahead16"), mlssor_tiles_cpu,
	  mlssor_tuned_geometry, NULL },
	{ "staged", NULL, 4, false, PROGRAM_TILES, NAMES("mlssor_staged4"), mlssor_tiles_cpu,
	  mlssor_staged_geometry, NULL },
	{ "staged", NULL, 8, false, PROGRAM_TILES, NAMES("mlssor_staged8"), mlssor_tiles_cpu,
	  mlssor_staged_geometry, NULL },
	{ "staged", NULL, 16, false, PROGRAM_TILES, NAMES("mlssor_staged16"), mlssor_tiles_cpu,
	  mlssor_staged_geometry, NULL },
	{ "chunked", NULL, 16, false, PROGRAM_TILES, NAMES("mlssor_chunked16"), mlssor_tiles_cpu,
	  mlssor_chunked_geometry, NULL },
	{ "wavefront", NULL, 16, false, PROGRAM_TILES, NAMES("mlssor_wavefront16"),
	  mlssor_tiles_cpu, mlssor_wavefront_geometry, "chunked" },
	{ "redblack",
	  NULL,
	  0,
	  false,
	  PROGRAM_REDBLACK,
	  { "mlssor_redblack" },
	  mlssor_redblack_cpu,
	  mlssor_redblack_geometry,
	  NULL },
	{ "sequential",
	  NULL,
	  0,
	  false,
	  PROGRAM_SEQUENTIAL,
	  { "mlssor_sequential" },
	  mlssor_sequential_cpu,
	  NULL,
	  NULL },
	{ "ssor",
	  NULL,
	  0,
	  false,
	  PROGRAM_SEQUENTIAL,
	  { "mlssor_sequential" },
	  mlssor_sequential_cpu,
	  NULL,
	  NULL },
	{ 0 },
};

/* The static name equal to a given one: what was given may go away. */
static const char *static_name(const char *const names[], const char *name)
{
	while (strcmp(*names, name)) /* the option table let no other name in */
		names++;
	return *names;
}

static int parse_sides(const char *what, const char *text, int32_t least, int32_t *rows,
		       int32_t *columns)
{
	char *end, *second;
	long r = strtol(text, &end, 10), c = r;
	if (end != text && *end == 'x') {
		second = end + 1;
		c = strtol(second, &end, 10);
		if (end == second)
			end = (char *)(uintptr_t)text;
	}
	if (end == text || *end || r < least || c < least || r > MOST_SIDE || c > MOST_SIDE)
		return report("%s '%s' is neither N nor ROWSxCOLUMNS of %d to %d points", what,
			      text, least, MOST_SIDE);
	*rows = (int32_t)r;
	*columns = (int32_t)c;
	return 0;
}

/* Whole subdomains along an axis, as many for every GPU. */
static int check_mesh(const char *what, int64_t points, int32_t side, uint32_t gpus)
{
	const int64_t unit = (int64_t)side * gpus, below = points / unit * unit;
	char nearest[64];
	if (points % unit == 0)
		return 0;
	if (below)
		snprintf(nearest, sizeof(nearest), "%lld or %lld", (long long)below + 2,
			 (long long)(below + unit) + 2);
	else
		snprintf(nearest, sizeof(nearest), "%lld", (long long)unit + 2);
	return report("%lld %s are not the boundary and a whole number of subdomains of %d on %u "
		      "GPU%s: the nearest sizes are %s",
		      (long long)points + 2, what, side, gpus, gpus > 1 ? "s" : "", nearest);
}

static const struct mlssor_method *method_of(const struct mlssor_params *p, const char *kernel)
{
	for (const struct mlssor_method *m = methods; m->kernel; m++)
		if (!strcmp(m->kernel, kernel) && (!m->form || !strcmp(m->form, p->form)) &&
		    (!m->side || (m->side == p->height && m->side == p->width)))
			return m;
	return NULL;
}

/* Finds the method of kernel, form and subdomain. */
static int find_method(struct mlssor_params *p)
{
	p->method = method_of(p, p->kernel);
	if (p->method) {
		p->border = p->method->border ? method_of(p, p->method->border) : p->method;
		p->kernel = p->method->kernel;
		p->form = p->method->form;
		return 0;
	}
	const bool formless = strcmp(p->kernel, "full") && strcmp(p->kernel, "rows");
	return report("kernel %s%s%s is not for subdomains of %dx%d: --kernel full and rows of "
		      "form plain and coalesced take any",
		      p->kernel, formless ? "" : " of form ", formless ? "" : p->form, p->height,
		      p->width);
}

/* Layers of a sweep and tiles of a subdomain. */
static int check_sweep(struct mlssor_params *p)
{
	const int32_t less = p->height < p->width ? p->height : p->width, most = less / 2;
	if (!strcmp(p->kernel, "ssor"))
		p->layers = 1;
	if (p->method->program == PROGRAM_SEQUENTIAL && p->layers)
		return 0;
	if (p->layers > most)
		return report("%d layers are more than the %d of a sweep over subdomains of %dx%d: "
			      "at most half the side",
			      p->layers, most, p->height, p->width);
	if (!p->layers)
		p->layers = most;
	if (p->method->side && (p->layers != most || p->tile))
		return report("%s is for sweeps of %d layers and 2x2 tiles",
			      p->form ? p->form : p->kernel, most);
	const bool staged = p->method->geometry == mlssor_staged_geometry ||
			    p->method->geometry == mlssor_chunked_geometry ||
			    p->method->geometry == mlssor_wavefront_geometry;
	if ((staged || p->method->geometry == mlssor_tuned_geometry) && p->threads % 32)
		return report("kernel %s wants whole warps, not %d threads a block", p->kernel,
			      p->threads);
	if (!strcmp(p->kernel, "ahead") && p->threads > MLSSOR_AHEAD_THREADS)
		return report("kernel ahead takes so many registers that a block has at most %d "
			      "threads, not %d",
			      MLSSOR_AHEAD_THREADS, p->threads);
	if (staged && p->threads > MLSSOR_STAGED_THREADS)
		return report("kernel %s has blocks of at most %d threads, not %d", p->kernel,
			      MLSSOR_STAGED_THREADS, p->threads);
	p->parts = 2;
	if (p->tile) { /* as many full tiles as the bottom layer has room for, and two border
			  tiles */
		if (p->tile > less - 2)
			return report("tiles of %d leave no border tile in a subdomain of %dx%d",
				      p->tile, p->height, p->width);
		p->parts = 2 + (less - 2) / p->tile;
	}
	if (p->launches == 3 && p->parts > 2)
		return report("three kernels a sweep want 2x2 tiles");
	return 0;
}

/* All that takes tiles on a mesh. */
static int check_tiles(struct mlssor_params *p, uint32_t gpus)
{
	if (check_sweep(p))
		return -1;
	if (p->method->program != PROGRAM_TILES)
		return 0;
	if (p->iterations % p->layers)
		return report("%d iterations are not whole sweeps of %d layers: the next are %d",
			      p->iterations, p->layers,
			      (p->iterations / p->layers + 1) * p->layers);
	if (p->launches == 3 && gpus > 1)
		return report("three kernels a sweep are for one GPU: K21 would overwrite part of "
			      "the rows that K12 of the next GPU sends");
	return check_mesh("rows", p->rows, p->height, gpus) ||
			       check_mesh("columns", p->columns, p->width, 1)
		       ? -1
		       : 0;
}

int mlssor_prepare(void *given, uint32_t gpus)
{
	struct mlssor_params *p = given;
	if (grid_parse_size(p->size, &p->rows, &p->columns) ||
	    parse_sides("subdomain", p->subdomain, 2, &p->height, &p->width) ||
	    parse_sides("points", p->points, 1, &p->point_rows, &p->point_columns) ||
	    find_method(p))
		return -1;
	if (p->rows > INT32_MAX / 2 || p->columns > INT32_MAX / 2)
		return report("size '%s' is too large", p->size);
	p->rows -= 2;
	p->columns -= 2;
	p->sweeps = static_name(sweeps_names, p->sweeps);
	p->transport = static_name(transport_names, p->transport);
	p->input = static_name(input_names, p->input);
	p->planes = static_name(planes_names, p->planes);
	p->printed = p->planes == planes_names[1];
	p->one_way = p->sweeps != sweeps_names[0];
	p->backward = p->sweeps == sweeps_names[2];
	p->peer = p->transport == transport_names[1];
	if (p->method->program == PROGRAM_SEQUENTIAL && gpus > 1)
		return report("kernel %s is a sequential program: one GPU", p->kernel);
	if (check_tiles(p, gpus))
		return -1;
	return parts_check(
		&(struct parts){ .gpus = gpus,
				 .across = 1,
				 .rows = p->rows + 2,
				 .columns = p->columns + 2,
				 .halo = p->method->program == PROGRAM_TILES ? p->layers : 1 },
		"a sweep");
}

void mlssor_config(const void *given, char text[CONFIG_BYTES])
{
	const struct mlssor_params *p = given;
	int length = snprintf(text, CONFIG_BYTES, "size=%lldx%lld", (long long)p->rows + 2,
			      (long long)p->columns + 2);
#define ADD(...) length += snprintf(text + length, (size_t)(CONFIG_BYTES - length), " " __VA_ARGS__)
	if (p->method->program != PROGRAM_REDBLACK)
		ADD("subdomain=%dx%d layers=%d sweeps=%s", p->height, p->width, p->layers,
		    p->sweeps);
	if (!p->printed && p->method->program == PROGRAM_TILES)
		ADD("planes=centred");
	ADD("kernel=%s", p->kernel);
	if (p->form)
		ADD("form=%s", p->form);
	if (p->tile)
		ADD("tile=%d", p->tile);
	if (p->launches == 3)
		ADD("launches=3");
	if (p->method->program == PROGRAM_REDBLACK)
		ADD("points=%dx%d", p->point_rows, p->point_columns);
	if (p->method->program != PROGRAM_SEQUENTIAL)
		ADD("threads=%d", p->threads);
	ADD("transport=%s input=%s omega=%.17g iterations=%d", p->transport, p->input, p->omega,
	    p->iterations);
	if (p->tolerance > 0)
		ADD("tolerance=%.17g", p->tolerance);
#undef ADD
}
