#!/usr/bin/env bash
# Each test of a GoogleTest binary by itself under a tool of compute-sanitizer, several at a time, on a machine with a GPU:
# racecheck slows kernels so much that a suite in one run tells nothing when its time is over.
#
#   sanitized_tests.sh TOOL BINARY REPORT [FILTER]     TOOL: memcheck, racecheck, initcheck, synccheck
#
# REPORT holds, and standard output shows, a line a test: clean, ERRORS, FAILED, skipped, out of time, not begun; then how many of
# each. What the tool said of a test that was not clean lies in REPORT.<test>. Exit status: 0 where all were clean, 1 where some
# were not, 2 where the call was not understood.
#
# Inputs are the short ones (SORTILE_TESTS_SHORT=1) unless that is set already. A test may take SANITIZED_EACH seconds (300),
# all together SANITIZED_ALL (540), SANITIZED_JOBS of them at once (4). SANITIZED_PART=2/3: the second third of the tests.
set -uo pipefail

die() { printf 'sanitized_tests.sh: %s\n' "$*" >&2; exit 2; }
say() { printf '%s\n' "$*" | tee -a "$REPORT"; }

# Runs one test and says how it ended.
one() {
  local test=$1 log=$REPORT.$1 left=$((DEADLINE - $(date +%s))) limit=${SANITIZED_EACH:-300} start rc how
  if [ $left -lt 5 ]; then
    say "$TOOL $test: not begun"
    return
  fi
  [ $left -ge "$limit" ] || limit=$left
  start=$(date +%s)
  timeout -k 5 "$limit" compute-sanitizer --tool "$TOOL" --error-exitcode 9 --print-limit 20 "$BINARY" --gtest_filter="$test" >"$log" 2>&1 </dev/null
  rc=$?
  case $rc in
  0)
    how=clean
    grep -q '^\[  PASSED  \] 1 test' "$log" || how=skipped
    [ $how = skipped ] || grep -q 'SUMMARY: 0 ' "$log" || how='ERRORS (no summary of none)'
    ;;
  9) how="ERRORS ($(grep -o 'SUMMARY: .*' "$log" | tail -1))" ;;
  124 | 137) how='out of time' ;;
  *) how="FAILED with status $rc" ;;
  esac
  [ "$how" != clean ] || rm -f "$log"
  say "$TOOL $test: $how, $(($(date +%s) - start)) s"
}

all() {
  local part=${SANITIZED_PART:-1/1} tests count=0 clean how summary
  [[ $part =~ ^([1-9][0-9]*)/([1-9][0-9]*)$ && ${BASH_REMATCH[1]} -le ${BASH_REMATCH[2]} ]] || die "SANITIZED_PART=$part: not of the form 2/3"
  tests=$("$BINARY" --gtest_list_tests --gtest_filter="$1" | awk -v k="${BASH_REMATCH[1]}" -v m="${BASH_REMATCH[2]}" '
    /^[^ ]+\.$/ { suite = $1; next }
    /^  / && suite != "" { if (n++ % m == k - 1) print suite $1 }') || die "$BINARY lists no tests"
  [ -n "$tests" ] || die "$BINARY has no test that matches $1"
  count=$(wc -l <<<"$tests")
  : >"$REPORT" || die "cannot write $REPORT"
  xargs -P "${SANITIZED_JOBS:-4}" -n 1 "$0" --one <<<"$tests"
  clean=$(grep -c ': clean,' "$REPORT")
  summary="$TOOL: $clean of $count tests clean"
  for how in ERRORS FAILED skipped 'out of time' 'not begun'; do
    summary+=", $(grep -c ": $how" "$REPORT") $how"
  done
  say "$summary"
  [ "$clean" -eq "$count" ]
}

if [ "${1:-}" = --one ] && [ $# -eq 2 ]; then
  one "$2"
  exit 0
fi
[ $# -eq 3 ] || [ $# -eq 4 ] || die "usage: sanitized_tests.sh TOOL BINARY REPORT [FILTER]"
[[ $1 =~ ^(mem|race|init|sync)check$ ]] || die "$1: no tool of this name (allowed: memcheck, racecheck, initcheck, synccheck)"
[ -x "$2" ] || die "$2: there is no such program"
command -v compute-sanitizer >/dev/null || die "there is no compute-sanitizer"
export TOOL=$1 BINARY=$2 REPORT=$3 SORTILE_TESTS_SHORT=${SORTILE_TESTS_SHORT:-1} DEADLINE=$(($(date +%s) + ${SANITIZED_ALL:-540}))
all "${4:-*}"
