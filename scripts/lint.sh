#!/usr/bin/env bash
# Layout and static analysis of all sources: `lint.sh --fix` lays them out, `lint.sh BUILD` checks them (BUILD holds
# compile_commands.json).
set -euo pipefail
cd "$(dirname "$0")/.."

# planted.cu holds what the kernel lint has to find, where it has to find it.
mapfile -t sources < <(git ls-files '*.hpp' '*.cpp' '*.ipp' '*.h' '*.c' '*.cu' '*.cuh' ':!tests/lint/planted.cu')
if [ "${1:-}" = --fix ]; then
  clang-format-14 -i "${sources[@]}"
  exit 0
fi

build=${1:?usage: lint.sh --fix | lint.sh BUILD}
status=0
echo "lint: clang-format on ${#sources[@]} files"
clang-format-14 --dry-run --Werror "${sources[@]}" || status=1

mapfile -t units < <(git ls-files 'src/*.cpp' 'cli/*.cpp' 'testing/*.cpp')
echo "lint: clang-tidy on ${#units[@]} files"
printf '%s\0' "${units[@]}" | xargs -0 -r -n 1 -P "$(nproc)" clang-tidy-16 -p "$build" --quiet --warnings-as-errors='*' || status=1
exit $status
