#!/usr/bin/env bash
# device_code.sh ROOT: scripts/device_code_alone.sh tells a build without nvcc (77, and a line that says so), a build that has no device code
# of tests (1), and one whose device code compiles (0) or does not, apart. The builds are of Ninja alone.
set -euo pipefail
script=$1/scripts/device_code_alone.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/CMakeFiles"
cd "$folder"

# expect STATUS TEXT: what the script leaves with and says of the build here.
expect() {
  local status=0 said
  said=$("$script" "$folder" 1 2>&1) || status=$?
  if [ $status -ne "$1" ] || [[ $said != *"$2"* ]]; then
    echo "status $status, not $1, or no '$2' in: $said"
    exit 1
  fi
}

build() { printf 'rule %s\n  command = %s\nbuild %s: %s\n' "$1" "$2" "$3" "$1" > build.ninja; }
build CXX_COMPILER__a true a.cpp.o
echo 'rule CXX_COMPILER__a' > CMakeFiles/rules.ninja
expect 77 "skipped: the device code of tests, gallery and benches is NOT compiled"
echo 'rule CUDA_COMPILER__a' > CMakeFiles/rules.ninja
expect 1 "is SORTILE_GPU_TESTS on?"
# shellcheck disable=SC2016 # Ninja's
build CUDA_COMPILER__a 'touch $out' a.cu.o
expect 0 ""
[ -e a.cu.o ]
build CUDA_COMPILER__a false a.cu.o
rm a.cu.o
expect 1 FAILED
