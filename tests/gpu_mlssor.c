/* SPDX-License-Identifier: MIT
 * Multi-layer SSOR on the GPU against the cpu machine, which executes the parallel method tile by
 * tile: whole runs of every kernel and form, bit for bit, in both directions of sweeps, on meshes
 * and subdomains of awkward sizes and blocks that they do not fill.
 *
 *     gpu_mlssor [gpus [kernel]]      the most GPUs of a run; 1. One of tuned, ahead, staged,
 * chunked, wavefront alone
 */
#include "gpu_kit.h"
#include "kernels/mlssor/mlssor_params.h"
#include "solver_kit.h"

static const struct {
	int rows, columns, height, width, layers;
} meshes[] = {
	{ 4, 4, 4, 4, 2 },
	{ 12, 20, 4, 4, 2 },
	{ 44, 148, 4, 4, 2 },
	{ 32, 136, 8, 8, 4 },
	{ 8, 8, 8, 8, 4 },
	{ 16, 24, 8, 8, 3 },
	{ 15, 135, 5, 5, 2 },
	{ 21, 14, 7, 7, 3 },
	{ 6, 140, 2, 2, 1 },
	{ 9, 6, 3, 3, 1 },
	{ 24, 20, 8, 5, 2 },
	{ 18, 44, 6, 11, 3 },
	{ 32, 64, 16, 16, 8 },
	{ 48, 176, 16, 16, 8 },
	{ 34, 51, 17, 17, 8 },
	{ 96, 160, 32, 32, 16 },
	{ 64, 32, 32, 32, 16 },
	{ 16, 80, 16, 16, 1 },
	/* so wide that 32 tiles of staged have neighbours on both sides */
	{ 52, 400, 4, 4, 2 },
	{ 56, 544, 8, 8, 4 },
	{ 80, 1120, 16, 16, 8 },
	{ 96, 1136, 16, 16, 8 },
	/* and that two such blocks lie side by side */
	{ 64, 2064, 16, 16, 8 },
	{ 64, 2064, 16, 16, 8 },
	{ 48, 528, 8, 8, 4 },
};
enum { WIDE = 300 };
static const char *const forms[] = { "plain", "coalesced", "unrolled", "both" };
static const int threads[] = { 1, 13, 64 }, whole_warps[] = { 32, 64, 96 };

enum { MESHES = sizeof(meshes) / sizeof(meshes[0]) };

struct check {
	struct gpu_check kit;
	struct machine *cuda, *cpu;
};

static int compare(struct check *c, const char *config, uint32_t gpus, const char *reference)
{
	struct solver_result expected, got;

	if (run_config(c->cpu, "mlssor", reference, 1, 3, &expected) ||
	    run_config(c->cuda, "mlssor", config, gpus, 3, &got))
		return -1;
	c->cuda->ops->reset(c->cuda);
	c->cpu->ops->reset(c->cpu);
	c->kit.cases++;
	if (got.checksum == expected.checksum && got.iterations == expected.iterations)
		return 0;
	c->kit.failures++;
	printf("MISMATCH %s on %u GPUs\n", config, gpus);
	return 0;
}

/* Whether a form is for subdomains of that shape. */
static bool is_for(const char *kernel, const char *form, size_t k)
{
	const int side = meshes[k].height, most = strcmp(kernel, "full") ? 32 : 8;

	const bool whole = strcmp(kernel, "full") && strcmp(kernel, "rows"),
		   of_sixteen = !strcmp(kernel, "chunked") || !strcmp(kernel, "wavefront");

	if ((whole && side == 32) ||
	    (meshes[k].columns > WIDE && strcmp(kernel, "staged") && !of_sixteen))
		return false;
	if (of_sixteen && side != 16)
		return false;
	if (!whole && (!strcmp(form, "plain") || !strcmp(form, "coalesced")))
		return true;
	return meshes[k].width == side && side >= 4 && side <= most && !(side & (side - 1)) &&
	       meshes[k].layers == side / 2;
}

static int check_mesh(struct check *c, size_t k, const char *kernel, const char *form,
		      uint32_t gpus)
{
	char config[2 * CONFIG_BYTES], reference[2 * CONFIG_BYTES], mesh[CONFIG_BYTES];

	for (size_t t = 0; t < sizeof(threads) / sizeof(threads[0]); t++)
		for (int how = 0; how < 4; how++) {
			const int width = meshes[k].width;
			const int block =
				(strcmp(kernel, "full") && strcmp(kernel, "rows") ? whole_warps
										  : threads)[t];
			if (strcmp(kernel, "rows") && block * width * (width + 1) > 50000)
				continue; /* more shared memory than there is */
			snprintf(mesh, sizeof(mesh),
				 "size=%dx%d subdomain=%dx%d layers=%d sweeps=%s "
				 "planes=%s iterations=%d",
				 meshes[k].rows + 2, meshes[k].columns + 2, meshes[k].height,
				 meshes[k].width, meshes[k].layers,
				 how & 1 ? k % 3 ? "forward" : "backward" : "alternating",
				 k % 2 ? "centred" : "printed", 3 * meshes[k].layers);
			snprintf(config, sizeof(config),
				 "%s launches=%d kernel=%s form=%s threads=%d", mesh,
				 how & 2 && gpus == 1 ? 3 : 4, kernel, form, block);
			snprintf(reference, sizeof(reference), "%s kernel=full form=plain", mesh);
			if (compare(c, config, gpus, reference))
				return -1;
		}
	return 0;
}

static int check_tiles(struct check *c, uint32_t most)
{
	for (int rows = 0; rows < 2; rows++)
		for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
			const char *kernel = rows ? "rows" : "full";
			for (size_t k = 0; k < MESHES; k++)
				for (uint32_t gpus = 1; gpus <= most; gpus *= 2)
					if (is_for(kernel, forms[f], k) &&
					    meshes[k].rows / meshes[k].height % (int)gpus == 0 &&
					    check_mesh(c, k, kernel, forms[f], gpus))
						return -1;
			gpu_count_part(&c->kit, "%s %s", kernel, forms[f]);
		}
	return 0;
}

static int check_tuned(struct check *c, const char *kernel, uint32_t most)
{
	for (size_t k = 0; k < MESHES; k++)
		for (uint32_t gpus = 1; gpus <= most; gpus *= 2)
			if (is_for(kernel, "both", k) &&
			    meshes[k].rows / meshes[k].height % (int)gpus == 0 &&
			    check_mesh(c, k, kernel, "both", gpus))
				return -1;
	gpu_count_part(&c->kit, "%s", kernel);
	return 0;
}

/* More than 2x2 tiles, which any form with loops takes. */
static int check_unmerged(struct check *c)
{
	for (int rows = 0; rows < 2; rows++)
		for (int f = 0; f < 2; f++)
			for (int tile = 1; tile <= 14; tile += 2) {
				char config[CONFIG_BYTES];
				snprintf(config, sizeof(config),
					 "size=34x50 subdomain=16 iterations=24 kernel=%s form=%s "
					 "tile=%d",
					 rows ? "rows" : "full", forms[f], tile);
				if (compare(c, config, 1,
					    "size=34x50 subdomain=16 iterations=24 kernel=full"))
					return -1;
			}
	gpu_count_part(&c->kit, "tiles not merged");
	return 0;
}

static int check_red_black(struct check *c, uint32_t most)
{
	static const char *const points[] = { "1x1", "1x2", "2x1", "3x3" };
	static const char *const sizes[] = { "3x3", "5x4", "61x40", "130x517" };

	for (size_t s = 0; s < 4; s++)
		for (size_t k = 0; k < 4; k++)
			for (int block = 32; block <= 512; block *= 4)
				for (uint32_t gpus = 1; gpus <= most && (s > 1 || gpus == 1);
				     gpus *= 2) {
					char config[2 * CONFIG_BYTES], reference[CONFIG_BYTES];
					snprintf(reference, sizeof(reference),
						 "size=%s kernel=redblack iterations=5", sizes[s]);
					snprintf(config, sizeof(config), "%s points=%s threads=%d",
						 reference, points[k], block);
					if (compare(c, config, gpus, reference))
						return -1;
				}
	gpu_count_part(&c->kit, "red-black");
	return 0;
}

int main(int argc, char **argv)
{
	const uint32_t most = argc > 1 ? (uint32_t)atoi(argv[1]) : 1;
	struct check c = { 0 };
	int rc = EXIT_BAD;

	c.cuda = machine_cuda_new(most);
	c.cpu = machine_cpu_new(1);
	if (c.cuda && c.cpu && argc > 2) {
		if (!check_tuned(&c, argv[2], most))
			rc = gpu_count_all(&c.kit);
	} else if (c.cuda && c.cpu && !check_tuned(&c, "tuned", most) &&
		   !check_tuned(&c, "ahead", most) && !check_tuned(&c, "staged", most) &&
		   !check_tuned(&c, "chunked", most) && !check_tuned(&c, "wavefront", most) &&
		   !check_tiles(&c, most) && !check_unmerged(&c) && !check_red_black(&c, most)) {
		rc = gpu_count_all(&c.kit);
	}
	if (c.cuda)
		c.cuda->ops->free(c.cuda);
	if (c.cpu)
		c.cpu->ops->free(c.cpu);
	return rc;
}
