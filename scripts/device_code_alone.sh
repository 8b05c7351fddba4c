#!/usr/bin/env bash
# Compiles device code without the host code around it, which takes most of nvcc's time and which g++ compiles for the executor anyway:
#
#   device_code_alone.sh BUILD JOBS                 every file of tests, gallery and benches in BUILD, a configured Ninja folder in which
#                                                   SORTILE_GPU_TESTS is on. Nothing is linked. The engine's kernels are left out: a plain
#                                                   build compiles them whole
#   device_code_alone.sh nvcc … -c FILE -o OUTPUT   one file: a cubin in place of an object
#
# The first calls the second for each file, through ccache (CCACHE_PREFIX), so that an unchanged input costs nothing. The namespace keeps
# cubins apart from objects. Without ccache it compiles whole objects.
#
# Exit status: 0 where all of it compiles, 77 where there is no nvcc, so that nothing was compiled.
set -euo pipefail

compile() {
  local command=() argument
  for argument in "$@"; do
    [ "$argument" != -c ] || argument=-cubin
    command+=("$argument")
  done
  exec "${command[@]}"
}
[ $# -eq 2 ] || compile "$@"

build=$1 jobs=$2
if ! grep -q CUDA_COMPILER__ "$build/CMakeFiles/rules.ninja"; then
  echo "skipped: the device code of tests, gallery and benches is NOT compiled: $build was configured without nvcc" >&2
  exit 77
fi
targets=$(ninja -C "$build" -t targets all)
files=$(sed -n '/\/sortile_cuda_engine\.dir\//d; s/^\([^:]*\.cu\.o\): CUDA_COMPILER.*/\1/p' <<< "$targets")
[ -n "$files" ] || { echo "$build: no files of device code; is SORTILE_GPU_TESTS on?" >&2; exit 1; }
export CCACHE_PREFIX CCACHE_NAMESPACE=device-code
CCACHE_PREFIX=$(realpath "$0")
# shellcheck disable=SC2086 # names without spaces
exec ninja -C "$build" -j "$jobs" $files
