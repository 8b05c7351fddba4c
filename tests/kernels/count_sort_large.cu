// The sort by counting at sizes that only a GPU can do: more than 2^32 keys, one input sorted thousands of times,
// graphs replayed with other keys.
#include "kernels/narrow/count_sort.hpp"
#include "tests/captured_graph.hpp"
#include "tests/kernels/large_arrays.hpp"

#include <algorithm>

namespace sortile::simt_tests {
namespace {

/// Key i: the highest bits of i · odd. skewed: half of all keys are 7.
template <class Word>
struct fill_scattered {
  static constexpr unsigned block_threads = 256;
  simt::global<Word> out;
  std::uint64_t n;
  bool skewed;
  SORTILE_DEVICE void operator()() const {
    for_each_index(n, [&](std::uint64_t i) {
      const std::uint64_t mixed = i * 0x9e3779b97f4a7c15;
      out[i] = skewed && (mixed >> 20 & 1) != 0 ? Word(7) : Word(mixed >> (64 - 8 * sizeof(Word)));
    });
  }
};

template <class Word>
void check_beyond_32_bits(bool in_place, bool skewed) {
  const std::uint64_t n = (std::uint64_t{1} << 32) + 5;
  const auto q = simt::queue::cuda(nullptr);
  const device_array<Word> keys(n), out(in_place ? 1 : n);
  SKIP_UNLESS_ALL_THERE(keys, out);
  kernels::typed_request<Word> r{
      .keys_in = keys.data(),
      .keys_out = in_place ? keys.data() : out.data(),
      .n = n,
      .codec = make_key_codec<Word>(sizeof(Word) == 1 ? key_type::u8 : key_type::u16, order::ascending, {})};
  r.workspace_bytes = kernels::count_sort_workspace_bytes(r);
  const device_array<char> workspace(r.workspace_bytes);
  r.workspace = workspace.data();
  buffer<std::uint64_t> before(2), after(2);
  simt::launch(q, {.grid = 1024}, fill_scattered<Word>{{keys.data(), n}, n, skewed});
  simt::launch(q, {.grid = 1024}, check_keys<Word>{{keys.data(), n}, before.view(), n});
  kernels::count_sort(q, r);
  simt::launch(q, {.grid = 1024}, check_keys<Word>{{r.keys_out, n}, after.view(), n});
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_NE(before.host()[0], 0u);
  EXPECT_EQ(after.host()[0], 0u);
  EXPECT_EQ(after.host()[1], before.host()[1]);
}

SIMT_TEST(count_sort_large, more_than_2_to_32_u8) {
  check_beyond_32_bits<std::uint8_t>(false, false);
}
SIMT_TEST(count_sort_large, more_than_2_to_32_u8_in_place_skewed) {
  check_beyond_32_bits<std::uint8_t>(true, true);
}
SIMT_TEST(count_sort_large, more_than_2_to_32_u16) {
  check_beyond_32_bits<std::uint16_t>(false, false);
}
SIMT_TEST(count_sort_large, more_than_2_to_32_u16_in_place_skewed) {
  check_beyond_32_bits<std::uint16_t>(true, true);
}

// One input, thousands of sorts of changing length in flight.
SIMT_TEST(count_sort_large, one_input_thousands_of_times) {
  const std::uint64_t most = 2'000'000;
  const auto q = simt::queue::cuda(nullptr);
  const device_array<std::uint16_t> keys(most), out(most);
  kernels::typed_request<std::uint16_t> r{.keys_in = keys.data(),
                                          .keys_out = out.data(),
                                          .n = most,
                                          .codec = make_key_codec<std::uint16_t>(key_type::u16, {}, {})};
  r.workspace_bytes = kernels::count_sort_workspace_bytes(r);
  const device_array<char> workspace(r.workspace_bytes);
  r.workspace = workspace.data();
  buffer<std::uint64_t> before(2), after(2);
  simt::launch(q, {.grid = 1024}, fill_scattered<std::uint16_t>{{keys.data(), most}, most, true});
  for (unsigned i = 0; i < 3000; ++i) {
    r.n = most >> (i % 9);
    r.n -= i % 977;
    kernels::count_sort(q, r);
    simt::launch(q, {.grid = 264}, check_keys<std::uint16_t>{{keys.data(), r.n}, before.view(), r.n});
    simt::launch(q, {.grid = 264}, check_keys<std::uint16_t>{{out.data(), r.n}, after.view(), r.n});
  }
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(after.host()[0], 0u);
  EXPECT_EQ(after.host()[1], before.host()[1]);
}

// A captured sort, replayed with keys of other values and numbers.
SIMT_TEST(count_sort_large, graph_replayed_with_other_keys) {
  const std::uint64_t bound = 300'001;
  buffer<std::uint16_t> keys(bound), out(bound);
  buffer<std::uint64_t> device_n(1);
  kernels::typed_request<std::uint16_t> r{.keys_in = keys.view().data(),
                                          .keys_out = out.view().data(),
                                          .n = bound,
                                          .device_n = device_n.view().data(),
                                          .codec = make_key_codec<std::uint16_t>(key_type::i16, order::descending, {})};
  r.workspace_bytes = kernels::count_sort_workspace_bytes(r);
  const device_array<char> workspace(r.workspace_bytes);
  r.workspace = workspace.data();
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  const testing::captured_graph graph(stream, [&] { kernels::count_sort(simt::queue::cuda(stream), r); });
  for (const unsigned shift : {0u, 20u, 26u, 31u, 0u}) {
    const std::uint64_t n = bound - 1000 * shift;
    const auto bits = noise(bound, shift + 1);
    std::vector<std::uint16_t> data(bound);
    std::transform(bits.begin(), bits.end(), data.begin(), [&](std::uint32_t b) { return std::uint16_t(b >> shift); });
    auto expected = data;
    expected.resize(n);
    std::sort(expected.begin(), expected.end(),
              [](std::uint16_t a, std::uint16_t b) { return std::int16_t(a) > std::int16_t(b); });
    ASSERT_EQ(cudaMemcpy(keys.view().data(), data.data(), bound * 2, cudaMemcpyDefault), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(device_n.view().data(), &n, 8, cudaMemcpyDefault), cudaSuccess);
    graph.replay();
    auto got = out.host();
    got.resize(n);
    EXPECT_EQ(got, expected) << "keys shifted by " << shift;
  }
  cudaStreamDestroy(stream);
}

} // namespace
} // namespace sortile::simt_tests
