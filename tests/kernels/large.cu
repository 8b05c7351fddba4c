// Sizes that only a GPU can do: 2^28 items, more than 2^32, and many calls one after the other.
#include "kernels/histogram/radix_histogram.hpp"
#include "kernels/pairs/sort_pairs.hpp"
#include "kernels/scan/scan.hpp"
#include "kernels/sort/sort_keys.hpp"
#include "tests/kernels/large_arrays.hpp"

#include <numeric>

namespace sortile::simt_tests {
namespace {

/// in[i] = i.
template <class T>
struct fill_with_index {
  static constexpr unsigned block_threads = 256;
  simt::global<T> out;
  std::uint64_t n;
  SORTILE_DEVICE void operator()() const {
    const auto stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (auto i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index(); i < n; i += stride)
      out[i] = T(i);
  }
};

/// Counts i with in[i] ≠ the sum of 0 … i − 1, modulo 2^bits.
template <class T>
struct count_wrong_sums {
  static constexpr unsigned block_threads = 256;
  simt::global<const T> in;
  simt::global<std::uint64_t> wrong;
  std::uint64_t n;
  SORTILE_DEVICE void operator()() const {
    const auto stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (auto i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index(); i < n; i += stride) {
      const std::uint64_t sum = i % 2 == 0 ? i / 2 * (i - 1) : (i - 1) / 2 * i;
      if (in.load(i) != T(sum))
        wrong.fetch_add(0, std::uint64_t{1});
    }
  }
};

template <class T>
void check_sums_of_indices(std::uint64_t n, std::size_t offset = 0) {
  const simt::queue q = simt::queue::cuda(nullptr);
  const std::size_t bytes = kernels::scan_workspace_bytes<T>(n);
  const device_array<T> data(n + offset);
  const device_array<char> workspace(bytes);
  SKIP_UNLESS_ALL_THERE(data, workspace);
  T* const first = data.data() + offset;
  simt::launch(q, {.grid = 1024}, fill_with_index<T>{{first, n}, n});
  kernels::scan(q, kernels::scan_request<T>{
                       .in = first, .out = first, .n = n, .workspace = workspace.data(), .workspace_bytes = bytes});
  buffer<std::uint64_t> wrong(1);
  simt::launch(q, {.grid = 1024}, count_wrong_sums<T>{{first, n}, wrong.view(), n});
  ASSERT_EQ(wrong.host()[0], 0u);
}

SIMT_TEST(large, scan_of_2_to_28_u32) {
  check_sums_of_indices<std::uint32_t>(std::uint64_t{1} << 28);
  check_sums_of_indices<std::uint32_t>((std::uint64_t{1} << 28) - 3, 3);
}
SIMT_TEST(large, scan_of_2_to_28_u64) {
  check_sums_of_indices<std::uint64_t>((std::uint64_t{1} << 28) + 1);
}
SIMT_TEST(large, scan_of_more_than_2_to_32_u32) {
  check_sums_of_indices<std::uint32_t>((std::uint64_t{1} << 32) + 5);
}

SIMT_TEST(large, histogram_of_2_to_28_u32) {
  const std::uint64_t n = std::uint64_t{1} << 28;
  const simt::queue q = simt::queue::cuda(nullptr);
  const device_array<std::uint32_t> keys(n);
  buffer<std::uint64_t> out(kernels::radix_histogram_counters<std::uint32_t>);
  simt::launch(q, {.grid = 1024}, fill_with_index<std::uint32_t>{{keys.data(), n}, n});
  kernels::radix_histogram(q, keys.data(), n, make_key_codec<std::uint32_t>(key_type::u32, order::ascending, {}),
                           out.view().data());
  const auto words = out.host();
  for (std::size_t d = 0; d < 4; ++d)
    for (std::size_t v = 0; v < 256; ++v)
      ASSERT_EQ(words[d * 256 + v], d < 3 ? n / 256 : v < 16 ? n / 16 : 0u) << d << ' ' << v;
}

// One workspace, thousands of launches of changing size in flight, one result each.
SIMT_TEST(large, thousands_of_scans_on_one_workspace) {
  const simt::queue q = simt::queue::cuda(nullptr);
  const std::uint64_t most = std::uint64_t{1} << 22;
  const std::size_t bytes = kernels::scan_workspace_bytes<std::uint32_t>(most);
  const device_array<std::uint32_t> in(most), out(most);
  const device_array<char> workspace(bytes);
  buffer<std::uint64_t> wrong(1);
  simt::launch(q, {.grid = 1024}, fill_with_index<std::uint32_t>{{in.data(), most}, most});
  for (unsigned i = 0; i < 3000; ++i) {
    const std::uint64_t n = most >> (i % 7);
    kernels::scan(
        q, kernels::scan_request<std::uint32_t>{
               .in = in.data(), .out = out.data(), .n = n, .workspace = workspace.data(), .workspace_bytes = bytes});
    simt::launch(q, {.grid = 256}, count_wrong_sums<std::uint32_t>{{out.data(), n}, wrong.view(), n});
  }
  ASSERT_EQ(wrong.host()[0], 0u);
}

/// 2^28 keys in their order: by default the multiples of 2^(width − 28) below 2^width.
template <class Word>
struct numbered_keys {
  static constexpr unsigned bits = 28;
  static constexpr std::uint64_t n = std::uint64_t{1} << bits;
  Word first = 0;
  unsigned shift = 8 * sizeof(Word) - bits;
  SORTILE_DEVICE Word operator[](std::uint64_t i) const { return Word(first + (Word(i) << shift)); }
};
/// A permutation of these, so that place i of the sorted keys is known.
template <class Word>
struct permuted_keys {
  static constexpr unsigned block_threads = 256;
  static constexpr std::uint64_t n = numbered_keys<Word>::n;
  simt::global<Word> out;
  numbered_keys<Word> keys;
  SORTILE_DEVICE void operator()() const {
    const auto stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (auto i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index(); i < n; i += stride)
      out[i] = keys[i * 0x9e3779b1u & (n - 1)];
  }
};
template <class Word>
struct count_wrong_keys {
  static constexpr unsigned block_threads = 256;
  simt::global<const Word> in;
  simt::global<std::uint64_t> wrong;
  numbered_keys<Word> keys;
  SORTILE_DEVICE void operator()() const {
    const auto stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (auto i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index(); i < keys.n; i += stride)
      if (in.load(i) != keys[i])
        wrong.fetch_add(0, std::uint64_t{1});
  }
};

template <class Word>
void check_sort_of_permutation(key_type type, bool in_place, numbered_keys<Word> keys = {}, order direction = {}) {
  constexpr std::uint64_t n = permuted_keys<Word>::n;
  const auto q = simt::queue::cuda(nullptr);
  kernels::typed_request<Word> r{.n = n, .codec = make_key_codec<Word>(type, direction, {})};
  buffer<std::uint32_t> verdict(1, 99);
  r.verdict.word = verdict.view().data();
  r.workspace_bytes = kernels::sort_keys_workspace_bytes(r);
  device_array<Word> in(n), out(in_place ? 1 : n);
  device_array<std::uint64_t> workspace(r.workspace_bytes / 8);
  SKIP_UNLESS_ALL_THERE(in, out, workspace);
  Word* const to = in_place ? in.data() : out.data();
  simt::launch(q, {.grid = 1024}, permuted_keys<Word>{{in.data(), n}, keys});
  r.keys_in = in.data();
  r.keys_out = to;
  r.workspace = workspace.data();
  kernels::sort_keys(q, r);
  buffer<std::uint64_t> wrong(1);
  simt::launch(q, {.grid = 1024}, count_wrong_keys<Word>{{to, n}, wrong.view(), keys});
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(verdict.host()[0], 0u);
  EXPECT_EQ(wrong.host()[0], 0u);
}

SIMT_TEST(large, sort_of_u32_keys) {
  check_sort_of_permutation<std::uint32_t>(key_type::u32, false);
}
SIMT_TEST(large, sort_of_u64_keys_in_place) {
  check_sort_of_permutation<std::uint64_t>(key_type::u64, true);
}
SIMT_TEST(large, sort_of_f32_keys) {
  check_sort_of_permutation<std::uint32_t>(key_type::f32, false, {0x30000000, 0});
  check_sort_of_permutation<std::uint32_t>(key_type::f32, true, {0xb0000000, 0}, order::descending);
}
SIMT_TEST(large, sort_of_u128_keys) {
  check_sort_of_permutation<uint128>(key_type::u128, false);
  check_sort_of_permutation<uint128>(key_type::u128, true);
}

/// Key i: i · odd modulo 2^distinct, at the top of the word, so that each of 2^distinct keys comes n / 2^distinct times
/// and the place of every pair in the sorted order is known.
template <class Word>
struct repeated_keys {
  static constexpr unsigned block_threads = 256;
  static constexpr std::uint64_t odd = 0x9e3779b1;
  simt::global<Word> out;
  std::uint64_t n;
  unsigned distinct;
  SORTILE_DEVICE static std::uint64_t times(std::uint64_t a, std::uint64_t b, unsigned bits) {
    return a * b & ((std::uint64_t{1} << bits) - 1);
  }
  SORTILE_DEVICE static Word key(std::uint64_t number, unsigned distinct) {
    return Word(Word(number) << (8 * sizeof(Word) - distinct));
  }
  SORTILE_DEVICE void operator()() const {
    const auto stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (auto i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index(); i < n; i += stride)
      out[i] = key(times(i, odd, distinct), distinct);
  }
};
/// Counts places whose key or index is not the one of a stable sort.
template <class Word, class Index>
struct count_wrong_pairs {
  static constexpr unsigned block_threads = 256;
  simt::global<const Word> keys;
  simt::global<const Index> indices;
  simt::global<std::uint64_t> wrong;
  std::uint64_t n, inverse; // of odd, modulo 2^distinct
  unsigned distinct;
  bool with_keys;
  SORTILE_DEVICE void operator()() const {
    const auto stride = std::uint64_t{simt::grid_size()} * block_threads;
    const std::uint64_t each = n >> distinct;
    for (auto i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index(); i < n; i += stride) {
      const std::uint64_t number = i / each;
      const std::uint64_t index = repeated_keys<Word>::times(number, inverse, distinct) + (i % each << distinct);
      if (indices.load(i) != Index(index) || (with_keys && keys.load(i) != repeated_keys<Word>::key(number, distinct)))
        wrong.fetch_add(0, std::uint64_t{1});
    }
  }
};

template <class Word, class Index>
void check_pairs(key_type type, unsigned log_n, unsigned distinct, bool make_indices, bool in_place) {
  const std::uint64_t n = std::uint64_t{1} << log_n;
  const auto q = simt::queue::cuda(nullptr);
  std::uint64_t inverse = 1; // Newton's iteration: each step doubles the bits that are right
  for (int i = 0; i < 6; ++i)
    inverse *= 2 - repeated_keys<Word>::odd * inverse;
  kernels::typed_request<Word> r{.value_bytes = sizeof(Index), .make_indices = make_indices, .n = n};
  r.codec = make_key_codec<Word>(type, order::ascending, {});
  r.workspace_bytes = kernels::sort_pairs_workspace_bytes(r);
  device_array<Word> in(n), out(in_place ? 1 : n);
  device_array<Index> values(n), values_out(n);
  device_array<std::uint64_t> workspace(r.workspace_bytes / 8);
  SKIP_UNLESS_ALL_THERE(in, out, values, values_out, workspace);
  simt::launch(q, {.grid = 1024}, repeated_keys<Word>{{in.data(), n}, n, distinct});
  simt::launch(q, {.grid = 1024}, fill_with_index<Index>{{values.data(), n}, n});
  r.keys_in = in.data();
  r.keys_out = make_indices ? nullptr : in_place ? in.data() : out.data();
  r.values_in = make_indices ? nullptr : values.data();
  r.values_out = in_place && !make_indices ? values.data() : values_out.data();
  r.workspace = workspace.data();
  kernels::sort_pairs(q, r);
  buffer<std::uint64_t> wrong(1);
  simt::launch(
      q, {.grid = 1024},
      count_wrong_pairs<Word, Index>{
          {r.keys_out, n}, {static_cast<Index*>(r.values_out), n}, wrong.view(), n, inverse, distinct, !make_indices});
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(wrong.host()[0], 0u);
}

SIMT_TEST(large, pairs_of_u32) {
  check_pairs<std::uint32_t, std::uint32_t>(key_type::u32, 28, 28, false, false);
}
SIMT_TEST(large, pairs_of_u64_in_place) {
  check_pairs<std::uint64_t, std::uint64_t>(key_type::u64, 28, 28, false, true);
}
SIMT_TEST(large, indices_of_u64) {
  check_pairs<std::uint64_t, std::uint32_t>(key_type::u64, 28, 28, true, false);
}
SIMT_TEST(large, pairs_with_64_times_every_key) {
  check_pairs<std::uint32_t, std::uint32_t>(key_type::u32, 26, 20, false, false);
  check_pairs<std::uint64_t, std::uint64_t>(key_type::u64, 26, 20, true, false);
}
SIMT_TEST(large, pairs_in_buckets_of_65536) {
  check_pairs<std::uint32_t, std::uint32_t>(key_type::u32, 26, 10, false, true);
  check_pairs<std::uint64_t, std::uint32_t>(key_type::u64, 24, 8, false, false);
}

} // namespace
} // namespace sortile::simt_tests
