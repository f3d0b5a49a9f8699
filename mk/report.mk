# SPDX-License-Identifier: MIT
# From shipped data to tables, plots and the validation page.

# The platform whose data is shown: that of commands which are not told one.
PLATFORM ?= $(shell sed -n 's/^.define PLATFORM_DEFAULT "\(.*\)"/\1/p' model/platform/platform_default.h)

## demo: replay the shipped traces, predict 2, 4 and 8 GPUs from one, print a table, draw their plots (no GPU; less than a minute)
.PHONY: demo
demo: deps $(BUILD)/warpreel
	@WARPREEL=$(abspath $(BUILD)/warpreel) BUILD=$(BUILD) PLATFORM=$(PLATFORM) MAKE="$(MAKE)" sh mk/demo.sh

# What a prediction for a platform reads besides the program.
shipped_of = $(wildcard $(addprefix traces/data/$1/,profile/* replay/* kernels/* foreign/* measured.tsv kernels.tsv pairs.tsv foreign.tsv blind.tsv)) \
	     $(wildcard model/platforms/$1.ini model/intervals/$1.tsv model/splits.tsv)
SHIPPED := $(call shipped_of,$(PLATFORM))

## validate: predictions against measurements: build/validation.tsv and its summary
.PHONY: validate
validate: $(BUILD)/validation.tsv
	@expand -t 10,20,34,40,50,58,66,76,90,106 $(BUILD)/validation-summary.tsv

# Pages of other machines that were measured: of runs alone.
BESIDES := $(filter-out $(PLATFORM),$(patsubst traces/data/%/measured.tsv,%,$(wildcard traces/data/*/measured.tsv)))

## validation-report: docs/validation.md, a docs/validation_PLATFORM.md of each other machine measured, and the tables of docs/validation
.PHONY: validation-report

# PLATFORM PAGE OPTIONS: the tables build/PAGE*.tsv and docs/PAGE.md.
define validated
$$(BUILD)/$2.tsv $$(BUILD)/$2-summary.tsv &: $$(BUILD)/warpreel $$(call shipped_of,$1)
	@mkdir -p $$(BUILD)/$2; echo "  VALIDATE $1"
	$$(Q)$$(BUILD)/warpreel validate --platform $1 $3 -o $$(BUILD)/$2.tsv --summary $$(BUILD)/$2-summary.tsv --tables $$(BUILD)/$2 >/dev/null

.PHONY: report-$1
report-$1: $$(BUILD)/$2.tsv $$(BUILD)/$2-summary.tsv
	@echo "  REPORT  docs/$2.md"
	$$(Q)sh docs/validation.sh $$(BUILD)/warpreel $$(BUILD)/$2.tsv $$(BUILD)/$2-summary.tsv $$(BUILD)/$2 traces/data/$1 docs/validation \
		>$$(BUILD)/$2.md
	$$(Q)cp $$(BUILD)/$2.md docs/$2.md

validation-report: report-$1
endef
$(eval $(call validated,$(PLATFORM),validation))
$(foreach platform,$(BESIDES),$(eval $(call validated,$(platform),validation_$(platform),--only runs)))

# What the demo draws: the runs of one solver, without the kernel models that are not the tool's answer.
$(BUILD)/demo/validation.tsv: $(BUILD)/warpreel $(SHIPPED)
	@mkdir -p $(@D); echo "  VALIDATE rbsor"
	$(Q)$(BUILD)/warpreel validate --platform $(PLATFORM) --only runs --solver rbsor --models default -o $@ >/dev/null

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

## hypothetical-intervals: how far answers are off for machines that were left out (a quarter of an hour; not part of the tests)
.PHONY: hypothetical-intervals
hypothetical-intervals: $(BUILD)/warpreel
	@echo "  FIT     model/intervals/hypothetical.tsv"
	$(Q)sh model/intervals/hypothetical.sh $(BUILD)/warpreel $(BUILD)/hypothetical >$(BUILD)/hypothetical.tsv
	$(Q)cp $(BUILD)/hypothetical.tsv model/intervals/hypothetical.tsv

## ablation: what each mechanism of the host and of copies is worth: docs/ablation.md (a quarter of an hour; not part of the tests)
.PHONY: ablation
ablation: $(BUILD)/warpreel
	$(Q)WARPREEL=$(abspath $(BUILD)/warpreel) BUILD=$(abspath $(BUILD)) PLATFORM=$(PLATFORM) sh mk/ablation.sh

PAPER_DATA := $(SHIPPED) $(wildcard model/platforms/gtx480.ini model/platforms/c2050.ini model/platforms/x2090.ini model/platforms/c1060.ini model/platforms/h200x8.ini model/platforms/h100x1.ini traces/data/papers/*.tsv traces/data/$(PLATFORM)/papers_*.tsv traces/data/h100x4/papers_*.tsv)
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
