# SPDX-License-Identifier: MIT
# What a family of solvers wants beyond the project's flags stands in kernels/<family>/family.mk, which may be absent and may hold:
#
#   $(BUILD)/kernels/<family>/%.o: ALL_CFLAGS += ...                  flags of its C files
#   $(call needs,<family>,<header>,<libraries>,<package>)             libraries of the program:
#           $(call needs,dense,lapacke.h,-llapacke -lopenblas,liblapacke-dev libopenblas-dev)
#   $(call needs_cuda,<family>,<header>,<libraries>,<package>)        libraries of the CUDA toolkit, for libwarpreel-cuda.so:
#           $(call needs_cuda,dense,cublas_v2.h,-lcublas,cuBLAS of the CUDA toolkit)
#
# A family whose library is missing is left out whole, with its tests; without one of the toolkit its CUDA kernels are. Either is
# said by the build, by `make info` and by the program when it is asked for the family. Packages go into mk/deps.sh as well, so that
# `make check` installs them. The emulated GPU has no toolkit: what of it a family calls is written anew under tests/emulated, in a
# header of the same name.

FAMILY_LDLIBS :=
FAMILY_CUDA_LDLIBS :=
LEFT_OUT :=
LEFT_OUT_CUDA :=

HASH := \#
# links(header, libraries): whether a program with both can be made.
links = $(shell printf '$(HASH)include <stdio.h>\n$(HASH)include <%s>\nint main(void) { return 0; }\n' '$(1)' | $(CC) -x c -o /dev/null - $(2) 2>/dev/null && echo yes)

define needs_text
ifeq ($$(call links,$(2),$(3)),yes)
FAMILY_LDLIBS += $(3)
else
LEFT_OUT += $(1)
left_out_why_$(1) := $(4)
endif
endef
needs = $(eval $(call needs_text,$(1),$(2),$(3),$(4)))

define needs_cuda_text
ifneq ($$(and $$(wildcard $(CUDA_DIR)/include/$(2)),$$(wildcard $(patsubst -l%,$(CUDA_DIR)/lib64/lib%.so,$(firstword $(3))))),)
FAMILY_CUDA_LDLIBS += $(3)
else
LEFT_OUT_CUDA += $(1)
left_out_cuda_why_$(1) := $(4)
endif
endef
needs_cuda = $(if $(CUDA_DIR),$(eval $(call needs_cuda_text,$(1),$(2),$(3),$(4))))

# Packages come before what looks for them, which is now, not when recipes run; -n changes nothing.
$(if $(and $(DEPS_FIRST),$(if $(findstring n,$(firstword -$(MAKEFLAGS))),,yes)),$(shell CC="$(CC)" sh mk/deps.sh >&2))

include $(wildcard kernels/*/family.mk)

LEFT_OUT := $(sort $(LEFT_OUT))
LEFT_OUT_CUDA := $(sort $(LEFT_OUT) $(LEFT_OUT_CUDA))

# built(files, families): files but for those in the folders of these families.
built = $(filter-out $(foreach f,$(2),kernels/$(f)/%),$(1))
# tested(names): but for those that name a family left out.
tested = $(foreach name,$(1),$(if $(strip $(foreach f,$(LEFT_OUT),$(findstring $(f),$(name)))),,$(name)))

# In the place of what is left out: a family that says why, tables of no kernels.
$(BUILD)/left_out.c $(BUILD)/left_out_cuda.c &: mk/left_out.sh $(BUILD)/flags
	@mkdir -p $(@D)
	@sh mk/left_out.sh solvers $(foreach f,$(LEFT_OUT),'$(f)' '$(left_out_why_$(f))') > $(BUILD)/left_out.c
	@sh mk/left_out.sh tables $(foreach f,$(LEFT_OUT_CUDA),'$(f)' '') > $(BUILD)/left_out_cuda.c
$(BUILD)/left_out%.o: $(BUILD)/left_out%.c
	$(Q)$(CC) $(filter-out -fsanitize% -fno-sanitize%,$(ALL_CFLAGS)) -fPIC -c -o $@ $<
$(BUILD)/left_out.o: $(BUILD)/left_out.c
	@$(foreach f,$(LEFT_OUT),echo "  WITHOUT $(f): it needs $(left_out_why_$(f))";)
	$(Q)$(CC) $(filter-out -fsanitize% -fno-sanitize%,$(ALL_CFLAGS)) -fPIC -c -o $@ $<
