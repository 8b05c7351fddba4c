#!/usr/bin/env bash
# Takes a built tree to a machine with a GPU, and there runs its GPU tests, fuzzing, sanitizers, profiles and benchmarks.
#
#   gpu_run.sh pack BUILD FOLDER            the binaries, stripped, with the shared libraries that they bring, and this script
#   gpu_run.sh steps                        the steps, with the seconds that each may take
#   gpu_run.sh run FOLDER OUT [STEP...]     runs the steps (default: all, in order) and leaves in OUT:
#       summary.txt       a line a step: how it ended, how long it took; the same goes to standard output
#       log.txt           what the steps printed
#       gpu.json          results of `sortile bench gpu`; grid.json: kinds by workloads by sizes, for the planner
#       ncu-KIND.csv      readings of single kernels of the four main rows
#       racecheck-kernels.txt   a line a test of the kernels under racecheck, with short inputs (sanitized_tests.sh)
#
# Needs nothing but bash, coreutils and, for some steps, compute-sanitizer and ncu. Every step has its time limit; all
# together stay within GPU_RUN_SECONDS (default 3000): the last is cut short, others are not begun, and the summary says so. Fuzzing
# takes GPU_RUN_FUZZ seconds (120), from seed GPU_RUN_FIRST on. Exit status: 0 where every step that was asked for ran and ended
# well, else 1; 2 where the call was not understood.
set -uo pipefail

die() { printf 'gpu_run.sh: %s\n' "$*" >&2; exit 2; }

binaries=(cli/sortile cli/sortile-bench-gpu tests/gpu/gpu_test tests/gpu/gpu_fuzz tests/kernels/kernels_test tests/primitives/primitives_test
  tests/device/device_test bench/gpu/sortile_gpu_bench)

# name, seconds, what it needs, command. $F: the folder; $O: where results go; $LIMIT: the seconds it gets.
fuzz=${GPU_RUN_FUZZ:-120}
kernels='splitters|split_segments|key_scan|chunk_scan|lsd_scan|window|tables|partition|local_sort|local_pairs|large_sort|medium_sort|count_skewed|fill_giants|large_pairs|one_block|lsd'
metrics=dram__bytes.sum,gpu__time_duration.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed
metrics+=,launch__registers_per_thread,sm__throughput.avg.pct_of_peak_sustained_elapsed,smsp__warps_active.avg.pct_of_peak_sustained_active
check='compute-sanitizer --error-exitcode 9 --print-limit 20 --tool'
steps=()
step() { steps+=("$1|$2|$3|$4"); }
step info 60 sortile '(nvidia-smi || true); $F/sortile info'
step tests 300 gpu_test '$F/gpu_test'
step tests-device 60 device_test '$F/device_test'
step tests-kernels 300 kernels_test '$F/kernels_test --gtest_filter="*_on_cuda*:*on_gpu*"'
step tests-primitives 120 primitives_test '$F/primitives_test --gtest_filter="*_on_cuda*:*on_gpu*"'
step fuzz $((fuzz + 60)) gpu_fuzz "\$F/gpu_fuzz --seconds $fuzz --first \${GPU_RUN_FIRST:-1000000}"
step bench 600 sortile-bench-gpu '$F/sortile-bench-gpu -v --engine-sorts --json $O/gpu.json'
step bench-steps 200 sortile_gpu_bench '$F/sortile_gpu_bench --rounds 9'
step memcheck 150 'gpu_fuzz compute-sanitizer' "$check memcheck \$F/gpu_fuzz --seconds 60 --largest 300000 --first 2000000"
part='*_on_cuda*:-*large*:*thousand*:*random_requests*:*replayed*'
step memcheck-kernels 400 'kernels_test compute-sanitizer' "$check memcheck \$F/kernels_test --gtest_filter='$part'"
step racecheck 200 'gpu_fuzz compute-sanitizer' "$check racecheck \$F/gpu_fuzz --seconds 60 --largest 50000 --first 3000000"
step initcheck 150 'gpu_fuzz compute-sanitizer' "$check initcheck \$F/gpu_fuzz --seconds 40 --largest 100000 --first 4000000"
step synccheck 150 'gpu_fuzz compute-sanitizer' "$check synccheck \$F/gpu_fuzz --seconds 40 --largest 100000 --first 5000000"
for kind in u32 u64 u32+u32 u64+u64; do
  step "ncu-$kind" 120 'sortile-bench-gpu ncu' "ncu --csv --clock-control none --kernel-name-base demangled -k 'regex:kernel_entry<.*($kernels)' --launch-count 40 \
    --metrics $metrics \$F/sortile-bench-gpu --kinds $kind --log-n 28 --rounds 1 --l2 warm > \$O/ncu.tmp; rc=\$?; \
    grep '^\"' \$O/ncu.tmp > \$O/ncu-$kind.csv; grep -v '^\"' \$O/ncu.tmp; rm -f \$O/ncu.tmp; exit \$rc"
done
step grid 600 sortile-bench-gpu '$F/sortile-bench-gpu --engine-sorts --l2 warm --rounds 3 --json $O/grid.json --log-n 10,12,14,16,18,20,22,24,26 \
  --kinds u8,u16,u32,u64,u128,u32+u32,u64+u32,u64+u64 --workloads uniform,range:65536,and:3,zipf-spread,count-up,outliers,range:1000000000 >/dev/null'
step racecheck-kernels 560 'kernels_test sanitized_tests.sh compute-sanitizer' \
  "SANITIZED_ALL=\$((LIMIT - 20)) \$F/sanitized_tests.sh racecheck \$F/kernels_test \$O/racecheck-kernels.txt '$part'"

# The libraries that a binary brings: all but those that every system of the same kind has.
libraries_of() {
  ldd "$1" | awk '$3 ~ /^\// { print $3 }' | grep -Ev '/(libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+|ld-linux[^/]*)\.so'
}

pack() {
  [ $# -eq 2 ] || die "usage: gpu_run.sh pack BUILD FOLDER"
  local build=$1 folder=$2 binary packed=0
  mkdir -p "$folder/lib" || die "cannot make $folder"
  for binary in "${binaries[@]}"; do
    if [ ! -x "$build/$binary" ]; then
      echo "not built, left out: $binary"
      continue
    fi
    strip -o "$folder/${binary##*/}" "$build/$binary" || die "cannot strip $build/$binary"
    libraries_of "$build/$binary" | while read -r library; do
      [ -e "$folder/lib/${library##*/}" ] || cp -L "$library" "$folder/lib/" || die "cannot copy $library"
    done
    packed=$((packed + 1))
  done
  [ $packed -gt 0 ] || die "$build holds none of: ${binaries[*]}"
  cp "$0" "$folder/gpu_run.sh" && cp "${0%/*}/sanitized_tests.sh" "$folder/" && du -sh "$folder" | sed 's/\t.*/ in all/'
}

list_steps() {
  local each name seconds needs
  for each in "${steps[@]}"; do
    IFS='|' read -r name seconds needs _ <<<"$each"
    printf '%-18s %4s s   needs %s\n' "$name" "$seconds" "$needs"
  done
}

# What a step needs and is not there; nothing where all is.
missing() {
  local need
  for need in $1; do
    [ -x "$F/$need" ] || command -v "$need" >/dev/null || printf '%s ' "$need"
  done
}

say() { printf '%s\n' "$*" | tee -a "$O/summary.txt"; }

# Runs a step within its limit and what is left of all; says how it ended. Fails where it did not run, or not well.
run_step() {
  local name=$1 seconds=$2 needs=$3 command=$4 lacking left start rc
  lacking=$(missing "$needs")
  left=$((deadline - SECONDS))
  if [ -n "$lacking" ]; then
    say "$(printf '%-18s not run: there is no %s' "$name" "$lacking")"
    return 1
  fi
  if [ $left -lt 5 ]; then
    say "$(printf '%-18s not run: no time left' "$name")"
    return 1
  fi
  [ $left -ge "$seconds" ] || seconds=$left
  start=$SECONDS
  printf '\n==== %s: %s\n' "$name" "$command" >>"$O/log.txt"
  F=$F O=$O LIMIT=$seconds timeout -k 10 "$seconds" bash -c "$command" >>"$O/log.txt" 2>&1 </dev/null
  rc=$?
  case $rc in
  0) say "$(printf '%-18s well, %d s' "$name" $((SECONDS - start)))" ;;
  124 | 137) say "$(printf '%-18s STOPPED at its limit of %d s' "$name" "$seconds")" ;;
  *) say "$(printf '%-18s FAILED with status %d, %d s' "$name" $rc $((SECONDS - start)))" ;;
  esac
  return $rc
}

run() {
  [ $# -ge 2 ] || die "usage: gpu_run.sh run FOLDER OUT [STEP...]"
  [ -d "$1" ] || die "$1: there is no such folder"
  mkdir -p "$2" || die "cannot make $2"
  F=$(cd "$1" && pwd) O=$(cd "$2" && pwd)
  shift 2
  export LD_LIBRARY_PATH=$F/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  local each name seconds needs command wanted bad=0
  local names
  names=$(list_steps | awk '{ printf "%s ", $1 }')
  for wanted in "$@"; do
    [[ " $names" == *" $wanted "* ]] || die "there is no step $wanted (allowed: $names)"
  done
  : >"$O/summary.txt" && : >"$O/log.txt" || die "cannot write to $O"
  deadline=$((SECONDS + ${GPU_RUN_SECONDS:-3000}))
  for each in "${steps[@]}"; do
    IFS='|' read -r name seconds needs _ <<<"$each"
    command=${each#*|*|*|}
    if [ $# -eq 0 ] || [[ " $* " == *" $name "* ]]; then
      run_step "$name" "$seconds" "$needs" "$command" || bad=$((bad + 1))
    fi
  done
  say "$bad of the steps did not run, or not well; $SECONDS s in all"
  [ $bad -eq 0 ]
}

case ${1:-} in
pack | run) "$@" ;;
steps) list_steps ;;
*) die "usage: gpu_run.sh pack BUILD FOLDER | steps | run FOLDER OUT [STEP...]" ;;
esac
