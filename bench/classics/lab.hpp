// The laboratory sort as reports measure it: spans of keys, each sorted by the bits that it has, and the variants of
// the sort. lab-report times them, lab-counters counts them.
#pragma once

#include "bench/classics/workbench.hpp"

#include <array>

namespace sortile::experiments::lab {

inline constexpr const char* classic = "radix-lab";

/// Keys below `name`, sorted by the window in which they differ: at 2 bits a pass 4, 8, 12 and 16 passes.
struct span_of_keys {
  const char* name;
  const char* workload;
  unsigned bits;

  constexpr bit_window window() const { return {0, bits}; }
};
inline constexpr std::array spans{span_of_keys{"256", "range:256", 8}, span_of_keys{"65536", "range:65536", 16},
                                  span_of_keys{"16777216", "range:16777216", 24}, span_of_keys{"full", "uniform", 32}};

/// The sort with its two optimisations, with each of them changed, and without both.
struct variant {
  const char* name;
  parameters given;
};
inline const std::array variants{variant{"both", {}}, variant{"padding 16", {{"padding", 16}}},
                                 variant{"no padding", {{"padding", 0}}}, variant{"no coalescing", {{"coalescing", 0}}},
                                 variant{"neither", {{"coalescing", 0}, {"padding", 0}}}};

} // namespace sortile::experiments::lab
