# SPDX-License-Identifier: MIT
# The tests. Each unit program, golden case and corpus is one stamp under $(BUILD)/results, so a run is parallel and a second one
# repeats only what changed or failed. A stamp holds "passed failed"; a failure leaves NAME.failed and its NAME.log instead.

UNIT   := $(call tested,$(basename $(notdir $(wildcard tests/test_*.c))))
CUPTI_UNIT := $(if $(CUDA_DIR),$(basename $(notdir $(wildcard tests/cupti_*.c)))) # of the recorder: they need CUPTI's header, and no GPU
# Of what is preloaded: they need CUDA's headers. The thread sanitizer puts functions of its own before those they look for.
PRELOAD_UNIT := $(if $(filter thread,$(SANITIZE)),,$(if $(CUDA_DIR),$(basename $(notdir $(wildcard tests/preload_*.c)))))
FUZZ   := $(basename $(notdir $(wildcard tests/fuzz_*_read.c)))
CASES  := $(call tested,$(basename $(notdir $(wildcard tests/cases/*.sh))))
R      := $(BUILD)/results
UNIT_STAMPS := $(UNIT:%=$(R)/%.ok) $(CUPTI_UNIT:%=$(R)/%.ok) $(PRELOAD_UNIT:%=$(R)/%.ok)
FUZZ_STAMPS := $(FUZZ:%=$(R)/%.ok)
CASE_STAMPS := $(CASES:%=$(R)/case-%.ok)
# Those that take longest (5 to 30 s of one core) come first, so that no core waits for one that began last.
LONGEST := $(R)/test_warps_laws.ok $(R)/case-laws-sample.ok $(R)/fuzz_nsight_read.ok $(R)/case-predict-every-size.ok $(R)/case-papers-002.ok \
	$(R)/case-platform-edit-is-set.ok $(R)/test_patches.ok $(R)/case-papers-004.ok
ALL_STAMPS := $(R)/arrows.ok $(UNIT_STAMPS) $(FUZZ_STAMPS) $(CASE_STAMPS)
STAMPS := $(filter $(LONGEST),$(ALL_STAMPS)) $(filter-out $(LONGEST),$(ALL_STAMPS))
# What golden cases read besides the program.
CASE_DATA := tests/run_cases.sh $(wildcard tests/bad/* tests/cases/lib/* model/platforms/* model/intervals/* model/timed/* tests/lmsor_counts.* docs/*.[15] docs/completion/* traces/data/*.tsv traces/data/*/*.tsv traces/data/*/*/*)
# Pages are read by two cases.
$(R)/case-docs-links.ok $(R)/case-docs-cells.ok: $(wildcard *.md docs/*.md docs/*/*.md)

## check: all tests; ends with 'N passed, N failed' (incremental: only what changed, or failed before)
.PHONY: check
check: $(STAMPS)
	@sh mk/sum.sh $(R) $(STAMPS)

## sanitize-check: all tests under the address and undefined-behaviour sanitizers (build/asan)
.PHONY: sanitize-check
sanitize-check:
	$(Q)$(MAKE) --no-print-directory check BUILD=build/asan SANITIZE=address,undefined WERROR= CFLAGS="-O1 -g1"

# Units of what reads, checks and keeps books, in which undefined behaviour would hide; the solvers' arithmetic is left to gcc's.
CLANG_UNIT := $(filter test_trace% test_spool% test_schedule% test_profile_% test_kernel_profile test_platform test_options test_util test_text_show \
	test_simulation test_simulation_laws test_links test_sass test_sass_uniform test_cubin test_disassembly test_sheet test_images test_calibrate test_sm_device,$(UNIT))

## clang-check: fuzz seeds and units of what reads under clang's sanitizers, which find what gcc's do not (build/clang-asan)
.PHONY: clang-check
clang-check:
	$(Q)$(MAKE) --no-print-directory seeds-and-units BUILD=build/clang-asan CC=clang SANITIZE=address,undefined CFLAGS="-O1 -g1" UNIT="$(CLANG_UNIT)"
.PHONY: seeds-and-units
seeds-and-units: $(FUZZ_STAMPS) $(UNIT_STAMPS)
	@sh mk/sum.sh $(R) $(FUZZ_STAMPS) $(UNIT_STAMPS)

## unit: only the unit programs
.PHONY: unit
unit: $(UNIT_STAMPS)
	@sh mk/sum.sh $(R) $(UNIT_STAMPS)

## cases: only the golden command-line cases
.PHONY: cases
cases: $(CASE_STAMPS)
	@sh mk/sum.sh $(R) $(CASE_STAMPS)

## bless: rewrite the expectations of golden cases that fail (CASE=name: only that one), and show what changed
.PHONY: bless
bless: $(BUILD)/warpreel
	@WARPREEL=$(abspath $<) sh tests/run_cases.sh --bless $(or $(CASE),$(CASES))
	@git diff --stat -- tests/cases 2>/dev/null || true

# A test program is compiled as often as it runs, and what takes it long is in the program's objects.
$(BUILD)/tests/%.o: ALL_CFLAGS += $(if $(SAN),,-O0)

# What a test program does not use is not linked into it; there are many of them, and the whole program is large.
$(BUILD)/objects.a: $(OBJ)
	@echo "  AR      $@"; rm -f $@
	$(Q)$(AR) rcsT $@ $^

$(BUILD)/tests/test_%: $(BUILD)/tests/test_%.o $(BUILD)/objects.a
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ -lcmocka $(LDLIBS)

$(BUILD)/tests/cupti_%: tests/cupti_%.c tests/standin/standin_activities.h traces/recorder/recorder_encode.c traces/recorder/recorder_spool.c traces/recorder/recorder_identity.c traces/recorder/recorder.h $(BUILD)/objects.a
	@mkdir -p $(@D); echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) -I$(CUDA_DIR)/include -o $@ $(filter %.c %.a,$^) -lcmocka $(LDLIBS)

# Programs that run with a library of ours before libraries that stand in for CUDA's, under the names of those.
STANDIN := $(BUILD)/tests/standin
$(STANDIN)/libcuda.so.1: tests/standin/standin_driver.c tests/standin/standin_streams.c tests/standin/standin_context.h \
		tests/standin/standin_streams.h traces/virtual/nccl_reduce.h
$(STANDIN)/libnccl.so.2: tests/standin/standin_nccl.c
$(STANDIN)/libmpi.so: tests/standin/standin_mpi.c tests/standin/standin_mpi.h
$(STANDIN)/libcudart.so.13: tests/standin/standin_runtime.c $(STANDIN)/libcuda.so.1
$(STANDIN)/librecorder.so: tests/standin/standin_recorder.c tests/standin/standin_recorder.h traces/format/annotate.h
$(STANDIN)/libcuda.so.1 $(STANDIN)/libcudart.so.13 $(STANDIN)/librecorder.so $(STANDIN)/libnccl.so.2 $(STANDIN)/libmpi.so: mk/check.mk
	@mkdir -p $(@D); echo "  LD      $@"
	$(Q)$(CC) -std=gnu11 -Wall -Wextra -O2 -g -fPIC -shared -pthread -I. -I$(CUDA_DIR)/include -Wl,-soname,$(@F) -o $@ $(filter %.c %.so.1,$^) -lm

$(STANDIN)/libpmpi.so: tests/standin/standin_pmpi.c
	@mkdir -p $(@D); echo "  LD      $@"
	$(Q)$(CC) -std=gnu11 -Wall -Wextra -O2 -g -fPIC -shared -Wl,-soname,$(@F) -o $@ $<

# Of MPI no library is preloaded: the functions are the program's, and MPI's come after it.
$(BUILD)/tests/preload_messages: tests/preload_messages.c $(MESSAGES_SRC) traces/messages/messages.h $(STANDIN)/libpmpi.so $(STANDIN)/librecorder.so
	@mkdir -p $(@D); echo "  LD      $@"
	$(Q)$(CC) $(filter-out -fsanitize% -fno-sanitize%,$(ALL_CFLAGS)) -DRECORDER_LIBRARY='"$(abspath $(STANDIN))/librecorder.so"' \
		-o $@ -Wl,--no-as-needed $(filter %.c %.so,$^) -Wl,-rpath,$(abspath $(STANDIN)) -lcmocka -ldl -pthread

$(BUILD)/tests/preload_%: tests/preload_%.c tests/standin/standin_recorder.h $(STANDIN)/libcudart.so.13 $(STANDIN)/libcuda.so.1 $(STANDIN)/librecorder.so \
		$(STANDIN)/libnccl.so.2 $(STANDIN)/libmpi.so tests/standin/standin_streams.h tests/standin/standin_nccl.h \
		tests/nccl_values.h tests/nccl_world.h tests/rank_world.h $(BUILD)/libwarpreel-virtual.so
	@mkdir -p $(@D); echo "  LD      $@"
	$(Q)$(CC) $(filter-out -fsanitize% -fno-sanitize%,$(ALL_CFLAGS)) -I$(CUDA_DIR)/include -DVIRTUAL_LIBRARY='"$(abspath $(BUILD))/libwarpreel-virtual.so"' \
		-DRECORDER_LIBRARY='"$(abspath $(STANDIN))/librecorder.so"' -o $@ $< $(filter $(STANDIN)/%,$^) -Wl,-rpath,$(abspath $(STANDIN)) -lcmocka -ldl -lm -pthread

$(R)/preload_%.ok: $(BUILD)/tests/preload_%
	@mkdir -p $(@D); echo "  TEST    $*"
	@sh mk/unit.sh $(R)/preload_$* $<

# What is recorded where there is no GPU, by tests/kill_anywhere.sh.
$(BUILD)/tests/recorded_program: tests/recorded_program.c tests/standin/standin_activities.h traces/recorder/recorder_encode.c traces/recorder/recorder_spool.c traces/recorder/recorder.h $(BUILD)/objects.a
	@mkdir -p $(@D); echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) -I$(CUDA_DIR)/include -o $@ $(filter %.c %.a,$^) $(LDLIBS)

# The whole program, its records read once for thousands of answers (tests/laws_drawn.sh).
WRAPPED := main kernel_profiles_add_file kernel_profiles_release profile_add_file profile_release
$(BUILD)/tests/forked_answers: $(BUILD)/tests/forked_answers.o $(MAIN) $(OBJ)
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) $(WRAPPED:%=-Wl,--wrap=%) -o $@ $^ $(LDLIBS)

$(BUILD)/tests/fuzz_%: $(BUILD)/tests/fuzz_%.o $(BUILD)/tests/fuzz_main.o $(BUILD)/objects.a
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(LDLIBS)

# Unit programs run in the source folder: they read tests/bad and the manuals.
$(R)/test_%.ok: $(BUILD)/tests/test_% $(BUILD)/warpreel $(wildcard tests/bad/* tests/*.sass docs/*.[15])
	@mkdir -p $(@D); echo "  TEST    $*"
	@sh mk/unit.sh $(R)/test_$* $<

$(R)/cupti_%.ok: $(BUILD)/tests/cupti_% $(BUILD)/warpreel
	@mkdir -p $(@D); echo "  TEST    $*"
	@sh mk/unit.sh $(R)/cupti_$* $<

# Includes go one way (mk/arrows.txt).
$(R)/arrows.ok: mk/arrows.sh mk/arrows.awk mk/arrows.txt main.c $(foreach e,c h cu cuh def,$(wildcard $(patsubst %,%/*/*.$e,traces kernels model sim)))
	@mkdir -p $(@D); echo "  TEST    arrows"; rm -f $@ $(R)/arrows.failed
	@if sh mk/arrows.sh >$(R)/arrows.log 2>&1; then echo "1 0" >$@; else echo "0 1" >$(R)/arrows.failed; fi

# A corpus is every file of tests/bad and every seed; each also cut short and with bytes changed (see tests/fuzz_main.c).
# A target may have seeds of its own, in tests/corpora.
$(R)/fuzz_%.ok: $(BUILD)/tests/fuzz_% $(wildcard tests/bad/* tests/corpus/* tests/corpora/*/*)
	@mkdir -p $(@D); echo "  FUZZ    $*"
	@sh mk/unit.sh $(R)/fuzz_$* $< $(wildcard tests/bad/* tests/corpus/* tests/corpora/$*/*)

## fuzz: each target with clang's libFuzzer and sanitizers for MINUTES=n (FUZZ=fuzz_x_read: only that one); finds in build/fuzz/found
.PHONY: fuzz
fuzz:
	$(Q)$(MAKE) --no-print-directory fuzz-targets BUILD=build/fuzz CC=clang SANITIZE=fuzzer-no-link,address,undefined CFLAGS="-O1 -g1"
	$(Q)sh mk/fuzz.sh build/fuzz $(or $(MINUTES),5) $(FUZZ)
# All targets in one program, which is the one it is called as; beside it stripped, to be carried with mk/fuzz.sh to a machine of many cores.
FUZZ_TARGETS := $(basename $(notdir $(wildcard tests/fuzz_*_read.c)))
.PHONY: fuzz-targets
fuzz-targets: $(BUILD)/free/fuzz_any
	$(Q)for target in $(FUZZ_TARGETS); do ln -sf fuzz_any $(BUILD)/free/$$target; sh mk/fuzz_words.sh $$target >$(BUILD)/free/$$target.words; done
$(BUILD)/free/%.o: $(BUILD)/tests/%.o
	@mkdir -p $(@D)
	$(Q)objcopy --redefine-sym LLVMFuzzerTestOneInput=$* $< $@
$(BUILD)/tests/fuzz_any.o: ALL_CFLAGS += '-DTARGETS=$(foreach t,$(FUZZ_TARGETS),TARGET($t))'
$(BUILD)/free/fuzz_any: $(BUILD)/tests/fuzz_any.o $(FUZZ_TARGETS:%=$(BUILD)/free/%.o) $(BUILD)/objects.a
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer -no-pie -Wl,--gc-sections -o $@ $^ $(LDLIBS)
	$(Q)strip -o $@.stripped $@

.SECONDEXPANSION:
$(R)/case-%.ok: $$(wildcard tests/cases/$$*.*) $(BUILD)/warpreel $(CASE_DATA)
	@mkdir -p $(@D); echo "  CASE    $*"
	@WARPREEL=$(abspath $(BUILD)/warpreel) sh tests/run_cases.sh --stamp $(abspath $(R)) $*

## gpu-check: the tests that need a GPU; fails where there is none
.PHONY: gpu-check
gpu-check: gpu $(BUILD)/warpreel
	@BUILD=$(BUILD) sh mk/gpu_check.sh $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/gpu_*.c)) $(wildcard tests/gpu_*.sh)

## check-slow: all published iteration counts of lmsor on the CPU (minutes)
.PHONY: check-slow
check-slow: $(BUILD)/warpreel
	@WARPREEL=$(BUILD)/warpreel sh tests/lmsor_counts.sh --kernel openmp --check device

.PRECIOUS: $(BUILD)/%.o $(BUILD)/tests/test_% $(BUILD)/tests/fuzz_% $(BUILD)/tests/cupti_% $(BUILD)/tests/preload_%
