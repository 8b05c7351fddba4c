#!/bin/sh
# Puts the registry's table of classics into docs/classics.md, between its two marks. Takes the build folder.
set -eu
build=${1:?usage: scripts/classics_table.sh BUILD_FOLDER}
page=$(dirname "$0")/../docs/classics.md
table=$(mktemp)
trap 'rm -f "$table" "$page.new"' EXIT
"$build/cli/sortile" classics list --markdown > "$table"
awk -v table="$table" '
  /<!-- table begins -->/ { print; while ((getline line < table) > 0) print line; skip = 1; next }
  /<!-- table ends -->/ { skip = 0 }
  !skip { print }' "$page" > "$page.new"
mv "$page.new" "$page"
