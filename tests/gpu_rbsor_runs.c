/* SPDX-License-Identifier: MIT
 * Whole runs of red-black SOR on the CUDA machine against the cpu machine on one part, bit for bit:
 * what waits, exchanges and stores in ways of its own, on 1 to 8 GPUs. Fewer GPUs are shared
 * (WARPREEL_SHARE_GPUS), but for NCCL, which takes none twice.
 */
#include "gpu_kit.h"
#include "solver_kit.h"

enum { MOST_GPUS = 8 };

static const char *const ways[] = {
	"kernel=tuned transport=host order=boss-worker",
	"kernel=temporal depth=2 border=2 transport=host order=boss-worker sync=spin",
	"kernel=paper transport=host order=boss-worker staging=pageable",
	"kernel=store",
	"kernel=tuned border=2 sync=graph",
	"kernel=store sync=condition",
	"kernel=store sync=one-thread",
	"kernel=tuned sync=graph",
	"kernel=fused sync=graph",
	"kernel=fused sync=graph border=2",
	"kernel=temporal depth=2 sync=graph border=2",
	"kernel=paper sync=graph",
	"kernel=texture",
	"kernel=texture transport=host border=3",
	"kernel=paper indices=strips border=2",
	"kernel=paper indices=branch",
	"kernel=paper indices=blocks",
	"kernel=tuned sync=nccl",
	"kernel=temporal depth=4 border=4 sync=nccl",
	"kernel=tuned sync=nccl-put",
	"kernel=fused sync=nccl-put",
};
static const struct cut {
	uint32_t gpus;
	const char *partition;
} cuts[] = { { 1, "strips" }, { 2, "strips" }, { 3, "strips" }, { 4, "strips" }, { 6, "strips" },
	     { 8, "strips" }, { 2, "1x2" },    { 4, "2x2" },	{ 6, "3x2" },	 { 8, "2x4" } };

static bool has(const char *text, const char *word)
{
	return strstr(text, word) != NULL;
}

/* What strips alone take, or GPUs of their own. */
static bool applies(const char *way, const struct cut *cut, uint32_t own_gpus)
{
	const bool strips = !strcmp(cut->partition, "strips");
	return !(has(way, "nccl") && cut->gpus > own_gpus) &&
	       (strips || !(has(way, "tuned") || has(way, "store") || has(way, "=strips") ||
			    has(way, "branch")));
}

static int check_way(struct gpu_check *check, struct machine *cuda, struct machine *cpu,
		     const char *way, uint32_t own_gpus)
{
	for (int f64 = 0; f64 < 2; f64++)
		for (size_t c = 0; c < sizeof(cuts) / sizeof(cuts[0]); c++) {
			struct solver_result expected, got;
			char config[200], reference[100];
			if (!applies(way, &cuts[c], own_gpus))
				continue;
			/* borders of two: more than the ten cycles of a graph */
			snprintf(reference, sizeof(reference), "size=%s iterations=%d precision=%s",
				 c & 1 ? "75x140" : "131x77", has(way, "graph") ? 23 : 13,
				 f64 ? "f64" : "f32");
			snprintf(config, sizeof(config), "%s %s partition=%s", reference, way,
				 cuts[c].partition);
			const int rc = run_config(cuda, "rbsor", config, cuts[c].gpus, 1, &got) ||
				       run_config(cpu, "rbsor", reference, 1, 1, &expected);
			cuda->ops->reset(cuda);
			cpu->ops->reset(cpu);
			if (rc)
				return -1;
			check->cases++;
			if (got.checksum != expected.checksum) {
				check->failures++;
				printf("MISMATCH %s on %u GPUs\n", config, cuts[c].gpus);
			}
		}
	return 0;
}

/* Whether the NCCL that is there has what the way wants. */
static bool has_channel(struct machine *cuda, const char *way, uint32_t own_gpus)
{
	const enum machine_channel kind = has(way, "nccl-put") ? CHANNEL_PUT : CHANNEL_SEND_RECEIVE;
	const bool there =
		!has(way, "nccl") || (own_gpus > 1 && !cuda->ops->channel(cuda, 2, kind, 512));
	cuda->ops->reset(cuda);
	return there;
}

/* gpu_rbsor_runs [WORD]: all ways, or those with WORD */
int main(int argc, char **argv)
{
	struct gpu_check check = { 0 };
	uint32_t gpus;
	int rc = -1;
	struct machine *cuda = shared_cuda(MOST_GPUS, &gpus), *cpu = machine_cpu_new(1);
	for (size_t k = 0; cuda && k < sizeof(ways) / sizeof(ways[0]); k++) {
		if (argc > 1 && !has(ways[k], argv[1]))
			continue;
		if (!has_channel(cuda, ways[k], gpus)) {
			printf("--   %s: left out\n", ways[k]);
			continue;
		}
		rc = check_way(&check, cuda, cpu, ways[k], gpus);
		if (rc)
			break;
		gpu_count_part(&check, "%s", ways[k]);
	}
	if (cuda)
		cuda->ops->free(cuda);
	cpu->ops->free(cpu);
	return rc ? EXIT_BAD : gpu_count_all(&check);
}
