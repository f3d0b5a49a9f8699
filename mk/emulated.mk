# SPDX-License-Identifier: MIT
# The CUDA kernels and the CUDA machine on an emulated GPU: the same .cu files compiled as C++ against tests/emulated, loaded by
# the program as it loads the real library. Needs a C++ compiler, no CUDA.

CXX  := $(if $(filter default,$(origin CXX)),g++,$(CXX))
EMU  := $(BUILD)/emulated
EMU_SRC := $(wildcard kernels/machine/machine_cuda*.cu) $(KERNEL_CU) $(wildcard tests/emulated/*.cpp)
EMU_FLAGS := -std=gnu++17 -O2 -g -fPIC -ffp-contract=off -fno-strict-aliasing -pthread -D_GNU_SOURCE \
	     -I. -Itests/emulated -include kernels/machine/block_note_off.cuh -Wall -Wextra -Wshadow -Wno-unknown-pragmas -Wno-missing-field-initializers $(SAN)

$(EMU)/%.o: % $(BUILD)/flags mk/emulated.mk
	@mkdir -p $(@D); echo "  CXX     $< (emulated)"
	$(Q)$(CXX) $(EMU_FLAGS) -MMD -MP -x c++ -c -o $@ $<

$(EMU)/libwarpreel-cuda.so: $(EMU_SRC:%=$(EMU)/%.o) $(SHARED_OBJ)
	@echo "  LD      $@"
	$(Q)$(CXX) $(SAN) -shared -o $@ $^ -ldl -pthread

# What stands in for NCCL and for cuBLAS there.
$(EMU)/libnccl.so.2: tests/standin/standin_nccl_sends.c
$(EMU)/libcublas.so.13: tests/standin/standin_cublas.c
EMU_STANDINS := $(EMU)/libnccl.so.2 $(EMU)/libcublas.so.13
$(EMU_STANDINS): $(BUILD)/flags
	@mkdir -p $(@D); echo "  LD      $@"
	$(Q)$(CC) -std=gnu11 -Wall -Wextra -O2 -g -fPIC -shared -pthread $(SAN) -o $@ $(filter %.c,$^)

## check-emulated: the CUDA kernels and the CUDA machine on an emulated GPU, against the CPU kernels
.PHONY: check-emulated
check-emulated: $(call tested,$(patsubst tests/%.c,$(EMU)/%.log,$(wildcard tests/gpu_*.c)))
	@tail -qn 1 $^

$(EMU)/gpu_machine.log: EMU_ARGS := 3
$(EMU)/gpu_mlssor.log: EMU_ARGS := 2
$(EMU)/gpu_patches.log: EMU_ARGS := 3
# The last size is the smallest at which a thread takes two rows.
$(EMU)/gpu_lmsor.log: EMU_ARGS := 3x4 9x17 8x131 33x257 603x2050
$(EMU)/gpu_poisson.log: EMU_ARGS := --gpus 2 33
$(EMU)/%.log: $(BUILD)/tests/% $(EMU)/libwarpreel-cuda.so $(EMU_STANDINS)
	@echo "  TEST    $* (emulated)"
	$(Q)LD_LIBRARY_PATH=$(EMU)$${LD_LIBRARY_PATH:+:$$LD_LIBRARY_PATH} WARPREEL_CUDA=$(EMU)/libwarpreel-cuda.so WARPREEL_NCCL=$(EMU)/libnccl.so.2 $< $(EMU_ARGS) > $@ 2>&1 || { cat $@; exit 1; }

-include $(EMU_SRC:%=$(EMU)/%.d)
