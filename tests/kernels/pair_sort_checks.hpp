// Checks of the sorts of pairs against std::stable_sort, for their tests: inputs, red zones, and what they say of
// inputs that they do not take. Values say where a pair came from, so that every comparison is one of stability too.
#pragma once

#include "kernels/splitters/splitter_sort.hpp"
#include "kernels/verdict.hpp"
#include "tests/kernels/key_shapes.hpp"
#include "tests/kernels/words_to_zero.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace sortile::simt_tests {
inline namespace SORTILE_BACKEND {
namespace pair_checks {

inline constexpr shape all_shapes[] = {shape::uniform,   shape::and_of_3, shape::few,
                                       shape::equal,     shape::sorted,   shape::nearly_sorted,
                                       shape::reversed,  shape::narrow,   shape::one_giant_bucket,
                                       shape::special,   shape::clusters, shape::mostly_sorted,
                                       shape::organ_pipe};

template <class Word>
struct how {
  key_type type = unsigned_type<Word>;
  order direction = order::ascending;
  unsigned value_bytes = 4;
  bool indices = false, want_keys = true, keys_in_place = false, values_in_place = false, ask_verdict = false;
  bool input_is_scratch = false, fallback_sees_order = false;
  unsigned bits = kernels::sort_tuning::follows_n, chunks = kernels::sort_tuning::follows_n;
  std::uint64_t sample_from = ~std::uint64_t{0}, large_buckets_from = ~std::uint64_t{0};
  std::uint64_t map_pairs_from = ~std::uint64_t{0}, repeats_from = ~std::uint64_t{0};
  bool between_splitters = false; // splitter_sort, which always says whether the pairs suit it
  bool must_suit = false;         // and it is an error where it says that they do not
  bool leaves_to_passes = false;  // so does it then of keys that passes are quicker with
  std::uint32_t role = 0;         // 1: as the first fallback, which has been called
  std::uint32_t passes = 0;       // the LSD sort's role, where it is the second fallback
};

/// sort_pairs has no keys of 128 bits.
template <class Word>
std::size_t workspace_bytes(const kernels::typed_request<Word>& r, bool between_splitters) {
  if constexpr (sizeof(Word) >= 8)
    if (between_splitters || sizeof(Word) > 8)
      return kernels::splitter_sort_workspace_bytes(r);
  if constexpr (sizeof(Word) <= 8)
    return kernels::sort_pairs_workspace_bytes<Word>(r);
}
template <class Word>
void sort(const simt::queue& q, const kernels::typed_request<Word>& r, bool between_splitters) {
  if constexpr (sizeof(Word) >= 8)
    if (between_splitters || sizeof(Word) > 8)
      return kernels::splitter_sort(q, r);
  if constexpr (sizeof(Word) <= 8)
    kernels::sort_pairs<Word>(q, r);
}

using bytes = std::vector<unsigned char>;
inline constexpr std::size_t zone = 128; // bytes behind an array, which must stay as they are
inline constexpr unsigned char untouched = 0xa5;

/// Items followed by a red zone.
template <class T>
bytes guarded(const std::vector<T>& items) {
  bytes b(items.size() * sizeof(T) + zone, untouched);
  if (!items.empty())
    std::memcpy(b.data(), items.data(), items.size() * sizeof(T));
  return b;
}
inline bytes guarded(std::size_t n) {
  return bytes(n + zone, untouched);
}
inline void append(bytes& to, std::uint64_t low, std::uint64_t high, unsigned size) {
  unsigned char both[16];
  std::memcpy(both, &low, 8);
  std::memcpy(both + 8, &high, 8);
  to.insert(to.end(), both, both + size);
}
/// The value of pair i: i itself where indices are asked for.
inline bytes make_values(const std::vector<std::size_t>& of, unsigned size, bool indices) {
  bytes b;
  for (const std::size_t i : of)
    append(b, indices ? i : i * 0x9e3779b97f4a7c15u, ~i, size);
  b.resize(b.size() + zone, untouched);
  return b;
}
inline std::size_t first_difference(const bytes& a, const bytes& b) {
  return std::size_t(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

inline bool ends_untouched(const bytes& b) {
  return std::all_of(b.end() - std::ptrdiff_t(zone), b.end(), [](unsigned char c) { return c == untouched; });
}
inline void expect_workspace_kept(const std::vector<std::uint64_t>& workspace, std::size_t used) {
  for (std::size_t i = used / 8; i < workspace.size(); ++i)
    EXPECT_EQ(workspace[i], 0x5a5a5a5a5a5a5a5au) << "behind the workspace";
}

template <class Word>
void check_sort(simt::queue q, const std::vector<Word>& keys, how<Word> h) {
  const std::size_t n = keys.size();
  const auto codec = make_key_codec<Word>(h.type, h.direction, {});
  std::vector<std::size_t> before(n);
  std::iota(before.begin(), before.end(), std::size_t{0});
  std::vector<std::size_t> after = before;
  std::stable_sort(after.begin(), after.end(),
                   [&](std::size_t a, std::size_t b) { return codec.image(keys[a]) < codec.image(keys[b]); });
  std::vector<Word> sorted;
  for (const std::size_t i : after)
    sorted.push_back(keys[i]);

  const bytes values = make_values(before, h.value_bytes, h.indices);
  const buffer<unsigned char> keys_in(guarded(keys)), values_in(values);
  const buffer<unsigned char> keys_out(guarded(n * sizeof(Word))), values_out(guarded(n * h.value_bytes));
  const auto& keys_to = h.keys_in_place ? keys_in : keys_out;
  const auto& values_to = h.values_in_place && !h.indices ? values_in : values_out;
  buffer<std::uint32_t> verdict(std::vector<std::uint32_t>{h.role == 0 ? 0x5a5a5a5a : h.role, 0x5a5a5a5a});
  kernels::typed_request<Word> r;
  r.keys_in = reinterpret_cast<const Word*>(keys_in.view().data());
  r.value_bytes = h.value_bytes;
  r.make_indices = h.indices;
  r.n = n;
  r.codec = codec;
  r.tuning.partition_bits = h.bits;
  r.tuning.chunks = h.chunks;
  r.tuning.sample_from = h.sample_from;
  r.tuning.large_buckets_from = h.large_buckets_from;
  r.tuning.map_pairs_from = h.map_pairs_from;
  r.tuning.repeats_from = h.repeats_from;
  r.leaves_to_passes = h.leaves_to_passes;
  r.fallback_sees_order = h.fallback_sees_order;
  r.input_is_scratch = h.input_is_scratch;
  if (h.want_keys)
    r.keys_out = reinterpret_cast<Word*>(keys_to.view().data());
  if (h.value_bytes != 0) {
    r.values_out = values_to.view().data();
    r.values_in = h.indices ? nullptr : values_in.view().data();
  }
  const bool asks = h.ask_verdict || h.between_splitters;
  const words_to_zero behind;
  if (asks) {
    r.verdict = {verdict.view().data(), h.role};
    behind.in(r.verdict);
  }
  r.workspace_bytes = workspace_bytes(r, h.between_splitters);
  buffer<std::uint64_t> workspace(r.workspace_bytes / 8 + 16, 0x5a5a5a5a5a5a5a5au); // poisoned
  r.workspace = workspace.view().data();
  sort(q, r, h.between_splitters);

  const std::uint32_t told = verdict.host()[0] & kernels::verdict::roles;
  const bool done = !asks || told == h.role;
  EXPECT_TRUE(done || told == h.role + 1) << "no verdict";
  EXPECT_TRUE(done || !h.must_suit) << "the pairs are said not to suit the sort";
  behind.check(!done);
  bytes expected_keys = guarded(sorted), expected_values = make_values(after, h.value_bytes, h.indices);
  if (!done || !h.want_keys)
    expected_keys = h.keys_in_place ? guarded(keys) : guarded(n * sizeof(Word));
  if (!done)
    expected_values = h.values_in_place && !h.indices ? values : guarded(n * h.value_bytes);
  const bytes got_keys = keys_to.host(), got_values = values_to.host();
  // Between splitters outputs are used before anybody can tell: of the keys where they are not the input, of values
  // where the input is scratch.
  const bool early = !done && h.between_splitters;
  if (early && !h.keys_in_place)
    EXPECT_TRUE(ends_untouched(got_keys));
  else if (got_keys != expected_keys)
    ADD_FAILURE() << "key " << first_difference(got_keys, expected_keys) / sizeof(Word) << " of " << n << " is wrong";
  if (!(early && h.input_is_scratch) && got_values != expected_values)
    ADD_FAILURE() << "byte " << first_difference(got_values, expected_values) << " of the values of " << n
                  << " is wrong";
  if (done && h.input_is_scratch) { // but what stands behind stays
    EXPECT_TRUE(ends_untouched(keys_in.host()) && ends_untouched(values_in.host()));
    return expect_workspace_kept(workspace.host(), r.workspace_bytes);
  }
  if (!h.keys_in_place) {
    EXPECT_EQ(keys_in.host(), guarded(keys)) << "the keys given have changed";
  }
  if (values_to.view().data() != values_in.view().data()) {
    EXPECT_EQ(values_in.host(), values) << "the values given have changed";
  }
  expect_workspace_kept(workspace.host(), r.workspace_bytes);
  EXPECT_EQ(verdict.host()[1], 0x5a5a5a5au);
}

template <class Word>
void check(simt::queue q, std::size_t n, shape kind, how<Word> h) {
  SCOPED_TRACE("n " + std::to_string(n) + ", shape " + std::to_string(int(kind)) + ", values of " +
               std::to_string(h.value_bytes) + ", bits " + std::to_string(int(h.bits)) + ", chunks " +
               std::to_string(int(h.chunks)));
  check_sort(q, make_keys<Word>(n, kind, make_key_codec<Word>(h.type, h.direction, {})), h);
}

/// Whose the pairs are, as the sort says: its own role, or that of a fallback.
template <class Word>
std::uint32_t told_role(simt::queue q, const std::vector<Word>& keys, how<Word> h) {
  const buffer<Word> in(keys), out(keys.size());
  const buffer<std::uint32_t> values(keys.size()), verdict(1, h.role == 0 ? 7u : h.role);
  kernels::typed_request<Word> r;
  r.keys_in = in.view().data();
  r.keys_out = out.view().data();
  if (h.value_bytes != 0) {
    r.values_out = values.view().data();
    r.value_bytes = 4;
    r.make_indices = true;
  }
  r.leaves_to_passes = h.leaves_to_passes;
  r.fallback_sees_order = h.fallback_sees_order;
  r.n = keys.size();
  r.codec = make_key_codec<Word>(h.type, h.direction, {});
  r.verdict = {verdict.view().data(), h.role, h.passes};
  r.tuning.partition_bits = h.bits;
  r.tuning.sample_from = h.sample_from;
  r.tuning.large_buckets_from = h.large_buckets_from;
  r.tuning.map_pairs_from = h.map_pairs_from;
  r.tuning.repeats_from = h.repeats_from;
  r.workspace_bytes = workspace_bytes(r, h.between_splitters);
  const buffer<std::uint64_t> workspace(r.workspace_bytes / 8 + 16);
  r.workspace = workspace.view().data();
  sort(q, r, h.between_splitters);
  return verdict.host()[0] & kernels::verdict::roles;
}
/// Whether the sort says that the pairs do not suit it.
template <class Word>
bool gives_away(simt::queue q, const std::vector<Word>& keys, how<Word> h) {
  return told_role(q, keys, h) != h.role;
}
} // namespace pair_checks
} // namespace SORTILE_BACKEND
} // namespace sortile::simt_tests
