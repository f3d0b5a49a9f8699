/* SPDX-License-Identifier: MIT */
#include "platform_choice.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "model/platform/platform_default.h"
#include "traces/base/util.h"

/* How many GPUs the platform must have: a host or a number that was asked for brings its own. */
static int gpus_wanted(const struct predictor_options *o, const struct trace *recorded, int gpus)
{
	static const char count[] = "device.gpus=";
	if (o->host)
		return 1;
	for (int k = 0; k < o->set.count; k++)
		if (!strncmp(o->set.text[k], count, strlen(count)))
			return 1;
	return recorded && (int)recorded->gpu_count > gpus ? (int)recorded->gpu_count : gpus;
}

static const char *device_of(const struct platform *platform)
{
	const char *name = platform_text(platform, "device.name");
	return name ? name : "";
}

/* The best of the shipped platforms that were measured; 0 GPUs: none fits. */
struct best {
	char *name; /* owned */
	int gpus;
};

static int look_at(struct best *best, const char *path, const char *device, int gpus)
{
	struct platform p;
	if (platform_read(&p, path))
		return -1;
	if (!p.from_datasheet && !strcmp(device_of(&p), device) && p.gpus >= gpus &&
	    (!best->gpus || p.gpus < best->gpus)) {
		free(best->name);
		best->name = xstrdup(p.name);
		best->gpus = p.gpus;
	}
	platform_release(&p);
	return 0;
}

static int find_best(struct best *best, const char *device, int gpus)
{
	glob_t found;
	char *pattern = xprintf("%s/model/platforms/*.ini", util_root());
	int rc = 0;
	if (glob(pattern, 0, NULL, &found) == 0) {
		for (size_t k = 0; !rc && k < found.gl_pathc; k++)
			rc = look_at(best, found.gl_pathv[k], device, gpus);
		globfree(&found);
	}
	free(pattern);
	return rc;
}

int platform_choose(struct platform_choice *choice, const struct predictor_options *o,
		    const struct trace *recorded, int gpus)
{
	struct platform usual;
	struct best best = { 0 };
	*choice = (struct platform_choice){ 0 };
	if (o->platform)
		return 0;
	if (platform_read(&usual, PLATFORM_DEFAULT))
		return -1;
	const char *own = device_of(&usual),
		   *name = recorded && recorded->gpu_count && !o->device
				   ? trace_text(recorded, recorded->gpu[0].name)
				   : NULL,
		   *device = name && *name ? name : own;
	const int wanted = gpus_wanted(o, recorded, gpus);
	const bool fits = !strcmp(device, own) && usual.gpus >= wanted;
	int rc = fits ? 0 : find_best(&best, device, wanted);
	if (!rc) {
		choice->name = xstrdup(best.gpus ? best.name : PLATFORM_DEFAULT);
		choice->why =
			fits || best.gpus
				? xprintf("platform %s since none was asked for: measured with %d "
					  "GPUs of %s (--platform takes another)",
					  choice->name, best.gpus ? best.gpus : usual.gpus, device)
				: xprintf("platform %s since none was asked for; none was measured "
					  "with %d GPUs of %s (--platform takes another)",
					  choice->name, wanted, device);
	}
	free(best.name);
	platform_release(&usual);
	return rc;
}

int platform_choice_init(const struct platform_choice *choice, struct predictor *predictor,
			 const struct program *program, struct predictor_options *options,
			 bool wants_profile)
{
	options->platform = choice->name ? choice->name : options->platform;
	if (predictor_init(predictor, program, options, wants_profile))
		return -1;
	predictor->chosen = choice->why ? xstrdup(choice->why) : NULL;
	return 0;
}

void platform_choice_release(struct platform_choice *choice)
{
	free(choice->name);
	free(choice->why);
}
