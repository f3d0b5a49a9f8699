/* SPDX-License-Identifier: MIT */
#include "profile_listing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sass.h"
#include "traces/base/text_show.h"
#include "traces/base/util.h"

/* "8 of 32 (25.0 %)"; what was not measured is "-". */
static void put_share(FILE *out, const char *name, int64_t part, int64_t whole)
{
	fprintf(out, "  %-22s ", name);
	if (part < 0 || whole < 0)
		fprintf(out, "-\n");
	else
		fprintf(out, "%" PRId64 " of %" PRId64 " sectors%s", part, whole,
			whole ? "" : "\n");
	if (part >= 0 && whole > 0)
		fprintf(out, " (%.1f %%)\n", 100.0 * (double)part / (double)whole);
}

static void put_amount(FILE *out, const char *name, int64_t value, const char *unit)
{
	if (value < 0)
		fprintf(out, "  %-22s -\n", name);
	else
		fprintf(out, "  %-22s %" PRId64 " %s\n", name, value, unit);
}

static void put_head(const struct kernel_profile *p, FILE *out)
{
	const struct launch_geometry *g = &p->geometry;

	struct text_show show = { 0 };

	fprintf(out, "kernel %s (%s), %s\n", text_show(&show, p->kernel),
		text_show(&show, p->symbol), text_show(&show, p->isa));
	text_show_release(&show);
	fprintf(out,
		"  %-22s %" PRIu32 "x%" PRIu32 "x%" PRIu32 " blocks of %" PRIu32 "x%" PRIu32
		"x%" PRIu32 " threads, %" PRId64 " warps",
		"grid", g->grid[0], g->grid[1], g->grid[2], g->block[0], g->block[1], g->block[2],
		profile_warps(p));
	if (g->path >= 0)
		fprintf(out, ", path %" PRId32, g->path);
	if (g->steps > 0)
		fprintf(out, ", %" PRId32 " steps", g->steps);
	fprintf(out, "\n  %-22s %" PRIu32 " a thread\n", "registers", p->registers);
	fprintf(out, "  %-22s %" PRIu32 " + %" PRIu32 " bytes a block\n", "shared memory",
		p->static_shared_bytes, g->shared_bytes);
	if (p->points > 0)
		fprintf(out, "  %-22s %" PRId64 " rows, %" PRId64 " columns, %" PRId64 " points\n",
			"updates", p->rows, p->columns, p->points);
	put_share(out, "L1 load hits", p->l1_load_hits, p->l1_load_sectors);
	put_amount(out, "L1 stores", p->l1_store_sectors, "sectors");
	put_share(out, "L2 read hits", p->l2_read_hits, p->l2_read_sectors);
	put_share(out, "L2 write hits", p->l2_write_hits, p->l2_write_sectors);
	put_amount(out, "L2 atomics", p->l2_atomic_sectors, "sectors");
	put_amount(out, "DRAM read", p->dram_read_bytes, "bytes");
	put_amount(out, "DRAM written", p->dram_write_bytes, "bytes");
}

/* Text of a file that nobody vouches for. */
static void put_text(FILE *out, int width, const char *text)
{
	char *shown = text_shown(text);

	fprintf(out, "%-*s", width, shown);
	free(shown);
}

/* A mean; empty where there is nothing to count, "-" where it was not counted. */
static void put_ratio(FILE *out, int width, int64_t value, int64_t requests)
{
	if (value < 0 || requests < 0)
		fprintf(out, " %*s", width, "-");
	else if (value == 0 || requests == 0)
		fprintf(out, " %*s", width, "");
	else
		fprintf(out, " %*.2f", width, (double)value / (double)requests);
}

static void put_line(const struct kernel_profile *p, const struct profile_instruction *i, FILE *out)
{
	struct sass_instruction decoded;
	const struct sass_control *c = &decoded.control;
	char waits[7] = "";
	size_t length = 0;

	sass_decode(&decoded, i->text, i->code, i->offset);
	for (int scoreboard = 0; scoreboard < 6; scoreboard++)
		if (c->wait_mask >> scoreboard & 1)
			waits[length++] = (char)('0' + scoreboard);
	waits[length] = 0;
	fprintf(out, "%6x  ", i->offset);
	put_text(out, 46, i->text);
	fprintf(out, " %-16s%c %5d %5s", sass_class_name[decoded.class], decoded.known ? ' ' : '?',
		c->stall, c->yield ? "yes" : "");
	fprintf(out, " %2.1s %2.1s %-6s",
		c->write_barrier < 6 ? (char[]){ (char)('0' + c->write_barrier), 0 } : "",
		c->read_barrier < 6 ? (char[]){ (char)('0' + c->read_barrier), 0 } : "", waits);
	if (i->warps == 0)
		fprintf(out, " %9s", "0");
	else
		put_ratio(out, 9, i->warps, profile_warps(p));
	put_ratio(out, 7, i->threads, i->warps);
	put_ratio(out, 7, i->sectors_local > 0 ? i->sectors_local : i->sectors_global, i->warps);
	put_ratio(out, 7, i->sectors_local > 0 ? 0 : i->sectors_global_ideal, i->warps);
	put_ratio(out, 6, i->wavefronts_shared,
		  i->wavefronts_shared_ideal > 0 ? i->wavefronts_shared_ideal
						 : i->wavefronts_shared);
	fputc('\n', out);
}

void profile_list_text(const struct kernel_profile *profile, FILE *out)
{
	int64_t executed;
	char *names;
	int unknown = profile_unknown_opcodes(profile, &names, &executed);

	put_head(profile, out);
	if (unknown)
		fprintf(out, "  %-22s %s, in %" PRId64 " warp instructions; classes are guesses\n",
			"unknown opcodes", names, executed);
	free(names);
	fprintf(out, "%6s  %-46s %-17s %5s %5s %2s %2s %-6s %9s %7s %7s %7s %6s\n", "offset",
		"instruction", "class", "stall", "yield", "wr", "rd", "wait", "per warp", "threads",
		"sectors", "ideal", "banks");
	for (size_t k = 0; k < profile->instruction_count; k++)
		put_line(profile, &profile->instruction[k], out);
}

void profile_list_tsv_header(FILE *out)
{
	fprintf(out, "kernel\tgrid\tblock\tpath\tsteps\toffset\ttext\tclass\tknown\tstall\tyield\tw"
		     "rite_barrier\tread_barrier\twait_mask\twarps\tthreads\t"
		     "sectors_global\tsectors_global_ideal\ttags_global\tsectors_local\twavefronts_"
		     "shared\twavefronts_shared_ideal\n");
}

void profile_list_tsv(const struct kernel_profile *profile, FILE *out)
{
	const struct launch_geometry *g = &profile->geometry;

	for (size_t k = 0; k < profile->instruction_count; k++) {
		const struct profile_instruction *i = &profile->instruction[k];
		const int64_t counts[] = { i->warps,
					   i->threads,
					   i->sectors_global,
					   i->sectors_global_ideal,
					   i->tags_global,
					   i->sectors_local,
					   i->wavefronts_shared,
					   i->wavefronts_shared_ideal };
		struct sass_instruction decoded;
		const struct sass_control *c = &decoded.control;

		sass_decode(&decoded, i->text, i->code, i->offset);
		put_text(out, 0, profile->kernel);
		fprintf(out,
			"\t%" PRIu32 "x%" PRIu32 "x%" PRIu32 "\t%" PRIu32 "x%" PRIu32 "x%" PRIu32
			"\t%" PRId32 "\t%" PRId32 "\t%" PRIu32 "\t",
			g->grid[0], g->grid[1], g->grid[2], g->block[0], g->block[1], g->block[2],
			g->path, g->steps, i->offset);
		put_text(out, 0, i->text);
		fprintf(out, "\t%s\t%d\t%d\t%d\t%d\t%d\t%d", sass_class_name[decoded.class],
			decoded.known, c->stall, c->yield, c->write_barrier, c->read_barrier,
			c->wait_mask);
		for (size_t n = 0; n < sizeof(counts) / sizeof(counts[0]); n++)
			fprintf(out, "\t%" PRId64, counts[n]);
		fputc('\n', out);
	}
}
