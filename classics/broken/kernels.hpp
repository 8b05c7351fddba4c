// What the broken kernels have in common: their keys, and their entry in the list.
#pragma once

#include "classics/scan.hpp"

namespace sortile::classics::inline SORTILE_BACKEND {

using keys_u32 = simt::global<std::uint32_t>;

inline keys_u32 own_keys(const job& j, const device_arrays& a) {
  return {static_cast<std::uint32_t*>(a.keys), j.asked.n};
}

inline classic broken(std::string_view name, std::string_view summary, run_function run,
                      std::uint64_t largest_n = std::uint64_t{1} << 16) {
  return {.name = name,
          .family = "broken",
          .summary = summary,
          .steps_show = "nothing",
          .stable = true,
          .pairs = false,
          .types = numbers_only,
          .largest_n = largest_n,
          .run = run};
}

} // namespace sortile::classics::inline SORTILE_BACKEND
