/* SPDX-License-Identifier: MIT
 * Launch shapes: which are to be measured, by name and by how many grids there were, and their
 * records in the spool.
 */
#include "recorder_profile.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "recorder_profile_launch.h"
#include "traces/base/mangled.h"

static int32_t note_path(const struct note_footprint *note)
{
	return note ? note->path : -1;
}

static int32_t note_steps(const struct note_footprint *note)
{
	return note ? note->steps : -1;
}

static bool same_but_grid(const struct profile_shape *shape, const char *symbol,
			  const struct launch_call *call, const struct note_footprint *note)
{
	return !memcmp(shape->block, call->block, sizeof(shape->block)) &&
	       shape->path == note_path(note) && shape->steps == note_steps(note) &&
	       !strcmp(shape->kernel, note ? note->kernel : "") && !strcmp(shape->symbol, symbol);
}

static bool same_shape(const struct profile_shape *shape, const char *symbol,
		       const struct launch_call *call, const struct note_footprint *note)
{
	return shape->dynamic_shared_bytes == call->dynamic_shared_bytes &&
	       !memcmp(shape->grid, call->grid, sizeof(shape->grid)) &&
	       same_but_grid(shape, symbol, call, note);
}

/* By symbol, by the bare name in it, or as our drivers call it. */
static bool wanted(const struct profile *profile, const char *symbol, const char *kernel)
{
	char line[4096], bare[4096]; /* mangled names of templates are long */
	size_t bytes;
	const char *last = mangled_last(symbol, &bytes);

	snprintf(bare, sizeof(bare), "%.*s", (int)bytes, last ? last : "");
	if (!profile->kernels)
		return true;
	for (const char *at = profile->kernels; *at;) {
		size_t length = strcspn(at, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)length, at);
		if (*line && (!fnmatch(line, symbol, 0) || (*bare && !fnmatch(line, bare, 0)) ||
			      (*kernel && !fnmatch(line, kernel, 0))))
			return true;
		at += length + (at[length] == '\n');
	}
	return false;
}

static bool is_the_one(const struct profile *profile, const struct launch_call *call)
{
	return !profile->only_one ||
	       (!memcmp(call->grid, profile->only, sizeof(call->grid)) &&
		!memcmp(call->block, profile->only + 3, sizeof(call->block)) &&
		call->dynamic_shared_bytes == profile->only[6]);
}

/* For whoever asked for a kernel that is not there. */
static void note_other(struct profile *profile, const char *symbol)
{
	size_t bytes;
	const char *last = mangled_last(symbol, &bytes);
	const char *name = last ? last : symbol;

	bytes = last ? bytes : strlen(symbol);
	for (uint32_t i = 0; i < profile->others; i++)
		if (strlen(profile->other[i]) == bytes && !memcmp(profile->other[i], name, bytes))
			return;
	if (profile->others == PROFILE_OTHERS_MAX)
		return;
	profile->other[profile->others] = strndup(name, bytes);
	profile->others += profile->other[profile->others] != NULL;
}

void profile_list_others(const struct profile *profile, char *lines, size_t bytes)
{
	size_t used = 0;

	*lines = 0;
	for (uint32_t i = 0; i < profile->others; i++) {
		const size_t length = strlen(profile->other[i]);

		if (used + length + 2 > bytes)
			continue;
		memcpy(lines + used, profile->other[i], length);
		lines[used + length] = '\n';
		lines[used += length + 1] = 0;
	}
}

uint32_t profile_find_shape(struct profile *profile, const char *symbol,
			    const struct launch_call *call, const struct note_footprint *note)
{
	struct profile_shape *shape;
	unsigned grids = 0;

	for (uint32_t i = 0; i < profile->shape_count; i++) {
		if (same_shape(&profile->shape[i], symbol, call, note))
			return profile->shape[i].skipped ? SPOOL_NONE : i;
		grids += !profile->shape[i].skipped &&
			 same_but_grid(&profile->shape[i], symbol, call, note);
	}
	if (!wanted(profile, symbol, note ? note->kernel : "")) {
		note_other(profile, symbol);
		return SPOOL_NONE;
	}
	if (!is_the_one(profile, call))
		return SPOOL_NONE;
	if (profile->shape_count == profile->shape_capacity) {
		uint32_t capacity = profile->shape_capacity ? profile->shape_capacity * 2 : 64;
		struct profile_shape *moved = realloc(profile->shape, capacity * sizeof(*moved));

		if (!moved)
			return SPOOL_NONE;
		profile->shape = moved;
		profile->shape_capacity = capacity;
	}
	shape = &profile->shape[profile->shape_count];
	memset(shape, 0, sizeof(*shape));
	shape->symbol = strdup(symbol);
	if (!shape->symbol)
		return SPOOL_NONE;
	memcpy(shape->grid, call->grid, sizeof(shape->grid));
	memcpy(shape->block, call->block, sizeof(shape->block));
	shape->dynamic_shared_bytes = (uint32_t)call->dynamic_shared_bytes;
	shape->path = shape->steps = -1;
	if (note) {
		memcpy(shape->kernel, note->kernel, sizeof(shape->kernel));
		shape->path = note_path(note);
		shape->steps = note_steps(note);
		shape->rows = note->rows;
		shape->columns = note->columns;
		shape->points = note->points;
	}
	shape->skipped = profile->grids && grids >= profile->grids;
	profile->shape_count++;
	return shape->skipped ? SPOOL_NONE : profile->shape_count - 1;
}

static uint32_t attribute(struct profile *profile, CUfunction_attribute name, CUfunction function)
{
	int value;

	if (!function ||
	    profile->calls.cuFuncGetAttribute(&value, name, function) != CUDA_SUCCESS || value < 0)
		return SPOOL_NONE;
	return (uint32_t)value;
}

void profile_write_shape(struct profile *profile, uint32_t number,
			 const struct profile_device *device, CUfunction function)
{
	struct profile_shape *shape = &profile->shape[number];
	struct spool_profile_shape out = { .type = SPOOL_TYPE_profile_shape,
					   .size = sizeof(out),
					   .shape = number,
					   .dynamic_shared_bytes = shape->dynamic_shared_bytes,
					   .path = shape->path,
					   .steps_plus_one = (uint32_t)shape->steps + 1,
					   .device = device->index,
					   .compute_major = device->compute_major,
					   .compute_minor = device->compute_minor,
					   .rows = shape->rows,
					   .columns = shape->columns,
					   .points = shape->points };

	if (shape->written)
		return;
	shape->written = true;
	profile_write_cubins(profile, shape->symbol);
	memcpy(out.grid, shape->grid, sizeof(out.grid));
	memcpy(out.block, shape->block, sizeof(out.block));
	out.symbol = writer_string(&recorder.writer, shape->symbol);
	out.kernel = writer_string(&recorder.writer, shape->kernel);
	out.registers = attribute(profile, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
	out.static_shared_bytes = attribute(profile, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);
	writer_append(&recorder.writer, SPOOL_RECORDS, &out, sizeof(out), NULL, 0);
}

void profile_write_pass(const struct profile_device *device, unsigned pass, uint32_t shape,
			uint64_t metrics)
{
	struct spool_profile_pass out = { .type = SPOOL_TYPE_profile_pass,
					  .size = sizeof(out),
					  .shape = shape,
					  .metrics = metrics,
					  .pass = pass,
					  .passes = device->passes };

	writer_append(&recorder.writer, SPOOL_RECORDS, &out, sizeof(out), NULL, 0);
}
