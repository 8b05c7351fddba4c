// How a sort by partitions cuts n keys into buckets; plain C++. It follows from n and the key's width alone.
#pragma once

#include "kernels/typed_request.hpp"

#include <algorithm>
#include <bit>

namespace sortile::kernels {

struct partition_plan {
  static constexpr unsigned most_bits = 16, most_bits_at_once = 8, most_bits_at_once_alone = 9, most_chunks = 132;
  static constexpr std::uint64_t bucket_keys = 4096;
  static constexpr std::uint64_t chunk_pairs = 1024; ///< at least, where there are several
  /// Pairs up to which a sort between splitters makes buckets of half the size.
  static constexpr std::uint64_t most_of_half_buckets = std::uint64_t{1} << 23;
  static constexpr std::uint64_t least_counted = (bucket_keys << (most_bits - 1)) + 1; ///< 32-bit keys
  /// As many keys alone, or pairs of any keys, as one block sorts in one launch.
  template <class Word>
  static constexpr std::uint64_t one_block_keys = sizeof(Word) == 4   ? 8192
                                                  : sizeof(Word) == 8 ? 6144
                                                                      : 4096;
  static constexpr std::uint64_t one_block_pairs = 4480;

  unsigned first_bits = 0, second_bits = 0; ///< of the two partitions, 0 where there is none
  bool in_one_block = false;                ///< one launch does it all
  bool counts = false;                      ///< buckets have few enough values to be counted, so that none is too large

  std::uint32_t bins() const { return 1u << bits(); }
  std::uint32_t coarse() const { return 1u << first_bits; }
  std::uint32_t fine() const { return 1u << second_bits; }
  unsigned bits() const { return first_bits + second_bits; }
  unsigned partitions() const { return unsigned(first_bits != 0) + unsigned(second_bits != 0); }
  /// Of the sorts of keys and of pairs: scan, partitions, local.
  unsigned steps() const { return in_one_block ? 1 : partitions() + 2; }
  /// Blocks that partition pairs.
  static std::uint32_t chunks(std::uint64_t n) {
    return std::uint32_t(std::clamp<std::uint64_t>(n / chunk_pairs, 1, most_chunks));
  }

  template <class Word>
  static partition_plan of_keys(std::uint64_t n, unsigned partition_bits = sort_tuning::follows_n) {
    const bool follows_n = partition_bits > most_bits;
    if (follows_n && n <= one_block_keys<Word>)
      return {.in_one_block = true};
    const unsigned bits = follows_n ? bits_for(n) : partition_bits;
    partition_plan p = halved(bits, bits <= most_bits_at_once_alone);
    p.counts = sizeof(Word) == 4 && bits == most_bits;
    return p;
  }
  static partition_plan of_pairs(std::uint64_t n, unsigned partition_bits = sort_tuning::follows_n) {
    const unsigned bits = partition_bits <= most_bits ? partition_bits : n <= one_block_pairs ? 0 : bits_for(n);
    partition_plan p = halved(bits, bits <= most_bits_at_once);
    p.in_one_block = bits == 0;
    return p;
  }
  /// Two partitions always. Of few keys twice as many buckets, so that hardly one is too large for the local step.
  static partition_plan between_splitters(std::uint64_t n, unsigned partition_bits = sort_tuning::follows_n) {
    const unsigned more = partition_bits > most_bits && n <= most_of_half_buckets ? 1 : 0;
    return halved(std::max(of_pairs(n, partition_bits).bits() + more, 2u), false);
  }

 private:
  static unsigned bits_for(std::uint64_t n) {
    return std::min(most_bits, unsigned(std::bit_width((n + bucket_keys - 1) / bucket_keys - 1)));
  }
  static partition_plan halved(unsigned bits, bool at_once) {
    const unsigned first = at_once ? bits : (bits + 1) / 2;
    return {.first_bits = first, .second_bits = bits - first};
  }
};

} // namespace sortile::kernels
