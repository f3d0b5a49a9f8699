/* SPDX-License-Identifier: MIT */
#include "kernel_profile.h"

#include <math.h>

#include "sass.h"

/* Sectors that the texels of a load lie in if they lie side by side; 0: not such a load, or it did
 * not run, or somebody counted its sectors. */
static double side_by_side(const struct profile_instruction *in)
{
	struct sass_instruction s;
	char opcode[16];

	if (in->threads <= 0 || in->sectors_global > 0)
		return 0;
	sass_opcode(in->text, opcode);
	if (opcode[0] != 'T') /* most are not, and decoding takes its time */
		return 0;
	sass_decode(&s, in->text, in->code, in->offset);
	return s.is_texture ? (double)in->threads * s.access_bytes / 32 : 0;
}

static void at_most_one_a_thread(struct profile_instruction *in)
{
	if (in->threads <= 0 || in->sectors_global <= in->threads)
		return;
	if (in->sectors_global_ideal > in->threads)
		in->sectors_global_ideal = in->threads;
	if (in->tags_global > 0) /* as many sectors a line as counted */
		in->tags_global = llround((double)in->tags_global * (double)in->threads /
					  (double)in->sectors_global);
	in->sectors_global = in->threads;
}

static void fill_textures(struct kernel_profile *profile)
{
	const double loads = profile->l1_load_sectors > 0 ? (double)profile->l1_load_sectors : 0,
		     from_l2 = (double)profile->l2_read_sectors;
	double least = 0, scale = 1;

	for (size_t i = 0; i < profile->instruction_count; i++)
		least += side_by_side(&profile->instruction[i]);
	if (least <= 0)
		return;
	if (from_l2 > loads + least)
		scale = (from_l2 - loads) / least;
	for (size_t i = 0; i < profile->instruction_count; i++) {
		struct profile_instruction *in = &profile->instruction[i];
		const double sectors = side_by_side(in) * scale;

		if (sectors > 0) {
			in->sectors_global = llround(sectors);
			in->tags_global = llround(ceil(sectors / 4));
		}
	}
	if (profile->l1_load_sectors >= 0)
		profile->l1_load_sectors += llround(least * scale);
}

void kernel_profile_mend_sectors(struct kernel_profile *profile)
{
	for (size_t i = 0; i < profile->instruction_count; i++)
		at_most_one_a_thread(&profile->instruction[i]);
	fill_textures(profile);
}
