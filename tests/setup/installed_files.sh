#!/usr/bin/env bash
# What `cmake --install` laid down: every public header, what compare.cuh includes of the layers below (the same files), the command
# with its manual page and completions, and pkg-config files from which a C program compiles, links and
# runs, which is small and needs the system's libraries alone, and one that sorts structs on the executor.
set -euo pipefail
prefix=$1 source=$2 compiler=$3

for header in $(cd "$source/include/sortile" && find . -type f); do
  cmp "$source/include/sortile/$header" "$prefix/include/sortile/$header"
done
compare=$prefix/include/sortile/compare
for header in $(cd "$compare" && find . -name '*.hpp'); do
  cmp "$source/src/$header" "$compare/$header"
done
for file in bin/sortile share/man/man1/sortile.1 share/bash-completion/completions/sortile share/doc/sortile/LICENSE; do
  [ -s "$prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done
"$prefix/bin/sortile" --version

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name sortile.pc)")
light=$(dirname "$0")/light.sh
cc -std=c11 -Wall -Wextra -Werror -c "$source/examples/plain_c.c" -o "$work/plain_c.o" $(pkg-config --cflags sortile)
"$compiler" "$work/plain_c.o" -o "$work/plain_c" $(pkg-config --libs sortile)
"$work/plain_c"
"$light" "$work/plain_c"

"$compiler" -std=c++20 -Wall -Wextra -Werror "$source/tests/setup/compare/checked_on_host.cpp" -o "$work/checked_on_host" \
  $(pkg-config --cflags sortile) "-I$(pkg-config --variable=comparedir sortile)" $(pkg-config --libs sortile-executor)
"$work/checked_on_host"
