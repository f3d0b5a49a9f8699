# SPDX-License-Identifier: MIT
# Square roots set no errno, so that loops with them become vectors.
$(BUILD)/kernels/lmsor/%.o: ALL_CFLAGS += -fno-math-errno -fno-trapping-math

# One program uses OpenMP, where the compiler has it and no thread sanitizer watches, which does not know its runtime.
OPENMP := $(if $(findstring thread,$(SANITIZE)),,$(shell printf 'int main(void){return 0;}\n' | $(CC) -fopenmp -x c -o /dev/null - 2>/dev/null && echo -fopenmp))
FAMILY_LDLIBS += $(OPENMP)
$(BUILD)/kernels/lmsor/lmsor_openmp.o: ALL_CFLAGS += $(or $(OPENMP),-Wno-unknown-pragmas)
