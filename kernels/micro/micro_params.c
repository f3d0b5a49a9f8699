/* SPDX-License-Identifier: MIT
 * The family's options and its table of kernels.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/util.h"
#include "micro_params.h"

#define MICRO(name) extern const struct micro_kernel micro_##name##_kernel;
#include "micro_kernels.def"
#undef MICRO

const struct micro_kernel *const micro_kernels[] = {
#define MICRO(name) &micro_##name##_kernel,
#include "micro_kernels.def"
#undef MICRO
	NULL,
};

static const char choices[] =
#define MICRO(name) "|" #name
#include "micro_kernels.def"
#undef MICRO
	;

#define AT(field) offsetof(struct micro_params, field)
const struct option_spec micro_options[] = {
	{ "kernel", OPTION_CHOICE, AT(name), "copy4", 0, 0, choices + 1, "which microkernel" },
	{ "size", OPTION_INT, AT(size), "1048576", 1, 2147483647, "N",
	  "elements; of one side where the data is a square or a cube" },
	{ "block", OPTION_INT, AT(block), "256", 64, MICRO_BLOCK_MAX, "THREADS",
	  "threads a block, a power of two" },
	{ "work", OPTION_INT, AT(work), "0", 0, 1 << 24, "W",
	  "loop length, stride or bins, by kernel; 0 takes the kernel's own" },
	{ "iterations", OPTION_INT, AT(iterations), "100", 1, 1 << 30, "I", "launches" },
	{ 0 },
};

/* clang-format off */
const struct solver_column micro_columns[] = {
	{ "rows", COLUMN_INT, AT(size), 0 },
	{ "columns", COLUMN_INT, AT(size), 0 },
	{ "iterations", COLUMN_INT, AT(iterations), 0 },
	{ 0 },
};
/* clang-format on */

static int check_work(struct micro_params *p)
{
	const struct micro_kernel *k = p->kernel;

	if (!p->work)
		p->work = k->work_standard;
	else if (!k->work_standard)
		return report("kernel %s has no --work", k->name);
	else if (p->work < k->work_low || p->work > k->work_high)
		return report("kernel %s takes --work from %d to %d, not %d", k->name, k->work_low,
			      k->work_high, p->work);
	return 0;
}

int micro_prepare(void *given, uint32_t gpus)
{
	struct micro_params *p = given;
	const int64_t most_elements = (int64_t)1 << 36;
	int64_t points = 1, bytes = 0;

	for (int k = 0; micro_kernels[k]; k++)
		if (!strcmp(micro_kernels[k]->name, p->name))
			p->kernel = micro_kernels[k];
	if (!p->kernel)
		return report("no microkernel '%s'", p->name);
	if (gpus != 1)
		return report("microkernels run on one GPU, not %" PRIu32, gpus);
	if (p->block & (p->block - 1))
		return report("--block %d is no power of two", p->block);
	if (check_work(p))
		return -1;
	for (int k = 0; k < p->kernel->dimensions; k++) {
		points *= p->size;
		if (points > most_elements)
			return report("--size %d: kernel %s would have more than 2^36 elements",
				      p->size, p->name);
	}
	p->args = (struct micro_args){
		.n = p->size, .work = p->work, .block = p->block, .scale = 0.5
	};
	memset(p->buffer, 0, sizeof(p->buffer));
	p->kernel->buffers(&p->args, p->buffer);
	for (int k = 0; k < MICRO_BUFFERS; k++) {
		const struct micro_buffer *b = &p->buffer[k];
		bytes += b->count * b->word_bytes;
		if (b->fill == FILL_STEPS && b->count > INT32_MAX / b->range)
			return report("--size %d --work %d: kernel %s counts elements in 32 bits",
				      p->size, p->work, p->name);
	}
	if (bytes > (int64_t)1 << 40)
		return report("--size %d: kernel %s would need %" PRId64 " GiB", p->size, p->name,
			      bytes >> 30);
	p->kernel->geometry(&p->args, &p->geometry);
	if (p->geometry.grid[1] > 65535 || p->geometry.grid[2] > 65535)
		return report("--size %d: kernel %s would have a grid of %" PRIu32 " x %" PRIu32
			      " blocks, more than 65535 in its second or third "
			      "dimension",
			      p->size, p->name, p->geometry.grid[1], p->geometry.grid[2]);
	return 0;
}

void micro_config(const void *given, char text[CONFIG_BYTES])
{
	const struct micro_params *p = given;

	snprintf(text, CONFIG_BYTES, "kernel=%s size=%d block=%d work=%d iterations=%d",
		 p->kernel->name, p->size, p->block, p->work, p->iterations);
}
