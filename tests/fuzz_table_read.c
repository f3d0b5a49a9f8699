/* SPDX-License-Identifier: MIT
 * Any bytes as each of the tables of measurements.
 */
#include "fuzz_kit.h"
#include "model/records/timed_launches.h"
#include "sim/validate/blind.h"
#include "sim/validate/foreign.h"
#include "sim/validate/measured.h"
#include "sim/validate/splits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct measured runs = { 0 }, kernels = { 0 };
	struct foreign foreign = { 0 };
	struct splits splits = { 0 };
	struct blind blind = { 0 };
	struct timed_launches timed = { 0 };
	char path[32];
	int file = fuzz_file(data, size, path);

	if (!measured_read(&runs, path, NULL))
		for (size_t i = 0; i < runs.count; i++)
			measured_find(&runs, runs.row[i].solver, runs.row[i].config,
				      runs.row[i].gpus);
	measured_keep(&runs, "rbsor");
	measured_release(&runs);
	measured_read_kernels(&kernels, path, "2026");
	measured_release(&kernels);
	foreign_read(&foreign, path);
	foreign_release(&foreign);
	if (!splits_read(&splits, path, "h200x4"))
		splits_find(&splits, "runs", 2, "size=512");
	splits_release(&splits);
	blind_read(&blind, path);
	blind_release(&blind);
	if (!timed_launches_read(&timed, path))
		timed_launches_ratio(&timed, &timed.row[0].kind, false);
	timed_launches_release(&timed);
	close(file);
	return 0;
}
