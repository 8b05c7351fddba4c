#!/usr/bin/env bash
# The Python package. `scripts/python.sh wheel` builds build/wheel/sortile-*.whl. `scripts/python.sh test [pytest's arguments]`
# also installs it in a fresh virtual environment and runs mypy and the tests of tests/python there. `test-or-skip` does so in
# an environment that it keeps, and leaves with 77 where the packages that it needs cannot be had. `pyarrow ARGUMENT...` is
# the interpreter of an environment that has PyArrow alone, and leaves with 77 likewise. `wheel-cuda` builds
# build/wheel-cuda/sortile_cu13-*.whl, with the GPU engine; nvcc is needed, and a GPU is not. PYTHON names the interpreter, 3.10 or later.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
# The compiler by the name that CMake finds it by, as in every other build: the compiler cache goes by it too.
export CC=${CC:-cc} CXX=${CXX:-c++}
tools=$PWD/build/python-tools
installed=$PWD/build/python-test
pyarrow=$PWD/build/pyarrow
# What is imported is compiled once, whatever the environment says, and nothing is left beside the sources.
unset PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX=$PWD/build/pycache

say() { printf 'python: %s\n' "$*"; }
die() { printf 'python: %s\n' "$*" >&2; exit 1; }

# pip in the environment $1.
pip() { "$1/bin/python" -m pip --disable-pip-version-check "${@:2}"; }

fresh_environment() {
  rm -rf "$1"
  "$python" -m venv "$1" || die "no virtual environment can be made; on Debian install python3-venv"
}

# What pyproject.toml asks for, in an environment that is kept: so the compiler cache knows the headers again.
build_tools() {
  [ -x "$tools/bin/python" ] || fresh_environment "$tools"
  sed -n 's/^requires = \[\(.*\)\]$/\1/p' pyproject.toml | tr -d '" ' | tr ',' '\n' >"$tools/requirements.txt"
  pip "$tools" install --quiet -r "$tools/requirements.txt"
}

# What an environment for the tests depends on.
test_tools_are_for() {
  "$python" -c 'import sys; print(sys.executable, sys.version)'
  cat tests/python/requirements.txt pyproject.toml
}

# The packages are a gigabyte, and take half a minute to install.
test_tools() {
  rm -f "$installed/made-for"
  fresh_environment "$installed"
  pip "$installed" install --quiet --no-compile -r tests/python/requirements.txt && test_tools_are_for >"$installed/made-for"
}

# What the command reads Parquet and Arrow files by.
kept_pyarrow() {
  "$pyarrow/bin/python" -c 'import pyarrow.parquet' 2>/dev/null || { fresh_environment "$pyarrow" && pip "$pyarrow" install --quiet pyarrow; }
}

kept_test_tools() {
  test_tools_are_for | cmp --silent - "$installed/made-for" || test_tools
}

# The wheel in folder $1 has to stay below $2 bytes, and its module links nothing but the system's own libraries.
check_wheel() {
  local wheel size module foreign opened=$1-opened
  wheel=$(ls "$1"/*.whl)
  size=$(stat -c %s "$wheel")
  [ "$size" -lt "$2" ] || die "$wheel has $size bytes; fewer than $2 are allowed"
  rm -rf "$opened"
  "$python" -m zipfile -e "$wheel" "$opened"
  module=$(ls "$opened"/*/_core.abi3.so) || die "$wheel has no module _core.abi3.so"
  foreign=$(readelf -d "$module" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
    grep -Ev '^(libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+|ld-linux.*)\.so' | tr '\n' ' ' || true)
  [ -z "$foreign" ] || die "$wheel links what not every system has: $foreign"
  say "built $wheel, $size bytes"
}

wheel() {
  rm -rf build/wheel
  pip "$tools" wheel --quiet --no-deps --no-build-isolation --wheel-dir build/wheel .
  check_wheel build/wheel 10000000
}

cuda_wheel() {
  rm -rf build/wheel-cuda
  pip "$tools" wheel --quiet --no-deps --no-build-isolation --wheel-dir build/wheel-cuda python/cu13
  check_wheel build/wheel-cuda 60000000
}

# Away from the sources, so that the installed package is the one that is tested.
run_tests() {
  pip "$installed" uninstall --quiet --yes sortile 2>/dev/null
  pip "$installed" install --quiet build/wheel/sortile-*.whl
  cd tests/python
  "$installed/bin/python" -m mypy --config-file ../../pyproject.toml --cache-dir "$installed/mypy" -p sortile
  "$installed/bin/python" -m mypy --config-file ../../pyproject.toml --cache-dir "$installed/mypy" typed_use.py
  "$installed/bin/python" -m pytest -c ../../pyproject.toml --rootdir . -p no:cacheprovider "$@"
}

command -v "$python" >/dev/null || die "there is no $python; set PYTHON"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || die "$python is older than 3.10; set PYTHON to another"
mkdir -p build
case ${1:-} in
wheel)
  build_tools
  wheel
  ;;
wheel-cuda)
  build_tools
  cuda_wheel
  ;;
test)
  build_tools
  test_tools
  wheel
  run_tests "${@:2}"
  ;;
test-or-skip)
  build_tools && kept_test_tools || { say "skipped: the packages that it needs cannot be had here"; exit 77; }
  wheel
  run_tests "${@:2}"
  ;;
pyarrow)
  kept_pyarrow || { say "skipped: PyArrow cannot be had here"; exit 77; }
  cd "$OLDPWD"
  exec "$pyarrow/bin/python" "${@:2}"
  ;;
*) die "usage: scripts/python.sh wheel | wheel-cuda | test [pytest's arguments] | test-or-skip | pyarrow ARGUMENT..." ;;
esac
