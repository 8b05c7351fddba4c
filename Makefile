# sortile's commands. The two that matter are `make run` and `make test`; `make help` lists all of them.
#
# Each target brings what it needs: missing packages (scripts/setup.sh), a configured build folder, a build. Settings:
#   PRESET   CMake preset: default, cpu-only, cuda, asan, tsan      PREFIX   where `make install` puts things
#   JOBS     parallel compilations and tests
PRESET ?= default
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

# What one checkout compiled serves another.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1

BUILD := build/$(PRESET)
configure = cmake --preset $(1) $(if $(wildcard build/$(1)/build.ninja),--log-level=NOTICE)
compile = $(call configure,$(1)) && cmake --build --preset $(1) --parallel $(JOBS)
suite = $(call compile,$(1)) && ctest --preset $(1) --parallel $(JOBS)

.DEFAULT_GOAL := build
.PHONY: help setup build run test test-asan test-tsan test-large bench install format lint clean
MAKEFLAGS += --no-print-directory

help: ## list the commands
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

setup: ## install what is missing to build and test
	@scripts/setup.sh

build: setup ## configure and build (PRESET=default)
	@$(call compile,$(PRESET))

run: build ## sort real and generated files, check them, and compare with other sorts
	@scripts/demo.sh $(BUILD)

test: setup ## the whole test suite, with a part of it under the sanitizers
	@$(call suite,$(PRESET))

test-asan: setup ## the suite under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(call suite,asan)

test-tsan: setup ## the suite under ThreadSanitizer
	@$(call suite,tsan)

test-large: build ## sorts beyond 2^32 elements: much memory, many minutes
	@cmake --build --preset $(PRESET) --target test_large

bench: build ## measure against other sorts (BENCH="--help" lists the suites); JSON in build/bench.json
	@$(BUILD)/bench/sortile_bench --json build/bench.json $(BENCH)

install: build ## install under PREFIX (/usr/local)
	@cmake --install $(BUILD) --prefix $(PREFIX)

format: ## lay out all sources with clang-format
	@scripts/setup.sh scripts/packages.txt scripts/packages-lint.txt
	@scripts/lint.sh --fix

lint: ## check the layout and run clang-tidy
	@scripts/setup.sh scripts/packages.txt scripts/packages-lint.txt
	@$(call configure,cpu-only)
	@scripts/lint.sh build/cpu-only

clean: ## remove every build folder
	@rm -rf build
