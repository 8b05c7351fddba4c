// A kernel that two translation units launch, each by its own name for it (launch.hpp on entries).
#pragma once

#include "fixture.hpp"

namespace sortile::simt_tests::inline SORTILE_BACKEND {

/// More than static storage holds: it has to be allowed first.
struct kernel_of_two_units {
  static constexpr unsigned block_threads = 256;
  struct shared {
    simt::shared_array<std::uint32_t, 25 * 1024> words; // 100 KiB
  };
  simt::global<std::uint32_t> to;

  SORTILE_DEVICE void operator()(shared& s) const {
    constexpr std::uint32_t last = 25 * 1024 - 1;
    for (std::uint32_t i = simt::thread_index(); i <= last; i += block_threads)
      s.words[i] = i;
    simt::block_barrier();
    to[simt::thread_index()] = s.words.load(last - simt::thread_index());
  }
};

void launch_in_another_unit(const simt::queue& q, const kernel_of_two_units& kernel);

} // namespace sortile::simt_tests::inline SORTILE_BACKEND
