// For want of a compressing instruction in AVX2: tables of the permutations that bring chosen lanes of a vector to its
// front.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sortile::cpu::avx2 {

// For every mask of `Lanes` lanes, those lanes first and then the others, both in their order, as indices of 32 bits.
template <unsigned Lanes>
struct split_table {
  alignas(32) std::uint32_t lane[std::size_t{1} << Lanes][8];
  constexpr split_table() : lane{} {
    constexpr unsigned words = 8 / Lanes;
    for (unsigned mask = 0; mask < 1u << Lanes; ++mask) {
      unsigned at = 0;
      for (unsigned pass = 0; pass < 2; ++pass)
        for (unsigned i = 0; i < Lanes; ++i)
          if ((mask >> i & 1) == 1 - pass)
            for (unsigned w = 0; w < words; ++w)
              lane[mask][at++] = words * i + w;
    }
  }
};
inline constexpr split_table<8> split_8;
inline constexpr split_table<4> split_4;

} // namespace sortile::cpu::avx2
