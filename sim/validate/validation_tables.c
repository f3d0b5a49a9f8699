/* SPDX-License-Identifier: MIT */
#include "validation_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "blind.h"
#include "part_errors.h"
#include "ranking.h"
#include "strata.h"
#include "traces/base/output.h"
#include "traces/base/util.h"

static const struct {
	const char *name;
	void (*write)(const struct validation *, FILE *);
} table[] = { { "ranking.tsv", ranking_write },
	      { "strata.tsv", strata_write },
	      { "parts.tsv", part_errors_write } };
enum { TABLES = sizeof(table) / sizeof(table[0]) };

/* -1 after a message. */
static int finish(struct output *output, FILE *out, const char *path)
{
	if (!out || fflush(out) | ferror(out) | fclose(out)) {
		report("cannot write '%s': %s", path, strerror(errno));
		output_abandon(output);
		return -1;
	}
	return output_commit(output);
}

int validation_write_file(const struct validation *v, const char *path,
			  void (*write)(const struct validation *, FILE *))
{
	struct output output;
	output_begin(&output, path);
	FILE *out = output_open(&output);
	if (out)
		write(v, out);
	return finish(&output, out, path);
}

static int write_blind(const struct validation *v, const struct blind_inputs *inputs,
		       const char *path)
{
	struct blind blind = { 0 };
	struct measured runs = { 0 }, kernels = { 0 };
	struct output output;
	int rc = blind_read(&blind, inputs->blind) ||
				 measured_read(&runs, inputs->measured, NULL) ||
				 (access(inputs->kernels, R_OK) == 0 &&
				  measured_read_kernels(&kernels, inputs->kernels, NULL))
			 ? -1
			 : 0;
	if (!rc) {
		output_begin(&output, path);
		FILE *out = output_open(&output);
		if (out)
			blind_write(&blind, v, &runs, &kernels, out);
		rc = finish(&output, out, path);
	}
	blind_release(&blind);
	measured_release(&runs);
	measured_release(&kernels);
	return rc;
}

int validation_write_tables(const struct validation *v, const struct blind_inputs *inputs,
			    const char *folder)
{
	int rc = 0;
	for (size_t k = 0; !rc && k < TABLES; k++) {
		char *path = xprintf("%s/%s", folder, table[k].name);
		rc = validation_write_file(v, path, table[k].write);
		free(path);
	}
	char *path = xprintf("%s/blind.tsv", folder);
	if (!rc && access(inputs->blind, R_OK) == 0)
		rc = write_blind(v, inputs, path);
	free(path);
	return rc;
}

int validation_check_tables(const char *folder)
{
	char *path = xprintf("%s/%s", folder, table[0].name);
	int rc = output_check(path);
	free(path);
	return rc;
}
