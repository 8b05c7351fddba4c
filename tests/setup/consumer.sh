#!/usr/bin/env bash
# A project configured, built, and its own tests run: `consumer.sh SOURCE BUILD [cmake's options...]`. Each step is a process of its own: after
# its first configuration `ctest --build-and-test` compiles under another locale, and the compiler cache then knows nothing.
set -euo pipefail
source=$1 build=$2
cmake -S "$source" -B "$build" --log-level=NOTICE "${@:3}"
cmake --build "$build"
ctest --test-dir "$build" --output-on-failure --no-tests=error
