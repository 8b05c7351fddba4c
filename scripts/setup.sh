#!/usr/bin/env bash
# Sees that what sortile needs is on this machine and installs what is missing: `scripts/setup.sh [LIST]...`.
#
# A list names one Debian package a line and how to recognise it: a program, a <header>, a -llibrary, a /path, or a module of python3
# (python:NAME). What is found is left as it is, wherever it came from; with nothing missing there is no use of apt or of the
# network. Where there is no apt, the missing things are named and the script fails.
set -euo pipefail

lists=("$@")
[ ${#lists[@]} -gt 0 ] || lists=("$(dirname "$0")/packages-run.txt" "$(dirname "$0")/packages.txt")

say() { printf 'setup: %s\n' "$*"; }
die() { printf 'setup: %s\n' "$@" >&2; exit 1; }

entries() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "${lists[@]}"; }

# The lines of the lists whose program, header or library is not there. Headers and libraries are asked of the compiler.
missing() {
  local package sign purpose compiler=${CXX:-g++} have_compiler=yes
  command -v "$compiler" >/dev/null || have_compiler=
  entries | while read -r package sign purpose; do
    case $sign in
      '<'*) [ "$have_compiler" ] && echo "#include $sign" | "$compiler" -std=c++20 -M -x c++ - >/dev/null 2>&1 ;;
      -l*) [ "$have_compiler" ] && "$compiler" -shared -o /dev/null -x c++ /dev/null "$sign" 2>/dev/null ;;
      /*) [ -e "$sign" ] ;;
      python:*) python3 -c "import ${sign#python:}" 2>/dev/null ;;
      *) command -v "$sign" >/dev/null ;;
    esac || echo "$package $sign $purpose"
  done
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "installing needs root, and there is no sudo; as root, type: apt-get install ${packages[*]}"
  fi
}

install_packages() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${packages[@]}"
}

gap=$(missing)
if [ -z "$gap" ]; then
  say "all $(entries | wc -l) packages' programs and libraries are here"
  exit 0
fi

mapfile -t packages < <(cut -d' ' -f1 <<<"$gap")
say "missing: ${packages[*]}; here already: $(($(entries | wc -l) - ${#packages[@]})) of $(entries | wc -l)"
command -v apt-get >/dev/null || die "this system has no apt-get; install with its own package manager, then try again:" \
  "$(sed 's/^[^ ]* /  /' <<<"$gap")"

# The package index is fetched only where it does not know a package, or is so old that the download fails.
updated=
for package in "${packages[@]}"; do
  if ! apt-cache show "$package" >/dev/null 2>&1; then
    say "fetching the package index (apt-get update)"
    as_root apt-get update -q
    updated=yes
    break
  fi
done
say "installing ${packages[*]}"
if ! install_packages; then
  [ -z "$updated" ] || die "apt-get could not install ${packages[*]} (see above)"
  say "trying again with a fresh package index (apt-get update)"
  as_root apt-get update -q
  install_packages || die "apt-get could not install ${packages[*]} (see above)"
fi

gap=$(missing)
[ -z "$gap" ] || die "installed, but still not found:" "$(sed 's/^/  /' <<<"$gap")"
say "done"
