#!/bin/sh
# The gallery under compute-sanitizer, on a machine with a GPU: memcheck and racecheck over every classic that has kernels,
# plain and with the ends of its parameters, ascending and descending, keys and pairs, 32 and 64 bits.
#
#   scripts/classics_sanitizers.sh SORTILE FOLDER [JOBS]   FOLDER/classics-sanitizers.txt: a header that names the machine, a
#                                                          line a run; the whole report of each run that was not clean
#                                                          lies beside it. Status 1 if one was not. Launches from the
#                                                          device are beyond racecheck, which warns of them: such a run
#                                                          is said to be unchecked, and counts as neither
#   scripts/classics_sanitizers.sh --list                  the runs, as options of `sortile classics run`, a line each
set -eu

# runs NAME N SETTINGS...: plain, then each of the settings ("a=1 b=2"; "-" for none) in other types and directions.
runs() {
  name=$1 n=$2
  shift 2
  echo "$name -n $n --pairs"
  turn=0
  for settings in "$@"; do
    sets=
    for one in $settings; do
      [ "$one" = - ] || sets="$sets --set $one"
    done
    case $turn in
      0) echo "$name -n $n --type u64 --pairs -r$sets" ;;
      1) echo "$name -n $n --type f32 -r --workload specials$sets" ;;
      2) echo "$name -n $n --type i32 --pairs --workload few:16$sets" ;;
      *) echo "$name -n $n --type u32 -r --workload sorted$sets" ;;
    esac
    turn=$(((turn + 1) % 4))
  done
}

# tiles NAME MOST SETTING...: the ends of the parameter `tile`, with settings that go with it; few keys for the least.
tiles() {
  name=$1 most=$2
  shift 2
  echo "$name -n 300 --set tile=4$*"
  echo "$name -n 5000 --set tile=$most$*"
}

list() {
  tiles scan-blocks 512
  tiles scan-single-pass 512
  tiles scan-ballot 256
  for name in radix-1bit radix-1bit-local radix-bits radix-masks radix-masks-span rank rank-tiles rank-constant counting-sort bitonic-directions; do
    tiles $name 256
  done
  tiles radix-1bit-one-launch 512
  tiles radix-bits-coarsened 8192
  tiles radix-1bit-coarsened 8192
  tiles radix-lab 2048
  tiles radix-floats 2048 " --type f32"
  tiles radix-columns 2048 " --type u64"
  for name in radix-by-position radix-cascaded radix-msd radix-msd-launching sample-sort sample-sort-launching; do
    tiles $name 2048
  done
  tiles large-radix 8192
  for name in transposition transposition-early-exit transposition-tiles transposition-tiles-early-exit bitonic-steps bitonic-split bitonic-merge odd-even-merge; do
    tiles $name 512 | sed 's/-n 5000/-n 1500/'
  done
  tiles bitonic-shared 1024
  tiles odd-even-merge-shared 1024
  for name in scan-blelloch scan-blelloch-padded-32; do
    echo "$name -n 2048 --set banks=4"
    echo "$name -n 2048 --set banks=32"
  done
  runs counting-sort 5000 "bits=1 keys=1" "bits=8 keys=32" "bits=3 keys=5"
  runs bitonic-directions 5000 - -
  tiles sample-sort-devices 2048
  runs sample-sort-devices 5000 "devices=2 oversampling=1" "devices=8 oversampling=16"
  runs quicksort-increment 5000 "pivot=3 small=64" "pivot=1 small=64" "pivot=2 small=8" "pivot=0 small=64"
  echo "sample-sort -n 3000 --set ways=2 --set small=300"
  echo "sample-sort -n 3000 --set ways=64 --set small=300"
  for name in quicksort-atomic quicksort-increment quicksort-packing quicksort-streams quicksort-launching sample-sort sample-sort-launching radix-msd-launching; do
    echo "$name -n 200 --set small=4"
  done
  echo "radix-msd -n 300 --set local=4 --set bits=1"
  echo "radix-msd -n 3000 --set local=300 --set bits=8"
  echo "rank-constant -n 200 --set keys=4"
  echo "large-top-down -n 300 --set fits=4"
  echo "large-bottom-up -n 300 --set fits=4"
  for name in scan-blelloch scan-blelloch-padded-16 scan-blelloch-padded-32; do
    echo "$name -n 2048"
    echo "$name -n 1000 --workload sorted"
  done
  echo "scan-kogge-stone -n 1024"
  echo "scan-kogge-stone -n 700 --workload sorted"
  for name in scan-blocks scan-single-pass scan-ballot; do
    echo "$name -n 20000"
    echo "$name -n 300000 --workload few:2"
  done
  runs radix-1bit 20000 - -
  runs radix-1bit-one-launch 20000 - -
  runs radix-1bit-local 20000 - -
  runs radix-bits 20000 bits=1 bits=3 bits=8
  runs radix-bits-coarsened 20000 "bits=8 keys=1" "bits=5 keys=32" "bits=1 keys=2"
  runs radix-1bit-coarsened 20000 keys=1 keys=32
  runs radix-masks 5000 bits=1 bits=4
  runs radix-masks-span 5000 bits=1 bits=4
  runs radix-lab 9000 "padding=0 coalescing=1" "padding=16 coalescing=1" "padding=32 coalescing=0" "padding=0 coalescing=0"
  echo "radix-floats -n 20000 --type f32 --pairs"
  echo "radix-floats -n 9000 --type f64 -r --workload specials --set bits=1"
  echo "radix-floats -n 9000 --type f32 -r --workload specials --set bits=8"
  runs radix-by-position 20000 bits=1 bits=8
  runs radix-cascaded 20000 bits=1 bits=8
  echo "radix-columns -n 9000 --type u64 --pairs --set bits=1"
  echo "radix-columns -n 9000 --type u64 --set bits=8"
  runs radix-msd 20000 local=32 local=2048 local=300
  for name in merge-co-rank merge-tiled merge-circular merge-path merge-custom-order; do
    runs $name 10000 tile=4 tile=1024 tile=64
  done
  for name in transposition transposition-early-exit transposition-tiles transposition-tiles-early-exit; do
    runs $name 1500 - -
  done
  runs rank 3000 - -
  runs rank-tiles 3000 - -
  runs rank-constant 9000 keys=64 keys=4096 keys=700
  for name in bitonic-steps bitonic-shared bitonic-split bitonic-merge odd-even-merge odd-even-merge-shared; do
    runs $name 20000 - -
  done
  for name in quicksort-atomic quicksort-packing; do
    runs $name 5000 "pivot=3 small=64" "pivot=1 small=64" "pivot=2 small=8" "pivot=0 small=64"
  done
  runs quicksort-streams 5000 "pivot=3 small=64 queues=1" "pivot=1 small=64 queues=7" "pivot=2 small=8 queues=16" \
    "pivot=0 small=64 queues=2"
  runs quicksort-launching 5000 "pivot=3 small=64" "pivot=1 small=64" "pivot=2 small=8" "pivot=0 small=64"
  runs radix-msd-launching 20000 small=32 "small=2048 bits=8" "small=300 bits=1"
  runs sample-sort-launching 20000 "oversampling=1 small=32" "oversampling=16 small=1024 ways=64" "ways=2 small=300"
  runs sample-sort 20000 "oversampling=1 small=32" "oversampling=16 small=1024" "oversampling=8 small=300"
  runs large-top-down 20000 "fits=256 division=0" "fits=8192 division=0" "fits=32 division=1"
  runs large-bottom-up 20000 fits=32 fits=8192 fits=512
  runs large-radix 20000 bits=1 bits=8 bits=5
}

# one SORTILE FOLDER TOOL OPTIONS...: a run, as a line; its report is kept where it is not clean.
one() {
  sortile=$1 folder=$2 tool=$3
  shift 3
  report=$folder/$tool-$(echo "$*" | tr -cs 'A-Za-z0-9=' '-').txt
  more=
  [ "$tool" = racecheck ] && more="--racecheck-report all"
  rc=0
  # shellcheck disable=SC2086
  compute-sanitizer --tool "$tool" $more --print-limit 20 --error-exitcode 9 "$sortile" classics run "$@" --engine cuda \
    >"$report" 2>&1 || rc=$?
  summary=$(grep -o '[A-Z]*\(ERROR\|RACECHECK\) SUMMARY.*' "$report" | tail -n 1)
  if [ "$rc $summary" = "9 RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)" ] &&
      grep -q 'Warning: CUDA Dynamic Parallelism is not supported' "$report"; then
    rc=0 summary="unchecked: the tool does not follow launches from the device"
  fi
  echo "$tool $* rc=$rc | $summary | $(grep '^verified' "$report" || tail -n 1 "$report")"
  case "$rc $summary" in
    "0 "*" 0 errors"*|"0 "*" 0 hazards"*|"0 unchecked"*) grep -q '^verified' "$report" && rm "$report" ;;
  esac
}

case ${1:-} in
  --list) list ;;
  --one) shift && one "$@" ;;
  '' | -*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" && exit 2 ;;
  *)
    sortile=$1 folder=${2:?where do the results go?} jobs=${3:-8}
    mkdir -p "$folder"
    all=$folder/classics-sanitizers.txt
    {
      echo "# The gallery under compute-sanitizer: scripts/classics_sanitizers.sh."
      echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader), $(compute-sanitizer --version | tail -n 1)"
      "$sortile" info | sed 's/^/# /'
    } >"$all"
    list | sed 's/^/memcheck /; p; s/^memcheck/racecheck/' |
      xargs -P "$jobs" -I RUN sh -c "$0 --one '$sortile' '$folder' RUN" | LC_ALL=C sort >>"$all"
    if grep -vE '^#|rc=0 .*(SUMMARY: 0 (errors|hazards)|unchecked:).*[|] verified' "$all"; then
      exit 1
    fi
    ;;
esac
