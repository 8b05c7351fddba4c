#!/usr/bin/env bash
# setup.sh on a system that lacks a program and a header and has no apt-get: it fails and names both, and nothing that is there.
set -euo pipefail
setup=$1
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
for tool in bash sh env sed cut wc cat dirname id g++ as ld; do
  ln -s "$(command -v "$tool")" "$tools/$tool"
done
printf '#!/bin/sh\nexec %s "$@"\n' "$(python3 -c 'import sys; print(sys.executable)')" >"$tools/python3"
chmod +x "$tools/python3"
cat >"$tools/list" <<'LIST'
# a list with one of each kind that is there, and one that is not
bash          bash                     a shell
no-such-tool  no-such-program          the missing program
libstdc++     <vector>                 a header that is there
libnothing    <nothing/at_all.hpp>     the missing header
libc          -lm                      a library that is there
libnone       -lno_such_library        the missing library
python3       python:json              a module that is there
python3-none  python:no_such_module    the missing module
LIST

if output=$(PATH=$tools "$setup" "$tools/list" 2>&1); then
  printf 'setup.sh succeeded although packages are missing:\n%s\n' "$output"
  exit 1
fi
for expected in "the missing program" "the missing header" "the missing library" "the missing module" "no apt-get"; do
  grep -qF "$expected" <<<"$output" || { printf 'no word of "%s" in:\n%s\n' "$expected" "$output"; exit 1; }
done
if grep -qE 'a shell|that is there' <<<"$output"; then
  printf 'names what is there:\n%s\n' "$output"
  exit 1
fi

# With nothing missing it says so and touches neither apt nor the network.
sed -i -e '/missing/d' "$tools/list"
PATH=$tools "$setup" "$tools/list" | grep -q "are here"
