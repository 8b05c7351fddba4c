#!/usr/bin/env bash
# A program of another compiler against the library as it was built here: mixed.sh COMPILER SOURCE INCLUDE LIBRARY...
#
# With the same standard library it runs. With libc++, whose strings are others, the linker refuses it in words.
set -euo pipefail
compiler=$1 source=$2 include=$3
shift 3
command -v "$compiler" >/dev/null || { echo "$compiler is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$compiler" -std=c++20 -Wall -Wextra -Werror "-I$include" "$source" -o "$work/calls" "$@" -pthread
"$work/calls"

echo '#include <string>' | "$compiler" -stdlib=libc++ -fsyntax-only -x c++ - 2>/dev/null || { echo "libc++ is not installed"; exit 77; }
if "$compiler" -stdlib=libc++ -std=c++20 "-I$include" "$source" -o "$work/mixed" "$@" -pthread 2>"$work/errors"; then
  echo "linked with libc++, though the library is made of libstdc++"
  exit 1
fi
grep -q 'undefined reference to `sortile_was_not_built_with_libcxx__build_it_with_clang_and_stdlib_libcxx' "$work/errors" ||
  { head -20 "$work/errors"; exit 1; }
