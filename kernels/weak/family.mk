# SPDX-License-Identifier: MIT
# Roots set no errno, so that loops with them become vectors.
$(BUILD)/kernels/weak/%.o: ALL_CFLAGS += -fno-math-errno -fno-trapping-math
