// The stable LSD sort at sizes that only a GPU can do: more than 2^32 keys, and one input sorted thousands of times.
#include "kernels/lsd/lsd_sort.hpp"
#include "tests/captured_graph.hpp"
#include "tests/kernels/large_arrays.hpp"

#include <algorithm>

namespace sortile::simt_tests {
namespace {

template <class Word>
struct fill_mixed {
  static constexpr unsigned block_threads = 256;
  simt::global<Word> out;
  std::uint64_t n;
  bool half_equal = false; ///< half of the keys are 77
  SORTILE_DEVICE void operator()() const {
    for_each_index(n, [&](std::uint64_t i) { out[i] = half_equal && (mixed(i) >> 40 & 1) != 0 ? 77 : Word(mixed(i)); });
  }
};

/// found[0]: places where the indices are not those of a stable sort. Keys that match, in order, with indices that rise
/// among equal keys, can only be the one stable permutation.
template <class Word>
struct check_indices {
  static constexpr unsigned block_threads = 256;
  simt::global<const Word> in, out;
  simt::global<const std::uint64_t> indices;
  simt::global<std::uint64_t> found;
  std::uint64_t n;
  SORTILE_DEVICE void operator()() const {
    std::uint64_t wrong = 0;
    for_each_index(n, [&](std::uint64_t i) {
      const std::uint64_t at = indices.load(i);
      bool right = at < n && in.load(at) == out.load(i);
      if (i + 1 < n)
        right =
            right && (out.load(i) < out.load(i + 1) || (out.load(i) == out.load(i + 1) && at < indices.load(i + 1)));
      wrong += !right;
    });
    found.fetch_add(0, wrong);
  }
};

constexpr std::uint64_t beyond_32_bits = (std::uint64_t{1} << 32) + 5;

void check_more_than_2_to_32_u32(bool half_equal) {
  const std::uint64_t n = beyond_32_bits;
  const auto q = simt::queue::cuda(nullptr);
  const device_array<std::uint32_t> keys(n), out(n);
  kernels::typed_request<std::uint32_t> r{.keys_in = keys.data(),
                                          .keys_out = out.data(),
                                          .n = n,
                                          .codec = make_key_codec<std::uint32_t>(key_type::u32, order::ascending, {})};
  r.workspace_bytes = kernels::lsd_workspace_bytes(r);
  const device_array<char> workspace(r.workspace_bytes);
  r.workspace = workspace.data();
  SKIP_UNLESS_ALL_THERE(keys, out, workspace);
  buffer<std::uint64_t> before(2), after(2);
  simt::launch(q, {.grid = 1024}, fill_mixed<std::uint32_t>{{keys.data(), n}, n, half_equal});
  simt::launch(q, {.grid = 1024}, check_keys<std::uint32_t>{{keys.data(), n}, before.view(), n});
  kernels::lsd_sort(q, r);
  simt::launch(q, {.grid = 1024}, check_keys<std::uint32_t>{{out.data(), n}, after.view(), n});
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_NE(before.host()[0], 0u);
  EXPECT_EQ(after.host()[0], 0u);
  EXPECT_EQ(after.host()[1], before.host()[1]);
}
SIMT_TEST(lsd_large, more_than_2_to_32_u32) {
  check_more_than_2_to_32_u32(false);
}
// The others are fewer, and yet go to places beyond (lsd/heavy_key.hpp).
SIMT_TEST(lsd_large, more_than_2_to_32_u32_of_which_half_are_equal) {
  check_more_than_2_to_32_u32(true);
}

SIMT_TEST(lsd_large, indices_of_more_than_2_to_32_u8) {
  const std::uint64_t n = beyond_32_bits;
  const auto q = simt::queue::cuda(nullptr);
  const device_array<std::uint8_t> keys(n), out(n);
  const device_array<std::uint64_t> indices(n);
  kernels::typed_request<std::uint8_t> r{.keys_in = keys.data(),
                                         .keys_out = out.data(),
                                         .values_out = indices.data(),
                                         .value_bytes = 8,
                                         .make_indices = true,
                                         .n = n,
                                         .codec = make_key_codec<std::uint8_t>(key_type::u8, order::ascending, {})};
  r.workspace_bytes = kernels::lsd_workspace_bytes(r);
  const device_array<char> workspace(r.workspace_bytes);
  r.workspace = workspace.data();
  SKIP_UNLESS_ALL_THERE(keys, out, indices, workspace);
  simt::launch(q, {.grid = 1024}, fill_mixed<std::uint8_t>{{keys.data(), n}, n});
  kernels::lsd_sort(q, r);
  buffer<std::uint64_t> found(1);
  simt::launch(q, {.grid = 1024},
               check_indices<std::uint8_t>{{keys.data(), n}, {out.data(), n}, {indices.data(), n}, found.view(), n});
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(found.host()[0], 0u);
}

// One input, thousands of sorts of changing length in flight: a look-back that now and then read a stale word would
// show.
SIMT_TEST(lsd_large, one_input_thousands_of_times) {
  const std::uint64_t most = 3'000'000;
  const auto q = simt::queue::cuda(nullptr);
  const device_array<std::uint32_t> keys(most), out(most);
  kernels::typed_request<std::uint32_t> r{.keys_in = keys.data(),
                                          .keys_out = out.data(),
                                          .n = most,
                                          .codec = make_key_codec<std::uint32_t>(key_type::u32, order::ascending, {})};
  r.tuning.passes_tiles = kernels::lsd_tiles::small; // these need the most
  r.workspace_bytes = kernels::lsd_workspace_bytes(r);
  const device_array<char> workspace(r.workspace_bytes);
  r.workspace = workspace.data();
  simt::launch(q, {.grid = 1024}, fill_mixed<std::uint32_t>{{keys.data(), most}, most});
  buffer<std::uint64_t> found(2);
  for (unsigned i = 0; i < 3000; ++i) {
    r.n = most - 997 * i;
    r.tuning.passes_tiles = i % 2 == 0 ? kernels::lsd_tiles::large : kernels::lsd_tiles::small;
    r.workspace_bytes = kernels::lsd_workspace_bytes(r);
    kernels::lsd_sort(q, r);
    simt::launch(q, {.grid = 264}, check_keys<std::uint32_t>{{out.data(), r.n}, found.view(), r.n});
  }
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(found.host()[0], 0u);
}

// A captured sort, replayed with keys of other shapes: digits that are constant in one and not in the other.
SIMT_TEST(lsd_large, graph_replayed_with_other_keys) {
  const std::uint64_t n = 300'001;
  buffer<std::uint32_t> keys(n), out(n), indices(n);
  kernels::typed_request<std::uint32_t> r{.keys_in = keys.view().data(),
                                          .keys_out = out.view().data(),
                                          .values_out = indices.view().data(),
                                          .value_bytes = 4,
                                          .make_indices = true,
                                          .n = n,
                                          .codec = make_key_codec<std::uint32_t>(key_type::u32, order::descending, {})};
  r.workspace_bytes = kernels::lsd_workspace_bytes(r);
  const device_array<char> workspace(r.workspace_bytes);
  r.workspace = workspace.data();
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  const testing::captured_graph graph(stream, [&] { kernels::lsd_sort(simt::queue::cuda(stream), r); });
  for (const unsigned shift : {0u, 20u, 8u, 32u, 0u}) {
    auto data = noise(n, shift + 1);
    for (std::uint32_t& key : data)
      key = shift == 32 ? 7 : key >> shift;
    std::vector<std::uint32_t> expected(n);
    for (std::uint32_t i = 0; i < n; ++i)
      expected[i] = i;
    std::stable_sort(expected.begin(), expected.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return data[a] > data[b]; });
    ASSERT_EQ(cudaMemcpy(keys.view().data(), data.data(), n * 4, cudaMemcpyDefault), cudaSuccess);
    graph.replay();
    EXPECT_EQ(indices.host(), expected) << "keys shifted by " << shift;
  }
  cudaStreamDestroy(stream);
}

} // namespace
} // namespace sortile::simt_tests
