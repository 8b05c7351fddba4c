// Which instruction sets beyond the baseline this processor has, and which of them are used.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#define SORTILE_CPU_X86 1
#endif

namespace sortile::cpu {

/// Each holds those before it.
enum class instruction_set : std::uint8_t { baseline, avx2, avx512 };
inline constexpr instruction_set all_instruction_sets[] = {instruction_set::baseline, instruction_set::avx2,
                                                           instruction_set::avx512};

/// AVX-512 may be emulated (emulated_avx512.hpp). Then it is used where a test asks for it.
#if defined(SORTILE_EMULATE_AVX512)
inline constexpr bool emulates_avx512 = true;
#else
inline constexpr bool emulates_avx512 = false;
#endif
inline constexpr instruction_set widest_unless_asked =
    emulates_avx512 ? instruction_set::avx2 : instruction_set::avx512;

inline const char* name(instruction_set which) {
  static constexpr const char* names[] = {"baseline", "avx2", "avx512"};
  return names[static_cast<unsigned>(which)];
}

/// Whether the processor has those parts of it that the kernels use.
inline bool has(instruction_set which) {
#if defined(SORTILE_CPU_X86)
  static const instruction_set widest = [] {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2") ||
        !__builtin_cpu_supports("popcnt"))
      return instruction_set::baseline;
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return avx512 || emulates_avx512 ? instruction_set::avx512 : instruction_set::avx2;
  }();
  return which <= widest;
#else
  return which == instruction_set::baseline;
#endif
}

} // namespace sortile::cpu
