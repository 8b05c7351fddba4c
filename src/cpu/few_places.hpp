// The places of up to 64 keys in their stable order, found by vectors: a key's place is how many come before it.
#pragma once

#include "cpu/instruction_sets.hpp"
#include "primitives/key_codec.hpp"

#include <cstddef>
#include <cstdint>

namespace sortile::cpu {

inline constexpr std::size_t most_placed = 64;

/// What was seen of the order of keys.
enum class seen_order : std::uint8_t {
  none,    ///< their places were written
  rising,  ///< each at or behind the one before it
  falling, ///< each comes before the one before it
};

/// Writes the places of 2 to most_placed keys, unless they rise or fall.
template <class K>
using place_keys = seen_order (*)(const K* keys, std::size_t n, const key_codec<K>& codec, std::uint32_t* places);

#if defined(SORTILE_CPU_X86)
extern const place_keys<std::uint32_t> place_keys_avx2_32;
extern const place_keys<std::uint64_t> place_keys_avx2_64;
#endif

/// Null where this machine, or the tuning, has no vectors for it.
template <class K>
place_keys<K> best_place_keys();
template <>
place_keys<std::uint32_t> best_place_keys();
template <>
place_keys<std::uint64_t> best_place_keys();

} // namespace sortile::cpu
