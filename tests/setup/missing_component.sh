#!/usr/bin/env bash
# find_package(sortile COMPONENTS ...) finds what the installation under PREFIX has and says what it lacks: missing_component.sh PREFIX HAS_CUDA
set -euo pipefail
prefix=$1 has_cuda=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# asks COMPONENT: configures a project that needs the component; the output is left in $work/log.
asks() {
  rm -rf "$work/build"
  cat >"$work/CMakeLists.txt" <<PROJECT
cmake_minimum_required(VERSION 3.25)
project(asks LANGUAGES CXX)
find_package(sortile 0.1 REQUIRED COMPONENTS $1)
if(NOT TARGET sortile::$1 OR NOT TARGET sortile::compare)
  message(FATAL_ERROR "no target")
endif()
PROJECT
  cmake -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1
}

refused() {
  ! asks "$1" || { echo "component $1 was found"; exit 1; }
  tr -s ' \n' ' ' <"$work/log" | grep -q "$2" || { echo "no word of '$2' in:"; cat "$work/log"; exit 1; }
}

asks executor || { cat "$work/log"; exit 1; }
refused quantum "sortile has no component 'quantum'; there are cuda and executor"
if [ "$has_cuda" = 1 ]; then
  asks cuda || { cat "$work/log"; exit 1; }
else
  refused cuda "this sortile was built without CUDA"
fi
