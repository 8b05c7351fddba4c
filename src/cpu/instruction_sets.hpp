// Which instruction sets beyond the baseline this processor has.
#pragma once

#if defined(__x86_64__)
#define SORTILE_CPU_AVX512 1
#endif

namespace sortile::cpu {

/// The parts of AVX-512 that the kernels use.
inline bool has_avx512() {
#if defined(SORTILE_CPU_AVX512)
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("bmi2");
  return has;
#else
  return false;
#endif
}

} // namespace sortile::cpu
