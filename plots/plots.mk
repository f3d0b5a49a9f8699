# SPDX-License-Identifier: MIT
# Figures. Each plots/<figure>.gp names its tables in its first line ("# data: <files>", relative to $(BUILD)/plots); a figure is
# drawn anew when one of them changes. A new figure is one .gp; a new table is one rule here.
# Uses BUILD, Q and PLATFORM of the Makefile, and a table as `warpreel validate` writes it.

PLOT_DIR ?= $(BUILD)/plots
VALIDATION ?= $(BUILD)/validation.tsv
PLATFORM ?= h200x8
PLATFORM_DATA ?= traces/data/$(PLATFORM)
# Blocks of instrumented launches, if this platform has any: the first trace is drawn.
BLOCK_TRACE ?= $(firstword $(sort $(wildcard $(PLATFORM_DATA)/blocks/*.wrt.zst)))
# Times of kernels alone, and profiles of kernels, if this platform has them.
KERNEL_TIMES ?= $(and $(wildcard $(PLATFORM_DATA)/kernels/*),$(wildcard $(PLATFORM_DATA)/kernels.tsv))
KERNEL_DATA := $(KERNEL_TIMES) $(wildcard model/platforms/$(PLATFORM).ini $(PLATFORM_DATA)/kernels/*)
# What every title names: the GPU, and the platform's name.
MACHINE := $(shell sed -n 's/^name = \(NVIDIA .*\)/\1/p' model/platforms/$(PLATFORM).ini) ($(PLATFORM))
# Figures not wanted this time.
FIGURES_LEFT_OUT ?=
FOREIGN_TIMES := $(wildcard $(PLATFORM_DATA)/foreign.tsv)
NOT_DRAWN := $(FIGURES_LEFT_OUT) $(if $(FOREIGN_TIMES),,programs) $(if $(BLOCK_TRACE),,blocks) $(if $(KERNEL_TIMES),,kernels kernel_size stalls ablation)
FIGURES := $(filter-out $(NOT_DRAWN),$(patsubst plots/%.gp,%,$(shell grep -l '^# data:' plots/*.gp)))
sorted = { IFS= read -r header; printf '%s\n' "$$header"; LC_ALL=C sort $(1); }
comma := ,
tab := $(shell printf '\t')

# A figure in docs/figures has the same marks in fewer bytes.
shipped_figures = $(Q)mkdir -p docs/figures; for f in $(1); do awk -f plots/shrink_svg.awk $$f >docs/figures/$${f\#\#*/} || exit 1; done

.PHONY: plots
plots: $(foreach figure,$(FIGURES),$(PLOT_DIR)/$(figure).svg $(PLOT_DIR)/$(figure).png)

# Those that a page shows.
SHOWN := $(foreach figure,$(FIGURES),$(if $(shell grep -lF 'figures/$(figure).svg' README.md docs/*.md),$(figure)))

## figures: the figures that documents show, copied to docs/figures
.PHONY: figures
figures: $(SHOWN:%=$(PLOT_DIR)/%.svg)
	$(call shipped_figures,$^)

# One rule a figure, so that the first line of its .gp can be its list of prerequisites.
define figure_rule
$(PLOT_DIR)/$(1).svg $(PLOT_DIR)/$(1).png: $(PLOT_DIR)/$(1).%: plots/$(1).gp plots/style.gp $(addprefix $(PLOT_DIR)/,$(shell sed -n '1s/^# data: //p' plots/$(1).gp)) | need-gnuplot
	@echo "  PLOT    $$@"
	$$(Q)gnuplot -c $$< $$@ $(PLOT_DIR) "$(MACHINE)"
endef
$(foreach figure,$(FIGURES),$(eval $(call figure_rule,$(figure))))

.PHONY: need-gnuplot
need-gnuplot:
	@command -v gnuplot > /dev/null || { echo "make plots: gnuplot not found; install gnuplot-nox" >&2; exit 1; }

$(PLOT_DIR)/points.tsv: $(VALIDATION) plots/points.awk $(BUILD)/warpreel
	@mkdir -p $(@D)
	$(Q)$(BUILD)/warpreel columns --of rows,columns,precision,kernel,scheme,border,transport,iterations $< | awk -f plots/points.awk | $(call sorted,-t'$(tab)' -k1$(comma)1 -k3$(comma)3 -k2$(comma)2 -k7$(comma)8 -k10$(comma)11 -k4$(comma)4n -k5$(comma)5n -k6$(comma)6n -k12$(comma)12n) > $@

$(PLOT_DIR)/notes.tsv: $(PLOT_DIR)/points.tsv plots/notes.awk
	$(Q)awk -f plots/notes.awk $< > $@

$(PLOT_DIR)/time.tsv $(PLOT_DIR)/speedup.tsv $(PLOT_DIR)/gain.tsv: $(PLOT_DIR)/%.tsv: $(PLOT_DIR)/points.tsv plots/curves.awk
	$(Q)awk -v what=$* -f plots/curves.awk $< | $(call sorted,-t'$(tab)' -k1$(comma)3 -k4$(comma)4n -k5$(comma)5n -k6$(comma)6n) > $@

$(PLOT_DIR)/breakdown.tsv: plots/breakdown.sh $(PLATFORM_DATA)/measured.tsv $(BUILD)/warpreel $(wildcard model/platforms/$(PLATFORM).ini $(PLATFORM_DATA)/profile/*)
	@mkdir -p $(@D)
	$(Q)nice plots/breakdown.sh $(BUILD)/warpreel $(PLATFORM) $(PLATFORM_DATA)/measured.tsv > $@

$(PLOT_DIR)/timeline.tsv: plots/timeline.sh $(BUILD)/warpreel $(wildcard model/platforms/$(PLATFORM).ini $(PLATFORM_DATA)/replay/*)
	@mkdir -p $(@D)
	$(Q)plots/timeline.sh $(BUILD)/warpreel $(PLATFORM) $(PLATFORM_DATA)/replay $(@D) > $@

$(PLOT_DIR)/blocks.tsv: plots/blocks.sh $(BUILD)/warpreel $(BLOCK_TRACE) $(wildcard model/platforms/$(PLATFORM).ini)
	@mkdir -p $(@D)
	$(Q)plots/blocks.sh $(BUILD)/warpreel $(PLATFORM) $(BLOCK_TRACE) > $@

$(PLOT_DIR)/programs.tsv: $(VALIDATION) plots/programs.awk
	@mkdir -p $(@D)
	$(Q)awk -f plots/programs.awk $< | $(call sorted,-t'$(tab)' -k1$(comma)1r -k2$(comma)3) > $@

# Four H200, and one and two of them: what was answered before, and what was measured.
FOUR := $(addprefix traces/data/h200x4/,four_predicted.tsv four_added_predicted.tsv measured.tsv)
$(PLOT_DIR)/families.tsv: plots/families.awk $(FOUR)
	@mkdir -p $(@D)
	$(Q)awk -v visit=DA -f $^ > $@

$(PLOT_DIR)/kernels.tsv: $(VALIDATION) plots/kernels.awk $(BUILD)/warpreel
	@mkdir -p $(@D)
	$(Q)awk -F '$(tab)' 'NR == 1 || $$1 == "kernels"' $< | $(BUILD)/warpreel columns --of rows,columns,size,kernel,precision,work,block,check,depth,form,layers,iterations - | \
		awk -f plots/kernels.awk | $(call sorted,-t'$(tab)' -k1$(comma)4 -k6$(comma)6 -k5$(comma)5n -k7$(comma)7n) > $@

$(PLOT_DIR)/kernel_size.tsv $(PLOT_DIR)/stalls.tsv: $(PLOT_DIR)/%.tsv: plots/%.sh $(PLOT_DIR)/kernels.tsv $(BUILD)/warpreel $(KERNEL_DATA)
	$(Q)plots/$*.sh $(BUILD)/warpreel $(PLATFORM) $(PLOT_DIR)/kernels.tsv > $@

$(PLOT_DIR)/ablation.tsv: plots/ablation.sh $(BUILD)/warpreel $(KERNEL_DATA) model/splits.tsv traces/data/lists/kernels.list
	@mkdir -p $(@D)
	$(Q)nice plots/ablation.sh $(BUILD)/warpreel $(PLATFORM) $(KERNEL_TIMES) model/splits.tsv traces/data/lists/kernels.list > $@

# The figure of a paper is one of the tables that `warpreel papers` writes (mk/report.mk).
$(PLOT_DIR)/papers_001.tsv: $(BUILD)/papers/001/made
	@mkdir -p $(@D)
	$(Q)cp $(<D)/errors.tsv $@
PAPER_001 := traces/data/h200x4/papers_001
$(PLOT_DIR)/papers_001_steps.tsv: traces/data/papers/001_steps.tsv
	@mkdir -p $(@D)
	$(Q)cp $< $@
# A row of the plane a line there, a point a line here.
$(PLOT_DIR)/papers_001_slice.tsv: traces/data/papers/001_slice.tsv
	@mkdir -p $(@D)
	$(Q)awk -F '\t' -v OFS='\t' '/^#/ { next } !n++ { print "method", "steps", "x", "y", "u"; next } \
		{ for (x = 0; x + 4 <= NF; x++) print $$1, $$2, x, $$3, $$(x + 4) }' $< >$@
# The table of kernels has a column kernel, which is not the option.
$(PLOT_DIR)/papers_001_cells.tsv: plots/papers_001.awk $(PAPER_001)_kernels.tsv $(BUILD)/warpreel
	@mkdir -p $(@D)
	$(Q)sed '1s/	kernel	/	symbol	/' $(PAPER_001)_kernels.tsv | $(BUILD)/warpreel columns --of count,side,block_cells,method,products,kernel - | \
		sed '1s/	kernel$$/	option_kernel/' | awk -v what=cells -f $< > $@
$(PLOT_DIR)/papers_001_order.tsv: plots/papers_001.awk $(PAPER_001)_predicted.tsv $(PAPER_001).tsv $(PLOT_DIR)/points.tsv $(BUILD)/warpreel
	@mkdir -p $(@D)
	$(Q)$(BUILD)/warpreel columns --of count,side,order $(PAPER_001).tsv | awk -v what=order -f $< $(PAPER_001)_predicted.tsv - $(PLOT_DIR)/points.tsv > $@
$(PLOT_DIR)/papers_002.tsv: $(BUILD)/papers/002/made
	@mkdir -p $(@D)
	$(Q)cp $(<D)/figure1.tsv $@
$(PLOT_DIR)/papers_003.tsv: $(BUILD)/papers/003/made
	@mkdir -p $(@D)
	$(Q)cp $(<D)/figure7.tsv $@
$(PLOT_DIR)/papers_004.tsv: $(BUILD)/papers/004/made
	@mkdir -p $(@D)
	$(Q)cp $(<D)/figure6_1.tsv $@
# The tiles of multi-layer SSOR, as the kernels cut them.
$(PLOT_DIR)/papers_000.tsv: $(BUILD)/tests/test_mlssor_tiles
	@mkdir -p $(@D)
	$(Q)$< --draw > $@

# The accuracy table of README.md, from the summary that `warpreel validate` writes, and what its examples print; never typed.
.PHONY: readme-summary
readme-summary: $(BUILD)/validation-summary.tsv $(BUILD)/warpreel
	$(Q)WARPREEL=$(BUILD)/warpreel docs/insert_summary.sh $< README.md $(PLATFORM) $(BUILD)/validation/blind.tsv
	$(Q)WARPREEL=$(abspath $(BUILD)/warpreel) docs/run_examples.sh README.md
validation-report: readme-summary
