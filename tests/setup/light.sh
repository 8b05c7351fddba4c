#!/usr/bin/env bash
# A program that sorts on the CPU is small and needs nothing but the system: `light.sh PROGRAM...`. Stripped it takes less than 5 MB; the
# libraries that it names are the compiler's, the C library and, where that is shared, sortile's own.
set -euo pipefail
most=5000000
for program in "$@"; do
  stripped=$(mktemp)
  trap 'rm -f "$stripped"' EXIT
  strip -o "$stripped" "$program"
  size=$(stat -c %s "$stripped")
  needs=$(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  [ -n "$needs" ] || { echo "$program: readelf names no library"; exit 1; }
  printf '%s: %d bytes, needs %s\n' "${program##*/}" "$size" "$(tr '\n' ' ' <<<"$needs")"
  [ "$size" -lt $most ] || { echo "more than $most bytes"; exit 1; }
  if grep -Ev '^(libc|libm|libgcc_s|libstdc\+\+|libpthread|ld-linux-[^.]*|libsortile)\.so' <<<"$needs"; then
    echo "the above is not the system's"
    exit 1
  fi
done
