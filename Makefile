# SPDX-License-Identifier: MIT
# warpreel: record a multi-GPU run once, play it back on another machine.
#
# Knobs:  V=1 shows commands   WERROR=1 warnings are errors   SANITIZE=address,undefined   BUILD=build/asan   CC=clang
#         NVCC= turns CUDA off   CUDA_ARCH=sm_90   STATIC=1 links the libraries in   prefix=/usr/local   DESTDIR=

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
# Tests run, and the demo is built, as many at a time as there are cores, unless -j says otherwise.
AS_CORES := $(if $(filter check demo,$(MAKECMDGOALS)),$(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc)))
MAKEFLAGS += $(AS_CORES)

# Nothing that is made here depends on what was calibrated on this machine.
export WARPREEL_OWN_PLATFORM :=

BUILD  ?= build
CC     := $(if $(filter default,$(origin CC)),gcc,$(CC))
NVCC   ?= $(or $(shell command -v nvcc 2>/dev/null),$(wildcard /usr/local/cuda/bin/nvcc))
CUDA_ARCH ?= sm_90
CUDA_DIR  := $(if $(NVCC),$(patsubst %/bin/nvcc,%,$(realpath $(NVCC))))
prefix ?= /usr/local
Q := $(if $(V),,@)

WARN     := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla $(if $(WERROR),-Werror)
SAN      := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
CFLAGS   ?= -O2 -g
ALL_CFLAGS := -std=gnu11 $(WARN) -ffp-contract=off -pthread -D_GNU_SOURCE -I. $(SAN) $(CFLAGS)
LDLIBS   = $(if $(STATIC),-l:libsqlite3.a -l:libzstd.a -l:libinih.a,-lsqlite3 -lzstd -linih) -lm -ldl -pthread $(FAMILY_LDLIBS)
NVFLAGS  := -arch=$(CUDA_ARCH) -I. --fmad=false -O3 -lineinfo -Xcompiler -fPIC,-Wall,-Wextra,-Wno-unused-parameter -diag-suppress 1650

# These goals work on a machine that has only make and a compiler: packages come first, whatever -j says.
DEPS_FIRST := $(if $(filter demo check sanitize-check validate plots bless,$(MAKECMDGOALS)),deps)

include mk/families.mk

RECORDER_SRC := $(wildcard traces/recorder/*.c)
VIRTUAL_SRC := $(wildcard traces/virtual/*.c)
MESSAGES_SRC := $(wildcard traces/messages/*.c)
# The rooms' folders, one subject each; kernels/ has the families of solvers beside what they share.
SRC   := $(call built,$(filter-out $(RECORDER_SRC) $(VIRTUAL_SRC) $(MESSAGES_SRC),$(wildcard traces/*/*.c kernels/*/*.c model/*/*.c sim/*/*.c)),$(LEFT_OUT))
OBJ   := $(SRC:%.c=$(BUILD)/%.o) $(if $(LEFT_OUT),$(BUILD)/left_out.o)
MAIN  := $(BUILD)/main.o
CU    := $(call built,$(filter-out kernels/machine/block_notes.cu,$(wildcard kernels/*/*.cu model/*/*.cu)),$(LEFT_OUT_CUDA))
NO_CU := $(if $(LEFT_OUT_CUDA),$(BUILD)/left_out_cuda.o)
CUOBJ := $(CU:%.cu=$(BUILD)/%.cu.o) $(NO_CU)
# The same kernels, instrumented: they write down their blocks: one more object of each file with kernels of solvers.
FAMILIES   := $(filter-out machine kit run,$(notdir $(wildcard kernels/*)))
KERNEL_CU  := $(call built,$(wildcard kernels/kit/*.cu $(FAMILIES:%=kernels/%/*.cu)),$(LEFT_OUT))
INSTRUMENTED_CU  := $(filter $(CU),$(KERNEL_CU))
INSTRUMENTED_OBJ := $(patsubst %.cu,$(BUILD)/%.cu.o,$(filter-out $(INSTRUMENTED_CU),$(CU)) kernels/machine/block_notes.cu) $(INSTRUMENTED_CU:%.cu=$(BUILD)/instrumented/%.cu.o) $(NO_CU)
# What CUDA code and the program compute alike.
SHARED_OBJ := $(patsubst %.c,$(BUILD)/pic/%.o,traces/base/util.c traces/base/core_share.c traces/base/text_escape.c kernels/machine/machine_annotate.c kernels/machine/machine_timing.c model/calibrate/poll_fit.c $(call built,$(wildcard kernels/*/*_geometry.c),$(LEFT_OUT)))
GPU_TESTS := $(patsubst tests/%,$(BUILD)/tests/%,$(call tested,$(basename $(wildcard tests/gpu_*.cu tests/gpu_*.c))))

## all: the program (build/warpreel)
.PHONY: all
all: $(BUILD)/warpreel

include mk/check.mk mk/report.mk mk/emulated.mk

## deps: install missing Debian packages (root), or name them in one line
.PHONY: deps
deps:
	@CC="$(CC)" sh mk/deps.sh

$(BUILD)/flags: FORCE
	@mkdir -p $(@D); echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' > $@
.PHONY: FORCE
FORCE:

$(BUILD)/warpreel: $(MAIN) $(OBJ)
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/%.o: %.c $(BUILD)/flags | $(DEPS_FIRST)
	@mkdir -p $(@D); echo "  CC      $<"
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Of all files, not with what one folder adds: those would differ by which is made first.
FLAGS := $(CC) $(ALL_CFLAGS) $(LDLIBS) $(NVFLAGS) $(FAMILY_CUDA_LDLIBS) $(LEFT_OUT) $(LEFT_OUT_CUDA)
# Loops over grids: the CPU reference and its checksums deserve vector code.
$(BUILD)/kernels/%.o: ALL_CFLAGS += -O3

## gpu: the CUDA kernels and the recorder (needs nvcc and CUPTI)
.PHONY: gpu
gpu: need-nvcc $(BUILD)/libwarpreel-cuda.so $(BUILD)/libwarpreel-recorder.so $(BUILD)/libwarpreel-virtual.so $(BUILD)/libwarpreel-messages.so $(GPU_TESTS)
.PHONY: need-nvcc
need-nvcc:
	@test -n "$(NVCC)" || { echo "make gpu: nvcc not found; install the CUDA toolkit or pass NVCC=/path/to/nvcc" >&2; exit 1; }

## gpu-blocks: the CUDA kernels instrumented: they write down where and when their blocks run (warpreel solve --blocks)
.PHONY: gpu-blocks
gpu-blocks: need-nvcc $(BUILD)/libwarpreel-cuda-blocks.so

$(BUILD)/instrumented/%.cu.o: %.cu $(BUILD)/flags
	@mkdir -p $(@D); echo "  NVCC    $< (instrumented)"
	$(Q)$(NVCC) $(NVFLAGS) -include kernels/machine/block_note_on.cuh -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

$(BUILD)/%.cu.o: %.cu $(BUILD)/flags
	@mkdir -p $(@D); echo "  NVCC    $<"
	$(Q)$(NVCC) $(NVFLAGS) -include kernels/machine/block_note_off.cuh -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

# Libraries of the toolkit are found where it was when this was built. The runtime is one of them, so that runs can be recorded on
# virtual GPUs (docs/as-gpus.md).
CUDA_LDLIBS := -cudart shared -Xlinker -rpath=$(CUDA_DIR)/lib64 $(FAMILY_CUDA_LDLIBS)
$(BUILD)/libwarpreel-cuda.so: $(CUOBJ) $(SHARED_OBJ)
	@echo "  NVLINK  $@"
	$(Q)$(NVCC) -arch=$(CUDA_ARCH) -shared -o $@ $^ $(CUDA_LDLIBS) -ldl -lpthread

$(BUILD)/libwarpreel-cuda-blocks.so: $(INSTRUMENTED_OBJ) $(SHARED_OBJ) $(BUILD)/pic/kernels/machine/block_notes.o
	@echo "  NVLINK  $@"
	$(Q)$(NVCC) -arch=$(CUDA_ARCH) -shared -o $@ $^ $(CUDA_LDLIBS) -ldl -lpthread

$(BUILD)/pic/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D); echo "  CC      $< (pic)"
	$(Q)$(CC) $(filter-out -fsanitize% -fno-sanitize%,$(ALL_CFLAGS)) -fPIC -I$(CUDA_DIR)/include -MMD -MP -c -o $@ $<

# It is within other programs, which may have any name.
$(BUILD)/pic/traces/base/core_share.o: ALL_CFLAGS += -fvisibility=hidden
$(BUILD)/libwarpreel-recorder.so: $(RECORDER_SRC:%.c=$(BUILD)/pic/%.o) $(BUILD)/pic/traces/base/core_share.o
	@echo "  LD      $@"
	$(Q)$(CC) -shared -o $@ $^ -L$(CUDA_DIR)/lib64 -L$(CUDA_DIR)/lib -L$(CUDA_DIR)/extras/CUPTI/lib64 -lcupti -ldl -pthread

# Its dlsym hands on to the linker's by a jump, so that RTLD_NEXT is the program's. Compilers promise the jump from -O2 on.
$(BUILD)/pic/traces/virtual/%.o: ALL_CFLAGS += -O2
# The one kernel it has: machine code and PTX, as data.
$(BUILD)/nccl_reduce.fatbin: traces/virtual/nccl_reduce_kernel.cu traces/virtual/nccl_reduce.h
	@mkdir -p $(@D); echo "  NVCC    $<"
	$(Q)$(NVCC) -arch=$(CUDA_ARCH) -I. -O3 -fatbin -o $@ $<
$(BUILD)/pic/traces/virtual/nccl_transfers.o: $(BUILD)/nccl_reduce.fatbin
$(BUILD)/pic/traces/virtual/%.o: ALL_CFLAGS += -DREDUCE_IMAGE='"$(abspath $(BUILD))/nccl_reduce.fatbin"'
# Preloaded into programs: it needs nothing of CUDA, whose functions it finds in the program.
$(BUILD)/libwarpreel-virtual.so: $(VIRTUAL_SRC:%.c=$(BUILD)/pic/%.o)
	@echo "  LD      $@"
	$(Q)$(CC) -shared -Wl,-z,defs -o $@ $^ -ldl -pthread

# Preloaded into programs of several processes: of MPI, too, it needs nothing but what the program has.
$(BUILD)/pic/traces/messages/%.o: ALL_CFLAGS += -fvisibility=hidden
$(BUILD)/libwarpreel-messages.so: $(MESSAGES_SRC:%.c=$(BUILD)/pic/%.o)
	@echo "  LD      $@"
	$(Q)$(CC) -shared -Wl,-z,defs -o $@ $^ -ldl -pthread

## recorder-cost: what CUPTI alone costs a program, beside the recorder (a library to inject and kernels to time, docs/recorder.md)
.PHONY: recorder-cost
recorder-cost: need-nvcc $(BUILD)/libcupti-alone.so $(BUILD)/tests/gpu_traced_kernels

## stalls: which instructions warps wait at, and why (a library to inject into any program, tests/pc_stalls.c)
.PHONY: stalls
stalls: $(BUILD)/libpc-stalls.so

# Libraries to inject that are not the recorder.
$(BUILD)/libcupti-alone.so: $(BUILD)/pic/tests/injection_alone.o
$(BUILD)/libpc-stalls.so: $(BUILD)/pic/tests/pc_stalls.o
$(BUILD)/libcupti-alone.so $(BUILD)/libpc-stalls.so:
	@echo "  LD      $@"
	$(Q)$(CC) -shared -o $@ $^ -L$(CUDA_DIR)/lib64 -L$(CUDA_DIR)/lib -L$(CUDA_DIR)/extras/CUPTI/lib64 -lcupti

# Kernels that such a program includes are those of the library: they ask the geometry that plans ask, and report.
GEOMETRY_OBJ := $(filter %_geometry.o %/util.o %/text_escape.o,$(SHARED_OBJ))
$(BUILD)/tests/gpu_%: tests/gpu_%.cu tests/cuda_try.h tests/graph_time.cuh tests/host_clock.h $(GEOMETRY_OBJ) $(BUILD)/flags
	@mkdir -p $(@D); echo "  NVCC    $<"
	$(Q)$(NVCC) $(NVFLAGS) -include kernels/machine/block_note_off.cuh -o $@ $< $(GEOMETRY_OBJ) -ldl -lpthread

$(BUILD)/tests/gpu_code $(BUILD)/tests/gpu_cold_code: tests/straight_code.cuh

# The code that is in plain_sor.sass.
$(BUILD)/tests/gpu_plain_sor: tests/plain_sor.cu
$(BUILD)/tests/gpu_plain_sor: NVFLAGS := $(filter-out --fmad=false,$(NVFLAGS))

$(BUILD)/tests/gpu_%: tests/gpu_%.c $(OBJ)
	@mkdir -p $(@D); echo "  CC      $<"
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -MT $@ -MF $@.d -o $@ $< $(OBJ) $(LDLIBS)

MPICC ?= mpicc
## mpi-bench: MPI_Sendrecv of two processes beside the same exchange by threads (build/mpi/*.tsv; needs an MPI)
.PHONY: mpi-bench
mpi-bench: need-mpi $(BUILD)/tests/mpi_sendrecv
	$(Q)mkdir -p $(BUILD)/mpi
	$(Q)for way in threads spin; do $(BUILD)/tests/mpi_sendrecv $$way > $(BUILD)/mpi/$$way.tsv || exit 1; done
	$(Q)mpirun -n 2 $(MPI_FLAGS) $(BUILD)/tests/mpi_sendrecv > $(BUILD)/mpi/sendrecv.tsv
	@wc -l $(BUILD)/mpi/*.tsv
.PHONY: need-mpi
need-mpi:
	@command -v $(MPICC) >/dev/null || { echo "make mpi-bench: no $(MPICC); a Debian has one in libopenmpi-dev and openmpi-bin (sh mk/deps.sh mpi)" >&2; exit 1; }

$(BUILD)/tests/mpi_%: tests/mpi_%.c $(BUILD)/traces/base/util.o $(BUILD)/traces/base/text_escape.o
	@mkdir -p $(@D); echo "  MPICC   $<"
	$(Q)$(MPICC) $(ALL_CFLAGS) -o $@ $^ -lm

## install: program, libraries that were built, data, manuals, completion (prefix=/usr/local, DESTDIR=)
.PHONY: install
install: $(BUILD)/warpreel
	$(Q)BUILD="$(BUILD)" prefix="$(prefix)" DESTDIR="$(DESTDIR)" sh mk/install.sh

## clean: remove build/
.PHONY: clean
clean:
	$(Q)rm -rf $(BUILD)

## format: clang-format over the C and CUDA sources
.PHONY: format
format:
	$(Q)sh mk/format.sh --write

## tidy: clang-tidy over the C sources
.PHONY: tidy
tidy:
	$(Q)clang-tidy --quiet main.c $(SRC) -- -std=gnu11 -D_GNU_SOURCE -I.

# rbsor_cpu.h is included once a precision and does not stand alone. Headers that .cu files share are also, or only, C++.
HEADERS := $(filter-out kernels/rbsor/rbsor_cpu.h,$(wildcard traces/*/*.h kernels/*/*.h model/*/*.h sim/*/*.h))
NEED_CUDA := $(shell grep -lsE 'cupti|cuda_runtime' $(HEADERS))
CXX_HEADERS := kernels/machine/machine.h kernels/rbsor/rbsor.h kernels/rbsor/rbsor_geometry.h kernels/micro/micro.h traces/schedule/schedule.h model/calibrate/calibrate_internal.h model/calibrate/calibrate_sm.h
CHECKED_HEADERS := $(filter-out model/calibrate/calibrate_internal.h model/calibrate/calibrate_sm.h $(if $(CUDA_DIR),,$(NEED_CUDA)),$(HEADERS))

## headers: every header compiles alone, those that CUDA files include as C++ too
.PHONY: headers
headers: $(CHECKED_HEADERS:%=$(BUILD)/headers/%.ok) \
	 $(patsubst %,$(BUILD)/headers/%.c++.ok,$(filter-out $(if $(CUDA_DIR),,$(NEED_CUDA)),$(CXX_HEADERS)))
$(BUILD)/headers/%.c++.ok: % $(BUILD)/flags
	@mkdir -p $(@D); echo "  H++     $<"
	$(Q)printf '#include "%s"\n' '$<' | $(CC) -x c++ -std=c++17 -D_GNU_SOURCE -Wall -Wextra -I. $(if $(CUDA_DIR),-I$(CUDA_DIR)/include) -fsyntax-only - && touch $@
$(BUILD)/headers/%.ok: % $(BUILD)/flags
	@mkdir -p $(@D); echo "  H       $<"
	$(Q)printf '#include "%s"\n' '$<' | $(CC) -x c $(ALL_CFLAGS) -I. $(if $(CUDA_DIR),-I$(CUDA_DIR)/include) -fsyntax-only - && touch $@

## help: this list
.PHONY: help
help:
	@sed -n 's/^## \([a-z-]*\): \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 26

## info: what was found
.PHONY: info
info:
	@echo "CC       $(CC) ($(shell $(CC) -dumpversion 2>/dev/null || echo 'not found'))"
	@echo "NVCC     $(or $(NVCC),not found: make gpu is off)"
	@echo "BUILD    $(BUILD)   ARCH $(CUDA_ARCH)   SANITIZE $(or $(SANITIZE),none)   prefix $(prefix)"
	@$(foreach f,$(LEFT_OUT),echo "WITHOUT  $(f): it needs $(left_out_why_$(f))";) $(foreach f,$(LEFT_OUT_CUDA),$(if $(left_out_cuda_why_$(f)),echo "WITHOUT  CUDA kernels of $(f): they need $(left_out_cuda_why_$(f))";))
	@CC="$(CC)" sh mk/deps.sh --list

# print-VARIABLE: its value, for scripts.
print-%:
	@echo '$($*)'

-include $(OBJ:.o=.d) $(MAIN:.o=.d) $(CUOBJ:.o=.d) $(INSTRUMENTED_OBJ:.o=.d) $(wildcard $(BUILD)/tests/*.d $(BUILD)/pic/*/*.d $(BUILD)/pic/*/*/*.d)
