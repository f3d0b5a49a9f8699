/* SPDX-License-Identifier: MIT */
#include "target_machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/platform/platform_default.h"
#include "sim/gpu/ideal.h"
#include "traces/base/util.h"

#define BIT(part) (1u << (part))

static int set_text(struct platform *platform, const char *key, const char *text)
{
	char *assignment = xprintf("%s=%s", key, text);
	int rc = platform_set(platform, assignment);
	free(assignment);
	return rc;
}

/* Records and profiles of kernels are the device's. */
static int take_records(struct platform *platform, const struct platform *device)
{
	char *data = xstrdup(device->data ? device->data : device->name),
	     *kernels = xstrdup(device->kernels ? device->kernels : data);
	int rc = set_text(platform, "platform.data", data) ||
				 set_text(platform, "platform.kernels", kernels)
			 ? -1
			 : 0;
	free(kernels);
	free(data);
	return rc;
}

static int take(struct platform *platform, const char *name, unsigned parts, const char *what)
{
	struct platform other;
	if (platform_read(&other, name))
		return -1;
	/* Links join no more GPUs than they were measured between. */
	if (parts & BIT(PART_OF_LINK) && other.gpus < platform->gpus)
		parts |= BIT(PART_OF_COUNT);
	int rc = take_records(platform, parts & BIT(PART_OF_DEVICE) ? &other : platform);
	if (!rc)
		rc = platform_take_parts(platform, &other, parts);
	char *both = rc ? NULL : xprintf("%s with %s of %s", platform->name, what, other.name);
	if (!rc)
		rc = set_text(platform, "platform.name", both);
	if (!rc && other.from_datasheet)
		rc = set_text(platform, "platform.source",
			      platform_text(&other, "platform.source"));
	free(both);
	platform_release(&other);
	return rc;
}

int machine_read(struct platform *platform, const struct machine_names *names)
{
	if (platform_read(platform, names->platform ? names->platform : PLATFORM_DEFAULT))
		return -1;
	if (names->host &&
	    take(platform, names->host, BIT(PART_OF_HOST) | BIT(PART_OF_LINK) | BIT(PART_OF_COUNT),
		 "the host"))
		return -1;
	if (names->link && take(platform, names->link, BIT(PART_OF_LINK), "the links"))
		return -1;
	if (names->device && take(platform, names->device, BIT(PART_OF_DEVICE), "the device"))
		return -1;
	return 0;
}

int machine_make_ideal(struct platform *platform, const char *name)
{
	const struct ideal_part *part = ideal_parts;
	while (part->name && strcmp(part->name, name))
		part++;
	if (part->name && platform->sm.present) {
		part->lift(&platform->sm);
		return 0;
	}
	if (part->name)
		return report(
			"platform '%s' has no [sm] section, so none of its parts can be made ideal",
			platform->name);
	char *names = xstrdup("");
	for (part = ideal_parts; part->name; part++) {
		char *longer =
			xprintf("%s%s%s", names, part == ideal_parts ? "" : ", ", part->name);
		free(names);
		names = longer;
	}
	report("--ideal '%s': no such part of a device; there are %s", name, names);
	free(names);
	return -1;
}

static void add(struct hypothetical *h, unsigned parts, const char *text)
{
	char *longer = h->text ? xprintf("%s, %s", h->text, text) : xstrdup(text);
	free(h->text);
	h->text = longer;
	h->parts |= parts;
}

/* Of keys with other values than the file has, or than the shipped platform of its name. */
static int add_edits(struct hypothetical *h, const struct platform *platform)
{
	struct platform shipped = { 0 };
	struct platform_edits edits;
	char *path = platform_shipped(platform->name);
	const bool copy = path && strcmp(path, platform->path) != 0;
	int rc = copy ? platform_read(&shipped, path) : 0;
	free(path);
	if (rc)
		return -1;
	platform_edits_find(&edits, platform, copy ? &shipped : NULL);
	if (edits.parts)
		add(h, edits.parts, edits.text);
	h->inside = edits.inside;
	platform_edits_release(&edits);
	platform_release(&shipped);
	return 0;
}

/* Of the machine that gives host and links. */
static int add_intervals(struct hypothetical *h, const struct machine_names *names)
{
	struct platform host;
	const char *name = names->host ? names->host : names->platform;
	if (platform_read(&host, name ? name : PLATFORM_DEFAULT))
		return -1;
	int rc = intervals_read(&h->other, host.data ? host.data : host.name);
	platform_release(&host);
	return rc;
}

int machine_find_hypothetical(struct hypothetical *h, const struct platform *platform,
			      const struct machine_names *names, const struct text_list *ideal)
{
	*h = (struct hypothetical){ 0 };
	/* Each part was measured: none is left out. */
	const bool put_together = names->host || names->link || names->device;
	if (put_together)
		add(h, BIT(PART_OF_ABOUT), "host, links and device together");
	if (put_together && add_intervals(h, names))
		return -1;
	for (int k = 0; k < ideal->count; k++) {
		char *text = xprintf("ideal %s", ideal->text[k]);
		add(h, BIT(PART_OF_DEVICE), text);
		free(text);
	}
	return add_edits(h, platform);
}

void hypothetical_release(struct hypothetical *h)
{
	free(h->text);
	intervals_release(&h->other);
	*h = (struct hypothetical){ 0 };
}

/* Of the class; where none such was left out, the widest of the part. */
static void width_of(const struct intervals *left_out, const char *part, const char *class_name,
		     double *low, double *high)
{
	*low = *high = 0;
	for (size_t k = 0; k < left_out->count; k++) {
		const struct interval_row *row = &left_out->row[k];
		if (strcmp(row->set, part))
			continue;
		if (!strcmp(row->class_name, class_name)) {
			*low = row->low;
			*high = row->high;
			return;
		}
		*low = row->low < *low ? row->low : *low;
		*high = row->high > *high ? row->high : *high;
	}
}

static void widen(double *low, double *high, double to_low, double to_high)
{
	*low = to_low < *low ? to_low : *low;
	*high = to_high > *high ? to_high : *high;
}

/* Two errors that have nothing to do with each other add up as squares, as logarithms. */
static double beside(double ratio, double other)
{
	const double both = hypot(log1p(ratio), log1p(other));
	return expm1(ratio < 0 ? -both : both);
}

/* Widths of other parts hold what the model errs by; a device's are of the device alone. */
void hypothetical_widen(const struct hypothetical *h, const struct intervals *left_out,
			unsigned parts, const char *set, const char *class_name, const char *solver,
			double *low, double *high)
{
	double to_low, to_high;
	if (h->other.count) {
		intervals_lookup(&h->other, set, class_name, &to_low, &to_high);
		if (*solver)
			interval_of_solver(&h->other, solver, &to_low, &to_high);
		widen(low, high, to_low, to_high);
	}
	for (int part = 0; part < PLATFORM_PART_COUNT; part++)
		if (parts >> part & 1 && part != PART_OF_DEVICE) {
			width_of(left_out, platform_part_name[part], class_name, &to_low, &to_high);
			widen(low, high, to_low, to_high);
		}
	if (parts & BIT(PART_OF_DEVICE)) {
		width_of(left_out, platform_part_name[PART_OF_DEVICE], class_name, &to_low,
			 &to_high);
		*low = beside(*low, to_low);
		*high = beside(*high, to_high);
	}
}

void bounds_widen(const struct intervals *left_out, const char *class_name, double *low,
		  double *high)
{
	double to_low, to_high;
	width_of(left_out, "roofline", class_name, &to_low, &to_high);
	widen(low, high, to_low, to_high);
}

double bounds_most(const struct intervals *left_out)
{
	double low, high;
	width_of(left_out, "bounds", "kernels", &low, &high);
	return high > 0 ? 1 + high : INFINITY;
}
