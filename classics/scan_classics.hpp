// What the classics that are scans have in common: their numbers, and their entry in the registry.
#pragma once

#include "classics/scan.hpp"

namespace sortile::classics::inline SORTILE_BACKEND {

using number = std::uint32_t;

inline simt::global<number> numbers(const job& j, const device_arrays& a) {
  return {static_cast<number*>(a.keys), j.asked.n};
}

inline classic scan(std::string_view name, std::string_view summary, std::string_view work, std::string_view depth,
                    std::string_view source, run_function run) {
  return {.name = name,
          .family = "scan",
          .summary = summary,
          .work = work,
          .depth = depth,
          .source = source,
          .steps_show = "the tree after each level, or what each tile published",
          .pairs = false,
          .types = numbers_only,
          .task = &exclusive_scan,
          .run = run};
}

} // namespace sortile::classics::inline SORTILE_BACKEND
