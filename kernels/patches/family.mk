# SPDX-License-Identifier: MIT
# The paper's CPU programs use OpenMP threads where the compiler has them. OpenBLAS and LAPACKE are loaded when asked for (kernels/kit/blas.h).
$(BUILD)/kernels/patches/patches_openmp.o: ALL_CFLAGS += -O3 $(or $(OPENMP),-Wno-unknown-pragmas)
$(if $(findstring thread,$(SANITIZE)),$(eval $(BUILD)/kernels/patches/patches_openmp.o: ALL_CFLAGS += -fno-sanitize=thread))
