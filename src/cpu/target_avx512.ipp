// What follows, up to target_end.ipp, is compiled for AVX-512 (instruction_sets.hpp: has()). Included many times.
#if defined(SORTILE_EMULATE_AVX512)
#include "cpu/target_avx2.ipp"
#elif defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2,lzcnt,popcnt"))),      \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2,lzcnt,popcnt,prefer-vector-width=512")
#endif
