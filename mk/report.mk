# SPDX-License-Identifier: MIT
# From shipped data to tables, plots and the validation page.

PLATFORM ?= h200x8
PLOT_GP  := $(filter-out plots/style.gp,$(wildcard plots/*.gp))

## demo: replay the shipped traces, predict 2, 4 and 8 GPUs from one, print a table, draw the plots (no GPU; under a minute)
.PHONY: demo
demo: deps $(BUILD)/warpreel
	@WARPREEL=$(abspath $(BUILD)/warpreel) BUILD=$(BUILD) PLATFORM=$(PLATFORM) MAKE="$(MAKE)" sh mk/demo.sh

# What a prediction reads besides the program.
SHIPPED := $(wildcard traces/data/$(PLATFORM)/profile/* traces/data/$(PLATFORM)/replay/* traces/data/$(PLATFORM)/measured.tsv) \
	   $(wildcard model/platforms/$(PLATFORM).ini model/intervals/$(PLATFORM).tsv model/holdout.tsv)

## validate: predictions against measurements: build/validation.tsv and its summary
.PHONY: validate
validate: $(BUILD)/validation.tsv
	@expand -t 10,20,34,40,50,58,66,76,90,106 $(BUILD)/validation-summary.tsv

$(BUILD)/validation.tsv $(BUILD)/validation-summary.tsv &: $(BUILD)/warpreel $(SHIPPED)
	@mkdir -p $(@D); echo "  VALIDATE"
	$(Q)$(BUILD)/warpreel validate --platform $(PLATFORM) -o $(BUILD)/validation.tsv --summary $(BUILD)/validation-summary.tsv >/dev/null

## validation-report: docs/validation.md from the validation tables
.PHONY: validation-report
validation-report: $(BUILD)/validation.tsv $(BUILD)/validation-summary.tsv
	@echo "  REPORT  docs/validation.md"
	$(Q)sh docs/validation.sh $(BUILD)/validation.tsv $(BUILD)/validation-summary.tsv model/intervals/$(PLATFORM).tsv >$(BUILD)/validation.md
	$(Q)cp $(BUILD)/validation.md docs/validation.md

## plots: every plots/*.gp drawn as build/plots/*.svg
.PHONY: plots
plots: $(PLOT_GP:plots/%.gp=$(BUILD)/plots/%.svg)

# plots/plots.mk says how the tables that the scripts read are made.
-include plots/plots.mk

# The first line of a script names what it reads: "# data: FILE..."
plot_data = $(shell sed -n '1s/^\# data: *//p' plots/$(1).gp)
.SECONDEXPANSION:
$(BUILD)/plots/%.svg: plots/%.gp plots/style.gp $$(call plot_data,$$*)
	@mkdir -p $(@D); echo "  PLOT    $@"
	$(Q)gnuplot -c $< $@
