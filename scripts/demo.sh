#!/usr/bin/env bash
# What `make run` shows: real files sorted and checked against GNU sort, large arrays sorted from file to file, and a comparison
# with other sorts. `demo.sh BUILD`; everything it writes lies under build/demo and is removed at the end.
#
#   DEMO_KEYS, DEMO_PAIRS   how many keys and pairs to generate (100 million and 50 million)
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:?usage: demo.sh BUILD}
work=build/demo
keys=${DEMO_KEYS:-100000000}
pairs=${DEMO_PAIRS:-50000000}
PATH=$PWD/$build/cli:$PATH
export LC_ALL=C

heading() { printf '\n== %s\n' "$*"; }
die() { printf 'demo: %s\n' "$*" >&2; exit 1; }

# Shows a command, then runs it.
show() {
  printf '$ %s\n' "$*"
  "$@"
}

# Runs a function that sorts with GNU sort into $work/expected and compares: byte for byte, or the end.
same_as_gnu_sort() {
  local sorted=$1 start=$EPOCHREALTIME
  shift
  "$@" >"$work/expected"
  local seconds
  seconds=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.3f", b - a }')
  cmp "$sorted" "$work/expected" || die "$sorted differs from what GNU sort writes"
  echo "   the same $(wc -c <"$sorted") bytes as GNU sort writes, in $seconds s"
}
by_size_then_name() { head -n 1 "$1"; tail -n +2 "$1" | sort -s -t, -k4,4nr -k1,1; }

# Most at one time: the pairs (12 bytes each) before and after, or the keys, plus the real input and its sorted forms.
need_room() {
  local megabytes=$(((pairs * 24 > keys * 8 ? pairs * 24 : keys * 8) / 1000000 + 400))
  local free=$(($(df -Pk "$work" | awk 'NR == 2 { print $4 }') / 1000))
  [ "$free" -ge "$megabytes" ] || die "$megabytes MB of free disk are needed in $PWD/$work, $free MB are there; free some, or ask" \
    "for less, e.g.: make run DEMO_KEYS=10000000 DEMO_PAIRS=5000000"
}

# The Debian package index as CSV, and its words one a line.
package_tables() {
  printf 'package,version,section,size,installed_size\n'
  awk -F ': ' '
    function field(text) {  # RFC 4180: quotes where a comma, quote or line break asks for them
      if (text ~ /[",\n\r]/) { gsub(/"/, "\"\"", text); return "\"" text "\"" }
      return text
    }
    $1 == "Package" { package = $2 }
    $1 == "Version" { version = substr($0, 10) }
    $1 == "Section" { section = $2 }
    $1 == "Size" { size = $2 }
    $1 == "Installed-Size" { installed = $2 }
    $0 == "" && package != "" {
      if (size != "") print field(package) "," field(version) "," field(section) "," size "," installed
      package = version = section = size = installed = ""
    }' "$work/index"
}

# Where there is no package index: the words of the documents that come with sortile, with where they stand.
word_table() {
  printf 'package,version,section,size,installed_size\n'
  awk '{ n = split($0, words, /[^A-Za-z0-9_]+/)
         for (i = 1; i <= n; ++i)
           if (words[i] != "") print words[i] "," FNR ".0," FILENAME "," length(words[i]) "," length($0) }' ./*.md LICENSE docs/*.md
}

real_input() {
  apt-cache dumpavail >"$work/index" 2>/dev/null || true
  if [ "$(grep -c '^Package: ' "$work/index")" -ge 1000 ]; then
    heading "1. Real input: the Debian package index of this machine"
    package_tables >"$work/table.csv"
  else
    heading "1. Real input: the documents of sortile (there is no Debian package index here)"
    cat ./*.md LICENSE docs/*.md >"$work/index"
    word_table >"$work/table.csv"
  fi
  tr -s '[:space:]' '\n' <"$work/index" | sed '/^$/d' >"$work/words.txt"
  echo "   $(($(wc -l <"$work/table.csv") - 1)) rows, $(wc -l <"$work/words.txt") words; the first rows:"
  head -n 3 "$work/table.csv" | sed 's/^/   /'

  show sortile sort -v --by size:desc,package "$work/table.csv" -o "$work/by_size.csv"
  head -n 4 "$work/by_size.csv" | sed 's/^/   /'
  same_as_gnu_sort "$work/by_size.csv" by_size_then_name "$work/table.csv"

  show sortile sort -v "$work/words.txt" -o "$work/words.sorted"
  same_as_gnu_sort "$work/words.sorted" sort "$work/words.txt"
}

large_arrays() {
  heading "2. Large arrays, from file to file (.npy)"
  show sortile gen uniform -n "$keys" --type u32 -o "$work/keys.npy"
  show sortile sort --explain "$work/keys.npy"
  show sortile sort -v "$work/keys.npy" -o "$work/keys.sorted.npy"
  show sortile check -v "$work/keys.sorted.npy" --permutation-of "$work/keys.npy"
  rm "$work"/*.npy

  show sortile gen uniform -n "$pairs" --type u64 --pairs u32 -o "$work/pairs.npy"
  show sortile sort -v "$work/pairs.npy" -o "$work/pairs.sorted.npy"
  show sortile check -v "$work/pairs.sorted.npy" --permutation-of "$work/pairs.npy"
  rm "$work"/*.npy
}

comparison() {
  heading "3. A fifth as many in memory, against the sorts that come with the system ($(nproc) threads for sortile)"
  show sortile bench -n $((keys / 5)) --type u32 --repeat 1
  show sortile bench -n $((pairs / 5)) --type u64 --pairs u32 --repeat 1
  heading "   A tenth of the keys as decimal lines, file to file, against GNU sort ($(nproc) threads for both)"
  show env TMPDIR="$work" sortile bench -n $((keys / 10)) --type u32 --lines --repeat 1
}

mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
need_room
start=$SECONDS
real_input
rm -rf "$work"/*
large_arrays
comparison
printf '\nAll outputs were checked. %s s in all.\n' $((SECONDS - start))
