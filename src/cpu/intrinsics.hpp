// Vector instructions by their names: those of the processor, or AVX-512 in plain C++ for tests.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>

#if defined(SORTILE_EMULATE_AVX512)
#include "cpu/emulated_avx512.hpp"
#endif
#endif
