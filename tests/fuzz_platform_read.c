/* SPDX-License-Identifier: MIT
 * Any bytes as a platform file: a message or a platform, and one that was accepted answers
 * look-ups.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/platform/platform.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct platform platform;
	char path[64];
	int file = memfd_create("platform", 0);
	if (file < 0 || write(file, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	if (platform_read(&platform, path) == 0) {
		for (int i = 0; i < COPY_CURVE_COUNT; i++)
			curve_at(&platform.copy[i], 65536);
		curve_at_linear(&platform.kernel_gap, 5000);
		for (int i = 0; i < HOST_COST_COUNT; i++)
			platform_host_ns(&platform, i, 3);
		/* Refused or not: it must leave something to release. */
		platform_set(&platform, "host.launch_ns=0");
		platform_set(&platform, "host.threads=5");
		platform_release(&platform);
	}
	close(file);
	return 0;
}
