# sortile's commands. The two that matter are `make run` and `make test`; `make help` lists all of them.
#
# Each target brings what it needs: missing packages (scripts/setup.sh), a configured build folder, a build. Settings:
#   PRESET   CMake preset: default, cpu-only, cuda, asan, tsan      PREFIX   where `make install` puts things
#   JOBS     parallel compilations and tests
#   SORTILE_CUDA   make run: ON builds the GPU engine, OFF leaves it out; it is built where there is a GPU
PRESET ?= default
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

# What one checkout compiled serves another.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1

# For the GPU of this machine alone: a quarter of the time that the default architectures take.
SORTILE_CUDA ?= $(if $(wildcard /dev/nvidia0),AUTO,OFF)
GPU_ARCHITECTURE := $(if $(wildcard /dev/nvidia0),$(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d .))
ARCHITECTURE = $(if $(GPU_ARCHITECTURE),-DSORTILE_CUDA_ARCHITECTURES=$(GPU_ARCHITECTURE)-real)
RUN_CUDA = -DSORTILE_CUDA=$(SORTILE_CUDA) $(ARCHITECTURE)

BUILD := build/$(PRESET)
configure = cmake --preset $(1) $(if $(wildcard build/$(1)/build.ninja),--log-level=NOTICE) $(2)
compile = $(call configure,$(1),$(2)) && cmake --build --preset $(1) --parallel $(JOBS)
suite = $(call compile,$(1),$(ARCHITECTURE)) && ctest --preset $(1) --parallel $(JOBS) --output-junit tests.xml

.DEFAULT_GOAL := build
# `make exercise NAME`: the second word is no target of its own.
ifeq ($(firstword $(MAKECMDGOALS)),exercise)
EXERCISE := $(word 2,$(MAKECMDGOALS))
$(if $(EXERCISE),$(eval $(EXERCISE): ; @:))
endif

.PHONY: exercise help setup build run tools gpu-build gpu-check test test-all test-asan test-tsan test-large bench gallery-site wheel wheel-cuda test-python install times format lint clean
MAKEFLAGS += --no-print-directory

help: ## list the commands
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

setup: ## install what is missing to build and test
	@scripts/setup.sh scripts/packages-run.txt scripts/packages.txt

build: setup ## configure and build (PRESET=default)
	@$(call compile,$(PRESET))

run: ## sort real and generated files, check them, and compare with other sorts
	@scripts/setup.sh scripts/packages-run.txt
	@$(call compile,run,$(RUN_CUDA))
	@scripts/demo.sh build/run

tools: setup ## the command with all its programs, benches and gallery too, in build/PRESET/cli
	@$(call configure,$(PRESET)) && cmake --build --preset $(PRESET) --parallel $(JOBS) --target sortile_programs

gpu-build: setup ## compile everything for the GPU, tests, gallery and benches too: for a machine that has one
	@$(call compile,cuda,$(ARCHITECTURE)) --target all sortile_bench sortile_cpu_select_bench sortile_strings_bench

gpu-check: setup ## compile the device code of tests, gallery and benches, which a machine without a GPU leaves out; needs nvcc
	@$(call configure,gpu-check)
	@scripts/device_code_alone.sh build/gpu-check $(JOBS)

test: setup ## the test suite, with a part of it under the sanitizers
	@$(call suite,$(PRESET))

test-all: setup ## the same with the whole grids of inputs, mutations of kernels, and both suites under the sanitizers: hours
	@$(call configure,$(PRESET)) && cmake --build --preset $(PRESET) --parallel $(JOBS) --target all sortile_bench sortile_cpu_select_bench sortile_strings_bench
	@ctest --preset $(PRESET) --parallel $(JOBS) -C Whole
	@$(call suite,asan)
	@$(call suite,tsan)

test-asan: setup ## the suite under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(call suite,asan)

test-tsan: setup ## the suite under ThreadSanitizer
	@$(call suite,tsan)

test-large: build ## sorts beyond 2^32 elements: much memory, many minutes
	@cmake --build --preset $(PRESET) --target test_large

exercise: setup ## grade an exercise: make exercise NAME (exercises/README.md lists them)
	@test -n "$(EXERCISE)" || { sed -n 's/^| \[\([a-z-]*\)\].*/make exercise \1/p' exercises/README.md; exit 2; }
	@cmake -S exercises -B build/exercises -G Ninja -DEXERCISE=$(EXERCISE) --log-level=NOTICE && cmake --build build/exercises --parallel $(JOBS) -- --quiet
	@build/exercises/exercise

bench: setup ## measure against other sorts (BENCH="--help" lists the suites); JSON in build/bench.json
	@$(call configure,$(PRESET)) && cmake --build --preset $(PRESET) --parallel $(JOBS) --target sortile_bench
	@$(BUILD)/bench/sortile_bench --json build/bench.json $(BENCH)

gallery-site: setup ## make the gallery's site: classics, essays, pages on examples, experiments (build/gallery-site)
	@$(call configure,$(PRESET)) && cmake --build --preset $(PRESET) --parallel $(JOBS) --target sortile_cli sortile_classics_cli
	@scripts/gallery_site.py $(BUILD)/cli/sortile build/gallery-site

wheel: ## build the Python package (build/wheel)
	@scripts/setup.sh scripts/packages-run.txt
	@scripts/python.sh wheel

wheel-cuda: ## build the package with the GPU engine, sortile-cu13 (build/wheel-cuda); needs nvcc
	@scripts/setup.sh scripts/packages-run.txt
	@scripts/python.sh wheel-cuda

test-python: ## build it, and test it in a fresh virtual environment
	@scripts/setup.sh scripts/packages-run.txt
	@scripts/python.sh test

install: ## install libraries and command under PREFIX (/usr/local)
	@scripts/setup.sh scripts/packages-run.txt
	@$(call compile,package)
	@cmake --install build/package --prefix $(PREFIX)

times: ## where the time of the last make test went, as a table in HACKING.md; tests whose limit is too short
	@scripts/build_times.py $(BUILD) --into HACKING.md

format: ## lay out all sources with clang-format
	@scripts/setup.sh scripts/packages-run.txt scripts/packages.txt scripts/packages-lint.txt
	@scripts/lint.sh --fix

lint: ## check the layout and run clang-tidy
	@scripts/setup.sh scripts/packages-run.txt scripts/packages.txt scripts/packages-lint.txt
	@$(call configure,cpu-only)
	@scripts/lint.sh build/cpu-only

clean: ## remove every build folder
	@rm -rf build
