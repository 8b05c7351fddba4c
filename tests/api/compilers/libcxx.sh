#!/usr/bin/env bash
# Library and program both with clang and libc++: libcxx.sh CXX CC SOURCE SORTILE BUILD LAUNCHER. Without optimisation and symbols: what is
# tested is that it compiles, links and runs. The build folder is kept, so that a second run is quick.
set -euo pipefail
cxx=$1 cc=$2 source=$3 sortile=$4 build=$5 launcher=${6:-}
command -v "$cxx" >/dev/null || { echo "$cxx is not installed"; exit 77; }
echo '#include <string>' | "$cxx" -stdlib=libc++ -fsyntax-only -x c++ - 2>/dev/null || { echo "libc++ is not installed"; exit 77; }
cmake -S "$source" -B "$build" -G Ninja --log-level=NOTICE "-DSORTILE_SOURCE_DIR=$sortile" "-DCMAKE_CXX_COMPILER=$cxx" "-DCMAKE_C_COMPILER=$cc" \
  "-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher" -DCMAKE_CXX_FLAGS=-stdlib=libc++ -DCMAKE_BUILD_TYPE= -DSORTILE_TOGETHER=ON
cmake --build "$build" --target calls
ctest --test-dir "$build" --output-on-failure --no-tests=error
