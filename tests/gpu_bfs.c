/* SPDX-License-Identifier: MIT
 * Breadth-first search, CUDA against the cpu machine: the same counts and levels by either barrier.
 */
#include "gpu_kit.h"
#include "solver_kit.h"

int main(void)
{
	struct gpu_check check = { 0 };
	struct machine *cuda = machine_cuda_new(1), *cpu = machine_cpu_new(1);
	if (!cuda || !cpu)
		return 1;
	for (int vertices = 1; vertices < 4000; vertices = 3 * vertices + 1)
		for (int k = 0; k < 4; k++) {
			struct solver_result expected, got;
			char config[128];
			snprintf(config, sizeof(config), "vertices=%d edges=%d barrier=%s",
				 vertices, k & 2 ? 4 * vertices : vertices,
				 k & 1 ? "block" : "host");
			if (run_config(cpu, "bfs", config, 1, 1, &expected) ||
			    run_config(cuda, "bfs", config, 1, 1, &got))
				return 1;
			cuda->ops->reset(cuda);
			cpu->ops->reset(cpu);
			check.cases++;
			if (got.checksum != expected.checksum ||
			    got.iterations != expected.iterations || got.residual > 0) {
				check.failures++;
				printf("MISMATCH %s: not what the CPU finds\n", config);
			}
		}
	printf("%ld cases, %ld mismatches\n", check.cases, check.failures);
	cuda->ops->free(cuda);
	cpu->ops->free(cpu);
	return check.failures ? 1 : 0;
}
