#!/usr/bin/env bash
# What `cmake --install` laid down: every public header, the command with its manual page and completions, and a pkg-config file
# from which a C program compiles, links and runs.
set -euo pipefail
prefix=$1 source=$2 compiler=$3

for header in "$source"/include/sortile/*; do
  cmp "$header" "$prefix/include/sortile/$(basename "$header")"
done
for file in bin/sortile share/man/man1/sortile.1 share/bash-completion/completions/sortile share/doc/sortile/LICENSE; do
  [ -s "$prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done
"$prefix/bin/sortile" --version

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name sortile.pc)")
cc -std=c11 -Wall -Wextra -Werror -c "$source/examples/plain_c.c" -o "$work/plain_c.o" $(pkg-config --cflags sortile)
"$compiler" "$work/plain_c.o" -o "$work/plain_c" $(pkg-config --libs sortile)
"$work/plain_c"
