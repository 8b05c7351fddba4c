#!/bin/sh
# Puts the tables of the committed results into docs/experiments.md, between their marks, and draws their plots again.
# Takes the build folder.
set -eu
build=${1:?usage: scripts/experiments_tables.sh BUILD_FOLDER}
root=$(dirname "$0")/..
page=$root/docs/experiments.md
table=$(mktemp)
trap 'rm -f "$table" "$page.new"' EXIT
rm -f "$root"/bench/results/*/classics-*.svg "$root"/bench/results/*/classics-*.csv
for run in "$root"/bench/results/*/classics-*.json; do # each experiment is in one of them
  "$build/cli/sortile" bench classics --from "$run" --plots "${run%/*}" > /dev/null
done
sed -n 's/^<!-- table \(.*\) begins -->$/\1/p' "$page" | while read -r name; do
  # Without the machine's line and the heading, of which the page has its own.
  for run in "$root"/bench/results/*/classics-*.json; do
    "$build/cli/sortile" bench classics --from "$run" --experiment "$name" | sed 1,4d
  done > "$table"
  awk -v table="$table" -v name="$name" '
    $0 == "<!-- table " name " begins -->" { print; while ((getline line < table) > 0) print line; skip = 1; next }
    $0 == "<!-- table " name " ends -->" { skip = 0 }
    !skip { print }' "$page" > "$page.new"
  mv "$page.new" "$page"
done
