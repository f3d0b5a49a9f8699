/* SPDX-License-Identifier: MIT
 * warpreel occupancy: blocks and warps that a multiprocessor holds, and what limits them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "traces/profiles/kernel_profile.h"
#include "traces/base/options.h"
#include "traces/program/program.h"
#include "traces/profiles/kernel_names.h"
#include "traces/base/text_show.h"
#include "traces/base/util.h"
#include "model/platform/sm_platform.h"

struct occupancy_options {
	const char *platform, *kernel, *format;
	struct text_list set, profile;
	int threads, registers, shared_bytes;
	bool sweep;
};

#define AT(field) offsetof(struct occupancy_options, field)
static const struct option_spec options[] = {
	{ "platform", OPTION_TEXT, AT(platform), NULL, 0, 0, "PLATFORM",
	  "the device: a platform with a section [sm]" },
	{ "set", OPTION_LIST, AT(set), NULL, 0, 0, "KEY=VALUE",
	  "change one value of the platform; may be repeated" },
	{ "threads", OPTION_INT, AT(threads), "0", 0, 1000000, "T",
	  "threads of a block; 0: of the profile" },
	{ "registers", OPTION_INT, AT(registers), "-1", -1, 255,
	  "R", /* an instruction names one in 8 bits */
	  "registers of a thread; 0: no limit; -1: of the profile, or none" },
	{ "shared", OPTION_INT, AT(shared_bytes), "-1", -1, 100000000, "B",
	  "bytes of shared memory of a block; -1: of the profile, or none" },
	{ "profile", OPTION_LIST, AT(profile), NULL, 0, 0, "FILE",
	  "take what is not given from the kernel profiles of FILE; may be repeated" },
	{ "kernel", OPTION_TEXT, AT(kernel), NULL, 0, 0, "NAME",
	  "only this kernel of the profiles" },
	{ "sweep", OPTION_FLAG, AT(sweep), NULL, 0, 0, NULL, "every block size the device takes" },
	{ "format", OPTION_CHOICE, AT(format), "text", 0, 0, "text|tsv", "output" },
	{ 0 },
};
static const struct command_help help = {
	"occupancy", "occupancy --platform PLATFORM --threads T [options]",
	"Says how many blocks and warps a multiprocessor holds, and what limits them."
};

enum { WARP = 32 };

/* What a block asks for. */
struct request {
	const char *kernel;
	uint32_t threads, registers, shared_bytes;
};

static void print_header(bool tsv)
{
	if (tsv)
		printf("platform\tkernel\tthreads\tregisters\tshared_bytes\twarps_per_"
		       "block\tblocks_by_warps\tblocks_by_registers\tblocks_by_shared\t"
		       "blocks_per_sm\twarps_per_sm\toccupancy\tlimit\n");
	else
		printf("%-24s %7s %9s %8s %7s %6s %9s  %s\n", "kernel", "threads", "registers",
		       "shared", "blocks", "warps", "occupancy", "limit");
}

static void print_row(const struct platform *platform, const struct request *r, bool tsv)
{
	const struct sm_device *d = &platform->sm;
	const char *limit;
	int limits[SM_LIMIT_COUNT],
		blocks = sm_occupancy(d, r->threads, r->registers, r->shared_bytes, &limit);
	int64_t block_warps = ((int64_t)r->threads + WARP - 1) / WARP,
		warps = block_warps * blocks;		  /* (3.13) */
	double occupancy = (double)warps / d->warp_slots; /* (3.5) */

	sm_block_limits(d, r->threads, r->registers, r->shared_bytes, limits);
	char *kernel = text_shown(r->kernel);
	if (tsv)
		printf("%s\t%s\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRId64
		       "\t%d\t%d\t%d\t%d\t%" PRId64 "\t%.4f\t%s\n",
		       platform->name, kernel, r->threads, r->registers, r->shared_bytes,
		       block_warps, limits[SM_LIMIT_WARPS], limits[SM_LIMIT_REGISTERS],
		       limits[SM_LIMIT_SHARED], blocks, warps, occupancy, limit);
	else
		printf("%-24s %7" PRIu32 " %9" PRIu32 " %8" PRIu32 " %7d %6" PRId64
		       " %7.1f %%  %s\n",
		       kernel, r->threads, r->registers, r->shared_bytes, blocks, warps,
		       100 * occupancy, limit);
	free(kernel);
}

/* One block size, which must fit; or all of them, where those that do not fit hold 0 blocks. */
static int answer(const struct platform *platform, struct request r, bool sweep, bool tsv)
{
	const struct sm_device *d = &platform->sm;
	const char *limit;

	if (sweep) {
		for (r.threads = WARP; (int)r.threads <= d->block_threads_max; r.threads += WARP)
			print_row(platform, &r, tsv);
		return 0;
	}
	if ((int64_t)r.threads > d->block_threads_max)
		return report("occupancy: a block of %" PRIu32
			      " threads; the device of platform '%s' takes at most %d",
			      r.threads, platform->name, d->block_threads_max);
	if (sm_occupancy(d, r.threads, r.registers, r.shared_bytes, &limit) == 0)
		return report("occupancy: a block of %" PRIu32 " threads with %" PRIu32
			      " registers each and %" PRIu32
			      " bytes of shared memory does not fit platform '%s': %s",
			      r.threads, r.registers, r.shared_bytes, platform->name, limit);
	print_row(platform, &r, tsv);
	return 0;
}

static struct request request_of(const struct occupancy_options *o, const struct kernel_profile *p)
{
	return (struct request){
		.kernel = p->kernel,
		.threads = o->threads ? (uint32_t)o->threads : (uint32_t)profile_block_threads(p),
		.registers = o->registers >= 0 ? (uint32_t)o->registers : p->registers,
		.shared_bytes = o->shared_bytes >= 0
					? (uint32_t)o->shared_bytes
					: p->static_shared_bytes + p->geometry.shared_bytes
	};
}

static bool same(const struct request *a, const struct request *b, bool sweep)
{
	return strcmp(a->kernel, b->kernel) == 0 && (sweep || a->threads == b->threads) &&
	       a->registers == b->registers && a->shared_bytes == b->shared_bytes;
}

/* Every block of the profiles once, in their order. */
static int answer_profiles(const struct platform *platform, const struct occupancy_options *o,
			   bool tsv)
{
	struct kernel_profiles all;
	bool found = false;
	int rc = 0;

	kernel_profiles_init(&all);
	for (int i = 0; i < o->profile.count && rc == 0; i++)
		rc = kernel_profiles_add_file(&all, o->profile.text[i]);
	for (size_t i = 0; i < all.count && rc == 0; i++) {
		struct request r = request_of(o, &all.profile[i]);
		bool seen = false;

		if (o->kernel && !kernel_is_called(&all.profile[i], o->kernel))
			continue;
		for (size_t k = 0; k < i && !seen; k++) {
			struct request before = request_of(o, &all.profile[k]);

			seen = same(&r, &before, o->sweep);
		}
		if (seen)
			continue;
		if (!found)
			print_header(tsv);
		found = true;
		rc = answer(platform, r, o->sweep, tsv);
	}
	if (rc == 0 && !found)
		rc = kernel_is_unknown(&all, all.source, o->kernel);
	kernel_profiles_release(&all);
	return rc;
}

int cmd_occupancy(const struct program *program, int argc, char **argv)
{
	struct occupancy_options o = { 0 };
	struct platform platform = { 0 };
	int words, rc = options_parse(&help, options, &o, argc, argv, &words);
	bool tsv;

	(void)program;
	if (rc)
		return rc > EXIT_USAGE ? EXIT_OK : rc;
	if (words || !o.platform || (!o.threads && !o.profile.count && !o.sweep)) {
		report(words ? "occupancy: '%s' is no option"
			     : "occupancy: name a --platform, and --threads, --profile or --sweep",
		       argv[1]);
		return EXIT_USAGE;
	}
	if (o.sweep && o.threads) {
		report("occupancy: --sweep answers for every number of threads, --threads for one");
		return EXIT_USAGE;
	}
	if (o.kernel && !o.profile.count) {
		report("occupancy: --kernel is of a --profile");
		return EXIT_USAGE;
	}
	tsv = strcmp(o.format, "tsv") == 0;
	rc = sm_platform_read(&platform, o.platform, &o.set);
	if (rc == 0 && o.profile.count) {
		rc = answer_profiles(&platform, &o, tsv);
	} else if (rc == 0) {
		struct request r = { .kernel = "-",
				     .threads = (uint32_t)o.threads,
				     .registers = o.registers > 0 ? (uint32_t)o.registers : 0,
				     .shared_bytes =
					     o.shared_bytes > 0 ? (uint32_t)o.shared_bytes : 0 };

		if (o.sweep ||
		    (o.threads <= platform.sm.block_threads_max &&
		     sm_occupancy(&platform.sm, r.threads, r.registers, r.shared_bytes, NULL)))
			print_header(tsv);
		rc = answer(&platform, r, o.sweep, tsv);
	}
	platform_release(&platform);
	return rc ? EXIT_BAD : EXIT_OK;
}
