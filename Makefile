# SPDX-License-Identifier: MIT
# warpreel: record a multi-GPU run once, play it back on another machine.
#
# Knobs:  V=1 shows commands   WERROR=1 warnings are errors   SANITIZE=address,undefined   BUILD=build/asan
#         CC=clang   NVCC= turns CUDA off   CUDA_ARCH=sm_90   PREFIX=/usr/local DESTDIR=

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

BUILD  ?= build
CC     := $(if $(filter default,$(origin CC)),gcc,$(CC))
NVCC   ?= $(or $(shell command -v nvcc 2>/dev/null),$(wildcard /usr/local/cuda/bin/nvcc))
CUDA_ARCH ?= sm_90
CUDA_DIR  := $(patsubst %/bin/nvcc,%,$(realpath $(NVCC)))
PREFIX ?= /usr/local
Q := $(if $(V),,@)

WARN     := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla $(if $(WERROR),-Werror)
SAN      := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
CFLAGS   ?= -O2 -g
ALL_CFLAGS := -std=gnu11 $(WARN) -ffp-contract=off -pthread -D_GNU_SOURCE $(SAN) $(CFLAGS)
LDLIBS   := $(if $(STATIC),-l:libsqlite3.a -l:libzstd.a -l:libinih.a,-lsqlite3 -lzstd -linih) -lm -ldl -pthread
NVFLAGS  := -arch=$(CUDA_ARCH) --fmad=false -O3 -lineinfo -Xcompiler -fPIC,-Wall,-Wextra,-Wno-unused-parameter -diag-suppress 1650

RECORDER_SRC := $(wildcard traces/recorder*.c)
SRC  := $(filter-out $(RECORDER_SRC),$(wildcard traces/*.c kernels/*.c kernels/*/*.c model/*.c sim/*.c))
OBJ  := $(SRC:%.c=$(BUILD)/%.o)
MAIN := $(BUILD)/main.o
CU   := $(wildcard kernels/*.cu kernels/*/*.cu model/*.cu)
CUOBJ := $(CU:%.cu=$(BUILD)/%.cu.o)
TESTS := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/test_*.c))
FUZZ  := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/fuzz_*_read.c))

-include mk/*.mk

## all: the program (build/warpreel)
.PHONY: all
all: $(BUILD)/warpreel

$(BUILD)/flags: FORCE
	@mkdir -p $(@D); echo '$(CC) $(ALL_CFLAGS) $(LDLIBS) $(NVFLAGS)' | cmp -s - $@ || echo '$(CC) $(ALL_CFLAGS) $(LDLIBS) $(NVFLAGS)' > $@
.PHONY: FORCE
FORCE:

$(BUILD)/warpreel: $(MAIN) $(OBJ)
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D); echo "  CC      $<"
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Loops over grids: the CPU reference and its checksums deserve vector code.
$(BUILD)/kernels/%.o: ALL_CFLAGS += -O3

$(BUILD)/tests/test_%: $(BUILD)/tests/test_%.o $(OBJ)
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ -lcmocka $(LDLIBS)

$(BUILD)/tests/fuzz_%: $(BUILD)/tests/fuzz_%.o $(BUILD)/tests/fuzz_main.o $(OBJ)
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(LDLIBS)

## gpu: the CUDA kernels and the recorder (needs nvcc and CUPTI)
.PHONY: gpu
gpu: need-nvcc $(BUILD)/libwarpreel-cuda.so $(BUILD)/libwarpreel-recorder.so $(patsubst tests/%.cu,$(BUILD)/tests/%,$(wildcard tests/gpu_*.cu)) $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/gpu_*.c))
.PHONY: need-nvcc
need-nvcc:
	@test -n "$(NVCC)" || { echo "make gpu: nvcc not found; install the CUDA toolkit or pass NVCC=/path/to/nvcc" >&2; exit 1; }

$(BUILD)/%.cu.o: %.cu $(BUILD)/flags
	@mkdir -p $(@D); echo "  NVCC    $<"
	$(Q)$(NVCC) $(NVFLAGS) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

$(BUILD)/libwarpreel-cuda.so: $(CUOBJ) $(BUILD)/pic/traces/util.o
	@echo "  NVLINK  $@"
	$(Q)$(NVCC) -arch=$(CUDA_ARCH) -shared -o $@ $^ -ldl -lpthread

$(BUILD)/pic/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D); echo "  CC      $< (pic)"
	$(Q)$(CC) $(filter-out -fsanitize%,$(ALL_CFLAGS)) -fPIC -I$(CUDA_DIR)/include -MMD -MP -c -o $@ $<

$(BUILD)/libwarpreel-recorder.so: $(RECORDER_SRC:%.c=$(BUILD)/pic/%.o)
	@echo "  LD      $@"
	$(Q)$(CC) -shared -o $@ $^ -L$(CUDA_DIR)/lib64 -L$(CUDA_DIR)/lib -L$(CUDA_DIR)/extras/CUPTI/lib64 -lcupti -ldl -pthread

$(BUILD)/tests/gpu_%: tests/gpu_%.cu $(BUILD)/flags
	@mkdir -p $(@D); echo "  NVCC    $<"
	$(Q)$(NVCC) $(NVFLAGS) -o $@ $< -ldl -lpthread

$(BUILD)/tests/gpu_%: tests/gpu_%.c $(OBJ)
	@mkdir -p $(@D); echo "  CC      $<"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $< $(OBJ) $(LDLIBS)

## clean: remove build/
.PHONY: clean
clean:
	$(Q)rm -rf $(BUILD)

## help: this list
.PHONY: help
help:
	@sed -n 's/^## \(.*\): \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

## info: what was found
.PHONY: info
info:
	@echo "CC     $(CC) ($(shell $(CC) -dumpversion))"
	@echo "NVCC   $(or $(NVCC),not found: make gpu is off)"
	@echo "BUILD  $(BUILD)   ARCH $(CUDA_ARCH)   SANITIZE $(or $(SANITIZE),none)"
	@for p in sqlite3 zstd inih cmocka gnuplot mandoc; do printf '%-7s' $$p; case $$p in \
	  gnuplot|mandoc) command -v $$p || echo 'not found' ;; \
	  sqlite3|zstd|cmocka) echo "#include <$$(test $$p = cmocka && echo 'stdarg.h>%#include <stddef.h>%#include <setjmp.h>%#include <cmocka' || echo $$p).h>" | tr % '\n' | $(CC) -E - >/dev/null 2>&1 && echo found || echo 'not found' ;; \
	  inih) echo '#include <ini.h>' | $(CC) -E - >/dev/null 2>&1 && echo found || echo 'not found' ;; esac; done

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
