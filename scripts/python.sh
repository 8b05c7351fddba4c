#!/usr/bin/env bash
# The Python package: `scripts/python.sh wheel` builds build/wheel/sortile-*.whl, `scripts/python.sh test` installs it in a
# fresh virtual environment and runs mypy and the tests of tests/python there. PYTHON names the interpreter (3.10 or later).
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}

say() { printf 'python: %s\n' "$*"; }
die() { printf 'python: %s\n' "$*" >&2; exit 1; }

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || die "$python is older than 3.10; set PYTHON to another"

# A new virtual environment in folder $1. Debian keeps what venv needs in a package of its own.
fresh_environment() {
  rm -rf "$1"
  "$python" -m venv "$1" || die "no virtual environment can be made; on Debian install python3-venv"
}

wheel() {
  local tools=build/python-tools
  [ -x "$tools/bin/pip" ] || fresh_environment "$tools"
  rm -rf build/wheel
  "$tools/bin/pip" --disable-pip-version-check wheel --quiet --no-deps --wheel-dir build/wheel .
  say "built $(ls build/wheel/*.whl), $(stat -c %s build/wheel/*.whl) bytes"
}

run_tests() {
  local here=build/python-test
  fresh_environment "$here"
  "$here/bin/pip" --disable-pip-version-check install --quiet build/wheel/sortile-*.whl -r tests/python/requirements.txt
  here=$PWD/$here
  cd tests/python # away from the sources, so that the installed package is the one that is tested
  "$here/bin/python" -m mypy --config-file ../../pyproject.toml --cache-dir "$here/mypy" typed_use.py
  "$here/bin/python" -m mypy.stubtest --mypy-config-file ../../pyproject.toml sortile
  "$here/bin/python" -m pytest -c ../../pyproject.toml --rootdir . -p no:cacheprovider "$@"
}

case ${1:-} in
wheel) wheel ;;
test) wheel && shift && run_tests "$@" ;;
*) die "usage: scripts/python.sh wheel | test [pytest's arguments]" ;;
esac
