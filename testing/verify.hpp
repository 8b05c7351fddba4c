// The two verifiers of sorted arrays.
//
// verify_exact compares with the oracle's result, byte for byte. verify_permutation needs no reference: it checks that
// the output is in order and that it holds what the input held, by a multiset hash; linear time, no memory beyond the
// arrays, so it serves any n.
#pragma once

#include "testing/oracle.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace sortile::testing {

/// What a verifier found: an empty complaint where all is as it must be.
struct verdict {
  std::string complaint;
  explicit operator bool() const { return complaint.empty(); }
};

/// Keys and the values that travel with them; value_bytes 0 where none do. The keys are aligned, values need not be.
struct pairs_view {
  const void* keys = nullptr;
  const void* values = nullptr;
  std::size_t value_bytes = 0;
  std::size_t n = 0;
};

/// A hash of a multiset of byte strings: the same in whatever order they are added, and two hashes of parts add up to
/// that of the whole. 128 bits: sums, modulo 2^64, of two mixed 64-bit hashes of each element.
class multiset_hash {
 public:
  void add(const void* bytes, std::size_t count);
  /// Adds a pair as one element.
  void add(const void* first, std::size_t first_count, const void* second, std::size_t second_count);
  void add(const multiset_hash& other);
  /// Adds n keys, each with its value.
  void add(key_type type, const pairs_view& pairs);

  friend bool operator==(const multiset_hash&, const multiset_hash&) = default;
  std::string to_string() const;

 private:
  void add_words(std::uint64_t a, std::uint64_t b);
  std::uint64_t sum_[2] = {0, 0};
  std::uint64_t count_ = 0;
};

/// The output is the stable sort of the input: keys and values equal the oracle's, byte for byte.
verdict verify_exact(const ordering& by, const pairs_view& input, const pairs_view& output);

/// The output is in order: the quick half of verify_permutation.
verdict verify_order(const ordering& by, const pairs_view& output);

/// The output is in order, and its pairs are the input's (whose hash was taken before the sort).
verdict verify_permutation(const ordering& by, const multiset_hash& input, const pairs_view& output);

/// Where the values of an output are the input positions of its keys (4 or 8 bytes): equal keys stand in the order of
/// their positions.
verdict verify_stability(const ordering& by, const pairs_view& output);

/// A key as text: its value, and its bits.
std::string key_text(key_type type, const void* key);

} // namespace sortile::testing
