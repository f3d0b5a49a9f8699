/* SPDX-License-Identifier: MIT */
#include "warps_internal.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/platform/sm_order.h"
#include "traces/base/util.h"
#include "l1_crowd.h"
#include "warps_phases.h"
#include "warps_play.h"

static char *shipped(const struct warps_options *options)
{
	return xprintf("%s/traces/data/%s/kernels/*.wrt.zst", util_root(), options->data);
}

bool warps_profiled(const struct warps_options *options)
{
	glob_t found = { 0 };
	char *pattern = shipped(options);
	bool any = options->profiles || glob(pattern, 0, NULL, &found) == 0;
	globfree(&found);
	free(pattern);
	return any;
}

static int load(struct warps *w)
{
	if (w->options.profiles) {
		w->where = xstrdup(w->options.profiles);
		return profile_library_open_file(&w->profiles, w->options.profiles);
	}
	glob_t found;
	char *pattern = w->where = shipped(&w->options);
	int rc = 0;
	if (glob(pattern, 0, NULL, &found) == 0) {
		rc = profile_library_open(&w->profiles, found.gl_pathv, found.gl_pathc);
		globfree(&found);
	} else {
		const char *device = platform_text(w->platform, "device.name");
		rc = report(
			"no kernel profiles for '%s' (%s), whose device is '%s': count them with "
			"warpreel profile -o FILE -- PROGRAM and name them with "
			"--kernel-profiles FILE, or name a platform whose profiles serve with "
			"'kernels = NAME' under [platform]",
			w->options.data, pattern, device ? device : "unknown");
	}
	return rc;
}

struct warps *warps_new(const struct platform *platform, const struct warps_options *options)
{
	if (!platform->sm.present) {
		report("platform '%s' has no [sm] section, which the kernel model 'warps' needs",
		       platform->name);
		return NULL;
	}
	struct warps *w = xcalloc(1, sizeof(*w));
	w->platform = platform;
	w->options = *options;
	if (load(w)) {
		warps_free(w);
		return NULL;
	}
	return w;
}

void warps_free(struct warps *w)
{
	if (!w)
		return;
	for (size_t k = 0; k < w->built_count; k++)
		warp_program_release(&w->built[k].program);
	free(w->built);
	derived_profiles_release(&w->derived);
	known_launches_release(&w->known);
	known_launches_release(&w->pending_known);
	free(w->pending);
	warps_schedule(w);
	profile_library_release(&w->profiles);
	free(w->where);
	free(w);
}

const char *warps_where(const struct warps *w)
{
	return w->where;
}

const char *warps_source(const struct warps *w)
{
	return w->profiles.loaded.source;
}

bool warps_profile(const struct warps *w, const char *kernel)
{
	return profile_library_has(&w->profiles, kernel);
}

bool warps_knows(const struct warps *w, const struct schedule *schedule,
		 const struct schedule_shape *shape)
{
	return shape->grid[0] && warps_profile(w, schedule->kernel[shape->kernel]);
}

const char *warps_missing(const struct warps *w, const struct schedule *schedule)
{
	for (uint32_t k = 0; k < schedule->shape_count; k++) {
		const struct schedule_shape *shape = &schedule->shape[k];
		if (!shape->meets && !warps_knows(w, schedule, shape))
			return schedule->kernel[shape->kernel];
	}
	return NULL;
}

const char *warps_derived(const struct warps *w, const struct schedule *schedule)
{
	for (uint32_t k = 0; k < schedule->shape_count; k++) {
		const char *name = schedule->kernel[schedule->shape[k].kernel];
		bool derived = false, counted = false;
		for (size_t p = 0; p < w->profiles.loaded.count; p++)
			if (!strcmp(w->profiles.loaded.profile[p].kernel, name)) {
				derived |= w->profiles.loaded.profile[p].derived;
				counted |= !w->profiles.loaded.profile[p].derived;
			}
		if (derived && !counted)
			return name;
	}
	return NULL;
}

static struct launch_geometry geometry_of(const struct schedule_shape *shape)
{
	struct launch_geometry g = { .shared_bytes = shape->shared_bytes,
				     .path = shape->path,
				     .steps = shape->steps };
	memcpy(g.grid, shape->grid, sizeof(g.grid));
	memcpy(g.block, shape->block, sizeof(g.block));
	return g;
}

/* Profiles of all kernels of the schedule. */
static int need(struct warps *w, const struct schedule *schedule)
{
	return profile_library_need(&w->profiles, schedule->kernel, schedule->kernel_count);
}

bool warps_sure(struct warps *w, const struct schedule *schedule)
{
	bool sure = !need(w, schedule);
	for (uint32_t k = 0; sure && k < schedule->shape_count; k++) {
		if (schedule->shape[k].meets)
			continue;
		const struct launch_geometry g = geometry_of(&schedule->shape[k]);
		bool exact;
		const struct kernel_profile *profile = kernel_profiles_find(
			&w->profiles.loaded, schedule->kernel[schedule->shape[k].kernel], &g,
			&exact);
		sure = profile && g.grid[0] && g.block[0] &&
		       (exact ||
			!derived_profiles_of(&w->derived, &w->profiles.loaded, profile, &g)->doubt);
	}
	return sure;
}

void warps_forget(struct warps *w, const char *kernel, const struct schedule_shape *shape)
{
	const struct launch_geometry g = geometry_of(shape);
	char *name = xstrdup(kernel);
	if (!profile_library_need(&w->profiles, &name, 1))
		kernel_profiles_drop(&w->profiles.loaded, kernel, &g);
	free(name);
}

void warps_schedule(struct warps *w)
{
	residency_release(&w->residency);
	free(w->answered);
	w->answered = NULL;
}

/* What launches of a shape find in L2, worked out when the first of the schedule is asked for: who
 * only wants to know what is missing does not wait. */
static const struct residency_shape *memory_of(struct warps *w, const struct schedule *schedule,
					       const struct schedule_shape *shape)
{
	if (!w->residency.shape)
		residency_build(&w->residency, schedule, &w->platform->sm);
	return &w->residency.shape[shape - schedule->shape];
}

/* The program of a profile, built once. */
static const struct warp_program *program_of(struct warps *w, const struct kernel_profile *profile)
{
	for (size_t k = 0; k < w->built_count; k++)
		if (w->built[k].profile == profile)
			return &w->built[k].program;
	struct warp_program program;
	if (warp_program_build(&program, profile, w->profiles.loaded.source)) {
		warp_program_release(&program);
		return NULL;
	}
	if (program.unknown) {
		report("kernel '%s': %lld executed instructions of unknown opcodes (%s first), %s",
		       profile->kernel, (long long)program.unknown, program.first_unknown,
		       w->options.strict ? "which --strict refuses"
					 : "priced as the slowest of their kind");
		if (w->options.strict) {
			warp_program_release(&program);
			return NULL;
		}
	}
	if (w->built_count == w->built_capacity) {
		w->built_capacity = w->built_capacity ? 2 * w->built_capacity : 16;
		w->built = xrealloc(w->built, w->built_capacity, sizeof(*w->built));
	}
	w->built[w->built_count] = (struct built){ profile, program };
	return &w->built[w->built_count++].program;
}

/* Bytes of all kernels that the schedule launches and that are known; 0 where no code is fetched.
 */
static double code_bytes_of(const struct warps *w, const struct schedule *schedule)
{
	double bytes = 0;
	if (w->platform->sm.code_line_cycles <= 0)
		return 0;
	bool *seen = xcalloc(schedule->kernel_count, sizeof(*seen));
	for (uint32_t k = 0; k < schedule->shape_count; k++) {
		const struct schedule_shape *shape = &schedule->shape[k];
		if (seen[shape->kernel])
			continue;
		seen[shape->kernel] = true;
		const struct launch_geometry g = geometry_of(shape);
		const struct kernel_profile *profile = kernel_profiles_find(
			&w->profiles.loaded, schedule->kernel[shape->kernel], &g, NULL);
		bytes += profile ? 16.0 * (double)profile->instruction_count : 0;
	}
	free(seen);
	return bytes;
}

/* What blocks at the rim of the launch's grid do and what the others do, if two grids tell. Where
 * they do far more or less, not all of them do: the ways that warps go then tell more. */
static void tell_kinds(struct warps *w, const struct kernel_profile *nearest,
		       const struct launch_geometry *g, struct warps_answer *a)
{
	static const double FAR_MORE = 1.5;
	struct warp_program *const to[2] = { &a->within, &a->rim };
	a->kinds = true;
	for (int rim = 0; rim < 2 && a->kinds; rim++) {
		const struct profile_derived *counts =
			derived_profiles_kind(&w->derived, &w->profiles.loaded, nearest, g, rim);
		const struct warp_program *program =
			counts ? program_of(w, &counts->profile) : NULL;
		a->kinds = program != NULL;
		if (a->kinds)
			*to[rim] = *program;
	}
	const double more = a->kinds ? a->rim.instructions / a->within.instructions : 1;
	a->kinds &= more < FAR_MORE && more > 1 / FAR_MORE;
	memcpy(a->launch.kinds.grid, g->grid, sizeof(a->launch.kinds.grid));
}

int warps_prepare(struct warps *w, const struct schedule *schedule,
		  const struct schedule_shape *shape, struct warps_answer *a)
{
	const char *name = schedule->kernel[shape->kernel];
	const struct mechanism_set *on = &w->platform->sm.mechanisms;
	const struct launch_geometry g = geometry_of(shape);
	bool exact;
	if (!g.grid[0] || !g.block[0])
		return report("kernel '%s': grid and block of the launch are not known, which the "
			      "kernel model 'warps' needs",
			      name);
	if (need(w, schedule))
		return -1;
	a->profile = kernel_profiles_find(&w->profiles.loaded, name, &g, &exact);
	if (!a->profile)
		return report("kernel '%s' has no profile in %s: record one with warpreel profile",
			      name, w->where);
	const struct kernel_profile *nearest = a->profile;
	const bool exact_shape = exact;
	if (!exact)
		a->derived = derived_profiles_of(&w->derived, &w->profiles.loaded, a->profile, &g);
	else if (mechanism_on(on, MECHANISM_GRID_RIM))
		a->derived = derived_profiles_between(&w->derived, &w->profiles.loaded, a->profile,
						      &g, shape->points);
	else
		a->derived = NULL;
	exact = !a->derived;
	a->doubt = exact ? NULL : a->derived->doubt;
	a->profile = exact ? a->profile : a->derived->memory;
	if (a->doubt && !w->options.allow_extrapolation)
		return report("kernel '%s', block %ux%ux%u: %s (%s): profile it, or "
			      "--allow-extrapolation answers all the same",
			      name, g.block[0], g.block[1], g.block[2], a->doubt, w->where);
	const struct warp_program *program = program_of(w, a->profile);
	const double counted_warp_bytes = program ? program->l2_read_bytes + program->l2_write_bytes
						  : 0; /* programs move when there is one more */
	if (program && !exact)
		program = program_of(w, &a->derived->profile);
	if (!program)
		return -1;
	a->program = *program;
	a->program.block_threads = g.block[0] * g.block[1] * g.block[2];
	if (g.path >= 0) /* a plan knows its dynamic shared memory, a recording all of it */
		a->program.shared_bytes = a->profile->static_shared_bytes + g.shared_bytes;
	a->launch.program = &a->program;
	if (exact_shape && mechanism_on(on, MECHANISM_GRID_RIM) && g.grid[2] == 1)
		tell_kinds(w, nearest, &g, a);
	a->launch.code_bytes = code_bytes_of(w, schedule);
	a->launch.blocks = (int64_t)g.grid[0] * g.grid[1] * g.grid[2];
	a->memory = mechanism_on(on, MECHANISM_L2_REUSE)
			    ? *memory_of(w, schedule, shape)
			    : (struct residency_shape){ .distance_bytes = -1 };
	struct traffic_launch launch = {
		.schedule = schedule,
		.shape = shape,
		.memory = &a->memory,
		.program = &a->program,
		.warps = (double)a->launch.blocks * (double)((a->program.block_threads + 31) / 32),
		.counted = a->profile,
		.profile = exact ? a->profile : &a->derived->profile,
		.counted_warp_bytes = counted_warp_bytes,
		.sm_count = w->platform->sm_count,
		.counted_on = w->options.counted_on ? w->options.counted_on : &w->platform->sm,
	};
	launch.l1_scale = l1_crowd_scale(&w->platform->sm, &launch);
	a->launch.traffic = traffic_of_launch(&w->platform->sm, &launch);
	warps_split(a, on);
	return 0;
}

/* As warps_duration, of a shape that the schedule has not been asked for. */
static int first_duration(struct warps *w, const struct schedule *schedule,
			  const struct schedule_shape *shape, double *duration_ns,
			  bool *extrapolated)
{
	struct warps_answer a = { 0 };
	const size_t before = w->known.count;
	if (warps_prepare(w, schedule, shape, &a))
		return -1;
	*extrapolated = a.doubt != NULL;
	if (warps_known_duration(w->platform, w->options.before, &w->known, &a, duration_ns))
		return -1;
	w->computed += w->known.count > before;
	return 0;
}

int warps_duration(struct warps *w, const struct schedule *schedule,
		   const struct schedule_shape *shape, double *duration_ns, bool *extrapolated)
{
	if (!w->answered)
		w->answered = xcalloc(schedule->shape_count + 1, sizeof(*w->answered));
	struct answered *a = &w->answered[shape - schedule->shape];
	if (!a->known && first_duration(w, schedule, shape, &a->duration_ns, &a->extrapolated))
		return -1;
	a->known = true;
	*duration_ns = a->duration_ns;
	*extrapolated |= a->extrapolated;
	return 0;
}

int warps_crowd(struct warps *w, const struct schedule *schedule,
		const struct schedule_shape *shape, double duration_ns, double *room, double *busy,
		double *as_many)
{
	enum { FILLS = 32 }; /* times over: more is no other */
	struct warps_answer a = { 0 };
	double ns;
	const double wanted = fmax(*as_many, 2);
	*room = *busy = *as_many = 1;
	if (warps_prepare(w, schedule, shape, &a))
		return -1;
	const int held = sm_occupancy(&w->platform->sm, a.program.block_threads,
				      a.program.registers, a.program.shared_bytes, NULL);
	const int64_t all = (int64_t)(held > 0 ? held : 1) * w->platform->sm_count;
	const double waves = (double)a.launch.blocks / (double)all;
	*room = fmin(waves, 1);
	if (waves >= FILLS) /* by itself */
		return 0;
	a.kinds = false; /* of the one launch's grid */
	*as_many = fmin(wanted, FILLS / waves);
	a.launch.blocks = (int64_t)(*as_many * (double)a.launch.blocks + 0.5);
	if (warps_known_duration(w->platform, w->options.before, &w->known, &a, &ns))
		return -1;
	*busy = fmin(ns / (*as_many * duration_ns), 1);
	return 0;
}

int warps_explain(struct warps *w, const struct schedule *schedule,
		  const struct schedule_shape *shape, const struct sm_device *device,
		  struct warps_answer *answer)
{
	double own_ns;
	bool extrapolated = false;
	*answer = (struct warps_answer){ 0 };
	if (warps_prepare(w, schedule, shape, answer))
		return -1;
	if (!device)
		return warps_play_own(w->platform, w->options.before, answer);
	if (warps_duration(w, schedule, shape, &own_ns, &extrapolated) ||
	    warps_play(device, w->platform->sm_count, answer))
		return -1;
	warps_bound(device, sm_order(&w->platform->sm, device), own_ns, &answer->grid);
	return 0;
}

size_t warps_computed(const struct warps *w)
{
	return w->computed;
}

double warps_dram_bytes(struct warps *w, const struct schedule *schedule,
			const struct schedule_shape *shape)
{
	const struct residency_shape *memory = memory_of(w, schedule, shape);
	return memory->read_miss_bytes + memory->write_miss_bytes;
}
