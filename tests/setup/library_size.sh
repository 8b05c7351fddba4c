#!/usr/bin/env bash
# The compiled library stays small: the files that are installed of it take less than 40 MB together, for up to two GPU architectures.
#
#   library_size.sh CONFIGURATION ARCHITECTURES FILE...      architectures as CMake lists them: "80-real;90-real;90-virtual"
#
# Exit status: 0, 1 where they are larger, 77 where the build says nothing about it: no GPU side, not optimised, more architectures.
set -euo pipefail
most=40000000
configuration=$1 architectures=$2
shift 2

skip() { echo "skipped: $*"; exit 77; }
[ -n "$architectures" ] || skip "the build has no GPU side (SORTILE_CUDA=OFF, or no nvcc)"
[ "$configuration" = Release ] || skip "the limit is for Release, and this build is ${configuration:-without a configuration}"
numbers=$(tr ';' '\n' <<<"$architectures" | sed 's/-real$//; s/-virtual$//' | sort -u)
[ "$(wc -l <<<"$numbers")" -le 2 ] && ! grep -qv '^[0-9]' <<<"$numbers" ||
  skip "the limit is for two architectures, and this build is for $architectures"

all=0
for file in "$@"; do
  size=$(stat -c %s "$file")
  all=$((all + size))
  printf '%11d  %s\n' "$size" "${file##*/}"
done
printf '%11d  in all, for %s; %d at most\n' $all "$architectures" $most
[ $all -le $most ] || { echo "the library has grown too large"; exit 1; }
