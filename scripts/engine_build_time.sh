#!/usr/bin/env bash
# How long the GPU engine takes to build: the library and its GPU engine, from nothing, without ccache, for the GPU architectures that a build has
# unless it is told others.
#
#   engine_build_time.sh [OPTION...]      options for cmake, as -DSORTILE_CUDA_ARCHITECTURES=90-real
#
# Prints the processors' minutes, which hardly depend on what else the machine does, the minutes by the clock, and what the
# library weighs. JOBS compilers run at once (default: as many as there are processors).
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
jobs=${JOBS:-$(nproc)}
build=$(mktemp -d "${TMPDIR:-/tmp}/sortile-build-XXXXXX")
trap 'rm -rf "$build"' EXIT
export CCACHE_DISABLE=1 TIMEFORMAT='%U %S %R'

cmake -G Ninja -S "$source" -B "$build" -DCMAKE_BUILD_TYPE=Release -DSORTILE_CUDA=ON -DSORTILE_TESTS=OFF -DSORTILE_BENCH=OFF -DSORTILE_GALLERY=OFF \
  -DSORTILE_EXECUTOR=OFF "$@" >"$build/configure.log" ||
  { cat "$build/configure.log" >&2; exit 1; }
{ time cmake --build "$build" --target sortile sortile_cuda_engine sortile_steps -j "$jobs" >"$build/build.log" 2>&1 ||
  { cat "$build/build.log" >&2; exit 1; }; } 2>"$build/times" || { cat "$build/times" >&2; exit 1; }
read -r user system clock <"$build/times"
awk -v u="$user" -v s="$system" -v c="$clock" -v j="$jobs" 'BEGIN {
  printf "%.1f processor minutes, %.1f on each of %d; %.1f by the clock\n", (u + s) / 60, (u + s) / 60 / j, j, c / 60 }'
architectures=$(sed -n 's/^SORTILE_CUDA_ARCHITECTURES:[A-Z]*=//p' "$build/CMakeCache.txt")
toolkit=$(sed -n 's/.*CUDA \([0-9.]*\) found.*/\1/p' "$build/configure.log")
find "$build/src" -type f '(' -name 'libsortile.*' -o -name 'libsortile_steps.*' -o -name 'libsortile_cuda.*' ')' -exec stat -c '%s %n' {} + |
  awk -v a="$architectures" -v t="$toolkit" '{ size += $1 } END { printf "%.1f MB for %s, CUDA %s\n", size / 1e6, a, t; exit size == 0 }'
