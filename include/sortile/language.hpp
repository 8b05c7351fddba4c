// What a program must be compiled with: the language, and the standard library that the compiled sortile was built
// with. Strings, vectors and functions of that library go from the one to the other.
#pragma once

// One sentence. Compilers go on after #error, and every call adds its own; a header that is not there ends them.
#if __cplusplus < 202002L
#include "sortile needs C++20: compile with -std=c++20 (g++ 12, clang 16, or later)"
#endif

#include <cstddef> // says which standard library this is

// libstdc++, with its strings since 2015 or those before, and libc++ are three. The compiled library defines the one of
// these names that is its own; every translation unit of a program refers to the one that is its own. Where they
// differ, the linker says "undefined reference to ...", and the name says what to do.
#if defined(_LIBCPP_VERSION)
#define SORTILE_SAME_STANDARD_LIBRARY sortile_was_not_built_with_libcxx__build_it_with_clang_and_stdlib_libcxx
#elif defined(_GLIBCXX_USE_CXX11_ABI) && _GLIBCXX_USE_CXX11_ABI == 0
#define SORTILE_SAME_STANDARD_LIBRARY sortile_was_not_built_with_GLIBCXX_USE_CXX11_ABI_0__build_it_so
#else
#define SORTILE_SAME_STANDARD_LIBRARY sortile_was_not_built_with_libstdcxx__build_it_with_libstdcxx
#endif

#pragma GCC visibility push(default)
extern "C" const char SORTILE_SAME_STANDARD_LIBRARY;
#pragma GCC visibility pop

namespace sortile::detail {
[[gnu::used]] inline const char* const same_standard_library = &SORTILE_SAME_STANDARD_LIBRARY;
}
