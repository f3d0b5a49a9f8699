# SPDX-License-Identifier: MIT
# From shipped data to tables, plots and the validation page.

# The platform whose data is shown: that of commands which are not told one.
PLATFORM ?= $(shell sed -n 's/^.define PLATFORM_DEFAULT "\(.*\)"/\1/p' model/platform/platform_default.h)

## demo: replay the shipped traces, predict 2, 4 and 8 GPUs from one, print a table, draw their plots (no GPU; less than a minute)
.PHONY: demo
demo: deps $(BUILD)/warpreel
	@WARPREEL=$(abspath $(BUILD)/warpreel) BUILD=$(BUILD) PLATFORM=$(PLATFORM) MAKE="$(MAKE)" sh mk/demo.sh

# What a prediction reads besides the program.
SHIPPED := $(wildcard $(addprefix traces/data/$(PLATFORM)/,profile/* replay/* kernels/* foreign/* measured.tsv kernels.tsv pairs.tsv foreign.tsv blind.tsv)) \
	   $(wildcard model/platforms/$(PLATFORM).ini model/intervals/$(PLATFORM).tsv model/splits.tsv)

## validate: predictions against measurements: build/validation.tsv and its summary
.PHONY: validate
validate: $(BUILD)/validation.tsv
	@expand -t 10,20,34,40,50,58,66,76,90,106 $(BUILD)/validation-summary.tsv

$(BUILD)/validation.tsv $(BUILD)/validation-summary.tsv &: $(BUILD)/warpreel $(SHIPPED)
	@mkdir -p $(BUILD)/validation; echo "  VALIDATE"
	$(Q)$(BUILD)/warpreel validate --platform $(PLATFORM) -o $(BUILD)/validation.tsv --summary $(BUILD)/validation-summary.tsv --tables $(BUILD)/validation >/dev/null

# What the demo draws: the runs of one solver, without the kernel models that are not the tool's answer.
$(BUILD)/demo/validation.tsv: $(BUILD)/warpreel $(SHIPPED)
	@mkdir -p $(@D); echo "  VALIDATE rbsor"
	$(Q)$(BUILD)/warpreel validate --platform $(PLATFORM) --only runs --solver rbsor --models default -o $@ >/dev/null

# A page besides, of runs alone: the platform of eight GPUs.
EIGHT := $(BUILD)/validation_h200x8

$(EIGHT).tsv $(EIGHT)-summary.tsv &: $(BUILD)/warpreel $(wildcard traces/data/h200x8/* traces/data/h200x8/*/* model/platforms/h200x8.ini model/intervals/h200x8.tsv) \
		model/splits.tsv
	@mkdir -p $(EIGHT); echo "  VALIDATE h200x8"
	$(Q)$(BUILD)/warpreel validate --platform h200x8 --only runs -o $(EIGHT).tsv --summary $(EIGHT)-summary.tsv --tables $(EIGHT) >/dev/null

## validation-report: docs/validation.md, docs/validation_h200x8.md and the tables of docs/validation
.PHONY: validation-report
validation-report: $(BUILD)/validation.tsv $(BUILD)/validation-summary.tsv $(EIGHT).tsv $(EIGHT)-summary.tsv
	@echo "  REPORT  docs/validation.md"
	$(Q)sh docs/validation.sh $(BUILD)/warpreel $(BUILD)/validation.tsv $(BUILD)/validation-summary.tsv $(BUILD)/validation traces/data/$(PLATFORM) \
		docs/validation >$(BUILD)/validation.md
	$(Q)cp $(BUILD)/validation.md docs/validation.md
	@echo "  REPORT  docs/validation_h200x8.md"
	$(Q)sh docs/validation.sh $(BUILD)/warpreel $(EIGHT).tsv $(EIGHT)-summary.tsv $(EIGHT) traces/data/h200x8 docs/validation >$(EIGHT).md
	$(Q)cp $(EIGHT).md docs/validation_h200x8.md

## laws: does a dearer call, copy or link ever pay, and is --set an edit of the file? (an hour; a sample of it is a test)
.PHONY: laws
laws: $(BUILD)/warpreel $(BUILD)/tests/forked_answers
	$(Q)for file in model/platforms/*.ini; do \
		sh tests/laws_files.sh $(BUILD)/warpreel $(BUILD)/laws/files 1 $$(basename $$file .ini) || exit 1; done
	$(Q)sh tests/laws_drawn.sh $(BUILD)/warpreel $(BUILD)/laws/drawn 2000
	$(Q)sh tests/laws.sh $(BUILD)/warpreel $(BUILD)/laws

## skips: 200 long runs played in part and whole (most of an hour)
.PHONY: skips
skips: $(BUILD)/warpreel
	$(Q)sh tests/skips.sh $(BUILD)/warpreel $(BUILD)/skips 200

## sweep-10000: how long 10,000 points take (minutes; not part of the tests)
.PHONY: sweep-10000
sweep-10000: $(BUILD)/warpreel
	$(Q)sh docs/sweep_10000.sh $(BUILD)/warpreel $(BUILD)/sweep-10000

## hypothetical-intervals: how far answers are off for machines that were left out (a minute; not part of the tests)
.PHONY: hypothetical-intervals
hypothetical-intervals: $(BUILD)/warpreel
	@echo "  FIT     model/intervals/hypothetical.tsv"
	$(Q)sh model/intervals/hypothetical.sh $(BUILD)/warpreel $(BUILD)/hypothetical >$(BUILD)/hypothetical.tsv
	$(Q)cp $(BUILD)/hypothetical.tsv model/intervals/hypothetical.tsv

## ablation: what each mechanism of the host and of copies is worth: docs/ablation.md (a quarter of an hour; not part of the tests)
.PHONY: ablation
ablation: $(BUILD)/warpreel
	$(Q)WARPREEL=$(abspath $(BUILD)/warpreel) BUILD=$(abspath $(BUILD)) PLATFORM=$(PLATFORM) sh mk/ablation.sh

PAPER_DATA := $(SHIPPED) $(wildcard model/platforms/gtx480.ini model/platforms/c2050.ini model/platforms/x2090.ini model/platforms/c1060.ini model/platforms/h200x8.ini model/platforms/h100x1.ini traces/data/papers/*.tsv traces/data/$(PLATFORM)/papers_*.tsv)
PAPERS := $(patsubst docs/papers_%.sh,%,$(wildcard docs/papers_*.sh))

## papers: tables, figures and pages of published papers computed again: build/papers, docs/papers
.PHONY: papers
papers: papers-pages $(patsubst plots/%.gp,$(BUILD)/plots/%.svg,$(wildcard plots/papers_*.gp))
	$(call shipped_figures,$(filter %.svg,$^))

.PHONY: papers-pages
papers-pages: $(PAPERS:%=$(BUILD)/papers/%.md)
	$(Q)mkdir -p docs/papers && cp $^ docs/papers/

$(PAPERS:%=$(BUILD)/papers/%/made): $(BUILD)/papers/%/made: $(BUILD)/warpreel $(PAPER_DATA)
	@mkdir -p $(@D); echo "  PAPER   $*"
	$(Q)$(BUILD)/warpreel papers $* --platform $(PLATFORM) -o $(@D)
	$(Q)touch $@

$(BUILD)/papers/%.md: docs/papers_%.sh $(BUILD)/papers/%/made docs/paper_tables.sh
	$(Q)WARPREEL=$(BUILD)/warpreel sh $< $(BUILD)/papers/$* $(PLATFORM) traces/data/$(PLATFORM)/papers_$*.tsv >$@

## plots: every plots/*.gp drawn under build/plots (rules: plots/plots.mk)
include plots/plots.mk
